"""Reachable placements, with and without time limits, compared with the reference's search cell by cell."""

from collections.abc import Iterable
from dataclasses import replace
from random import Random

import pytest

from tests.game.reference_comparison import (
    Case,
    compare_placements,
    make_random_rules,
)
from tests.reference.board import Placement, empty_board
from tests.reference.movement import PieceMotion, find_paths
from tests.reference.pieces import PIECES
from tests.reference.random_boards import board_to_move_in
from tetrion import Board, Position, Rules

Cells = set[tuple[int, int]]


@pytest.mark.parametrize("seed", range(3))
def test_reach_on_random_boards(seed: int) -> None:
    found = 0
    for number in range(150):
        random = Random(f"reach, seed {seed}, board {number}")
        found += compare_placements(Case.from_random(random, make_random_rules(random, movement="reach")))
    assert found > 1_500


def test_reach_on_low_stacks() -> None:
    """The engine does not search the rows far above a low stack."""
    for number in range(60):
        random = Random(f"low stacks, board {number}")
        rules = make_random_rules(random, movement="reach", height=random.choice([16, 20]))
        stack_rows = random.randint(4, 12)
        board = board_to_move_in(random, stack_rows, random.choice(PIECES)) + empty_board(rules.rows - stack_rows)
        compare_placements(Case(rules, board, random.choice(PIECES)))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3, 110))
def test_reach_on_many_random_boards(seed: int) -> None:
    for number in range(2_000):
        random = Random(f"reach, seed {seed}, board {number}")
        compare_placements(Case.from_random(random, make_random_rules(random, movement="reach")))


# In the drawings `#` is a filled cell and a letter marks the placement of a piece.

SLIDES = {
    "T under a roof": """
        #####.....
        ...T......
        ..TTT.....
    """,
    "I along the floor under a roof": """
        ######....
        IIII......
    """,
    "O into a corner": """
        ########..
        OO........
        OO........
    """,
}
SPINS = {
    "T into a slot": """
        ####......
        ###TTT####
        ####T#####
    """
}


def parse_drawing(text: str, height: int = 12) -> tuple[Board, str, Cells]:
    """Return the board of a drawing, its piece and the cells of the placement."""
    rows = text.split()
    letter = next(sign for row in rows for sign in row if sign in PIECES)
    target = {(x, len(rows) - 1 - y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == letter}
    return Board.from_text([row.replace(letter, ".") for row in rows], rows=height), letter, target


def can_rest(text: str, rules: str) -> bool:
    board, piece, target = parse_drawing(text)
    position = Position.from_board(board, piece, rules=Rules.parse(rules))
    return any(set(placement.cells) == target for placement in position.placements())


@pytest.mark.parametrize("rotation", ["top-left", "tutorial", "nes"])
@pytest.mark.parametrize("text", SLIDES.values(), ids=list(SLIDES))
def test_documented_slides(text: str, rotation: str) -> None:
    assert can_rest(text, f"standard:height=12,movement=reach,rotation={rotation}")
    assert not can_rest(text, f"standard:height=12,movement=drop,rotation={rotation}")
    assert not can_rest(text, f"standard:height=12,movement=reach,lock_delay=0,rotation={rotation}")


@pytest.mark.parametrize("text", SPINS.values(), ids=list(SPINS))
def test_documented_spins(text: str) -> None:
    """A rotation context the centre reaches the slot; a rotation context the top left cell does not."""
    assert can_rest(text, "standard:height=12,movement=reach,rotation=tutorial")
    assert can_rest(text, "standard:height=12,movement=reach,rotation=nes")
    assert not can_rest(text, "standard:height=12,movement=reach,rotation=top-left")
    assert not can_rest(text, "standard:height=12,movement=drop,rotation=tutorial")


def make_random_timed_rules(random: Random, **changes: object) -> Rules:
    values: dict[str, object] = {
        "movement": "timed",
        "gravity": random.choice([1, 2, 3, 5, 8, 18, 48, 370]),
        "frames_per_key": random.choice([1, 2, 3, 4, 6, 10, 100]),
        "thinking_frames": random.choice([0, 0, 1, 2, 5, 30, 200]),
    }
    return make_random_rules(random, **values | changes)


@pytest.mark.parametrize("seed", range(2))
def test_timed_on_random_boards(seed: int) -> None:
    fewer = 0
    for number in range(75):
        random = Random(f"timed, seed {seed}, board {number}")
        case = Case.from_random(random, make_random_timed_rules(random))
        fewer += compare_placements(case) < len(find_paths(case.motion))
    assert fewer > 10


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 54))
def test_timed_on_many_random_boards(seed: int) -> None:
    for number in range(1_000):
        random = Random(f"timed, seed {seed}, board {number}")
        compare_placements(Case.from_random(random, make_random_timed_rules(random)))


KICK_OPTIONS = [(rotation, kicks) for rotation in ("srs", "srs+") for kicks in ("none", "jstris", "tetrio")]


def use_kicks(rules: Rules, rotation: str, half_turn_kicks: str) -> Rules:
    """Return the rules with all keys and a rotation system that has kicks."""
    keys = "left+right+rotate+back+half+down+drop"
    spawn_height = min(rules.spawn_height, 31 - rules.height)
    return rules.replace(rotation=rotation, half_turn_kicks=half_turn_kicks, keys=keys, spawn_height=spawn_height)


@pytest.mark.parametrize(("rotation", "half_turn_kicks"), KICK_OPTIONS)
def test_reach_with_kicks(rotation: str, half_turn_kicks: str) -> None:
    """Placements with the kicks of every rotation system."""
    kicked = 0
    for number in range(30):
        random = Random(f"kicks, board {number}")
        rules = use_kicks(make_random_rules(random, movement="reach"), rotation, half_turn_kicks)
        case = Case.from_random(random, rules)
        compare_placements(case)
        kicked += set(case.find_expected()) != set(find_paths_without_kicks(case))
    assert kicked > 2


def find_paths_without_kicks(case: Case) -> Iterable[Placement]:
    motion = PieceMotion(case.board, case.piece, replace(case.motion.rules, half_turn_kicks="none"))
    motion.rotation = motion.rotation._replace(kicks={})
    return find_paths(motion)


@pytest.mark.parametrize(("rotation", "half_turn_kicks"), KICK_OPTIONS)
def test_timed_with_kicks(rotation: str, half_turn_kicks: str) -> None:
    for number in range(15):
        random = Random(f"kicks in time, board {number}")
        rules = use_kicks(make_random_timed_rules(random), rotation, half_turn_kicks)
        compare_placements(Case.from_random(random, rules))
