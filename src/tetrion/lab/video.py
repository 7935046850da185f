"""Video files of games: MP4 (H.264) for video players and presentations, GIF for web pages."""

import os
import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from time import monotonic
from typing import IO, TYPE_CHECKING

import pygame

from tetrion.atomic_files import get_part_path
from tetrion.drawing.pen import Pen
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_number
from tetrion.extras import MissingLibraryError, make_install_command, require
from tetrion.lab.video_frames import (
    Recording,
    TimedFrame,
    VideoFrame,
    compute_video_scale,
    draw_video_frame,
    generate_frames,
    sample_frames,
)
from tetrion.progress import Observer, Progress

if TYPE_CHECKING:
    from PIL import Image

MP4, GIF = ".mp4", ".gif"
MP4_FRAMES_PER_SECOND = 60
DEFAULT_VIDEO_SIZES = {MP4: ((640, 720), (1280, 720)), GIF: ((428, 480), (960, 540))}  # without and with explanations
MIN_VIDEO_SIZE, MAX_VIDEO_SIZE = (240, 240), (3840, 2160)
MAX_VIDEO_PIECES = {MP4: 100_000, GIF: 200}
_PALETTE_SIZE = 255  # of the 256 colours of a GIF; one is left for pixels that do not change
_MAX_PALETTE_SAMPLES = 16  # frames whose colours are in the palette
_PROGRESS_INTERVAL_SECONDS = 0.1
_COLOUR_OPTIONS = ("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709")
_CONVERSION_OPTIONS = ("-vf", "scale=out_color_matrix=bt709:out_range=tv", *_COLOUR_OPTIONS)
_FORMAT_OPTIONS = ("-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4")
_CODECS = {  # by preference; a system's ffmpeg may lack some of them, for example because of their licences
    "libx264": ("-preset", "veryfast", "-crf", "18"),
    "libopenh264": ("-b:v", "6M"),
    "h264_videotoolbox": ("-b:v", "6M"),
    "h264_mf": ("-b:v", "6M"),
    "mpeg4": ("-q:v", "2"),
}
_NO_ENCODER_MESSAGE = (
    f"{MP4} files need ffmpeg with a video encoder for them, which was not found. Install ffmpeg with your system's "
    f"package manager, or run: {make_install_command('video')}. Or write a {GIF} file, for example --out game.gif."
)


@dataclass(frozen=True)
class RecordingResult:
    """Length and size of a written video, and the state of its game at the end."""

    pieces: int
    lines: int
    is_over: bool
    frame_count: int
    duration_seconds: float
    size: tuple[int, int]


def get_video_type(file: str | Path) -> str:
    """Return the type of a video file by its ending: .mp4 or .gif."""
    ending = Path(file).suffix.lower()
    if ending not in DEFAULT_VIDEO_SIZES:
        raise TetrionError(f"A video file must end in {MP4} or {GIF}, for example game.mp4; given '{file}'.")
    return ending


def validate_video_size(size: tuple[int, int]) -> tuple[int, int]:
    """Return the size in pixels; raise TetrionError if a video cannot have it."""
    width, height = size
    is_too_small = width < MIN_VIDEO_SIZE[0] or height < MIN_VIDEO_SIZE[1]
    is_too_large = width > MAX_VIDEO_SIZE[0] or height > MAX_VIDEO_SIZE[1]
    is_odd = bool(width % 2 or height % 2)
    if is_too_small or is_too_large or is_odd:
        smallest, largest = ("×".join(map(str, limit)) for limit in (MIN_VIDEO_SIZE, MAX_VIDEO_SIZE))
        near = "×".join(str(min(side + side % 2, limit)) for side, limit in zip(size, MAX_VIDEO_SIZE, strict=True))
        hint = f" Use even numbers, for example {near}." if is_odd and not is_too_small else ""
        raise TetrionError(
            f"Width and height of a video must be even numbers of pixels from {smallest} to {largest}; "
            f"given {width}×{height}.{hint}"
        )
    return size


