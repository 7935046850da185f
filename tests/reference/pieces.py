"""The seven pieces, drawn with the lowest row last, and what they look like when they are turned."""

Cell = tuple[int, int]  # column from the left, row from the floor

WIDTH = 10
PIECES = "IOTSZJL"
SPAWN = {
    "I": """
        ####
    """,
    "O": """
        ##
        ##
    """,
    "T": """
        -#-
        ###
    """,
    "S": """
        -##
        ##-
    """,
    "Z": """
        ##-
        -##
    """,
    "J": """
        #--
        ###
    """,
    "L": """
        --#
        ###
    """,
}


def cells_of_drawing(drawing: str) -> list[Cell]:
    """The cells of a drawing; the lower left corner of its box is (0, 0)."""
    rows = drawing.split()
    return sorted((x, len(rows) - 1 - y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "#")


def turned_clockwise(cells: list[Cell]) -> list[Cell]:
    """The cells after a quarter turn: what was up is now right, what was right is now down."""
    rightmost = max(x for x, _ in cells)
    return sorted((y, rightmost - x) for x, y in cells)


def orientations(piece: str) -> list[list[Cell]]:
    """The different orientations of a piece, clockwise from the spawn state."""
    different: list[list[Cell]] = []
    cells = cells_of_drawing(SPAWN[piece])
    for _ in range(4):
        if cells not in different:
            different.append(cells)
        cells = turned_clockwise(cells)
    return different


ORIENTATIONS = {piece: orientations(piece) for piece in PIECES}
