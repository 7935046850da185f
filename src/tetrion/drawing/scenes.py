"""A game as a row of scenes: each placement appears, falls and locks; full rows shine, open and are gone."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pygame

from tetrion.board import EMPTY, Placement
from tetrion.drawing.boards import Place, board_size, draw_board, draw_piece
from tetrion.drawing.look import USUAL, Look
from tetrion.drawing.palette import DIM, GROUND, OUTLINE, PANEL, STRONG
from tetrion.drawing.shapes import Size, put, rounded
from tetrion.drawing.stack import Stack
from tetrion.drawing.text import draw_text
from tetrion.game import Game

APPEARS, FALLS, LOCKS, SHINES, OPENS = 100, 40, 80, 80, 80  # milliseconds
ENDS = 2000  # how long the last scene stays
FALLING = 2  # scenes between where a piece appears and where it lies
WHITE = 0.7  # how much of it shining rows have
OPENED = 3  # columns to both sides

MARGIN, GAP, PADDING, RADIUS = 16, 12, 16, 12
COLUMN = 136  # the width of what stands beside the board
ROW, TITLE, SIGN = 28, 40, 44  # heights: of a number, of a panel's title, of the panel that says that a game is over
FEW = 3  # pieces that are shown larger
LARGE, SMALL, BETWEEN = 16, 14, 10


@dataclass(frozen=True)
class Scene:
    """What is seen of a game for some milliseconds."""

    stack: Stack
    pieces: int = 0
    lines: int = 0
    score: int = 0
    next: str = ""
    active: Placement | None = None
    ghost: Placement | None = None
    shining: tuple[int, ...] = ()
    out: bool = False
    milliseconds: int = LOCKS


def scene_of(game: Game, stack: Stack) -> Scene:
    """A game between two pieces, what stands on its board being known."""
    return Scene(stack, game.pieces, game.lines, game.score, game.next, out=game.over, milliseconds=ENDS)


def place_in_scenes(game: Game, stack: Stack, placement: Placement) -> Iterator[Scene]:
    """Make a placement in a game whose stack is given, scene by scene; `stack.after` is what stands then."""
    scene = scene_of(game, stack)
    for number, row in enumerate(rows_on_the_way(stack, placement)):
        milliseconds = FALLS if number else APPEARS
        yield replace(scene, active=replace(placement, row=row), ghost=placement, milliseconds=milliseconds)
    lying = stack.with_piece(placement)
    full = lying.full_rows if game.place(placement) else ()
    yield replace(scene, stack=lying, shining=full, milliseconds=SHINES if full else LOCKS)
    if full:
        yield replace(scene, stack=lying.opened(OPENED), shining=full, milliseconds=OPENS)


def rows_on_the_way(stack: Stack, placement: Placement) -> list[int]:
    """A few rows that a piece passes as it falls to its place, leaving out those where something is in its way."""
    tall = 1 + max(row for _, row in placement.cells) - placement.row
    top = max(stack.height - tall, placement.row)
    free = [row for row in range(top, placement.row, -1) if fits(stack, replace(placement, row=row))]
    return list(dict.fromkeys(free[len(free) * step // (FALLING + 1)] for step in range(FALLING + 1))) if free else []


def fits(stack: Stack, placement: Placement) -> bool:
    """Whether nothing stands where a piece would be."""
    return all(stack.at(column, row) == EMPTY for column, row in placement.cells)


def in_sight(stack: Stack, placement: Placement) -> Placement:
    """A piece above the visible rows, lowered until it is seen or something is in its way; others as they are."""
    while max(row for _, row in placement.cells) >= stack.height and placement.row:
        lower = replace(placement, row=placement.row - 1)
        if not fits(stack, lower):
            break
        placement = lower
    return placement


def scene_size(cell: int, height: int, preview: int) -> Size:
    """How wide and high a scene is, on boards with so many visible rows and pieces that are known in advance."""
    wide, high = board_size(cell, height)
    column = numbers_height() + GAP + max(next_height(preview) if preview else 0, SIGN)
    return 2 * MARGIN + wide + GAP + COLUMN, 2 * MARGIN + max(high, column)


def draw_scene(surface: pygame.Surface, scene: Scene, cell: int, look: Look = USUAL) -> None:
    """Draw a scene from the upper left corner of a surface."""
    surface.fill(GROUND)
    shining = dict.fromkeys(scene.shining, WHITE)
    covered = draw_board(
        surface,
        (MARGIN, MARGIN),
        cell,
        scene.stack,
        active=scene.active,
        ghost=scene.ghost,
        flash=shining,
        out=scene.out,
        look=look,
    )
    left = covered.right + GAP
    draw_numbers(surface, (left, MARGIN), scene)
    below = left, MARGIN + numbers_height() + GAP
    if scene.out:
        put(surface, rounded((COLUMN, SIGN), RADIUS, PANEL, OUTLINE), below)
        draw_text(surface, "Game over", (left + PADDING, below[1] + SIGN // 2), 16, True, STRONG)
    elif scene.next:
        draw_next(surface, below, scene.next, look)


def numbers_height() -> int:
    """How high the panel of numbers is."""
    return 3 * ROW + PADDING


def draw_numbers(surface: pygame.Surface, place: Place, scene: Scene) -> None:
    """A panel with the pieces, lines and score so far."""
    put(surface, rounded((COLUMN, numbers_height()), RADIUS, PANEL, OUTLINE), place)
    numbers = (("Pieces", scene.pieces), ("Lines", scene.lines), ("Score", scene.score))
    for row, (name, number) in enumerate(numbers):
        height = place[1] + PADDING // 2 + row * ROW + ROW // 2
        draw_text(surface, name, (place[0] + PADDING, height), 14, False, DIM)
        draw_text(surface, f"{number:,}", (place[0] + COLUMN - PADDING, height), 16, True, STRONG, align=1)


def next_cell(pieces: int) -> int:
    """The size of cells of the next pieces, if there are so many."""
    return LARGE if pieces <= FEW else SMALL


def next_height(pieces: int) -> int:
    """How high the panel of so many next pieces is."""
    return TITLE + pieces * (2 * next_cell(pieces) + BETWEEN) + BETWEEN // 2


def draw_next(surface: pygame.Surface, place: Place, letters: str, look: Look) -> None:
    """A panel with the pieces that are known to come."""
    cell = next_cell(len(letters))
    put(surface, rounded((COLUMN, next_height(len(letters))), RADIUS, PANEL, OUTLINE), place)
    draw_text(surface, "Next", (place[0] + PADDING, place[1] + 24), 14, True, DIM)
    for number, letter in enumerate(letters):
        height = place[1] + TITLE + number * (2 * cell + BETWEEN) + cell
        draw_piece(surface, (place[0] + COLUMN // 2, height), cell, letter, look=look)
