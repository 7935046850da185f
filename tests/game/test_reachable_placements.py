"""Where a piece can get to, by any path or in time, against the reference's search cell by cell."""

from collections.abc import Iterable
from random import Random

import pytest

from game.reference_comparison import Case, all_seen, compare_placements, fast_board, random_rules
from reference.board import Placement
from reference.movement import Well, paths
from reference.pieces import PIECES
from reference.rotations import ROTATIONS
from tetrion import Board, Position, Rules
from tetrion.engine import rotation_systems

Cells = set[tuple[int, int]]


@pytest.mark.parametrize("seed", range(10))
def test_reach_on_random_boards(seed: int) -> None:
    found = 0
    for number in range(500):
        random = Random(f"reach, seed {seed}, board {number}")
        found += compare_placements(Case.by_chance(random, random_rules(random, movement="reach")))
    assert found > 5_000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 110))
def test_reach_on_many_random_boards(seed: int) -> None:
    for number in range(2_000):
        random = Random(f"reach, seed {seed}, board {number}")
        compare_placements(Case.by_chance(random, random_rules(random, movement="reach")))


def test_the_random_boards_need_slides_and_turns_and_have_caves() -> None:
    """What the reference finds on them: places that no straight drop leads to, and free places without a path."""
    slides = closed = 0
    for number in range(300):
        random = Random(f"reach, seed 0, board {number}")
        case = Case.by_chance(random, random_rules(random, movement="reach"))
        reached, dropped = set(case.expected()), set(all_seen(dropping(case).placements()))
        slides += bool(reached - dropped)
        closed += len(reached) == 0
    assert slides > 60
    assert 10 < closed < 150


def dropping(case: Case) -> Position:
    return Position.from_board(fast_board(case.board), case.piece, rules=case.rules.with_(movement="drop"))


# Pictures: `#` is filled, a letter is where a piece is to rest.

SLIDES = {
    "T under a roof": """
        #####.....
        ...T......
        ..TTT.....
    """,
    "S under a roof": """
        ......####
        ......SS..
        #....SS.##
    """,
    "Z under a roof": """
        ####......
        ..ZZ......
        ##.ZZ....#
    """,
    "J under a roof": """
        #####.....
        .J........
        .JJJ......
    """,
    "L under a roof": """
        .....#####
        ........L.
        ......LLL.
    """,
    "I along the floor under a roof": """
        ######....
        IIII......
    """,
    "I along the floor, the other way": """
        ....######
        ......IIII
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
    """,
    "T into a slot, the other way": """
        ......####
        ####TTT###
        #####T####
    """,
}
CAVES = {
    "T": """
        .#########
        #########.
        #...T....#
        #..TTT...#
    """,
    "I": """
        .#########
        #########.
        .IIII.....
    """,
    "O": """
        ####.#####
        #.########
        #..OO....#
        #..OO....#
    """,
    "S": """
        ####..####
        #########.
        #...SS...#
        #..SS....#
    """,
}


