"""A game graded: every placement of a replay beside what an agent thinks best."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from tetrion.agents import WeightedAgent, named_agents
from tetrion.agents.explanation import PositionAnalyser, Variation
from tetrion.board import Placement
from tetrion.engine.lookahead import SURVIVAL_BONUS, decode_placement
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, ReplayError
from tetrion.evaluation.number_format import format_number
from tetrion.evaluation.replay_steps import ReplayStep, iterate_steps
from tetrion.position import Position
from tetrion.replay import Replay

VERDICT_LISTED = "listed"
VERDICT_ADDED = "added"
VERDICT_ENDS_GAME = "ends"
VERDICT_NOT_SCORED = "unweighed"
VERDICT_DESCRIPTIONS = {  # how a placement that was made stands to those that the agent weighs
    VERDICT_LISTED: "one of the agent's placements",
    VERDICT_ADDED: "not among the agent's placements, weighed beside them",
    VERDICT_ENDS_GAME: "the game may end there, and need not elsewhere",
    VERDICT_NOT_SCORED: "not among the agent's placements, so its points are not known",
}
SIMILARITY_PHRASES = (  # the least share of best moves, and what it is called
    (1.0, "plays as {agent} does"),
    (0.9, "plays nearly as {agent} does"),
    (0.6, "often plays as {agent} does"),
    (0.3, "sometimes plays as {agent} does"),
    (0.0, "seldom plays as {agent} does"),
)
DEFAULT_GRADER = "dellacherie"
SMALL_POINTS = 0.01  # points below which digits are counted from the first one


@dataclass(frozen=True)
class GradedMove:
    """A placement and its grade.

    `lost` are the points, in the agent's own score, by which the best placement is better: 0 for the best and its
    equals, None where the placement has no such score, which `standing` explains: it is one of `STANDINGS`. `best` is
    None where the agent has no placement at all. `rank` counts from 1, and equals share it; `placements` is how many
    were compared. `mode` is the agent's, if it has modes.
    """

    number: int
    position: Position
    placement: Placement
    best_placement: Placement | None
    points_lost: float | None
    rank: int | None
    placement_count: int
    verdict: str
    mode: str

    @property
    def is_best(self) -> bool:
        """Whether nothing is better in the agent's eyes."""
        return self.points_lost == 0

    @property
    def cost(self) -> tuple[bool, float]:
        """What moves are ordered by, the costliest last: those that may end the game cost most."""
        return self.verdict == VERDICT_ENDS_GAME, self.points_lost or 0.0


@dataclass(frozen=True)
class Review:
    """A replay's moves, or its first ones, graded by an agent."""

    agent: str
    replay: Replay
    moves: tuple[GradedMove, ...]

    @property
    def scored_moves(self) -> list[GradedMove]:
        """The moves whose points are known."""
        return [move for move in self.moves if move.points_lost is not None]

    @property
    def mean_points_lost(self) -> float | None:
        """Points lost a move, where they are known."""
        lost = [move.points_lost for move in self.moves if move.points_lost is not None]
        return sum(lost) / len(lost) if lost else None

    @property
    def best_move_share(self) -> float | None:
        """The share of all moves that are as good as the best."""
        return sum(move.is_best for move in self.moves) / len(self.moves) if self.moves else None

    @property
    def description(self) -> str:
        """How similar to the agent the player is."""
        if self.best_move_share is None:
            return "no move to grade"
        return next(told for least, told in SIMILARITY_PHRASES if self.best_move_share >= least).format(
            agent=self.agent
        )

    def get_costliest_moves(self, count: int = 5) -> list[GradedMove]:
        """The moves that cost most, the costliest first; those that cost nothing are none of them."""
        costly = [move for move in self.moves if move.cost > (False, 0.0)]
        return sorted(costly, key=lambda move: (move.cost, -move.number), reverse=True)[:count]


def review_replay(replay: Replay, agent: WeightedAgent) -> Review:
    """All moves of a replay, graded by an agent made of numbers."""
    return Review(agent.name, replay, tuple(grade_moves(replay, agent)))


