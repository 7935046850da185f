"""What an agent considers on its board: shades by rank, the choice, numbers, and what it keeps clear."""

import pygame
import pytest

from drawing.pixels import in_cell, near, pixel, surface
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
from tetrion.drawing.stack import Stack

STACK = Stack.from_text(["IIII......", "IIIIOO...."])
NO_MARKS = KeepClearZones()
RANKED = [Placement("O", 0, 6, 0), Placement("O", 0, 7, 0), Placement("O", 0, 8, 0), Placement("O", 0, 0, 2)]


def drawn(
    cell: int = 32, ranked: list[Placement] = RANKED, marks: KeepClearZones = NO_MARKS, label: str = ""
) -> pygame.Surface:
    made = surface()

    def under() -> None:
        draw_keep_clear_zones(made, (0, 0), cell, 20, marks, label)
        draw_candidate_shades(made, (0, 0), cell, STACK, ranked)

    draw_board(
        made,
        (0, 0),
        cell,
        STACK,
        draw_below=under,
        draw_above=lambda: draw_best_candidates(made, (0, 0), cell, STACK, ranked),
    )
    return made


def test_a_cell_has_the_strength_of_the_best_placement_that_covers_it() -> None:
    assert compute_shade(0) == pytest.approx(0.36)
    assert compute_shade(11) == pytest.approx(0.02 + 0.34 * (2 / 13) ** 1.6)
    assert rank_cells(STACK, RANKED)[7, 0] == 0, "covered by the first two"
    assert rank_cells(STACK, RANKED)[8, 1] == 1
    picture = drawn()
    for column, rank in ((7, 0), (8, 1), (9, 2)):
        assert near(in_cell(picture, 32, column, 0), mix_colours(BOARD_BACKGROUND, ACCENT, compute_shade(rank)), 5)
    assert in_cell(picture, 32, 5, 1) == BOARD_BACKGROUND
    assert in_cell(picture, 32, 0, 0) == mix_colours(DEFAULT_PIECE_COLOURS["I"], BOARD_BACKGROUND, 0.13), (
        "the stack lies over the shades"
    )


def test_twelve_placements_are_shaded_and_five_numbered() -> None:
    many = [Placement("I", 1, column, row) for row in (6, 12) for column in range(10)]
    assert set(rank_cells(STACK, many).values()) == set(range(12))
    assert place_rank_numbers(STACK, many) == {rank: (rank, 9) for rank in range(5)}


def test_each_number_stands_in_the_highest_cell_that_no_better_placement_covers() -> None:
    assert place_rank_numbers(STACK, RANKED) == {0: (6, 1), 1: (8, 1), 2: (9, 1), 3: (0, 3)}
    assert place_rank_numbers(STACK, [*RANKED[:3:2], RANKED[1]]) == {0: (6, 1), 1: (8, 1)}, (
        "nothing is left for the third"
    )
    picture = drawn()
    x, y = get_cell_position((0, 0), 32, 20, 6, 1)
    assert pixel(picture, x + 10, y + 16) == ACCENT, "the first is solid"
    x, y = get_cell_position((0, 0), 32, 20, 8, 1)
    assert pixel(picture, x + 9, y + 16) == get_number_background(1)


def test_the_choice_has_a_contour() -> None:
    x, y = get_cell_position((0, 0), 32, 20, 6, 0)
    assert pixel(drawn(), x + 2, y + 16) == ACCENT
    assert pixel(drawn(ranked=[]), x + 2, y + 16) == BOARD_BACKGROUND


@pytest.mark.parametrize("cell", [32, 20, 13, 12, 6])
def test_shades_are_seen_at_every_size_and_nothing_above_the_visible_rows(cell: int) -> None:
    assert near(in_cell(drawn(cell), cell, 9, 0), mix_colours(BOARD_BACKGROUND, ACCENT, compute_shade(2)), 5)
    high = Stack(("IIII......",), 4)
    made, plain = surface(), surface()
    above = [Placement("O", 0, 0, 4)]
    draw_board(plain, (20, 60), cell, high)
    draw_board(
        made,
        (20, 60),
        cell,
        high,
        draw_below=lambda: draw_candidate_shades(made, (20, 60), cell, high, above),
        draw_above=lambda: draw_best_candidates(made, (20, 60), cell, high, above),
    )
    assert pygame.image.tobytes(made, "RGB") == pygame.image.tobytes(plain, "RGB")


def test_what_is_kept_clear() -> None:
    assert find_keep_clear_zones({"holes": 1}, 20) == KeepClearZones()
    marks = find_keep_clear_zones({"danger": 0, "last_column_cells": 0}, 20)
    assert marks == KeepClearZones(16, 9)
    picture = drawn(marks=marks, ranked=[], label="")
    assert near(in_cell(picture, 32, 4, 17), mix_colours(BOARD_BACKGROUND, NEGATIVE, 0.07))
    assert in_cell(picture, 32, 4, 15) == in_cell(picture, 32, 2, 17) == BOARD_BACKGROUND
    assert near(in_cell(picture, 32, 9, 8), mix_colours(BOARD_BACKGROUND, ACCENT, 0.035))
    x, y = get_cell_position((0, 0), 32, 20, 3, 16)
    edge = [near(pixel(picture, x + dx, y + 31), mix_colours(BOARD_BACKGROUND, NEGATIVE, 0.7)) for dx in range(16)]
    assert edge == [True] * 4 + [False] * 4 + [True] * 4 + [False] * 4
    assert pygame.image.tobytes(picture, "RGB") != pygame.image.tobytes(
        drawn(marks=marks, ranked=[], label="Danger"), "RGB"
    )


def test_a_zone_in_hidden_rows_is_not_seen() -> None:
    seen, plain = drawn(marks=KeepClearZones(20), ranked=[]), drawn(ranked=[])
    assert pygame.image.tobytes(seen, "RGB") == pygame.image.tobytes(plain, "RGB")
