"""The small boards of a generation, a tile each, in pages; a Q-learner's single board."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from tetrion.app.evolution.stage import Boards
from tetrion.app.toolkit.chrome import Room
from tetrion.app.toolkit.pictures import Pictures
from tetrion.drawing.boards import board_size, draw_board
from tetrion.drawing.palette import ACCENT, DIM, FAINT, GROUND, OUTLINE, PANEL, STRONG, mixed
from tetrion.drawing.pen import Box, Pen
from tetrion.engine.pieces import WIDTH
from tetrion.evaluation.words import figure
from tetrion.training.fitness import GamesSettings
from tetrion.training.optimisers.protocol import Numbers

TILE, GAP, PADDING = (138, 153), 12, 13
COMPACT_WIDTH = 150
STEP = 150  # of width that a column needs
SHARE = 0.6  # of the width that the grid may take
TALLEST = 190
COMPACT = 3  # columns, and rows
RADIUS = 12
FADE = 0.2  # seconds in which the leader's outline comes and goes
SIZES = (24, 22, 20, 18, 16, 14, 13)
UNITS = {"lines": "lines", "score": "points", "lines-a-piece": "a piece", "survival": "pieces"}


def fitness_words(value: float, settings: GamesSettings) -> str:
    """A fitness as a tile shows it."""
    return figure(value, 2 if settings.fitness == "lines-a-piece" else 0, millions_from=10**6)


def leader_of(boards: Boards, before: int) -> int:
    """Who leads: whoever did before, until somebody is ahead; −1 while nobody is."""
    fitness = boards.fitness
    if len(boards) < 2 or fitness.max() <= fitness.min():
        return -1
    return before if 0 <= before < len(boards) and fitness[before] == fitness.max() else int(fitness.argmax())


@dataclass
class Grid:
    """The tiles of a page; `page` is counted from 0."""

    page: int = 0
    columns: int = 5
    rows: int = 4
    leader: int = -1
    frames: int = 0
    strength: Numbers = field(default_factory=lambda: np.zeros(0))  # of everybody's outline
    pictures: Pictures = field(default_factory=Pictures)

    def lay_out(self, pen: Pen, room: Room) -> Box:
        """Decide how many tiles there are and how large; gives back what they cover."""
        content = room.content
        if room.compact:
            self.columns, self.rows, wide = COMPACT, COMPACT, COMPACT_WIDTH
        else:
            self.columns, wide = max(1, int(SHARE * pen.width / STEP)), TILE[0]
            self.rows = max(1, (content.height + GAP) // (TILE[1] + GAP))
        high = min(TALLEST, (content.height - (self.rows - 1) * GAP) // self.rows)
        self.size = wide, high
        return Box(*content.topleft, self.columns * (wide + GAP) - GAP, content.height)

    def turn(self, pages: int, individuals: int) -> None:
        """Go some pages on; they are turned in a circle."""
        self.page = (self.page + pages) % max(1, -(-individuals // self.on_a_page))

    @property
    def on_a_page(self) -> int:
        """How many tiles a page has."""
        return self.columns * self.rows

    def shown(self, individuals: int) -> range:
        """Who is on this page."""
        self.page = min(self.page, max(0, individuals - 1) // self.on_a_page)
        first = self.page * self.on_a_page
        return range(first, min(individuals, first + self.on_a_page))

    def update(self, boards: Boards | None, seconds: float, moves: bool) -> None:
        """Let outlines come and go."""
        count = 0 if boards is None else len(boards)
        if len(self.strength) != count:
            self.strength = np.zeros(count)
        if boards is not None:
            target = np.zeros(count)
            self.leader = leader_of(boards, self.leader)
            if self.leader >= 0:
                target[self.leader] = 1
            most = seconds / FADE if moves else 1.0
            self.strength = self.strength + np.clip(target - self.strength, -most, most)

    def draw(self, pen: Pen, box: Box, boards: Boards, settings: GamesSettings) -> None:
        """Draw the tiles of this page."""
        self.frames += 1
        for place, number in enumerate(self.shown(len(boards))):
            down, across = divmod(place, self.columns)
            tile = Box(box.left + across * (self.size[0] + GAP), box.top + down * (self.size[1] + GAP), *self.size)
            facts = Tile(
                number,
                boards.cells[number].tobytes(),
                fitness_words(boards.fitness[number], settings),
                UNITS[settings.fitness],
                not boards.playing[number],
                bool(boards.lost[number]),
                number == self.leader,
                round(float(self.strength[number]), 1),
            )
            later = (place + self.frames) % 2 == 1  # each tile every second frame, which nobody sees
            self.pictures.draw(pen, number, tile, facts, partial(facts.paint, boards=boards), later)


@dataclass(frozen=True)
class Tile:
    """All that a tile shows."""

    number: int
    cells: bytes
    fitness: str
    unit: str
    ended: bool
    lost: bool
    leads: bool
    strength: float  # of its outline

    def paint(self, pen: Pen, box: Box, boards: Boards) -> None:
        """Draw it: the board left, words right."""
        quiet = self.ended and self.lost and not self.leads
        pen.rounded(box, RADIUS, mixed(PANEL, GROUND, 0.5) if quiet else PANEL, mixed(OUTLINE, GROUND, 0.4 * quiet))
        if self.strength:
            pen.ring(box, RADIUS, ACCENT, 2, self.strength)
        right = self.paint_board(pen, box, boards)
        edge = box.right - PADDING
        pen.text(f"{self.number + 1:,}", (edge, box.top + 22), 14, True, FAINT if quiet else DIM, align=1)
        if self.leads or self.ended:
            words, colour = ("leads", ACCENT) if self.leads else ("out", FAINT) if self.lost else ("done", DIM)
            pen.text(words, (edge, box.top + 41), 14, self.leads, colour, align=1)
        room = edge - right - 4
        size = next((size for size in SIZES if pen.width_of(self.fitness, size, True) <= room), SIZES[-1])
        colour = ACCENT if self.leads else FAINT if quiet else STRONG
        pen.text(self.fitness, (edge, box.bottom - 46), size, True, colour, align=1)
        pen.text(self.unit, (edge, box.bottom - 25), 14, False, FAINT if quiet else DIM, align=1)

    def paint_board(self, pen: Pen, box: Box, boards: Boards) -> int:
        """Draw the board; tells where it ends."""
        most_wide, most_high = pen.pixels(0.55 * box.width), pen.pixels(box.height - 2 * PADDING + 2)
        cell = max(2, min((most_wide - 6) // WIDTH, (most_high - 6) // boards.height))
        wide, high = board_size(cell, boards.height)
        left, top = pen.pixels(PADDING), (pen.pixels(box.height) - high) // 2
        draw_board(
            pen.surface, (left, top), cell, boards.stack(self.number), out=self.ended and self.lost, look=pen.look
        )
        return PADDING + round(wide / pen.scale)
