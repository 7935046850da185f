"""Boards of a generation as pages of small tiles, and the single board of a learner without a population."""

from dataclasses import dataclass, field

import numpy as np

from tetrion.app.evolution.evolution_session import EvolutionSession, SessionSnapshot
from tetrion.app.evolution.followed_run import FollowedRun
from tetrion.app.evolution.generation_player import GenerationBoards
from tetrion.app.evolution.run_history import MOVING_MEAN_EPISODES, RunHistory
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
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.evaluation.number_format import format_number
from tetrion.stack import Stack
from tetrion.training.fitness import GamesSettings
from tetrion.training.optimisers.optimiser import NumpyArray

_TILE_SIZE = (138, 153)
_TILE_GAP = 12
_TILE_PADDING = 13
_COMPACT_TILE_WIDTH = 150
_WIDTH_PER_COLUMN = 150  # units
_GRID_WIDTH_SHARE = 0.6  # of the window width
_MAX_TILE_HEIGHT = 190
_COMPACT_GRID_SIZE = 3  # columns and rows
_TILE_RADIUS = 12
_OUTLINE_FADE_SECONDS = 0.2  # of the outline around the leader
_FITNESS_FONT_SIZES = (24, 22, 20, 18, 16, 14, 13)
_FITNESS_UNITS = {
    "lines": "lines",
    "score": "points",
    "lines-per-piece": "per piece",
    "survival": "pieces",
    "hazard": "per death",
    "attack": "attack",
}

_TRAINING_TEXT = "{name} has no population. A single learner plays {step} after {step} and learns from its own games."
_REPLAY_TEXT = "{name} has no population. The single learner plays a game here as it was after {step} {number:,}."
_ROW_HEIGHT = 28
_MIN_TEXT_WIDTH = 150  # units, next to the board of the learner


def format_fitness(value: float, settings: GamesSettings) -> str:
    """Format a fitness value for a tile."""
    return format_number(value, 2 if settings.fitness == "lines-per-piece" else 0, millions_threshold=10**6)


