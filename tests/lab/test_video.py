"""Videos: the decoded file shows what was drawn, all kinds of players work, no partial files remain."""

import os
import subprocess
import sys
from dataclasses import replace
from io import BytesIO
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pygame
import pytest
from PIL import Image, ImageChops, ImageSequence, ImageStat

from tetrion import Game, Replay, Rules, TetrionError, WeightedAgent, load_agent
from tetrion.agents import Agent, PythonAgent, RandomKeysAgent
from tetrion.drawing.palette import BACKGROUND
from tetrion.drawing.pen import Pen
from tetrion.lab.video import GIF, MP4, draw_frames, find_encoder, get_video_type, record_video, render_gif, render_png
from tetrion.lab.video_frames import (
    Recording,
    VideoFrame,
    compute_video_scale,
    generate_frames,
    make_video_layout,
    sample_frames,
)
from tetrion.progress import Progress


def has_encoder() -> bool:
    try:
        return bool(find_encoder())
    except TetrionError:
        return False


needs_ffmpeg = pytest.mark.skipif(not has_encoder(), reason="needs ffmpeg, or the extra video")
STRONG_AGENT = WeightedAgent(
    "good", {"landing_height": -1, "holes": -8, "row_transitions": -1, "column_transitions": -1, "wells": -1}
)
WEAK_AGENT = WeightedAgent("bad", {"holes": 1, "landing_height": 1})
STANDARD = Rules.parse("standard:preview=1")
SMALL_SIZE = (240, 260)
SIZE = (388, 440)


def make_recording(
    player: Agent = STRONG_AGENT,
    max_pieces: int = 3,
    show_explanations: bool = False,
    rules: Rules = STANDARD,
) -> Recording:
    return Recording(player, rules, 1, max_pieces, show_explanations)


def collect_frames(recording: Recording, frames_per_second: int = 60) -> tuple[list[VideoFrame], Game]:
    game = recording.start_game()
    return list(generate_frames(recording, game, frames_per_second)), game


