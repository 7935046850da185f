"""Boards and placements as values: checked when they are made, drawn as text, and in notebooks as a picture."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from tetrion.engine.board import HIGHEST, standing
from tetrion.engine.features import FEATURES
from tetrion.engine.motion import SKY
from tetrion.engine.pieces import PIECES, SHAPES, WIDTH
from tetrion.engine.registry import BOARD
from tetrion.engine.rotations import SYSTEMS, orientation
from tetrion.errors import BoardError, PlacementError, UnknownNameError

LOWEST = 4  # rows of the smallest board
Cell = tuple[int, int]  # column from the left, row from the floor

WELL, LINE, OUTLINE, PLAIN = "#090B0F", "#12161C", "#272E3A", "#4A5364"
COLOURS = dict(zip(PIECES, ("#4CC2F1", "#F5CB4E", "#B98AF0", "#8FCF5B", "#F0626E", "#5B84F7", "#F29A4A"), strict=True))
SIDE = 18  # of a cell in pictures
EMPTY = "."


@dataclass(frozen=True)
class Board:
    """Which cells are filled: ten columns of bits, bit 0 being the floor."""

    columns: tuple[int, ...] = (0,) * WIDTH
    height: int = 20

    def __post_init__(self) -> None:
        if isinstance(self.height, bool) or not isinstance(self.height, int) or not LOWEST <= self.height <= HIGHEST:
            raise BoardError(f"A board has {LOWEST} to {HIGHEST} rows; given height={self.height!r}.")
        columns = self.columns if isinstance(self.columns, tuple | list) else ()
        if len(columns) != WIDTH or not all(type(column) is int for column in columns):
            raise BoardError(f"A board has {WIDTH} columns of bits, whole numbers; given {self.columns!r}.")
        object.__setattr__(self, "columns", tuple(columns))
        for column in self.columns:
            if not 0 <= column < 1 << self.height:
                raise BoardError(
                    f"A column of {self.height} rows is a number below {1 << self.height}; given {column}."
                )

    @classmethod
    def from_text(cls, rows: str | Iterable[str], height: int = 20) -> "Board":
        """The board that is drawn, rows top to bottom: `.` is empty, anything else filled; rows left out are empty."""
        if not isinstance(rows, str | Iterable) or isinstance(rows, bytes):
            raise BoardError(f"A board is drawn as a text or a list of rows; given {rows!r}.")
        drawn = rows.split("\n") if isinstance(rows, str) else list(rows)
        if not all(isinstance(line, str) for line in drawn):
            raise BoardError(f"A row is a text of {WIDTH} cells; given {drawn!r:.80}.")
        lines = "\n".join(line.strip() for line in drawn).strip("\n").split("\n")
        lines = [] if lines == [""] else lines
        cls(height=height)
        if len(lines) > height:
            raise BoardError(
                f"The board has {height} rows; {len(lines)} are drawn. Give a larger height, or fewer rows."
            )
        for number, line in enumerate(lines, 1):
            if len(line) != WIDTH:
                raise BoardError(f"A row has {WIDTH} cells; row {number} from the top has {len(line)}: '{line}'.")
        upwards = lines[::-1]
        return cls(tuple(sum((line[x] != EMPTY) << y for y, line in enumerate(upwards)) for x in range(WIDTH)), height)

    def __str__(self) -> str:
        return "\n".join("".join(EMPTY if cell is None else "#" for cell in row) for row in self.grid())

    def __repr__(self) -> str:
        rows = str(self).split("\n")[self.height - max(self.heights) :]
        return f"Board.from_text({rows!r}, height={self.height})"

    def _repr_svg_(self) -> str:
        return picture(self.grid())

    def grid(self) -> list[list[str | None]]:
        """The rows from the top, each cell None or the colour of a piece that is not known."""
        down = range(self.height - 1, -1, -1)
        return [[PLAIN if column >> row & 1 else None for column in self.columns] for row in down]

    @property
    def heights(self) -> tuple[int, ...]:
        """How high each column is."""
        return tuple(column.bit_length() for column in self.columns)

    @property
    def full_rows(self) -> tuple[int, ...]:
        """The rows that have no gap, counted from the floor."""
        return tuple(row for row in range(self.height) if all(column >> row & 1 for column in self.columns))

    def features(self) -> dict[str, int]:
        """The features of the board by name."""
        now = standing(self.columns, self.height)  # type: ignore[arg-type]
        return {name: int(feature.measure(now)) for name, feature in FEATURES.items() if feature.of == BOARD}


@dataclass(frozen=True, eq=False)
class Placement:
    """Where a piece comes to rest: its rotation counted from how it enters, its leftmost column, its lowest row.

    Rotation systems let pieces enter differently, so `system` says whose count it is; placements of the same cells are
    equal, whatever they are counted by.
    """

    piece: str
    rotation: int
    column: int
    row: int
    system: str = "top-left"

    def __post_init__(self) -> None:
        if self.piece not in list(PIECES):
            raise UnknownNameError("piece", self.piece, PIECES)
        if self.system not in list(SYSTEMS):
            raise UnknownNameError("rotation", self.system, SYSTEMS)
        if not all(type(number) is int for number in (self.rotation, self.column, self.row)):
            raise PlacementError(
                f"Rotation, column and row are whole numbers; given {self.rotation!r}, {self.column!r}, {self.row!r}."
            )
        turns = orientations(self.system)[self.piece]
        if self.rotation not in range(len(turns)):
            raise PlacementError(f"{self.piece} has the rotations 0 to {len(turns) - 1}; given {self.rotation!r}.")
        wide = len(SHAPES[self.orientation])
        if self.column not in range(WIDTH + 1 - wide) or self.row not in range(SKY):
            raise PlacementError(
                f"{self.piece} in rotation {self.rotation} has its leftmost column in 0 to {WIDTH - wide} and its "
                f"lowest row in 0 to {SKY - 1}; given column {self.column!r}, row {self.row!r}."
            )

    @cached_property
    def orientation(self) -> int:
        """The number of its shape for the engine."""
        return orientations(self.system)[self.piece][self.rotation]

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The four cells as (column, row), in order."""
        shape = SHAPES[self.orientation]
        return tuple((self.column + x, self.row + y) for x, bits in enumerate(shape) for y in range(4) if bits >> y & 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Placement) and (self.piece, self.cells) == (other.piece, other.cells)

    def __hash__(self) -> int:
        return hash((self.piece, self.cells))

    def __str__(self) -> str:
        return f"{self.piece} in rotation {self.rotation}, column {self.column}, row {self.row}"

    def __repr__(self) -> str:
        system = "" if self.system == "top-left" else f", {self.system!r}"
        return f"Placement({self.piece!r}, {self.rotation}, {self.column}, {self.row}{system})"


