"""A game graded: every placement of a replay beside what an agent thinks best."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from tetrion.agents import DataAgent, zoo
from tetrion.agents.explain import Line, Thinker
from tetrion.board import Placement
from tetrion.engine.ahead import STEP, parts_of
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, ReplayError
from tetrion.evaluation.moves import Step, steps
from tetrion.evaluation.words import figure
from tetrion.position import Position
from tetrion.replay import Replay

LISTED, ADDED, ENDS, UNWEIGHED = "listed", "added", "ends", "unweighed"
STANDINGS = {  # how a placement that was made stands to those that the agent weighs
    LISTED: "one of the agent's placements",
    ADDED: "not among the agent's placements, weighed beside them",
    ENDS: "the game may end there, and need not elsewhere",
    UNWEIGHED: "not among the agent's placements, so its points are not known",
}
SIMILAR = (  # the least share of best moves, and what it is called
    (1.0, "plays as {agent} does"),
    (0.9, "plays nearly as {agent} does"),
    (0.6, "often plays as {agent} does"),
    (0.3, "sometimes plays as {agent} does"),
    (0.0, "seldom plays as {agent} does"),
)
USUAL = "dellacherie"
SMALL = 0.01  # points below which digits are counted from the first one


@dataclass(frozen=True)
class Move:
    """A placement and its grade.

    `lost` are the points, in the agent's own score, by which the best placement is better: 0 for the best and its
    equals, None where the placement has no such score, which `standing` explains: it is one of `STANDINGS`. `best` is
    None where the agent has no placement at all. `rank` counts from 1, and equals share it; `placements` is how many
    were compared. `mode` is the agent's, if it has modes.
    """

    number: int
    position: Position
    made: Placement
    best: Placement | None
    lost: float | None
    rank: int | None
    placements: int
    standing: str
    mode: str

    @property
    def is_best(self) -> bool:
        """Whether nothing is better in the agent's eyes."""
        return self.lost == 0

    @property
    def cost(self) -> tuple[bool, float]:
        """What moves are ordered by, the costliest last: those that may end the game cost most."""
        return self.standing == ENDS, self.lost or 0.0


@dataclass(frozen=True)
class Review:
    """A replay's moves, or its first ones, graded by an agent."""

    agent: str
    replay: Replay
    moves: tuple[Move, ...]

    @property
    def weighed(self) -> list[Move]:
        """The moves whose points are known."""
        return [move for move in self.moves if move.lost is not None]

    @property
    def mean_lost(self) -> float | None:
        """Points lost a move, where they are known."""
        lost = [move.lost for move in self.moves if move.lost is not None]
        return sum(lost) / len(lost) if lost else None

    @property
    def share_best(self) -> float | None:
        """The share of all moves that are as good as the best."""
        return sum(move.is_best for move in self.moves) / len(self.moves) if self.moves else None

    @property
    def words(self) -> str:
        """How similar to the agent the player is."""
        if self.share_best is None:
            return "no move to grade"
        return next(told for least, told in SIMILAR if self.share_best >= least).format(agent=self.agent)

    def costliest(self, count: int = 5) -> list[Move]:
        """The moves that cost most, the costliest first; those that cost nothing are none of them."""
        costly = [move for move in self.moves if move.cost > (False, 0.0)]
        return sorted(costly, key=lambda move: (move.cost, -move.number), reverse=True)[:count]


def review(replay: Replay, agent: DataAgent) -> Review:
    """All moves of a replay, graded by an agent made of numbers."""
    return Review(agent.name, replay, tuple(graded(replay, agent)))


def graded(replay: Replay, agent: DataAgent) -> Iterator[Move]:
    """The same one after another, for whoever shows them as they come and may stop."""
    if not isinstance(replay, Replay):
        raise ReplayError(f"A review is of a Replay, as from Replay.load; given {replay!r}.")
    if not isinstance(agent, DataAgent):
        raise AgentError(f"Only an agent made of numbers can grade moves, such as {USUAL}; given {agent!r}.")
    if agent.depth > replay.rules.preview + 1:
        raise AgentError(
            f"{agent.name} looks at {agent.depth} pieces, and the rules of this game show {replay.rules.preview + 1}. "
            f"Review it with an agent that looks at fewer, such as {USUAL}."
        )
    return (grade(step, agent) for step in steps(replay))


def usual_agent(rules: Rules) -> str:
    """The name of the agent that grades games by these rules: the one made for them, or a general one."""
    made = [agent for agent in zoo().values() if isinstance(agent, DataAgent) and agent.family != "baselines"]
    fitting = [
        agent for agent in made if Rules.parse(agent.rules).name == rules.name and agent.depth <= rules.preview + 1
    ]
    return max(fitting, key=lambda agent: (agent.name == rules.name, agent.depth)).name if fitting else USUAL


class Opinion(NamedTuple):
    """What an agent thinks of a position: the lines of its placements, the best one first, and all placements.

    Those that end the game have a line only if all do.
    """

    lines: dict[Placement, Line]
    placements: list[Placement]
    scale: float  # of the lines' worths to points

    @classmethod
    def of(cls, agent: DataAgent, position: Position) -> "Opinion":
        """Weigh everything."""
        thinker = Thinker(agent, position)
        lines = {position.placement(*parts_of(line.places[0])): line for line in thinker.lines()}
        return cls(lines, position.placements(), thinker.scale * (len(PIECES) if agent.expect else 1))


def points_words(points: float) -> str:
    """Points of an agent's score, whose unit may be anything."""
    if 0 < abs(points) < SMALL:
        return f"{points:.2g}"
    return figure(points, 0 if points == round(points) else 1 if abs(points) >= 1 else None)


def grade(step: Step, agent: DataAgent) -> Move:
    """A move of a replay, graded by an agent."""
    position, made = step.before, step.placement
    own = Opinion.of(agent, position)
    lines, standing, count = dict(own.lines), LISTED, len(own.placements)
    if made not in own.placements:  # a person's keys do more than the movement of some rules, such as a tuck
        wide = Opinion.of(agent, replace(position, rules=position.rules.with_(movement="reach")))
        standing = ADDED if made in wide.lines else ENDS if made in wide.placements and lines else UNWEIGHED
        lines |= {made: wide.lines[made]} if made in wide.lines else {}
        count += 1
    elif made not in lines:
        standing = UNWEIGHED if agent.beam else ENDS
    agent.check_features()
    best = max(lines, key=lambda placement: worth(lines[placement])) if lines else None
    lost, rank = None, None
    if best is not None and made in lines:
        rank = 1 + sum(worth(line) > worth(lines[made]) for line in lines.values())
        if lasts(lines[best]) == lasts(lines[made]):
            lost = (lines[best].worth - lines[made].worth) / own.scale
        else:
            standing = ENDS
    return Move(step.number, position, made, best, lost, rank, count, standing, agent.mode(position))


def worth(line: Line) -> tuple[bool, int]:
    """What lines are compared by."""
    return line.survives, line.worth


def lasts(line: Line) -> tuple[bool, int]:
    """How long a line survives: only between lines that survive as long do points mean anything."""
    return line.survives, (line.worth + STEP // 2) // STEP
