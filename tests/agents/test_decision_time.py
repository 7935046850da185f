"""Decisions that take time: what can still be reached equals the reference, and the keys lead there from below."""

from random import Random

import pytest

from tests.game.reference_comparison import Case, make_random_rules
from tetrion import Game
from tetrion.agents.agent import find_keys_after_decision, is_decision_in_time

GRAVITY = 20  # frames per row
COLUMN_STEPS = {"left": -1, "right": 1}


def make_case(seed: int, number: int) -> Case:
    random = Random(f"decision time, seed {seed}, board {number}")
    return Case.from_random(
        random,
        make_random_rules(
            random,
            movement=random.choice(["drop", "reach"]),
            gravity=GRAVITY,
            frames_per_key=random.choice([1, 4, 15]),
        ),
    )


@pytest.mark.parametrize("seed", range(3))
def test_placements_in_time_equal_those_of_the_reference(seed: int) -> None:
    results = set()
    for number in range(30):
        case = make_case(seed, number)
        for rows in (0, 1, 4, 9):
            timed_rules = case.rules.replace(movement="timed", thinking_frames=rows * GRAVITY)
            expected = set(case.find_expected()) <= set(Case(timed_rules, case.board, case.piece).find_expected())
            assert is_decision_in_time(case.position, rows * GRAVITY) == expected, f"{case}{rows} rows"
            results.add((rows, expected))
    assert len(results) > 4, "not both results occurred"


@pytest.mark.parametrize("seed", range(3))
def test_keys_after_a_decision_start_where_the_piece_has_fallen_to(seed: int) -> None:
    steps_checked = 0
    for number in range(10):
        position = make_case(seed, number).position
        game = Game.from_position(position)
        if not (spawn := game.falling_piece) or not (landing := game.ghost):
            continue
        rows = 1
        while rows <= min(5, spawn.row - landing.row) and is_decision_in_time(position, rows * GRAVITY):
            for placement in position.placements():
                steps = find_keys_after_decision(position, placement, rows * GRAVITY)
                location = (spawn.rotation, spawn.column, spawn.row - rows)
                for key, piece in steps:
                    assert piece
                    rotation, column, row = location
                    location = (piece.rotation, piece.column, piece.row)
                    if key == "down":
                        assert location == (rotation, column, row - 1)
                    elif key in COLUMN_STEPS:
                        assert location == (rotation, column + COLUMN_STEPS[key], row)
                    elif not position.rules.rotation.startswith("srs"):  # there, states may look alike
                        assert location != (rotation, column, row)
                    steps_checked += 1
                assert location == (placement.rotation, placement.column, placement.row)
            rows += 1
    assert steps_checked > 1000
