"""Grading the moves of a replay with an agent in the background."""

from typing import NamedTuple

from tetrion.agents import load_weighted_agent
from tetrion.app.agent_code import check_agent_code
from tetrion.app.background_task import BackgroundTask
from tetrion.app.games.background_agent import describe_advice
from tetrion.board import Placement
from tetrion.evaluation.replay_review import (
    VERDICT_DESCRIPTIONS,
    VERDICT_ENDS_GAME,
    VERDICT_NOT_SCORED,
    GradedMove,
    Review,
    describe_loss,
    format_points,
    grade_moves,
)
from tetrion.replay import Replay

COSTLIEST_MOVES_SHOWN = 5
_MAX_LOSS_BARS = 160


class ReviewSummary(NamedTuple):
    """A summary of the graded moves; `max_losses` are the largest losses of a move in equal parts of the game."""

    best_move_share: float | None = None
    mean_loss: float | None = None
    description: str = ""
    costliest: tuple[GradedMove, ...] = ()
    max_losses: tuple[float, ...] = ()


class ReplayGrader(BackgroundTask):
    """Grades all moves of a replay and appends them to `moves`."""

    def __init__(self, replay: Replay, agent: str) -> None:
        super().__init__()
        self.replay = replay
        self.agent = agent
        self.moves: list[GradedMove] = []
        self._summary = ReviewSummary()
        self._summarised_moves = 0
        self.start()

    def run(self) -> None:
        """Grade all moves, or until the task is stopped."""
        check_agent_code(self.agent)
        for move in grade_moves(self.replay, load_weighted_agent(self.agent)):
            self.moves.append(move)
            if self._stop_event.is_set():
                return

    @property
    def summary(self) -> ReviewSummary:
        """The summary of the moves graded so far; in long games it is not recomputed for every move."""
        count = len(self.moves)
        is_outdated = count > self._summarised_moves + self._summarised_moves // 20
        if is_outdated or (self.is_done and count > self._summarised_moves):
            self._summarised_moves = count
            review = Review(self.agent, self.replay, tuple(self.moves[:count]))
            self._summary = ReviewSummary(
                review.best_move_share,
                review.mean_points_lost,
                review.description,
                tuple(review.get_costliest_moves(COSTLIEST_MOVES_SHOWN)),
                compute_max_losses(review),
            )
        return self._summary

    def get_move(self, number: int) -> GradedMove | None:
        """Return a graded move by its number, counted from 1, or None if it is not graded yet."""
        return self.moves[number - 1] if 0 < number <= len(self.moves) else None


def compute_max_losses(review: Review) -> tuple[float, ...]:
    """Return the largest loss of a move in each of up to 160 equal parts of a game."""
    total = len(review.replay.placements)
    losses = [0.0] * min(total, _MAX_LOSS_BARS)
    for move in review.moves:
        part = (move.number - 1) * len(losses) // total
        losses[part] = max(losses[part], move.points_lost or 0.0)
    return tuple(losses)


def format_move_cost(move: GradedMove) -> str:
    """Return the loss of a move as the text of a table row."""
    if move.verdict == VERDICT_ENDS_GAME:
        return "game over"
    return "–" if move.points_lost is None else format_points(-move.points_lost)


def describe_move(move: GradedMove, agent: str) -> tuple[str, str]:
    """Return a headline and a sentence about a graded move."""
    number = f"Move {move.number:,}"
    if move.best_placement is None:
        return f"{number}: no choice.", f"{agent} has no other placement."
    if move.is_best:
        is_same = move.placement == move.best_placement
        comparison = f"{agent} would play here too." if is_same else f"As good as the choice of {agent}."
        return f"{number}: nothing lost.", comparison
    if move.verdict == VERDICT_NOT_SCORED:
        return f"{number}: loss unknown.", f"{VERDICT_DESCRIPTIONS[VERDICT_NOT_SCORED].capitalize()}."
    if move.verdict == VERDICT_ENDS_GAME:
        return f"{number}: the game may end here.", describe_advice(agent, move.best_placement)
    loss = describe_loss(move.points_lost or 0, agent)
    return f"{number}: {loss}.", describe_advice(agent, move.best_placement)


def get_better_placement(move: GradedMove | None) -> Placement | None:
    """Return the placement that would have been better, or None if there is none."""
    return move.best_placement if move and move.best_placement != move.placement and not move.is_best else None
