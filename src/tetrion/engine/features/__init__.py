"""Every feature: a named whole number of a placement or of the board it leads to.

Each is defined once, as a function of an `Outcome`, and compiled for one placement, for sixteen and for a GPU. Rows are
counted from the floor, columns from the left. `largest` bounds the value on the tallest board, for `quantise`.
"""

from importlib import import_module

from tetrion.engine.feature_registry import CHANGE_FEATURE, FEATURES, compile_measure

# The order numbers the features: agents that use Dellacherie's eight alone skip the rest in one step.
for _part in ("dellacherie_features", "placement_features", "board_features", "change_features"):
    import_module(f"tetrion.engine.features.{_part}")


def make_feature_mask(*names: str) -> int:
    """The bits of some features."""
    return sum(1 << FEATURES[name].number for name in names)


CHANGE_FEATURES_MASK = make_feature_mask(
    *(name for name, feature in FEATURES.items() if feature.kind == CHANGE_FEATURE)
)
CHANCE_FEATURE_MASK = make_feature_mask("chance")
LOWEST_COLUMN_FEATURE_MASK = make_feature_mask("lowest_column_distance")

measure_features = compile_measure(FEATURES)

__all__ = [
    "CHANCE_FEATURE_MASK",
    "CHANGE_FEATURES_MASK",
    "FEATURES",
    "LOWEST_COLUMN_FEATURE_MASK",
    "make_feature_mask",
    "measure_features",
]
