"""Features for attack: attack, spins, back-to-back and combos of a placement, and the board's T-slots and wells.

They are measured beside the other features, for sixteen placements in SIMD lanes, and have a registry of their own:
agents that use them choose by a beam search (`beam_search`), under rules with hold, spins, attack or garbage.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

from tetrion.engine.bitboard import MAX_ROWS
from tetrion.engine.columns import TenColumns, max_column, or_columns
from tetrion.engine.compiler import compile_inline, define_function
from tetrion.engine.feature_registry import MAX_FEATURES
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.records import FULL_SPIN, MAX_ATTACK_FEATURES, MAX_CLEARED_ROWS, MINI_SPIN, NO_SPIN, AgentRecord
from tetrion.engine.scalar_or_simd import Array, bit_length, maximum, minimum, popcount, store_value, to_int, where

_T = PIECES.index("T")
_COLD_CLEAR = "Cold Clear 2"
MAX_COVER = 6  # filled cells above a hole that count
_MAX_ATTACK = 32
_MAX_COMBO = 20
FIRST_ATTACK_VALUE = MAX_FEATURES  # index of the first attack feature among the values of a placement's features


class AttackOutcome(NamedTuple):
    """A placement and the board after it, without full rows, for one placement or for sixteen in SIMD lanes."""

    columns: TenColumns
    heights: TenColumns
    height: int  # visible rows
    piece: int
    spin: int
    lines: int
    attack: int
    combo: int  # after the placement
    back_to_back: int  # 1 if the next difficult clear is a back-to-back


@dataclass(frozen=True)
class AttackFeature:
    """A feature for attack, with its documentation."""

    number: int
    name: str
    description: str
    source: str
    max_value: int
    is_additive: bool  # summed over the placements of a variation; others are measured once, at its end
    measure: Callable[[AttackOutcome], int]
    kind: str = "modern"
    min_value: int = 0


ATTACK_FEATURES: dict[str, AttackFeature] = {}


def attack_feature(
    description: str, source: str, max_value: int, *, is_additive: bool = False
) -> Callable[[Callable[[AttackOutcome], int]], Callable[[AttackOutcome], int]]:
    """Decorate a function: compile it and add it to the registry under its own name."""

    def register(function: Callable[[AttackOutcome], int]) -> Callable[[AttackOutcome], int]:
        name, measure = function.__name__, compile_inline(function)
        number = len(ATTACK_FEATURES)
        ATTACK_FEATURES[name] = AttackFeature(number, name, description, source, max_value, is_additive, measure)
        return measure

    return register


@attack_feature("Rows of garbage that the placement makes, up to 32", _COLD_CLEAR, _MAX_ATTACK, is_additive=True)
def attack(o: AttackOutcome) -> int:
    return minimum(o.attack, _MAX_ATTACK)


@attack_feature("Consecutive placements with a clear, including this one", _COLD_CLEAR, _MAX_COMBO, is_additive=True)
def combo(o: AttackOutcome) -> int:
    return minimum(o.combo, _MAX_COMBO)


@attack_feature("Whether the next difficult clear is a back-to-back", _COLD_CLEAR, 1)
def back_to_back_kept(o: AttackOutcome) -> int:
    return o.back_to_back


@attack_feature("Whether the placement leaves the board empty", _COLD_CLEAR, 1, is_additive=True)
def perfect_clear(o: AttackOutcome) -> int:
    return to_int(or_columns(o.columns) == 0)


@attack_feature("Lines of a clear that is neither a tetris nor a spin", _COLD_CLEAR, 3, is_additive=True)
def simple_lines(o: AttackOutcome) -> int:
    return o.lines * int(o.spin == NO_SPIN) * to_int(o.lines < MAX_CLEARED_ROWS)


@attack_feature("Whether the placement clears four lines", _COLD_CLEAR, 1, is_additive=True)
def tetris(o: AttackOutcome) -> int:
    return to_int(o.lines == MAX_CLEARED_ROWS)


@attack_feature("Whether the placement is a full spin that clears one line", _COLD_CLEAR, 1, is_additive=True)
def spin_single(o: AttackOutcome) -> int:
    return to_int(o.lines == 1) * int(o.spin == FULL_SPIN)


@attack_feature("Whether the placement is a full spin that clears two lines", _COLD_CLEAR, 1, is_additive=True)
def spin_double(o: AttackOutcome) -> int:
    return to_int(o.lines == 2) * int(o.spin == FULL_SPIN)


@attack_feature("Whether the placement is a full spin that clears three lines", _COLD_CLEAR, 1, is_additive=True)
def spin_triple(o: AttackOutcome) -> int:
    return to_int(o.lines == 3) * int(o.spin == FULL_SPIN)


@attack_feature("Whether the placement is a mini spin that clears lines", _COLD_CLEAR, 1, is_additive=True)
def mini_spin_clear(o: AttackOutcome) -> int:
    return to_int(o.lines > 0) * int(o.spin == MINI_SPIN)


@attack_feature("Whether a T is placed without a spin that clears lines", _COLD_CLEAR, 1, is_additive=True)
def wasted_t(o: AttackOutcome) -> int:
    return (1 - to_int(o.lines > 0) * int(o.spin != NO_SPIN)) * int(o.piece == _T)


@compile_inline
def _find_slot(overhang: int, middle_height: int, open_height: int) -> int:
    """Return a bit mask of the lowest row of a T-slot in three neighbouring columns; at most one bit is set.

    The first column has a filled cell, an empty one and a filled one; the middle one is empty from the lowest row on;
    the last one ends with that row, so that T can be turned in under the first.
    """
    lowest = (open_height * 0 + 1) << maximum(open_height - 1, 0)
    shape = overhang & ~(overhang >> 1) & (overhang >> 2)
    return where((open_height > 0) & (middle_height < open_height), shape & lowest, 0)


@compile_inline
def _find_slots(o: AttackOutcome, left: int) -> int:
    c, h = o.columns, o.heights
    return _find_slot(c[left], h[left + 1], h[left + 2]) | _find_slot(c[left + 2], h[left + 1], h[left])


def _compile_slot_feature(name: str, expression: str) -> Callable[[AttackOutcome], int]:
    """Generate a function that sums an expression over the eight places of a T-slot."""
    lines = [f"def {name}(o):", "    c = o.columns", "    count = 0"]
    for left in range(BOARD_WIDTH - 2):
        others = " & ".join(f"c[{i}]" for i in range(BOARD_WIDTH) if not left <= i <= left + 2)
        lines += [f"    slot, others = find_slots(o, {left}), {others}", f"    count = count + {expression}"]
    names = {"find_slots": _find_slots, "popcount": popcount}
    function: Callable[[AttackOutcome], int] = define_function(name, "\n".join([*lines, "    return count"]), names)
    return function


t_slots_ready = attack_feature("T-slots whose two rows are full but for the slot", _COLD_CLEAR, 4)(
    _compile_slot_feature("t_slots_ready", "popcount(slot & others & (others >> 1))")
)
t_slots_unfinished = attack_feature("T-slots of which at least one row is not full but for the slot", _COLD_CLEAR, 8)(
    _compile_slot_feature("t_slots_unfinished", "popcount(slot & ~(others & (others >> 1)))")
)


def _compile_well_depth() -> Callable[[AttackOutcome], int]:
    """Generate a function that finds the deepest well in which I clears rows."""
    lines = ["def tetris_well_depth(o):", "    c, h = o.columns, o.heights", "    depth = h[0] * 0"]
    for well in range(BOARD_WIDTH):
        others = " & ".join(f"c[{i}]" for i in range(BOARD_WIDTH) if i != well)
        lines.append(f"    depth = maximum(depth, count_rows(({others}) >> h[{well}]))")
    names = {"maximum": maximum, "count_rows": _count_rows_from_bottom}
    function: Callable[[AttackOutcome], int] = define_function(
        "tetris_well_depth", "\n".join([*lines, "    return depth"]), names
    )
    return function


@compile_inline
def _count_rows_from_bottom(rows: int) -> int:
    """Return the number of consecutive bits from bit 0 on, up to four."""
    filled = rows & 15
    return popcount(filled & ((filled << 1) | 1) & ((filled << 2) | 3) & ((filled << 3) | 7))


tetris_well_depth = attack_feature(
    "Rows, up to four, that an I in a column that is open above would clear", _COLD_CLEAR, 4
)(_compile_well_depth())


@attack_feature("Rows of the highest column in the upper half of the visible board", _COLD_CLEAR, MAX_ROWS)
def height_in_upper_half(o: AttackOutcome) -> int:
    return maximum(max_column(o.heights) - (o.height >> 1), 0)


@attack_feature("Rows of the highest column in the upper quarter of the visible board", _COLD_CLEAR, MAX_ROWS)
def height_in_upper_quarter(o: AttackOutcome) -> int:
    return maximum(max_column(o.heights) - (o.height - (o.height >> 2)), 0)


@compile_inline
def _count_cover(column: int, height: int) -> int:
    """Return the number of filled cells directly above the highest hole of a column, up to MAX_COVER; 0 without one."""
    holes = ((height * 0 + 1) << height) - 1 & ~column
    return where(holes != 0, minimum(height - bit_length(holes), MAX_COVER), 0)


@attack_feature(f"Filled cells above the highest hole of each column, up to {MAX_COVER} per column", _COLD_CLEAR, 60)
def cover_of_holes(o: AttackOutcome) -> int:
    c, h = o.columns, o.heights
    left = _count_cover(c[0], h[0]) + _count_cover(c[1], h[1]) + _count_cover(c[2], h[2]) + _count_cover(c[3], h[3])
    right = _count_cover(c[6], h[6]) + _count_cover(c[7], h[7]) + _count_cover(c[8], h[8]) + _count_cover(c[9], h[9])
    return left + _count_cover(c[4], h[4]) + _count_cover(c[5], h[5]) + right


assert len(ATTACK_FEATURES) <= MAX_ATTACK_FEATURES


def _compile_for_features(
    head: str, start: str, body: str, end: str, features: Iterable[AttackFeature] = ATTACK_FEATURES.values()
) -> Any:
    """Generate and compile a function whose body is repeated for those features whose bit is set in a mask."""
    lines = [f"def {head}:", f"    {start}"]
    for feature in features:
        lines += [f"    if mask & {1 << feature.number}:", f"        {body.format(feature=feature)}"]
    measures = {name: feature.measure for name, feature in ATTACK_FEATURES.items()}
    names = {"store_value": store_value, **measures}
    return compile_inline(define_function(head.partition("(")[0], "\n".join([*lines, f"    {end}"]), names))


# Write the values of the features after those of all other features.
measure_attack_features: Callable[[int, AttackOutcome, Array], None] = _compile_for_features(
    "measure_attack_features(mask, o, values)",
    f"first = {FIRST_ATTACK_VALUE}",
    "store_value(values, first + {feature.number}, {feature.name}(o))",
    "pass",
)


def _compile_score(name: str, features: Iterable[AttackFeature]) -> Callable[[AgentRecord, AttackOutcome], int]:
    """Generate a function that returns an agent's points for those of the features that it uses."""
    function: Callable[[AgentRecord, AttackOutcome], int] = _compile_for_features(
        f"{name}(agent, o)",
        "mask, points = agent.attack_mask, o.lines * 0",
        "points = points + {feature.name}(o) * agent.attack_weight[{feature.number}]",
        "return points",
        features,
    )
    return function


score_attack_features = _compile_score("score_attack_features", ATTACK_FEATURES.values())
score_additive_attack_features = _compile_score(
    "score_additive_attack_features", [feature for feature in ATTACK_FEATURES.values() if feature.is_additive]
)
