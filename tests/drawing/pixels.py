"""What tests look at: single pixels of what was drawn, as text."""

import pygame

from tetrion.drawing.board_drawing import get_cell_position
from tetrion.drawing.palette import BACKGROUND


def surface(size: tuple[int, int] = (360, 680)) -> pygame.Surface:
    made = pygame.Surface(size, 0, 32)
    made.fill(BACKGROUND)
    return made


def pixel(drawn: pygame.Surface, x: int, y: int) -> str:
    red, green, blue, _ = drawn.get_at((x, y))
    return f"#{red:02X}{green:02X}{blue:02X}"


def in_cell(drawn: pygame.Surface, cell: int, column: int, row: int, height: int = 20) -> str:
    """The middle of a cell, on a board that was drawn at (0, 0)."""
    x, y = get_cell_position((0, 0), cell, height, column, row)
    return pixel(drawn, x + cell // 2, y + cell // 2)


def near(colour: str, other: str, most: int = 3) -> bool:
    pairs = zip(bytes.fromhex(colour[1:]), bytes.fromhex(other[1:]), strict=True)
    return all(abs(one - two) <= most for one, two in pairs)