def grade_moves(replay: Replay, agent: WeightedAgent) -> Iterator[GradedMove]:
    """The same one after another, for whoever shows them as they come and may stop."""
    if not isinstance(replay, Replay):
        raise ReplayError(f"A review is of a Replay, as from Replay.load; given {replay!r}.")
    if not isinstance(agent, WeightedAgent):
        raise AgentError(f"Only an agent made of numbers can grade moves, such as {DEFAULT_GRADER}; given {agent!r}.")
    if agent.depth > replay.rules.preview + 1:
        raise AgentError(
            f"{agent.name} looks at {agent.depth} pieces, and the rules of this game show {replay.rules.preview + 1}. "
            f"Review it with an agent that looks at fewer, such as {DEFAULT_GRADER}."
        )
    return (grade_move(step, agent) for step in iterate_steps(replay))


def choose_grader(rules: Rules) -> str:
    """The name of the agent that grades games by these rules: the one made for them, or a general one."""
    made = [
        agent for agent in named_agents().values() if isinstance(agent, WeightedAgent) and agent.family != "baselines"
    ]
    fitting = [
        agent for agent in made if Rules.parse(agent.rules).name == rules.name and agent.depth <= rules.preview + 1
    ]
    return max(fitting, key=lambda agent: (agent.name == rules.name, agent.depth)).name if fitting else DEFAULT_GRADER


class ScoredPosition(NamedTuple):
    """What an agent thinks of a position: the lines of its placements, the best one first, and all placements.

    Those that end the game have a line only if all do.
    """

    variations: dict[Placement, Variation]
    placements: list[Placement]
    scale: float  # of the lines' worths to points

    @classmethod
    def from_position(cls, agent: WeightedAgent, position: Position) -> "ScoredPosition":
        """Weigh everything."""
        thinker = PositionAnalyser(agent, position)
        lines = {
            position.make_placement(*decode_placement(line.encoded_placements[0])): line
            for line in thinker.find_variations()
        }
        return cls(lines, position.placements(), thinker.scale * (len(PIECES) if agent.expect else 1))


def format_points(points: float) -> str:
    """Points of an agent's score, whose unit may be anything."""
    if 0 < abs(points) < SMALL_POINTS:
        return f"{points:.2g}"
    return format_number(points, 0 if points == round(points) else 1 if abs(points) >= 1 else None)


def grade_move(step: ReplayStep, agent: WeightedAgent) -> GradedMove:
    """A move of a replay, graded by an agent."""
    position, made = step.before, step.placement
    own = ScoredPosition.from_position(agent, position)
    lines = dict(own.variations)
    standing = VERDICT_LISTED
    count = len(own.placements)
    if made not in own.placements:  # a person's keys do more than the movement of some rules, such as a tuck
        wide = ScoredPosition.from_position(agent, replace(position, rules=position.rules.with_(movement="reach")))
        standing = (
            VERDICT_ADDED
            if made in wide.variations
            else VERDICT_ENDS_GAME
            if made in wide.placements and lines
            else VERDICT_NOT_SCORED
        )
        lines |= {made: wide.variations[made]} if made in wide.variations else {}
        count += 1
    elif made not in lines:
        standing = VERDICT_NOT_SCORED if agent.beam else VERDICT_ENDS_GAME
    agent.raise_feature_errors()
    best = max(lines, key=lambda placement: get_variation_order(lines[placement])) if lines else None
    lost, rank = None, None
    if best is not None and made in lines:
        rank = 1 + sum(get_variation_order(line) > get_variation_order(lines[made]) for line in lines.values())
        if get_survival_order(lines[best]) == get_survival_order(lines[made]):
            lost = (lines[best].engine_score - lines[made].engine_score) / own.scale
        else:
            standing = VERDICT_ENDS_GAME
    return GradedMove(step.number, position, made, best, lost, rank, count, standing, agent.get_mode_name(position))


def get_variation_order(line: Variation) -> tuple[bool, int]:
    """What lines are compared by."""
    return line.survives, line.engine_score


def get_survival_order(line: Variation) -> tuple[bool, int]:
    """How long a line survives: only between lines that survive as long do points mean anything."""
    return line.survives, (line.engine_score + SURVIVAL_BONUS // 2) // SURVIVAL_BONUS
