"""Rules for tests of the modern game in the reference."""

from typing import Any

from tests.reference.modern_rules import ModernRules

# SRS on a board of 20 visible and 8 hidden rows, with the spawn position of the published counts.
DEFAULTS: dict[str, Any] = {
    "height": 20,
    "hidden_rows": 8,
    "spawn_height": 0,
    "preview": 0,
    "randomiser": "bag",
    "rotation": "srs",
    "half_turn_kicks": "none",
    "movement": "reach",
    "keys": "left+right+rotate+back+down+drop",
    "lock_keys": "drop",
    "lock_delay": "gravity",
    "gravity": 500,
    "frames_per_second": 1000,
    "thinking_frames": 0,
    "frames_per_key": 100,
    "das": 170,
    "arr": 50,
    "soft_drop_interval": 50,
    "spawn_delay": 0,
    "clear_delay": 0,
    "scoring": "guideline",
    "start_level": 1,
    "level_system": "tens",
    "game_over": "lock-out",
}


def make_rules(**changes: Any) -> ModernRules:
    """Return rules of the modern game; with `half_turn_kicks` there is a key for half turns, too."""
    values = DEFAULTS | changes
    if "half_turn_kicks" in changes and "keys" not in changes:
        values["keys"] = "left+right+rotate+back+half+down+drop"
    return ModernRules(**values)
