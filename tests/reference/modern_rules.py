"""The rules of the modern game: hold, spins, attack and garbage beside the rules of every game."""

from dataclasses import dataclass

from tests.reference.rules import Rules


@dataclass(frozen=True)
class ModernRules(Rules):
    """The rules of a modern game; docs/rules.md explains the fields."""

    hold: int = 0  # 1: the current piece can be exchanged for the one in the hold box
    spins: str = "none"  # none, t, all-mini or all
    spin_kick: str = "any"  # which fifth kicks make a mini T-spin a full one: any, or only the long ones
    attack: str = "none"  # none, libtetris, guideline, jstris, tetrio or tetrio-s1
    garbage_rows: int = 0  # rows of each batch of the solo source; 0: no garbage
    garbage_interval: int = 1  # pieces between two batches
    garbage_delay: int = 0  # pieces between the arrival of a batch in the queue and the time when it may rise
    garbage_cap: int = 8  # rows that rise at most when a piece locks
    garbage_messiness: int = 0  # chance in percent that the gap moves before a further row of a batch rises
