"""Baseline agents, for comparison with others: random placements, and random keys in real time."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from tetrion.agents.agent import Decision, Player
from tetrion.agents.weighted_agent import WeightedAgent
from tetrion.board import Placement
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError
from tetrion.game import Game
from tetrion.position import Position

KEYS_PER_SECOND = 60


@dataclass(frozen=True)
class RandomKeysAgent:
    """An agent that presses random keys, sixty per second, until the game is lost (Gavrilov 2023, section 7.1)."""

    name: str
    source: str = ""
    family: str = ""
    rules: str = ""  # the rules that the agent was designed for
    keys_per_second: int = KEYS_PER_SECOND

    def check_rules(self, rules: Rules) -> None:
        """Do nothing: keys can be pressed under all rules."""

    def start_player(self) -> "RandomKeysPlayer":
        """Return a player; the keys of a game depend only on its seed and number."""
        return RandomKeysPlayer(self)


class RandomKeysPlayer(Player):
    """Presses a random key, then lets the clock run until the next one."""

    def __init__(self, agent: RandomKeysAgent) -> None:
        self.agent = agent
        self.random = Random()

    def begin_game(self, game: Game) -> None:
        """Seed the keys of a game."""
        self.random = Random(f"{game.seed}/{game.number}")

    def choose(self, position: Position) -> Placement:
        """Raise an `AgentError`: random keys have no target."""
        raise AgentError(f"{self.agent.name} presses random keys and does not choose placements.")

    def decide(
        self, position: Position, explained_count: int = 0, on_candidate: Callable[[], None] = lambda: None
    ) -> Decision:
        """Return a decision without a target."""
        return Decision(position, None)

    def play_piece(self, game: Game, decision: Decision) -> Iterator[str]:
        """Press random keys until a piece locks."""
        keys = game.rules.keys
        frames = max(round(game.rules.frames_per_second / self.agent.keys_per_second), 1)
        pieces = game.pieces
        while game.pieces == pieces and not game.is_over:
            key = self.random.choice(keys)
            game.press(key)
            game.tick(frames)
            yield key


BASELINE_AGENTS = (
    WeightedAgent(
        "random",
        {"chance": 1},
        source="TetrAIs 2023, section 6.1: a random placement, always the same one in the same position",
        family="baselines",
        rules="tetrais",
    ),
    RandomKeysAgent(
        "random-keys",
        source="Gavrilov 2023, section 7.1: random keys, until the game is lost",
        family="baselines",
        rules="gavrilov",
    ),
)
