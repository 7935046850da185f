"""Every colour, as text: a dark ground, grey words, and colour for pieces and data alone."""

from functools import lru_cache

from tetrion.board import COLOURS, LINE, OUTLINE, PLAIN, WELL
from tetrion.errors import UnknownNameError

GROUND = "#0E1116"
WELL_LINE = LINE
PANEL = "#151920"
RAISED = "#1E242E"
BAR_RULE = "#1B2029"  # under a header, over a footer
RULE = "#222935"  # inside panels
STRONG = "#EEF1F6"
TEXT = "#C4CAD6"
DIM = "#9AA3B4"
FAINT = "#788193"

ACCENT, SECOND, BAD = "#5FE0BB", "#F490B8", "#F2727D"
ON_ACCENT = "#08130F"
OUT = "#808894"  # towards which the colours of a board fade once its game has ended
WHITE, BLACK = "#FFFFFF", "#000000"

PIECES = COLOURS
SAFE_PIECES = {
    "I": "#86F7F1",
    "O": "#FFF98A",
    "T": "#B46AB3",
    "S": "#12B272",
    "Z": "#C53807",
    "J": "#2E65E2",
    "L": "#FC9606",
}
PALETTES = {"tetrion": PIECES, "safe": SAFE_PIECES}
SERIES = [ACCENT, SECOND, "#7FB4F0", "#F2B36B", "#B9A2F5", *(PIECES[letter] for letter in "SOZI")]

__all__ = [
    "ACCENT",
    "BAD",
    "BAR_RULE",
    "BLACK",
    "DIM",
    "FAINT",
    "GROUND",
    "ON_ACCENT",
    "OUT",
    "OUTLINE",
    "PALETTES",
    "PANEL",
    "PIECES",
    "PLAIN",
    "RAISED",
    "RULE",
    "SAFE_PIECES",
    "SECOND",
    "SERIES",
    "STRONG",
    "TEXT",
    "WELL",
    "WELL_LINE",
    "WHITE",
    "mixed",
    "pieces_of",
    "red_green_blue",
    "series",
]


def series(number: int) -> str:
    """The colour of a series by its place in the order."""
    return SERIES[number % len(SERIES)]


def pieces_of(palette: str) -> dict[str, str]:
    """The colours of the seven pieces in a palette."""
    if palette not in PALETTES:
        raise UnknownNameError("palette", palette, PALETTES)
    return PALETTES[palette]


def red_green_blue(colour: str) -> tuple[int, int, int]:
    """The three parts of a colour, each from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


@lru_cache(512)
def mixed(colour: str, other: str, share: float) -> str:
    """A colour with a share of another one, from 0 to 1."""
    pairs = zip(red_green_blue(colour), red_green_blue(other), strict=True)
    return "#" + "".join(f"{round(own + share * (its - own)):02X}" for own, its in pairs)
