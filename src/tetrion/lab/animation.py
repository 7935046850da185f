"""An agent's game as an animated GIF or a PNG, and GIF encoding."""

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.workers import validate_count
from tetrion.game import Game

if TYPE_CHECKING:
    from PIL.Image import Image

    from tetrion.drawing.scenes import Scene

_MAX_PIECES = 5000  # a longer game would make a file too large for a web page
_MIN_CELL_SIZE, _MAX_CELL_SIZE = 4, 64  # pixels
_PALETTE_SIZE = 255  # of the 256 colours of a GIF; one is left for pixels that do not change
_PALETTE_SAMPLE_INTERVAL = 7  # the palette is chosen from every seventh frame
_RGB_COLOUR_COUNT = 1 << 24

ColourArray = np.ndarray[Any, Any]
FrameT = TypeVar("FrameT")


def render_gif(agent: WeightedAgent, rules: Rules, seed: int, max_pieces: int = 150, cell_size: int = 20) -> bytes:
    """Return a GIF of an agent's game, up to its end or `max_pieces`; equal input gives equal bytes.

    `cell_size` is in pixels. GIF is shown everywhere and stays small when little changes between frames.
    """
    cell_size = validate_cell_size(cell_size)
    scenes = list(play_scenes(agent, rules, seed, max_pieces))
    return encode_gif(
        scenes, [scene.milliseconds for scene in scenes], lambda part: draw_scenes(part, cell_size, rules)
    )


def encode_gif(
    frames: Sequence[FrameT], durations_ms: Sequence[int], draw: "Callable[[Sequence[FrameT]], Iterator[Image]]"
) -> bytes:
    """Return a looping GIF of the frames, each shown for its duration; `draw` renders frames as RGB images."""
    images = convert_to_palette(frames, draw)
    first = next(images)
    content = BytesIO()
    palette = bytes(first.getpalette() or [])  # one global palette instead of one per frame
    options = {"duration": list(durations_ms), "loop": 0, "disposal": 1, "palette": palette, "optimize": True}
    first.save(content, "GIF", save_all=True, append_images=images, **options)
    return content.getvalue()


def render_png(agent: WeightedAgent, rules: Rules, seed: int, max_pieces: int = 150, cell_size: int = 20) -> bytes:
    """Return a PNG of an agent's game after `max_pieces` pieces, or at its end if that comes first."""
    *_, last = play_scenes(agent, rules, seed, max_pieces)
    (image,) = draw_scenes([last], validate_cell_size(cell_size), rules)
    content = BytesIO()
    image.save(content, "PNG", optimize=True)
    return content.getvalue()


def validate_cell_size(cell_size: int) -> int:
    """Return the cell size in pixels; raise TetrionError if it is out of range."""
    if type(cell_size) is not int or not _MIN_CELL_SIZE <= cell_size <= _MAX_CELL_SIZE:
        raise TetrionError(
            f"The cell size must be an integer from {_MIN_CELL_SIZE} to {_MAX_CELL_SIZE} pixels; given {cell_size!r}."
        )
    return cell_size


def play_scenes(agent: WeightedAgent, rules: Rules, seed: int, max_pieces: int) -> "Iterator[Scene]":
    """Play the game and yield its scenes in order."""
    from tetrion.drawing.scenes import animate_placement, make_scene

    game = Game(rules, seed)
    max_pieces = validate_count("pieces", max_pieces, _MAX_PIECES)
    while not game.is_over and game.pieces < max_pieces:
        yield from animate_placement(game, agent.choose(game.position))
    yield make_scene(game)


def draw_scenes(scenes: "Sequence[Scene]", cell_size: int, rules: Rules) -> "Iterator[Image]":
    """Yield the scenes as RGB images."""
    import pygame
    from PIL import Image

    from tetrion.drawing.scenes import compute_scene_size, draw_scene

    surface = pygame.Surface(compute_scene_size(cell_size, rules.height, rules.preview), 0, 32)
    for scene in scenes:
        draw_scene(surface, scene, cell_size)
        yield Image.frombytes("RGB", surface.size, pygame.image.tobytes(surface, "RGB"))


def convert_to_palette(
    frames: Sequence[FrameT], draw: "Callable[[Sequence[FrameT]], Iterator[Image]]"
) -> "Iterator[Image]":
    """Yield the frames as palette images: the most common colours, and the nearest of these for all others."""
    from PIL import Image

    palette = find_most_common_colours([pack_rgb(image) for image in draw(frames[::_PALETTE_SAMPLE_INTERVAL])])
    palette_index = np.full(_RGB_COLOUR_COUNT, -1, np.int16)
    for image in draw(frames):
        colours = pack_rgb(image)
        new_colours = np.unique(colours[palette_index[colours] < 0])
        palette_index[new_colours] = find_nearest_colours(new_colours, palette)
        palette_image = Image.frombytes("P", image.size, palette_index[colours].astype(np.uint8).tobytes())
        palette_image.putpalette(unpack_rgb(palette).astype(np.uint8).tobytes())
        yield palette_image


def pack_rgb(image: "Image") -> ColourArray:
    """Return the pixels of an RGB image, each packed into one integer 0xRRGGBB."""
    red, green, blue = np.asarray(image).reshape(-1, 3).astype(np.int32).T
    return red << 16 | green << 8 | blue


def unpack_rgb(colours: ColourArray) -> ColourArray:
    """Return red, green and blue of packed colours, one row per colour."""
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)


def find_most_common_colours(images: Sequence[ColourArray]) -> ColourArray:
    """Return the packed colours that cover the most pixels, at most as many as a GIF palette holds."""
    colours, counts = np.unique(np.concatenate(images), return_counts=True)
    return colours[np.argsort(-counts, kind="stable")[:_PALETTE_SIZE]]


def find_nearest_colours(colours: ColourArray, palette: ColourArray) -> ColourArray:
    """Return the palette index of the nearest colour for each colour."""
    distances = (unpack_rgb(colours)[:, None] - unpack_rgb(palette)[None]) ** 2
    indices: ColourArray = distances.sum(axis=2).argmin(axis=1)
    return indices
