"""The registry of features: what is known of each, and the compiled function that measures those that are wanted."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tetrion.engine.board import Outcome
from tetrion.engine.compiler import compiled
from tetrion.engine.words import put
from tetrion.errors import TetrionError

Measure = Callable[[Outcome], int]

BOARD, PLACEMENT, CHANGE = "board", "placement", "change"  # what a feature is of
MOST_FEATURES = 63  # bits of a mask
MOST_OWN = 4  # of them for a person's own features, in one agent
FIRST_OWN = MOST_FEATURES - MOST_OWN


@dataclass(frozen=True)
class Feature:
    """A feature and what people should know of it: of a placement, of the board it leads to, or of what it changes."""

    number: int
    name: str
    meaning: str
    source: str
    largest: int
    of: str
    measure: Measure

    @property
    def smallest(self) -> int:
        """The smallest value: only a change can be negative."""
        return -self.largest if self.of == CHANGE else 0


FEATURES: dict[str, Feature] = {}


def register(name: str, measure: Measure, meaning: str, source: str, largest: int, of: str = BOARD) -> None:
    """Enter a compiled function into the registry."""
    if len(FEATURES) == FIRST_OWN:
        raise TetrionError(f"There is room for {FIRST_OWN} features; '{name}' is one too many.")
    FEATURES[name] = Feature(len(FEATURES), name, meaning, source, largest, of, measure)


def feature(meaning: str, source: str, largest: int, of: str = BOARD) -> Callable[[Measure], Measure]:
    """Compile a function and enter it into the registry under its own name, as a feature of `of`."""

    def enter(function: Measure) -> Measure:
        measure = compiled(function)
        register(function.__name__, measure, meaning, source, largest, of)
        return measure

    return enter


def written_out(names: Iterable[str]) -> Callable[[int, Outcome, Any], None]:
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
    scope: dict[str, Any] = {"put": put} | {f"f{f.number}": f.measure for f in FEATURES.values()}
    exec("\n".join(source), scope)
    measure: Callable[[int, Outcome, Any], None] = compiled(scope["measure"])
    return measure
