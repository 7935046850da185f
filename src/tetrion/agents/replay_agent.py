"""A saved game as an agent that plays it again."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from tetrion.agents.agent import Decision, Player
from tetrion.agents.explanation import Explanation
from tetrion.agents.weighted_agent import SecondMode, WeightedAgent
from tetrion.board import Placement
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, ReplayError
from tetrion.game import Game
from tetrion.notebook_display import make_short_repr
from tetrion.position import Position
from tetrion.replay import Replay

HUMAN_PLAYER_NAME = "human player"


@dataclass(frozen=True)
class ReplayAgent:
    """An agent that repeats a saved game; `explainer` is the agent that explains its placements, if there is one."""

    replay: Replay
    explainer: WeightedAgent | None = None

    @property
    def name(self) -> str:
        """The name of the player whose game was saved."""
        return self.replay.agent or HUMAN_PLAYER_NAME

    @property
    def rules(self) -> str:
        """The rules of the saved game."""
        return str(self.replay.rules)

    @property
    def second_mode(self) -> SecondMode | None:
        """The second mode of the explaining agent."""
        return self.explainer.second_mode if self.explainer else None

    def __repr__(self) -> str:
        explainer = f", explained by {self.explainer.name}" if self.explainer else ""
        return make_short_repr("ReplayAgent", f"{self.name}: {len(self.replay.placements):,} placements{explainer}")

    def check_rules(self, rules: Rules) -> None:
        """Raise an `AgentError` unless these are the rules of the saved game."""
        if rules != self.replay.rules:
            raise AgentError(f"The saved game has the rules {self.replay.rules}; given {rules}. Omit the rules.")

    def start_player(self) -> "ReplayPlayer":
        """Return a player that repeats the actions of the saved game."""
        return ReplayPlayer(self)


class ReplayPlayer(Player):
    """Repeats the placements or keys of a saved game; a `ReplayError` names the first move that differs."""

    def __init__(self, agent: ReplayAgent) -> None:
        self.agent = agent
        self._actions: Iterator[None] = iter(())

    def begin_game(self, game: Game) -> None:
        """Start again with the first action."""
        self._actions = self.agent.replay.play_steps(game)
        next(self._actions)

    def choose(self, position: Position) -> Placement:
        """Return the placement of the saved game."""
        placements = self.agent.replay.placements
        if position.pieces >= len(placements):
            raise ReplayError(f"The saved game has only {len(placements)} moves.")
        return placements[position.pieces]

    def get_mode_name(self, position: Position) -> str:
        """Return the mode of the explaining agent."""
        return self.agent.explainer.get_mode_name(position) if self.agent.explainer else ""

    def explain(
        self, position: Position, max_candidates: int, on_candidate: Callable[[], None] = lambda: None
    ) -> Explanation | None:
        """Return what the explaining agent thinks of the position."""
        explainer = self.agent.explainer
        return explainer.explain(position, max_candidates, on_candidate) if explainer else None

    def decide(
        self, position: Position, explained_count: int = 0, on_candidate: Callable[[], None] = lambda: None
    ) -> Decision:
        """Return the decision of the saved game, which keys may have made in a way that the rules do not list."""
        explanation = self.explain(position, explained_count, on_candidate) if explained_count else None
        return Decision(position, self.choose(position), self.get_mode_name(position), explanation)

    def play_piece(self, game: Game, decision: Decision) -> Iterator[str]:
        """Repeat actions until a piece locks."""
        pieces = game.pieces
        while game.pieces == pieces:
            event_count = len(game.events)
            next(self._actions)
            for _, action, key in game.events[event_count:]:
                if action in ("press", "keydown"):
                    yield key

    def finish(self) -> None:
        """Repeat the actions after the last lock and compare the result."""
        for _ in self._actions:
            pass
