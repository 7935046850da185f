"""The values of a set of rules, and what follows from them: levels, gravity, points and delays."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

FLAT = [0, 40, 100, 300, 1200]
GRAVITY_OF_NES = [48, 43, 38, 33, 28, 23, 18, 13, 8, 6, 5, 5, 5, 4, 4, 4, 3, 3, 3] + 10 * [2] + [1]


@dataclass(frozen=True)
class Rules:
    """What may be done and when it ends; the words are those of docs/rules.md."""

    height: int
    hidden_rows: int
    spawn_height: int
    preview: int
    randomiser: str
    rotation: str
    movement: str
    keys: str
    lock_keys: str
    lock_delay: str | int
    gravity: str | int
    frames_per_second: float
    thinking_frames: int
    frames_per_key: int
    das: int
    arr: int
    soft_drop_interval: int
    spawn_delay: str | int
    clear_delay: int
    scoring: str
    start_level: int
    level_system: str
    game_over: str

    @classmethod
    def from_mapping(cls, values: Mapping[str, Any]) -> Self:
        """The rules with these values, of which some may mean nothing here."""
        return cls(**{field.name: values[field.name] for field in fields(cls)})

    @property
    def rows(self) -> int:
        """How many rows hold cells."""
        return self.height + self.hidden_rows

    def has_key(self, key: str) -> bool:
        return key in self.keys.split("+")

    def locks_by(self, key: str) -> bool:
        return key in self.lock_keys.split("+")

    def level_after(self, lines: int) -> int:
        """The level when so many lines have been cleared."""
        if self.level_system == "fixed":
            return self.start_level
        if self.level_system == "tens":
            return self.start_level + lines // 10
        first_up = min(10 * self.start_level + 10, max(100, 10 * self.start_level - 50))
        return self.start_level if lines < first_up else self.start_level + 1 + (lines - first_up) // 10

    def frames_per_row(self, level: int, frames: int) -> int:
        """How many frames a piece takes for a row that enters on a level after so many frames of the game."""
        if self.gravity == "gavrilov":
            return max(120, 370 - 5 * (frames // 5000))
        if self.gravity == "tetrais":
            return 1000 - 100 * min(level, 9)
        if self.gravity == "nes":
            return GRAVITY_OF_NES[min(level, 29)]
        return int(self.gravity)

    def points(self, lines: int, level: int) -> int:
        """What a piece earns that clears so many lines, with the level after them."""
        if self.scoring == "lines":
            return lines
        if self.scoring == "tetrais":
            return FLAT[lines] + 1
        if self.scoring == "nes":
            return FLAT[lines] * (level + 1)
        return FLAT[lines]

    def delay(self, lowest_row: int, lines: int) -> int:
        """How many frames pass from a lock to the next piece's entrance."""
        by_height = min(18, 10 + 2 * ((lowest_row + 2) // 4))
        wait = by_height if self.spawn_delay == "nes" else int(self.spawn_delay)
        return wait + self.clear_delay if lines else wait
