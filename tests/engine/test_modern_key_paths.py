"""The keys to every modern placement equal those of the reference, and lead there with its spin."""

from collections import Counter
from dataclasses import fields
from random import Random

import pytest

from tests.engine.key_games import KeyGame, make_random_modern_rules
from tests.reference.board import Board
from tests.reference.modern_movement import ModernMotion, SpinPlacement
from tests.reference.modern_real_time import RealTimeRules
from tests.reference.pieces import PIECES as PIECE_LETTERS
from tests.reference.random_boards import HEIGHTS, board_to_move_in
from tests.reference.spins import SPINS
from tetrion import Rules
from tetrion.engine.pieces import PIECES
from tetrion.engine.placements import decode_placement


def make_key_rules(random: Random) -> Rules:
    """Return random rules without gravity, so that only keys move a piece, with the keys down and drop."""
    turns = [key for key in ("back", "half") if random.random() < 0.7]
    height = random.choice(HEIGHTS)
    return make_random_modern_rules(
        random,
        height=height,
        hidden_rows=min(random.choice([0, 2, 4, 8]), 28 - height),
        spawn_height=min(random.randint(0, 4), 31 - height),
        keys="+".join(["left", "right", "rotate", *turns, "down", "drop"]),
        lock_keys="drop",
        half_turn_kicks=random.choice(["none", "jstris", "tetrio"]) if "half" in turns else "none",
        preview=random.choice([1, 5]),
        game_over="entry",
        gravity=0,
        spawn_delay=1,
        lock_resets=0,
        garbage_rows=0,
        initial_rotation=0,
        initial_hold=0,
    )


def check_keys_of_case(seed: int) -> Counter[str]:
    """Check the keys of all placements on a random board; return the number of placements by spin."""
    random = Random(f"modern keys, {seed}")
    rules = make_key_rules(random)
    pieces = "".join(random.choices(PIECE_LETTERS + "TTTTTT", k=2))
    board = board_to_move_in(random, rules.rows, pieces[0])
    if seed % 2:
        carve_t_slot(random, board)
    columns = tuple(sum(row[x] << y for y, row in enumerate(board)) for x in range(10))
    start = KeyGame(rules, seed, columns, pieces)
    if start.is_over:
        return Counter()
    expected = {piece: find_expected_keys(rules, board, piece) for piece in pieces}
    counts = Counter[str]()
    for code in start.list_placements():
        location, spin, with_hold = decode_placement(code)
        piece = pieces[with_hold]
        context = f"{rules}, seed {seed}, {piece} {location} {SPINS[spin]}"
        keys = start.find_keys(code)
        path = expected[piece][SpinPlacement(*location, SPINS[spin])]
        assert keys == ["hold"] * with_hold + path, context
        press_keys(KeyGame(rules, seed, columns, pieces), keys, (piece, *location, spin), context)
        counts[SPINS[spin]] += 1
    return counts


def carve_t_slot(random: Random, board: Board) -> None:
    """Change a board so that T can be rotated into a gap below an overhang."""
    x, y, side = random.randint(1, 8), random.randint(1, len(board) // 2), random.choice([-1, 1])
    for row in board[y + 1 :]:
        row[x] = row[x + side] = False
    board[y][x - 1 : x + 2] = [False, False, False]
    board[y - 1][x - 1 : x + 2] = [True, False, True]
    board[y + 1][x - side] = True


def find_expected_keys(rules: Rules, board: Board, piece: str) -> dict[SpinPlacement, list[str]]:
    values = {field.name: getattr(rules, field.name) for field in fields(rules)}
    return ModernMotion(board, piece, RealTimeRules.from_mapping(values)).find_paths()


def press_keys(game: KeyGame, keys: list[str], goal: tuple[str, int, int, int, int], context: str) -> None:
    """Press the keys and lock the piece; it must lock at the goal with its spin."""
    for key in keys:
        game.press(key)
    if game.game.pieces == 0:
        game.press("drop")
    piece, rotation, column, row, spin = goal
    orientation = int(game.record[0].orientations[PIECES.index(piece), rotation])
    assert game.placement == (orientation, column, row, spin), context


def test_keys_of_every_placement() -> None:
    counts = sum((check_keys_of_case(seed) for seed in range(50)), Counter())
    assert counts["none"] > 1_500
    assert counts["mini"] > 5
    assert counts["full"] > 10


@pytest.mark.slow
@pytest.mark.parametrize("group", range(20))
def test_keys_of_every_placement_on_many_boards(group: int) -> None:
    for seed in range(1_000 + 200 * group, 1_200 + 200 * group):
        check_keys_of_case(seed)
