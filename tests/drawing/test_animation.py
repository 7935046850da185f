"""An agent's game as a picture: every scene is there, equal input gives equal bytes, and files stay small."""

from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageSequence, ImageStat

from tetrion import Game, Placement, Rules, TetrionError, WeightedAgent
from tetrion.drawing.scenes import Scene, animate_placement, choose_falling_rows, compute_scene_size, make_scene
from tetrion.drawing.stack import Stack
from tetrion.lab.animation import play_scenes, render_gif, render_png

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


def opened(content: bytes) -> Image.Image:
    return Image.open(BytesIO(content))


def times(picture: Image.Image) -> list[int]:
    return [frame.info["duration"] for frame in ImageSequence.Iterator(picture)]


def last_frame(content: bytes) -> Image.Image:
    *_, last = (frame.convert("RGB") for frame in ImageSequence.Iterator(opened(content)))
    return last


@pytest.mark.parametrize("rules", ["standard", "standard:preview=1", "standard:preview=6"])
def test_every_scene_is_shown_for_its_time(rules: str) -> None:
    content = render_gif(GOOD, Rules.parse(rules), 3, 20)
    picture, seen = opened(content), list(play_scenes(GOOD, Rules.parse(rules), 3, 20))
    assert picture.format == "GIF"
    assert picture.info["loop"] == 0
    assert picture.size == compute_scene_size(20, 20, Rules.parse(rules).preview) == (388, 440)
    assert times(picture) == [scene.milliseconds for scene in seen]
    assert len(content) < 10_000 * 20  # 1.5 MB for 150 pieces
    assert content == render_gif(GOOD, Rules.parse(rules), 3, 20)
    assert content != render_gif(GOOD, Rules.parse(rules), 4, 20)


def test_the_scenes_are_the_game() -> None:
    rules = Rules.parse("standard:preview=1")
    game = Game(rules, 3)
    stack = Stack()
    seen = list[Scene]()
    for _ in range(40):
        placement, before = GOOD.choose(game.position), game.lines
        seen = list(animate_placement(game, stack, placement))
        assert seen[0].active is not None
        assert max(row for _, row in seen[0].active.cells) == 19, "a piece appears at the top"
        assert all(scene.ghost == placement for scene in seen if scene.active)
        assert len(seen[-1].flashing_rows) == game.lines - before
        stack = stack.after_placement(placement)
        assert Stack.from_board(game.board).rows == tuple(
            "".join(".#"[cell != "."] for cell in row) for row in stack.rows
        )
    assert game.lines > 0
    last = make_scene(game, stack)
    assert (last.pieces, last.lines, last.score, last.next) == (40, game.lines, game.score, game.next)
    assert set("".join(stack.rows)) <= set("IOTSZJL.")


def test_nothing_falls_through_what_is_in_its_way() -> None:
    over = Stack(("..........", "..........", "IIII......"))
    assert choose_falling_rows(over, Placement("O", 0, 0, 0))[-1] >= 3
    assert choose_falling_rows(Stack(height=20), Placement("O", 0, 0, 0)) == [18, 12, 6]
    assert choose_falling_rows(Stack(height=4), Placement("O", 0, 0, 2)) == []


def test_a_game_that_ends_is_out_for_two_seconds() -> None:
    rules = Rules.parse("standard:height=8")
    seen = list(play_scenes(BAD, rules, 1, 150))
    assert [scene.is_over for scene in seen] == [False] * (len(seen) - 1) + [True]
    content = render_gif(BAD, rules, 1, 150)
    assert times(opened(content))[-1] == seen[-1].milliseconds == 2000
    colours = last_frame(content).crop((20, 20, 216, 176)).getcolors(100_000) or []
    assert max(max(colour) - min(colour) for _, colour in colours if isinstance(colour, tuple)) < 60, "no bright piece"


def test_hidden_rows_are_not_shown() -> None:
    hindi = Rules.from_preset("hindi")
    assert (hindi.rows, hindi.height) == (22, 20)
    assert opened(render_gif(GOOD, hindi, 0, 3)).size == (388, 440)
    assert opened(render_gif(GOOD, Rules.parse("standard:height=22"), 0, 3)).size == (388, 480)


def test_a_still_is_the_last_picture() -> None:
    rules = Rules.from_preset("standard")
    alone, last = opened(render_png(GOOD, rules, 3, 12, 12)), last_frame(render_gif(GOOD, rules, 3, 12, 12))
    assert alone.format == "PNG"
    assert alone.size == last.size == compute_scene_size(12, 20, 0)
    difference = ImageChops.difference(alone.convert("RGB"), last)
    assert max(ImageStat.Stat(difference).mean) < 1  # a GIF has fewer colours


@pytest.mark.parametrize("wrong", [{"pieces": 0}, {"pieces": 10**6}, {"cell": 3}, {"cell": 2.5}, {"seed": -1}])
def test_what_cannot_be_drawn(wrong: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"agent": GOOD, "rules": Rules.from_preset("standard"), "seed": 0, **wrong}
    with pytest.raises(TetrionError, match="given"):
        render_gif(**arguments)
