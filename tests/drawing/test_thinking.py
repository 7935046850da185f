"""The thinking panel: which placements and features it shows, in which words, and that it fits every room."""

from dataclasses import replace

import numpy as np
import pygame
import pytest

from tetrion import Placement
from tetrion.agents import Candidate, Explanation, load_weighted_agent
from tetrion.board import Board
from tetrion.drawing.palette import (
    ACCENT,
    BACKGROUND,
    DEFAULT_PIECE_COLOURS,
    NEGATIVE,
    PANEL,
    UNKNOWN_PIECE_COLOUR,
    mix_colours,
)
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.stack import Stack
from tetrion.drawing.thinking_panel import draw_thinking_panel
from tetrion.drawing.thinking_text import (
    choose_decimals,
    describe_score,
    describe_selection,
    find_lowest_row,
    find_next_cells,
    format_rounded,
    make_grey_stack,
    select_features,
)
from tetrion.position import Position

STACK = Stack.from_text(["##........", "####.#####"])
PLACES = (Placement("T", 0, 5, 1), Placement("T", 2, 4, 0), Placement("T", 0, 7, 1))
WIDE, COMPACT = Box(10, 10, 672, 470), Box(10, 10, 468, 348)


def candidate(place: Placement, shares: dict[str, float], survives: bool = True) -> Candidate:
    return Candidate(place, sum(shares.values()), shares, dict.fromkeys(shares, 1.0), (place,), survives)


def explanation(*shares: dict[str, float], placements: int = 34) -> Explanation:
    return Explanation("made up", "", tuple(map(candidate, PLACES, shares)), placements)


THREE = explanation(
    {"landing_height": 3, "holes": -50, "lines": 0, "wells": -1},
    {"landing_height": 4, "holes": -60, "lines": 0, "wells": -1},
    {"landing_height": 2, "holes": -100, "lines": 0, "wells": -1},
)


def pen(scale: float = 1.0) -> Pen:
    surface = pygame.Surface((round(700 * scale), round(500 * scale)), 0, 32)
    surface.fill(BACKGROUND)
    return Pen(surface, scale)


def drawn(box: Box, told: Explanation | None, scale: float = 1.0, stack: Stack = STACK) -> Pen:
    made = pen(scale)
    draw_thinking_panel(made, box, told, stack, time_text="0.4 ms")
    return made


def places(of: Pen, colour: str) -> list[tuple[int, int]]:
    wanted = np.array(list(bytes.fromhex(colour[1:])))
    same = (pygame.surfarray.array3d(of.surface) == wanted).all(axis=2)
    return [(int(x), int(y)) for x, y in np.argwhere(same)]


@pytest.mark.parametrize("scale", [1.0, 1.35, 2.0])
@pytest.mark.parametrize("box", [WIDE, COMPACT])
def test_each_placement_has_a_tiny_board_with_the_piece_alone_in_colour(box: Box, scale: float) -> None:
    made, cell = drawn(box, THREE, scale), round(6 * scale)
    side = cell - 1 if cell < 13 else cell
    piece = places(made, DEFAULT_PIECE_COLOURS["T"])
    assert len(piece) == (3 * 4 * side * side if cell < 13 else len(piece))
    assert len(places(made, UNKNOWN_PIECE_COLOUR)) >= 3 * 11 * (side - 2) ** 2
    assert {x for x, _ in piece} <= set(range(round(42 * scale), round(120 * scale)))
    assert not any(places(made, DEFAULT_PIECE_COLOURS[letter]) for letter in "IOSZJL")


def test_bars_share_one_scale_a_column_and_grow_leftwards() -> None:
    made = drawn(
        WIDE, explanation({"holes": -50, "lines": 10}, {"holes": -100, "lines": 0}, {"holes": -25, "lines": 0})
    )
    bars = [y for _, y in places(made, NEGATIVE)]
    long = {y: [x for x, other in places(made, NEGATIVE) if other == y] for y in set(bars)}
    rows = sorted(y for y in long if y - 1 in long and y + 1 in long)
    lengths = [len(long[y]) for y in rows[::2]]
    assert lengths == [58, 118, 28], "of 120, and round at both ends"
    assert len({max(long[y]) for y in rows}) == 1, "they end at the right edge"
    right = WIDE.right - 16
    gains = [(x, y) for x, y in places(made, ACCENT) if x > right - 5]
    assert gains, "a gain has the accent"
    assert max(x for x, _ in gains) < right


def test_the_choice_is_framed() -> None:
    for box in (WIDE, COMPACT):
        made = drawn(box, THREE)
        frame = mix_colours(PANEL, ACCENT, 0.35)
        heights = [y for x, y in places(made, frame) if x == box.left + 8]
        assert 50 < max(heights) - min(heights) < 110
        assert min(heights) < min(y for _, y in places(made, DEFAULT_PIECE_COLOURS["T"]))


