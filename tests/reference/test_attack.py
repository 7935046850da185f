"""The attack of clears under each profile and their points, compared with tables worked out by hand."""

import pytest

from tests.reference.attack import Clear, compute_attack, compute_guideline_points

PROFILES = ("libtetris", "guideline", "jstris", "tetrio", "tetrio-s1")

# The attack of one clear after another by profile, in the order of PROFILES.
CLEARS = {
    Clear("none", 1): [0, 0, 0, 0, 0],
    Clear("none", 2): [1, 1, 1, 1, 1],
    Clear("none", 3): [2, 2, 2, 2, 2],
    Clear("none", 4): [4, 4, 4, 4, 4],
    Clear("mini", 0): [0, 0, 0, 0, 0],
    Clear("mini", 1): [0, 0, 0, 0, 0],
    Clear("mini", 2): [1, 1, 4, 1, 1],  # Jstris: as with a full T-spin
    Clear("mini", 3): [2, 2, 6, 2, 2],
    Clear("full", 0): [0, 0, 0, 0, 0],
    Clear("full", 1): [2, 2, 2, 2, 2],
    Clear("full", 2): [4, 4, 4, 4, 4],
    Clear("full", 3): [6, 6, 6, 6, 6],
    # Back-to-back; the first season of TETR.IO adds 1, 1.65, 2.41, 2.48, ... 3.33 after eight.
    Clear("none", 4, back_to_back=1): [5, 5, 5, 5, 5],
    Clear("none", 4, back_to_back=3): [5, 5, 5, 5, 6],
    Clear("mini", 1, back_to_back=1): [1, 1, 0, 1, 1],  # Jstris: no bonus for a mini single
    Clear("mini", 2, back_to_back=1): [2, 2, 5, 2, 2],
    Clear("full", 2, back_to_back=8): [5, 5, 5, 5, 7],
    Clear("full", 3, back_to_back=1000): [7, 7, 7, 7, 10],  # as 63: ln 51.4 = 3.94; 6 + 4 + 1.94 / 3 = 10.6
    # A clear that is not difficult has no bonus, and breaks the chain: from five on with a surge in the second season.
    Clear("none", 2, back_to_back=1): [1, 1, 1, 1, 1],
    Clear("none", 2, back_to_back=4): [1, 1, 1, 1, 1],
    Clear("none", 2, back_to_back=5): [1, 1, 1, 5, 1],
    Clear("none", 1, back_to_back=12): [0, 0, 0, 11, 0],
    # Combos: tables, or a factor, and the logarithm where the base is small.
    Clear("none", 1, combo=1): [0, 0, 0, 0, 0],
    Clear("none", 1, combo=2): [1, 0, 1, 1, 1],  # ln 3.5 = 1.25
    Clear("none", 1, combo=4): [2, 0, 1, 1, 1],  # ln 6 = 1.79
    Clear("none", 1, combo=6): [3, 0, 2, 2, 2],  # ln 8.5 = 2.14
    Clear("none", 2, combo=4): [3, 1, 2, 2, 2],
    Clear("none", 1, combo=11): [5, 0, 4, 2, 2],
    Clear("none", 1, combo=12): [5, 0, 5, 2, 2],
    Clear("none", 1, combo=500): [5, 0, 5, 3, 3],  # as 31: ln 39.75 = 3.68
    Clear("full", 2, combo=3): [5, 4, 5, 7, 7],
    Clear("full", 2, combo=1, back_to_back=1): [5, 5, 5, 6, 6],
    # Perfect clears: instead of the rest (in Jstris with the combo), without effect, or in addition.
    Clear("none", 1, is_perfect=True): [10, 0, 10, 5, 10],
    Clear("none", 4, is_perfect=True): [10, 4, 10, 9, 14],
    Clear("full", 2, combo=2, back_to_back=1, is_perfect=True): [10, 5, 11, 12, 17],
    Clear("none", 1, back_to_back=6, is_perfect=True): [10, 0, 10, 6, 10],  # continues the chain in the second season
}


@pytest.mark.parametrize("clear", CLEARS)
def test_attack(clear: Clear) -> None:
    """The attack profiles."""
    assert [compute_attack(profile, clear) for profile in PROFILES] == CLEARS[clear]
    assert compute_attack("none", clear) == 0


CHAINS = [0, 1, 2, 3, 4, 5, 6, 8, 12, 20, 40, 100]

POINTS = {  # on level 1
    Clear("none", 0): 0,
    Clear("none", 1): 100,
    Clear("none", 2): 300,
    Clear("none", 3): 500,
    Clear("none", 4): 800,
    Clear("mini", 0): 100,
    Clear("mini", 1): 200,
    Clear("mini", 2): 400,
    Clear("full", 0): 400,
    Clear("full", 1): 800,
    Clear("full", 2): 1200,
    Clear("full", 3): 1600,
    Clear("none", 4, back_to_back=1): 1200,
    Clear("full", 2, back_to_back=5): 1800,
    Clear("mini", 1, back_to_back=2): 300,
    Clear("full", 0, back_to_back=1): 400,
    Clear("none", 3, back_to_back=1): 500,
    Clear("none", 1, combo=3): 250,
    Clear("mini", 0, combo=3): 100,
    Clear("none", 1, is_perfect=True): 900,
    Clear("none", 2, is_perfect=True): 1500,
    Clear("none", 3, is_perfect=True): 2300,
    Clear("none", 4, is_perfect=True): 2800,
    Clear("none", 4, back_to_back=1, is_perfect=True): 4400,
    Clear("full", 2, back_to_back=1, is_perfect=True): 3000,
}


@pytest.mark.parametrize("clear", POINTS)
def test_guideline_score(clear: Clear) -> None:
    """The guideline score by level."""
    assert compute_guideline_points("guideline", clear, level=1) == POINTS[clear]
    assert compute_guideline_points("guideline", clear, level=7) == 7 * POINTS[clear]
