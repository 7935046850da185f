"""Boards: the colours of cells in every state and size, outlines, and rows above the visible ones."""

import os
import subprocess
import sys

import pygame
import pytest

from tests.drawing.pixels import get_cell_colour, get_pixel, is_near, make_surface
from tetrion import Placement, TetrionError
from tetrion.drawing.board_drawing import (
    compute_board_size,
    draw_board,
    draw_piece,
    get_cell_position,
    get_frame_width,
    render_empty_board,
)
from tetrion.drawing.cells import ACTIVE_CELL, GAME_OVER_CELL, LOCKED_CELL, render_cell
from tetrion.drawing.contours import HINT_CONTOUR, PLAN_CONTOUR, make_ghost_contour, render_contour
from tetrion.drawing.palette import (
    ACCENT,
    BACKGROUND,
    BOARD_BACKGROUND,
    BOARD_OUTLINE,
    DEFAULT_PIECE_COLOURS,
    GRID_LINE_COLOUR,
    PIECE_PALETTES,
    UNKNOWN_PIECE_COLOUR,
    BoardStyle,
    compute_contrast,
    get_outline_colour,
    hex_to_rgb,
    mix_colours,
)
from tetrion.stack import Stack

SIZES = (32, 20, 13, 12, 6, 4)
ALL_PIECES = Stack.from_text(["..........", "IOTSZJL#.."])


@pytest.mark.parametrize("cell", SIZES)
@pytest.mark.parametrize("palette", PIECE_PALETTES)
def test_colours_of_locked_cells_and_of_lost_games(cell: int, palette: str) -> None:
    locked, lost = make_surface(), make_surface()
    draw_board(locked, (0, 0), cell, ALL_PIECES, style=BoardStyle(palette))
    draw_board(lost, (0, 0), cell, ALL_PIECES, style=BoardStyle(palette), is_over=True)
    for column, colour in enumerate(PIECE_PALETTES[palette].values()):
        assert get_cell_colour(locked, cell, column, 0) == mix_colours(colour, BOARD_BACKGROUND, 0.13)
        assert get_cell_colour(lost, cell, column, 0) == mix_colours(
            mix_colours(colour, "#808894", 0.75), BOARD_BACKGROUND, 0.55
        )
    assert get_cell_colour(locked, cell, 7, 0) == UNKNOWN_PIECE_COLOUR
    assert get_cell_colour(locked, cell, 8, 0) == BOARD_BACKGROUND


@pytest.mark.parametrize("cell", SIZES)
def test_active_piece_has_its_full_colour(cell: int) -> None:
    drawn, piece = make_surface(), Placement("T", 0, 3, 10)
    draw_board(drawn, (0, 0), cell, ALL_PIECES, active=piece)
    assert [get_cell_colour(drawn, cell, *position) for position in piece.cells] == [DEFAULT_PIECE_COLOURS["T"]] * 4
    assert get_cell_colour(drawn, cell, 3, 11) == BOARD_BACKGROUND


def test_cell_has_a_light_upper_and_a_dark_lower_edge() -> None:
    drawn = make_surface()
    draw_board(drawn, (0, 0), 32, ALL_PIECES, active=Placement("L", 0, 3, 10))
    x, y = get_cell_position((0, 0), 32, 20, 4, 10)
    body = DEFAULT_PIECE_COLOURS["L"]
    upper, lower = mix_colours(body, "#FFFFFF", 0.34), mix_colours(body, "#000000", 0.30)
    assert is_near(
        get_pixel(drawn, x + 16, y), mix_colours(GRID_LINE_COLOUR, upper, 0.5)
    )  # half a pixel of gap, then the bright edge
    assert is_near(get_pixel(drawn, x + 16, y + 1), mix_colours(upper, body, 0.5))
    assert get_pixel(drawn, x + 16, y + 2) == body
    assert get_pixel(drawn, x + 16, y + 29) == lower
    assert is_near(get_pixel(drawn, x + 16, y + 31), mix_colours(BOARD_BACKGROUND, lower, 0.5))
    assert get_pixel(drawn, x + 31, y + 31) == BOARD_BACKGROUND  # round corners


def test_flat_cells_have_a_gap_except_very_small_ones() -> None:
    assert render_cell(6, "I", LOCKED_CELL).get_at((5, 2)).a == 0
    assert render_cell(6, "I", LOCKED_CELL).get_at((4, 4)).a == 255
    assert render_cell(4, "I", LOCKED_CELL).get_at((3, 3)).a == 255


