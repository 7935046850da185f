"""The seven pieces as drawings, and their orientations."""

Cell = tuple[int, int]  # column from the left, row from the floor

WIDTH = 10
PIECES = "IOTSZJL"
SPAWN_DRAWINGS = {
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


def parse_drawing(drawing: str) -> list[Cell]:
    """Return the cells marked with # in a drawing; its lower left corner is (0, 0)."""
    rows = drawing.split()
    return sorted((x, len(rows) - 1 - y) for y, row in enumerate(rows) for x, mark in enumerate(row) if mark == "#")


def rotate_clockwise(cells: list[Cell]) -> list[Cell]:
    """Return the cells after a quarter turn: up becomes right, right becomes down."""
    rightmost = max(x for x, _ in cells)
    return sorted((y, rightmost - x) for x, y in cells)


def find_orientations(piece: str) -> list[list[Cell]]:
    """Return the different orientations of a piece, clockwise from the one in which it spawns."""
    orientations: list[list[Cell]] = []
    cells = parse_drawing(SPAWN_DRAWINGS[piece])
    for _ in range(4):
        if cells not in orientations:
            orientations.append(cells)
        cells = rotate_clockwise(cells)
    return orientations


ORIENTATIONS = {piece: find_orientations(piece) for piece in PIECES}
