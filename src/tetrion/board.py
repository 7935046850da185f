"""Boards and placements: immutable, validated values with a text form and an SVG picture for notebooks."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property

from tetrion.engine.bitboard import MAX_ROWS, make_board_outcome
from tetrion.engine.feature_registry import BOARD_FEATURE, FEATURES
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.pieces import BOARD_WIDTH, PIECE_OF_ORIENTATION, PIECES, SHAPES
from tetrion.engine.placements import OrientedPlacement, encode_location, encode_placement
from tetrion.engine.records import NO_SPIN, SPIN_KINDS
from tetrion.engine.rotation_systems import ROTATION_SYSTEMS, find_orientation
from tetrion.errors import BoardError, PlacementError, UnknownNameError, describe_value
from tetrion.notebook_display import draw_svg

MIN_ROWS = 4
NO_SPIN_NAME = SPIN_KINDS[NO_SPIN]
Cell = tuple[int, int]  # column from the left, row from the floor; both count from 0

EMPTY_CELL = "."
UNKNOWN_CELL = "#"  # a filled cell whose piece is not known


@dataclass(frozen=True)
class Board:
    """The filled cells of a board: ten columns of bits, column 0 at the left and bit 0 (row 0) at the floor.

    Printed, a board has its highest row at the top and row 0 at the bottom.

    >>> board = Board.from_text(["#.........", "##.#######"])
    >>> board.heights, board.holes, board.full_rows
    ((2, 1, 0, 1, 1, 1, 1, 1, 1, 1), 0, ())
    >>> board
    Board.from_text(['#.........', '##.#######'], rows=20)
    """

    columns: tuple[int, ...] = (0,) * BOARD_WIDTH
    rows: int = 20

    def __post_init__(self) -> None:
        if isinstance(self.rows, bool) or not isinstance(self.rows, int) or not MIN_ROWS <= self.rows <= MAX_ROWS:
            raise BoardError(
                f"A board must have {MIN_ROWS} to {MAX_ROWS} rows; given rows={describe_value(self.rows)}."
            )
        columns = self.columns if isinstance(self.columns, tuple | list) else ()
        if len(columns) != BOARD_WIDTH or not all(type(column) is int for column in columns):
            raise BoardError(
                f"A board must have {BOARD_WIDTH} columns, each an integer whose bits are the filled cells; "
                f"given {describe_value(self.columns)}."
            )
        object.__setattr__(self, "columns", tuple(columns))
        for column in self.columns:
            if not 0 <= column < 1 << self.rows:
                raise BoardError(
                    f"A column of {self.rows} rows must be a number from 0 to {(1 << self.rows) - 1}; "
                    f"given {describe_value(column)}."
                )

    @classmethod
    def from_text(cls, text: str | Iterable[str], rows: int = 20) -> "Board":
        """Create a board from a drawing, rows from top to bottom: `.` is empty, any other character filled.

        Rows missing at the top are empty.
        """
        if not isinstance(text, str | Iterable) or isinstance(text, bytes):
            raise BoardError(f"A board must be given as text or as a list of rows; given {describe_value(text)}.")
        given = text.split("\n") if isinstance(text, str) else list(text)
        if not all(isinstance(line, str) for line in given):
            raise BoardError(f"A row must be text of {BOARD_WIDTH} cells; given {describe_value(given)}.")
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
        down = range(self.rows - 1, -1, -1)
        cells = EMPTY_CELL + UNKNOWN_CELL
        return "\n".join("".join([cells[column >> row & 1] for column in self.columns]) for row in down)

    def __repr__(self) -> str:
        lines = str(self).split("\n")[self.rows - max(self.heights) :]
        return f"Board.from_text({lines!r}, rows={self.rows})"

    def _repr_svg_(self) -> str:
        return self.draw_svg()

    def draw_svg(self, placement: "Placement | None" = None) -> str:
        """Return the board as an SVG picture, with a piece if one is given."""
        if placement is not None and not isinstance(placement, Placement):
            raise PlacementError(f"Expected a Placement or None; given {describe_value(placement)}.")
        piece, cells = (placement.piece, placement.cells) if placement else ("", ())
        return draw_svg(str(self).split("\n")[::-1], self.rows, piece, cells)

    @property
    def heights(self) -> tuple[int, ...]:
        """The height of each column."""
        return tuple(column.bit_length() for column in self.columns)

    @property
    def holes(self) -> int:
        """The number of empty cells that have a filled cell above them."""
        return sum(column.bit_length() - column.bit_count() for column in self.columns)

    @property
    def full_rows(self) -> tuple[int, ...]:
        """The numbers of the full rows, counted from 0 at the floor."""
        return tuple(row for row in range(self.rows) if all(column >> row & 1 for column in self.columns))

    def measure_features(self) -> dict[str, int]:
        """Return the value of every board feature by name; an unknown name raises an error with the closest name."""
        outcome = make_board_outcome(self.columns, self.rows)  # type: ignore[arg-type] # a tuple serves as the array
        return FeatureValues(
            (name, int(feature.measure(outcome))) for name, feature in FEATURES.items() if feature.kind == BOARD_FEATURE
        )


class FeatureValues(dict[str, int]):
    """The values of board features by name.

    >>> FeatureValues(holes=2, bumpiness=5)["bumpines"]
    Traceback (most recent call last):
    ...
    tetrion.errors.UnknownNameError: Unknown board feature 'bumpines'. Did you mean 'bumpiness'?
    """

    def __missing__(self, name: object) -> int:
        raise UnknownNameError("board feature", name, self)


@dataclass(frozen=True, eq=False)
class Placement:
    """A piece at rest: its rotation, its leftmost column and its lowest row, all counted from 0.

    Rotation 0 is the spawn orientation, column 0 is at the left, and row 0 is at the floor.
    The spawn orientation depends on the rotation system, `system`. In modern games a placement may be a `spin` ("mini"
    or "full"), and may be made with `hold`: the current piece was exchanged for this one. Placements with the same
    piece, cells, spin and hold are equal, whatever their system.

    >>> placement = Placement("T", rotation=0, column=3, row=0)
    >>> placement.cells
    ((3, 0), (4, 0), (4, 1), (5, 0))
    >>> print(placement)
    T in rotation 0, column 3, row 0
    """

    piece: str
    rotation: int
    column: int
    row: int
    system: str = "top-left"
    spin: str = "none"
    hold: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.spin, str) or self.spin not in SPIN_KINDS:
            raise UnknownNameError("spin", self.spin, SPIN_KINDS)
        if not isinstance(self.piece, str) or self.piece not in list(PIECES):
            raise UnknownNameError("piece", self.piece, PIECES)
        if not isinstance(self.system, str) or self.system not in ROTATION_SYSTEMS:
            raise UnknownNameError("rotation system", self.system, ROTATION_SYSTEMS)
        if type(self.hold) is not bool:
            raise PlacementError(f"hold must be True or False; given {describe_value(self.hold)}.")
        if not all(type(number) is int for number in (self.rotation, self.column, self.row)):
            raise PlacementError(
                "Rotation, column and row must be whole numbers; "
                f"given {', '.join(map(describe_value, (self.rotation, self.column, self.row)))}."
            )
        rotations = len(get_orientations(self.system)[self.piece])
        if self.rotation not in range(rotations):
            raise PlacementError(
                f"The rotation of {self.piece} must be from 0 to {rotations - 1}; "
                f"given {describe_value(self.rotation)}."
            )
        last_column = BOARD_WIDTH - len(SHAPES[self.orientation])
        if self.column not in range(last_column + 1) or self.row not in range(MOVEMENT_ROWS):
            raise PlacementError(
                f"{self.piece} in rotation {self.rotation} must have its leftmost column in 0 to {last_column} and its "
                f"lowest row in 0 to {MOVEMENT_ROWS - 1}; "
                f"given column {describe_value(self.column)}, row {describe_value(self.row)}."
            )

    @cached_property
    def orientation(self) -> int:
        """The engine's number of the piece in this rotation."""
        return get_orientations(self.system)[self.piece][self.rotation]

    @cached_property
    def code(self) -> int:
        """The engine's number of the placement, with its spin and hold."""
        location = encode_location(self.rotation, self.column, self.row)
        return encode_placement(location, SPIN_KINDS.index(self.spin), int(self.hold))

    @cached_property
    def cells(self) -> tuple[Cell, ...]:
        """The four cells as (column, row), in ascending order."""
        shape = SHAPES[self.orientation]
        return tuple((self.column + x, self.row + y) for x, bits in enumerate(shape) for y in range(4) if bits >> y & 1)

    @cached_property
    def row_spans(self) -> tuple[tuple[int, int, str], ...]:
        """The cells of each row as (row, first column, piece letters), from the lowest row up."""
        columns = {row: [x for x, y in self.cells if y == row] for _, row in self.cells}
        return tuple((row, columns[row][0], self.piece * len(columns[row])) for row in sorted(columns))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Placement) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[object, ...]:
        return self.piece, self.cells, self.spin, self.hold

    def __str__(self) -> str:
        spin = "" if self.spin == NO_SPIN_NAME else f", {self.spin} spin"
        hold = ", with hold" if self.hold else ""
        return f"{self.piece} in rotation {self.rotation}, column {self.column}, row {self.row}{spin}{hold}"

    def __repr__(self) -> str:
        system = "" if self.system == "top-left" else f", system={self.system!r}"
        spin = "" if self.spin == NO_SPIN_NAME else f", spin={self.spin!r}"
        hold = ", hold=True" if self.hold else ""
        place = f"rotation={self.rotation}, column={self.column}, row={self.row}"
        return f"Placement({self.piece!r}, {place}{system}{spin}{hold})"


@cache
def get_placement(
    location: OrientedPlacement, system: str = "top-left", spin: str = NO_SPIN_NAME, hold: bool = False
) -> Placement:
    """Return a placement, given as the engine writes it; cached, because agents repeat placements."""
    orientation, column, row = location
    piece = PIECES[PIECE_OF_ORIENTATION[orientation]]
    return Placement(piece, get_orientations(system)[piece].index(orientation), column, row, system, spin, hold)


@cache
def get_orientations(system: str) -> dict[str, list[int]]:
    """Return the orientations of each piece in a rotation system, starting with the spawn orientation."""
    boxes = ROTATION_SYSTEMS[system].boxes
    return {letter: list(dict.fromkeys(find_orientation(box) for box in boxes[letter])) for letter in PIECES}
