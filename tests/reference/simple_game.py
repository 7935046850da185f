"""The choice of straight drops by an evaluation function, and games of straight drops."""

from collections.abc import Mapping

from tests.reference.board import (
    Board,
    Placement,
    empty_board,
    full_rows,
    get_cells,
    place,
    placements,
    remove_full_rows,
)
from tests.reference.features import FEATURES, SMALLEST, Landing, MeasuredBoard
from tests.reference.patterns import PATTERNS, show_view
from tests.reference.pieces import Cell
from tests.reference.randomisers import Dealer

Term = int | list[int]  # the weight of a feature, or a table of points by value; the table of a pattern
Terms = Mapping[str, Term]


def compute_points(name: str, value: int, term: Term) -> int:
    """Return the points for a feature's value: the weight times the value, or the table entry for the value.

    The first entry of a table is for the feature's smallest value; values outside the table take the nearest entry.
    """
    if isinstance(term, int):
        return term * value
    entry = value - SMALLEST.get(name, 0)
    return term[max(0, min(entry, len(term) - 1))]


def list_points(
    before: MeasuredBoard, piece: str, cells: list[Cell], removed: bool, terms: Terms, view_rows: int = 0
) -> dict[str, int]:
    """Return the points of a placement that fills these cells, for each feature or pattern.

    `removed`: whether they are measured after full rows are removed; `view_rows`: the height of the view on which
    patterns are measured.
    """
    landing = Landing(before, piece, cells, removed)
    view = MeasuredBoard(show_view(landing.after.board, view_rows, max(before.heights)))
    points = {}
    for name, term in terms.items():
        if name in PATTERNS:
            assert isinstance(term, list)
            points[name] = sum(term[entry] for entry in PATTERNS[name](view))
        else:
            points[name] = compute_points(name, FEATURES[name](landing), term)
    return points


def choose(board: Board, piece: str, terms: Terms, removed: bool, view_rows: int = 0) -> Placement | None:
    """Return the first placement with the most points, or None if no placement fits.

    `removed` and `view_rows` are those of `list_points`.
    """
    before = MeasuredBoard(board)
    best: Placement | None = None
    best_score = 0
    for placement in placements(board, piece):
        score = sum(list_points(before, piece, get_cells(piece, placement), removed, terms, view_rows).values())
        if best is None or score > best_score:
            best, best_score = placement, score
    return best


class Game:
    """A game of straight drops; it is over when no placement of the piece is entirely on the board."""

    def __init__(self, height: int, randomiser: str, seed: int, number: int) -> None:
        self.dealer = Dealer(randomiser, seed, number)
        self.board = empty_board(height)
        self.pieces = 0
        self.lines = 0
        self.clears = [0, 0, 0, 0]  # number of clears of one, two, three and four rows
        self.is_over = False
        self.piece = ""  # the last piece dealt
        self.placement: Placement | None = None  # of the last piece

    def play_piece(self, terms: Terms, removed: bool, view_rows: int = 0) -> None:
        self.piece = self.dealer.deal()
        self.placement = choose(self.board, self.piece, terms, removed, view_rows)
        if self.placement is None:
            self.is_over = True
            return
        with_piece = place(self.board, self.piece, self.placement)
        lines = len(full_rows(with_piece))
        self.board = remove_full_rows(with_piece)
        self.pieces += 1
        self.lines += lines
        if lines:
            self.clears[lines - 1] += 1
