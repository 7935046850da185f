"""Positions of modern games: the conversion between their fields and the engine's records, and their placements.

`Position` calls these functions with itself; its type is not imported, because it depends on this module.
"""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from tetrion.board import Board, Placement
from tetrion.engine.batch_play import EngineSettings
from tetrion.engine.garbage import draw_first_gap
from tetrion.engine.key_paths import MAX_PATH_KEYS, NO_PATH, find_keys
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.placements import decode_placement, encode_placement
from tetrion.engine.placing import list_placements, place_piece
from tetrion.engine.records import GAME_KEYS, MAX_ROTATION_STATES, SPIN_KINDS, FullGameRecords, GameRecords
from tetrion.engine.rules import Rules
from tetrion.errors import PlacementError, PositionError

MAX_MODERN_PLACEMENTS = 2 * len(SPIN_KINDS) * MAX_ROTATION_STATES * BOARD_WIDTH * MOVEMENT_ROWS
UNKNOWN_PIECE_MESSAGE = (
    "The current piece is unknown. Give the next pieces to Position.from_board, for example next='LJ'."
)
_NEVER = 2**62  # a number of pieces or frames that no game reaches


@cache
def get_engine_settings(rules: Rules) -> EngineSettings:
    """Return the engine settings for these rules, with no agents."""
    return EngineSettings.from_agents([], rules)


def read_modern_fields(record: Any, rules: Rules) -> dict[str, object]:
    """Return the fields of a position that only modern games have, given the engine's record of the game."""
    count = int(record.batch_count)
    now = int(record.frames if rules.garbage_delay_unit == "frames" else record.pieces)
    batches = zip(record.batch_rows[:count].tolist(), record.batch_due[:count].tolist(), strict=True)
    return {
        "hold": PIECES[int(record.hold) - 1] if record.hold else "",
        "can_hold": bool(rules.hold and not record.used_hold),
        "combo": int(record.combo),
        "back_to_back": int(record.back_to_back),
        "garbage": tuple((rows, max(due - now, 0)) for rows, due in batches),
        "attack": int(record.attack),
        "sent": int(record.sent),
        "garbage_height": int(record.garbage_mask).bit_length(),  # garbage rises from below all other rows
    }


def read_bag(record: Any, rules: Rules) -> str:
    """Return the pieces that are left in the bag after the known ones, given the engine's record of the game.

    An empty bag is filled again. Rules with another randomiser have no bag.
    """
    return decode_bag(int(record.bag)) if rules.randomiser == "bag" else ""


@cache
def decode_bag(bag: int) -> str:
    """Return the pieces of a bag as the engine stores it; cached, because every position of a game has one."""
    return "".join(letter for number, letter in enumerate(PIECES) if bag >> number & 1) or PIECES


def encode_bag(letters: str) -> int:
    """Return the pieces that are left in the bag as the engine stores them."""
    return sum(1 << PIECES.index(letter) for letter in letters)


def write_modern_fields(position: Any, games: GameRecords) -> None:
    """Write the fields of a position that only modern games have into the engine's record of a game."""
    record: Any = games[0]
    record.hold = PIECES.index(position.hold) + 1 if position.hold else 0
    record.used_hold = not position.can_hold
    record.combo, record.back_to_back = position.combo, position.back_to_back
    record.attack, record.sent = position.attack, position.sent
    record.garbage_mask = (1 << position.garbage_height) - 1
    record.batch_count = len(position.garbage)
    now = position.frames if position.rules.garbage_delay_unit == "frames" else position.pieces
    for batch, (rows, wait) in enumerate(position.garbage):
        record.batch_rows[batch], record.batch_due[batch] = rows, now + wait


def draw_waiting_gaps(games: GameRecords) -> None:
    """Draw the gaps of the garbage that waits in a game, as if it arrived now."""
    record: Any = games[0]
    with np.errstate(over="ignore"):  # random numbers are computed modulo 2⁶⁴
        for batch in range(record.batch_count):
            draw_first_gap(record, batch)


def list_modern_position(position: Any) -> dict[Placement, Placement]:
    """Return all placements in a position of a modern game, in order; the keys are the values.

    If the current piece is unknown, these are the placements of the one in the hold box.
    """
    if position.piece is None:
        if not position.hold:
            raise PositionError(UNKNOWN_PIECE_MESSAGE)
        placements_of_any = list_modern_position(replace(position, piece=position.hold))
        return {placement: placement for placement in placements_of_any if placement.hold}
    games = position.to_game_records()
    codes = np.zeros(MAX_MODERN_PLACEMENTS, np.int32)
    count = list_placements(games, get_engine_settings(position.rules).rules, codes)  # type: ignore[arg-type]
    placements = [decode_in_position(position, code) for code in codes[:count].tolist()]
    return {placement: placement for placement in placements}


def decode_in_position(position: Any, code: int) -> Placement:
    """Return the placement of an engine code in a position."""
    placement, spin, hold = decode_placement(code)
    piece = (position.hold or position.next[:1]) if hold else position.piece
    return Placement(piece or "", *decode_placement(placement), position.rules.rotation, SPIN_KINDS[spin], bool(hold))


def encode_in_game(placement: Placement) -> int:
    """Return the engine code of a placement."""
    code = encode_placement(placement.rotation, placement.column, placement.row)
    return encode_placement(code, SPIN_KINDS.index(placement.spin), int(placement.hold))


def find_keys_in_position(position: Any, placement: Placement) -> tuple[tuple[int, str], ...]:
    """Return (0, key) pairs that lead to a legal placement with its spin, beginning with hold if it needs it."""
    keys = np.zeros(MAX_PATH_KEYS, np.int64)
    games, rules = position.to_game_records(), get_engine_settings(position.rules).rules
    count = find_keys(games, rules, encode_in_game(placement), keys)  # type: ignore[arg-type]
    if count == NO_PATH:
        raise PlacementError(f"No sequence of keys leads from the spawn to {placement}.")
    return tuple((0, GAME_KEYS[key]) for key in keys[:count].tolist())


def make_position_after(position: Any, placement: Placement) -> Any:
    """Return the position after a legal placement, in which no garbage rises.

    An unknown piece that is put into the hold box is left out.
    """
    if position.piece is None:
        return replace(make_position_after(replace(position, piece=placement.piece), placement), hold="")
    games: FullGameRecords = position.to_game_records()
    record: Any = games[0]
    waiting = record.batch_due.copy()
    record.batch_due[:] = _NEVER
    place_piece(games, get_engine_settings(position.rules).rules, encode_in_game(placement))  # type: ignore[arg-type]
    left = int((record.batch_due[: record.batch_count] == _NEVER).sum())
    record.batch_due[:left] = waiting[len(position.garbage) - left : len(position.garbage)]
    known = "".join(PIECES[number] for number in record.queue[: record.known].tolist())
    counters: dict[str, Any] = {name: int(getattr(record, name)) for name in ("pieces", "lines", "score", "frames")}
    return position._from_engine(
        board=Board(tuple(record.board.tolist()), position.board.rows),
        piece=known[:1] or None,
        next=known[1:],
        rules=position.rules,
        bag=position.bag,
        **counters,
        **read_modern_fields(record, position.rules),
    )
