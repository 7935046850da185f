"""A field for the seed of a game: random, or a given number."""

from random import randrange
from typing import NamedTuple, Self

from tetrion.app.toolkit.controls import compute_segments_width, draw_segments, draw_stepper
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.pen import Box
from tetrion.engine.randomisers import MAX_SEED

_SEED_MODES = ("Random", "Given")
SEED_FIELD_WIDTH = 320  # units, of the choice and the number
_RANDOM_SEED_COUNT = 1_000_000  # short numbers, so that they can be read and typed


class SeedChoice(NamedTuple):
    """The choice between a random seed and a given one; `number` is the given seed."""

    is_given: bool
    number: int

    @classmethod
    def from_seed(cls, seed: int | None) -> Self:
        """Return the choice of a given seed, or of a random one for None."""
        return cls(seed is not None, seed or 0)

    def choose_seed(self) -> int:
        """Return the given seed, or a new random one."""
        return self.number if self.is_given else randrange(_RANDOM_SEED_COUNT)


def compute_next_seed(seed: int) -> int:
    """Return the seed of the next game; the largest seed is followed by 0."""
    return (seed + 1) % (MAX_SEED + 1)


def draw_seed_field(ui: Ui, box: Box, choice: SeedChoice) -> SeedChoice:
    """Draw the controls "seed mode" and, for a given seed, "seed"; return the new choice."""
    width = compute_segments_width(ui.pen, _SEED_MODES)
    mode_box = Box(box.left, box.top, width, box.height)
    is_given = bool(draw_segments(ui, "seed mode", mode_box, _SEED_MODES, int(choice.is_given)))
    if not is_given:
        return SeedChoice(False, choice.number)
    number_width = min(box.width, SEED_FIELD_WIDTH) - width - 12
    number_box = Box(mode_box.right + 12, box.top, number_width, box.height)
    return SeedChoice(True, draw_stepper(ui, "seed", number_box, choice.number, max_value=MAX_SEED))
