"""Calls that together compile the entry points of the engine that the tests need."""

from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from multiprocessing import get_context
from typing import Any

import numpy as np

from tetrion import Game
from tetrion.agents import load_weighted_agent
from tetrion.engine import batch_play
from tetrion.engine.batch_play import EngineSettings, make_games_for
from tetrion.engine.compile_notice import hide_compile_notice
from tetrion.engine.compiler import CompiledFunction
from tetrion.engine.perft import start_perft
from tetrion.engine.placing import STATUS_OVER
from tetrion.engine.rules import Rules
from tetrion.envs import AfterstatesEnv, KeysEnv, PlacementEnv
from tetrion.training.td_learning import PatternTables, TdSettings

PROCESSES = 2
# Functions that slow tests alone call. Each takes 20 s to compile.
RARE_FUNCTIONS = ("play_with_lookahead_between_heights", "play_with_lookahead_against_adversary")


def call_play_function(name: str) -> None:
    """Call a function of `batch_play` that plays games, but let it play nothing."""
    rules = Rules("guideline" if name == "play_full_games" else "standard")
    settings = EngineSettings.from_agents([({"holes": -1.0}, True)], rules)
    games = make_games_for(settings, 1, 0)
    games["status"] = STATUS_OVER
    getattr(batch_play, name)(games, settings, 1)


def call_game_functions() -> None:
    """Use a game and an explanation in every way that calls the engine."""
    game = Game("medico")
    game.place(game.placements()[0])
    game.press("left")
    game.position.find_keys(game.placements()[0])
    load_weighted_agent("du").explain(game.position)
    Game("standard:randomiser=adversary")
    timed = Game("nes").position
    timed.find_timed_keys(timed.placements()[0])
    steered = Game("gavrilov:movement=steered").position
    steered.find_steered_steps(steered.placements()[0])


def call_placement_environments(rules: str) -> None:
    """Take a step with placements as actions, with every kind of observation."""
    for observation in ("planes", "features"):
        env = PlacementEnv(rules=rules, observation=observation)
        env.reset(seed=0)
        env.step(env.sample_action())
    AfterstatesEnv(rules=rules, observation="dict").reset(seed=0)


def call_key_environment(rules: str) -> None:
    """Take a step with keys as actions."""
    env = KeysEnv(rules=rules)
    env.reset(seed=0)
    env.step(0)


def call_learning_functions() -> None:
    """Update the tables of a pattern once."""
    settings = TdSettings(games=1, pieces=1, patterns=("hole_rows_and_free_rows",))
    for depth in (1, 2):
        changed = replace(settings, depth=depth)
        PatternTables(changed, Rules.parse("standard:preview=1"), 0).learn_on_cpu([1], np.zeros(2, np.int64), 1)


def call_perft() -> None:
    """Count the placements of a piece, with and without spins."""
    for spins in ("none", "t"):
        list(start_perft([0] * 10, "I", Rules("perft").replace(spins=spins)))


def call_modern_functions() -> None:
    """Call the functions of modern games."""
    game = Game("guideline")
    placement = game.placements()[0]
    for key in game.position.find_keys(placement):
        game.press(key)
    game.tick(1)
    game.place(game.placements()[-1])
    game.play("dellacherie", 1)
    load_weighted_agent("modern-1").choose(game.position)


def list_play_functions() -> list[CompiledFunction[Any, Any]]:
    """Return the entry points that play whole games."""
    plays = [
        value for name, value in vars(batch_play).items() if name.startswith("play_") and name not in RARE_FUNCTIONS
    ]
    return [value for value in plays if isinstance(value, CompiledFunction)]


def list_engine_calls() -> list[Callable[[], None]]:
    """Return the calls, longest compilation first, so that processes which share them end at about the same time."""
    entries = sorted(list_play_functions(), key=lambda entry: entry.compile_seconds, reverse=True)
    calls = (call_placement_environments, call_key_environment)
    environments = (partial(call, rules) for rules in ("standard", "guideline") for call in calls)
    return [
        call_learning_functions,
        call_game_functions,
        call_perft,
        call_modern_functions,
        *environments,
        *(partial(call_play_function, entry.dispatcher.__name__) for entry in entries),
    ]


def compile_engine() -> None:
    """Compile the entry points in several processes; errors are left to the tests that call them."""
    if not all(function.is_cached for function in list_play_functions()):
        print("Compiling the engine for the tests (some minutes, first use only).", flush=True)
    with ProcessPoolExecutor(PROCESSES, get_context("spawn"), initializer=hide_compile_notice) as pool:
        for call in list_engine_calls():
            pool.submit(call)