def find_leader(boards: GenerationBoards, previous_leader: int) -> int:
    """Return the index of the leading candidate, or −1 if all have the same fitness.

    The previous leader remains the leader until another candidate has a higher fitness.
    """
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
    """A grid of tiles that shows one page of candidates; `page` starts at 0."""

    page: int = 0
    columns: int = 5
    rows: int = 4
    leader_index: int = -1
    frame_count: int = 0
    outline_strengths: NumpyArray = field(default_factory=lambda: np.zeros(0))  # 0 to 1, one per candidate
    pictures: SurfaceCache = field(default_factory=SurfaceCache)

    def lay_out(self, pen: Pen, screen_area: ScreenArea) -> Box:
        """Compute the number and the size of the tiles, and return the box they cover."""
        content = screen_area.content
        if screen_area.is_compact:
            self.columns = _COMPACT_GRID_SIZE
            self.rows = _COMPACT_GRID_SIZE
            width = _COMPACT_TILE_WIDTH
        else:
            self.columns, width = max(1, int(_GRID_WIDTH_SHARE * pen.width / _WIDTH_PER_COLUMN)), _TILE_SIZE[0]
            self.rows = max(1, (content.height + _TILE_GAP) // (_TILE_SIZE[1] + _TILE_GAP))
        height = min(_MAX_TILE_HEIGHT, (content.height - (self.rows - 1) * _TILE_GAP) // self.rows)
        self.tile_size = width, height
        return Box(*content.topleft, self.columns * (width + _TILE_GAP) - _TILE_GAP, content.height)

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

    def update(self, boards: GenerationBoards | None, seconds: float, animated: bool) -> None:
        """Update the leader and fade the outlines."""
        count = 0 if boards is None else len(boards)
        if len(self.outline_strengths) != count:
            self.outline_strengths = np.zeros(count)
        if boards is not None:
            target = np.zeros(count)
            self.leader_index = find_leader(boards, self.leader_index)
            if self.leader_index >= 0:
                target[self.leader_index] = 1
            max_change = seconds / _OUTLINE_FADE_SECONDS if animated else 1.0
            self.outline_strengths = self.outline_strengths + np.clip(
                target - self.outline_strengths, -max_change, max_change
            )

    def draw(self, pen: Pen, box: Box, boards: GenerationBoards, settings: GamesSettings) -> None:
        """Draw the tiles of this page."""
        self.frame_count += 1
        for position, number in enumerate(self.get_page_range(len(boards))):
            row, column = divmod(position, self.columns)
            tile = Box(
                box.left + column * (self.tile_size[0] + _TILE_GAP),
                box.top + row * (self.tile_size[1] + _TILE_GAP),
                *self.tile_size,
            )
            content = BoardTile(
                number,
                boards.stacks[number],
                format_fitness(boards.fitness[number], settings),
                _FITNESS_UNITS[settings.fitness],
                not boards.is_playing[number],
                bool(boards.is_lost[number]),
                number == self.leader_index,
                round(float(self.outline_strengths[number]), 1),
            )
            may_be_stale = (position + self.frame_count) % 2 == 1  # redraw each tile in every second frame only
            self.pictures.draw(pen, number, tile, content, content.draw, may_be_stale=may_be_stale)


@dataclass(frozen=True)
class BoardTile:
    """Content of one tile, used as its cache key."""

    index: int
    stack: Stack
    fitness: str
    unit: str
    is_over: bool
    is_lost: bool
    is_leader: bool
    outline_strength: float  # 0 to 1

    def draw(self, pen: Pen, box: Box) -> None:
        """Draw the tile: the board on the left, the texts on the right."""
        is_dimmed = self.is_over and self.is_lost and not self.is_leader
        pen.fill_rounded(
            box,
            _TILE_RADIUS,
            mix_colours(PANEL, BACKGROUND, 0.5) if is_dimmed else PANEL,
            mix_colours(BOARD_OUTLINE, BACKGROUND, 0.4 * is_dimmed),
        )
        if self.outline_strength:
            pen.draw_outline(box, _TILE_RADIUS, ACCENT, 2, self.outline_strength)
        board_right = self.draw_board_picture(pen, box)
        right_edge = box.right - _TILE_PADDING
        pen.draw_text(
            f"{self.index + 1:,}", (right_edge, box.top + 22), 14, True, FAINT_TEXT if is_dimmed else DIM_TEXT, align=1
        )
        if self.is_leader or self.is_over:
            text, colour = (
                ("leads", ACCENT) if self.is_leader else ("out", FAINT_TEXT) if self.is_lost else ("done", DIM_TEXT)
            )
            pen.draw_text(text, (right_edge, box.top + 41), 14, self.is_leader, colour, align=1)
        max_width = right_edge - board_right - 4
        size = next(
            (size for size in _FITNESS_FONT_SIZES if pen.measure_text(self.fitness, size, True) <= max_width),
            _FITNESS_FONT_SIZES[-1],
        )
        colour = ACCENT if self.is_leader else FAINT_TEXT if is_dimmed else STRONG_TEXT
        pen.draw_text(self.fitness, (right_edge, box.bottom - 46), size, True, colour, align=1)
        pen.draw_text(
            self.unit, (right_edge, box.bottom - 25), 14, False, FAINT_TEXT if is_dimmed else DIM_TEXT, align=1
        )

    def draw_board_picture(self, pen: Pen, box: Box) -> int:
        """Draw the board and return its right edge in units."""
        max_width, max_height = pen.to_pixels(0.55 * box.width), pen.to_pixels(box.height - 2 * _TILE_PADDING + 2)
        cell = max(2, min((max_width - 6) // BOARD_WIDTH, (max_height - 6) // self.stack.height))
        width, height = compute_board_size(cell, self.stack.height)
        left, top = pen.to_pixels(_TILE_PADDING), (pen.to_pixels(box.height) - height) // 2
        draw_board(
            pen.surface,
            (left, top),
            cell,
            self.stack,
            is_over=self.is_over and self.is_lost,
            style=pen.style,
        )
        return _TILE_PADDING + round(width / pen.scale)


def draw_learner(pen: Pen, box: Box, session: EvolutionSession, snapshot: SessionSnapshot) -> None:
    """Draw the board of a learner without a population, with an explanation and its results."""
    boards = snapshot.boards
    pen.draw_panel(box)
    if boards is None:
        return
    board_area = Box(
        box.left + PANEL_PADDING,
        box.top + PANEL_PADDING,
        box.width - 3 * PANEL_PADDING - _MIN_TEXT_WIDTH,
        box.height - 2 * PANEL_PADDING,
    )
    fitted = pen.fit_board(board_area, boards.height, align=0)
    is_over = not boards.is_playing[0]
    stack = boards.stacks[0]
    draw_board(
        pen.surface, pen.to_pixel_point(fitted.box.topleft), fitted.cell_size, stack, is_over=is_over, style=pen.style
    )
    left = fitted.box.right + 20
    width = box.right - PANEL_PADDING - left
    template = _REPLAY_TEXT if isinstance(session, FollowedRun) else _TRAINING_TEXT
    name = session.recipe.learner.capitalize()
    text = template.format(name=name, step=session.step_name, number=snapshot.generation)
    pen.draw_text("One learner", (left, box.top + 30), 18, True, STRONG_TEXT)
    top = box.top + 62 + pen.draw_paragraph(text, (left, box.top + 62), width, 15, DIM_TEXT, max_lines=14) + 16
    for number, (name, value) in enumerate(summarise_steps(snapshot.history, session.step_name)):
        pen.draw_row(Box(left, top + number * _ROW_HEIGHT, width, _ROW_HEIGHT), name, value)


def summarise_steps(history: RunHistory, step_name: str) -> list[tuple[str, str]]:
    """Return labels and values of the curve of a learner without a population: last, best and moving mean."""
    if not len(history):
        return []
    values, means = history.curves.values()
    results = {
        f"Last {step_name}": values[-1],
        f"Best {step_name}": values.max(),
        f"Mean of {MOVING_MEAN_EPISODES}": means[-1],
    }
    return [(name, format_number(float(number), 0)) for name, number in results.items()]
