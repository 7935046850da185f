"""Animated games: all scenes are shown, equal input gives equal files, and files stay small."""

from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageSequence, ImageStat

from tetrion import Game, Placement, Rules, TetrionError, WeightedAgent
from tetrion.drawing.scenes import Scene, animate_placement, choose_falling_rows, compute_scene_size, make_scene
from tetrion.lab.animation import play_scenes, render_gif, render_png
from tetrion.stack import Stack

WEIGHTS = {
    "landing_height": -1,
    "eroded_cells": 1,
    "row_transitions": -1,
    "column_transitions": -1,
    "holes": -4,
    "wells": -1,
}
GOOD = WeightedAgent("good", WEIGHTS)
BAD = WeightedAgent("bad", {"holes": 1, "landing_height": 1})


def open_image(content: bytes) -> Image.Image:
    """Open an image file given as bytes."""
    return Image.open(BytesIO(content))


def get_durations(picture: Image.Image) -> list[int]:
    """Return the duration of each frame in milliseconds."""
    return [frame.info["duration"] for frame in ImageSequence.Iterator(picture)]


def get_last_frame(content: bytes) -> Image.Image:
    """Return the last frame of an animation."""
    *_, last = (frame.convert("RGB") for frame in ImageSequence.Iterator(open_image(content)))
    return last


@pytest.mark.parametrize("rules", ["standard", "standard:preview=1", "standard:preview=6"])
def test_every_scene_is_shown_for_its_duration(rules: str) -> None:
    content = render_gif(GOOD, Rules.parse(rules), 3, 20)
    picture, scenes = open_image(content), list(play_scenes(GOOD, Rules.parse(rules), 3, 20))
    assert picture.format == "GIF"
    assert picture.info["loop"] == 0
    assert picture.size == compute_scene_size(20, 20, Rules.parse(rules).preview) == (388, 440)
    assert get_durations(picture) == [scene.milliseconds for scene in scenes]
    assert len(content) < 10_000 * 20  # 1.5 MB for 150 pieces
    assert content == render_gif(GOOD, Rules.parse(rules), 3, 20)
    assert content != render_gif(GOOD, Rules.parse(rules), 4, 20)


def test_scenes_match_the_game() -> None:
    rules = Rules.parse("standard:preview=1")
    game = Game(rules, 3)
    scenes = list[Scene]()
    for _ in range(40):
        placement, lines_before = GOOD.choose(game.position), game.lines
        scenes = list(animate_placement(game, placement))
        assert scenes[0].active is not None
        assert max(row for _, row in scenes[0].active.cells) == 19, "a piece appears at the top"
        assert all(scene.ghost == placement for scene in scenes if scene.active)
        assert len(scenes[-1].flashing_rows) == game.lines - lines_before
    assert game.lines > 0
    last_scene = make_scene(game)
    assert last_scene.stack == game.stack
    assert (last_scene.pieces, last_scene.lines, last_scene.score, last_scene.next) == (
        40,
        game.lines,
        game.score,
        game.next,
    )


def test_falling_pieces_do_not_pass_through_the_stack() -> None:
    overhang = Stack(("..........", "..........", "IIII......"))
    assert choose_falling_rows(overhang, Placement("O", 0, 0, 0))[-1] >= 3
    assert choose_falling_rows(Stack(height=20), Placement("O", 0, 0, 0)) == [18, 12, 6]
    assert choose_falling_rows(Stack(height=4), Placement("O", 0, 0, 2)) == []


def test_lost_game_is_shown_in_grey_for_two_seconds() -> None:
    rules = Rules.parse("standard:height=8")
    scenes = list(play_scenes(BAD, rules, 1, 150))
    assert [scene.is_over for scene in scenes] == [False] * (len(scenes) - 1) + [True]
    content = render_gif(BAD, rules, 1, 150)
    assert get_durations(open_image(content))[-1] == scenes[-1].milliseconds == 2000
    colours = get_last_frame(content).crop((20, 20, 216, 176)).getcolors(100_000) or []
    assert max(max(colour) - min(colour) for _, colour in colours if isinstance(colour, tuple)) < 60, "no bright piece"


def test_hidden_rows_are_not_shown() -> None:
    hindi = Rules.from_preset("hindi")
    assert (hindi.rows, hindi.height) == (22, 20)
    assert open_image(render_gif(GOOD, hindi, 0, 3)).size == (388, 440)
    assert open_image(render_gif(GOOD, Rules.parse("standard:height=22"), 0, 3)).size == (388, 480)


def test_png_is_the_last_frame() -> None:
    rules = Rules.from_preset("standard")
    still, last = open_image(render_png(GOOD, rules, 3, 12, 12)), get_last_frame(render_gif(GOOD, rules, 3, 12, 12))
    assert still.format == "PNG"
    assert still.size == last.size == compute_scene_size(12, 20, 0)
    difference = ImageChops.difference(still.convert("RGB"), last)
    assert max(ImageStat.Stat(difference).mean) < 1  # a GIF has fewer colours


@pytest.mark.parametrize(
    "invalid", [{"max_pieces": 0}, {"max_pieces": 10**6}, {"cell_size": 3}, {"cell_size": 2.5}, {"seed": -1}]
)
def test_invalid_arguments_are_rejected(invalid: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"agent": GOOD, "rules": Rules.from_preset("standard"), "seed": 0, **invalid}
    with pytest.raises(TetrionError, match="given"):
        render_gif(**arguments)
