"""The engine made ready beside the window, so that a game's first key finds it compiled."""

import threading

from tetrion.app.problems import keep_problem
from tetrion.game import Game

_ready = threading.Event()


class Readying:
    """Lets a small game be played in a thread; from then on every game of the process answers at once."""

    def __init__(self) -> None:
        self.problem = ""
        self._thread: threading.Thread | None = None
        if not _ready.is_set():
            self._thread = threading.Thread(target=self._work, name="tetrion-readies", daemon=True)
            self._thread.start()

    @property
    def done(self) -> bool:
        """Whether the engine is ready."""
        return _ready.is_set()

    def wait(self, seconds: float) -> None:
        """Wait for it, but no longer."""
        if self._thread:
            self._thread.join(seconds)

    def _work(self) -> None:
        try:
            game = Game("standard-10x10")
            game.hold("down")
            game.release("down")
            game.tick()
            _ready.set()
        except Exception as problem:  # whatever the compiler does, the window goes on
            self.problem = f"The engine cannot be prepared: {problem!r}. Details are in {keep_problem(problem)}."
