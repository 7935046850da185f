"""The registry of features, and the generation of a compiled function that measures the selected ones."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from tetrion.engine.bitboard import Outcome
from tetrion.engine.compiler import compile_inline, define_function
from tetrion.engine.scalar_or_simd import store_value
from tetrion.errors import TetrionError
from tetrion.registry import Registry

MeasureFunction = Callable[[Outcome], int]

# Sources of the features.
DELLACHERIE_SOURCE = "Dellacherie 2003 (in Fahey, Tetris AI)"
THIERY_SOURCE = "Thiery and Scherrer 2009, Building controllers for Tetris"
BERTSEKAS_SOURCE = "Bertsekas and Ioffe 1996"
BOEHM_SOURCE = "Böhm, Kókai and Mandl 2005, An evolutionary approach to Tetris"
SHAHAR_SOURCE = "Shahar and West 2010, as listed by Hindi et al. 2018"
GAVRILOV_SOURCE = "Gavrilov 2023"
HINDI_SOURCE = "Hindi et al. 2018"
TETRAIS_SOURCE = "TetrAIs 2023"
MEDICO_SOURCE = "Medico, Tetris bot project report"
SEVERAL_SOURCES = "Gavrilov 2023, Becker, Hindi et al. 2018, TetrAIs 2023, Medico"

# The kinds of features.
BOARD_FEATURE = "board"
PLACEMENT_FEATURE = "placement"
CHANGE_FEATURE = "change"
MAX_CUSTOM_FEATURES = 4  # custom features per agent, with the highest feature numbers
MAX_PATTERNS = 6

# An agent has two masks of 63 bits. The first one has a bit for each feature up to number 60. The further features,
# from number 63 on, have their bits in the second one, which is read only if bit 61 or 62 of the first is set: these
# stand for the points of all further features. An agent without further features pays nothing for them.
FURTHER_BOARD_POINTS = 61  # points of the further features of the board
FURTHER_ADDITIVE_POINTS = 62  # points of the further features that are summed over the pieces of a variation
FURTHER_POINTS_MASK = 1 << FURTHER_BOARD_POINTS | 1 << FURTHER_ADDITIVE_POINTS
SECOND_MASK_START = 63
MAX_FEATURES = 2 * SECOND_MASK_START
FIRST_CUSTOM_FEATURE = MAX_FEATURES - MAX_CUSTOM_FEATURES
BUILTIN_FEATURE_NUMBERS = (*range(FURTHER_BOARD_POINTS), *range(SECOND_MASK_START, FIRST_CUSTOM_FEATURE))


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


_FEATURES: dict[str, Feature] = {}
FEATURES: Registry[Feature] = Registry("feature", _FEATURES, _FEATURES.__getitem__, lambda feature: feature.description)
"""The built-in features of boards and placements, with their descriptions, sources and ranges of values."""


def register_feature(
    name: str, measure: MeasureFunction, *, description: str, source: str, max_value: int, kind: str = BOARD_FEATURE
) -> None:
    """Add a compiled function to the registry as a feature with values up to `max_value`."""
    if len(FEATURES) == len(BUILTIN_FEATURE_NUMBERS):
        raise TetrionError(f"The registry is full ({len(FEATURES)} features); raise its limit to add '{name}'.")
    number = BUILTIN_FEATURE_NUMBERS[len(FEATURES)]
    _FEATURES[name] = Feature(number, name, description, source, max_value, kind, measure)


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


def compile_measure(names: Iterable[str], first: int = 0) -> Callable[[int, Outcome, Any], None]:
    """Generate and compile a function that measures those of the named features whose bit is set in a mask.

    Bit 0 of the mask is the feature with number `first`: 0, or SECOND_MASK_START for an agent's second mask.
    Features of the other mask are left out. Groups of eight features are skipped by a single test.
    """
    numbers = [FEATURES[name].number for name in names]
    numbers = [number for number in numbers if first <= number < first + SECOND_MASK_START]
    source = ["def measure(mask, outcome, values):", "    pass"]
    for start in range(0, len(numbers), 8):
        group = numbers[start : start + 8]
        source.append(f"    if mask & {sum(1 << number - first for number in group)}:")
        for number in group:
            source.append(f"        if mask & {1 << number - first}:")
            source.append(f"            store_value(values, {number}, f{number}(outcome))")
    measures = {f"f{feature.number}": feature.measure for feature in FEATURES.values()}
    return compile_inline(define_function("measure", "\n".join(source), {"store_value": store_value, **measures}))
