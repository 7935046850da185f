"""The keys of every placement: those of the reference, and in a real game they lead there."""

from random import Random

import pytest

from game.reference_comparison import Case, random_rules, seen
from reference.movement import paths
from tetrion import Game, Placement, Rules
from tetrion.engine.rules import PRESETS

LONGEST_FALL = 200_000  # frames; more than the slowest gravity takes for the tallest well


def rules_to_try(random: Random, number: int) -> Rules:
    """One preset after another, and now and then rules by chance."""
    names = list(PRESETS)
    if number % 3 == 0:
        return random_rules(random, movement=random.choice(["drop", "reach"]), gravity=random.choice([1, 3, 50]))
    return Rules.from_preset(names[number % len(names)])


def some_cases(seed: int, count: int) -> list[Case]:
    cases = []
    for number in range(count):
        random = Random(f"keys, seed {seed}, board {number}")
        cases.append(Case.by_chance(random, rules_to_try(random, number)))
    return cases


@pytest.mark.parametrize("seed", range(4))
def test_keys_of_every_placement(seed: int) -> None:
    compare_keys(seed, boards=150)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4, 44))
def test_keys_of_every_placement_on_many_boards(seed: int) -> None:
    compare_keys(seed, boards=1_000)


def compare_keys(seed: int, boards: int) -> None:
    for case in some_cases(seed, boards):
        expected = paths(case.well)
        for placement in case.position.placements():
            if seen(placement) in expected:
                about = f"{case}{placement}"
                keys = case.position.find_keys(placement)
                assert list(keys) == expected[seen(placement)], about
                check_that_keys_lead_there(case, placement, keys, about)


def check_that_keys_lead_there(case: Case, placement: Placement, keys: tuple[str, ...], about: str) -> None:
    """Press the keys in a game that begins there; a row down is waited for where no key goes down."""
    game = Game.from_position(case.position)
    for key in keys:
        if key == "down" and not case.well.rules.has_key("down"):
            game.tick(case.gravity())
        else:
            game.press(key)
    if game.pieces == 0:
        assert game.falling_piece == placement, about
    check_that_it_locks_there(case, game, placement, about)


def check_that_it_locks_there(case: Case, game: Game, placement: Placement, about: str) -> None:
    """Wait for the lock; without delays more pieces may have locked since, which rest where they enter."""
    if game.pieces == 0:
        game.tick_until_lock(LONGEST_FALL)
    assert game.placements_made[:1] == [placement], about
    if game.pieces == 1:
        assert game.board == case.position.after(placement).board, about


def random_timed_case(seed: int, number: int) -> Case:
    random = Random(f"timed keys, seed {seed}, board {number}")
    if number % 3 == 0:
        level = random.choice([0, 5, 9, 12, 18, 19, 28, 29])
        rules = Rules.from_preset("nes").with_(start_level=level, thinking_frames=random.choice([0, 0, 4, 20]))
    else:
        rules = random_rules(
            random,
            movement="timed",
            gravity=random.choice([1, 2, 3, 5, 8, 18, 48]),
            frames_per_key=random.choice([1, 2, 3, 6, 10]),
            thinking_frames=random.choice([0, 0, 1, 5, 30]),
        )
    return Case.by_chance(random, rules)


@pytest.mark.parametrize("seed", range(2))
def test_timed_keys_of_every_placement(seed: int) -> None:
    for number in range(150):
        check_timed_keys(random_timed_case(seed, number))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 42))
def test_timed_keys_of_every_placement_on_many_boards(seed: int) -> None:
    for number in range(500):
        check_timed_keys(random_timed_case(seed, number))


def check_timed_keys(case: Case) -> None:
    """Press each key in its frame; the frames are such in which a key can be pressed, one in each of them."""
    rules = case.rules
    for placement in case.position.placements():
        about = f"{case}{placement}"
        timed = case.position.find_timed_keys(placement)
        frames = [frame for frame, _ in timed]
        assert frames == sorted(set(frames)), about
        assert all(frame >= rules.thinking_frames for frame in frames), about
        assert all((frame - rules.thinking_frames) % rules.frames_per_key == 0 for frame in frames), about
        assert all(case.well.rules.has_key(key) for _, key in timed), about

        game = Game.from_position(case.position)
        frame = 0
        for at, key in timed:
            if at > frame:
                game.tick(at - frame)
                frame = at
            assert game.pieces == 0, about
            game.press(key)
        check_that_it_locks_there(case, game, placement, about)
