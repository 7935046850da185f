"""What an agent is: a name, the rules it was made for, and players for its games."""

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from tetrion.agents.player import Player
from tetrion.board import Placement
from tetrion.engine.batch_play import EngineSettings
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, DifferentRulesError
from tetrion.position import Position, parse_rules

DEFAULT_RULES = "standard"


@runtime_checkable
class Agent(Protocol):
    """Anything that plays Tetris: weights, a Python class, random keys, a network, an external program.

    A new kind of agent is one class with these members; every command, the window and `tetrion.evaluate` accept it.
    """

    @property
    def name(self) -> str:
        """The name in results, replays and the window."""

    @property
    def rules(self) -> str:
        """The rules that the agent was made for, such as "nes" or "standard:preview=1"; empty if it has none."""

    def check_rules(self, rules: Rules) -> None:
        """Raise an `AgentError` if the agent cannot play under these rules."""

    def start_player(self) -> Player:
        """Return a player, which plays one game after another until it is closed."""


@runtime_checkable
class CompiledAgent(Agent, Protocol):
    """An agent that consists of data only, so that the compiled engine plays its games."""

    def get_engine_settings(self, rules: Rules) -> EngineSettings:
        """Return the settings with which the engine plays the agent under these rules."""

    def raise_feature_errors(self) -> None:
        """Raise an error that a custom feature reported while the engine was running."""


class Chooser(Protocol):
    """An object that chooses placements, such as an instance of your own class."""

    def choose(self, position: Position) -> Placement:
        """Return one of the position's placements."""


def choose_rules(agents: Sequence[Agent], given: Rules | str | None = None) -> Rules:
    """Return the given rules, else the rules that all the agents were made for, else `DEFAULT_RULES`."""
    if given:
        return parse_rules(given)
    made_for = {agent.name: parse_rules(agent.rules) for agent in agents if agent.rules}
    first = next(iter(made_for.values()), parse_rules(DEFAULT_RULES))
    if any(rules != first for rules in made_for.values()):
        listing = ", ".join(f"{name} for {rules}" for name, rules in made_for.items())
        shared = next((rules for rules in made_for.values() if all(can_play(agent, rules) for agent in agents)), None)
        remedy = "Give `rules` that all of them can play."
        if shared:
            remedy = f"Choose the rules for all of them, for example `rules='{shared}'`."
        raise DifferentRulesError(f"The agents were made for different rules: {listing}. {remedy}")
    return first


def can_play(agent: Agent, rules: Rules) -> bool:
    """Return whether an agent can play under these rules."""
    try:
        agent.check_rules(rules)
    except AgentError:
        return False
    return True


def as_compiled_agent(agent: Agent) -> CompiledAgent | None:
    """Return the agent if the compiled engine can play it, else None."""
    return agent if isinstance(agent, CompiledAgent) else None
