"""Candidate placements on the board: shades by rank, outline, numbers, and zones that are kept clear."""

import pygame
import pytest

from tests.drawing.pixels import get_cell_colour, get_pixel, is_near, make_surface
from tetrion import Placement
from tetrion.drawing.board_drawing import draw_board, get_cell_position
from tetrion.drawing.candidate_overlay import (
    KeepClearZones,
    compute_shade,
    draw_best_candidates,
    draw_candidate_shades,
    draw_keep_clear_zones,
    find_keep_clear_zones,
    get_number_background,
    place_rank_numbers,
    rank_cells,
)
from tetrion.drawing.palette import ACCENT, BOARD_BACKGROUND, DEFAULT_PIECE_COLOURS, NEGATIVE, mix_colours
from tetrion.stack import Stack

STACK = Stack.from_text(["IIII......", "IIIIOO...."])
NO_ZONES = KeepClearZones()
RANKED = [Placement("O", 0, 6, 0), Placement("O", 0, 7, 0), Placement("O", 0, 8, 0), Placement("O", 0, 0, 2)]


def draw_candidates(
    cell_size: int = 32, ranked: list[Placement] = RANKED, zones: KeepClearZones = NO_ZONES, label: str = ""
) -> pygame.Surface:
    """Draw a board with candidate placements and zones."""
    surface = make_surface()

    def draw_below() -> None:
        draw_keep_clear_zones(surface, (0, 0), cell_size, 20, zones, label=label)
        draw_candidate_shades(surface, (0, 0), cell_size, STACK, ranked)

    draw_board(
        surface,
        (0, 0),
        cell_size,
        STACK,
        draw_below=draw_below,
        draw_above=lambda: draw_best_candidates(surface, (0, 0), cell_size, STACK, ranked),
    )
    return surface


def test_shade_of_a_cell_is_that_of_the_best_placement_covering_it() -> None:
    assert compute_shade(0) == pytest.approx(0.36)
    assert compute_shade(11) == pytest.approx(0.02 + 0.34 * (2 / 13) ** 1.6)
    assert rank_cells(STACK, tuple(RANKED))[7, 0] == 0, "covered by the first two"
    assert rank_cells(STACK, tuple(RANKED))[8, 1] == 1
    picture = draw_candidates()
    for column, rank in ((7, 0), (8, 1), (9, 2)):
        assert is_near(
            get_cell_colour(picture, 32, column, 0), mix_colours(BOARD_BACKGROUND, ACCENT, compute_shade(rank)), 5
        )
    assert get_cell_colour(picture, 32, 5, 1) == BOARD_BACKGROUND
    assert get_cell_colour(picture, 32, 0, 0) == mix_colours(DEFAULT_PIECE_COLOURS["I"], BOARD_BACKGROUND, 0.13), (
        "the stack is drawn over the shades"
    )


def test_twelve_placements_are_shaded_and_five_numbered() -> None:
    many = [Placement("I", 1, column, row) for row in (6, 12) for column in range(10)]
    assert set(rank_cells(STACK, tuple(many[:12])).values()) == set(range(12))
    assert place_rank_numbers(STACK, many) == {rank: (rank, 9) for rank in range(5)}


def test_number_is_in_the_highest_cell_that_no_better_placement_covers() -> None:
    assert place_rank_numbers(STACK, RANKED) == {0: (6, 1), 1: (8, 1), 2: (9, 1), 3: (0, 3)}
    assert place_rank_numbers(STACK, [*RANKED[:3:2], RANKED[1]]) == {0: (6, 1), 1: (8, 1)}, (
        "no cell is left for the third"
    )
    picture = draw_candidates()
    x, y = get_cell_position((0, 0), 32, 20, 6, 1)
    assert get_pixel(picture, x + 10, y + 16) == ACCENT, "the first is solid"
    x, y = get_cell_position((0, 0), 32, 20, 8, 1)
    assert get_pixel(picture, x + 9, y + 16) == get_number_background(1)


def test_best_placement_has_a_contour() -> None:
    x, y = get_cell_position((0, 0), 32, 20, 6, 0)
    assert get_pixel(draw_candidates(), x + 2, y + 16) == ACCENT
    assert get_pixel(draw_candidates(ranked=[]), x + 2, y + 16) == BOARD_BACKGROUND


@pytest.mark.parametrize("cell", [32, 20, 13, 12, 6])
def test_shades_are_drawn_at_every_size_but_not_above_the_visible_rows(cell: int) -> None:
    assert is_near(
        get_cell_colour(draw_candidates(cell), cell, 9, 0), mix_colours(BOARD_BACKGROUND, ACCENT, compute_shade(2)), 5
    )
    high = Stack(("IIII......",), 4)
    drawn, plain = make_surface(), make_surface()
    above = [Placement("O", 0, 0, 4)]
    draw_board(plain, (20, 60), cell, high)
    draw_board(
        drawn,
        (20, 60),
        cell,
        high,
        draw_below=lambda: draw_candidate_shades(drawn, (20, 60), cell, high, above),
        draw_above=lambda: draw_best_candidates(drawn, (20, 60), cell, high, above),
    )
    assert pygame.image.tobytes(drawn, "RGB") == pygame.image.tobytes(plain, "RGB")


def test_zones_that_are_kept_clear() -> None:
    assert find_keep_clear_zones({"holes": 1}, 20) == KeepClearZones()
    zones = find_keep_clear_zones({"danger": 0, "last_column_cells": 0}, 20)
    assert zones == KeepClearZones(16, 9)
    picture = draw_candidates(zones=zones, ranked=[], label="")
    assert is_near(get_cell_colour(picture, 32, 4, 17), mix_colours(BOARD_BACKGROUND, NEGATIVE, 0.07))
    assert get_cell_colour(picture, 32, 4, 15) == get_cell_colour(picture, 32, 2, 17) == BOARD_BACKGROUND
    assert is_near(get_cell_colour(picture, 32, 9, 8), mix_colours(BOARD_BACKGROUND, ACCENT, 0.035))
    x, y = get_cell_position((0, 0), 32, 20, 3, 16)
    edge = [
        is_near(get_pixel(picture, x + dx, y + 31), mix_colours(BOARD_BACKGROUND, NEGATIVE, 0.7)) for dx in range(16)
    ]
    assert edge == [True] * 4 + [False] * 4 + [True] * 4 + [False] * 4
    assert pygame.image.tobytes(picture, "RGB") != pygame.image.tobytes(
        draw_candidates(zones=zones, ranked=[], label="Danger"), "RGB"
    )


def test_zone_in_hidden_rows_is_not_drawn() -> None:
    hidden, plain = draw_candidates(zones=KeepClearZones(20), ranked=[]), draw_candidates(ranked=[])
    assert pygame.image.tobytes(hidden, "RGB") == pygame.image.tobytes(plain, "RGB")
