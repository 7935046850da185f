"""The moves of a replay, and its review: every placement is compared with the best placement of an agent."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tetrion.agents import AGENTS, WeightedAgent, load_weighted_agent
from tetrion.agents.agent import can_play
from tetrion.agents.placement_ranking import PlacementRanking, Variation
from tetrion.agents.replay_agent import ReplayAgent
from tetrion.agents.stepped_game import PlacementEvent, step_game
from tetrion.agents.weighted_agent import raise_feature_errors
from tetrion.board import Placement
from tetrion.engine.lookahead import SURVIVAL_BONUS
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, ReplayError, describe_value
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_number, format_percent
from tetrion.game import Game, GameEvent
from tetrion.notebook_display import make_short_repr, render_html_table
from tetrion.position import Position
from tetrion.replay import Replay
from tetrion.stack import LockedPiece


class ReplayStep(NamedTuple):
    """A move: the position before it, the placement, the position after it, and its keys if it was in real time.

    The keys are those pressed since the previous lock, each with its frame. The position after the move has the board,
    the counters and the next pieces that the player had seen.
    """

    number: int
    before: Position
    locked_piece: LockedPiece
    after: Position
    keys: tuple[GameEvent, ...]

    @property
    def placement(self) -> Placement:
        """The placement of the piece."""
        return self.locked_piece.placement


def iterate_steps(replay: Replay) -> Iterator[ReplayStep]:
    """Yield the moves of a replay; a `ReplayError` names the first move that does not match the recording."""
    game = Game(replay.rules, replay.seed, replay.number)
    before = game.position
    event_count = 0
    with ReplayAgent(replay).start_player() as player:
        for event in step_game(player, game, len(replay.placements)):
            if isinstance(event, PlacementEvent):
                after = event.position
                seen = find_position_before(before, event.placement, after)
                keys = tuple(game.events[event_count:]) if replay.key_events is not None else ()
                yield ReplayStep(after.pieces, seen, event.locked_piece, after, keys)
                before = after
                event_count = len(game.events)
        player.finish()


def find_position_before(previous: Position, placement: Placement, after: Position) -> Position:
    """Return the position in which a player made a placement; `previous` is the one after the placement before."""
    next_pieces = (after.piece or "") + after.next
    if not placement.hold:
        return replace(previous, piece=placement.piece, next=next_pieces, bag=after.bag)
    if not previous.hold:  # the piece was the first of the preview; in real time, hold then reveals another one
        next_pieces = (placement.piece + next_pieces)[: previous.rules.preview]
    return replace(previous, piece=after.hold, next=next_pieces, bag=after.bag)


VERDICT_LISTED = "listed"
VERDICT_ADDED = "added"
VERDICT_ENDS_GAME = "ends"
VERDICT_NOT_SCORED = "not-scored"
VERDICT_DESCRIPTIONS = {  # how the placement of a move relates to the placements that the agent scores
    VERDICT_LISTED: "one of the placements that the agent considers",
    VERDICT_ADDED: "not among the placements that the agent considers, but scored in the same way",
    VERDICT_ENDS_GAME: "the game may end after this placement, but not after others",
    VERDICT_NOT_SCORED: "not among the placements that the agent considers, so its loss is unknown",
}
SIMILARITY_PHRASES = (  # the smallest share of best moves, and its description
    (1.0, "plays exactly like {agent}"),
    (0.9, "plays almost exactly like {agent}"),
    (0.6, "often plays like {agent}"),
    (0.3, "sometimes plays like {agent}"),
    (0.0, "rarely plays like {agent}"),
)
DEFAULT_GRADER = "dellacherie"
LOSS_EXPLANATION = "A loss is the evaluation of the best placement minus that of the placement played, not game points."
SMALL_POINTS = 0.01  # smaller values are shown with two significant digits

BLUNDER = "blunder"
GRADES = ("best", "good", "inaccuracy", "mistake", BLUNDER)
GRADE_LIMITS = (0.2, 0.5, 1.0)  # relative losses from which a move is an inaccuracy, a mistake and a blunder
GRADE_EXPLANATION = (
    "A grade compares the loss with what a random placement loses on average in the same position: from 20 % on, a "
    "move is an inaccuracy, from 50 % on a mistake, and from 100 % on a blunder."
)
_WORST_RELATIVE_LOSS = 3.0  # higher ones look the same in charts


def choose_grade(relative_loss: float) -> str:
    """Return the grade of a move by its loss, as a share of the mean loss of all placements in the position.

    The share does not depend on the scale of the agent's weights.
    """
    return GRADES[1 + bisect_right(GRADE_LIMITS, relative_loss)] if relative_loss > 0 else GRADES[0]


@dataclass(frozen=True)
class GradedMove:
    """A move of a replay and its grade.

    `points_lost` is the score of the best placement minus the score of this one, by the agent's evaluation function: 0
    for the best and equally good placements, None if the placement has no comparable score. `mean_loss` is the mean of
    the points lost by all compared placements, which is what a random placement would lose. `verdict` is one of
    `VERDICT_DESCRIPTIONS` and gives the reason. `best_placement` is None if the agent has no placement. `rank` starts
    at 1, and equal scores share a rank; `placement_count` is the number of compared placements. `mode` is the agent's
    mode, empty for an agent without modes.
    """

    number: int
    position: Position
    placement: Placement
    best_placement: Placement | None
    points_lost: float | None
    mean_loss: float | None
    rank: int | None
    placement_count: int
    verdict: str
    mode: str

    @property
    def is_best(self) -> bool:
        """Whether no placement has a better score."""
        return self.points_lost == 0

    @property
    def relative_loss(self) -> float | None:
        """The points lost as a share of the mean loss: 1 for a move as bad as a random one on average."""
        if not self.points_lost or not self.mean_loss:
            return self.points_lost
        return self.points_lost / self.mean_loss

    @property
    def grade(self) -> str:
        """One of `GRADES`: a blunder if the game may end after the move, and empty if its loss is unknown."""
        if self.verdict == VERDICT_ENDS_GAME:
            return BLUNDER
        return "" if self.relative_loss is None else choose_grade(self.relative_loss)

    @property
    def grade_level(self) -> float:
        """The grade as a number for charts: below 1 for the best moves, from 1 to 2 for good ones, …, at most 5."""
        if self.verdict == VERDICT_ENDS_GAME:
            return float(len(GRADES))
        loss = self.relative_loss
        return float(np.interp(loss, (0, *GRADE_LIMITS, _WORST_RELATIVE_LOSS), range(1, 6))) if loss else 0.5

    @property
    def cost(self) -> tuple[bool, int, float]:
        """The sort key of moves by cost: whether the game may end, which costs most, the grade, and the points lost."""
        grade = GRADES.index(self.grade) if self.grade else 0
        return self.verdict == VERDICT_ENDS_GAME, grade, self.points_lost or 0.0

    @property
    def better_placement(self) -> Placement | None:
        """The placement that would have been better, or None if there is none."""
        return None if self.is_best or self.best_placement == self.placement else self.best_placement

    @property
    def has_cost(self) -> bool:
        """Whether the move is worse than the best placement."""
        return self.grade not in ("", GRADES[0])

    def describe_cost(self, agent: str) -> str:
        """Return the cost in words, such as "lost 3.2 in lee's evaluation"; `agent` has graded the move."""
        if self.verdict == VERDICT_ENDS_GAME:
            return "the game may end after it"
        return "unknown" if self.points_lost is None else describe_loss(self.points_lost, agent)

    def __repr__(self) -> str:
        lost = "" if self.points_lost is None else f", lost {format_points(self.points_lost)}"
        return make_short_repr("GradedMove", f"{self.number}, {self.placement}: {self.verdict}{lost}")


@dataclass(frozen=True)
class Review:
    """The moves of a replay, or the first of them, graded by an agent.

    >>> import tetrion
    >>> game = tetrion.Game("nes", seed=1)
    >>> game.play("lowest", pieces=5)
    5
    >>> tetrion.review_replay(tetrion.Replay.from_game(game), "medico")
    <Review by medico: 5 moves, 20 % best, 1 blunder, lost 218.8 in medico's evaluation per move>
    """

    agent: str
    replay: Replay
    moves: tuple[GradedMove, ...]

    @property
    def scored_moves(self) -> list[GradedMove]:
        """The moves with known points lost."""
        return [move for move in self.moves if move.points_lost is not None]

    @cached_property
    def mean_points_lost(self) -> float | None:
        """The mean points lost per move, over the moves with known points; None without such moves."""
        points = [move.points_lost for move in self.moves if move.points_lost is not None]
        return sum(points) / len(points) if points else None

    @cached_property
    def best_move_share(self) -> float | None:
        """The share of all moves that are as good as the best placement; None without moves."""
        return sum(move.is_best for move in self.moves) / len(self.moves) if self.moves else None

    @property
    def description(self) -> str:
        """A phrase for how often the player chose the agent's best placement, such as "often plays like du"."""
        share = self.best_move_share
        if share is None:
            return "no move to grade"
        phrase = next(phrase for minimum, phrase in SIMILARITY_PHRASES if share >= minimum)
        return phrase.format(agent=self.agent)

    @property
    def goal_note(self) -> str:
        """A sentence for a game with another goal than the agent's, such as a sprint; empty without one."""
        if not self.replay.mode:
            return ""
        goal = {"cheese": "cheese race"}.get(self.replay.mode, self.replay.mode)
        return f"Graded by {self.agent} for a long game, not for the goal of a {goal}."

    @cached_property
    def grade_counts(self) -> dict[str, int]:
        """The number of moves with each grade."""
        counts = Counter(move.grade for move in self.moves)
        return {grade: counts[grade] for grade in GRADES}

    def get_costliest_moves(self, count: int = 5) -> list[GradedMove]:
        """Return up to `count` moves with the highest cost, costliest first, without moves that cost nothing."""
        costly = [move for move in self.moves if move.has_cost]
        return sorted(costly, key=lambda move: (move.cost, -move.number), reverse=True)[:count]

    def __repr__(self) -> str:
        return make_short_repr("Review", f"by {self.agent}: {', '.join(self._list_facts())}")

    def _repr_html_(self) -> str:
        costliest = self.get_costliest_moves()
        rows = [
            [
                f"{move.number:,}",
                str(move.placement),
                str(move.best_placement or NO_VALUE),
                f"{move.grade}: {move.describe_cost(self.agent)}",
            ]
            for move in costliest
        ]
        title = f"The player {self.description}" if self.moves else "There is no move to grade"
        headings = ["costliest moves", "placement", "best placement", "grade"] if rows else []
        return render_html_table(title, headings, rows, note=" · ".join(self._list_facts()), text_columns=3)

    def _list_facts(self) -> list[str]:
        lost = self.mean_points_lost
        share = self.best_move_share
        facts = [format_count(len(self.moves), "move"), *([] if share is None else [f"{format_percent(share)} best"])]
        facts += [format_count(self.grade_counts[grade], grade) for grade in GRADES[3:] if self.grade_counts[grade]]
        return [*facts, *([] if lost is None else [f"{describe_loss(lost, self.agent)} per move"])]


