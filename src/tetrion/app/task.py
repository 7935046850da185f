"""Something that takes a while, done once beside the window."""

import threading

from tetrion.app.problems import keep_problem
from tetrion.app.readiness import engine
from tetrion.errors import TetrionError


class Task:
    """A thread that does something once; what went wrong is a text in `problem`."""

    def __init__(self) -> None:
        self.problem, self.done = "", False
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name=f"tetrion-{type(self).__name__}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End it soon; nobody waits for it."""
        self._stopped.set()

    @property
    def preparing(self) -> bool:
        """Whether it waits for a part of the engine that is being compiled."""
        return engine().compiles and not self.done

    def work(self) -> None:
        """What is to be done."""

    def _work(self) -> None:
        try:
            self.work()
        except TetrionError as mistake:
            self.problem = str(mistake)
        except Exception as problem:  # whatever a file or an agent holds, the window goes on
            self.problem = f"This has failed: {problem!r}. Details are in {keep_problem(problem)}."
        finally:
            self.done = True
