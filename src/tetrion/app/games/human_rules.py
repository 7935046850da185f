"""Rules for human players: the default, unusual controls in words, and the key repeat where the rules leave it open."""

from collections.abc import Mapping
from typing import NamedTuple

from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules

DEFAULT_PLAY_RULES = "nes"  # levels, key repeat and both rotations
MAX_DAS_MILLISECONDS = 500
MAX_ARR_MILLISECONDS = 200
KeyBindings = Mapping[str, tuple[str, ...]]  # the keys and gamepad buttons of each action


class HumanControls(NamedTuple):
    """The keys of a human player, and the key repeat in milliseconds; None stands for the values of the rules."""

    keys: KeyBindings
    das: int | None = None
    arr: int | None = None

    def apply_to(self, rules: Rules) -> Rules:
        """Return the rules with this key repeat, if they leave it open."""
        if not leaves_key_repeat_open(rules):
            return rules
        das = rules.das if self.das is None else to_frames(rules, self.das)
        arr = rules.arr if self.arr is None else max(1, to_frames(rules, self.arr))  # with arr=0, keys do not repeat
        return rules.with_(das=das, arr=arr)


def leaves_key_repeat_open(rules: Rules) -> bool:
    """Return whether a human player may choose DAS and ARR: neither the preset nor the given rules set them."""
    return not fixes_key_repeat(rules.name) and rules == reset_key_repeat(rules)


def fixes_key_repeat(preset: str) -> bool:
    """Return whether the source of a preset sets DAS or ARR."""
    return not {"das", "arr"}.isdisjoint(PRESETS[preset].rules)


def reset_key_repeat(rules: Rules) -> Rules:
    """Return the rules without a person's choice of DAS and ARR; all of them share one list of best scores."""
    if fixes_key_repeat(rules.name):
        return rules
    preset = Rules.from_preset(rules.name)
    return rules.with_(das=preset.das, arr=preset.arr)


def to_frames(rules: Rules, milliseconds: int) -> int:
    """Return a number of milliseconds in frames of the rules."""
    return round(milliseconds * rules.frames_per_second / 1000)


def to_milliseconds(rules: Rules, frames: int) -> int:
    """Return a number of frames of the rules in milliseconds."""
    return round(1000 * frames / rules.frames_per_second)


def describe_unusual_controls(rules: Rules) -> str:
    """Return a sentence about controls that players of other Tetris games would not expect, or ""."""
    keys = rules.keys.split("+")
    parts = describe_missing_repeat(rules)
    if "back" not in keys:
        parts.append("pieces rotate in one direction only")
    missing = [name for key, name in (("down", "soft drop"), ("drop", "hard drop")) if key not in keys]
    if missing:
        parts.append(f"there is no {' and no '.join(missing)}")
    if "drop" in keys and "drop" not in rules.lock_keys.split("+"):
        parts.append("a hard drop does not lock the piece")
    if not parts:
        return ""
    separator = ", and " if len(parts) > 2 else " and "
    sentence = separator.join([", ".join(parts[:-1]), parts[-1]]) if len(parts) > 1 else parts[0]
    return f"{sentence[0].upper()}{sentence[1:]}."


def describe_missing_repeat(rules: Rules) -> list[str]:
    """Return which held keys do not repeat, as a list of at most one phrase."""
    can_soft_drop = "down" in rules.keys.split("+")
    repeats_sideways = rules.arr != 0
    repeats_down = rules.soft_drop_interval != 0
    if not repeats_sideways:
        is_every_key = not (can_soft_drop and repeats_down)
        return ["held keys do not repeat" if is_every_key else "held left and right keys do not repeat"]
    return ["a held soft drop key does not repeat"] if can_soft_drop and not repeats_down else []
