"""All colours, as hexadecimal strings: dark background, grey text; bright colours only for pieces and data."""

from dataclasses import dataclass
from functools import lru_cache

from tetrion.errors import UnknownNameError

BACKGROUND = "#0E1116"
PANEL = "#151920"
RAISED_PANEL = "#1E242E"
HEADER_SEPARATOR = "#1B2029"  # below a header, above a footer
SEPARATOR = "#222935"  # inside panels
STRONG_TEXT = "#EEF1F6"
NORMAL_TEXT = "#C4CAD6"
DIM_TEXT = "#9AA3B4"
FAINT_TEXT = "#788193"

ACCENT = "#5FE0BB"
SECOND_ACCENT = "#F490B8"
NEGATIVE = "#F2727D"
ON_ACCENT = "#08130F"
BOARD_BACKGROUND = "#090B0F"
GRID_LINE_COLOUR = "#12161C"
BOARD_OUTLINE = "#272E3A"
GAME_OVER_GREY = "#808894"  # mixed into the colours of a board whose game is over
WHITE = "#FFFFFF"
BLACK = "#000000"
_MIN_OUTLINE_CONTRAST = 4.6  # on the board; a ghost's line, with an opacity of 75 %, has 3 then (WCAG 2.2, 1.4.11)
_OUTLINE_LIGHTENING_STEP = 0.02  # share of white

UNKNOWN_PIECE_COLOUR = "#4A5364"
PIECE_PALETTES = {
    name: dict(zip("IOTSZJL", colours.split(), strict=True))
    for name, colours in {
        "tetrion": "#4CC2F1 #F5CB4E #B98AF0 #8FCF5B #F0626E #5B84F7 #F29A4A",
        "safe": "#86F7F1 #FFF98A #B46AB3 #12B272 #C53807 #2E65E2 #FC9606",  # for colour-blind people
        "gavrilov": "#00FFFF #FFFF00 #800080 #00FF00 #FF0000 #FFA500 #0000FF",  # 2023, section 4.4, `shape_colors`
    }.items()
}
DEFAULT_PIECE_COLOURS = PIECE_PALETTES["tetrion"]
_LAST_SERIES_COLOURS = [DEFAULT_PIECE_COLOURS[letter] for letter in "SOZI"]
SERIES_COLOURS = [ACCENT, SECOND_ACCENT, "#7FB4F0", "#F2B36B", "#B9A2F5", *_LAST_SERIES_COLOURS]
GRADE_COLOURS = {  # of moves in a review, next to their words
    "best": ACCENT,
    "good": SERIES_COLOURS[2],
    "inaccuracy": DEFAULT_PIECE_COLOURS["O"],
    "mistake": DEFAULT_PIECE_COLOURS["L"],
    "blunder": NEGATIVE,
}


# Cells: their states, and measures as shares of the cell size. HTML pages draw them without pygame.
ACTIVE_CELL = "active"
LOCKED_CELL = "locked"
GAME_OVER_CELL = "game over"
CELL_CORNER_RADIUS = 0.13
CELL_LIP_HEIGHT = 0.08  # of the dark lower edge
CELL_EDGE_WHITENESS = {ACTIVE_CELL: 0.34, LOCKED_CELL: 0.20, GAME_OVER_CELL: 0.20}  # share of white in the upper edge


def get_series_colour(number: int) -> str:
    """Return the colour of a data series by its index."""
    return SERIES_COLOURS[number % len(SERIES_COLOURS)]


def get_piece_colours(palette: str) -> dict[str, str]:
    """Return the colours of the seven pieces in a palette."""
    if palette not in PIECE_PALETTES:
        raise UnknownNameError("palette", palette, PIECE_PALETTES)
    return PIECE_PALETTES[palette]


@dataclass(frozen=True)
class BoardStyle:
    """The appearance of boards that users can choose: a palette of `PIECE_PALETTES`, marks in cells, and grid lines."""

    palette: str = "tetrion"
    has_marks: bool = False
    has_grid: bool = True

    def __post_init__(self) -> None:
        get_piece_colours(self.palette)  # raises UnknownNameError for an unknown palette


DEFAULT_BOARD_STYLE = BoardStyle()


def get_body_colour(letter: str, state: str, style: BoardStyle = DEFAULT_BOARD_STYLE) -> str:
    """Return the colour of a cell; a letter that is not a piece stands for an unknown piece."""
    colour = get_piece_colours(style.palette).get(letter, UNKNOWN_PIECE_COLOUR)
    if state == GAME_OVER_CELL:
        return mix_colours(mix_colours(colour, GAME_OVER_GREY, 0.75), BOARD_BACKGROUND, 0.55)
    if state == LOCKED_CELL and colour != UNKNOWN_PIECE_COLOUR:
        return mix_colours(colour, BOARD_BACKGROUND, 0.13)
    return colour


def hex_to_rgb(colour: str) -> tuple[int, int, int]:
    """Return the red, green and blue components of a colour, each from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


@lru_cache(512)
def mix_colours(colour: str, other: str, share: float) -> str:
    """Return a mixture of two colours; `share` (0 to 1) is the share of `other`."""
    pairs = zip(hex_to_rgb(colour), hex_to_rgb(other), strict=True)
    return "#" + "".join(f"{round(first + share * (second - first)):02X}" for first, second in pairs)


@lru_cache(64)
def get_outline_colour(colour: str) -> str:
    """Return the colour for outlines of a piece: its own, mixed with white as far as a dark one needs to be visible."""
    share = 0.0
    while compute_contrast(outline := mix_colours(colour, WHITE, share), BOARD_BACKGROUND) < _MIN_OUTLINE_CONTRAST:
        share += _OUTLINE_LIGHTENING_STEP
    return outline


def compute_contrast(colour: str, other: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21 (WCAG 2.2)."""
    darker, lighter = sorted((compute_luminance(colour), compute_luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def compute_luminance(colour: str) -> float:
    """Return the relative luminance of a colour, from 0 to 1 (WCAG 2.2)."""
    shares = [component / 255 for component in hex_to_rgb(colour)]
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
