"""The engine, loaded or compiled beside the window, so that the menu is there at once."""

import threading
from functools import cache
from typing import Any

from numba.core import event

from tetrion.app.problems import keep_problem
from tetrion.game import Game

LOADING = "Loading the engine."
PREPARING_FOR_IT = "Preparing the engine for it."  # where there is little room
PREPARING = "Preparing the engine, once after installing. About a minute."


class Compiling(event.Listener):  # type: ignore[misc]
    """Knows whether anything is being compiled, in whichever thread: whoever needs another part waits for it too."""

    def __init__(self) -> None:
        self.parts = 0

    def on_start(self, started: Any) -> None:
        """A function is begun."""
        self.parts += 1

    def on_end(self, ended: Any) -> None:
        """A function is done."""
        self.parts -= 1


class Readiness:
    """Whether games can be played without waiting; `problem` is what has gone wrong for good."""

    def __init__(self) -> None:
        self.ready, self.problem = False, ""
        self._compiling = Compiling()
        event.register("numba:compile", self._compiling)
        self._thread = threading.Thread(target=self._work, name="tetrion-prepares", daemon=True)
        self._thread.start()

    @property
    def compiles(self) -> bool:
        """Whether a part of the engine is being compiled just now."""
        return self._compiling.parts > 0

    @property
    def words(self) -> str:
        """Why one waits."""
        return PREPARING if self.compiles else LOADING

    def wait(self) -> None:
        """Wait until it is settled, where nobody looks at a window."""
        self._thread.join()

    def _work(self) -> None:
        try:
            game = Game("medico")
            game.position.keys(game.placements()[0])
            game.place(game.placements()[0])
            game.press("left")
            game.tick(1)
            self.ready = True
        except Exception as problem:  # whatever it is, the window must say so
            self.problem = f"The engine cannot be loaded: {problem!r}. Details are in {keep_problem(problem)}."


@cache
def engine() -> Readiness:
    """The engine of this process, which begins to load when it is first asked for."""
    return Readiness()
