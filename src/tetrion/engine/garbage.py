"""Garbage: batches of rows that wait in a queue, are cancelled by attack, and rise with one gap per row."""

from tetrion.engine.compiler import compile_inline
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.randomisers import draw_below
from tetrion.engine.records import (
    FRAMES_UNIT,
    MAX_GARBAGE_BATCHES,
    PIECES_UNIT,
    FullGameRecord,
    GameRecord,
    RulesRecord,
    compile_for_full_games,
)
from tetrion.engine.scalar_or_simd import bit_length

_FIRST_GAP_NUMBER = 1 << 41  # the lower random numbers are those of pieces
_PERCENT = 100


@compile_inline
def queue_garbage(game: FullGameRecord, rows: int, due: int) -> None:
    """Add a batch to the queue; if the queue is full, its rows join the newest batch."""
    if rows <= 0:
        return
    if game.batch_count == MAX_GARBAGE_BATCHES:
        game.batch_rows[MAX_GARBAGE_BATCHES - 1] += rows
        return
    batch = int(game.batch_count)
    game.batch_rows[batch] = rows
    game.batch_due[batch] = due
    draw_first_gap(game, batch)
    game.batch_count += 1


@compile_inline
def draw_first_gap(game: FullGameRecord, batch: int) -> None:
    """Draw the column of the gap of the first row of a batch that has arrived."""
    game.batch_gap[batch] = draw_below(BOARD_WIDTH, game.key, _FIRST_GAP_NUMBER + 2 * int(game.gaps_decided) + 1)
    game.batch_is_new[batch] = 1
    game.gaps_decided += 1


@compile_inline
def remove_oldest_batch(game: FullGameRecord) -> None:
    """Remove the oldest batch from the queue."""
    game.batch_count -= 1
    for batch in range(game.batch_count):
        game.batch_rows[batch] = game.batch_rows[batch + 1]
        game.batch_due[batch] = game.batch_due[batch + 1]
        game.batch_gap[batch] = game.batch_gap[batch + 1]
        game.batch_is_new[batch] = game.batch_is_new[batch + 1]


@compile_inline
def count_waiting_rows(game: FullGameRecord) -> int:
    """Return the number of rows in the queue."""
    rows = 0
    for batch in range(game.batch_count):
        rows += int(game.batch_rows[batch])
    return rows


@compile_inline
def cancel_garbage(game: FullGameRecord, rules: RulesRecord, attack: int) -> int:
    """Let an attack cancel rows of the queue, the oldest first; return the rows that are left to send.

    In the first `opener_pieces` pieces each row cancels two, if at least as many rows wait as were sent.
    """
    is_doubled = game.pieces <= rules.opener_pieces and count_waiting_rows(game) >= game.sent
    strength = 2 * attack if is_doubled else attack
    while strength > 0 and game.batch_count > 0:
        cancelled = min(strength, int(game.batch_rows[0]))
        strength -= cancelled
        attack -= cancelled
        game.batch_rows[0] -= cancelled
        if game.batch_rows[0] == 0:
            remove_oldest_batch(game)
    return max(attack, 0)


@compile_inline
def count_cleared_garbage(game: FullGameRecord, full: int) -> int:
    """Remove full rows from the mask of the rows of garbage; return how many of them were garbage."""
    cleared = 0
    while full:
        row = bit_length(full) - 1  # from the top, so that the rows below keep their numbers
        full ^= 1 << row
        mask = int(game.garbage_mask)
        below = mask & ((1 << row) - 1)
        cleared += (mask >> row) & 1
        game.garbage_mask = below | ((mask >> (row + 1)) << row)
    return cleared


@compile_inline
def get_garbage_time(game: GameRecord, rules: RulesRecord) -> int:
    """Return the time in the unit of `garbage_delay`: the number of pieces, or of frames."""
    return int(game.frames) if rules.garbage_delay_unit == FRAMES_UNIT else int(game.pieces)


