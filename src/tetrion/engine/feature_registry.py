"""The registry of features: what is known of each, and the compiled function that measures those that are wanted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tetrion.engine.bitboard import Outcome
from tetrion.engine.compiler import compile_inline
from tetrion.engine.scalar_or_simd import store_value
from tetrion.errors import TetrionError

MeasureFunction = Callable[[Outcome], int]

# what a feature is of
BOARD_FEATURE = "board"
PLACEMENT_FEATURE = "placement"
CHANGE_FEATURE = "change"
MAX_FEATURES = 63  # bits of a mask
MAX_CUSTOM_FEATURES = 4  # of them for a person's own features, in one agent
FIRST_CUSTOM_FEATURE = MAX_FEATURES - MAX_CUSTOM_FEATURES


@dataclass(frozen=True)
class Feature:
    """A feature and what people should know of it: of a placement, of the board it leads to, or of what it changes."""

    number: int
    name: str
    description: str
    source: str
    max_value: int
    kind: str
    measure: MeasureFunction

    @property
    def min_value(self) -> int:
        """The smallest value: only a change can be negative."""
        return -self.max_value if self.kind == CHANGE_FEATURE else 0


FEATURES: dict[str, Feature] = {}


def register_feature(
    name: str, measure: MeasureFunction, description: str, source: str, max_value: int, kind: str = BOARD_FEATURE
) -> None:
    """Enter a compiled function into the registry."""
    if len(FEATURES) == FIRST_CUSTOM_FEATURE:
        raise TetrionError(f"There is room for {FIRST_CUSTOM_FEATURE} features; '{name}' is one too many.")
    FEATURES[name] = Feature(len(FEATURES), name, description, source, max_value, kind, measure)


def builtin_feature(
    description: str, source: str, max_value: int, kind: str = BOARD_FEATURE
) -> Callable[[MeasureFunction], MeasureFunction]:
    """Compile a function and enter it into the registry under its own name, as a feature of `of`."""

    def enter(function: MeasureFunction) -> MeasureFunction:
        measure = compile_inline(function)
        register_feature(function.__name__, measure, description, source, max_value, kind)
        return measure

    return enter


def compile_measure(names: Iterable[str]) -> Callable[[int, Outcome, Any], None]:
    """Write and compile the function that measures those of some features that a mask has.

    Numba cannot loop over functions of a list, so the loop is written out from the registry: a line a feature, in
    groups of eight that are passed over in one step.
    """
    source, numbers = ["def measure(mask, outcome, values):"], [FEATURES[name].number for name in names]
    for start in range(0, len(numbers), 8):
        group = numbers[start : start + 8]
        source.append(f"    if mask & {sum(1 << number for number in group)}:")
        for number in group:
            source.append(f"        if mask & {1 << number}:")
            source.append(f"            put(values, {number}, f{number}(outcome))")
    scope: dict[str, Any] = {"put": store_value} | {f"f{f.number}": f.measure for f in FEATURES.values()}
    exec("\n".join(source), scope)
    measure: Callable[[int, Outcome, Any], None] = compile_inline(scope["measure"])
    return measure
