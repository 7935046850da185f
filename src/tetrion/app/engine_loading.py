"""Loading and compiling the engine in the background, so that the menu appears at once."""

import threading
from functools import cache
from typing import Any

from numba.core import event

from tetrion.app.crash_log import log_crash
from tetrion.game import Game

LOADING_ENGINE = "Loading the engine."
COMPILING_SHORT = "Compiling the engine."  # for narrow panels
COMPILING_ENGINE = "Compiling the engine for this machine (about a minute, first use only)."


class CompileListener(event.Listener):  # type: ignore[misc]
    """Counts the compilations under way in all threads; every thread that needs the compiler waits for them."""

    def __init__(self) -> None:
        self.active_count = 0

    def on_start(self, event: Any) -> None:
        """Count a compilation that starts."""
        self.active_count += 1

    def on_end(self, event: Any) -> None:
        """Count a compilation that ends."""
        self.active_count -= 1


class EngineLoader:
    """Loads the engine in a thread; `problem` holds the error message if that failed."""

    def __init__(self) -> None:
        self.is_ready = False
        self.problem = ""
        self._compile_listener = CompileListener()
        event.register("numba:compile", self._compile_listener)
        self._thread = threading.Thread(target=self._load, name="tetrion-load-engine", daemon=True)
        self._thread.start()

    @property
    def is_compiling(self) -> bool:
        """Whether a part of the engine is being compiled."""
        return self._compile_listener.active_count > 0

    @property
    def status_text(self) -> str:
        """A sentence for the window that gives the reason for waiting."""
        return COMPILING_ENGINE if self.is_compiling else LOADING_ENGINE

    def wait(self) -> None:
        """Block until the engine is loaded or has failed to load."""
        self._thread.join()

    def _load(self) -> None:
        try:
            game = Game("medico")
            game.position.find_keys(game.placements()[0])
            game.place(game.placements()[0])
            game.press("left")
            game.tick(1)
            self.is_ready = True
        except Exception as error:  # the window shows the message
            self.problem = f"The engine cannot be loaded: {error!r}. Details are in {log_crash(error)}."


@cache
def get_engine_loader() -> EngineLoader:
    """Return the engine loader of this process; the first call starts it."""
    return EngineLoader()
