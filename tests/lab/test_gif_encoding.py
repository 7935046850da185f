"""GIFs and PNGs of games: every frame is shown for its time, equal input gives equal files, and files stay small."""

from dataclasses import replace
from io import BytesIO
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageChops, ImageSequence, ImageStat

from tetrion import Game, Rules, TetrionError, WeightedAgent
from tetrion.agents import RandomKeysAgent
from tetrion.lab.gif_encoding import ColourArray, encode_gif
from tetrion.lab.video import render_gif, render_png
from tetrion.lab.video_frames import Recording, generate_frames, sample_frames

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
SIZE = (388, 440)


def make_recording(rules: str = "standard", seed: int = 3, max_pieces: int = 20) -> Recording:
    return Recording(GOOD, Rules.parse(rules), seed, max_pieces)


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


def test_frames_keep_their_colours_and_durations() -> None:
    generator = np.random.default_rng(0)
    frames = list(generator.choice(generator.integers(0, 1 << 24, 200), (3, 8, 16)))

    def draw(part: Any) -> Any:
        yield from part

    picture = open_image(encode_gif(frames, [30, 50, 2000], draw))
    assert get_durations(picture) == [30, 50, 2000]
    picture.seek(2)
    assert (pack_colours(picture) == frames[2]).all()


def pack_colours(picture: Image.Image) -> ColourArray:
    colours: ColourArray = np.asarray(picture.convert("RGB")).astype(np.int64) @ [1 << 16, 1 << 8, 1]
    return colours


@pytest.mark.parametrize("rules", ["standard", "standard:preview=1", "standard:preview=6"])
def test_every_frame_is_shown_for_its_duration(rules: str) -> None:
    recording = make_recording(rules)
    content = render_gif(recording, SIZE)
    picture, frames = open_image(content), list(sample_frames(recording, recording.start_game()))
    assert picture.format == "GIF"
    assert picture.info["loop"] == 0
    assert picture.size == SIZE
    assert get_durations(picture) == [frame.milliseconds for frame in frames]
    assert len(content) < 10_000 * 20  # 1.5 MB for 150 pieces
    assert content == render_gif(recording, SIZE)
    assert content != render_gif(replace(recording, seed=4), SIZE)


def test_sampled_frames_show_every_step_of_the_game() -> None:
    recording, game = make_recording(max_pieces=40), Game("standard", 3)
    placements = list[Any]()
    frames = [timed_frame.frame for timed_frame in sample_frames(recording, game)]
    for frame in frames:
        if frame.board.landed:
            placements.append(frame.board.landed)
            assert frame.board.active is None
        if frame.board.active:
            assert frame.board.ghost == game.placements_made[len(placements)], "the ghost is where the piece will land"
    assert placements == game.placements_made
    assert game.lines > 0
    clears = [frame.board for frame in frames if frame.board.clear_elapsed is not None]
    clear_lengths = np.diff([0, *(frame.caption.numbers[0][1] for frame in frames)])
    assert len(clears) == 3 * np.count_nonzero(clear_lengths)
    assert any(0 < frame.board.active_offset[1] < 20 for frame in frames), "no piece falls"
    last = frames[-1].caption
    assert (last.pieces, last.score, last.next) == (40, game.score, game.next)
    assert frames[-1].board.stack == game.stack


def test_sampling_keeps_the_time() -> None:
    for agent, rules in ((GOOD, "standard"), (RandomKeysAgent("keys"), "gavrilov")):
        recording = Recording(agent, Rules.parse(rules), 1, 3)
        sampled = list(sample_frames(recording, recording.start_game()))
        frames = list(generate_frames(recording, recording.start_game(), 100))
        assert sum(frame.milliseconds for frame in sampled) == pytest.approx(10 * len(frames), abs=20)
        assert min(frame.milliseconds for frame in sampled) >= 50


def test_lost_game_is_shown_in_grey_for_two_seconds() -> None:
    recording = Recording(BAD, Rules.parse("standard:height=8"), 1, 150)
    frames = list(sample_frames(recording, recording.start_game()))
    assert [frame.frame.board.is_over for frame in frames] == [False] * (len(frames) - 1) + [True]
    content = render_gif(recording, SIZE)
    assert get_durations(open_image(content))[-1] == frames[-1].milliseconds == 2000
    lower_rows = (20, 262, 216, 300)  # below the message
    colours = get_last_frame(content).crop(lower_rows).getcolors(100_000) or []
    assert max(max(colour) - min(colour) for _, colour in colours if isinstance(colour, tuple)) < 60, "no bright piece"


def test_png_is_the_last_frame() -> None:
    recording = make_recording(max_pieces=12)
    still, last = open_image(render_png(recording, (240, 260))), get_last_frame(render_gif(recording, (240, 260)))
    assert still.format == "PNG"
    assert still.size == last.size == (240, 260)
    difference = ImageChops.difference(still.convert("RGB"), last)
    assert max(ImageStat.Stat(difference).mean) < 1  # a GIF has fewer colours


@pytest.mark.parametrize(
    ("max_pieces", "seed", "size"),
    [(0, 0, SIZE), (10**6, 0, SIZE), (3, -1, SIZE), (3, 0, (241, 300)), (3, 0, (30, 30))],
)
@pytest.mark.parametrize("render", [render_gif, render_png])
def test_invalid_arguments_are_rejected(render: Any, max_pieces: int, seed: int, size: tuple[int, int]) -> None:
    with pytest.raises(TetrionError, match="given"):
        render(make_recording(seed=seed, max_pieces=max_pieces), size)