def test_no_place_and_no_reasons() -> None:
    blank = drawn(WIDE, Explanation("x", "", (), 0))
    silent = drawn(WIDE, None)
    assert not places(blank, UNKNOWN_PIECE_COLOUR)
    assert pygame.image.tobytes(blank.surface, "RGB") != pygame.image.tobytes(silent.surface, "RGB")


@pytest.mark.parametrize("agent", ["bdu", "lowest", "medico", "du:depth=2", "becker"])
@pytest.mark.parametrize("size", [(672, 470), (468, 348), (520, 200), (300, 120), (690, 490), (60, 40)])
def test_every_agent_fits_every_room(agent: str, size: tuple[int, int]) -> None:
    position = Position.from_board(Board.from_text("####.#####\n####.#####"), "T", "L", "standard:preview=1")
    told = load_weighted_agent(agent).explain(position, 12)
    made = pen()
    draw_thinking_panel(made, Box(0, 0, *size), told, Stack.from_board(position.board, 20))
    made.surface.fill(BACKGROUND, (0, 0, *size))
    assert pygame.image.tobytes(made.surface, "RGB") == pygame.image.tobytes(pen().surface, "RGB"), "it kept inside"


def test_features_that_tell_placements_apart_come_first() -> None:
    assert [term.name for term in select_features(THREE.candidates, 9)] == ["landing height", "holes", "lines", "wells"]
    assert [term.name for term in select_features(THREE.candidates, 2)] == ["landing height", "holes"]
    assert [term.name for term in select_features(THREE.candidates, 1)] == ["holes"]
    shown = select_features(THREE.candidates, 3, add_rest=True)
    assert [term.name for term in shown] == ["landing height", "holes", "2 others"]
    for rank, told in enumerate(THREE.candidates):
        assert sum(term.contributions[rank] for term in shown) == told.score


def test_scales_are_round_numbers() -> None:
    made = explanation({"a": 14, "b": 57, "c": 100, "d": 0, "e": 0.02, "f": 3})
    assert [term.bar_scale for term in select_features(made.candidates, 9)] == pytest.approx([30, 100, 100, 1, 0.03, 3])


def test_numbers_read_well() -> None:
    assert choose_decimals(THREE.candidates) == 0
    assert choose_decimals(explanation({"a": 1.5}).candidates) == 1
    assert choose_decimals(explanation({"a": 1.234}).candidates) == 2
    assert choose_decimals(explanation({"a": 150.5}).candidates) == 1
    assert choose_decimals(explanation({"a": 0.00412}).candidates) == 4
    assert [format_rounded(n, 2) for n in (-1234.5, -0.001, 0, 0.5)] == ["−1,234.50", "0", "0", "0.50"]


def test_what_stands_below_a_score() -> None:
    told = explanation({"a": 10.0}, {"a": 7.5}, {"a": 10.0}).candidates
    assert [describe_score(told, rank, 1) for rank in range(3)] == ["best", "−2.5", "equal"]
    near = explanation({"a": 10.0}, {"a": 9.998}).candidates
    assert describe_score(near, 1, 1) == "−0.002"
    dying = (told[0], replace(told[1], survives=False))
    assert describe_score(dying, 1, 1) == "game ends"


def test_the_headline_counts() -> None:
    assert describe_selection(THREE, 3) == "The three best of 34 placements"
    assert describe_selection(THREE, 3, short=True) == "The three best of 34"
    assert describe_selection(explanation({"a": 1}, placements=1), 1) == "The only placement"
    assert describe_selection(explanation({"a": 1}, {"a": 1}, placements=2), 2) == "Both placements"
    assert describe_selection(replace(THREE, placement_count=3), 3) == "All 3 placements"


def test_tiny_boards_show_the_placement_and_the_top_of_the_stack() -> None:
    high = Stack(("#.........",) * 15)
    assert find_lowest_row(STACK, candidate(PLACES[0], {"a": 1}), 10) == 0
    assert find_lowest_row(high, candidate(Placement("O", 0, 0, 15), {"a": 1}), 10) == 7
    assert find_lowest_row(high, candidate(Placement("O", 0, 5, 0), {"a": 1}), 10) == 0
    assert find_lowest_row(high, candidate(Placement("O", 0, 5, 8), {"a": 1}), 10) == 5
    assert make_grey_stack(Stack(("I.........", "OO........")), 1, 3) == Stack(("##........",), 3)


def test_the_next_piece_is_where_it_would_be_before_rows_are_cleared() -> None:
    first, then = Placement("I", 1, 4, 0), Placement("O", 0, 0, 0)
    stack = Stack(("####.#####",))
    told = replace(candidate(first, {"a": 1}), variation=(first, then))
    assert find_next_cells(stack, told) == [(0, 1), (0, 2), (1, 1), (1, 2)]
    assert find_next_cells(stack, candidate(first, {"a": 1})) == []
