"""The piece in each cell of many games at once, tracked through their placements."""

from typing import Any

import numpy as np

from tetrion.board import EMPTY_CELL
from tetrion.drawing.stack import UNKNOWN_CELL, Stack
from tetrion.engine.batch_play import GameRecords
from tetrion.engine.pieces import BOARD_WIDTH, CELL_OFFSETS, PIECE_OF_ORIENTATION, PIECES

TRACKED_ROWS = 32  # bits per column in the engine
CELL_LETTERS = EMPTY_CELL + PIECES + UNKNOWN_CELL  # indexed by the code of a cell
UNKNOWN_CELL_CODE = CELL_LETTERS.index(UNKNOWN_CELL)
_LETTER_BYTES = bytes(ord(letter) for letter in CELL_LETTERS)

CellArray = np.ndarray[Any, np.dtype[np.uint8]]  # by game, row from the floor and column


class CellTracker:
    """The cells of a batch of games; call `update` whenever pieces were placed."""

    def __init__(self, games: GameRecords) -> None:
        self.cells: CellArray = np.zeros((len(games), TRACKED_ROWS, BOARD_WIDTH), np.uint8)
        self.pieces = games["pieces"].copy()
        self.lines = games["lines"].copy()
        self.copy_boards(games, np.arange(len(games)))

    def update(self, games: GameRecords) -> None:
        """Update the cells; if several pieces were placed since the last call, their cells become unknown."""
        placed = games["pieces"] - self.pieces
        self.add_pieces(games, np.flatnonzero(placed == 1))
        self.copy_boards(games, np.flatnonzero(placed > 1))
        self.pieces = games["pieces"].copy()
        self.lines = games["lines"].copy()

    def add_pieces(self, games: GameRecords, indices: Any) -> None:
        """Add the last placed piece to the boards at `indices`."""
        if not len(indices):
            return
        orientation, left, bottom = games["placement"][indices].T
        rows = bottom[:, None] + CELL_OFFSETS[orientation, :, 1]
        columns = left[:, None] + CELL_OFFSETS[orientation, :, 0]
        self.cells[indices[:, None], rows, columns] = 1 + PIECE_OF_ORIENTATION[orientation][:, None]
        self.clear_rows(indices[games["lines"][indices] > self.lines[indices]])

    def clear_rows(self, indices: Any) -> None:
        """Remove the full rows of the boards at `indices`."""
        if not len(indices):
            return
        boards = self.cells[indices]
        full = boards.all(axis=2)
        order = full.argsort(axis=1, kind="stable")  # remaining rows first, from the floor up
        boards = np.take_along_axis(boards, order[:, :, None], axis=1)
        boards[np.arange(TRACKED_ROWS) >= TRACKED_ROWS - full.sum(axis=1, keepdims=True)] = 0
        self.cells[indices] = boards

    def copy_boards(self, games: GameRecords, indices: Any) -> None:
        """Copy the filled cells of the boards at `indices`; known pieces stay if no line was cleared meanwhile."""
        if not len(indices):
            return
        filled = games["board"][indices][:, None, :] >> np.arange(TRACKED_ROWS)[:, None] & 1
        has_no_clear = (games["lines"][indices] == self.lines[indices])[:, None, None]
        self.cells[indices] = (
            np.where(has_no_clear & (self.cells[indices] > 0), self.cells[indices], UNKNOWN_CELL_CODE) * filled
        )


def make_stack(cells: CellArray, height: int) -> Stack:
    """Convert the cells of one board to a stack that can be drawn."""
    row_count = int(cells.any(axis=1).sum())
    letters = np.frombuffer(_LETTER_BYTES, np.uint8)[cells[:row_count]].tobytes().decode()
    rows = tuple(letters[start : start + BOARD_WIDTH] for start in range(0, len(letters), BOARD_WIDTH))
    return Stack(rows, height)
