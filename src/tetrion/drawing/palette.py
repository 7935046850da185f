"""All colours, as hexadecimal strings: dark background, grey text; bright colours only for pieces and data.

Figures also have a light theme, for papers: each colour of the dark theme has a counterpart on white.
"""

import colorsys
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
DEFAULT_PIECE_COLOURS = {
    "I": "#4CC2F1",
    "O": "#F5CB4E",
    "T": "#B98AF0",
    "S": "#8FCF5B",
    "Z": "#F0626E",
    "J": "#5B84F7",
    "L": "#F29A4A",
}
COLOUR_BLIND_PIECE_COLOURS = {
    "I": "#86F7F1",
    "O": "#FFF98A",
    "T": "#B46AB3",
    "S": "#12B272",
    "Z": "#C53807",
    "J": "#2E65E2",
    "L": "#FC9606",
}
GAVRILOV_PIECE_COLOURS = {  # Gavrilov 2023, section 4.4: `shape_colors` of the shapes S, Z, I, O, J, L, T
    "I": "#00FFFF",
    "O": "#FFFF00",
    "T": "#800080",
    "S": "#00FF00",
    "Z": "#FF0000",
    "J": "#FFA500",
    "L": "#0000FF",
}
PIECE_PALETTES = {
    "tetrion": DEFAULT_PIECE_COLOURS,
    "safe": COLOUR_BLIND_PIECE_COLOURS,
    "gavrilov": GAVRILOV_PIECE_COLOURS,
}
SERIES_COLOURS = [
    ACCENT,
    SECOND_ACCENT,
    "#7FB4F0",
    "#F2B36B",
    "#B9A2F5",
    *(DEFAULT_PIECE_COLOURS[letter] for letter in "SOZI"),
]
GRADE_COLOURS = {  # of moves in a review, next to their words
    "best": ACCENT,
    "good": SERIES_COLOURS[2],
    "inaccuracy": DEFAULT_PIECE_COLOURS["O"],
    "mistake": DEFAULT_PIECE_COLOURS["L"],
    "blunder": NEGATIVE,
}

DARK_THEME = "dark"
LIGHT_THEME = "light"
THEMES = (DARK_THEME, LIGHT_THEME)
_LIGHT_COLOURS = {  # backgrounds, lines and texts of the light theme; data colours are darkened
    BACKGROUND: WHITE,
    PANEL: WHITE,
    RAISED_PANEL: "#F2F4F7",
    HEADER_SEPARATOR: "#E4E8EE",
    SEPARATOR: "#E4E8EE",
    BOARD_OUTLINE: "#AEB6C2",
    STRONG_TEXT: "#14181F",
    NORMAL_TEXT: "#343B47",
    DIM_TEXT: "#4C5565",
    FAINT_TEXT: "#687182",
    DEFAULT_PIECE_COLOURS["O"]: "#6B4F00",  # a darkened yellow would look like the orange series
}
_MIN_LIGHT_CONTRAST = 4.5  # of data colours on white, because names of lines are written in them (WCAG 2.2, 1.4.3)
_DARKENING_STEP = 0.01  # of the lightness, from 0 to 1


def get_series_colour(number: int) -> str:
    """Return the colour of a data series by its index."""
    return SERIES_COLOURS[number % len(SERIES_COLOURS)]


def validate_theme(theme: str) -> str:
    """Return the name of a theme, or raise an UnknownNameError."""
    if theme not in THEMES:
        raise UnknownNameError("theme", theme, THEMES)
    return theme


@lru_cache(256)
def get_light_colour(colour: str) -> str:
    """Return the counterpart of a colour in the light theme: data colours become darker until they are readable."""
    if colour.upper() in _LIGHT_COLOURS:
        return _LIGHT_COLOURS[colour.upper()]
    while compute_contrast(colour, WHITE) < _MIN_LIGHT_CONTRAST:
        colour = darken(colour, _DARKENING_STEP)
    return colour


def darken(colour: str, amount: float) -> str:
    """Return a colour of the same hue and saturation whose lightness (0 to 1) is lower by `amount`."""
    red, green, blue = hex_to_rgb(colour)
    hue, lightness, saturation = colorsys.rgb_to_hls(red / 255, green / 255, blue / 255)
    components = colorsys.hls_to_rgb(hue, max(0.0, lightness - amount), saturation)
    return "#" + "".join(f"{round(255 * component):02X}" for component in components)


def get_piece_colours(palette: str) -> dict[str, str]:
    """Return the colours of the seven pieces in a palette."""
    if palette not in PIECE_PALETTES:
        raise UnknownNameError("palette", palette, PIECE_PALETTES)
    return PIECE_PALETTES[palette]


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
