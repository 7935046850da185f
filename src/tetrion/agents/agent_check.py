"""A check of your own agent: it plays a few short games, and the first mistake is explained."""

import warnings
from collections.abc import Callable
from pathlib import Path

from tetrion.agents.agent import Agent, Chooser, Decision, choose_rules
from tetrion.agents.agent_loading import as_agent
from tetrion.agents.python_agent.agent_process import DEFAULT_DEADLINE
from tetrion.agents.python_agent.class_loader import ObjectAgent, create_instance, make_agent
from tetrion.agents.stepped_game import DecisionEvent, step_game
from tetrion.board import Placement
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, RulesError, describe_value
from tetrion.game import Game

_CHECKED_PIECES = 30
_LOW_HEIGHT = 6  # rows, so that the check also sees the end of a game
_OWN_CLASS_HINT = "Define a class with the method choose(self, position), or pass an agent, its name or its file."


def check_agent(agent: Agent | Chooser | type | str | Path, rules: Rules | str | None = None) -> None:
    """Check that an agent can play: its members, its choices in short games, and that a game can be repeated.

    `agent` is your class (as in `check_agent(MyAgent)`), an instance of it, an agent, or anything that `load_agent`
    accepts; `rules` are those to play under (default: the rules that the agent was made for). An `AgentError` describes
    the first mistake. A warning is shown if the agent plays differently when a game is repeated, or if it is so slow
    that it would exceed the default deadline.

    >>> import tetrion
    >>> class Leftmost:
    ...     def choose(self, position):
    ...         return min(position.placements(), key=lambda placement: placement.column)
    >>> tetrion.check_agent(Leftmost)
    """
    start_agent = make_factory(agent)
    checked_agent = start_agent()
    check_members(checked_agent)
    chosen_rules = choose_rules([checked_agent], rules)
    checked_agent.check_rules(chosen_rules)
    decisions = play_short_game(checked_agent, chosen_rules)
    low_rules = chosen_rules.replace(height=_LOW_HEIGHT)
    play_short_game(start_agent(), low_rules)
    check_speed(checked_agent, decisions)
    check_repetition(checked_agent, decisions, play_short_game(start_agent(), chosen_rules))


def make_factory(agent: Agent | Chooser | type | str | Path) -> Callable[[], Agent]:
    """Return a function that returns the agent; every call creates a new instance of a class."""
    if isinstance(agent, type):
        if callable(getattr(agent, "start_player", None)):
            return lambda: as_agent(create_instance(agent))
        if not callable(getattr(agent, "choose", None)):
            raise AgentError(f"The class {agent.__name__} has no method choose. {_OWN_CLASS_HINT}")
        return lambda: as_agent(make_agent(agent))
    return lambda: as_agent(agent)


def check_members(agent: Agent) -> None:
    """Raise an `AgentError` if the name or the rules of an agent are invalid."""
    if not isinstance(agent.name, str) or not agent.name:
        raise AgentError(f"name must be a string that is not empty; given {describe_value(agent.name)}.")
    if not isinstance(agent.rules, str):
        raise AgentError(
            f'rules must be a string such as "nes", or empty for any rules; given {describe_value(agent.rules)}.'
        )
    try:
        choose_rules([agent])
    except RulesError as error:
        raise AgentError(f"rules must name a rule set, or be empty for any rules: {error}") from None


def play_short_game(agent: Agent, rules: Rules) -> list[Decision]:
    """Play some pieces of a game and return the decisions; illegal choices raise an error."""
    game = Game(rules)
    decisions = list[Decision]()
    with agent.start_player() as player:
        for event in step_game(player, game, _CHECKED_PIECES):
            if isinstance(event, DecisionEvent):
                check_position_was_kept(agent, event.decision, game)
                decisions.append(event.decision)
    return decisions


def check_position_was_kept(agent: Agent, decision: Decision, game: Game) -> None:
    """Raise an `AgentError` if the game has changed while the agent was deciding."""
    if decision.position != game.position:
        raise AgentError(f"{agent.name} changed the game while it was deciding. Only read the position in choose.")


def check_speed(agent: Agent, decisions: list[Decision]) -> None:
    """Warn if a move took longer than the default deadline of Python agents."""
    slowest = max((decision.seconds for decision in decisions), default=0.0)
    if slowest > DEFAULT_DEADLINE:
        warnings.warn(
            f"{agent.name} took up to {slowest:.1f} seconds for a move. On the command line, the deadline is "
            f"{DEFAULT_DEADLINE:g} seconds: raise it with file.py:Class:deadline={2 * slowest:.0f}.",
            stacklevel=3,
        )


def check_repetition(agent: Agent, first_decisions: list[Decision], second_decisions: list[Decision]) -> None:
    """Warn if the same game was played differently."""
    first, second = list_placements(first_decisions), list_placements(second_decisions)
    if first != second:
        number = next((index for index, pair in enumerate(zip(first, second, strict=False)) if pair[0] != pair[1]), 0)
        hint = "state that is kept from game to game" if isinstance(agent, ObjectAgent) else "a random generator"
        warnings.warn(
            f"{agent.name} played the same game differently from move {number + 1} on. Results will not be "
            f"reproducible: look for {hint}, and seed your own random generators.",
            stacklevel=3,
        )


def list_placements(decisions: list[Decision]) -> list[Placement | None]:
    """Return the placement of each decision."""
    return [decision.placement for decision in decisions]
