"""The small boards of a generation, a tile each, in pages; a Q-learner's single board."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from tetrion.app.evolution.generation_player import GenerationBoards
from tetrion.app.toolkit.header_footer import ScreenArea
from tetrion.app.toolkit.surface_cache import SurfaceCache
from tetrion.drawing.board_drawing import compute_board_size, draw_board
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
from tetrion.drawing.pen import Box, Pen
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.evaluation.number_format import format_number
from tetrion.training.fitness import GamesSettings
from tetrion.training.optimisers.optimiser import NumpyArray

_TILE_SIZE = (138, 153)
_TILE_GAP = 12
_TILE_PADDING = 13
_COMPACT_TILE_WIDTH = 150
_WIDTH_PER_COLUMN = 150  # of width that a column needs
_GRID_WIDTH_SHARE = 0.6  # of the width that the grid may take
_MAX_TILE_HEIGHT = 190
_COMPACT_GRID_SIZE = 3  # columns, and rows
_TILE_RADIUS = 12
_OUTLINE_FADE_SECONDS = 0.2  # seconds in which the leader's outline comes and goes
_FITNESS_FONT_SIZES = (24, 22, 20, 18, 16, 14, 13)
_FITNESS_UNITS = {"lines": "lines", "score": "points", "lines-per-piece": "a piece", "survival": "pieces"}


def format_fitness(value: float, settings: GamesSettings) -> str:
    """A fitness as a tile shows it."""
    return format_number(value, 2 if settings.fitness == "lines-per-piece" else 0, millions_threshold=10**6)


def find_leader(boards: GenerationBoards, previous_leader: int) -> int:
    """Who leads: whoever did before, until somebody is ahead; −1 while nobody is."""
    fitness = boards.fitness
    if len(boards) < 2 or fitness.max() <= fitness.min():
        return -1
    return (
        previous_leader
        if 0 <= previous_leader < len(boards) and fitness[previous_leader] == fitness.max()
        else int(fitness.argmax())
    )


@dataclass
class TileGrid:
    """The tiles of a page; `page` is counted from 0."""

    page: int = 0
    columns: int = 5
    rows: int = 4
    leader_index: int = -1
    frame_count: int = 0
    outline_strengths: NumpyArray = field(default_factory=lambda: np.zeros(0))  # of everybody's outline
    pictures: SurfaceCache = field(default_factory=SurfaceCache)

    def lay_out(self, pen: Pen, room: ScreenArea) -> Box:
        """Decide how many tiles there are and how large; gives back what they cover."""
        content = room.content
        if room.is_compact:
            self.columns = _COMPACT_GRID_SIZE
            self.rows = _COMPACT_GRID_SIZE
            wide = _COMPACT_TILE_WIDTH
        else:
            self.columns, wide = max(1, int(_GRID_WIDTH_SHARE * pen.width / _WIDTH_PER_COLUMN)), _TILE_SIZE[0]
            self.rows = max(1, (content.height + _TILE_GAP) // (_TILE_SIZE[1] + _TILE_GAP))
        high = min(_MAX_TILE_HEIGHT, (content.height - (self.rows - 1) * _TILE_GAP) // self.rows)
        self.tile_size = wide, high
        return Box(*content.topleft, self.columns * (wide + _TILE_GAP) - _TILE_GAP, content.height)

    def turn_pages(self, pages: int, candidate_count: int) -> None:
        """Go some pages on; they are turned in a circle."""
        self.page = (self.page + pages) % max(1, -(-candidate_count // self.tiles_per_page))

    @property
    def tiles_per_page(self) -> int:
        """How many tiles a page has."""
        return self.columns * self.rows

    def get_page_range(self, candidate_count: int) -> range:
        """Who is on this page."""
        self.page = min(self.page, max(0, candidate_count - 1) // self.tiles_per_page)
        first = self.page * self.tiles_per_page
        return range(first, min(candidate_count, first + self.tiles_per_page))

    def update(self, boards: GenerationBoards | None, seconds: float, animated: bool) -> None:
        """Let outlines come and go."""
        count = 0 if boards is None else len(boards)
        if len(self.outline_strengths) != count:
            self.outline_strengths = np.zeros(count)
        if boards is not None:
            target = np.zeros(count)
            self.leader_index = find_leader(boards, self.leader_index)
            if self.leader_index >= 0:
                target[self.leader_index] = 1
            most = seconds / _OUTLINE_FADE_SECONDS if animated else 1.0
            self.outline_strengths = self.outline_strengths + np.clip(target - self.outline_strengths, -most, most)

    def draw(self, pen: Pen, box: Box, boards: GenerationBoards, settings: GamesSettings) -> None:
        """Draw the tiles of this page."""
        self.frame_count += 1
        for place, number in enumerate(self.get_page_range(len(boards))):
            down, across = divmod(place, self.columns)
            tile = Box(
                box.left + across * (self.tile_size[0] + _TILE_GAP),
                box.top + down * (self.tile_size[1] + _TILE_GAP),
                *self.tile_size,
            )
            facts = BoardTile(
                number,
                boards.cells[number].tobytes(),
                format_fitness(boards.fitness[number], settings),
                _FITNESS_UNITS[settings.fitness],
                not boards.is_playing[number],
                bool(boards.is_lost[number]),
                number == self.leader_index,
                round(float(self.outline_strengths[number]), 1),
            )
            later = (place + self.frame_count) % 2 == 1  # each tile every second frame, which nobody sees
            self.pictures.draw(pen, number, tile, facts, partial(facts.draw, boards=boards), may_be_stale=later)


@dataclass(frozen=True)
class BoardTile:
    """All that a tile shows."""

    index: int
    cells: bytes
    fitness: str
    unit: str
    is_over: bool
    is_lost: bool
    is_leader: bool
    outline_strength: float  # of its outline

    def draw(self, pen: Pen, box: Box, boards: GenerationBoards) -> None:
        """Draw it: the board left, words right."""
        quiet = self.is_over and self.is_lost and not self.is_leader
        pen.fill_rounded(
            box,
            _TILE_RADIUS,
            mix_colours(PANEL, BACKGROUND, 0.5) if quiet else PANEL,
            mix_colours(BOARD_OUTLINE, BACKGROUND, 0.4 * quiet),
        )
        if self.outline_strength:
            pen.draw_outline(box, _TILE_RADIUS, ACCENT, 2, self.outline_strength)
        right = self.draw_board_picture(pen, box, boards)
        edge = box.right - _TILE_PADDING
        pen.draw_text(f"{self.index + 1:,}", (edge, box.top + 22), 14, True, FAINT_TEXT if quiet else DIM_TEXT, align=1)
        if self.is_leader or self.is_over:
            words, colour = (
                ("leads", ACCENT) if self.is_leader else ("out", FAINT_TEXT) if self.is_lost else ("done", DIM_TEXT)
            )
            pen.draw_text(words, (edge, box.top + 41), 14, self.is_leader, colour, align=1)
        room = edge - right - 4
        size = next(
            (size for size in _FITNESS_FONT_SIZES if pen.measure_text(self.fitness, size, True) <= room),
            _FITNESS_FONT_SIZES[-1],
        )
        colour = ACCENT if self.is_leader else FAINT_TEXT if quiet else STRONG_TEXT
        pen.draw_text(self.fitness, (edge, box.bottom - 46), size, True, colour, align=1)
        pen.draw_text(self.unit, (edge, box.bottom - 25), 14, False, FAINT_TEXT if quiet else DIM_TEXT, align=1)

    def draw_board_picture(self, pen: Pen, box: Box, boards: GenerationBoards) -> int:
        """Draw the board; tells where it ends."""
        most_wide, most_high = pen.to_pixels(0.55 * box.width), pen.to_pixels(box.height - 2 * _TILE_PADDING + 2)
        cell = max(2, min((most_wide - 6) // BOARD_WIDTH, (most_high - 6) // boards.height))
        wide, high = compute_board_size(cell, boards.height)
        left, top = pen.to_pixels(_TILE_PADDING), (pen.to_pixels(box.height) - high) // 2
        draw_board(
            pen.surface,
            (left, top),
            cell,
            boards.make_stack(self.index),
            is_over=self.is_over and self.is_lost,
            style=pen.style,
        )
        return _TILE_PADDING + round(wide / pen.scale)