def review_replay(replay: Replay, agent: WeightedAgent | str | Path) -> Review:
    """Grade all moves of a replay with a weighted agent, which can be given by its name or file.

    >>> import tetrion
    >>> game = tetrion.Game("nes", seed=1)
    >>> game.play("lowest", pieces=5)
    5
    >>> [move.is_best for move in tetrion.review_replay(tetrion.Replay.from_game(game), "du").moves]
    [True, False, False, True, True]
    """
    reviewer = agent if isinstance(agent, WeightedAgent) else load_weighted_agent(agent)
    return Review(reviewer.name, replay, tuple(grade_moves(replay, reviewer)))


def grade_moves(replay: Replay, agent: WeightedAgent) -> Iterator[GradedMove]:
    """Check the arguments and return an iterator that grades one move of a replay at a time."""
    if not isinstance(replay, Replay):
        raise ReplayError(f"Expected a Replay, such as from Replay.load; given {describe_value(replay)}.")
    if not isinstance(agent, WeightedAgent):
        raise AgentError(
            f"Only a WeightedAgent can grade moves, such as {DEFAULT_GRADER}; given {describe_value(agent)}."
        )
    if not can_play(agent, replay.rules):
        raise AgentError(
            f"{agent.name} looks at {agent.depth} pieces, but the rules of this game show only "
            f"{replay.rules.preview + 1}. Use an agent with a smaller depth, such as {DEFAULT_GRADER}."
        )
    return (grade_move(step, agent) for step in iterate_steps(replay))