@compile_inline
def count_due_rows(game: FullGameRecord, rules: RulesRecord) -> int:
    """Return the rows of garbage that can rise now, when a piece locks that clears no line."""
    now = get_garbage_time(game, rules)
    due = 0
    for batch in range(game.batch_count):
        if game.batch_due[batch] > now:
            break
        due += int(game.batch_rows[batch])
    return min(due, int(rules.garbage_cap))


@compile_inline
def decide_gap(game: FullGameRecord, messiness: int) -> int:
    """Return the column of the gap of the oldest batch's next row."""
    gap = int(game.batch_gap[0])
    if game.batch_is_new[0]:
        game.batch_is_new[0] = 0
        return gap
    number = _FIRST_GAP_NUMBER + 2 * int(game.gaps_decided)
    game.gaps_decided += 1
    if draw_below(_PERCENT, game.key, number) < messiness:
        other = draw_below(BOARD_WIDTH - 1, game.key, number + 1)
        gap = other + (other >= gap)
        game.batch_gap[0] = gap
    return gap


@compile_inline
def can_rise(game: FullGameRecord, rows: int) -> bool:
    """Return whether the board can be pushed up by a row without pushing a cell out of it."""
    cells = 0
    for column in range(BOARD_WIDTH):
        cells |= int(game.board[column])
    return (cells >> (rows - 1)) == 0


@compile_inline
def raise_row(game: FullGameRecord, rules: RulesRecord) -> None:
    """Let the next row of the oldest batch rise."""
    gap = decide_gap(game, int(rules.garbage_messiness))
    for column in range(BOARD_WIDTH):
        game.board[column] = (int(game.board[column]) << 1) | (column != gap)
    game.received += 1
    game.garbage_mask = (int(game.garbage_mask) << 1) | 1
    game.batch_rows[0] -= 1
    if game.batch_rows[0] == 0:
        remove_oldest_batch(game)


@compile_inline
def raise_garbage(game: FullGameRecord, rules: RulesRecord, now: int) -> bool:
    """Let the due rows rise, up to the cap; return False if one of them would push a cell out of the board.

    `now` is the time before the piece locked, so that a batch with a delay of one piece lets one piece lock first.
    """
    risen = 0
    while risen < rules.garbage_cap and game.batch_count > 0 and game.batch_due[0] <= now:
        if not can_rise(game, int(rules.rows)):
            return False
        raise_row(game, rules)
        risen += 1
    return True


@compile_for_full_games(default=None)
def raise_start_garbage(game: FullGameRecord, rules: RulesRecord) -> None:
    """Let the rows rise with which a game starts, before its first piece is dealt; other calls do nothing."""
    if rules.start_garbage > 0 and game.pieces == 0 and game.known == 0 and game.received == 0:
        queue_garbage(game, int(rules.start_garbage), 0)
        for _ in range(rules.start_garbage):
            raise_row(game, rules)


@compile_inline
def add_solo_garbage(game: FullGameRecord, rules: RulesRecord) -> None:
    """Queue the batch of a solo source that counts pieces, if it is its turn."""
    if (
        rules.garbage_rows > 0
        and rules.garbage_interval_unit == PIECES_UNIT
        and game.pieces % rules.garbage_interval == 0
    ):
        queue_garbage(game, int(rules.garbage_rows), get_garbage_time(game, rules) + int(rules.garbage_delay))


@compile_inline
def advance_clock(game: FullGameRecord, rules: RulesRecord, frames: int) -> None:
    """Advance the clock of a game, and queue the batches of a solo source that counts frames."""
    before = int(game.frames)
    game.frames += frames
    if rules.garbage_rows == 0 or rules.garbage_interval_unit == PIECES_UNIT:
        return
    interval = int(rules.garbage_interval)
    for number in range(before // interval + 1, int(game.frames) // interval + 1):
        arrival = number * interval if rules.garbage_delay_unit == FRAMES_UNIT else int(game.pieces)
        queue_garbage(game, int(rules.garbage_rows), arrival + int(rules.garbage_delay))
