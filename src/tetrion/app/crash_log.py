"""The crash log: a file with the tracebacks of errors in the program."""

import traceback
from datetime import datetime
from pathlib import Path

from tetrion.user_folders import get_data_folder

_CRASH_LOG_FILE = "problems.txt"
_MAX_CRASH_LOG_BYTES = 1_000_000  # a longer file is overwritten


def log_crash(error: BaseException) -> Path:
    """Append the traceback of an error to the crash log and return the path of the log."""
    path = get_data_folder() / _CRASH_LOG_FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        is_too_long = path.exists() and path.stat().st_size > _MAX_CRASH_LOG_BYTES
        with path.open("w" if is_too_long else "a", encoding="utf-8") as file:
            file.write(f"{datetime.now():%Y-%m-%d %H:%M:%S}\n")
            file.writelines(traceback.format_exception(error))
            file.write("\n")
    except OSError:
        pass  # the caller shows the error in the window anyway
    return path