def choose_grader(rules: Rules) -> str:
    """Return the name of the default agent for grading games: one designed for these rules, or `DEFAULT_GRADER`.

    Under other rules with attack it is an agent with attack features.
    """
    agents = [agent for agent in AGENTS.values() if isinstance(agent, WeightedAgent) and agent.family != "baselines"]
    fitting = [agent for agent in agents if can_play(agent, rules)]
    suitable = [agent for agent in fitting if Rules.parse(agent.rules).name == rules.name]
    if rules.attack != "none":
        suitable = suitable or [agent for agent in fitting if agent.family == "modern"]
    if not suitable:
        return DEFAULT_GRADER
    return max(suitable, key=lambda agent: (agent.name == rules.name, agent.depth)).name


class ScoredPosition(NamedTuple):
    """An agent's scores in a position: the variation of each placement, best first, and all placements.

    Placements that end the game have a variation only if all placements end it.
    """

    variations: dict[Placement, Variation]
    placements: list[Placement]
    scale: float  # engine score per point

    @classmethod
    def from_position(cls, agent: WeightedAgent, position: Position) -> "ScoredPosition":
        """Score all placements of a position with an agent."""
        ranking = PlacementRanking(agent, position)
        variations = {variation.placement: variation for variation in ranking.variations}
        return cls(variations, position.placements(), ranking.scale * (len(PIECES) if agent.expect else 1))