def validate_length(recording: Recording, kind: str) -> None:
    """Raise TetrionError if a video of a type cannot show as many pieces as the recording has."""
    if not 1 <= recording.max_pieces <= MAX_VIDEO_PIECES[kind]:
        hint = f" Use a {MP4} file for longer games." if kind == GIF else ""
        raise TetrionError(
            f"A {kind} file can show 1 to {MAX_VIDEO_PIECES[kind]:,} pieces; given {recording.max_pieces:,}.{hint}"
        )


def record_video(
    recording: Recording, file: Path, size: tuple[int, int] | None = None, on_progress: Observer[Progress] | None = None
) -> RecordingResult:
    """Write a video of a game; an interruption or error leaves an existing file unchanged."""
    kind = get_video_type(file)
    if kind == MP4:
        find_encoder()  # a missing one is reported before the agent begins to play
    game = recording.start_game()
    validate_length(recording, kind)
    size = validate_video_size(size or DEFAULT_VIDEO_SIZES[kind][recording.show_explanations])
    path = Path(os.path.realpath(file))
    part_file = get_part_path(path)
    part_file.unlink(missing_ok=True)  # it could be a link to another file
    try:
        if kind == MP4:
            frames = generate_frames(recording, game, MP4_FRAMES_PER_SECOND)
            frames = report_frames(frames, recording, on_progress)
            frame_count = write_mp4(frames, size, recording.show_explanations, part_file)
            duration_seconds = frame_count / MP4_FRAMES_PER_SECOND
        else:
            timed_frames = list(sample_frames(recording, game))
            part_file.write_bytes(encode_frames_as_gif(timed_frames, size, recording, on_progress))
            frame_count = len(timed_frames)
            duration_seconds = sum(timed_frame.milliseconds for timed_frame in timed_frames) / 1000
        part_file.replace(path)
    finally:
        part_file.unlink(missing_ok=True)
    return RecordingResult(
        pieces=game.pieces,
        lines=game.lines,
        is_over=game.is_over,
        frame_count=frame_count,
        duration_seconds=duration_seconds,
        size=size,
    )


def report_frames(
    frames: Iterable[VideoFrame], recording: Recording, on_progress: Observer[Progress] | None
) -> Iterator[VideoFrame]:
    """Yield the frames, and report the progress at intervals."""
    start = last = monotonic()
    for frames_written, frame in enumerate(frames, 1):
        yield frame
        if on_progress and monotonic() - last >= _PROGRESS_INTERVAL_SECONDS:
            last = monotonic()
            on_progress(
                Progress(
                    task=recording.agent.name,
                    done=frame.caption.pieces,
                    planned=recording.max_pieces,
                    unit="piece",
                    seconds=last - start,
                    details=(f"{format_number(frames_written / (last - start), 0)} frames/s",),
                )
            )


def draw_frames(
    frames: Iterable[VideoFrame], size: tuple[int, int], show_explanations: bool
) -> Iterator[pygame.Surface]:
    """Draw the frames on one surface, and yield it after each."""
    surface = pygame.Surface(size, 0, 32)
    pen = Pen(surface, compute_video_scale(size, show_explanations))
    previous = None
    for frame in frames:
        draw_video_frame(pen, frame, previous)
        previous = frame
        yield surface


def write_mp4(frames: Iterable[VideoFrame], size: tuple[int, int], show_explanations: bool, file: Path) -> int:
    """Write the frames into an MP4 file, as H.264 if possible, and return their number."""
    frame_count = 0
    with open_encoder(size, file) as stream:
        for surface in draw_frames(frames, size, show_explanations):
            stream.write(surface.get_view("0").raw)
            frame_count += 1
    return frame_count


@cache
def list_encoders(program: str) -> frozenset[str]:
    """Return the names of the encoders of an ffmpeg program; none if it cannot be run."""
    try:
        result = subprocess.run(
            [program, "-hide_banner", "-encoders"], capture_output=True, text=True, errors="replace", timeout=30
        )
    except (OSError, subprocess.SubprocessError):
        return frozenset()
    return frozenset(words[1] for words in map(str.split, result.stdout.splitlines()) if len(words) > 1)


