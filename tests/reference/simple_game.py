"""Choosing placements and playing whole games."""

from collections.abc import Mapping

from reference.board import Board, Placement, empty_board, full_rows, place, placements, remove_full_rows
from reference.features import SMALLEST, MeasuredBoard, features
from reference.randomisers import Dealer

Term = int | list[int]
Terms = Mapping[str, Term]


def points(name: str, value: int, term: Term) -> int:
    """What a feature's value is worth: a weight times the value, or the table's entry for it.

    A table begins with the feature's smallest value; its first and last entries hold for all values beyond.
    """
    if isinstance(term, int):
        return term * value
    entry = value - SMALLEST.get(name, 0)
    return term[max(0, min(entry, len(term) - 1))]


def choose(board: Board, piece: str, terms: Terms, removed: bool) -> Placement | None:
    """The first placement with the most points, or nothing where no placement fits."""
    before = MeasuredBoard(board)
    best: Placement | None = None
    most = 0
    for placement in placements(board, piece):
        values = features(before, piece, placement, removed, terms)
        score = sum(points(name, values[name], term) for name, term in terms.items())
        if best is None or score > most:
            best, most = placement, score
    return best


class Game:
    """A game played piece by piece; it is over when no placement of the piece lies wholly on the board."""

    def __init__(self, height: int, randomiser: str, seed: int, number: int) -> None:
        self.dealer = Dealer(randomiser, seed, number)
        self.board = empty_board(height)
        self.pieces = 0
        self.lines = 0
        self.clears = [0, 0, 0, 0]  # how often one, two, three and four rows were removed at once
        self.is_over = False
        self.piece = ""  # the last one dealt
        self.placement: Placement | None = None  # and where it went

    def play_piece(self, terms: Terms, removed: bool) -> None:
        self.piece = self.dealer.deal()
        self.placement = choose(self.board, self.piece, terms, removed)
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
