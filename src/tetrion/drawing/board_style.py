"""How a person wants boards to look."""

from dataclasses import dataclass

from tetrion.drawing.palette import get_piece_colours


@dataclass(frozen=True)
class BoardStyle:
    """The palette of the pieces (`tetrion`, or `safe` for colour-blind eyes), marks in cells, and lines in the well."""

    palette: str = "tetrion"
    has_marks: bool = False
    has_grid: bool = True

    def __post_init__(self) -> None:
        get_piece_colours(self.palette)


DEFAULT_BOARD_STYLE = BoardStyle()
