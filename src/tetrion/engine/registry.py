"""The registry of features: what is known of each, and the compiled function that measures those that are wanted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tetrion.engine.board import Outcome
from tetrion.engine.compiler import compiled
from tetrion.engine.words import put

Measure = Callable[[Outcome], int]


@dataclass(frozen=True)
class Feature:
    """A feature and what people should know of it."""

    number: int
    name: str
    meaning: str
    source: str
    largest: int
    smallest: int
    measure: Measure


FEATURES: dict[str, Feature] = {}


def register(name: str, measure: Measure, meaning: str, source: str, largest: int, smallest: int = 0) -> None:
    """Enter a compiled function into the registry."""
    FEATURES[name] = Feature(len(FEATURES), name, meaning, source, largest, smallest, measure)


def feature(meaning: str, source: str, largest: int, smallest: int = 0) -> Callable[[Measure], Measure]:
    """Compile a function and enter it into the registry under its own name."""

    def enter(function: Measure) -> Measure:
        measure = compiled(function)
        register(function.__name__, measure, meaning, source, largest, smallest)
        return measure

    return enter


def written_out() -> Callable[[int, Outcome, Any], None]:
    """Write and compile the function that measures the features of a mask.

    Numba cannot loop over functions of a list, so the loop is written out from the registry: a line a feature, in
    groups of eight that are passed over in one step.
    """
    source, names = ["def measure(mask, outcome, values):"], list(FEATURES)
    for start in range(0, len(names), 8):
        group = range(start, min(start + 8, len(names)))
        source.append(f"    if mask & {sum(1 << number for number in group)}:")
        for number in group:
            source.append(f"        if mask & {1 << number}:")
            source.append(f"            put(values, {number}, f{number}(outcome))")
    scope: dict[str, Any] = {"put": put} | {f"f{f.number}": f.measure for f in FEATURES.values()}
    exec("\n".join(source), scope)
    measure: Callable[[int, Outcome, Any], None] = compiled(scope["measure"])
    return measure
