"""Loading and compiling the engine in the background, so that the menu appears at once.

The engine is loaded in parts, those that the next screen needs first. On the first use after an installation, a second
process compiles what agents need, while this process compiles what people need.
"""

import atexit
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import closing, suppress
from functools import cache
from typing import Any, NamedTuple

from tetrion.agents import AGENTS, load_agent
from tetrion.agents.agent import choose_rules
from tetrion.app.background_task import log_crash
from tetrion.app.window_settings import load_settings
from tetrion.board import Board
from tetrion.engine.batch_play import play_with_lookahead
from tetrion.engine.compile_notice import describe_time_left, get_compilations
from tetrion.engine.compiler import CompiledFunction, plan_compilation
from tetrion.engine.key_paths import find_keys
from tetrion.engine.pieces import PIECES
from tetrion.engine.placing import list_placements, place_piece
from tetrion.engine.real_time import perform_action, prepare_next_piece
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.position import Position

DEMO_AGENT = "medico"
_SECONDS_FOR_AGENT = 3.0  # in which the agent of a screen that has just opened loads what it needs, before other parts
_COMPILE_PROGRAM = "from tetrion.app.engine_loading import compile_for_agents; compile_for_agents()"
_other_processes: list[subprocess.Popen[bytes]] = []


class EnginePart(NamedTuple):
    """A part of the engine: a call that loads it, and the compiled function that this call needs."""

    load: Callable[[], object]
    function: CompiledFunction[Any, Any]


ENGINE_PARTS = {
    "pieces": EnginePart(lambda: Game(DEMO_AGENT), prepare_next_piece),
    "movement": EnginePart(lambda: Game(DEMO_AGENT).tick(1), perform_action),
    "placements": EnginePart(lambda: Game(DEMO_AGENT).placements(), list_placements),
    "locking": EnginePart(lambda: Game(DEMO_AGENT).place(Game(DEMO_AGENT).placements()[0]), place_piece),
    "key paths": EnginePart(lambda: Game(DEMO_AGENT).position.find_keys(Game(DEMO_AGENT).placements()[0]), find_keys),
}
_SCREEN_PARTS = {  # other screens need all parts
    "settings": (),
    "play": ("pieces", "movement"),
    "watch": ("pieces", "placements", "locking", "key paths"),
}


def get_screen_parts(screen: str) -> tuple[str, ...]:
    """Return the parts of the engine that a screen needs before it opens."""
    return _SCREEN_PARTS.get(screen, tuple(ENGINE_PARTS))


def compile_for_agents() -> None:
    """Compile what the agents of the menu and of the Watch screen need: let each decide and explain one move."""
    settings, _ = load_settings()
    for name, given_rules in ((settings.watch_agent, settings.watch_rules), (DEMO_AGENT, "")):
        if name not in AGENTS:  # it may be a program, which must not run unasked
            continue
        with suppress(TetrionError):
            agent = load_agent(name)
            rules = choose_rules([agent], given_rules)
            position = Position.from_board(Board(rows=rules.height), PIECES[0], PIECES[1 : 1 + rules.preview], rules)
            with closing(agent.start_player()) as player:
                player.decide(position, explained_count=1)


def describe_compilation() -> str:
    """Return a sentence for the window: what is being compiled and the time left, or that the engine is loaded."""
    time_left = describe_time_left()
    return f"Compiling the engine, first use only: {time_left}." if time_left else "Loading the engine."


def describe_compilation_briefly() -> str:
    """Return the time left of a compilation for a narrow panel."""
    return f"Compiling: {describe_time_left() or 'a moment left'}."


class EngineLoader:
    """Loads the engine in a thread; `problem` holds the error message if that failed."""

    def __init__(self) -> None:
        self.problem = ""
        self.loaded_parts: set[str] = set()
        self._wanted_parts: tuple[str, ...] = ()
        self._shown_shares: dict[str, float] = {}  # by screen
        self._thread = threading.Thread(target=self._load, name="tetrion-load-engine", daemon=True)
        self._thread.start()

    def is_ready_for(self, screen: str) -> bool:
        """Return whether the parts that a screen needs are loaded; the menu needs all."""
        return self.loaded_parts.issuperset(get_screen_parts(screen))

    def load_first_for(self, screen: str) -> None:
        """Load the parts that a screen needs before all others."""
        self._wanted_parts = get_screen_parts(screen)
        self._plan_compilation(self._wanted_parts)

    def compute_share(self, screen: str) -> float:
        """Return the estimated share of the work for a screen that is done, from 0 to 1; it never decreases.

        A part counts by the time of its compilation, whose estimate may change.
        """
        shares = {compilation.name: compilation.share for compilation in get_compilations()}
        parts = get_screen_parts(screen)
        functions = {part: ENGINE_PARTS[part].function for part in parts}
        total = sum(function.compile_seconds for function in functions.values())
        done = sum(
            function.compile_seconds * (1.0 if part in self.loaded_parts else shares.get(function.name, 0.0))
            for part, function in functions.items()
        )
        share = max(self._shown_shares.get(screen, 0.0), done / max(total, 1))
        self._shown_shares[screen] = share
        return share

    def wait(self) -> None:
        """Block until the engine is loaded or has failed to load."""
        self._thread.join()

    def _plan_compilation(self, parts: Iterable[str]) -> None:
        """Announce the time for the parts that are not loaded."""
        plan_compilation(ENGINE_PARTS[part].function for part in parts if part not in self.loaded_parts)

    def _load(self) -> None:
        try:
            compile_agents_in_other_process()
            self._plan_compilation(ENGINE_PARTS)
            while missing := [part for part in (*self._wanted_parts, *ENGINE_PARTS) if part not in self.loaded_parts]:
                if self._wanted_parts and missing[0] not in self._wanted_parts:
                    self._wanted_parts = ()
                    time.sleep(_SECONDS_FOR_AGENT)
                ENGINE_PARTS[missing[0]].load()
                self.loaded_parts.add(missing[0])
        except Exception as error:  # the window shows the message
            self.problem = f"The engine cannot be loaded: {error!r}. Details are in {log_crash(error)}."


def compile_agents_in_other_process() -> None:
    """Start a process that compiles what agents need, unless that is done or there is only one processor core.

    The first thread that needs the result waits for that process.
    """
    is_standalone_program = getattr(sys, "frozen", False)  # it contains no Python interpreter to start
    if play_with_lookahead.is_cached or is_standalone_program or (os.cpu_count() or 1) < 2:
        return
    command = [sys.executable, "-P", "-c", _COMPILE_PROGRAM]
    _other_processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL))


@atexit.register
def stop_other_process() -> None:
    """End the process that compiles what agents need, if it is still running."""
    for process in _other_processes:
        process.kill()


@cache
def get_engine_loader() -> EngineLoader:
    """Return the engine loader of this process; the first call starts it."""
    return EngineLoader()
