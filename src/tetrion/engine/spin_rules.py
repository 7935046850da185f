"""The rules of spins by name, the corners of T, and which kicks make a mini T-spin a full one."""

import numpy as np

from tetrion.engine.modern_records import ModernRulesRecord
from tetrion.engine.pieces import PIECES

SPINS_NONE, SPINS_T, SPINS_ALL_MINI, SPINS_ALL = range(4)
SPIN_RULES = {"none": SPINS_NONE, "t": SPINS_T, "all-mini": SPINS_ALL_MINI, "all": SPINS_ALL}

T = PIECES.index("T")
# By rotation state of T: the offset of its centre from its leftmost column and its lowest row.
T_CENTRES = np.array([[1, 0], [0, 1], [1, 1], [1, 1]])
# By rotation state: the corners on the side to which T points, then the others, as offsets from the centre.
T_CORNERS = np.array(
    [
        [[-1, 1], [1, 1], [-1, -1], [1, -1]],
        [[1, 1], [1, -1], [-1, 1], [-1, -1]],
        [[1, -1], [-1, -1], [-1, 1], [1, 1]],
        [[-1, -1], [-1, 1], [1, 1], [1, -1]],
    ]
)

# The rotation states from which the fifth test of a rotation by 90° promotes: all of them in Cold Clear, battletris and
# cobra-movegen; in TETR.IO and solution-finder only if it moves T two rows down, which is from north and south. In
# cobra-movegen the fifth and sixth tests of half turns promote as well (`late`). In Jstris no kick does (`none`),
# as far as copies of its code show.
SPIN_KICKS: dict[str, tuple[int, ...]] = {"none": (), "any": (0, 1, 2, 3), "long": (0, 2), "late": (0, 1, 2, 3)}
_FIFTH_TEST = 4
_QUARTER_TURNS = 2  # directions of rotations by 90°, before the half turn


def write_promotions(record: ModernRulesRecord, spin_kick: str) -> None:
    """Write which kicks promote into the record of the rules."""
    for state in SPIN_KICKS[spin_kick]:
        record.promotes[state, :_QUARTER_TURNS, _FIFTH_TEST] = 1
    if spin_kick == "late":
        record.promotes[:, _QUARTER_TURNS, _FIFTH_TEST:] = 1
