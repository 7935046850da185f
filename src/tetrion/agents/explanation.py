"""Explanations of an agent's choice: the best placements, their scores, and the contribution of each feature.

An explanation is shown as a table with one column per placement and one row per feature.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tetrion.board import NO_SPIN_NAME, Placement
from tetrion.notebook_display import (
    format_count,
    format_four_digits,
    make_short_repr,
    render_beside,
    render_html_table,
)
from tetrion.position import Position, describe_pieces

FeatureNumbers = dict[str, float]
NUMBERING_NOTE = (
    "Rotations count from 0, the orientation in which the piece appears; the leftmost column of the piece counts from "
    "0 at the left, and its lowest row from 0 at the floor."
)
ENDING_NOTE = "† The game may end after this placement, so it ranks below all placements that survive."


@dataclass(frozen=True)
class Candidate:
    """A placement, its score, the contribution of each feature and pattern to the score, and the values of features.

    `variation` holds the placements that the score assumes, starting with this one. With lookahead, contributions of
    placement features are summed over the variation; those of board features are taken at its end. A variation that
    does not survive ranks after all that do.

    >>> import tetrion
    >>> position = tetrion.Position.from_board(tetrion.Board(), "O")
    >>> best = tetrion.WeightedAgent("low", {"max_height": -2}).explain(position).candidates[0]
    >>> best.placement, best.score, best.values
    (Placement('O', rotation=0, column=0, row=0), -4.0, {'max_height': 2})
    """

    placement: Placement
    score: float
    contributions: FeatureNumbers
    values: FeatureNumbers
    variation: tuple[Placement, ...]
    survives: bool

    def __hash__(self) -> int:
        return hash((self.placement, self.score, self.variation))

    def __repr__(self) -> str:
        ending = "" if self.survives else ", may end the game"
        return make_short_repr("Candidate", f"{self.placement}: score {format_four_digits(self.score)}{ending}")


@dataclass(frozen=True)
class Explanation:
    """An agent's evaluation of a position: its mode (empty without modes) and the best placements, best first.

    >>> import tetrion
    >>> position = tetrion.Position.from_board(tetrion.Board.from_text("####..####"), "O")
    >>> explanation = tetrion.WeightedAgent("flat", {"bumpiness": -1}).explain(position, max_candidates=3)
    >>> explanation
    <Explanation by flat: best O in rotation 0, column 4, row 0, score −2, 3 of 9 placements>
    >>> [(record["column"], record["score"]) for record in explanation.to_records()]
    [(4, -2.0), (0, -4.0), (8, -4.0)]
    """

    agent: str
    mode: str
    candidates: tuple[Candidate, ...]
    placement_count: int  # number of all placements of the position
    position: Position | None = None

    def to_records(self) -> list[dict[str, str | int | float | bool]]:
        """Return one dictionary of plain numbers and texts per candidate, for `pandas.DataFrame` and the like.

        The keys are agent, rank, piece, rotation, column, row, spin, hold, score and survives, and for each feature its
        value and its contribution to the score, such as `holes_value` and `holes_contribution`. A pattern has its
        contribution.
        """
        return [
            {
                "agent": self.agent,
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
            for rank, candidate in enumerate(self.candidates, 1)
        ]

    def __repr__(self) -> str:
        best = "no placement: the game is over"
        if self.candidates:
            best = f"best {self.candidates[0].placement}, score {format_four_digits(self.candidates[0].score)}"
        counts = f"{len(self.candidates)} of {self.placement_count} placements"
        mode = f" in {self.mode} mode" if self.mode else ""
        return make_short_repr("Explanation", f"by {self.agent}{mode}: {best}, {counts}")

    def _repr_html_(self) -> str:
        mode = f" in {self.mode} mode" if self.mode else ""
        piece = f"{describe_pieces(self.position)}, rules {self.position.rules}, " if self.position else ""
        title = f"{self.agent}{mode}: {piece}{format_count(self.placement_count, 'placement')}"
        if not self.candidates:
            return render_html_table(title, [], [], note="The piece cannot be placed: the game is over.")
        notes = [
            describe_contributions(self.candidates[0]),
            *([] if all(c.survives for c in self.candidates) else [ENDING_NOTE]),
        ]
        headings = ["", *(f"{rank}." for rank in range(1, len(self.candidates) + 1))]
        table = render_html_table(title, headings, list_table_rows(self.candidates), note=" ".join(notes))
        if self.position is None:
            return table
        return render_beside(self.position.board.draw_svg(self.candidates[0].placement), table)


def list_table_rows(candidates: Sequence[Candidate]) -> list[list[str]]:
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


def list_contribution_rows(candidates: Sequence[Candidate]) -> list[list[str]]:
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


def describe_contributions(candidate: Candidate) -> str:
    """Return a note about the rows of features and patterns."""
    if not candidate.values:
        return "Each pattern: its contribution to the score. Patterns that differ most come first."
    if len(candidate.contributions) > len(candidate.values):
        return (
            "Each feature: its value → its contribution to the score. Each pattern: its contribution. Those that "
            "differ most come first."
        )
    return "Each feature: its value → its contribution to the score. Features that differ most come first."


def compute_spread(candidates: Sequence[Candidate], name: str) -> float:
    """Return the difference between a feature's largest and smallest contribution."""
    contributions = [candidate.contributions[name] for candidate in candidates]
    return max(contributions) - min(contributions)


def format_contribution(candidate: Candidate, name: str) -> str:
    """Return a feature's value and its contribution to the score, or a pattern's contribution."""
    contribution = format_four_digits(candidate.contributions[name])
    if name not in candidate.values:
        return contribution
    return f"{format_four_digits(candidate.values[name])} → {contribution}"
