"""Tests of feature values that the sources compute, and of the feature registry."""

import numpy as np

from tetrion.engine.bitboard import BoardBefore, FeaturesBefore, compute_outcome, make_board_outcome
from tetrion.engine.feature_registry import FEATURES
from tetrion.engine.pieces import FIRST_ORIENTATION, PIECES


def make_board(*heights: int) -> np.ndarray:
    return np.array([(1 << height) - 1 for height in heights], np.int32)


def measure_board(*heights: int, rows: int = 20) -> dict[str, int]:
    outcome = make_board_outcome(make_board(*heights), rows)
    return {name: int(feature.measure(outcome)) for name, feature in FEATURES.items()}


def test_empty_board() -> None:
    empty = measure_board(*[0] * 10)
    assert empty["row_transitions"] == 2 * 20
    assert empty["column_transitions"] == 10
    assert empty["diversity"] == 1
    assert not any(
        empty[name] for name in ("holes", "wells", "bumpiness", "max_height", "hole_depth", "number_of_wells")
    )


def test_values_computed_by_becker_and_tetrais() -> None:
    becker = measure_board(3, 5, 5, 5, 6, 6, 5, 4, 4, 5)
    assert (becker["aggregate_height"], becker["max_height"], becker["holes"]) == (48, 6, 0)
    assert becker["bumpiness"] == 2 + 0 + 0 + 1 + 0 + 1 + 1 + 0 + 1
    assert measure_board(2, 2, 4, 4, 5, 4, 4, 4, 3, 0)["bumpiness"] == 8  # TetrAIs, section 6.3


def test_wells_count_empty_cells_downwards() -> None:
    assert measure_board(3, 0, 3, 3, 3, 3, 3, 3, 3, 3)["wells"] == 1 + 2 + 3
    deep = measure_board(3, 0, 3, 3, 3, 3, 3, 3, 3, 2)
    assert (deep["wells"], deep["deepest_well"], deep["number_of_wells"]) == (1 + 2 + 3 + 1, 3, 2)


def test_features_of_a_tetris() -> None:
    upright = FIRST_ORIENTATION[PIECES.index("I")] + 1
    before = BoardBefore(make_board(*[4] * 9, 0), make_board(*[0] * 10), 20, 36, FeaturesBefore())
    cleared = compute_outcome(before, True, upright, 9, 0)
    values = {name: int(feature.measure(cleared)) for name, feature in FEATURES.items()}
    assert (values["lines"], values["four_lines"], values["eroded_cells"], values["filled_cells"]) == (4, 1, 16, 0)
    assert (values["landing_height"], values["piece_top"], values["special_piece"]) == (3, 16, 1)
    with_full_rows = compute_outcome(before, False, upright, 9, 0)
    assert int(FEATURES["filled_cells"].measure(with_full_rows)) == 40