@cache
def orientations(system: str) -> dict[str, list[int]]:
    """By piece the orientations of a rotation system, counted from how the piece enters."""
    boxes = SYSTEMS[system].boxes
    return {
        letter: list(dict.fromkeys(orientation(number, box) for box in boxes[letter]))
        for number, letter in enumerate(PIECES)
    }


def picture(grid: Sequence[Sequence[str | None]], piece: Iterable[tuple[Cell, str]] = ()) -> str:
    """An SVG of cells: rows from the top, each cell a colour or None, and a piece's cells counted from the floor."""
    width, height = WIDTH * SIDE, len(grid) * SIDE
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width + 10} {height + 10}' width='{width + 10}'>",
        f"<rect x='1' y='1' width='{width + 8}' height='{height + 8}' rx='10' fill='{WELL}' stroke='{OUTLINE}'/>",
        f"<g transform='translate(5 5)'>{well(grid, piece)}</g></svg>",
    ]
    return "".join(parts)


def well(grid: Sequence[Sequence[str | None]], piece: Iterable[tuple[Cell, str]] = ()) -> str:
    """The inside of such a picture: its lines and cells."""
    lines = [f"M{x * SIDE} 0v{len(grid) * SIDE}" for x in range(1, WIDTH)]
    lines += [f"M0 {y * SIDE}h{WIDTH * SIDE}" for y in range(1, len(grid))]
    cells = [((x, y), colour) for y, row in enumerate(grid) for x, colour in enumerate(row) if colour]
    cells += [((x, len(grid) - 1 - y), colour) for (x, y), colour in piece if y < len(grid)]
    drawn = [
        f"<rect x='{x * SIDE + 0.5:g}' y='{y * SIDE + 0.5:g}' width='{SIDE - 1}' height='{SIDE - 1}' rx='2.5' "
        f"fill='{colour}'/>"
        for (x, y), colour in cells
    ]
    return f"<path d='{''.join(lines)}' stroke='{LINE}'/>" + "".join(drawn)
