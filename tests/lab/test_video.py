"""Videos: what is drawn comes out of the file again, every kind of player can be seen, and nothing half is left."""

import re
import subprocess
from importlib import import_module
from io import BytesIO
from pathlib import Path

import numpy as np
import pygame
import pytest
from PIL import Image, ImageSequence

from tetrion import Game, Replay, Rules, TetrionError, WeightedAgent
from tetrion.agents import AnyAgent, PythonAgent, RandomKeysAgent
from tetrion.board import EMPTY_CELL
from tetrion.drawing.board_animation import CLEAR_MILLISECONDS, LOCK_MILLISECONDS, SLIDE_MILLISECONDS
from tetrion.drawing.palette import ACCENT, BACKGROUND
from tetrion.drawing.pen import Pen
from tetrion.drawing.video_drawing import VideoFrame, compute_video_scale, make_video_layout
from tetrion.lab.video import (
    GIF,
    MP4,
    VIDEO_FRAMES_PER_SECOND,
    draw_frames,
    get_video_type,
    record_video,
    validate_video_size,
)
from tetrion.lab.video_frames import Recording, RecordingProgress, generate_frames

GOOD = WeightedAgent(
    "good", {"landing_height": -1, "holes": -8, "row_transitions": -1, "column_transitions": -1, "wells": -1}
)
BAD = WeightedAgent("bad", {"holes": 1, "landing_height": 1})
STANDARD = Rules.parse("standard:preview=1")
SMALL = (240, 260)


def make_recording(
    player: AnyAgent | Replay = GOOD, pieces: int = 3, thinks: bool = False, rules: Rules = STANDARD
) -> Recording:
    return Recording(player, rules, 1, pieces, thinks)


def collect_frames(of: Recording, a_second: int = 60) -> tuple[list[VideoFrame], Game]:
    made = RecordingProgress(of.start_game())
    return list(generate_frames(of, a_second, made)), made.game


def draw_frame_pixels(
    of: Recording, number: int, size: tuple[int, int] = SMALL
) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    for place, surface in enumerate(draw_frames(iter(collect_frames(of)[0]), size, of.show_explanations)):
        if place == number:
            return pygame.surfarray.array3d(surface).swapaxes(0, 1).astype(np.int64)
    raise AssertionError(f"There are only {place} pictures.")


