"""The registry of features, and the generation of a compiled function that measures the selected ones."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tetrion.engine.bitboard import Outcome
from tetrion.engine.code_generation import define_function
from tetrion.engine.compiler import compile_inline
from tetrion.engine.scalar_or_simd import store_value
from tetrion.errors import TetrionError

MeasureFunction = Callable[[Outcome], int]

# The kinds of features.
BOARD_FEATURE = "board"
PLACEMENT_FEATURE = "placement"
CHANGE_FEATURE = "change"
MAX_FEATURES = 63  # one bit each in a mask of 64 bits
MAX_CUSTOM_FEATURES = 4  # custom features per agent, with the highest feature numbers
FIRST_CUSTOM_FEATURE = MAX_FEATURES - MAX_CUSTOM_FEATURES
MAX_PATTERNS = 6


@dataclass(frozen=True)
class Feature:
    """A feature of a placement, of the resulting board, or of the change of the board, with its documentation."""

    number: int
    name: str
    description: str
    source: str
    max_value: int
    kind: str
    measure: MeasureFunction

    @property
    def min_value(self) -> int:
        """The smallest value of the feature; only a change can be negative."""
        return -self.max_value if self.kind == CHANGE_FEATURE else 0


FEATURES: dict[str, Feature] = {}


def register_feature(
    name: str, measure: MeasureFunction, *, description: str, source: str, max_value: int, kind: str = BOARD_FEATURE
) -> None:
    """Add a compiled function to the registry as a feature with values up to `max_value`."""
    if len(FEATURES) == FIRST_CUSTOM_FEATURE:
        raise TetrionError(f"The registry is full ({FIRST_CUSTOM_FEATURE} features); raise its limit to add '{name}'.")
    FEATURES[name] = Feature(len(FEATURES), name, description, source, max_value, kind, measure)


def builtin_feature(
    description: str, source: str, max_value: int, kind: str = BOARD_FEATURE
) -> Callable[[MeasureFunction], MeasureFunction]:
    """Decorate a function: compile it and add it to the registry under its own name."""

    def register(function: MeasureFunction) -> MeasureFunction:
        measure = compile_inline(function)
        register_feature(
            function.__name__, measure, description=description, source=source, max_value=max_value, kind=kind
        )
        return measure

    return register


def compile_measure(names: Iterable[str]) -> Callable[[int, Outcome, Any], None]:
    """Generate and compile a function that measures those of the named features whose bit is set in a mask.

    Groups of eight features are skipped by a single test.
    """
    numbers = [FEATURES[name].number for name in names]
    source = ["def measure(mask, outcome, values):"]
    for start in range(0, len(numbers), 8):
        group = numbers[start : start + 8]
        source.append(f"    if mask & {sum(1 << number for number in group)}:")
        for number in group:
            source.append(f"        if mask & {1 << number}:")
            source.append(f"            store_value(values, {number}, f{number}(outcome))")
    measures = {f"f{feature.number}": feature.measure for feature in FEATURES.values()}
    return compile_inline(define_function("measure", "\n".join(source), {"store_value": store_value, **measures}))
