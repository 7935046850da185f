"""Conversion of rules, boards and placements between the engine and the reference, and random cases for both."""

from collections.abc import Iterable
from dataclasses import fields
from random import Random
from typing import Any

from tests.reference.board import Board as SlowBoard, Placement as SlowPlacement, picture
from tests.reference.movement import PieceMotion, find_placements
from tests.reference.pieces import PIECES
from tests.reference.random_boards import HEIGHTS, board_to_move_in
from tests.reference.rules import Rules as SlowRules
from tetrion import Board, Placement, Position, Rules

ROTATIONS = ("top-left", "tutorial", "nes", "srs", "srs+")
KEYS = (
    "left+right+rotate",
    "left+right+rotate+down",
    "left+right+rotate+back+down",
    "left+right+rotate+back+down+drop",
    "left+right+rotate+half+drop",
    "left+right+rotate+back+half+down+drop",
)


def to_slow_rules(rules: Rules) -> SlowRules:
    """Convert the engine's rules for the reference."""
    return SlowRules.from_mapping({field.name: getattr(rules, field.name) for field in fields(rules)})


def to_engine_board(board: SlowBoard) -> Board:
    """Convert a board of the reference for the engine."""
    return Board.from_text(picture(board), rows=len(board))


def to_slow_board(board: Board) -> SlowBoard:
    """Convert a board of the engine for the reference."""
    return [[bool(column >> row & 1) for column in board.columns] for row in range(board.rows)]


def to_slow_placement(placement: Placement) -> SlowPlacement:
    """Convert a placement of the engine for the reference."""
    return SlowPlacement(placement.rotation, placement.column, placement.row)


def to_slow_placements(placements: Iterable[Placement]) -> list[SlowPlacement]:
    return [to_slow_placement(placement) for placement in placements]


def make_random_rules(random: Random, **changes: Any) -> Rules:
    """Return random rules for spawning, rotating and locking."""
    height = random.choice(HEIGHTS)
    values: dict[str, Any] = {
        "height": height,
        "hidden_rows": min(random.choice([0, 0, 1, 2, 4, 8]), 28 - height),
        "spawn_height": random.randint(0, 4),
        "rotation": random.choice(ROTATIONS),
        "keys": random.choice(KEYS),
        "lock_keys": "none",
        "lock_delay": random.choice(["gravity", "gravity", 0]),
    }
    values |= changes
    if values["rotation"].startswith("srs"):
        values["spawn_height"] = min(values["spawn_height"], 31 - values["height"])
        if "half" in values["keys"]:
            values["half_turn_kicks"] = random.choice(["none", "jstris", "tetrio"])
    return Rules.from_preset("standard").with_(**values)


def make_random_full_rules(random: Random) -> Rules:
    """Return random rules in every field; boards are low so that games end."""
    rules = make_random_rules(
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
        game_over=random.choice(["room", "room", "entry", "lock-out", "top-row", "above"]),
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
    """A board, a piece and rules, given to the engine and to the reference."""

    def __init__(self, rules: Rules, board: SlowBoard, piece: str) -> None:
        self.rules = rules
        self.board = board
        self.piece = piece
        self.motion = PieceMotion(board, piece, to_slow_rules(rules))
        self.position = Position.from_board(to_engine_board(board), piece, rules=rules)

    @classmethod
    def from_random(cls, random: Random, rules: Rules) -> "Case":
        piece = random.choice(PIECES)
        return cls(rules, board_to_move_in(random, rules.height + rules.hidden_rows, piece), piece)

    def compute_gravity(self) -> int:
        """Return the gravity of the first piece of a game, in frames per row."""
        return self.motion.rules.frames_per_row(self.rules.start_level, 0)

    def find_expected(self) -> list[SlowPlacement]:
        return list(find_placements(self.motion, self.compute_gravity()))

    def find_actual(self) -> list[SlowPlacement]:
        return to_slow_placements(self.position.placements())

    def __str__(self) -> str:
        return f"{self.rules}, piece {self.piece} on\n{picture(self.board)}\n"


def compare_placements(case: Case) -> int:
    """Check that engine and reference list the same placements in the same order; return the number of placements."""
    expected, got = case.find_expected(), case.find_actual()
    if expected != got:
        missing, wrong = sorted(set(expected) - set(got)), sorted(set(got) - set(expected))
        raise AssertionError(f"{case}expected {expected}\ngot {got}\nmissing {missing}\nwrong {wrong}")
    return len(expected)