def drawn(text: str, height: int = 12) -> tuple[Board, str, Cells]:
    """The board of a picture, the piece in it and the cells where that is to rest."""
    rows = text.split()
    letter = next(sign for row in rows for sign in row if sign in PIECES)
    target = {(x, len(rows) - 1 - y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == letter}
    return Board.from_text([row.replace(letter, ".") for row in rows], rows=height), letter, target


def can_rest(text: str, rules: str) -> bool:
    board, piece, target = drawn(text)
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
    """A turn about the centre leads where no slide does; a turn about the top left cell does not."""
    assert can_rest(text, "standard:height=12,movement=reach,rotation=tutorial")
    assert can_rest(text, "standard:height=12,movement=reach,rotation=nes")
    assert not can_rest(text, "standard:height=12,movement=reach,rotation=top-left")
    assert not can_rest(text, "standard:height=12,movement=drop,rotation=tutorial")


def test_a_turn_backwards_needs_its_key() -> None:
    text = """
        ##.#.L.##.
        .##LLL#..#
        .#.#..##..
    """
    rules = "standard:height=12,movement=reach,rotation=tutorial,lock_keys=none,keys=left+right+rotate"
    assert can_rest(text, f"{rules}+back")
    assert not can_rest(text, rules)


@pytest.mark.parametrize("rotation", ["top-left", "tutorial", "nes"])
@pytest.mark.parametrize("text", CAVES.values(), ids=list(CAVES))
def test_closed_caves_are_not_entered(text: str, rotation: str) -> None:
    board, piece, _ = drawn(text)
    placements = Position.from_board(
        board, piece, rules=f"standard:height=12,movement=reach,rotation={rotation}"
    ).placements()
    assert placements
    assert all(placement.row >= len(text.split()) - 1 for placement in placements)


# In time.


def random_timed_rules(random: Random, **changes: object) -> Rules:
    some: dict[str, object] = {
        "movement": "timed",
        "gravity": random.choice([1, 2, 3, 5, 8, 18, 48, 370]),
        "key_every": random.choice([1, 2, 3, 4, 6, 10, 100]),
        "thinking": random.choice([0, 0, 1, 2, 5, 30, 200]),
    }
    return random_rules(random, **some | changes)


@pytest.mark.parametrize("seed", range(4))
def test_timed_on_random_boards(seed: int) -> None:
    fewer = 0
    for number in range(150):
        random = Random(f"timed, seed {seed}, board {number}")
        case = Case.by_chance(random, random_timed_rules(random))
        fewer += compare_placements(case) < len(paths(case.well))
    assert fewer > 20


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 54))
def test_timed_on_many_random_boards(seed: int) -> None:
    for number in range(1_000):
        random = Random(f"timed, seed {seed}, board {number}")
        compare_placements(Case.by_chance(random, random_timed_rules(random)))


def test_without_gravity_time_does_not_matter() -> None:
    for number in range(300):
        random = Random(f"no gravity, board {number}")
        rules = random_timed_rules(random, gravity=0)
        case = Case.by_chance(random, rules)
        reaching = Case(rules.with_(movement="reach"), case.board, case.piece)
        assert case.got() == reaching.got(), str(case)


def test_keys_that_come_too_late_change_nothing() -> None:
    """A piece that nobody moves falls straight down from where it enters."""
    for number in range(300):
        random = Random(f"no keys, board {number}")
        case = Case.by_chance(
            random, random_timed_rules(random, gravity=random.choice([1, 7, 48]), thinking_frames=100_000)
        )
        well = case.well
        expected = [well.placement(well.dropped(well.entrance))] if well.fits(well.entrance) else []
        assert case.got() == [place for place in expected if well.is_on_board(place)], str(case)


# Kicks, which no named rotation has yet.


def picture_of(cells: list[tuple[int, int]]) -> list[str]:
    return ["".join("#" if (x, y) in cells else "." for x in range(4)) for y in range(4)]


def with_kicks() -> rotation_systems.RotationSystem:
    """The reference's system with kicks for the engine."""
    slow = ROTATIONS["super"]
    kicks: dict[str, dict[tuple[int, int], tuple[tuple[int, int], ...]]] = {piece: {} for piece in PIECES}
    for (piece, before, after), tries in slow.kicks.items():
        kicks[piece][before, after] = tuple(tries)
    return rotation_systems.RotationSystem(
        {piece: [picture_of(cells) for cells in states] for piece, states in slow.states.items()},
        {piece: (slow.left[piece], slow.down[piece]) for piece in PIECES},
        kicks,
    )


@pytest.fixture
def super_rotation(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setitem(rotation_systems.ROTATION_SYSTEMS, "super", with_kicks())
    return "super"


def test_reach_with_kicks(super_rotation: str) -> None:
    kicked = 0
    for number in range(400):
        random = Random(f"kicks, board {number}")
        case = Case.by_chance(random, random_rules(random, movement="reach", rotation=super_rotation))
        compare_placements(case)
        kicked += set(case.expected()) != set(without_kicks(case))
    assert kicked > 20


def without_kicks(case: Case) -> Iterable[Placement]:
    well = Well(case.board, case.piece, case.well.rules)
    well.rotation = well.rotation._replace(kicks={})
    return paths(well)


def test_timed_with_kicks(super_rotation: str) -> None:
    for number in range(200):
        random = Random(f"kicks in time, board {number}")
        compare_placements(Case.by_chance(random, random_timed_rules(random, rotation=super_rotation)))
