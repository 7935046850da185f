"""An agent that grades the moves of a replay beside the window, one after another."""

from typing import NamedTuple

from tetrion.agents import data_agent
from tetrion.app.task import Task
from tetrion.board import Placement
from tetrion.evaluation.review import ENDS, STANDINGS, UNWEIGHED, Move, Review, graded, points_words
from tetrion.replay import Replay

COSTLIEST = 5
BARS = 160  # of the chart, at most


class Summary(NamedTuple):
    """What the moves that are graded by now come to; `losses` are the most points lost in equal parts of the game."""

    share_best: float | None = None
    mean_lost: float | None = None
    words: str = ""
    costliest: tuple[Move, ...] = ()
    losses: tuple[float, ...] = ()


class Grader(Task):
    """Grades all moves of a replay; `moves` grows meanwhile."""

    def __init__(self, replay: Replay, agent: str) -> None:
        super().__init__()
        self.replay, self.agent = replay, agent
        self.moves: list[Move] = []
        self._summary, self._summed = Summary(), 0
        self.start()

    def work(self) -> None:
        """Grade until there is nothing left, or nobody wants to know."""
        for move in graded(self.replay, data_agent(self.agent)):
            self.moves.append(move)
            if self._stopped.is_set():
                return

    @property
    def summary(self) -> Summary:
        """What is known by now; in long games it is not made anew for every move."""
        now = len(self.moves)
        if now > self._summed + self._summed // 20 or (self.done and now > self._summed):
            review, self._summed = Review(self.agent, self.replay, tuple(self.moves[:now])), now
            costliest, losses = tuple(review.costliest(COSTLIEST)), losses_of(review)
            self._summary = Summary(review.share_best, review.mean_lost, review.words, costliest, losses)
        return self._summary

    def move(self, number: int) -> Move | None:
        """The grade of a move, counted from 1, if it is known yet."""
        return self.moves[number - 1] if 0 < number <= len(self.moves) else None


def losses_of(review: Review) -> tuple[float, ...]:
    """The most points that a move has lost in each of the equal parts of a game."""
    total = len(review.replay.placements)
    losses = [0.0] * min(total, BARS)
    for move in review.moves:
        part = (move.number - 1) * len(losses) // total
        losses[part] = max(losses[part], move.lost or 0.0)
    return tuple(losses)


def cost_words(move: Move) -> str:
    """What a move has cost, as a row shows it."""
    return "may end" if move.standing == ENDS else "–" if move.lost is None else points_words(-move.lost)


def told(move: Move, agent: str) -> tuple[str, str]:
    """A move in a headline and a line."""
    number = f"Move {move.number:,}"
    if move.best is None:
        return f"{number}: nothing to choose.", f"{agent} knows no other place."
    if move.is_best:
        same = move.made == move.best
        return f"{number}: nothing lost.", f"{agent} would play here too." if same else f"As good as {agent}'s choice."
    if move.standing == UNWEIGHED:
        return f"{number}: points not known.", f"{STANDINGS[UNWEIGHED].capitalize()}."
    if move.standing == ENDS:
        return f"{number}: the game may end here.", f"{agent} would play at the dotted outline."
    points = "point" if move.lost == 1 else "points"
    return f"{number}: lost {points_words(move.lost or 0)} {points}.", f"{agent} would play at the dotted outline."


def better(move: Move | None) -> Placement | None:
    """The placement that would have been better, if there is one."""
    return move.best if move and move.best != move.made and not move.is_best else None