def decode_video(file: Path, size: tuple[int, int]) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    program = import_module("imageio_ffmpeg").get_ffmpeg_exe()
    raw = subprocess.run(
        [program, "-v", "error", "-i", str(file), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
        capture_output=True,
        check=True,
    ).stdout
    return np.frombuffer(raw, np.uint8).reshape(-1, size[1], size[0], 3)


@pytest.mark.parametrize(("thinks", "size"), [(False, SMALL), (True, (480, 270)), (True, (320, 280))])
def test_a_video_shows_what_was_drawn(tmp_path: Path, thinks: bool, size: tuple[int, int]) -> None:
    file, of = tmp_path / "game.mp4", make_recording(thinks=thinks)
    made = record_video(of, file, size)
    frames = decode_video(file, size)
    assert len(frames) == made.frame_count == len(collect_frames(of)[0])
    assert made.duration_seconds == pytest.approx(made.frame_count / 60)
    assert (made.pieces, made.is_over, made.size) == (3, False, size)
    for number in (0, len(frames) // 2, len(frames) - 1):
        difference = np.abs(frames[number].astype(int) - draw_frame_pixels(of, number, size))
        assert difference.mean() < 4, "no more than compression loses"
    content = file.read_bytes()
    assert content.index(b"moov") < content.index(b"mdat"), "it can be seen while it loads"
    assert list(tmp_path.iterdir()) == [file]


def test_a_gif_shows_the_same_game(tmp_path: Path) -> None:
    file, of = tmp_path / "game.gif", make_recording()
    made = record_video(of, file, SMALL)
    picture = Image.open(BytesIO(file.read_bytes()))
    times = [frame.info["duration"] for frame in ImageSequence.Iterator(picture)]
    assert picture.size == SMALL
    assert sum(times) == made.frame_count * 50
    assert len(times) < made.frame_count, "what stays is there once"
    picture.seek(0)
    first = np.asarray(picture.convert("RGB"))
    assert np.abs(first.astype(int) - draw_frame_pixels(of, 0)).mean() < 2
    again = tmp_path / "again.gif"
    record_video(of, again, SMALL)
    assert again.read_bytes() == file.read_bytes()


def test_equal_films_give_equal_pictures() -> None:
    for thinks in (False, True):
        first, second = (
            [
                pygame.image.tobytes(surface, "RGB")
                for surface in draw_frames(iter(collect_frames(make_recording(thinks=thinks), 10)[0]), SMALL, thinks)
            ]
            for _ in range(2)
        )
        assert first == second


def test_only_what_changes_is_drawn_again() -> None:
    sights, _ = collect_frames(make_recording(pieces=4, thinks=True), 10)
    size = (480, 270)
    one_by_one = [
        pygame.image.tobytes(surface, "RGB") for sight in sights for surface in draw_frames(iter([sight]), size, True)
    ]
    in_a_row = [pygame.image.tobytes(surface, "RGB") for surface in draw_frames(iter(sights), size, True)]
    assert one_by_one == in_a_row


def test_the_motion_is_that_of_a_game() -> None:
    sights, game = collect_frames(make_recording(pieces=30), 50)
    moving = [sight.board for sight in sights]
    assert any(0 < abs(each.active_offset[0]) < 1 for each in moving), f"pieces slide, {SLIDE_MILLISECONDS} ms a column"
    clears = [each.clear_elapsed for each in moving if each.clear_elapsed is not None]
    assert game.lines > 0
    assert len(clears) >= game.lines / 4 * (CLEAR_MILLISECONDS // 20 - 1)
    assert max(clears) > CLEAR_MILLISECONDS - 30
    locked = [each for each in moving if each.landed]
    assert len(locked) == pytest.approx(30 * LOCK_MILLISECONDS / 20, abs=30)
    assert all(EMPTY_CELL in row for each in moving if each.active for row in each.stack.rows)
    assert [row for row in moving[-1].stack.rows if row.strip(EMPTY_CELL)] == list(moving[-1].stack.rows)
    heights = game.board.heights
    assert len(moving[-1].stack.rows) == max(heights) == sights[-1].caption.heights[-1]


def test_pieces_go_where_the_game_puts_them() -> None:
    sights, game = collect_frames(make_recording(pieces=12), 60)
    landed = list(dict.fromkeys(sight.board.landed for sight in sights if sight.board.landed))
    assert landed == list(dict.fromkeys(game.placements_made))
    first = next(sight.board.active for sight in sights if sight.board.active)
    entered = Game(STANDARD, 1).falling_piece
    assert entered is not None
    assert (first.piece, first.rotation, first.column) == (entered.piece, entered.rotation, entered.column)


@pytest.mark.parametrize(
    ("player", "rules"),
    [
        (RandomKeysAgent("keys"), "gavrilov"),
        (PythonAgent("examples/python_agent.py:Careful"), "standard"),
        (WeightedAgent("deep", {"holes": -1}, depth=2), "medico"),
        (GOOD, "nes"),
        (GOOD, "hindi"),
        (GOOD, "standard:height=6,preview=6"),
    ],
)
def test_whoever_plays_can_be_seen(player: AnyAgent, rules: str) -> None:
    of = make_recording(player, 2, True, Rules.parse(rules))
    sights, game = collect_frames(of, 10)
    assert game.pieces >= 2
    *_, last = draw_frames(iter(sights), (480, 270), True)
    assert last.get_at((0, 0))[:3] == tuple(bytes.fromhex(BACKGROUND[1:]))
    assert (sights[0].caption.explanation is None) == (not isinstance(player, WeightedAgent))
    assert bool(sights[0].ranked_placements) == isinstance(player, WeightedAgent)


@pytest.mark.parametrize("rules", ["hindi", "standard:hidden_rows=3", "nes", "tetrais"])
def test_pieces_are_seen_from_the_first_moment_on(rules: str) -> None:
    sights, game = collect_frames(make_recording(pieces=4, rules=Rules.parse(rules)), 20)
    active = [sight.board.active for sight in sights if sight.board.active]
    assert max(row for piece in active for _, row in piece.cells) == game.rules.height - 1


def test_a_replay_is_seen_as_it_was_played() -> None:
    game = Game(STANDARD, 7, 3)
    for _ in range(6):
        game.place(GOOD.choose(game.position))
    replay = Replay.from_game(game, "dellacherie")
    sights, shown = collect_frames(Recording(replay, replay.rules, replay.seed, 6, True), 20)
    assert shown.placements_made == game.placements_made
    assert sights[0].caption.name == "dellacherie"
    assert sights[0].caption.explanation is not None, "an agent that is known tells why"
    assert (
        collect_frames(Recording(Replay.from_game(game), replay.rules, replay.seed, 6, True), 5)[0][
            0
        ].caption.explanation
        is None
    )


def test_a_game_that_ends_says_so() -> None:
    sights, game = collect_frames(make_recording(BAD, 200, True, Rules.parse("standard:height=8")), 20)
    assert game.is_over
    assert sights[-1].end_message == f"{game.lines} lines, {game.score} points"
    assert sights[-1].board.is_over
    assert sum(bool(sight.end_message) for sight in sights) == pytest.approx(40, abs=1), "two seconds"


@pytest.mark.parametrize("thinks", [False, True])
@pytest.mark.parametrize(
    "size", [(640, 720), (1280, 720), (1920, 1080), (800, 700), (240, 240), (720, 1280), (3840, 2160)]
)
@pytest.mark.parametrize("rows", [4, 20, 28])
def test_a_layout_fits_every_size(size: tuple[int, int], thinks: bool, rows: int) -> None:
    pen = Pen(pygame.Surface(size, 0, 32), compute_video_scale(size, thinks))
    layout = make_video_layout(pen, rows, thinks)
    boxes = [layout.board.box, *filter(None, (layout.column, layout.strip, layout.thinking, layout.chart))]
    assert len(boxes) == (2 if not thinks else 4)
    for place, box in enumerate(boxes):
        assert pen.area.contains(box)
        assert box.collidelist(boxes[:place] + boxes[place + 1 :]) == -1
    assert layout.board.cell_size >= 3


def test_the_choice_is_outlined_while_the_piece_is_on_its_way() -> None:
    size = (1280, 720)
    frame = draw_frame_pixels(make_recording(thinks=True), 0, size)
    accent = (frame == np.array(list(bytes.fromhex(ACCENT[1:])))).all(axis=2)
    assert accent[:, 240:580].sum() > 300


@pytest.mark.parametrize("wrong", [(641, 720), (640, 721), (100, 720), (640, 4000)])
def test_sizes_that_cannot_be(wrong: tuple[int, int]) -> None:
    with pytest.raises(TetrionError, match=re.escape(f"given {wrong[0]}×{wrong[1]}")):
        validate_video_size(wrong)
    assert validate_video_size((640, 720)) == (640, 720)


def test_kinds_of_files(tmp_path: Path) -> None:
    assert get_video_type("a.MP4") == MP4
    assert get_video_type(Path("a.gif")) == GIF
    assert set(VIDEO_FRAMES_PER_SECOND) == {MP4, GIF}
    with pytest.raises(TetrionError, match="ends in"):
        get_video_type("game.avi")
    with pytest.raises(TetrionError, match="Longer games fit"):
        record_video(make_recording(pieces=201), tmp_path / "long.gif")


@pytest.mark.parametrize("name", ["game.mp4", "game.gif"])
def test_whatever_stops_it_no_half_file_is_left(tmp_path: Path, name: str) -> None:
    def stop(made: RecordingProgress) -> None:
        if made.frames_written > 3:
            raise KeyboardInterrupt

    file = tmp_path / name
    file.write_bytes(b"before")
    with pytest.raises(KeyboardInterrupt):
        record_video(make_recording(pieces=200), file, SMALL, stop)
    assert list(tmp_path.iterdir()) == [file]
    assert file.read_bytes() == b"before"


def test_what_the_encoder_cannot_write_is_told(tmp_path: Path) -> None:
    with pytest.raises(TetrionError, match="could not be written"):
        record_video(make_recording(pieces=1), tmp_path / "missing" / "game.mp4", SMALL)
