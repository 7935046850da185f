"""Messages about errors in the window, and the crash log, a file with the tracebacks of errors in the program."""

import re
import traceback
from datetime import datetime
from pathlib import Path

from tetrion.user_folders import get_data_folder

_CRASH_LOG_FILE = "problems.txt"
_MAX_CRASH_LOG_BYTES = 1_000_000  # a longer file is overwritten
_MAX_ENTRY_LENGTH = 20_000  # characters; an error may contain the content of a file
_SENTENCE_BREAK = re.compile(r"(?<=[.?!]) (?=[A-Z`])")


def log_crash(error: BaseException) -> Path:
    """Append the traceback of an error to the crash log and return the path of the log."""
    path = get_data_folder() / _CRASH_LOG_FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        is_too_long = path.exists() and path.stat().st_size > _MAX_CRASH_LOG_BYTES
        details = "".join(traceback.format_exception(error))[-_MAX_ENTRY_LENGTH:]
        with path.open("w" if is_too_long else "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{datetime.now():%Y-%m-%d %H:%M:%S}\n{details}\n")
    except OSError:
        pass  # the caller shows the error in the window anyway
    return path


def describe_crash(error: BaseException) -> str:
    """Write an unexpected error to the crash log and return a message about it."""
    return f"An unexpected error occurred: {error!r:.300}. Details are in {log_crash(error)}."


def leave_out_commands(message: str) -> str:
    """Return an error message without the sentences that contain code, which advise a call or a command.

    The window has buttons and lists for the same.
    """
    return " ".join(part for part in _SENTENCE_BREAK.split(message) if "`" not in part) or message
