"""Boards of a generation as pages of small tiles, or the board of a learner without a population as one large tile."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tetrion.app.evolution.generation_player import GenerationBoards
from tetrion.app.toolkit.surface_cache import SurfaceCache
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.layout import Box, flexible, inset, split_column, split_grid
from tetrion.drawing.palette import (
    ACCENT,
    BACKGROUND,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    PANEL,
    STRONG_TEXT,
    mix_colours,
)
from tetrion.drawing.pen import Pen
from tetrion.lab.run_summary import format_fitness
from tetrion.stack import Stack
from tetrion.training.fitness import FITNESS_UNITS, GamesSettings

_TILE_WIDTH = 138
_MIN_TILE_HEIGHT = 146
_TILE_GAP = 12
_TILE_PADDING = 13
_TILE_RADIUS = 12
_GRID_WIDTH_SHARE = 0.6  # of the window width
_OUTLINE_FADE_SECONDS = 0.2  # of the outline around the leader


def fit_font_size(pen: Pen, text: str, width: float, sizes: Sequence[int]) -> int:
    """Return the first of the sizes with which a semibold text fits into a width, or the last one."""
    return next((size for size in sizes if pen.measure_text(text, size, True) <= width), sizes[-1])


class TileGrid:
    """A grid of tiles that shows one page of candidates; `page` starts at 0."""

    def __init__(self) -> None:
        self.page = 0
        self.columns = 5
        self.rows = 4
        self._leader = -1  # index of the leading candidate; −1 if all have the same fitness
        self._outline_strengths = np.zeros(0)  # 0 to 1, one per candidate
        self._frame_count = 0
        self._pictures = SurfaceCache()

    def lay_out(self, pen: Pen, content: Box, *, has_one_board: bool) -> int:
        """Compute the number of tiles per page; return the width of the grid."""
        columns = int(_GRID_WIDTH_SHARE * pen.width) // (_TILE_WIDTH + _TILE_GAP)
        self.columns = 1 if has_one_board else columns
        self.rows = 1 if has_one_board else (content.height + _TILE_GAP) // (_MIN_TILE_HEIGHT + _TILE_GAP)
        return columns * (_TILE_WIDTH + _TILE_GAP) - _TILE_GAP

    def turn_pages(self, pages: int, candidate_count: int) -> None:
        """Move by a number of pages; the first page follows the last."""
        self.page = (self.page + pages) % max(1, -(-candidate_count // self.tiles_per_page))

    @property
    def tiles_per_page(self) -> int:
        """Number of tiles per page."""
        return self.columns * self.rows

    def get_page_range(self, candidate_count: int) -> range:
        """Return the indices of the candidates on this page."""
        self.page = min(self.page, max(0, candidate_count - 1) // self.tiles_per_page)
        first = self.page * self.tiles_per_page
        return range(first, min(candidate_count, first + self.tiles_per_page))

    def update(self, boards: GenerationBoards, seconds: float, animated: bool) -> None:
        """Find the leader, who remains until another candidate has a higher fitness, and fade the outlines."""
        fitness = boards.fitness
        if len(boards) < 2 or fitness.max() <= fitness.min():
            self._leader = -1
        elif not 0 <= self._leader < len(boards) or fitness[self._leader] < fitness.max():
            self._leader = int(fitness.argmax())
        if len(self._outline_strengths) != len(boards):
            self._outline_strengths = np.zeros(len(boards))
        change = (np.arange(len(boards)) == self._leader) - self._outline_strengths
        max_change = seconds / _OUTLINE_FADE_SECONDS if animated else 1.0
        self._outline_strengths = self._outline_strengths + np.clip(change, -max_change, max_change)

    def draw(self, pen: Pen, box: Box, boards: GenerationBoards, settings: GamesSettings) -> None:
        """Draw the tiles of this page."""
        self._frame_count += 1
        tiles = split_grid(box, self.columns, self.rows, _TILE_GAP)
        for number, tile in zip(self.get_page_range(len(boards)), tiles, strict=False):
            content = BoardTile(
                f"{number + 1:,}" if len(boards) > 1 else "",
                boards.stacks[number],
                format_fitness(boards.fitness[number], settings),
                FITNESS_UNITS[settings.fitness],
                not boards.is_playing[number],
                bool(boards.is_lost[number]),
                number == self._leader,
                round(float(self._outline_strengths[number]), 1),
            )
            may_be_stale = (number + self._frame_count) % 2 == 1  # redraw each tile in every second frame only
            name = number % self.tiles_per_page
            self._pictures.draw(pen, name, tile, content, content.draw, may_be_stale=may_be_stale)


@dataclass(frozen=True)
class BoardTile:
    """Content of one tile, used as its cache key."""

    label: str
    stack: Stack
    fitness: str
    unit: str
    is_over: bool
    is_lost: bool
    is_leader: bool
    outline_strength: float  # 0 to 1

    def draw(self, pen: Pen, box: Box) -> None:
        """Draw the tile: the board on the left, the texts on the right."""
        is_lost = self.is_over and self.is_lost
        is_dimmed = is_lost and not self.is_leader
        fill = mix_colours(PANEL, BACKGROUND, 0.5) if is_dimmed else PANEL
        pen.fill_rounded(box, _TILE_RADIUS, fill, mix_colours(BOARD_OUTLINE, BACKGROUND, 0.4 * is_dimmed))
        if self.outline_strength:
            pen.draw_outline(box, _TILE_RADIUS, ACCENT, 2, self.outline_strength)
        inside = inset(box, _TILE_PADDING)
        board = pen.fit_board(Box(inside.topleft, (0.67 * inside.width, inside.height + 8)), self.stack.height, align=0)
        board.box.centery = inside.centery
        origin = pen.to_pixel_point(board.box.topleft)
        draw_board(pen.surface, origin, board.cell_size, self.stack, is_over=is_lost, style=pen.style)
        label_colour = FAINT_TEXT if is_dimmed else DIM_TEXT
        status, colour = "", label_colour
        if self.is_leader:
            status, colour = "leads", ACCENT
        elif self.is_over:
            status = "out" if self.is_lost else "done"
        fitness_colour = ACCENT if self.is_leader else FAINT_TEXT if is_dimmed else STRONG_TEXT
        size = fit_font_size(pen, self.fitness, inside.width - board.box.width - 4, (24, 22, 20, 18, 16, 14, 13))
        label_row, status_row, _, fitness_row, unit_row = split_column(inside, [18, 20, flexible(), 20, 22])
        pen.draw_text(self.label, label_row.midright, 14, True, label_colour, align=1)
        pen.draw_text(status, status_row.midright, 14, self.is_leader, colour, align=1)
        pen.draw_text(self.fitness, fitness_row.midright, size, True, fitness_colour, align=1)
        pen.draw_text(self.unit, unit_row.midright, 14, False, label_colour, align=1)
