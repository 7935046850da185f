"""Garbage: the queue of batches, its cancellation by attack, and the rows that rise."""

from dataclasses import dataclass

from tests.reference.board import Board
from tests.reference.pieces import WIDTH
from tests.reference.randomisers import draw_below
from tests.reference.rules import Rules

FIRST_NUMBER = 2**41  # the random numbers of a game from here on are those of garbage
MAX_BATCHES = 8


@dataclass
class Batch:
    """Rows of garbage that arrived together."""

    rows: int  # still in the queue
    due: int  # the number of locked pieces, or of frames, after which the rows may rise with the next lock
    gap: int  # the column of the gap of the row that rose last, or of the first row
    has_risen: bool = False  # whether a row of it has risen


class GarbageQueue:
    """The batches of garbage of a game, oldest first."""

    def __init__(self, rules: Rules, key: int) -> None:
        self.rules = rules
        self.key = key
        self.batches: list[Batch] = []
        self.decided_gaps = 0  # rows whose gap was decided
        self.queued = 0
        self.cancelled = 0
        self.risen = 0

    @property
    def rows(self) -> int:
        """The number of rows in the queue."""
        return sum(batch.rows for batch in self.batches)

    def add_batch(self, rows: int, due: int) -> None:
        """Queue a batch; if the queue is full, its rows join the newest batch, with that one's time and gap."""
        self.queued += rows
        if len(self.batches) == MAX_BATCHES:
            self.batches[-1].rows += rows
            return
        gap = self.draw_column(WIDTH)
        self.decided_gaps += 1
        self.batches.append(Batch(rows, due, gap))

    def cancel(self, attack: int, further: int = 0) -> int:
        """Remove rows from the queue, oldest first, due or not; return the attack that is left.

        When the attack is used up, `further` rows are removed as well.
        """
        while attack + further > 0 and self.batches:
            self.batches[0].rows -= 1
            self.cancelled += 1
            if attack > 0:
                attack -= 1
            else:
                further -= 1
            self.drop_empty_batches()
        return attack

    def list_due_rows(self, now: int) -> list[Batch]:
        """Return the batch of each row that rises with a lock at this time, at most `garbage_cap`."""
        rows = [batch for batch in self.batches if now >= batch.due for _ in range(batch.rows)]
        return rows[: self.rules.garbage_cap]

    def take_row(self, batch: Batch) -> int:
        """Remove a row that rises from its batch and return the column of its gap."""
        self.decide_gap(batch)
        batch.rows -= 1
        self.risen += 1
        self.drop_empty_batches()
        return batch.gap

    def decide_gap(self, batch: Batch) -> None:
        """Move the gap of a batch at random, unless its first row is about to rise."""
        if batch.has_risen:
            if self.draw_chance() < self.rules.garbage_messiness:
                others = [column for column in range(WIDTH) if column != batch.gap]
                batch.gap = others[self.draw_column(WIDTH - 1)]
            self.decided_gaps += 1
        batch.has_risen = True

    def draw_chance(self) -> int:
        return draw_below(100, self.key, FIRST_NUMBER + 2 * self.decided_gaps)

    def draw_column(self, columns: int) -> int:
        return draw_below(columns, self.key, FIRST_NUMBER + 2 * self.decided_gaps + 1)

    def drop_empty_batches(self) -> None:
        self.batches = [batch for batch in self.batches if batch.rows]


def push_up(board: Board, gap: int) -> Board:
    """Return the board one row higher, above a row that is full except for a gap."""
    return [[column != gap for column in range(WIDTH)], *board[:-1]]
