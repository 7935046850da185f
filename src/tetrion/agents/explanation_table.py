"""An explanation as a table: one column per placement, one row per feature; and as records for data frames."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tetrion.board import NO_SPIN_NAME
from tetrion.notebook_display import format_four_digits

if TYPE_CHECKING:
    from tetrion.agents.explanation import Candidate, Explanation

NUMBERING_NOTE = (
    "Rotations count from 0, the orientation in which the piece appears; the leftmost column of the piece counts from "
    "0 at the left, and its lowest row from 0 at the floor."
)
ENDING_NOTE = "† The game may end after this placement, so it ranks below all placements that survive."


def list_table_rows(candidates: "Sequence[Candidate]") -> list[list[str]]:
    """Return the rows of a table: where the piece is placed, the score, and the features that differ most first."""
    scores = [format_four_digits(c.score) + ("" if c.survives else " †") for c in candidates]
    placements = [candidate.placement for candidate in candidates]
    pieces = [f"{placement.piece} (hold)" if placement.hold else placement.piece for placement in placements]
    spins = [placement.spin for placement in placements]
    return [
        *([["piece", *pieces]] if any(placement.hold for placement in placements) else []),
        ["rotation", *(str(candidate.placement.rotation) for candidate in candidates)],
        ["column", *(str(candidate.placement.column) for candidate in candidates)],
        ["row", *(str(candidate.placement.row) for candidate in candidates)],
        *([["spin", *spins]] if set(spins) != {NO_SPIN_NAME} else []),
        ["score", *scores],
        *list_contribution_rows(candidates),
    ]


def list_contribution_rows(candidates: "Sequence[Candidate]") -> list[list[str]]:
    """Return one row per feature, those that differ most first; features that contribute nothing share the last row."""
    names = sorted(candidates[0].contributions, key=lambda name: -compute_spread(candidates, name))
    idle = [name for name in names if not any(candidate.contributions[name] for candidate in candidates)]
    if len(idle) < 2 or len(idle) == len(names):
        idle = []
    rows = [
        [name, *(format_contribution(candidate, name) for candidate in candidates)]
        for name in names
        if name not in idle
    ]
    return [*rows, *([[f"{len(idle)} others", *("0" for _ in candidates)]] if idle else [])]


def describe_contributions(candidate: "Candidate") -> str:
    """Return a note about the rows of features and patterns."""
    if not candidate.values:
        return "Each pattern: its contribution to the score. Patterns that differ most come first."
    if len(candidate.contributions) > len(candidate.values):
        return (
            "Each feature: its value → its contribution to the score. Each pattern: its contribution. Those that "
            "differ most come first."
        )
    return "Each feature: its value → its contribution to the score. Features that differ most come first."


def compute_spread(candidates: "Sequence[Candidate]", name: str) -> float:
    """Return the difference between a feature's largest and smallest contribution."""
    contributions = [candidate.contributions[name] for candidate in candidates]
    return max(contributions) - min(contributions)


def format_contribution(candidate: "Candidate", name: str) -> str:
    """Return a feature's value and its contribution to the score, or a pattern's contribution."""
    contribution = format_four_digits(candidate.contributions[name])
    if name not in candidate.values:
        return contribution
    return f"{format_four_digits(candidate.values[name])} → {contribution}"


def list_explanation_records(explanation: "Explanation") -> list[dict[str, Any]]:
    """Return one plain dictionary per candidate: its rank, placement and score, and the numbers of each feature."""
    return [
        {
            "agent": explanation.agent,
            "rank": rank,
            "piece": candidate.placement.piece,
            "rotation": candidate.placement.rotation,
            "column": candidate.placement.column,
            "row": candidate.placement.row,
            "spin": candidate.placement.spin,
            "hold": candidate.placement.hold,
            "score": candidate.score,
            "survives": candidate.survives,
            **{f"{name}_value": value for name, value in candidate.values.items()},
            **{f"{name}_contribution": value for name, value in candidate.contributions.items()},
        }
        for rank, candidate in enumerate(explanation.candidates, 1)
    ]
