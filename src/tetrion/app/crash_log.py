"""Mistakes of the program itself, kept so that they can be told to whoever mends them."""

import traceback
from datetime import datetime
from pathlib import Path

from tetrion.app.user_folders import get_data_folder

_CRASH_LOG_FILE = "problems.txt"
_MAX_CRASH_LOG_BYTES = 1_000_000  # bytes, after which the file begins anew


def log_crash(error: BaseException) -> Path:
    """Write down what happened; gives back where."""
    path = get_data_folder() / _CRASH_LOG_FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        begins_anew = path.exists() and path.stat().st_size > _MAX_CRASH_LOG_BYTES
        with path.open("w" if begins_anew else "a", encoding="utf-8") as file:
            file.write(f"{datetime.now():%Y-%m-%d %H:%M:%S}\n")
            file.writelines(traceback.format_exception(error))
            file.write("\n")
    except OSError:
        pass  # the person is told anyway
    return path
