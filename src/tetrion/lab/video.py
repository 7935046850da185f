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

from tetrion.drawing.videos import Sight, draw_sight, scale_for
from tetrion.errors import TetrionError
from tetrion.files import part_of
from tetrion.lab.animation import gif
from tetrion.lab.recording import Film, Made, pictures

if TYPE_CHECKING:
    import pygame
    from PIL.Image import Image

MP4, GIF = ".mp4", ".gif"
A_SECOND = {MP4: 60, GIF: 20}  # pictures
SIZES = {MP4: ((640, 720), (1280, 720)), GIF: ((428, 480), (960, 540))}  # without thoughts and with them
SMALLEST, LARGEST = (240, 240), (3840, 2160)
MOST_PIECES = {MP4: 100_000, GIF: 200}
REPORT_EVERY = 0.1  # seconds
COLOURS = ("-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709")
CONVERSION = ("-vf", "scale=out_color_matrix=bt709:out_range=tv", *COLOURS)
ENCODING = ("-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-pix_fmt", "yuv420p", "-movflags", "+faststart")

Progress = Callable[[Made], None]


@dataclass(frozen=True)
class Recorded:
    """What a recording has become."""

    pieces: int
    lines: int
    over: bool
    pictures: int
    seconds: float  # that the video lasts
    size: tuple[int, int]


def kind_of(file: str | Path) -> str:
    """Which kind of video a file's name asks for."""
    ending = Path(file).suffix.lower()
    if ending not in A_SECOND:
        raise TetrionError(f"A video is a file that ends in {MP4} or {GIF}, such as game.mp4; given '{file}'.")
    return ending


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """A size that a video can have, or the error that says why not."""
    wide, high = size
    small = wide < SMALLEST[0] or high < SMALLEST[1]
    if small or wide > LARGEST[0] or high > LARGEST[1] or wide % 2 or high % 2:
        least, most = ("×".join(map(str, limit)) for limit in (SMALLEST, LARGEST))
        near = "×".join(str(min(side + side % 2, limit)) for side, limit in zip(size, LARGEST, strict=True))
        even = f" Take even numbers, such as {near}" if not small else ""
        raise TetrionError(
            f"A video has an even number of pixels each way, from {least} to {most}; given {wide}×{high}."
            + (f"{even}." if even and (wide % 2 or high % 2) else "")
        )
    return size


def record(film: Film, file: Path, size: tuple[int, int] | None = None, progress: Progress | None = None) -> Recorded:
    """Write a video of a game; whatever happens, the file holds what it held before or all of the video."""
    kind, made = kind_of(file), Made(film.game())
    if film.pieces > MOST_PIECES[kind]:
        other = f" Longer games fit into a {MP4} file." if kind == GIF else ""
        raise TetrionError(f"A {kind} file has at most {MOST_PIECES[kind]:,} pieces; given {film.pieces:,}.{other}")
    size = checked_size(size or SIZES[kind][film.thinks])
    path = file.resolve()
    part = part_of(path)
    try:
        seen = pictures(film, A_SECOND[kind], made)
        if kind == MP4:
            write_mp4(reported(seen, made, progress), size, film.thinks, part)
        else:
            part.write_bytes(gif_of(seen, size, film.thinks, made, progress))
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
    game = made.game
    return Recorded(game.pieces, game.lines, game.over, made.pictures, made.pictures / A_SECOND[kind], size)


def reported(seen: Iterable[Sight], made: Made, progress: Progress | None) -> Iterator[Sight]:
    """The same pictures; now and then it is told how far they are."""
    last = monotonic()
    for sight in seen:
        yield sight
        made.pieces, made.written = sight.told.pieces, made.written + 1
        if progress and monotonic() - last >= REPORT_EVERY:
            last = monotonic()
            progress(made)


def drawn(seen: Iterator[Sight], size: tuple[int, int], thinks: bool) -> "Iterator[pygame.Surface]":
    """Pictures on one surface, which shows one after another."""
    import pygame

    from tetrion.drawing.pen import Pen

    surface = pygame.Surface(size, 0, 32)
    pen, before = Pen(surface, scale_for(size, thinks)), None
    for sight in seen:
        draw_sight(pen, sight, before)
        before = sight
        yield surface


def write_mp4(seen: Iterator[Sight], size: tuple[int, int], thinks: bool, file: Path) -> None:
    """Write pictures as H.264 into a file."""
    with encoder(size, file) as stream:
        for surface in drawn(seen, size, thinks):
            stream.write(surface.get_view("0").raw)


def ffmpeg() -> str:
    """The program that makes videos."""
    try:
        program: str = import_module("imageio_ffmpeg").get_ffmpeg_exe()
    except (ImportError, RuntimeError) as problem:
        raise TetrionError(f"There is no ffmpeg to make {MP4} files with: {problem} A {GIF} file needs none.") from None
    return program


@contextmanager
def encoder(size: tuple[int, int], file: Path) -> Iterator[IO[bytes]]:
    """A stream that takes pictures, four bytes a pixel, and makes a video of them."""
    wide, high = size
    given = ("-f", "rawvideo", "-pix_fmt", "bgr0", "-s", f"{wide}x{high}", "-r", str(A_SECOND[MP4]), "-i", "-")
    command = [ffmpeg(), "-y", "-v", "error", *given, *CONVERSION, *ENCODING, "-f", "mp4", str(file)]
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


def gif_of(seen: Iterable[Sight], size: tuple[int, int], thinks: bool, made: Made, progress: Progress | None) -> bytes:
    """Pictures as a GIF; one that stays is there once, for so much longer."""
    shown, times = list[Sight](), list[int]()
    for sight in seen:
        if shown and (shown[-1] is sight or shown[-1] == sight):
            times[-1] += 1000 // A_SECOND[GIF]
        else:
            shown.append(sight)
            times.append(1000 // A_SECOND[GIF])
    return gif(shown, times, lambda part: images(reported(part, made, progress), size, thinks))


def images(seen: Iterator[Sight], size: tuple[int, int], thinks: bool) -> "Iterator[Image]":
    """Pictures in true colours."""
    import pygame
    from PIL import Image

    for surface in drawn(seen, size, thinks):
        yield Image.frombytes("RGB", surface.size, pygame.image.tobytes(surface, "RGB"))
