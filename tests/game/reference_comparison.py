"""The engine's friendly face and the reference side by side: the same rules, boards and placements for both."""

from collections.abc import Iterable
from dataclasses import fields
from random import Random
from typing import Any

from reference.board import Board as SlowBoard
from reference.board import Placement as SlowPlacement
from reference.board import picture
from reference.movement import Well, resting_places
from reference.pieces import PIECES
from reference.random_boards import HEIGHTS, board_to_move_in
from reference.rules import Rules as SlowRules
from tetrion import Board, Placement, Position, Rules

ROTATIONS = ("top-left", "tutorial", "nes")
KEYS = (
    "left+right+rotate",
    "left+right+rotate+down",
    "left+right+rotate+back+down",
    "left+right+rotate+back+down+drop",
)


def slow_rules(rules: Rules) -> SlowRules:
    """The engine's rules for the reference."""
    return SlowRules.from_mapping({field.name: getattr(rules, field.name) for field in fields(rules)})


def fast_board(board: SlowBoard) -> Board:
    """The reference's board for the engine."""
    return Board.from_text(picture(board), rows=len(board))


def filled_cells(board: Board) -> SlowBoard:
    """The engine's board for the reference."""
    return [[bool(column >> row & 1) for column in board.columns] for row in range(board.rows)]


def seen(placement: Placement) -> SlowPlacement:
    """The engine's placement for the reference."""
    return SlowPlacement(placement.rotation, placement.column, placement.row)


def all_seen(placements: Iterable[Placement]) -> list[SlowPlacement]:
    return [seen(placement) for placement in placements]


def random_rules(random: Random, **changes: Any) -> Rules:
    """Rules under which pieces enter, turn and lock in some way."""
    height = random.choice(HEIGHTS)
    some: dict[str, Any] = {
        "height": height,
        "hidden": min(random.choice([0, 0, 1, 2, 4]), 28 - height),
        "entry": random.randint(0, 4),
        "rotation": random.choice(ROTATIONS),
        "keys": random.choice(KEYS),
        "lock_keys": "none",
        "lock": random.choice(["gravity", "gravity", 0]),
    }
    return Rules.from_preset("standard").with_(**some | changes)


def any_rules(random: Random) -> Rules:
    """Rules of which nothing is known before; low wells, so that games have an end."""
    rules = random_rules(
        random, height=random.choice([5, 6, 8, 12]), movement=random.choice(["drop", "reach", "timed"])
    )
    keys = rules.keys.split("+")
    lock_keys = [key for key in ("down", "drop") if key in keys and random.random() < 0.6]
    return rules.with_(
        preview=random.choice([0, 0, 1, 2, 6]),
        randomiser=random.choice(["uniform", "bag", "sz", "nes", "nes-8988", "nes-counts", "adversary", "script-IIO"]),
        lock_keys="+".join(lock_keys) or "none",
        lock_delay=random.choice(["gravity", 0] if rules.movement == "timed" else ["gravity", 0, 1, 7, 30]),
        scoring=random.choice(["lines", "flat", "tetrais", "nes"]),
        start_level=random.choice([0, 1, 8, 9, 10, 17, 18, 28, 29]),
        level_system=random.choice(["fixed", "tens", "nes"]),
        game_over=random.choice(["room", "room", "entry", "top-row", "above"]),
        gravity=random.choice([0, 1, 3, 10, 48, "gavrilov", "tetrais", "nes"]),
        spawn_delay=random.choice([0, 0, 1, 5, "nes"]),
        clear_delay=random.choice([0, 4, 18]),
        das=random.choice([0, 1, 5, 16]),
        arr=random.choice([0, 1, 2, 6]),
        soft_drop_interval=random.choice([0, 1, 2, 5]),
        thinking_frames=random.choice([0, 0, 5, 40]),
        frames_per_key=random.choice([1, 2, 10]),
    )


class Case:
    """A board, a piece and rules by which both are asked what can be done."""

    def __init__(self, rules: Rules, board: SlowBoard, piece: str) -> None:
        self.rules = rules
        self.board = board
        self.piece = piece
        self.well = Well(board, piece, slow_rules(rules))
        self.position = Position.from_board(fast_board(board), piece, rules=rules)

    @classmethod
    def by_chance(cls, random: Random, rules: Rules) -> "Case":
        piece = random.choice(PIECES)
        return cls(rules, board_to_move_in(random, rules.height + rules.hidden_rows, piece), piece)

    def gravity(self) -> int:
        """The frames that a row takes for the first piece of a game."""
        return self.well.rules.frames_per_row(self.rules.start_level, 0)

    def expected(self) -> list[SlowPlacement]:
        return list(resting_places(self.well, self.gravity()))

    def got(self) -> list[SlowPlacement]:
        return all_seen(self.position.placements())

    def __str__(self) -> str:
        return f"{self.rules}, piece {self.piece} on\n{picture(self.board)}\n"


def compare_placements(case: Case) -> int:
    """Both find the same places to rest in the same order; tells how many."""
    expected, got = case.expected(), case.got()
    if expected != got:
        missing, wrong = sorted(set(expected) - set(got)), sorted(set(got) - set(expected))
        raise AssertionError(f"{case}expected {expected}\ngot {got}\nmissing {missing}\nwrong {wrong}")
    return len(expected)
