"""How a person wants boards to look."""

from dataclasses import dataclass

from tetrion.drawing.palette import pieces_of


@dataclass(frozen=True)
class Look:
    """The palette of the pieces (`tetrion`, or `safe` for colour-blind eyes), marks in cells, and lines in the well."""

    palette: str = "tetrion"
    marks: bool = False
    grid: bool = True

    def __post_init__(self) -> None:
        pieces_of(self.palette)


USUAL = Look()
