"""An agent's game as a moving picture for web pages, and as a still one."""

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from tetrion.agents import DataAgent
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.workers import checked_count
from tetrion.game import Game

if TYPE_CHECKING:
    from PIL.Image import Image

    from tetrion.drawing.scenes import Scene

MOST_PIECES = 5000  # more would make a file that no page shows
SMALLEST, LARGEST = 4, 64  # cells
COLOURS = 255  # in a GIF, with one left for what does not change
SAMPLED = 7  # every so many scenes are looked at for which colours are needed most
EVERY_COLOUR = 1 << 24

Numbers = np.ndarray[Any, Any]
T = TypeVar("T")


def animation(agent: DataAgent, rules: Rules, seed: int, pieces: int = 150, cell: int = 20) -> bytes:
    """A GIF of an agent's game, to its end or for so many pieces; equal input gives equal bytes.

    A GIF is shown everywhere, and small where little changes from a picture to the next.
    """
    seen, cell = list(scenes(agent, rules, seed, pieces)), checked_cell(cell)
    return gif(seen, [scene.milliseconds for scene in seen], lambda part: drawn(part, cell, rules))


def gif(seen: Sequence[T], times: Sequence[int], draw: "Callable[[Sequence[T]], Iterator[Image]]") -> bytes:
    """A GIF that shows things for so many milliseconds each; `draw` makes pictures in true colours of some of them."""
    pictures = indexed(seen, draw)
    first, content = next(pictures), BytesIO()
    colours = bytes(first.getpalette() or [])  # told once for all pictures, not again with each
    how = {"duration": list(times), "loop": 0, "disposal": 1, "palette": colours, "optimize": True}
    first.save(content, "GIF", save_all=True, append_images=pictures, **how)
    return content.getvalue()


def still(agent: DataAgent, rules: Rules, seed: int, pieces: int = 150, cell: int = 20) -> bytes:
    """A PNG of the same game after so many pieces, or at its end."""
    *_, last = scenes(agent, rules, seed, pieces)
    (picture,), content = drawn([last], checked_cell(cell), rules), BytesIO()
    picture.save(content, "PNG", optimize=True)
    return content.getvalue()


def checked_cell(cell: int) -> int:
    """A size of cells that can be drawn, or the error that says why not."""
    if type(cell) is not int or not SMALLEST <= cell <= LARGEST:
        raise TetrionError(f"cell is a whole number of pixels from {SMALLEST} to {LARGEST}; given {cell!r}.")
    return cell


def scenes(agent: DataAgent, rules: Rules, seed: int, pieces: int) -> "Iterator[Scene]":
    """What is seen of the game, one scene after another."""
    from tetrion.drawing.scenes import place_in_scenes, scene_of
    from tetrion.drawing.stack import Stack

    game, stack = Game(rules, seed), Stack(height=rules.height)
    pieces = checked_count("pieces", pieces, MOST_PIECES)
    while not game.over and game.pieces < pieces:
        placement = agent.choose(game.position)
        yield from place_in_scenes(game, stack, placement)
        stack = stack.after(placement)
    yield scene_of(game, stack)


def drawn(seen: "Sequence[Scene]", cell: int, rules: Rules) -> "Iterator[Image]":
    """Scenes as pictures in true colours."""
    import pygame
    from PIL import Image

    from tetrion.drawing.scenes import draw_scene, scene_size

    surface = pygame.Surface(scene_size(cell, rules.height, rules.preview), 0, 32)
    for scene in seen:
        draw_scene(surface, scene, cell)
        yield Image.frombytes("RGB", surface.size, pygame.image.tobytes(surface, "RGB"))


def indexed(seen: Sequence[T], draw: "Callable[[Sequence[T]], Iterator[Image]]") -> "Iterator[Image]":
    """Pictures in the few colours of a GIF: those that fill most of them, and the nearest one for others."""
    from PIL import Image

    palette = commonest([packed(picture) for picture in draw(seen[::SAMPLED])])
    place = np.full(EVERY_COLOUR, -1, np.int16)
    for picture in draw(seen):
        colours = packed(picture)
        new = np.unique(colours[place[colours] < 0])
        place[new] = nearest(new, palette)
        flat = Image.frombytes("P", picture.size, place[colours].astype(np.uint8).tobytes())
        flat.putpalette(parts(palette).astype(np.uint8).tobytes())
        yield flat


def packed(picture: "Image") -> Numbers:
    """A picture's pixels, each colour as one number."""
    red, green, blue = np.asarray(picture).reshape(-1, 3).astype(np.int32).T
    return red << 16 | green << 8 | blue


def parts(colours: Numbers) -> Numbers:
    """Red, green and blue of such numbers."""
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1)


def commonest(pictures: Sequence[Numbers]) -> Numbers:
    """The colours that fill most of some pictures."""
    colours, counts = np.unique(np.concatenate(pictures), return_counts=True)
    return colours[np.argsort(-counts, kind="stable")[:COLOURS]]


def nearest(colours: Numbers, palette: Numbers) -> Numbers:
    """For each colour the place of the nearest one in a palette."""
    distances = (parts(colours)[:, None] - parts(palette)[None]) ** 2
    places: Numbers = distances.sum(axis=2).argmin(axis=1)
    return places
