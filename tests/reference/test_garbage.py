"""The queue of garbage in the reference: order, time, cap, cancelling, gaps."""

from itertools import pairwise

from tests.reference.board import Board, empty_board, picture
from tests.reference.garbage import GarbageQueue, push_up
from tests.reference.randomisers import draw_below
from tests.reference.rules import make_rules

KEY = 2026


def make_queue(messiness: int = 0, cap: int = 8) -> GarbageQueue:
    return GarbageQueue(make_rules(garbage_messiness=messiness, garbage_cap=cap), KEY)


def raise_rows(queue: GarbageQueue, pieces: int) -> list[int]:
    """Let the due rows rise and return the columns of their gaps."""
    return [queue.take_row(batch) for batch in queue.list_due_rows(pieces)]


def list_batches(queue: GarbageQueue) -> list[tuple[int, int]]:
    return [(batch.rows, batch.due) for batch in queue.batches]


def test_attack_cancels_the_oldest_rows_first() -> None:
    queue = make_queue()
    queue.add_batch(3, due=5)
    queue.add_batch(4, due=9)
    assert queue.cancel(2) == 0
    assert list_batches(queue) == [(1, 5), (4, 9)]
    assert queue.cancel(3) == 0
    assert list_batches(queue) == [(2, 9)]
    assert queue.cancel(10) == 8
    assert queue.batches == []
    assert (queue.queued, queue.cancelled, queue.risen) == (7, 7, 0)


def test_due_rows_rise_up_to_the_cap() -> None:
    queue = make_queue(cap=4)
    queue.add_batch(3, due=5)
    queue.add_batch(6, due=6)
    assert len(raise_rows(queue, 4)) == 0
    assert len(raise_rows(queue, 5)) == 3
    assert len(raise_rows(queue, 6)) == 4
    assert list_batches(queue) == [(2, 6)]
    assert len(raise_rows(queue, 7)) == 2
    assert (queue.queued, queue.risen, queue.rows) == (9, 9, 0)


def test_ninth_batch_joins_the_newest() -> None:
    queue = make_queue()
    for number in range(10):
        queue.add_batch(1, due=number)
    assert list_batches(queue) == [*((1, number) for number in range(7)), (3, 7)]
    assert queue.decided_gaps == 8


def test_gaps_of_clean_garbage_are_those_of_the_batches() -> None:
    queue = make_queue()
    queue.add_batch(3, due=0)
    queue.add_batch(2, due=0)
    first = draw_below(10, KEY, 2**41 + 1)
    second = draw_below(10, KEY, 2**41 + 3)
    assert raise_rows(queue, 0) == [first] * 3 + [second] * 2


def test_gaps_of_messy_garbage_always_move() -> None:
    queue = make_queue(messiness=100, cap=100)
    queue.add_batch(40, due=0)
    gaps = raise_rows(queue, 0)
    assert all(gap != after for gap, after in pairwise(gaps))
    assert set(gaps) == set(range(10))
    moved = draw_below(9, KEY, 2**41 + 3)
    assert gaps[1] == moved + (moved >= gaps[0])


def test_gap_is_decided_when_its_row_rises() -> None:
    """A batch that is queued between two rows of another takes the next random number."""
    queue = make_queue(messiness=50, cap=1)
    queue.add_batch(2, due=0)
    assert raise_rows(queue, 0) == [draw_below(10, KEY, 2**41 + 1)]
    queue.add_batch(1, due=0)
    assert queue.batches[-1].gap == draw_below(10, KEY, 2**41 + 3)
    (gap,) = raise_rows(queue, 1)
    has_moved = draw_below(100, KEY, 2**41 + 4) < 50
    assert (gap != draw_below(10, KEY, 2**41 + 1)) == has_moved
    assert queue.decided_gaps == 3


def test_share_of_moved_gaps() -> None:
    queue = make_queue(messiness=30, cap=3000)
    queue.add_batch(3000, due=0)
    gaps = raise_rows(queue, 0)
    moved = sum(gap != after for gap, after in pairwise(gaps))
    assert 810 < moved < 990


def test_rows_rise_at_the_bottom() -> None:
    board: Board = empty_board(4)
    board[0][2] = True
    assert picture(push_up(push_up(board, 4), 0)).split() == ["..........", "..#.......", "####.#####", ".#########"]
