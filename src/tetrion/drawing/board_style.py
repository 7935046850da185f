"""The appearance of boards that users can choose."""

from dataclasses import dataclass

from tetrion.drawing.palette import get_piece_colours


@dataclass(frozen=True)
class BoardStyle:
    """The piece palette (a name in `PIECE_PALETTES`), marks in cells, and grid lines."""

    palette: str = "tetrion"
    has_marks: bool = False
    has_grid: bool = True

    def __post_init__(self) -> None:
        get_piece_colours(self.palette)  # raises UnknownNameError for an unknown palette


DEFAULT_BOARD_STYLE = BoardStyle()
