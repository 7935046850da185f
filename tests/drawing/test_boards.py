"""Boards: the colours of cells in every state and size, outlines, candidates, and rows above the visible ones."""

import os
import subprocess
import sys

import pytest

from tests.drawing.pixels import find_pixels, get_bytes, get_cell_colour, get_pixel, is_near, make_surface
from tetrion import Placement
from tetrion.drawing.board_drawing import (
    draw_board,
    get_cell_position,
)
from tetrion.drawing.cells import HINT_CONTOUR
from tetrion.drawing.palette import (
    ACCENT,
    BOARD_BACKGROUND,
    DEFAULT_PIECE_COLOURS,
    GRID_LINE_COLOUR,
    NEGATIVE,
    PIECE_PALETTES,
    UNKNOWN_PIECE_COLOUR,
    BoardStyle,
    compute_contrast,
    mix_colours,
)
from tetrion.drawing.thinking_panel import (
    KeepClearZones,
    compute_shade,
    draw_best_candidates,
    draw_candidate_shades,
    draw_keep_clear_zones,
    find_keep_clear_zones,
    place_rank_numbers,
)
from tetrion.stack import Stack

SIZES = (32, 13, 4)
ALL_PIECES = Stack.from_text(["..........", "IOTSZJL#.."])
STACK = Stack.from_text(["IIII......", "IIIIOO...."])
RANKED = [Placement("O", 0, 6, 0), Placement("O", 0, 7, 0), Placement("O", 0, 8, 0), Placement("O", 0, 0, 2)]


@pytest.mark.parametrize("cell", SIZES)
@pytest.mark.parametrize("palette", PIECE_PALETTES)
def test_colours_of_locked_cells_of_the_active_piece_and_of_lost_games(cell: int, palette: str) -> None:
    locked, lost = make_surface(), make_surface()
    piece = Placement("T", 0, 3, 10)
    draw_board(locked, (0, 0), cell, ALL_PIECES, style=BoardStyle(palette), active=piece)
    draw_board(lost, (0, 0), cell, ALL_PIECES, style=BoardStyle(palette), is_over=True)
    for column, colour in enumerate(PIECE_PALETTES[palette].values()):
        grey = mix_colours(mix_colours(colour, "#808894", 0.75), BOARD_BACKGROUND, 0.55)
        assert get_cell_colour(locked, cell, column, 0) == mix_colours(colour, BOARD_BACKGROUND, 0.13)
        assert get_cell_colour(lost, cell, column, 0) == grey
    assert get_cell_colour(locked, cell, 7, 0) == UNKNOWN_PIECE_COLOUR
    assert get_cell_colour(locked, cell, 8, 0) == BOARD_BACKGROUND
    assert {get_cell_colour(locked, cell, *each) for each in piece.cells} == {PIECE_PALETTES[palette]["T"]}


@pytest.mark.parametrize("cell", SIZES)
def test_grid_lines_are_drawn_in_large_cells_and_can_be_turned_off(cell: int) -> None:
    drawn = make_surface()
    x, y = get_cell_position((0, 0), cell, 20, 1, 19)
    for has_grid in (True, False):
        draw_board(drawn, (0, 0), cell, Stack(), style=BoardStyle(has_grid=has_grid))
        has_lines = has_grid and cell >= 14
        assert get_pixel(drawn, x, y + cell // 2) == (GRID_LINE_COLOUR if has_lines else BOARD_BACKGROUND)


@pytest.mark.parametrize("letter", "IJT")
@pytest.mark.parametrize("palette", PIECE_PALETTES)
def test_ghost_is_one_visible_contour(palette: str, letter: str) -> None:
    piece = Placement(letter, 0, 3, 5)
    for cell in (32, 20, 12):
        drawn = make_surface()
        draw_board(drawn, (0, 0), cell, Stack(), ghost=piece, style=BoardStyle(palette, has_grid=False))
        inside = get_cell_colour(drawn, cell, *piece.cells[0])
        assert inside != BOARD_BACKGROUND
        for column, row in piece.cells:
            assert is_near(get_cell_colour(drawn, cell, column, row), inside)
            if (column + 1, row) in piece.cells:
                x, y = get_cell_position((0, 0), cell, 20, column + 1, row)
                assert is_near(get_pixel(drawn, x, y + cell // 2), inside), "no line between the cells of a piece"
        x, y = get_cell_position((0, 0), cell, 20, *min(piece.cells))
        assert cell < 32 or compute_contrast(get_pixel(drawn, x + 2, y + 16), BOARD_BACKGROUND) > 2.99


def test_hint_has_dots_and_no_fill() -> None:
    drawn, piece = make_surface(), Placement("L", 1, 6, 4)
    draw_board(drawn, (0, 0), 32, Stack(), contours=[(piece, HINT_CONTOUR)])
    for column, row in piece.cells:
        assert get_cell_colour(drawn, 32, column, row) == ACCENT
        x, y = get_cell_position((0, 0), 32, 20, column, row)
        assert get_pixel(drawn, x + 16, y + 8) == BOARD_BACKGROUND


def test_marks_are_dark_on_light_pieces_and_light_on_dark_ones() -> None:
    drawn = make_surface()
    draw_board(drawn, (0, 0), 32, ALL_PIECES, style=BoardStyle("safe", has_marks=True))
    for column, (letter, colour) in enumerate(PIECE_PALETTES["safe"].items()):
        body = mix_colours(colour, BOARD_BACKGROUND, 0.13)
        mark = mix_colours(body, "#FFFFFF", 0.72) if letter in "SZJ" else mix_colours(body, "#000000", 0.60)
        x, y = get_cell_position((0, 0), 32, 20, column, 0)
        assert find_pixels(drawn.subsurface(x + 4, y + 4, 24, 22), mark, 8)
    assert get_cell_colour(drawn, 32, 7, 0) == UNKNOWN_PIECE_COLOUR, "an unknown piece has no mark"


def test_rows_above_the_visible_ones_are_not_drawn() -> None:
    low, high = Stack(("I.........",) * 3, 3), Stack(("I.........",) * 5, 3)
    first, second = make_surface(), make_surface()
    draw_board(first, (40, 40), 20, low)
    above = [Placement("O", 0, 7, 3)]
    draw_board(
        second,
        (40, 40),
        20,
        high,
        active=Placement("I", 1, 5, 4),
        ghost=above[0],
        draw_below=lambda: draw_candidate_shades(second, (40, 40), 20, high, above),
        draw_above=lambda: draw_best_candidates(second, (40, 40), 20, high, above),
    )
    assert get_bytes(first) == get_bytes(second)


def test_drawing_needs_no_display_and_prints_nothing() -> None:
    program = (
        "from tetrion.drawing.board_drawing import Stack, draw_board, pygame; "
        "from tetrion.drawing.text_drawing import draw_text; "
        "surface = pygame.Surface((300, 500), 0, 32); draw_board(surface, (0, 0), 20, Stack()); "
        "draw_text(surface, 'Lines', (10, 10), 14); print(pygame.display.get_init())"
    )
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("SDL", "PYGAME", "DISPLAY"))
    }
    process = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment)
    assert (process.stdout.strip(), process.stderr) == ("False", "")


