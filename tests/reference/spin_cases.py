"""Well-known spins, drawn in `tests/golden/spins`: a board, the keys that lead a piece to its place, and its spin.

A file has several cases, with a line of dashes between them. `keys` are the keys of a game, from the spawn position on;
`floor` stands for as many soft drops as are possible. `test` is the number of the kick test of the last rotation, where
1 is the rotation without a kick. Each line `spin` gives the rules and the spin under these rules. `rows` is the number
of rows that the placement completes. The two drawings show the board before and after the lock, without its removal.
"""

from pathlib import Path
from typing import NamedTuple

from tests.reference.board import Board, empty_board
from tests.reference.pieces import Cell

FOLDER = Path(__file__).parents[1] / "golden" / "spins"
HEIGHT, HIDDEN_ROWS = 20, 8


class SpinCase(NamedTuple):
    """A spin, or a placement that is none."""

    name: str
    source: str
    piece: str
    keys: list[str]
    test: int | None  # None: the last action is no rotation
    spins: dict[str, str]  # the spin by rules, such as "spins=t,spin_kick=long"
    rows: int
    board: Board
    cells: list[Cell]  # where the piece locks


def read_spin_cases() -> list[SpinCase]:
    """Return all cases, in the order of the files."""
    texts = [path.read_text("utf-8") for path in sorted(FOLDER.glob("*.txt"))]
    return [parse_spin_case(part) for text in texts for part in text.split("-" * 40 + "\n")]


def parse_spin_case(text: str) -> SpinCase:
    head, _, drawing = text.strip().partition("\n\n")
    name, *lines = head.splitlines()
    items = [line.split(": ", 1) for line in lines]
    values = dict(items)
    pairs = [line.split() for line in reversed(drawing.splitlines())]
    before, after = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    return SpinCase(
        name,
        values["source"],
        values["piece"],
        values["keys"].split(),
        None if values["test"] == "none" else int(values["test"]),
        {key.removeprefix("spin "): value for key, value in items if key.startswith("spin ")},
        int(values["rows"]),
        fill_board(before),
        [(x, y) for y, row in enumerate(after) for x, mark in enumerate(row) if mark == values["piece"]],
    )


def fill_board(rows: list[str]) -> Board:
    """Return the board with these rows at its bottom, the lowest row first."""
    board = empty_board(HEIGHT + HIDDEN_ROWS)
    for number, row in enumerate(rows):
        board[number] = [mark == "#" for mark in row]
    return board
