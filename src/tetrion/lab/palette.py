"""The colours of every plot: a dark ground, grey words, and colour for data alone."""

GROUND = "#0E1116"
PANEL = "#151920"
OUTLINE = "#272E3A"
RULE = "#222935"
STRONG = "#EEF1F6"
TEXT = "#C4CAD6"
DIM = "#9AA3B4"
FAINT = "#788193"

ACCENT, SECOND = "#5FE0BB", "#F490B8"
PIECES = {
    "I": "#4CC2F1",
    "O": "#F5CB4E",
    "T": "#B98AF0",
    "S": "#8FCF5B",
    "Z": "#F0626E",
    "J": "#5B84F7",
    "L": "#F29A4A",
}
SERIES = [ACCENT, SECOND, *PIECES.values()]


def series(number: int) -> str:
    """The colour of a series by its place in the order."""
    return SERIES[number % len(SERIES)]
