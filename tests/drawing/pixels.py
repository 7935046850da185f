"""Helpers of the drawing tests: surfaces, and the colours of single pixels."""

import numpy as np
import pygame

from tetrion.drawing.board_drawing import get_cell_position
from tetrion.drawing.palette import BACKGROUND, hex_to_rgb
from tetrion.drawing.pen import Pen


def make_surface(size: tuple[int, int] = (360, 680)) -> pygame.Surface:
    """Return a surface filled with the background colour."""
    surface = pygame.Surface(size, 0, 32)
    surface.fill(BACKGROUND)
    return surface


def make_pen(scale: float = 1.0, size: tuple[int, int] = (700, 500)) -> Pen:
    """Return a pen on an empty surface of a size in units."""
    return Pen(make_surface((round(size[0] * scale), round(size[1] * scale))), scale)


def get_bytes(surface: pygame.Surface) -> bytes:
    """Return the pixels of a surface."""
    return pygame.image.tobytes(surface, "RGBA")


def get_pixel(surface: pygame.Surface, x: int, y: int) -> str:
    """Return the colour of a pixel as #RRGGBB."""
    red, green, blue, _ = surface.get_at((x, y))
    return f"#{red:02X}{green:02X}{blue:02X}"


def get_cell_colour(surface: pygame.Surface, cell_size: int, column: int, row: int, height: int = 20) -> str:
    """Return the colour of the centre of a cell, on a board that was drawn at (0, 0)."""
    x, y = get_cell_position((0, 0), cell_size, height, column, row)
    return get_pixel(surface, x + cell_size // 2, y + cell_size // 2)


def is_near(colour: str, other: str, tolerance: int = 3) -> bool:
    """Return whether all components of two colours differ by at most `tolerance`."""
    pairs = zip(hex_to_rgb(colour), hex_to_rgb(other), strict=True)
    return all(abs(first - second) <= tolerance for first, second in pairs)


def find_pixels(surface: pygame.Surface, colour: str, tolerance: int = 0) -> list[tuple[int, int]]:
    """Return the positions of all pixels of a colour."""
    distances = abs(pygame.surfarray.array3d(surface).astype(int) - hex_to_rgb(colour)).max(axis=2)
    return [(int(x), int(y)) for x, y in np.argwhere(distances <= tolerance)]
