"""Which piece fills each cell, for many games at once, kept by following what is placed."""

from typing import Any

import numpy as np

from tetrion.board import EMPTY_CELL
from tetrion.drawing.stack import UNKNOWN_CELL, Stack
from tetrion.engine.batch_play import GameRecords
from tetrion.engine.pieces import BOARD_WIDTH, CELL_OFFSETS, PIECE_OF_ORIENTATION, PIECES

TRACKED_ROWS = 32  # as many as a column has bits
CELL_LETTERS = EMPTY_CELL + PIECES + UNKNOWN_CELL  # what the number of a cell means
UNKNOWN_CELL_CODE = CELL_LETTERS.index(UNKNOWN_CELL)
_LETTER_BYTES = bytes(ord(sign) for sign in CELL_LETTERS)

CellArray = np.ndarray[Any, np.dtype[np.uint8]]  # by game, row from the floor and column


class CellTracker:
    """The cells of some games; `follow` is told whenever they have gone on."""

    def __init__(self, games: GameRecords) -> None:
        self.cells: CellArray = np.zeros((len(games), TRACKED_ROWS, BOARD_WIDTH), np.uint8)
        self.pieces = games["pieces"].copy()
        self.lines = games["lines"].copy()
        self.copy_boards(games, np.arange(len(games)))

    def update(self, games: GameRecords) -> None:
        """Note what lies now: the last piece by its letter, and what was placed before it unseen as unknown."""
        placed = games["pieces"] - self.pieces
        self.add_pieces(games, np.flatnonzero(placed == 1))
        self.copy_boards(games, np.flatnonzero(placed > 1))
        self.pieces = games["pieces"].copy()
        self.lines = games["lines"].copy()

    def add_pieces(self, games: GameRecords, which: Any) -> None:
        """Put one more piece each onto some boards."""
        if not len(which):
            return
        orientation, left, bottom = games["placement"][which].T
        rows = bottom[:, None] + CELL_OFFSETS[orientation, :, 1]
        columns = left[:, None] + CELL_OFFSETS[orientation, :, 0]
        self.cells[which[:, None], rows, columns] = 1 + PIECE_OF_ORIENTATION[orientation][:, None]
        self.clear_rows(which[games["lines"][which] > self.lines[which]])

    def clear_rows(self, which: Any) -> None:
        """Remove the full rows of some boards."""
        if not len(which):
            return
        boards = self.cells[which]
        full = boards.all(axis=2)
        order = full.argsort(axis=1, kind="stable")  # the rows that stay, from the floor, before the full ones
        boards = np.take_along_axis(boards, order[:, :, None], axis=1)
        boards[np.arange(TRACKED_ROWS) >= TRACKED_ROWS - full.sum(axis=1, keepdims=True)] = 0
        self.cells[which] = boards

    def copy_boards(self, games: GameRecords, which: Any) -> None:
        """Take some boards as they are; without a line since the last time, what lay there lies there still."""
        if not len(which):
            return
        filled = games["board"][which][:, None, :] >> np.arange(TRACKED_ROWS)[:, None] & 1
        same = (games["lines"][which] == self.lines[which])[:, None, None]
        self.cells[which] = np.where(same & (self.cells[which] > 0), self.cells[which], UNKNOWN_CELL_CODE) * filled


def make_stack(cells: CellArray, height: int) -> Stack:
    """A board's cells as what is drawn."""
    filled = int(cells.any(axis=1).sum())
    signs = np.frombuffer(_LETTER_BYTES, np.uint8)[cells[:filled]].tobytes().decode()
    return Stack(tuple(signs[start : start + BOARD_WIDTH] for start in range(0, len(signs), BOARD_WIDTH)), height)