@pytest.mark.parametrize("cell", [32, 12, 6])
def test_candidates_are_shaded_by_their_rank_and_the_best_is_outlined(cell: int) -> None:
    drawn = make_surface()
    draw_board(
        drawn,
        (0, 0),
        cell,
        STACK,
        draw_below=lambda: draw_candidate_shades(drawn, (0, 0), cell, STACK, RANKED),
        draw_above=lambda: draw_best_candidates(drawn, (0, 0), cell, STACK, RANKED),
    )
    for column, rank in ((7, 0), (8, 1), (9, 2)):
        shade = mix_colours(BOARD_BACKGROUND, ACCENT, compute_shade(rank))
        assert is_near(get_cell_colour(drawn, cell, column, 0), shade, 5)
    assert get_cell_colour(drawn, cell, 5, 1) == BOARD_BACKGROUND
    assert get_cell_colour(drawn, cell, 0, 0) == mix_colours(DEFAULT_PIECE_COLOURS["I"], BOARD_BACKGROUND, 0.13)
    x, y = get_cell_position((0, 0), cell, 20, 6, 0)
    assert find_pixels(drawn.subsurface(x, y, 4, cell), ACCENT)


def test_five_candidates_are_numbered_in_cells_that_no_better_one_covers() -> None:
    many = [Placement("I", 1, column, row) for row in (6, 12) for column in range(10)]
    assert place_rank_numbers(STACK, many) == {rank: (rank, 9) for rank in range(5)}
    assert place_rank_numbers(STACK, RANKED) == {0: (6, 1), 1: (8, 1), 2: (9, 1), 3: (0, 3)}
    assert place_rank_numbers(STACK, [*RANKED[:3:2], RANKED[1]]) == {0: (6, 1), 1: (8, 1)}, "no cell is left"


def test_zones_that_are_kept_clear() -> None:
    assert find_keep_clear_zones({"holes": 1}, 20) == KeepClearZones()
    zones = find_keep_clear_zones({"danger": 0, "last_column_cells": 0}, 20)
    assert zones == KeepClearZones(16, 9)
    plain, drawn, hidden = make_surface(), make_surface(), make_surface()
    draw_board(plain, (0, 0), 32, Stack())
    for surface, shown in ((drawn, zones), (hidden, KeepClearZones(20))):
        draw_board(surface, (0, 0), 32, Stack())
        draw_keep_clear_zones(surface, (0, 0), 32, 20, shown, label="Danger")
    assert get_bytes(hidden) == get_bytes(plain), "a zone in hidden rows is not drawn"
    assert is_near(get_cell_colour(drawn, 32, 4, 17), mix_colours(BOARD_BACKGROUND, NEGATIVE, 0.07))
    assert get_cell_colour(drawn, 32, 4, 15) == get_cell_colour(drawn, 32, 2, 17) == BOARD_BACKGROUND
    assert is_near(get_cell_colour(drawn, 32, 9, 8), mix_colours(BOARD_BACKGROUND, ACCENT, 0.035))
    dashes = find_pixels(drawn, mix_colours(BOARD_BACKGROUND, NEGATIVE, 0.7))
    assert len(dashes) > 4 * 32 / 2, "a dashed edge, and the label"
