"""Something that takes a while, done once beside the window."""

import threading

from tetrion.app.crash_log import log_crash
from tetrion.app.engine_loading import get_engine_loader
from tetrion.errors import TetrionError


class BackgroundTask:
    """A thread that does something once; what went wrong is a text in `problem`."""

    def __init__(self) -> None:
        self.problem = ""
        self.is_done = False
        self._stop_event = threading.Event()
        self._thread = threading.Thread(target=self._run_thread, name=f"tetrion-{type(self).__name__}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End it soon; nobody waits for it."""
        self._stop_event.set()

    @property
    def is_compiling(self) -> bool:
        """Whether it waits for a part of the engine that is being compiled."""
        return get_engine_loader().is_compiling and not self.is_done

    def run(self) -> None:
        """What is to be done."""

    def _run_thread(self) -> None:
        try:
            self.run()
        except TetrionError as mistake:
            self.problem = str(mistake)
        except Exception as problem:  # whatever a file or an agent holds, the window goes on
            self.problem = f"This has failed: {problem!r}. Details are in {log_crash(problem)}."
        finally:
            self.is_done = True
