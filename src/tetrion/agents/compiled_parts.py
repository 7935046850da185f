"""Which parts of the engine games need, declared before they begin, so that one notice announces their compilation."""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from tetrion.agents.agent import Agent
from tetrion.agents.weighted_agent import as_weighted_agent, get_agent_settings
from tetrion.engine.batch_play import (
    EngineSettings,
    get_record_type,
    play_full_games,
    play_with_lookahead,
    select_fastest_play,
)
from tetrion.engine.compiler import CompiledFunction, plan_compilation
from tetrion.engine.lookahead import evaluate_placements
from tetrion.engine.placing import list_placements, place_piece
from tetrion.engine.real_time import perform_action, prepare_next_piece
from tetrion.engine.records import FullGameRecord
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError

Parts = Iterator[CompiledFunction[Any, Any]]
GAME_PARTS = (prepare_next_piece, list_placements, place_piece)


def plan_bulk_games(agents: Iterable[Agent], rules: Rules) -> None:
    """Declare what agents need to play whole games in the compiled engine, or if they cannot, one piece at a time."""
    with suppress(TetrionError):  # the games report what agents cannot play
        plan_compilation(part for agent in agents for part in find_bulk_parts(agent, rules))


def plan_stepped_games(agents: Iterable[Agent], rules: Rules, *, explained: bool = False) -> None:
    """Declare what agents need to play one piece at a time, and to explain their choices."""
    with suppress(TetrionError):
        choice_parts = [part for agent in agents for part in find_choice_parts(agent, rules, explained)]
        plan_compilation([*GAME_PARTS, *choice_parts])


def find_bulk_parts(agent: Agent, rules: Rules) -> Parts:
    """Yield the parts that play whole games of an agent."""
    if weighted_agent := as_weighted_agent(agent):
        yield find_play(get_agent_settings(weighted_agent, rules))
    else:
        yield from (*GAME_PARTS, perform_action)


def find_choice_parts(agent: Agent, rules: Rules, explained: bool = False) -> Parts:
    """Yield the parts that choose one placement, and if wanted explain it."""
    weighted_agent = as_weighted_agent(agent)
    if weighted_agent is None:
        return
    settings = get_agent_settings(weighted_agent, rules)
    yield find_play(settings)
    if explained:
        yield evaluate_placements
        if settings.agents[0].attack_mask:
            yield play_full_games
        elif (settings.agents["depth"] > 1).any() or settings.agents["expect"].any():
            yield play_with_lookahead


def find_play(settings: EngineSettings) -> CompiledFunction[Any, Any]:
    """Return the function that plays these settings."""
    play: Any = play_full_games if get_record_type(settings) is FullGameRecord else select_fastest_play(settings)
    function: CompiledFunction[Any, Any] = play
    return function
