"""A game as a file that moves: an MP4 (H.264) for players and slides, or a GIF for pages."""

import subprocess
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic
from typing import IO, TYPE_CHECKING

from tetrion.atomic_files import get_part_path
from tetrion.drawing.video_drawing import VideoFrame, compute_video_scale, draw_video_frame
from tetrion.errors import TetrionError
from tetrion.lab.animation import encode_gif
from tetrion.lab.video_frames import Recording, RecordingProgress, generate_frames

if TYPE_CHECKING:
    import pygame
    from PIL.Image import Image

MP4, GIF = ".mp4", ".gif"
VIDEO_FRAMES_PER_SECOND = {MP4: 60, GIF: 20}  # pictures
DEFAULT_VIDEO_SIZES = {MP4: ((640, 720), (1280, 720)), GIF: ((428, 480), (960, 540))}  # without thoughts and with them
MIN_VIDEO_SIZE, MAX_VIDEO_SIZE = (240, 240), (3840, 2160)
MAX_VIDEO_PIECES = {MP4: 100_000, GIF: 200}
_PROGRESS_INTERVAL_SECONDS = 0.1  # seconds
_COLOUR_OPTIONS = ("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709")
_CONVERSION_OPTIONS = ("-vf", "scale=out_color_matrix=bt709:out_range=tv", *_COLOUR_OPTIONS)
_ENCODING_OPTIONS = (
    "-c:v",
    "libx264",
    "-preset",
    "veryfast",
    "-crf",
    "18",
    "-pix_fmt",
    "yuv420p",
    "-movflags",
    "+faststart",
)

RecordingCallback = Callable[[RecordingProgress], None]


@dataclass(frozen=True)
class RecordingResult:
    """What a recording has become."""

    pieces: int
    lines: int
    is_over: bool
    frame_count: int
    duration_seconds: float  # that the video lasts
    size: tuple[int, int]


def get_video_type(file: str | Path) -> str:
    """Which kind of video a file's name asks for."""
    ending = Path(file).suffix.lower()
    if ending not in VIDEO_FRAMES_PER_SECOND:
        raise TetrionError(f"A video is a file that ends in {MP4} or {GIF}, such as game.mp4; given '{file}'.")
    return ending


def validate_video_size(size: tuple[int, int]) -> tuple[int, int]:
    """A size that a video can have, or the error that says why not."""
    wide, high = size
    small = wide < MIN_VIDEO_SIZE[0] or high < MIN_VIDEO_SIZE[1]
    if small or wide > MAX_VIDEO_SIZE[0] or high > MAX_VIDEO_SIZE[1] or wide % 2 or high % 2:
        least, most = ("×".join(map(str, limit)) for limit in (MIN_VIDEO_SIZE, MAX_VIDEO_SIZE))
        near = "×".join(str(min(side + side % 2, limit)) for side, limit in zip(size, MAX_VIDEO_SIZE, strict=True))
        even = f" Take even numbers, such as {near}" if not small else ""
        raise TetrionError(
            f"A video has an even number of pixels each way, from {least} to {most}; given {wide}×{high}."
            + (f"{even}." if even and (wide % 2 or high % 2) else "")
        )
    return size


def record_video(
    recording: Recording, file: Path, size: tuple[int, int] | None = None, on_progress: RecordingCallback | None = None
) -> RecordingResult:
    """Write a video of a game; whatever happens, the file holds what it held before or all of the video."""
    kind, made = get_video_type(file), RecordingProgress(recording.start_game())
    if recording.max_pieces > MAX_VIDEO_PIECES[kind]:
        other = f" Longer games fit into a {MP4} file." if kind == GIF else ""
        raise TetrionError(
            f"A {kind} file has at most {MAX_VIDEO_PIECES[kind]:,} pieces; given {recording.max_pieces:,}.{other}"
        )
    size = validate_video_size(size or DEFAULT_VIDEO_SIZES[kind][recording.show_explanations])
    path = file.resolve()
    part = get_part_path(path)
    try:
        seen = generate_frames(recording, VIDEO_FRAMES_PER_SECOND[kind], made)
        if kind == MP4:
            write_mp4(report_frames(seen, made, on_progress), size, recording.show_explanations, part)
        else:
            part.write_bytes(encode_frames_as_gif(seen, size, recording.show_explanations, made, on_progress))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    game = made.game
    return RecordingResult(
        game.pieces, game.lines, game.is_over, made.frame_count, made.frame_count / VIDEO_FRAMES_PER_SECOND[kind], size
    )


