"""Texts and numbers of the thinking panel: the placements and features to show, and their format."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from tetrion.agents import Candidate, Explanation
from tetrion.board import EMPTY_CELL, UNKNOWN_CELL, Cell
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.stack import Stack

_NUMBER_WORDS = ("no", "one", "two", "three", "four", "five")
_SCALE_STEPS = (1, 3, 10)  # bar scales are one of these times a power of ten
NO_PLACEMENT_MESSAGE = "The piece cannot be placed: the game is over."
NO_EXPLANATION_MESSAGE = "This agent gives no explanations. Only agents with weights can be explained."


class FeatureContributions(NamedTuple):
    """A feature of the panel: its display name and its contribution to the score of each placement."""

    name: str
    contributions: tuple[float, ...]

    @property
    def spread(self) -> float:
        """The difference between the largest and the smallest contribution."""
        return max(self.contributions) - min(self.contributions)

    @property
    def max_magnitude(self) -> float:
        """The largest absolute contribution."""
        return max(map(abs, self.contributions))

    @property
    def bar_scale(self) -> float:
        """The contribution of a full bar: a round number, so that the scale rarely changes between moves."""
        if not self.max_magnitude:
            return 1.0
        order = 10.0 ** math.floor(math.log10(self.max_magnitude))
        return next(step * order for step in (*_SCALE_STEPS, 100) if self.max_magnitude <= step * order * (1 + 1e-9))


def select_features(
    candidates: Sequence[Candidate], max_features: int, add_rest: bool = False
) -> list[FeatureContributions]:
    """Return the features of placements in the agent's order, at most `max_features`: those that differ most.

    With `add_rest`, the last one is the sum of all features that are left out, so that the contributions add up to the
    scores.
    """
    names = list(dict.fromkeys(name for candidate in candidates for name in candidate.contributions))
    features = [
        FeatureContributions(format_name(name), tuple(c.contributions.get(name, 0.0) for c in candidates))
        for name in names
    ]
    if len(features) <= max_features:
        return features
    shown_count = max_features - 1 if add_rest and max_features > 1 else max_features
    order = sorted(range(len(features)), key=lambda i: (-features[i].spread, -features[i].max_magnitude, i))
    shown = [features[i] for i in sorted(order[:shown_count])]
    if not add_rest or max_features < 2:
        return shown
    hidden = [features[i].contributions for i in order[shown_count:]]
    return [*shown, FeatureContributions(f"{len(hidden)} others", tuple(map(sum, zip(*hidden, strict=True))))]


def choose_panel_decimals(candidates: Sequence[Candidate]) -> int:
    """Return the number of decimals for all numbers of the panel, no more than needed to see that they add up."""
    numbers = [number for c in candidates for number in (c.score, *c.contributions.values())]
    largest = max(map(abs, numbers), default=0.0)
    max_decimals = 0 if largest >= 1000 else 1 if largest >= 100 else 2 if largest >= 0.1 else 4
    exact = (d for d in range(max_decimals) if all(math.isclose(n, round(n, d), abs_tol=1e-6) for n in numbers))
    return next(exact, max_decimals)


def format_rounded(number: float, decimals: int) -> str:
    """Return a number with `decimals` decimals; a number that rounds to zero becomes "0"."""
    text = format_number(number, decimals)
    return text if text.strip("−0.") else "0"


def describe_score(candidates: Sequence[Candidate], rank: int, decimals: int) -> str:
    """Return the text below a score: "best", the difference from the best, or that the game ends."""
    if not candidates[rank].survives:
        return "game ends"
    if not rank:
        return "best"
    score, best = candidates[rank].score, candidates[0].score
    # The difference of the rounded scores, so that it matches the numbers in the panel.
    difference = format_rounded(round(score, decimals) - round(best, decimals), decimals)
    if difference == "0" and not math.isclose(score, best, rel_tol=1e-9):
        return f"{score - best:.1g}".replace("-", "−")
    return "equal" if difference == "0" else difference


def describe_selection(explanation: Explanation, shown: int, short: bool = False) -> str:
    """Return a heading such as "The three best of 34 placements"."""
    total = max(explanation.placement_count, len(explanation.candidates))
    if total <= shown:
        return "The only placement" if total == 1 else "Both placements" if total == 2 else f"All {total} placements"
    best = "The best" if shown == 1 else f"The {_NUMBER_WORDS[shown]} best"
    return f"{best} of {total}" if short else f"{best} of {total} placements"


def make_grey_stack(stack: Stack, low: int, rows: int) -> Stack:
    """Return `rows` rows of a stack, from the row `low` up, in one colour."""
    grey_rows = (
        "".join(UNKNOWN_CELL if cell != EMPTY_CELL else EMPTY_CELL for cell in row)
        for row in stack.rows[low : low + rows]
    )
    return Stack(tuple(grey_rows), rows)


def find_lowest_row(stack: Stack, candidate: Candidate, rows: int) -> int:
    """Return the lowest of `rows` rows to show: they include the placement, and the top of the stack if it fits."""
    piece_rows = [row for _, row in candidate.placement.cells]
    top = max(len(stack.rows), 1 + max(piece_rows))
    return max(0, min(top - rows, min(piece_rows)))


def find_next_cells(stack: Stack, candidate: Candidate) -> list[Cell]:
    """Return the cells of the expected next placement, in rows as they are before full rows are removed."""
    if len(candidate.variation) < 2:
        return []
    locked = stack.with_locked_piece(candidate.placement)
    full = set(locked.full_rows)
    remaining = [row for row in range(len(locked.rows)) if row not in full]
    return [(x, remaining[y] if y < len(remaining) else y + len(full)) for x, y in candidate.variation[1].cells]
