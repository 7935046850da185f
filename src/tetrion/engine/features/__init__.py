"""All built-in features: named integers computed from a placement or from the board that it leads to.

Each feature is defined once, as a function of an `Outcome`, and compiled for scalar code, SIMD lanes and GPUs. Rows are
counted from the bottom and columns from the left. `max_value` is an upper bound of the value on the tallest board;
`quantise` needs it.
"""

from importlib import import_module

from tetrion.engine.feature_registry import (
    CHANGE_FEATURE,
    FEATURES,
    FURTHER_POINTS_MASK,
    SECOND_MASK_START,
    compile_measure,
)

# The order of the imports numbers the features: agents with only the first eight skip all others quickly.
for _module in ("dellacherie_features", "placement_features", "board_features"):
    import_module(f"tetrion.engine.features.{_module}")


def make_feature_mask(*names: str) -> int:
    """Return the bit mask of the named features, which an agent has in its first mask."""
    return sum(1 << FEATURES[name].number for name in names)


_CHANGE_FEATURES = [
    name for name, feature in FEATURES.items() if feature.kind == CHANGE_FEATURE and feature.number < SECOND_MASK_START
]
# Features that need values of the board before the placement. Any of the further features may need them.
BOARD_BEFORE_MASK = make_feature_mask(*_CHANGE_FEATURES) | FURTHER_POINTS_MASK
CHANCE_FEATURE_MASK = make_feature_mask("chance") | FURTHER_POINTS_MASK
LOWEST_COLUMN_FEATURE_MASK = make_feature_mask("lowest_column_distance") | FURTHER_POINTS_MASK

measure_features = compile_measure(FEATURES)
measure_further_features = compile_measure(FEATURES, SECOND_MASK_START)

__all__ = [
    "BOARD_BEFORE_MASK",
    "CHANCE_FEATURE_MASK",
    "FEATURES",
    "LOWEST_COLUMN_FEATURE_MASK",
    "make_feature_mask",
    "measure_features",
    "measure_further_features",
]
