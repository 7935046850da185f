"""The keys to every placement equal those of the reference and reach the placement in a real-time game."""

from collections import Counter
from random import Random

import pytest

from tests.game.reference_comparison import (
    Case,
    make_random_key_rules,
    make_random_rules,
    to_engine_board,
    to_slow_placement,
    to_slow_rules,
)
from tests.reference.board import Board as SlowBoard, picture
from tests.reference.movement import PieceMotion, find_paths
from tests.reference.pieces import PIECES
from tests.reference.random_boards import HEIGHTS, board_to_move_in
from tetrion import Game, Placement, Position, Rules
from tetrion.engine.rules import PRESETS
from tetrion.game import tick_until_lock

MODERN_PRESETS = [name for name in PRESETS if Rules(name).is_modern]
OTHER_PRESETS = [name for name in PRESETS if name not in MODERN_PRESETS]
MAX_FALL_FRAMES = 200_000  # more than the slowest gravity takes on the tallest board


def choose_rules(random: Random, number: int) -> Rules:
    """Return the presets in turn, except modern ones, and random rules for every third case."""
    if number % 3 == 0:
        return make_random_rules(random, movement=random.choice(["drop", "reach"]), gravity=random.choice([1, 3, 50]))
    return Rules(OTHER_PRESETS[number % len(OTHER_PRESETS)])


def make_cases(seed: int, count: int) -> list[Case]:
    cases = []
    for number in range(count):
        random = Random(f"keys, seed {seed}, board {number}")
        cases.append(Case.from_random(random, choose_rules(random, number)))
    return cases


def test_keys_of_every_placement() -> None:
    compare_keys(0, boards=90)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 44))
def test_keys_of_every_placement_on_many_boards(seed: int) -> None:
    compare_keys(seed, boards=1_000)


def compare_keys(seed: int, boards: int) -> None:
    for case in make_cases(seed, boards):
        expected = find_paths(case.motion)
        for placement in case.position.placements():
            if to_slow_placement(placement) in expected:
                context = f"{case}{placement}"
                keys = case.position.find_keys(placement)
                assert list(keys) == expected[to_slow_placement(placement)], context
                check_keys(case, placement, keys, context)


def check_keys(case: Case, placement: Placement, keys: tuple[str, ...], context: str) -> None:
    """Press the keys in a game; where the rules have no key down, wait for gravity instead."""
    game = Game.from_position(case.position)
    for key in keys:
        if key == "down" and not case.motion.rules.has_key("down"):
            game.tick(case.compute_gravity())
        else:
            game.press(key)
    if game.pieces == 0:
        assert game.falling_piece == placement, context
    check_lock(case, game, placement, context)


def check_lock(case: Case, game: Game, placement: Placement, context: str) -> None:
    """Wait until the piece locks; without spawn delay, further pieces may have locked at their spawn."""
    if game.pieces == 0:
        tick_until_lock(game, MAX_FALL_FRAMES)
    assert game.placements_made[:1] == [placement], context
    if game.pieces == 1:
        assert game.board == case.position.after(placement).board, context


def carve_t_slot(random: Random, board: SlowBoard) -> None:
    """Change a board so that T can be rotated into a gap below an overhang."""
    x, y, side = random.randint(1, 8), random.randint(1, len(board) // 2), random.choice([-1, 1])
    for row in board[y + 1 :]:
        row[x] = row[x + side] = False
    board[y][x - 1 : x + 2] = [False, False, False]
    board[y - 1][x - 1 : x + 2] = [True, False, True]
    board[y + 1][x - side] = True


def make_rules_without_gravity(random: Random) -> Rules:
    """Return random rules without gravity, so that only keys move a piece, with the keys down and drop."""
    turns = [key for key in ("back", "half") if random.random() < 0.7]
    height = random.choice(HEIGHTS)
    return make_random_key_rules(
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


def check_keys_with_spins(seed: int) -> Counter[str]:
    """Compare the keys of all placements on a random board with the reference, and press them.

    Return the number of placements by spin.
    """
    random = Random(f"modern keys, {seed}")
    rules = make_rules_without_gravity(random)
    pieces = "".join(random.choices(PIECES + "TTTTTT", k=2))
    board = board_to_move_in(random, rules.rows, pieces[0])
    if seed % 2:
        carve_t_slot(random, board)
    position = Position.from_board(to_engine_board(board), pieces[0], pieces[1:], rules)
    start = Game.from_position(position)
    slow_rules = to_slow_rules(rules)
    expected = {piece: find_paths(PieceMotion(board, piece, slow_rules)) for piece in pieces}
    counts = Counter[str]()
    for placement in start.placements():
        context = f"{rules}, seed {seed}, {placement} on\n{picture(board)}"
        keys = position.find_keys(placement)
        path = expected[placement.piece][to_slow_placement(placement)._replace(with_hold=False)]
        assert list(keys) == ["hold"] * placement.hold + path, context
        press_keys(position, placement, keys, context)
        counts[placement.spin] += 1
    return counts


def press_keys(position: Position, placement: Placement, keys: tuple[str, ...], context: str) -> None:
    """Press keys and drop the piece if it has not locked; it must lock as the placement says, with its spin."""
    game = Game.from_position(position)
    for key in keys:
        game.press(key)
    if game.pieces == 0:
        game.press("drop")
    assert game.placements_made[0] == placement, context


def test_keys_of_placements_with_spins() -> None:
    counts = sum((check_keys_with_spins(seed) for seed in range(24)), Counter())
    assert counts["none"] > 700
    assert counts["mini"] > 2
    assert counts["full"] > 4


@pytest.mark.slow
@pytest.mark.parametrize("group", range(20))
def test_keys_of_placements_with_spins_on_many_boards(group: int) -> None:
    for seed in range(1_000 + 200 * group, 1_200 + 200 * group):
        check_keys_with_spins(seed)


def make_random_timed_case(seed: int, number: int) -> Case:
    random = Random(f"timed keys, seed {seed}, board {number}")
    if number % 3 == 0:
        level = random.choice([0, 5, 9, 12, 18, 19, 28, 29])
        rules = Rules("nes").replace(start_level=level, thinking_frames=random.choice([0, 0, 4, 20]))
    else:
        rules = make_random_rules(
            random,
            movement="timed",
            gravity=random.choice([1, 2, 3, 5, 8, 18, 48]),
            frames_per_key=random.choice([1, 2, 3, 6, 10]),
            thinking_frames=random.choice([0, 0, 1, 5, 30]),
        )
    return Case.from_random(random, rules)


def test_timed_keys_of_every_placement() -> None:
    for number in range(60):
        check_timed_keys(make_random_timed_case(0, number))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1, 42))
def test_timed_keys_of_every_placement_on_many_boards(seed: int) -> None:
    for number in range(500):
        check_timed_keys(make_random_timed_case(seed, number))


def check_timed_keys(case: Case) -> None:
    """Press each key in its frame; every frame allows exactly one key."""
    rules = case.rules
    for placement in case.position.placements():
        context = f"{case}{placement}"
        timed = case.position.find_timed_keys(placement)
        frames = [frame for frame, _ in timed]
        assert frames == sorted(set(frames)), context
        assert all(frame >= rules.thinking_frames for frame in frames), context
        assert all((frame - rules.thinking_frames) % rules.frames_per_key == 0 for frame in frames), context
        assert all(case.motion.rules.has_key(key) for _, key in timed), context

        game = Game.from_position(case.position)
        frame = 0
        for at, key in timed:
            if at > frame:
                game.tick(at - frame)
                frame = at
            assert game.pieces == 0, context
            game.press(key)
        check_lock(case, game, placement, context)
