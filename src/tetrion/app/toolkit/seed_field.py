"""Transitional: names that are now in `form`."""

from tetrion.app.toolkit.form import SeedChoice, compute_next_seed, draw_seed_field

__all__ = ["SEED_FIELD_WIDTH", "SeedChoice", "compute_next_seed", "draw_seed_field"]

SEED_FIELD_WIDTH = 320