def describe_loss(points: float, agent: str) -> str:
    """Return how much a move lost and the agent whose evaluation function measures it."""
    return f"lost {format_points(points)} in {agent}'s evaluation"


def format_points(points: float) -> str:
    """Format points of an agent's evaluation function, which may be of any size."""
    if 0 < abs(points) < SMALL_POINTS:
        return f"{points:.2g}"
    return format_number(points, 0 if points == round(points) else 1 if abs(points) >= 1 else None)


def grade_move(step: ReplayStep, agent: WeightedAgent) -> GradedMove:
    """Grade a move of a replay with an agent."""
    position = step.before
    placement = step.placement
    scored = ScoredPosition.from_position(agent, position)
    variations = dict(scored.variations)
    verdict = VERDICT_LISTED
    placement_count = len(scored.placements)
    if placement not in scored.placements:
        # With keys a player can reach placements that `rules.movement` excludes, such as tucks.
        reachable = ScoredPosition.from_position(
            agent, position.replace(rules=position.rules.replace(movement="reach"))
        )
        placement_count += 1
        if placement in reachable.variations:
            verdict = VERDICT_ADDED
            variations[placement] = reachable.variations[placement]
        elif placement in reachable.placements and variations:
            verdict = VERDICT_ENDS_GAME
        else:
            verdict = VERDICT_NOT_SCORED
    elif placement not in variations:
        verdict = VERDICT_NOT_SCORED if agent.beam else VERDICT_ENDS_GAME
    raise_feature_errors(agent)
    best = max(variations, key=lambda key: get_variation_order(variations[key])) if variations else None
    points_lost = mean_loss = rank = None
    if best is not None and placement in variations:
        chosen = variations[placement]
        order = get_variation_order(chosen)
        rank = 1 + sum(get_variation_order(variation) > order for variation in variations.values())
        survival = get_survival_order(variations[best])
        if get_survival_order(chosen) == survival:
            scores = [other.engine_score for other in variations.values() if get_survival_order(other) == survival]
            points_lost = (variations[best].engine_score - chosen.engine_score) / scored.scale
            mean_loss = (variations[best].engine_score - sum(scores) / len(scores)) / scored.scale
        else:
            verdict = VERDICT_ENDS_GAME
    return GradedMove(
        number=step.number,
        position=position,
        placement=placement,
        best_placement=best,
        points_lost=points_lost,
        mean_loss=mean_loss,
        rank=rank,
        placement_count=placement_count,
        verdict=verdict,
        mode=agent.get_mode_name(position),
    )


def get_variation_order(variation: Variation) -> tuple[bool, int]:
    """Return the sort key of variations: survival first, then the score."""
    return variation.survives, variation.engine_score


def get_survival_order(variation: Variation) -> tuple[bool, int]:
    """Return how long a variation survives; points are comparable only between variations that survive equally long."""
    return variation.survives, (variation.engine_score + SURVIVAL_BONUS // 2) // SURVIVAL_BONUS