def draw_frame_pixels(
    recording: Recording, number: int, size: tuple[int, int] = SMALL_SIZE
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    for index, surface in enumerate(draw_frames(iter(collect_frames(recording)[0]), size, recording.show_explanations)):
        if index == number:
            return pygame.surfarray.array3d(surface).swapaxes(0, 1).astype(np.int64)
    raise AssertionError(f"There are only {index} frames.")


def decode_video(file: Path, size: tuple[int, int]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    raw = subprocess.run(
        [find_encoder()[0], "-v", "error", "-i", str(file), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        capture_output=True,
        check=True,
    ).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, size[1], size[0], 3)


@needs_ffmpeg
@pytest.mark.parametrize(("show_explanations", "size"), [(False, SMALL_SIZE), (True, (320, 280))])
def test_decoded_video_equals_the_drawn_frames(tmp_path: Path, show_explanations: bool, size: tuple[int, int]) -> None:
    file, recording = tmp_path / "game.mp4", make_recording(show_explanations=show_explanations)
    result = record_video(recording, file, size)
    frames = decode_video(file, size)
    assert len(frames) == result.frame_count == len(collect_frames(recording)[0])
    assert result.duration_seconds == pytest.approx(result.frame_count / 60)
    assert (result.pieces, result.is_over, result.size) == (3, False, size)
    for number in (0, len(frames) // 2, len(frames) - 1):
        difference = np.abs(frames[number].astype(int) - draw_frame_pixels(recording, number, size))
        assert difference.mean() < 4, "more than compression noise"
    content = file.read_bytes()
    assert content.index(b"moov") < content.index(b"mdat"), "cannot be played while loading"
    assert list(tmp_path.iterdir()) == [file]


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


def test_every_frame_is_shown_for_its_duration() -> None:
    recording = make_recording(max_pieces=20, rules=Rules.parse("standard:preview=6"))
    content = render_gif(recording, SIZE)
    picture, frames = open_image(content), list(sample_frames(recording, recording.start_game()))
    picture_of_first = picture.convert("RGB")
    assert picture.format == "GIF"
    assert picture.info["loop"] == 0
    assert picture.size == SIZE
    assert get_durations(picture) == [frame.milliseconds for frame in frames]
    assert len(content) < 10_000 * 20  # 1.5 MB for 150 pieces
    drawn = pygame.image.tobytes(next(draw_frames([frames[0].frame], SIZE, False)), "RGB")
    assert max(ImageStat.Stat(ImageChops.difference(picture_of_first, Image.frombytes("RGB", SIZE, drawn))).mean) < 1
    assert content == render_gif(recording, SIZE)


def test_sampled_frames_show_every_step_of_the_game() -> None:
    recording, game = make_recording(max_pieces=40, rules=Rules.parse("standard")), Game("standard", 1)
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


def test_lost_game_is_shown_in_grey_for_two_seconds() -> None:
    recording = make_recording(WEAK_AGENT, 150, rules=Rules.parse("standard:height=8"))
    frames = list(sample_frames(recording, recording.start_game()))
    assert [frame.frame.board.is_over for frame in frames] == [False] * (len(frames) - 1) + [True]
    caption = frames[-1].frame.caption
    assert frames[-1].frame.end_message == f"{dict(caption.numbers)['Lines']} lines, {caption.score} points"
    content = render_gif(recording, SIZE)
    assert get_durations(open_image(content))[-1] == frames[-1].milliseconds == 2000
    lower_rows = (20, 262, 216, 300)  # below the message
    colours = get_last_frame(content).crop(lower_rows).getcolors(100_000) or []
    assert max(max(colour) - min(colour) for _, colour in colours if isinstance(colour, tuple)) < 60, "no bright piece"


def test_png_is_the_last_frame() -> None:
    recording = make_recording(max_pieces=4)
    still, last = open_image(render_png(recording, (240, 260))), get_last_frame(render_gif(recording, (240, 260)))
    assert still.format == "PNG"
    assert still.size == last.size == (240, 260)
    difference = ImageChops.difference(still.convert("RGB"), last)
    assert max(ImageStat.Stat(difference).mean) < 1  # a GIF has fewer colours


@pytest.mark.parametrize(("max_pieces", "seed", "size"), [(10**6, 0, SIZE), (3, -1, SIZE), (3, 0, (241, 300))])
def test_invalid_arguments_are_rejected(max_pieces: int, seed: int, size: tuple[int, int]) -> None:
    with pytest.raises(TetrionError, match="given"):
        render_gif(replace(make_recording(max_pieces=max_pieces), seed=seed), size)


def test_incremental_drawing_equals_full_drawing() -> None:
    frames, _ = collect_frames(make_recording(max_pieces=4, show_explanations=True), 10)
    size = (480, 270)
    one_by_one = [
        pygame.image.tobytes(surface, "RGB") for frame in frames for surface in draw_frames(iter([frame]), size, True)
    ]
    in_a_row = [pygame.image.tobytes(surface, "RGB") for surface in draw_frames(iter(frames), size, True)]
    assert one_by_one == in_a_row


@pytest.mark.parametrize(
    ("player", "rules"),
    [
        (RandomKeysAgent("keys"), "gavrilov"),
        (PythonAgent("examples/python_agent.py:Careful"), "standard"),
        (WeightedAgent("deep", {"holes": -1}, depth=2), "medico"),
        (STRONG_AGENT, "standard:height=6,preview=6"),
    ],
)
def test_all_kinds_of_players_are_recorded(player: Agent, rules: str) -> None:
    recording = make_recording(player, 2, True, Rules.parse(rules))
    frames, game = collect_frames(recording, 10)
    assert game.pieces >= 2
    *_, last = draw_frames(iter(frames), (480, 270), True)
    assert last.get_at((0, 0))[:3] == tuple(bytes.fromhex(BACKGROUND[1:]))
    assert (frames[0].caption.explanation is None) == (not isinstance(player, WeightedAgent))
    assert bool(frames[0].ranked_placements) == isinstance(player, WeightedAgent)


def test_pieces_are_visible_from_their_spawn() -> None:
    frames, game = collect_frames(make_recording(max_pieces=4, rules=Rules.parse("nes")), 20)
    active = [frame.board.active for frame in frames if frame.board.active]
    assert max(row for piece in active for _, row in piece.cells) == game.rules.height - 1


def test_replay_is_recorded_as_it_was_played() -> None:
    game = Game(STANDARD, 7, 3)
    for _ in range(6):
        game.place(STRONG_AGENT.choose(game.position))
    replay = Replay.from_game(game, "dellacherie")
    frames, shown = collect_frames(Recording.from_replay(replay, 6, True), 20)
    assert shown.placements_made == game.placements_made
    assert frames[0].caption.name == "dellacherie"
    assert frames[0].caption.explanation is not None, "a known agent has explanations"
    frames, _ = collect_frames(Recording.from_replay(Replay.from_game(game), 6, True), 5)
    assert frames[0].caption.name == "human player"
    assert frames[0].caption.explanation is None


@pytest.mark.parametrize("show_explanations", [False, True])
@pytest.mark.parametrize("size", [(1280, 720), (240, 240), (720, 1280)])
@pytest.mark.parametrize("rows", [4, 28])
def test_layout_fits_all_sizes(size: tuple[int, int], show_explanations: bool, rows: int) -> None:
    pen = Pen(pygame.Surface(size, 0, 32), compute_video_scale(size, show_explanations))
    layout = make_video_layout(pen, rows, show_explanations)
    boxes = [layout.board.box, *filter(None, (layout.column, layout.strip, layout.thinking, layout.chart))]
    assert len(boxes) == (2 if not show_explanations else 4)
    for index, box in enumerate(boxes):
        assert pen.area.contains(box)
        assert box.collidelist(boxes[:index] + boxes[index + 1 :]) == -1
    assert layout.board.cell_size >= 3


def test_file_types_and_length_limits(tmp_path: Path) -> None:
    assert get_video_type("a.MP4") == MP4
    assert get_video_type(Path("a.gif")) == GIF
    with pytest.raises(TetrionError, match="must end in"):
        get_video_type("game.avi")
    with pytest.raises(TetrionError, match=r"Use a \.mp4 file for longer games"):
        record_video(make_recording(max_pieces=201), tmp_path / "long.gif")


@pytest.mark.parametrize("name", [pytest.param("game.mp4", marks=needs_ffmpeg), "game.gif"])
def test_interruption_leaves_no_partial_file(tmp_path: Path, name: str) -> None:
    def stop(progress: Progress) -> None:
        if progress.done > 0:
            raise KeyboardInterrupt

    file = tmp_path / name
    file.write_bytes(b"before")
    with pytest.raises(KeyboardInterrupt):
        record_video(make_recording(max_pieces=200), file, SMALL_SIZE, stop)
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == b"before"


@pytest.mark.parametrize(
    ("agent", "rules"), [("gavrilov", "gavrilov"), ("dellacherie", "standard:preview=3,randomiser=bag")]
)
def test_game_played_in_bulk_has_the_same_frames(agent: str, rules: str) -> None:
    """The engine's function for many games shows the same game, key by key, as a `Game` that is played step by step."""
    recording = Recording(load_agent(agent), Rules.parse(rules), 3, 60)
    assert recording.bulk_agent is not None
    in_bulk, stepped = (list(sample_frames(recording, game)) for game in (None, recording.start_game()))
    assert in_bulk == stepped
    assert make_recording(show_explanations=True).bulk_agent is None
    assert make_recording(rules=Rules.parse("nes")).bulk_agent is None


def put_on_path(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> str:
    """Put a shell script named ffmpeg on the path, alone; return its file."""
    file = folder / "ffmpeg"
    file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
    file.chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    return str(file)


needs_shell = pytest.mark.skipif(os.name == "nt", reason="the programs of these tests are shell scripts")


@needs_shell
@pytest.mark.parametrize(
    ("encoders", "codec"),
    [(("libx264", "mpeg4"), "libx264"), (("h264_vaapi", "libopenh264"), "libopenh264"), (("vp9", "mpeg4"), "mpeg4")],
)
def test_ffmpeg_of_the_system_is_used(
    encoders: tuple[str, ...], codec: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = "; ".join(f"echo ' V..... {name}   An encoder'" for name in encoders)
    program = put_on_path(tmp_path, monkeypatch, lines)
    assert find_encoder()[:3] == [program, "-c:v", codec]


@pytest.mark.parametrize("has_library", [False, True])
def test_missing_ffmpeg_names_all_ways(has_library: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def find_no_program() -> str:
        raise RuntimeError("No ffmpeg exe could be found.")

    library = SimpleNamespace(get_ffmpeg_exe=find_no_program) if has_library else None
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "imageio_ffmpeg", library)
    ways = r'Install ffmpeg.*pip install "tetrion\[video\]"\. Or .*--out game\.gif'
    with pytest.raises(TetrionError, match=ways):
        record_video(make_recording(), tmp_path / "game.mp4", SMALL_SIZE)
    assert list(tmp_path.iterdir()) == []


@needs_shell
def test_message_of_a_failing_ffmpeg_is_shown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "programs"
    folder.mkdir()
    script = "if [ $# = 2 ]; then echo ' V..... libx264  H.264'; else echo 'No space left' >&2; exit 1; fi"
    put_on_path(folder, monkeypatch, script)
    with pytest.raises(TetrionError, match="The video could not be written: No space left"):
        record_video(make_recording(), tmp_path / "game.mp4", SMALL_SIZE)
    assert list(tmp_path.iterdir()) == [folder]


GARBAGE_RULES = Rules.parse("guideline:garbage_rows=2,garbage_interval=3,garbage_delay=4")


def test_modern_games_show_hold_queue_garbage_and_action_text() -> None:
    recording = Recording(load_agent("modern-1"), GARBAGE_RULES, 3, 30)
    frames, game = collect_frames(recording, 10)
    assert game.garbage_rises
    assert frames[-1].board.stack == game.stack
    captions = [frame.caption for frame in frames]
    assert {len(caption.visible_pieces.next) for caption in captions} <= {4, 5}
    assert len({caption.visible_pieces.hold for caption in captions}) > 1
    assert ("T-spin double",) in {caption.action for caption in captions}
    assert dict(captions[-1].numbers)["Attack"] == game.attack
    for frame in frames:  # the piece that falls is the one that is placed, also if it comes from hold
        if frame.board.active and frame.board.ghost:
            assert frame.board.active.piece == frame.board.ghost.piece
