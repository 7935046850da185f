"""Conversion of rules, boards and placements between the engine and the reference, and random cases for both."""

from collections.abc import Iterable
from dataclasses import fields
from random import Random
from typing import Any

from tests.reference.board import Board as SlowBoard, Placement as SlowPlacement, picture
from tests.reference.movement import PieceMotion, find_placements
from tests.reference.pieces import PIECES, WIDTH
from tests.reference.random_boards import HEIGHTS, board_to_move_in
from tests.reference.rules import Rules as SlowRules
from tetrion import Board, Placement, Position, Rules
from tetrion.engine.rules import CLOCKED_MOVEMENTS

ROTATIONS = ("top-left", "tutorial", "nes", "srs", "srs+")
KEYS = (
    "left+right+rotate",
    "left+right+rotate+down",
    "left+right+rotate+back+down",
    "left+right+rotate+back+down+drop",
    "left+right+rotate+half+drop",
    "left+right+rotate+back+half+down+drop",
)

MODERN_OPTIONS: dict[str, list[Any]] = {
    "hold": [0, 1],
    "spins": ["none", "t", "all-mini", "all"],
    "spin_kick": ["none", "any", "long", "late"],
    "attack": ["none", "libtetris", "guideline", "jstris", "tetrio", "tetrio-s1"],
    "garbage_rows": [0, 1, 3],
    "garbage_interval": [1, 2, 5],
    "garbage_delay": [0, 1, 4],
    "garbage_cap": [1, 2, 8],
    "start_garbage": [0, 0, 3],
    "garbage_interval_unit": ["pieces", "frames"],
    "garbage_delay_unit": ["pieces", "frames"],
    "garbage_blocking": ["combo", "none"],
    "garbage_clear_bonus": [0, 1, 3],
    "opener_pieces": [0, 14, 40],
    "attack_growth": [0, 8, 1000],
    "attack_growth_start": [0, 7],
    "placement_frames": [1, 3, 100],
    "frames_per_second": [1, 60, 59.94, 1000],
    "garbage_messiness": [0, 30, 100],
    "rotation": ["srs", "srs+"],
    "half_turn_kicks": ["none", "jstris", "tetrio"],
    "preview": [0, 1, 5],
    "randomiser": ["bag", "uniform", "only-T", "script-TSZTIT"],
    "scoring": ["lines", "guideline"],
    "level_system": ["fixed", "tens"],
    "game_over": ["entry", "lock-out", "top-row", "room"],
    "height": [6, 10, 20],
    "hidden_rows": [2, 8],
}
MODERN_DROP_SHARE = 0.1  # of the games in which pieces are dropped straight down
MODERN_DROP_RULES = {"movement": "drop", "spins": "none", "half_turn_kicks": "none", "rotation": "top-left"}
MODERN_BASE_RULES = "perft:start_level=1,keys=left+right+rotate+back+half+down+drop"


def to_slow_rules(rules: Rules) -> SlowRules:
    """Convert the engine's rules for the reference."""
    return SlowRules.from_mapping({field.name: getattr(rules, field.name) for field in fields(rules)})


def to_engine_board(board: SlowBoard) -> Board:
    """Convert a board of the reference for the engine."""
    return Board.from_text(picture(board), rows=len(board))


def to_slow_board(board: Board) -> SlowBoard:
    """Convert a board of the engine for the reference."""
    return [[bool(column >> row & 1) for column in board.columns] for row in range(board.rows)]


def to_columns(board: SlowBoard) -> list[int]:
    """Return a board of the reference as the engine represents it: ten columns, bit 0 for the lowest row."""
    return [sum(row[column] << number for number, row in enumerate(board)) for column in range(WIDTH)]


def to_slow_placement(placement: Placement) -> SlowPlacement:
    """Convert a placement of the engine for the reference."""
    return SlowPlacement(placement.rotation, placement.column, placement.row, placement.spin, placement.hold)


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
    return Rules("standard").replace(**values)


def make_random_research_rules(random: Random) -> Rules:
    """Return random rules in every field except those of modern games; boards are low so that games end."""
    rules = make_random_rules(
        random, height=random.choice([5, 6, 8, 12]), movement=random.choice(["drop", "reach", "timed", "steered"])
    )
    keys = rules.keys
    lock_keys = [key for key in ("down", "drop") if key in keys and random.random() < 0.6]
    lock_delay = random.choice(["gravity", 0] if rules.movement in CLOCKED_MOVEMENTS else ["gravity", 0, 1, 7, 30])
    changes: dict[str, Any] = dict(  # noqa: C408 -- reads as the rules do
        preview=random.choice([0, 0, 1, 2, 6]),
        randomiser=random.choice(["uniform", "bag", "sz", "nes", "nes-8988", "nes-counts", "adversary", "script-IIO"]),
        lock_keys="+".join(lock_keys) or "none",
        lock_delay=lock_delay,
        lock_resets=random.choice([0, 1, 15]) if lock_delay not in ("gravity", 0) else 0,
        scoring=random.choice(["lines", "flat", "tetrais", "nes"]),
        start_level=random.choice([0, 1, 8, 9, 10, 17, 18, 28, 29]),
        level_system=random.choice(["fixed", "tens", "nes"]),
        game_over=random.choice(["room", "room", "entry", "lock-out", "top-row", "above"]),
        gravity=random.choice([1 if rules.movement == "steered" else 0, 1, 3, 10, 48, "gavrilov", "tetrais", "nes"]),
        spawn_delay=random.choice([0, 0, 1, 5, "nes"]),
        clear_delay=random.choice([0, 4, 18]),
        das=random.choice([0, 1, 5, 16]),
        arr=random.choice([0, 1, 2, 6, "instant"]),
        soft_drop_interval=random.choice([0, 1, 2, 5, "instant"]),
        initial_rotation=random.choice([0, 0, 1]),
        thinking_frames=random.choice([0, 0, 5, 40]),
        frames_per_key=random.choice([1, 2, 10]),
        clearing=random.choice(["standard", "standard", "hanging"]),
    )
    return rules.replace(**changes)


