"""GIF encoding: one palette for all frames, and only the pixels that change."""

from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

if TYPE_CHECKING:
    from PIL.Image import Image

_PALETTE_SIZE = 255  # of the 256 colours of a GIF; one is left for pixels that do not change
_PALETTE_SAMPLE_INTERVAL = 7  # the palette is chosen from every seventh frame, up to the last one
_RGB_COLOUR_COUNT = 1 << 24

ColourArray = np.ndarray[Any, Any]  # colours as integers 0xRRGGBB, one row per row of pixels
FrameT = TypeVar("FrameT")
DrawFrames = Callable[[Sequence[FrameT]], Iterator[ColourArray]]


def encode_gif(frames: Sequence[FrameT], durations_ms: Sequence[int], draw: DrawFrames[FrameT]) -> bytes:
    """Return a looping GIF of the frames, each shown for its duration; `draw` renders frames as packed colours.

    Equal input gives equal bytes. GIF is shown everywhere and stays small when little changes between frames.
    """
    images = convert_to_palette(frames, draw)
    first = next(images)
    content = BytesIO()
    palette = bytes(first.getpalette() or [])  # one global palette instead of one per frame
    options = {"duration": list(durations_ms), "loop": 0, "disposal": 1, "palette": palette, "optimize": True}
    first.save(content, "GIF", save_all=True, append_images=images, **options)
    return content.getvalue()


def convert_to_palette(frames: Sequence[FrameT], draw: DrawFrames[FrameT]) -> "Iterator[Image]":
    """Yield the frames as palette images: the most common colours, and the nearest of these for all others."""
    from PIL import Image

    first_sample = (len(frames) - 1) % _PALETTE_SAMPLE_INTERVAL
    palette = find_most_common_colours(draw(frames[first_sample::_PALETTE_SAMPLE_INTERVAL]))
    palette_bytes = unpack_rgb(palette).astype(np.uint8).tobytes()
    palette_index = np.full(_RGB_COLOUR_COUNT, -1, np.int16)
    for colours in draw(frames):
        indices = palette_index[colours]
        if (indices < 0).any():
            new_colours = np.unique(colours[indices < 0])
            palette_index[new_colours] = find_nearest_colours(new_colours, palette)
            indices = palette_index[colours]
        image = Image.fromarray(indices.astype(np.uint8))
        image.putpalette(palette_bytes)
        yield image


def unpack_rgb(colours: ColourArray) -> ColourArray:
    """Return red, green and blue of packed colours, one row per colour."""
    return np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(np.int32)


def find_most_common_colours(images: Iterator[ColourArray]) -> ColourArray:
    """Return the packed colours that cover the most pixels, at most as many as a GIF palette holds."""
    counts = np.zeros(_RGB_COLOUR_COUNT, np.int64)
    for image in images:
        colours, pixels = np.unique(image, return_counts=True)
        counts[colours] += pixels
    colours = np.flatnonzero(counts)
    return colours[np.argsort(-counts[colours], kind="stable")[:_PALETTE_SIZE]]


def find_nearest_colours(colours: ColourArray, palette: ColourArray) -> ColourArray:
    """Return the palette index of the nearest colour for each colour."""
    distances = (unpack_rgb(colours)[:, None] - unpack_rgb(palette)[None]) ** 2
    indices: ColourArray = distances.sum(axis=2).argmin(axis=1)
    return indices
