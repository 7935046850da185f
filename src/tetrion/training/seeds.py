"""Seeds for every purpose of a run, all from the run's own: no game that trains is ever one that judges."""

import numpy as np

OPTIMISER_PURPOSE, TRAINING_PURPOSE, VALIDATION_PURPOSE, FINALS_PURPOSE, HELD_OUT_PURPOSE = range(5)


def derive_seed(seed: int, purpose: int, generation: int = 0) -> int:
    """The seed of a purpose, and of a generation where each has its own."""
    return int(np.random.SeedSequence([seed, purpose, generation]).generate_state(1, np.uint64)[0]) >> 1