def make_random_modern_rules(random: Random) -> Rules:
    """Return random rules of a modern game that is played by placements."""
    changes = {name: random.choice(values) for name, values in MODERN_OPTIONS.items()}
    if changes["attack"] == "none":
        changes |= {"scoring": "guideline", "garbage_clear_bonus": 0, "opener_pieces": 0, "attack_growth": 0}
    return Rules.parse(MODERN_BASE_RULES).replace(
        **changes | (MODERN_DROP_RULES if random.random() < MODERN_DROP_SHARE else {})
    )


def make_random_key_rules(random: Random, **changes: Any) -> Rules:
    """Return random rules of a modern game that is played with keys; boards are low so that games end."""
    keys = ["left", "right", "rotate"] + [key for key in ("back", "half", "down", "drop") if random.random() < 0.8]
    lock_keys = [key for key in ("down", "drop") if key in keys and random.random() < 0.6]
    lock_delay = random.choice(["gravity", 0, 1, 7, 30, 30])
    hold = random.choice([0, 1, 1])
    spins = "none" if lock_delay == 0 else random.choice(["none", "t", "all-mini", "all"])
    height = random.choice([5, 6, 8, 12])
    by_pieces = random.random() < 0.5
    values: dict[str, Any] = {
        "height": height,
        "hidden_rows": random.choice([0, 2, 4, 8]),
        "spawn_height": random.randint(0, 4),
        "preview": random.choice([0, 1, 2, 5]),
        "randomiser": random.choice(["uniform", "bag", "nes", "only-T", "script-IIO"]),
        "rotation": random.choice(["srs", "srs", "srs+"]),
        "half_turn_kicks": random.choice(["none", "jstris", "tetrio"]) if "half" in keys else "none",
        "movement": "reach",
        "keys": "+".join(keys),
        "lock_keys": "+".join(lock_keys) or "none",
        "lock_delay": lock_delay,
        "lock_resets": random.choice([0, 1, 2, 15]) if lock_delay not in ("gravity", 0) else 0,
        "hold": hold,
        "spins": spins,
        "spin_kick": random.choice(["none", "any", "long", "late"]),
        "attack": random.choice(["libtetris", "jstris", "tetrio"]),
        "attack_growth": random.choice([0, 0, 100, 1000]),
        "attack_growth_start": random.choice([0, 200]),
        "opener_pieces": random.choice([0, 10]),
        "garbage_clear_bonus": random.choice([0, 1]),
        "scoring": random.choice(["guideline", "guideline", "nes", "lines"]),
        "start_level": random.choice([0, 1, 5, 12, 15, 18, 20]),
        "level_system": random.choice(["fixed", "tens"]),
        "game_over": random.choice(["room", "entry", "lock-out", "above"]),
        "gravity": random.choice([0, 1, 3, 10, "guideline", "guideline", "guideline", "tetrio"]),
        "frames_per_second": random.choice([60, 60, 100, 59.94]),
        "spawn_delay": random.choice([0, 0, 1, 5]),
        "clear_delay": random.choice([0, 4]),
        "das": random.choice([0, 1, 5, 10]),
        "arr": random.choice(["instant", 0, 1, 2]),
        "soft_drop_interval": random.choice(["instant", 0, 1, 2]),
        "garbage_rows": random.choice([0, 0, 1, 2]),
        "garbage_interval": random.choice([1, 3, 5]) if by_pieces else random.choice([40, 100, 300]),
        "garbage_interval_unit": "pieces" if by_pieces else "frames",
        "garbage_delay": random.choice([0, 2, 20]),
        "garbage_delay_unit": random.choice(["pieces", "frames"]),
        "garbage_blocking": random.choice(["combo", "none"]),
        "placement_frames": 30,
        "garbage_messiness": random.choice([0, 30, 100]),
        "start_garbage": random.choice([0, 0, 3]),
        "initial_rotation": random.choice([0, 1]),
        "initial_hold": hold * random.choice([0, 1]),
    }
    return Rules("standard").replace(**(values | changes))


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
        return int(self.motion.rules.compute_gravity(self.rules.start_level, 0))

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
