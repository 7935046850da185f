"""Known answers: values that the documents compute by hand, and the registry as a whole."""

import numpy as np
import pytest

from tetrion.engine.bitboard import BoardBefore, FeaturesBefore, compute_outcome, make_board_outcome
from tetrion.engine.features import FEATURES
from tetrion.engine.pieces import FIRST_ORIENTATION, PIECES


def board(*heights: int) -> np.ndarray:
    return np.array([(1 << height) - 1 for height in heights], np.int32)


def features_of(*heights: int, rows: int = 20) -> dict[str, int]:
    seen = make_board_outcome(board(*heights), rows)
    return {name: int(feature.measure(seen)) for name, feature in FEATURES.items()}


def test_empty_board() -> None:
    empty = features_of(*[0] * 10)
    assert empty["row_transitions"] == 2 * 20
    assert empty["column_transitions"] == 10
    assert empty["diversity"] == 1
    assert not any(
        empty[name] for name in ("holes", "wells", "bumpiness", "max_height", "hole_depth", "number_of_wells")
    )


def test_becker_and_tetrais_by_hand() -> None:
    becker = features_of(3, 5, 5, 5, 6, 6, 5, 4, 4, 5)
    assert (becker["aggregate_height"], becker["max_height"], becker["holes"]) == (48, 6, 0)
    assert becker["bumpiness"] == 2 + 0 + 0 + 1 + 0 + 1 + 1 + 0 + 1
    assert features_of(2, 2, 4, 4, 5, 4, 4, 4, 3, 0)["bumpiness"] == 8  # TetrAIs, section 6.3


def test_wells_count_downwards() -> None:
    assert features_of(3, 0, 3, 3, 3, 3, 3, 3, 3, 3)["wells"] == 1 + 2 + 3
    deep = features_of(3, 0, 3, 3, 3, 3, 3, 3, 3, 2)
    assert (deep["wells"], deep["deepest_well"], deep["number_of_wells"]) == (1 + 2 + 3 + 1, 3, 2)


def test_a_tetris() -> None:
    upright = FIRST_ORIENTATION[PIECES.index("I")] + 1
    now = BoardBefore(board(*[4] * 9, 0), board(*[0] * 10), 20, 36, FeaturesBefore())
    cleared = compute_outcome(now, True, upright, 9, 0)
    values = {name: int(feature.measure(cleared)) for name, feature in FEATURES.items()}
    assert (values["lines"], values["four_lines"], values["eroded_cells"], values["filled_cells"]) == (4, 1, 16, 0)
    assert (values["landing_height"], values["piece_top"], values["special_piece"]) == (3, 16, 1)
    kept = compute_outcome(now, False, upright, 9, 0)
    assert int(FEATURES["filled_cells"].measure(kept)) == 40


@pytest.mark.parametrize("name", list(FEATURES))
def test_every_feature_is_described(name: str) -> None:
    feature = FEATURES[name]
    assert feature.name == name
    assert feature.description
    assert feature.source
    assert feature.max_value > 0 >= feature.min_value
    assert feature.min_value in (0, -feature.max_value)
