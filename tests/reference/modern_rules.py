"""The rules of the modern game: hold, spins, attack and garbage beside the rules of every game."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor

from tests.reference.rules import Rules


@dataclass(frozen=True)
class ModernRules(Rules):
    """The rules of a modern game; docs/rules.md explains the fields."""

    hold: int = 0  # 1: the current piece can be exchanged for the one in the hold box
    spins: str = "none"  # none, t, all-mini or all
    spin_kick: str = "any"  # which fifth kicks make a mini T-spin a full one: any, only the long ones, late, or none
    attack: str = "none"  # none, libtetris, guideline, jstris, tetrio or tetrio-s1
    garbage_rows: int = 0  # rows of each batch of the solo source; 0: no garbage
    garbage_interval: int = 1  # pieces or frames between two batches
    garbage_delay: int = 0  # pieces or frames from the arrival of a batch in the queue until it may rise
    garbage_interval_unit: str = "pieces"  # pieces or frames
    garbage_delay_unit: str = "pieces"
    garbage_cap: int = 8  # rows that rise at most when a piece locks
    garbage_messiness: int = 0  # chance in percent that the gap moves before a further row of a batch rises
    garbage_blocking: str = "combo"  # combo: no garbage rises when a piece clears rows; none: it always may
    garbage_clear_bonus: int = 0  # rows that a tetris or spin adds to its attack if it clears garbage
    opener_pieces: int = 0  # the first pieces, whose attack may cancel twice
    attack_growth: int = 0  # growth of the multiplier of attack, in thousandths per second
    attack_growth_start: int = 0  # the frame from which on it grows
    placement_frames: int = 0  # frames after a placement in a game by placements

    def compute_multiplier(self, frames: int) -> Fraction:
        """Return the factor of attack at a frame; it grows by whole milliseconds, up to a million."""
        seconds = Fraction(max(frames - self.attack_growth_start, 0)) / self.exact_frames_per_second
        return min(1 + Fraction(self.attack_growth, 1000) * Fraction(floor(1000 * seconds), 1000), Fraction(10**6))

    @property
    def exact_frames_per_second(self) -> Fraction:
        return Fraction(round(1000 * self.frames_per_second), 1000)
