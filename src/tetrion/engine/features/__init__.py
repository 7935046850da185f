"""Every feature: a named whole number of a placement or of the board it leads to.

Each is defined once, as a function of an `Outcome`, and compiled for one placement, for sixteen and for a GPU. Rows are
counted from the floor, columns from the left. `largest` bounds the value on the tallest board, for `quantise`.
"""

from importlib import import_module

from tetrion.engine.registry import CHANGE, FEATURES, written_out

# The order numbers the features: agents that use Dellacherie's eight alone skip the rest in one step.
for _part in ("dellacherie", "placements", "boards", "changes"):
    import_module(f"tetrion.engine.features.{_part}")


def mask_of(*names: str) -> int:
    """The bits of some features."""
    return sum(1 << FEATURES[name].number for name in names)


CHANGES = mask_of(*(name for name, feature in FEATURES.items() if feature.of == CHANGE))
LOTS = mask_of("chance")
LOWEST = mask_of("lowest_column_distance")

measure = written_out(FEATURES)

__all__ = ["CHANGES", "FEATURES", "LOTS", "LOWEST", "mask_of", "measure"]
