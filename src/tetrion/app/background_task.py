"""Background threads, and messages about their errors with a crash log."""

import re
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from tetrion.agents.code_consent import CodeConsentError
from tetrion.engine.compile_notice import get_compilations
from tetrion.errors import TetrionError
from tetrion.user_folders import get_data_folder

_CRASH_LOG_FILE = "problems.txt"
_MAX_CRASH_LOG_BYTES = 1_000_000  # a longer file is overwritten
_MAX_ENTRY_LENGTH = 20_000  # characters; an error may contain the content of a file
_SENTENCE_BREAK = re.compile(r"(?<=[.?!]) (?=[A-Z`])")
_MAX_WAIT_SECONDS = 0.05
_not_drawing = threading.Event()
_not_drawing.set()


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


_unfinished_tasks = set["BackgroundTask"]()  # those that must finish


class BackgroundTask:
    """A thread that runs `run` once; `problem` holds the error message if it failed."""

    must_finish = False  # whether the program ends only after the task, which saves a file

    def __init__(self) -> None:
        self.problem = ""
        self.code_file: Path | None = None  # Python code that `run` needs and that the user has not allowed
        self.is_done = False
        self._stop_event = threading.Event()
        self._thread = threading.Thread(
            target=self._run_thread, name=f"tetrion-{type(self).__name__}", daemon=not self.must_finish
        )

    def start(self) -> None:
        """Start the thread."""
        if self.must_finish:
            _unfinished_tasks.add(self)
        self._thread.start()

    def stop(self) -> None:
        """Ask the thread to end soon, without waiting for it."""
        self._stop_event.set()

    def take_code_file(self) -> Path | None:
        """Return the Python file that the user must allow before the task can run, once; None without one."""
        path, self.code_file = self.code_file, None
        return path

    @property
    def is_compiling(self) -> bool:
        """Whether the engine is being compiled while the task runs."""
        return bool(get_compilations()) and not self.is_done

    def run(self) -> None:
        """Do the work of the task; subclasses override this."""

    def _run_thread(self) -> None:
        try:
            self.run()
        except TetrionError as error:
            self.code_file = error.path if isinstance(error, CodeConsentError) else None
            self.problem = leave_out_commands(str(error))
        except Exception as error:  # no file and no agent may crash the window
            self.problem = describe_crash(error)
        finally:
            self.is_done = True
            _unfinished_tasks.discard(self)


def wait_for_unfinished_tasks() -> None:
    """Wait for the tasks that must finish before the program ends."""
    for task in tuple(_unfinished_tasks):
        task._thread.join()


@contextmanager
def draw_with_priority() -> Iterator[None]:
    """Make background threads that call `wait_while_drawing` wait inside this context."""
    _not_drawing.clear()
    try:
        yield
    finally:
        _not_drawing.set()


def wait_while_drawing() -> None:
    """Block while the window draws, at most 0.05 seconds."""
    _not_drawing.wait(_MAX_WAIT_SECONDS)


def is_drawing() -> bool:
    """Return whether the window draws at this moment."""
    return not _not_drawing.is_set()
