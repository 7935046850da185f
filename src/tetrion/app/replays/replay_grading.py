"""An agent that grades the moves of a replay beside the window, one after another."""

from typing import NamedTuple

from tetrion.agents import load_weighted_agent
from tetrion.app.background_task import BackgroundTask
from tetrion.board import Placement
from tetrion.evaluation.replay_review import (
    VERDICT_DESCRIPTIONS,
    VERDICT_ENDS_GAME,
    VERDICT_NOT_SCORED,
    GradedMove,
    Review,
    format_points,
    grade_moves,
)
from tetrion.replay import Replay

COSTLIEST_MOVES_SHOWN = 5
_MAX_LOSS_BARS = 160  # of the chart, at most


class ReviewSummary(NamedTuple):
    """What the moves that are graded by now come to; `losses` are the most points lost in equal parts of the game."""

    best_move_share: float | None = None
    mean_loss: float | None = None
    description: str = ""
    costliest: tuple[GradedMove, ...] = ()
    max_losses: tuple[float, ...] = ()


class ReplayGrader(BackgroundTask):
    """Grades all moves of a replay; `moves` grows meanwhile."""

    def __init__(self, replay: Replay, agent: str) -> None:
        super().__init__()
        self.replay = replay
        self.agent = agent
        self.moves: list[GradedMove] = []
        self._summary = ReviewSummary()
        self._summarised_moves = 0
        self.start()

    def run(self) -> None:
        """Grade until there is nothing left, or nobody wants to know."""
        for move in grade_moves(self.replay, load_weighted_agent(self.agent)):
            self.moves.append(move)
            if self._stop_event.is_set():
                return

    @property
    def summary(self) -> ReviewSummary:
        """What is known by now; in long games it is not made anew for every move."""
        now = len(self.moves)
        if now > self._summarised_moves + self._summarised_moves // 20 or (
            self.is_done and now > self._summarised_moves
        ):
            review, self._summarised_moves = Review(self.agent, self.replay, tuple(self.moves[:now])), now
            costliest, losses = tuple(review.get_costliest_moves(COSTLIEST_MOVES_SHOWN)), compute_max_losses(review)
            self._summary = ReviewSummary(
                review.best_move_share, review.mean_points_lost, review.description, costliest, losses
            )
        return self._summary

    def get_move(self, number: int) -> GradedMove | None:
        """The grade of a move, counted from 1, if it is known yet."""
        return self.moves[number - 1] if 0 < number <= len(self.moves) else None


def compute_max_losses(review: Review) -> tuple[float, ...]:
    """The most points that a move has lost in each of the equal parts of a game."""
    total = len(review.replay.placements)
    losses = [0.0] * min(total, _MAX_LOSS_BARS)
    for move in review.moves:
        part = (move.number - 1) * len(losses) // total
        losses[part] = max(losses[part], move.points_lost or 0.0)
    return tuple(losses)


def format_move_cost(move: GradedMove) -> str:
    """What a move has cost, as a row shows it."""
    return (
        "may end"
        if move.verdict == VERDICT_ENDS_GAME
        else "–"
        if move.points_lost is None
        else format_points(-move.points_lost)
    )


def describe_move(move: GradedMove, agent: str) -> tuple[str, str]:
    """A move in a headline and a line."""
    number = f"Move {move.number:,}"
    if move.best_placement is None:
        return f"{number}: nothing to choose.", f"{agent} knows no other place."
    if move.is_best:
        same = move.placement == move.best_placement
        return f"{number}: nothing lost.", f"{agent} would play here too." if same else f"As good as {agent}'s choice."
    if move.verdict == VERDICT_NOT_SCORED:
        return f"{number}: points not known.", f"{VERDICT_DESCRIPTIONS[VERDICT_NOT_SCORED].capitalize()}."
    if move.verdict == VERDICT_ENDS_GAME:
        return f"{number}: the game may end here.", f"{agent} would play at the dotted outline."
    points = "point" if move.points_lost == 1 else "points"
    return (
        f"{number}: lost {format_points(move.points_lost or 0)} {points}.",
        f"{agent} would play at the dotted outline.",
    )


def get_better_placement(move: GradedMove | None) -> Placement | None:
    """The placement that would have been better, if there is one."""
    return move.best_placement if move and move.best_placement != move.placement and not move.is_best else None
