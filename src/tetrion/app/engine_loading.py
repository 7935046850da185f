"""The engine, loaded or compiled beside the window, so that the menu is there at once."""

import threading
from functools import cache
from typing import Any

from numba.core import event

from tetrion.app.crash_log import log_crash
from tetrion.game import Game

LOADING_ENGINE = "Loading the engine."
COMPILING_SHORT = "Preparing the engine for it."  # where there is little room
COMPILING_ENGINE = "Preparing the engine, once after installing. About a minute."


class CompileListener(event.Listener):  # type: ignore[misc]
    """Knows whether anything is being compiled, in whichever thread: whoever needs another part waits for it too."""

    def __init__(self) -> None:
        self.active_count = 0

    def on_start(self, started: Any) -> None:
        """A function is begun."""
        self.active_count += 1

    def on_end(self, ended: Any) -> None:
        """A function is done."""
        self.active_count -= 1


class EngineLoader:
    """Whether games can be played without waiting; `problem` is what has gone wrong for good."""

    def __init__(self) -> None:
        self.is_ready = False
        self.problem = ""
        self._compile_listener = CompileListener()
        event.register("numba:compile", self._compile_listener)
        self._thread = threading.Thread(target=self._load, name="tetrion-prepares", daemon=True)
        self._thread.start()

    @property
    def is_compiling(self) -> bool:
        """Whether a part of the engine is being compiled just now."""
        return self._compile_listener.active_count > 0

    @property
    def status_text(self) -> str:
        """Why one waits."""
        return COMPILING_ENGINE if self.is_compiling else LOADING_ENGINE

    def wait(self) -> None:
        """Wait until it is settled, where nobody looks at a window."""
        self._thread.join()

    def _load(self) -> None:
        try:
            game = Game("medico")
            game.position.find_keys(game.placements()[0])
            game.place(game.placements()[0])
            game.press("left")
            game.tick(1)
            self.is_ready = True
        except Exception as problem:  # whatever it is, the window must say so
            self.problem = f"The engine cannot be loaded: {problem!r}. Details are in {log_crash(problem)}."


@cache
def get_engine_loader() -> EngineLoader:
    """The engine of this process, which begins to load when it is first asked for."""
    return EngineLoader()
