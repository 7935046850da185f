"""Seeds derived from the seed of a run, one for each purpose, so that no two purposes share games."""

from enum import IntEnum

import numpy as np


class SeedPurpose(IntEnum):
    """What a derived seed is used for."""

    OPTIMISER = 0
    TRAINING = 1
    VALIDATION = 2
    FINALS = 3
    HELD_OUT = 4


def derive_seed(seed: int, purpose: SeedPurpose, generation: int = 0) -> int:
    """Return the seed for a purpose, and for a generation where each generation has its own."""
    return int(np.random.SeedSequence([seed, int(purpose), generation]).generate_state(1, np.uint64)[0]) >> 1
