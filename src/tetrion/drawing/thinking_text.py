"""What the thinking panel says: which placements and features it shows, in which words and figures."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from tetrion.agents import Candidate, Explanation
from tetrion.board import EMPTY_CELL, Cell
from tetrion.drawing.stack import UNKNOWN_CELL, Stack
from tetrion.evaluation.number_format import format_name, format_number

_NUMBER_WORDS = ("no", "one", "two", "three", "four", "five")
_SCALE_STEPS = (1, 3, 10)  # a scale ends at one of them, times a power of ten
NO_PLACEMENT_MESSAGE = "There is no place for the piece: the game is over."
NO_EXPLANATION_MESSAGE = "This agent gives no reasons for what it does. Agents that are made of numbers do."


class FeatureContributions(NamedTuple):
    """A column of the panel: a feature in words and its share in the score of each placement."""

    name: str
    contributions: tuple[float, ...]

    @property
    def spread(self) -> float:
        """How much it tells the placements apart."""
        return max(self.contributions) - min(self.contributions)

    @property
    def max_magnitude(self) -> float:
        """Its largest share, whatever the sign."""
        return max(map(abs, self.contributions))

    @property
    def bar_scale(self) -> float:
        """What a whole bar means: a round number, so that bars do not change their meaning with every move."""
        if not self.max_magnitude:
            return 1.0
        order = 10.0 ** math.floor(math.log10(self.max_magnitude))
        return next(step * order for step in (*_SCALE_STEPS, 100) if self.max_magnitude <= step * order * (1 + 1e-9))


def select_features(
    candidates: Sequence[Candidate], max_features: int, add_rest: bool = False
) -> list[FeatureContributions]:
    """The features of placements in the agent's order; if there are more than that, those that tell most apart.

    With `rest` the last of them is then the sum of all others, so that the shares still add up to the scores.
    """
    names = list(dict.fromkeys(name for candidate in candidates for name in candidate.contributions))
    every = [
        FeatureContributions(format_name(name), tuple(c.contributions.get(name, 0.0) for c in candidates))
        for name in names
    ]
    if len(every) <= max_features:
        return every
    shown = max_features - 1 if add_rest and max_features > 1 else max_features
    order = sorted(range(len(every)), key=lambda place: (-every[place].spread, -every[place].max_magnitude, place))
    kept = [every[place] for place in sorted(order[:shown])]
    if not add_rest or max_features < 2:
        return kept
    hidden = [every[place].contributions for place in order[shown:]]
    return [*kept, FeatureContributions(f"{len(hidden)} others", tuple(map(sum, zip(*hidden, strict=True))))]


def choose_decimals(candidates: Sequence[Candidate]) -> int:
    """How many decimals all numbers of the panel have, no more than needed, so that one sees them add up."""
    numbers = [number for c in candidates for number in (c.score, *c.contributions.values())]
    largest = max(map(abs, numbers), default=0.0)
    most = 0 if largest >= 1000 else 1 if largest >= 100 else 2 if largest >= 0.1 else 4
    exact = (d for d in range(most) if all(math.isclose(n, round(n, d), abs_tol=1e-6) for n in numbers))
    return next(exact, most)


def format_rounded(number: float, digits: int) -> str:
    """A number with so many decimals; what rounds to nothing is 0."""
    words = format_number(number, digits)
    return words if words.strip("−0.") else "0"


def describe_score(candidates: Sequence[Candidate], rank: int, digits: int) -> str:
    """What stands below a score: that it is the best, how far it is from it, or that the game ends there."""
    if not candidates[rank].survives:
        return "game ends"
    if not rank:
        return "best"
    own, best = candidates[rank].score, candidates[0].score
    words = format_rounded(
        round(own, digits) - round(best, digits), digits
    )  # of what is read, so that it is right there
    if words == "0" and not math.isclose(own, best, rel_tol=1e-9):
        return f"{own - best:.1g}".replace("-", "−")
    return "equal" if words == "0" else words


def describe_selection(explanation: Explanation, shown: int, short: bool = False) -> str:
    """Which placements are shown, out of how many."""
    there = max(explanation.placement_count, len(explanation.candidates))
    if there <= shown:
        return "The only placement" if there == 1 else "Both placements" if there == 2 else f"All {there} placements"
    best = "The best" if shown == 1 else f"The {_NUMBER_WORDS[shown]} best"
    return f"{best} of {there}" if short else f"{best} of {there} placements"


def make_grey_stack(stack: Stack, low: int, rows: int) -> Stack:
    """So many rows of a stack from one on, all of one colour."""
    cut = stack.rows[low : low + rows]
    return Stack(
        tuple("".join(UNKNOWN_CELL if cell != EMPTY_CELL else EMPTY_CELL for cell in row) for row in cut), rows
    )


def find_lowest_row(stack: Stack, candidate: Candidate, rows: int) -> int:
    """The lowest of so many rows that show a placement, and the top of the stack as far as there is room."""
    piece = [row for _, row in candidate.placement.cells]
    top = max(len(stack.rows), 1 + max(piece))
    return max(0, min(top - rows, min(piece)))


def find_next_cells(stack: Stack, candidate: Candidate) -> list[Cell]:
    """Where the next piece would go that a placement counts on; rows that it clears are still there."""
    if len(candidate.variation) < 2:
        return []
    lying = stack.with_locked_piece(candidate.placement)
    full = set(lying.full_rows)
    left = [row for row in range(len(lying.rows)) if row not in full]
    return [(x, left[y] if y < len(left) else y + len(full)) for x, y in candidate.variation[1].cells]
