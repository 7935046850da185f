"""The README's picture, drawn from a real game: python -m benchmarks.picture."""

from pathlib import Path

from examples.play_in_terminal import COLOURS

from tetrion.agents import load
from tetrion.engine.pieces import PIECE_OF, SHAPES
from tetrion.engine.play import Setting, new_games, play_on_lanes
from tetrion.engine.rules import Rules

FILE = Path(__file__).parents[1] / "docs" / "pictures" / "boards.svg"
GROUND, WELL, LINE, OUTLINE, STRONG, DIM = "#0E1116", "#090B0F", "#12161C", "#272E3A", "#EEF1F6", "#9AA3B4"
CELL, MARGIN, GAP, PIECES, SEED = 18, 24, 40, 180, 12
FONT = "font-family='Source Sans Pro, Helvetica, Arial, sans-serif'"

Grid = list[list[int | None]]


def played(name: str, rules: Rules) -> tuple[Grid, int, int]:
    """The colours of the board after a while, the lines and the pieces."""
    games, setting = new_games(1, SEED), Setting.of([load(name).compiled()], rules, most_pieces=PIECES)
    grid: Grid = [[None] * 10 for _ in range(rules.height)]
    while play_on_lanes(games, setting, 1):
        orientation, left, bottom = (int(number) for number in games["placement"][0])
        for x, column in enumerate(SHAPES[orientation]):
            for y in range(4):
                if column >> y & 1:
                    grid[bottom + y][left + x] = int(PIECE_OF[orientation])
        grid = [row for row in grid if None in row]
        grid += [[None] * 10 for _ in range(rules.height - len(grid))]
    return grid, int(games["lines"][0]), int(games["pieces"][0])


def box(x: float, y: float, width: float, height: float, radius: float, fill: str, more: str = "") -> str:
    """A rounded rectangle."""
    return f"<rect x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}' rx='{radius:g}' fill='{fill}' {more}/>\n"


def text(x: float, y: float, size: int, fill: str, words: str, weight: int = 400) -> str:
    """A line of text."""
    return f"<text x='{x:g}' y='{y:g}' font-size='{size}' font-weight='{weight}' fill='{fill}' {FONT}>{words}</text>\n"


def drawn(grid: Grid, x: float, y: float) -> str:
    """A well with its cells."""
    height = len(grid) * CELL
    parts = [box(x - 4, y - 4, 10 * CELL + 8, height + 8, 10, WELL, f"stroke='{OUTLINE}'")]
    for column in range(1, 10):
        parts.append(f"<path d='M{x + column * CELL:g} {y:g}v{height}' stroke='{LINE}'/>\n")
    for row in range(1, len(grid)):
        parts.append(f"<path d='M{x:g} {y + row * CELL:g}h{10 * CELL}' stroke='{LINE}'/>\n")
    for row, cells in enumerate(grid):
        for column, piece in enumerate(cells):
            if piece is not None:
                top = y + (len(grid) - 1 - row) * CELL
                parts.append(box(x + column * CELL + 0.5, top + 0.5, CELL - 1, CELL - 1, 2.5, COLOURS[piece]))
    return "".join(parts)


def main() -> None:
    """Draw three agents after the same pieces."""
    rules, names = Rules.preset("standard"), ("lee", "dellacherie", "du")
    width = 2 * MARGIN + len(names) * 10 * CELL + (len(names) - 1) * GAP
    height = 2 * MARGIN + rules.height * CELL + 64
    parts = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}'>\n"]
    parts.append(box(0, 0, width, height, 12, GROUND))
    for place, name in enumerate(names):
        grid, lines, pieces = played(name, rules)
        x = MARGIN + place * (10 * CELL + GAP)
        parts.append(text(x, MARGIN + 12, 17, STRONG, name, 600))
        parts.append(text(x, MARGIN + 34, 14, DIM, f"{lines} lines after {pieces} pieces"))
        parts.append(drawn(grid, x, MARGIN + 56))
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text("".join(parts) + "</svg>\n", encoding="utf-8")


if __name__ == "__main__":
    main()
