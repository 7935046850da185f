"""Boards and placements: immutable, validated values with a text form and an SVG picture for notebooks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property

from tetrion.engine.bitboard import MAX_ROWS, make_board_outcome
from tetrion.engine.feature_registry import BOARD_FEATURE
from tetrion.engine.features import FEATURES
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.pieces import BOARD_WIDTH, PIECES, SHAPES
from tetrion.engine.rotation_systems import ROTATION_SYSTEMS, find_orientation
from tetrion.errors import BoardError, PlacementError, UnknownNameError

MIN_ROWS = 4
Cell = tuple[int, int]  # column from the left, row from the floor

BOARD_BACKGROUND = "#090B0F"
GRID_LINE_COLOUR = "#12161C"
BOARD_OUTLINE = "#272E3A"
UNKNOWN_PIECE_COLOUR = "#4A5364"
PIECE_COLOURS = dict(
    zip(PIECES, ("#4CC2F1", "#F5CB4E", "#B98AF0", "#8FCF5B", "#F0626E", "#5B84F7", "#F29A4A"), strict=True)
)
SVG_CELL_SIZE = 18
EMPTY_CELL = "."


@dataclass(frozen=True)
class Board:
    """The filled cells of a board: ten columns of bits, bit 0 at the floor."""

    columns: tuple[int, ...] = (0,) * BOARD_WIDTH
    rows: int = 20

    def __post_init__(self) -> None:
        if isinstance(self.rows, bool) or not isinstance(self.rows, int) or not MIN_ROWS <= self.rows <= MAX_ROWS:
            raise BoardError(f"A board must have {MIN_ROWS} to {MAX_ROWS} rows; given rows={self.rows!r}.")
        columns = self.columns if isinstance(self.columns, tuple | list) else ()
        if len(columns) != BOARD_WIDTH or not all(type(column) is int for column in columns):
            raise BoardError(
                f"A board must have {BOARD_WIDTH} columns, each an integer whose bits are the filled cells; "
                f"given {self.columns!r}."
            )
        object.__setattr__(self, "columns", tuple(columns))
        for column in self.columns:
            if not 0 <= column < 1 << self.rows:
                raise BoardError(
                    f"A column of {self.rows} rows must be a number from 0 to {(1 << self.rows) - 1}; given {column}."
                )

    @classmethod
    def from_text(cls, text: str | Iterable[str], rows: int = 20) -> "Board":
        """Create a board from a drawing, rows from top to bottom: `.` is empty, any other character filled.

        Rows missing at the top are empty.
        """
        if not isinstance(text, str | Iterable) or isinstance(text, bytes):
            raise BoardError(f"A board must be given as text or as a list of rows; given {text!r}.")
        given = text.split("\n") if isinstance(text, str) else list(text)
        if not all(isinstance(line, str) for line in given):
            raise BoardError(f"A row must be text of {BOARD_WIDTH} cells; given {given!r:.80}.")
        lines = "\n".join(line.strip() for line in given).strip("\n").split("\n")
        lines = [] if lines == [""] else lines
        cls(rows=rows)  # raises an error if `rows` is invalid
        if len(lines) > rows:
            raise BoardError(
                f"The board has {rows} rows, but {len(lines)} are drawn. Give a larger rows=, or fewer lines."
            )
        for number, line in enumerate(lines, 1):
            if len(line) != BOARD_WIDTH:
                raise BoardError(
                    f"A row must have {BOARD_WIDTH} cells; row {number} from the top has {len(line)}: '{line}'."
                )
        upwards = lines[::-1]
        return cls(
            tuple(sum((line[x] != EMPTY_CELL) << y for y, line in enumerate(upwards)) for x in range(BOARD_WIDTH)), rows
        )

    def __str__(self) -> str:
        return "\n".join("".join(EMPTY_CELL if cell is None else "#" for cell in row) for row in self.to_colour_grid())

    def __repr__(self) -> str:
        lines = str(self).split("\n")[self.rows - max(self.heights) :]
        return f"Board.from_text({lines!r}, rows={self.rows})"

    def _repr_svg_(self) -> str:
        return draw_svg(self.to_colour_grid())

    def to_colour_grid(self) -> list[list[str | None]]:
        """Return the rows from the top; an empty cell is None, a filled cell has the colour for unknown pieces."""
        down = range(self.rows - 1, -1, -1)
        return [[UNKNOWN_PIECE_COLOUR if column >> row & 1 else None for column in self.columns] for row in down]

    @property
    def heights(self) -> tuple[int, ...]:
        """The height of each column."""
        return tuple(column.bit_length() for column in self.columns)

    @property
    def full_rows(self) -> tuple[int, ...]:
        """The numbers of the full rows, counted from the floor."""
        return tuple(row for row in range(self.rows) if all(column >> row & 1 for column in self.columns))

    def measure_features(self) -> dict[str, int]:
        """Return the value of every board feature by name."""
        outcome = make_board_outcome(self.columns, self.rows)  # type: ignore[arg-type]
        return {
            name: int(feature.measure(outcome)) for name, feature in FEATURES.items() if feature.kind == BOARD_FEATURE
        }


@dataclass(frozen=True, eq=False)
class Placement:
    """A piece at rest: its rotation counted from the spawn orientation, its leftmost column and its lowest row.

    The spawn orientation depends on the rotation system, `system`. Placements with the same piece and cells are equal,
    whatever their system.
    """

    piece: str
    rotation: int
    column: int
    row: int
    system: str = "top-left"

    def __post_init__(self) -> None:
        if self.piece not in list(PIECES):
            raise UnknownNameError("piece", self.piece, PIECES)
        if self.system not in list(ROTATION_SYSTEMS):
            raise UnknownNameError("rotation system", self.system, ROTATION_SYSTEMS)
        if not all(type(number) is int for number in (self.rotation, self.column, self.row)):
            raise PlacementError(
                "Rotation, column and row must be whole numbers; "
                f"given {self.rotation!r}, {self.column!r}, {self.row!r}."
            )
        rotations = len(get_orientations(self.system)[self.piece])
        if self.rotation not in range(rotations):
            raise PlacementError(
                f"The rotation of {self.piece} must be from 0 to {rotations - 1}; given {self.rotation!r}."
            )
        last_column = BOARD_WIDTH - len(SHAPES[self.orientation])
        if self.column not in range(last_column + 1) or self.row not in range(MOVEMENT_ROWS):
            raise PlacementError(
                f"{self.piece} in rotation {self.rotation} must have its leftmost column in 0 to {last_column} and its "
                f"lowest row in 0 to {MOVEMENT_ROWS - 1}; given column {self.column!r}, row {self.row!r}."
            )

    @cached_property
    def orientation(self) -> int:
        """The engine's number of the piece in this rotation."""
        return get_orientations(self.system)[self.piece][self.rotation]

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The four cells as (column, row), in ascending order."""
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
def get_orientations(system: str) -> dict[str, list[int]]:
    """Return the orientations of each piece in a rotation system, starting with the spawn orientation."""
    boxes = ROTATION_SYSTEMS[system].boxes
    return {
        letter: list(dict.fromkeys(find_orientation(number, box) for box in boxes[letter]))
        for number, letter in enumerate(PIECES)
    }


def draw_svg(grid: Sequence[Sequence[str | None]], piece: Iterable[tuple[Cell, str]] = ()) -> str:
    """Draw a board as SVG.

    `grid` lists the rows from the top, each cell a colour or None. `piece` lists further cells as
    ((column, row), colour), with rows counted from the floor.
    """
    width, height = BOARD_WIDTH * SVG_CELL_SIZE, len(grid) * SVG_CELL_SIZE
    parts = [
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width + 10} {height + 10}' width='{width + 10}'>",
        f"<rect x='1' y='1' width='{width + 8}' height='{height + 8}' rx='10' "
        f"fill='{BOARD_BACKGROUND}' stroke='{BOARD_OUTLINE}'/>",
        f"<g transform='translate(5 5)'>{draw_svg_cells(grid, piece)}</g></svg>",
    ]
    return "".join(parts)


def draw_svg_cells(grid: Sequence[Sequence[str | None]], piece: Iterable[tuple[Cell, str]] = ()) -> str:
    """Draw the grid lines and the cells of a board as SVG elements."""
    size = SVG_CELL_SIZE
    lines = [f"M{x * size} 0v{len(grid) * size}" for x in range(1, BOARD_WIDTH)]
    lines += [f"M0 {y * size}h{BOARD_WIDTH * size}" for y in range(1, len(grid))]
    cells = [((x, y), colour) for y, row in enumerate(grid) for x, colour in enumerate(row) if colour]
    cells += [((x, len(grid) - 1 - y), colour) for (x, y), colour in piece if y < len(grid)]
    squares = [
        f"<rect x='{x * size + 0.5:g}' y='{y * size + 0.5:g}' width='{size - 1}' height='{size - 1}' rx='2.5' "
        f"fill='{colour}'/>"
        for (x, y), colour in cells
    ]
    return f"<path d='{''.join(lines)}' stroke='{GRID_LINE_COLOUR}'/>" + "".join(squares)
