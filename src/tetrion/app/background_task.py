"""Background threads: one-time tasks, and waiting while the window draws, so that frames are on time on one core."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tetrion.agents.code_consent import CodeConsentError
from tetrion.app.agent_code import AgentLoader
from tetrion.app.crash_log import describe_crash, leave_out_commands
from tetrion.engine.compile_notice import get_compilations
from tetrion.errors import TetrionError

_MAX_WAIT_SECONDS = 0.05
_not_drawing = threading.Event()
_not_drawing.set()


class BackgroundTask(AgentLoader):
    """A thread that runs `run` once; `problem` holds the error message if it failed."""

    def __init__(self) -> None:
        self.problem = ""
        self.is_done = False
        self._stop_event = threading.Event()
        self._thread = threading.Thread(target=self._run_thread, name=f"tetrion-{type(self).__name__}", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Ask the thread to end soon, without waiting for it."""
        self._stop_event.set()

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