def find_encoder() -> list[str]:
    """Return an ffmpeg program and its options for a codec: the system's ffmpeg, or that of imageio-ffmpeg."""
    if program := shutil.which("ffmpeg"):
        encoders = list_encoders(program)
        for codec, options in _CODECS.items():
            if codec in encoders:
                return [program, "-c:v", codec, *options]
    try:
        program = str(require("imageio_ffmpeg", f"{MP4} files").get_ffmpeg_exe())
    except (MissingLibraryError, RuntimeError):  # the library is there, but not its program
        raise TetrionError(_NO_ENCODER_MESSAGE) from None
    return [program, "-c:v", "libx264", *_CODECS["libx264"]]


@contextmanager
def open_encoder(size: tuple[int, int], file: Path) -> Iterator[IO[bytes]]:
    """Open a stream that encodes raw frames (four bytes per pixel) into a video file."""
    width, height = size
    program, *codec_options = find_encoder()
    input_options = f"-f rawvideo -pix_fmt bgr0 -s {width}x{height} -r {MP4_FRAMES_PER_SECOND} -i -".split()
    command = [program, "-y", "-v", "error", *input_options, *_CONVERSION_OPTIONS, *codec_options, *_FORMAT_OPTIONS]
    command.append(str(file))
    with TemporaryFile() as output:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=output, start_new_session=True)
        try:
            if process.stdin is None:
                raise TetrionError("The encoder has no input stream.")
            try:
                yield process.stdin
                process.stdin.close()
            except BrokenPipeError:
                pass  # reported by the exit code below
            if process.wait():
                output.seek(0)
                messages = output.read().decode(errors="replace").strip().splitlines()
                raise TetrionError(
                    f"The video could not be written: {messages[-1] if messages else 'the encoder stopped'}. "
                    "Check that the folder exists and that the disk is not full."
                )
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()


def render_gif(recording: Recording, size: tuple[int, int]) -> bytes:
    """Return a GIF of a game; equal input gives equal bytes."""
    validate_length(recording, GIF)
    return encode_frames_as_gif(list(sample_frames(recording)), validate_video_size(size), recording)


def render_png(recording: Recording, size: tuple[int, int]) -> bytes:
    """Return a PNG of the last frame of a game."""
    validate_length(recording, GIF)
    *_, last = sample_frames(recording)
    (surface,) = draw_frames([last.frame], validate_video_size(size), recording.show_explanations)
    content = BytesIO()
    pygame.image.save(surface, content, ".png")
    return content.getvalue()


def encode_frames_as_gif(
    timed_frames: Sequence[TimedFrame],
    size: tuple[int, int],
    recording: Recording,
    on_progress: Observer[Progress] | None = None,
) -> bytes:
    """Return the frames as a looping GIF with one palette, so that pixels that do not change are not stored again."""
    require("PIL", f"{GIF} files")
    from PIL import Image

    def draw_images(frames: Sequence[VideoFrame]) -> "Iterator[Image.Image]":
        reported_frames = report_frames(frames, recording, on_progress)
        for surface in draw_frames(reported_frames, size, recording.show_explanations):
            yield Image.frombytes("RGB", size, pygame.image.tobytes(surface, "RGB"))

    frames = [timed_frame.frame for timed_frame in timed_frames]
    samples = [*frames[:: -(-len(frames) // _MAX_PALETTE_SAMPLES)], frames[-1]]
    sheet = Image.new("RGB", (size[0], size[1] * len(samples)))
    for number, image in enumerate(draw_images(samples)):
        sheet.paste(image, (0, number * size[1]))
    palette = sheet.quantize(_PALETTE_SIZE, Image.Quantize.FASTOCTREE)
    images = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in draw_images(frames))
    content = BytesIO()
    next(images).save(
        content,
        "GIF",
        save_all=True,
        append_images=images,
        duration=[timed_frame.milliseconds for timed_frame in timed_frames],
        loop=0,
        disposal=1,
        optimize=True,
        palette=bytes(palette.getpalette() or []),  # one global palette instead of one per frame
    )
    return content.getvalue()
