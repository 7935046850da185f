"""The thinking panel: placements, features, texts and layout."""

from dataclasses import replace

import pygame
import pytest

from tests.drawing.pixels import find_pixels, get_bytes, make_pen
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
from tetrion.drawing.pen import Box
from tetrion.drawing.thinking_panel import (
    describe_score,
    describe_selection,
    draw_thinking_panel,
    find_lowest_row,
    find_next_cells,
    select_features,
)
from tetrion.position import Position
from tetrion.stack import Stack

STACK = Stack.from_text(["##........", "####.#####"])
PLACEMENTS = (Placement("T", 0, 5, 1), Placement("T", 2, 4, 0), Placement("T", 0, 7, 1))
WIDE, COMPACT = Box(10, 10, 672, 470), Box(10, 10, 468, 348)


def make_candidate(placement: Placement, contributions: dict[str, float], survives: bool = True) -> Candidate:
    """Return a candidate with these contributions; all feature values are 1."""
    values = dict.fromkeys(contributions, 1.0)
    return Candidate(placement, sum(contributions.values()), contributions, values, (placement,), survives)


def make_explanation(*contributions: dict[str, float], placements: int = 34) -> Explanation:
    """Return an explanation with one candidate per set of contributions."""
    return Explanation("test", "", tuple(map(make_candidate, PLACEMENTS, contributions)), placements)


THREE = make_explanation(
    {"landing_height": 3, "holes": -50, "lines": 0, "wells": -1},
    {"landing_height": 4, "holes": -60, "lines": 0, "wells": -1},
    {"landing_height": 2, "holes": -100, "lines": 0, "wells": -1},
)


def draw_panel(box: Box, explanation: Explanation | None, scale: float = 1.0) -> pygame.Surface:
    """Draw the panel on an empty surface."""
    pen = make_pen(scale)
    draw_thinking_panel(pen, box, explanation, STACK, time_text="0.4 ms")
    return pen.surface


@pytest.mark.parametrize(("box", "scale"), [(WIDE, 1.0), (COMPACT, 1.35)])
def test_each_placement_has_a_small_board_with_only_the_piece_in_colour(box: Box, scale: float) -> None:
    drawn, side = draw_panel(box, THREE, scale), round(6 * scale)
    assert len(find_pixels(drawn, UNKNOWN_PIECE_COLOUR)) >= 3 * 11 * (side - 3) ** 2
    piece = find_pixels(drawn, DEFAULT_PIECE_COLOURS["T"])
    assert {x for x, _ in piece} <= set(range(round(42 * scale), round(120 * scale)))
    assert not any(find_pixels(drawn, DEFAULT_PIECE_COLOURS[letter]) for letter in "IOSZJL")
    frame = find_pixels(drawn, mix_colours(PANEL, ACCENT, 0.35))
    assert min(y for _, y in frame) < min(y for _, y in piece) < max(y for _, y in frame), "the best is framed"


def test_bars_of_a_column_have_one_scale_and_grow_leftwards() -> None:
    explanation = make_explanation({"holes": -50, "lines": 10}, {"holes": -100, "lines": 0}, {"holes": -25, "lines": 0})
    bars: dict[int, list[int]] = {}
    for x, y in find_pixels(draw_panel(WIDE, explanation), NEGATIVE):
        bars.setdefault(y, []).append(x)
    rows = sorted(y for y in bars if y - 1 in bars and y + 1 in bars)
    assert [len(bars[y]) for y in rows[::2]] == [58, 118, 28], "of 120, with round ends"
    assert len({max(bars[y]) for y in rows}) == 1, "all bars end at the right edge"


def test_messages_without_placement_without_explanation_and_while_waiting() -> None:
    waiting = make_pen()
    draw_thinking_panel(waiting, WIDE, None, STACK, is_waiting=True)
    pictures = [draw_panel(WIDE, Explanation("x", "", (), 0)), draw_panel(WIDE, None), waiting.surface]
    assert len({get_bytes(picture) for picture in pictures}) == 3
    assert not any(find_pixels(picture, UNKNOWN_PIECE_COLOUR) for picture in pictures)


@pytest.mark.parametrize("agent", ["bdu", "medico", "du:depth=2"])
@pytest.mark.parametrize("size", [(672, 470), (468, 348), (300, 120), (60, 40)])
def test_panel_stays_inside_its_box(agent: str, size: tuple[int, int]) -> None:
    position = Position.from_board(Board.from_text("####.#####\n####.#####"), "T", "L", "standard:preview=1")
    explanation = load_weighted_agent(agent).explain(position, 12)
    pen = make_pen()
    draw_thinking_panel(pen, Box(0, 0, *size), explanation, Stack.from_board(position.board, 20))
    pen.surface.fill(BACKGROUND, (0, 0, *size))
    assert get_bytes(pen.surface) == get_bytes(make_pen().surface)


def test_features_that_differ_most_are_selected() -> None:
    for count, names in ((9, ["landing height", "holes", "lines", "wells"]), (1, ["holes"])):
        assert [feature.name for feature in select_features(THREE.candidates, count)] == names
    shown = select_features(THREE.candidates, 3, add_rest=True)
    assert [feature.name for feature in shown] == ["landing height", "holes", "2 others"]
    for rank, candidate in enumerate(THREE.candidates):
        assert sum(feature.contributions[rank] for feature in shown) == candidate.score


def test_scores_and_placements_are_described() -> None:
    candidates = make_explanation({"a": 10.0}, {"a": 7.5}, {"a": 10.0}).candidates
    assert [describe_score(candidates, rank, 1) for rank in range(3)] == ["best", "−2.5", "equal"]
    close = make_explanation({"a": 10.0}, {"a": 9.998}).candidates
    assert describe_score(close, 1, 1) == "−0.002"
    losing = (candidates[0], replace(candidates[1], survives=False))
    assert describe_score(losing, 1, 1) == "game ends"
    assert describe_selection(THREE, 3) == "The three best of 34 placements"
    assert describe_selection(replace(THREE, placement_count=3), 3) == "All 3 placements"
    assert describe_selection(make_explanation({"a": 1}, {"a": 1}, placements=2), 2) == "Both placements"
    assert describe_selection(make_explanation({"a": 1}, placements=1), 1) == "The only placement"


def test_small_boards_show_the_placement_the_next_piece_and_the_top_of_the_stack() -> None:
    high = Stack(("#.........",) * 15)
    for row, column, lowest in ((15, 0, 7), (0, 5, 0), (8, 5, 5)):
        assert find_lowest_row(high, make_candidate(Placement("O", 0, column, row), {"a": 1}), 10) == lowest
    first, second = Placement("I", 1, 4, 0), Placement("O", 0, 0, 0)
    candidate = replace(make_candidate(first, {"a": 1}), variation=(first, second))
    assert find_next_cells(Stack(("####.#####",)), candidate) == [(0, 1), (0, 2), (1, 1), (1, 2)]