def report_frames(
    frames: Iterable[VideoFrame], progress: RecordingProgress, on_progress: RecordingCallback | None
) -> Iterator[VideoFrame]:
    """The same pictures; now and then it is told how far they are."""
    last = monotonic()
    for sight in frames:
        yield sight
        progress.pieces_written, progress.frames_written = sight.caption.pieces, progress.frames_written + 1
        if on_progress and monotonic() - last >= _PROGRESS_INTERVAL_SECONDS:
            last = monotonic()
            on_progress(progress)


def draw_frames(
    frames: Iterator[VideoFrame], size: tuple[int, int], show_explanations: bool
) -> "Iterator[pygame.Surface]":
    """Pictures on one surface, which shows one after another."""
    import pygame

    from tetrion.drawing.pen import Pen

    surface = pygame.Surface(size, 0, 32)
    pen, before = Pen(surface, compute_video_scale(size, show_explanations)), None
    for sight in frames:
        draw_video_frame(pen, sight, before)
        before = sight
        yield surface


def write_mp4(frames: Iterator[VideoFrame], size: tuple[int, int], show_explanations: bool, file: Path) -> None:
    """Write pictures as H.264 into a file."""
    with open_encoder(size, file) as stream:
        for surface in draw_frames(frames, size, show_explanations):
            stream.write(surface.get_view("0").raw)


def find_ffmpeg() -> str:
    """The program that makes videos."""
    try:
        program: str = import_module("imageio_ffmpeg").get_ffmpeg_exe()
    except (ImportError, RuntimeError) as problem:
        raise TetrionError(f"There is no ffmpeg to make {MP4} files with: {problem} A {GIF} file needs none.") from None
    return program


@contextmanager
def open_encoder(size: tuple[int, int], file: Path) -> Iterator[IO[bytes]]:
    """A stream that takes pictures, four bytes a pixel, and makes a video of them."""
    wide, high = size
    given = (
        "-f",
        "rawvideo",
        "-pix_fmt",
        "bgr0",
        "-s",
        f"{wide}x{high}",
        "-r",
        str(VIDEO_FRAMES_PER_SECOND[MP4]),
        "-i",
        "-",
    )
    command = [
        find_ffmpeg(),
        "-y",
        "-v",
        "error",
        *given,
        *_CONVERSION_OPTIONS,
        *_ENCODING_OPTIONS,
        "-f",
        "mp4",
        str(file),
    ]
    with TemporaryFile() as said:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=said, stderr=said, start_new_session=True)
        try:
            if process.stdin is None:
                raise TetrionError("The encoder takes no pictures.")
            try:
                yield process.stdin
                process.stdin.close()
            except BrokenPipeError:
                pass  # its exit code tells
            if process.wait():
                said.seek(0)
                words = said.read().decode(errors="replace").strip().splitlines()
                raise TetrionError(f"The video could not be written: {words[-1] if words else 'the encoder ended'}.")
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def encode_frames_as_gif(
    frames: Iterable[VideoFrame],
    size: tuple[int, int],
    show_explanations: bool,
    progress: RecordingProgress,
    on_progress: RecordingCallback | None,
) -> bytes:
    """Pictures as a GIF; one that stays is there once, for so much longer."""
    shown, times = list[VideoFrame](), list[int]()
    for sight in frames:
        if shown and (shown[-1] is sight or shown[-1] == sight):
            times[-1] += 1000 // VIDEO_FRAMES_PER_SECOND[GIF]
        else:
            shown.append(sight)
            times.append(1000 // VIDEO_FRAMES_PER_SECOND[GIF])
    return encode_gif(
        shown,
        times,
        lambda part: draw_frame_images(report_frames(part, progress, on_progress), size, show_explanations),
    )


def draw_frame_images(
    frames: Iterator[VideoFrame], size: tuple[int, int], show_explanations: bool
) -> "Iterator[Image]":
    """Pictures in true colours."""
    import pygame
    from PIL import Image

    for surface in draw_frames(frames, size, show_explanations):
        yield Image.frombytes("RGB", surface.size, pygame.image.tobytes(surface, "RGB"))
