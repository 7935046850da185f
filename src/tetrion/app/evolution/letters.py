"""Which piece fills each cell, for many games at once, kept by following what is placed."""

from typing import Any

import numpy as np

from tetrion.board import EMPTY
from tetrion.drawing.stack import UNKNOWN, Stack
from tetrion.engine.pieces import PIECE_OF, PIECES, SQUARES, WIDTH
from tetrion.engine.play import Games

ROWS = 32  # as many as a column has bits
SIGNS = EMPTY + PIECES + UNKNOWN  # what the number of a cell means
NOT_KNOWN = SIGNS.index(UNKNOWN)
TEXT = bytes(ord(sign) for sign in SIGNS)

Cells = np.ndarray[Any, np.dtype[np.uint8]]  # by game, row from the floor and column


class Letters:
    """The cells of some games; `follow` is told whenever they have gone on."""

    def __init__(self, games: Games) -> None:
        self.cells: Cells = np.zeros((len(games), ROWS, WIDTH), np.uint8)
        self.pieces, self.lines = games["pieces"].copy(), games["lines"].copy()
        self.take(games, np.arange(len(games)))

    def follow(self, games: Games) -> None:
        """Note what lies now: the last piece by its letter, and what was placed before it unseen as unknown."""
        placed = games["pieces"] - self.pieces
        self.place(games, np.flatnonzero(placed == 1))
        self.take(games, np.flatnonzero(placed > 1))
        self.pieces, self.lines = games["pieces"].copy(), games["lines"].copy()

    def place(self, games: Games, which: Any) -> None:
        """Put one more piece each onto some boards."""
        if not len(which):
            return
        orientation, left, bottom = games["placement"][which].T
        rows = bottom[:, None] + SQUARES[orientation, :, 1]
        columns = left[:, None] + SQUARES[orientation, :, 0]
        self.cells[which[:, None], rows, columns] = 1 + PIECE_OF[orientation][:, None]
        self.clear(which[games["lines"][which] > self.lines[which]])

    def clear(self, which: Any) -> None:
        """Remove the full rows of some boards."""
        if not len(which):
            return
        boards = self.cells[which]
        full = boards.all(axis=2)
        order = full.argsort(axis=1, kind="stable")  # the rows that stay, from the floor, before the full ones
        boards = np.take_along_axis(boards, order[:, :, None], axis=1)
        boards[np.arange(ROWS) >= ROWS - full.sum(axis=1, keepdims=True)] = 0
        self.cells[which] = boards

    def take(self, games: Games, which: Any) -> None:
        """Take some boards as they are; without a line since the last time, what lay there lies there still."""
        if not len(which):
            return
        filled = games["board"][which][:, None, :] >> np.arange(ROWS)[:, None] & 1
        same = (games["lines"][which] == self.lines[which])[:, None, None]
        self.cells[which] = np.where(same & (self.cells[which] > 0), self.cells[which], NOT_KNOWN) * filled


def stack_of(cells: Cells, height: int) -> Stack:
    """A board's cells as what is drawn."""
    filled = int(cells.any(axis=1).sum())
    signs = np.frombuffer(TEXT, np.uint8)[cells[:filled]].tobytes().decode()
    return Stack(tuple(signs[start : start + WIDTH] for start in range(0, len(signs), WIDTH)), height)