def test_empty_board_has_a_frame_and_grid_lines_if_cells_are_large() -> None:
    for cell in SIZES:
        drawn = make_surface()
        width, height = compute_board_size(cell)
        frame = get_frame_width(cell)
        covered = draw_board(drawn, (0, 0), cell, Stack())
        assert covered.size == (10 * cell + 2 * frame, 20 * cell + 2 * frame) == (width, height)
        assert get_pixel(drawn, width // 2 + 1, 0) == get_pixel(drawn, 0, height // 2 + 1) == BOARD_OUTLINE
        assert get_pixel(drawn, 0, 0) == get_pixel(drawn, width, height // 2) == BACKGROUND
        line = get_pixel(drawn, frame + cell, frame + cell + cell // 2)
        assert line == (GRID_LINE_COLOUR if cell >= 14 else BOARD_BACKGROUND)
    plain = make_surface()
    draw_board(plain, (0, 0), 32, Stack(), style=BoardStyle(has_grid=False))
    assert get_pixel(plain, 4 + 32, 60) == BOARD_BACKGROUND


@pytest.mark.parametrize("piece", [Placement(letter, 0, 3, 5) for letter in DEFAULT_PIECE_COLOURS])
@pytest.mark.parametrize("cell", [32, 20, 12])
def test_ghost_is_one_contour(piece: Placement, cell: int) -> None:
    drawn, inside = make_surface(), mix_colours(BOARD_BACKGROUND, DEFAULT_PIECE_COLOURS[piece.piece], 0.14)
    draw_board(drawn, (0, 0), cell, Stack(), ghost=piece, style=BoardStyle(has_grid=False))
    for column, row in piece.cells:
        x, y = get_cell_position((0, 0), cell, 20, column, row)
        assert is_near(get_cell_colour(drawn, cell, column, row), inside)
        for dx, dy, point in (
            (-1, 0, (x, y + cell // 2)),
            (1, 0, (x + cell - 1, y + cell // 2)),
            (0, 1, (x + cell // 2, y)),
            (0, -1, (x + cell // 2, y + cell - 1)),
        ):
            if (column + dx, row + dy) in piece.cells:
                assert is_near(get_pixel(drawn, *point), inside), "no line between the cells of a piece"
            elif cell >= 13:
                assert get_pixel(drawn, *point) == BOARD_BACKGROUND
                inner_point = point[0] - 2 * dx, point[1] + 2 * dy
                assert is_near(
                    get_pixel(drawn, *inner_point),
                    mix_colours(BOARD_BACKGROUND, DEFAULT_PIECE_COLOURS[piece.piece], 0.75),
                )


@pytest.mark.parametrize("letter", DEFAULT_PIECE_COLOURS)
@pytest.mark.parametrize("palette", PIECE_PALETTES)
def test_ghost_of_every_colour_is_visible(palette: str, letter: str) -> None:
    drawn = make_surface()
    piece = Placement(letter, 0, 3, 5)
    draw_board(drawn, (0, 0), 32, Stack(), ghost=piece, style=BoardStyle(palette))
    column, row = min(piece.cells)
    x, y = get_cell_position((0, 0), 32, 20, column, row)
    assert compute_contrast(get_pixel(drawn, x + 2, y + 16), BOARD_BACKGROUND) > 2.99


def test_contrast_of_black_white_and_grey() -> None:
    assert compute_contrast("#000000", "#FFFFFF") == 21
    assert compute_contrast("#FFFFFF", "#777777") == pytest.approx(4.48, abs=0.005)  # W3C, Understanding SC 1.4.3
    assert get_outline_colour(DEFAULT_PIECE_COLOURS["J"]) == DEFAULT_PIECE_COLOURS["J"]


def test_palette_of_gavrilov_has_the_colours_of_his_report() -> None:
    shape_colors = [(0, 255, 0), (255, 0, 0), (0, 255, 255), (255, 255, 0), (255, 165, 0), (0, 0, 255), (128, 0, 128)]
    colours = [hex_to_rgb(PIECE_PALETTES["gavrilov"][letter]) for letter in "SZIOJLT"]
    assert colours == shape_colors
    assert [list(palette) for palette in PIECE_PALETTES.values()] == [list("IOTSZJL")] * 3


def test_hint_has_dots_and_no_fill() -> None:
    drawn, piece = make_surface(), Placement("L", 1, 6, 4)
    draw_board(drawn, (0, 0), 32, Stack(), contours=[(piece, HINT_CONTOUR)])
    for column, row in piece.cells:
        assert get_cell_colour(drawn, 32, column, row) == ACCENT
        x, y = get_cell_position((0, 0), 32, 20, column, row)
        assert get_pixel(drawn, x + 16, y + 8) == BOARD_BACKGROUND
    assert render_contour(32, frozenset({(0, 0)}), HINT_CONTOUR) is not render_contour(
        32, frozenset({(0, 0)}), PLAN_CONTOUR
    )


def test_marks_are_dark_on_light_pieces_and_light_on_dark_ones() -> None:
    drawn = make_surface()
    draw_board(drawn, (0, 0), 32, ALL_PIECES, style=BoardStyle("safe", has_marks=True))
    bodies = [mix_colours(colour, BOARD_BACKGROUND, 0.13) for colour in PIECE_PALETTES["safe"].values()]
    for column, body in enumerate(bodies):
        x, y = get_cell_position((0, 0), 32, 20, column, 0)
        colours = {get_pixel(drawn, x + dx, y + dy) for dx in range(4, 28) for dy in range(4, 26)}
        mark = mix_colours(body, "#FFFFFF", 0.72) if "IOTSZJL"[column] in "SZJ" else mix_colours(body, "#000000", 0.60)
        assert any(is_near(colour, mark, 8) for colour in colours)
    assert get_cell_colour(drawn, 32, 7, 0) == UNKNOWN_PIECE_COLOUR  # an unknown piece has no mark


def test_flashing_rows_are_lighter() -> None:
    drawn, stack = make_surface(), Stack(("IIIIOOTTTT", "I........."))
    draw_board(drawn, (0, 0), 20, stack, flash={0: 0.7, 25: 0.7})
    assert is_near(
        get_cell_colour(drawn, 20, 0, 0),
        mix_colours(mix_colours(DEFAULT_PIECE_COLOURS["I"], BOARD_BACKGROUND, 0.13), "#FFFFFF", 0.7),
    )
    assert get_cell_colour(drawn, 20, 0, 1) == mix_colours(DEFAULT_PIECE_COLOURS["I"], BOARD_BACKGROUND, 0.13)


def test_rows_above_the_visible_ones_are_not_drawn() -> None:
    low, high = Stack(("I.........",) * 3, 3), Stack(("I.........",) * 5, 3)
    first = make_surface()
    second = make_surface()
    third = make_surface()
    draw_board(first, (40, 40), 20, low)
    draw_board(second, (40, 40), 20, high, active=Placement("I", 1, 5, 4), ghost=Placement("O", 0, 7, 3))
    assert pygame.image.tobytes(first, "RGB") == pygame.image.tobytes(second, "RGB")
    covered = draw_board(third, (40, 40), 20, low, active=Placement("I", 1, 5, 1))
    assert get_cell_colour(third.subsurface(covered), 20, 5, 2, 3) == DEFAULT_PIECE_COLOURS["I"]
    assert get_pixel(third, *(coordinate + 10 for coordinate in get_cell_position((40, 40), 20, 3, 5, 3))) == BACKGROUND


def test_pictures_are_cached_and_reproducible() -> None:
    assert render_cell(32, "I", ACTIVE_CELL) is render_cell(32, "I", ACTIVE_CELL)
    assert render_cell(32, "I", ACTIVE_CELL) is not render_cell(32, "I", GAME_OVER_CELL)
    assert render_empty_board(20, 20) is render_empty_board(20, 20)
    cell_bytes = pygame.image.tobytes(render_cell(20, "Z", LOCKED_CELL), "RGBA")
    contour = pygame.image.tobytes(
        render_contour(20, frozenset({(0, 0), (1, 0)}), make_ghost_contour("#4CC2F1")), "RGBA"
    )
    drawn = make_surface()
    draw_board(drawn, (0, 0), 20, ALL_PIECES, active=Placement("Z", 0, 3, 9), ghost=Placement("Z", 0, 3, 1))
    render_cell.cache_clear()
    render_contour.cache_clear()
    assert pygame.image.tobytes(render_cell(20, "Z", LOCKED_CELL), "RGBA") == cell_bytes
    again = render_contour(20, frozenset({(0, 0), (1, 0)}), make_ghost_contour("#4CC2F1"))
    assert pygame.image.tobytes(again, "RGBA") == contour


def test_piece_is_drawn_around_its_centre() -> None:
    drawn = make_surface()
    draw_piece(drawn, (100, 100), 16, "O")
    assert {get_pixel(drawn, x, y) for x in (92, 108) for y in (92, 108)} == {DEFAULT_PIECE_COLOURS["O"]}
    assert get_pixel(drawn, 83, 100) == get_pixel(drawn, 117, 100) == BACKGROUND


def test_unknown_palette_suggests_the_nearest_name() -> None:
    with pytest.raises(TetrionError, match="Did you mean 'safe'"):
        BoardStyle("saef")


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
