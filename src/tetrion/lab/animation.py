"""An agent's game as a moving picture for web pages, and as a still one."""

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

_MAX_PIECES = 5000  # more would make a file that no page shows
_MIN_CELL_SIZE, _MAX_CELL_SIZE = 4, 64  # cells
_PALETTE_SIZE = 255  # in a GIF, with one left for what does not change
_PALETTE_SAMPLE_INTERVAL = 7  # every so many scenes are looked at for which colours are needed most
_RGB_COLOUR_COUNT = 1 << 24

ColourArray = np.ndarray[Any, Any]
FrameT = TypeVar("FrameT")


def render_gif(agent: WeightedAgent, rules: Rules, seed: int, max_pieces: int = 150, cell_size: int = 20) -> bytes:
    """A GIF of an agent's game, to its end or for so many pieces; equal input gives equal bytes.

    A GIF is shown everywhere, and small where little changes from a picture to the next.
    """
    seen, cell_size = list(play_scenes(agent, rules, seed, max_pieces)), validate_cell_size(cell_size)
    return encode_gif(seen, [scene.milliseconds for scene in seen], lambda part: draw_scenes(part, cell_size, rules))


def encode_gif(
    frames: Sequence[FrameT], durations_ms: Sequence[int], draw: "Callable[[Sequence[FrameT]], Iterator[Image]]"
) -> bytes:
    """A GIF that shows things for so many milliseconds each; `draw` makes pictures in true colours of some of them."""
    pictures = convert_to_palette(frames, draw)
    first, content = next(pictures), BytesIO()
    colours = bytes(first.getpalette() or [])  # told once for all pictures, not again with each
    how = {"duration": list(durations_ms), "loop": 0, "disposal": 1, "palette": colours, "optimize": True}
    first.save(content, "GIF", save_all=True, append_images=pictures, **how)
    return content.getvalue()


def render_png(agent: WeightedAgent, rules: Rules, seed: int, max_pieces: int = 150, cell_size: int = 20) -> bytes:
    """A PNG of the same game after so many pieces, or at its end."""
    *_, last = play_scenes(agent, rules, seed, max_pieces)
    (picture,), content = draw_scenes([last], validate_cell_size(cell_size), rules), BytesIO()
    picture.save(content, "PNG", optimize=True)
    return content.getvalue()


def validate_cell_size(cell_size: int) -> int:
    """A size of cells that can be drawn, or the error that says why not."""
    if type(cell_size) is not int or not _MIN_CELL_SIZE <= cell_size <= _MAX_CELL_SIZE:
        raise TetrionError(
            f"cell is a whole number of pixels from {_MIN_CELL_SIZE} to {_MAX_CELL_SIZE}; given {cell_size!r}."
        )
    return cell_size


def play_scenes(agent: WeightedAgent, rules: Rules, seed: int, max_pieces: int) -> "Iterator[Scene]":
    """What is seen of the game, one scene after another."""
    from tetrion.drawing.scenes import animate_placement, make_scene
    from tetrion.drawing.stack import Stack

    game, stack = Game(rules, seed), Stack(height=rules.height)
    max_pieces = validate_count("pieces", max_pieces, _MAX_PIECES)
    while not game.is_over and game.pieces < max_pieces:
        placement = agent.choose(game.position)
        yield from animate_placement(game, stack, placement)
        stack = stack.after_placement(placement)
    yield make_scene(game, stack)


def draw_scenes(scenes: "Sequence[Scene]", cell_size: int, rules: Rules) -> "Iterator[Image]":
    """Scenes as pictures in true colours."""
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
    """Pictures in the few colours of a GIF: those that fill most of them, and the nearest one for others."""
    from PIL import Image

    palette = find_most_common_colours([pack_rgb(picture) for picture in draw(frames[::_PALETTE_SAMPLE_INTERVAL])])
    place = np.full(_RGB_COLOUR_COUNT, -1, np.int16)
    for picture in draw(frames):
        colours = pack_rgb(picture)
        new = np.unique(colours[place[colours] < 0])
        place[new] = find_nearest_colours(new, palette)
        flat = Image.frombytes("P", picture.size, place[colours].astype(np.uint8).tobytes())
        flat.putpalette(unpack_rgb(palette).astype(np.uint8).tobytes())
        yield flat


def pack_rgb(picture: "Image") -> ColourArray:
    """A picture's pixels, each colour as one number."""
    red, green, blue = np.asarray(picture).reshape(-1, 3).astype(np.int32).T
    return red << 16 | green << 8 | blue


def unpack_rgb(colours: ColourArray) -> ColourArray:
    """Red, green and blue of such numbers."""
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)


def find_most_common_colours(pictures: Sequence[ColourArray]) -> ColourArray:
    """The colours that fill most of some pictures."""
    colours, counts = np.unique(np.concatenate(pictures), return_counts=True)
    return colours[np.argsort(-counts, kind="stable")[:_PALETTE_SIZE]]


def find_nearest_colours(colours: ColourArray, palette: ColourArray) -> ColourArray:
    """For each colour the place of the nearest one in a palette."""
    distances = (unpack_rgb(colours)[:, None] - unpack_rgb(palette)[None]) ** 2
    places: ColourArray = distances.sum(axis=2).argmin(axis=1)
    return places
