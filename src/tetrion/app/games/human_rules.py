"""Rules for human players: modes, garbage, unusual controls in words, and the handling that a player may choose."""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from tetrion.engine.rules import PRESET_DEFINITIONS, Rules
from tetrion.errors import RulesError
from tetrion.game_facts import has_attack_layout

DEFAULT_PLAY_RULES = "guideline"
_HANDLING_FIELDS = ("das", "arr", "soft_drop_interval", "initial_rotation", "initial_hold")
_EVERY_GAP_MOVES = 100  # messiness in percent
INSTANT = "instant"
KeyBindings = Mapping[str, tuple[str, ...]]  # the keys and gamepad buttons of each action


# Modes.


class GameMode(NamedTuple):
    """The goal of a person's game: lines to clear, a time limit, or rows of garbage to clear; 0 for none of them."""

    name: str
    label: str
    description: str
    lines: int = 0
    seconds: int = 0
    start_garbage: int = 0

    @property
    def ranks_times(self) -> bool:
        """Whether the shortest time is the best result, and not the highest score."""
        return bool(self.lines or self.start_garbage)

    def apply_to(self, rules: Rules) -> Rules:
        """Return the rules of a game in this mode; raise a RulesError if they cannot have its garbage."""
        if not self.start_garbage or rules.start_garbage:
            return rules
        try:
            return rules.replace(start_garbage=self.start_garbage, garbage_messiness=_EVERY_GAP_MOVES)
        except RulesError:
            raise RulesError(
                f"A cheese race has garbage, which the rules {rules} cannot have. Choose others, such as guideline."
            ) from None


MARATHON = GameMode("marathon", "Marathon", "Play until the board is full. The highest score is the best.")
MODES = {
    mode.name: mode
    for mode in (
        MARATHON,
        GameMode("sprint", "Sprint", "Clear 40 lines as fast as you can.", lines=40),
        GameMode("blitz", "Blitz", "Score as many points as you can in two minutes.", seconds=120),
        GameMode("cheese", "Cheese race", "Clear 10 rows of garbage as fast as you can.", start_garbage=10),
    )
}


def can_have_garbage(rules: Rules) -> bool:
    """Return whether garbage can be added to the rules."""
    try:
        rules.replace(garbage_rows=1)
    except RulesError:
        return False
    return True


def get_min_level(rules: Rules) -> int:
    """Return the lowest start level: the one of the preset."""
    return Rules(rules.name).start_level


# Handling.


class HumanControls(NamedTuple):
    """The keys of a human player, and the handling; None stands for the values of the rules.

    `das`, `arr` and `soft_drop` (per row) are in milliseconds.
    """

    keys: KeyBindings
    das: int | None = None
    arr: int | None = None
    soft_drop: int | None = None
    initial_rotation: bool | None = None
    initial_hold: bool | None = None

    def apply_to(self, rules: Rules) -> Rules:
        """Return the rules with this handling, where they leave it open."""
        choices = {name: choice for name, choice in zip(_HANDLING_FIELDS, self[1:], strict=True) if choice is not None}
        names = [name for name in list_open_fields(rules) if name in choices]
        changes: Any = {name: convert_handling(rules, name, choices[name]) for name in names}
        return rules.replace(**changes)


def convert_handling(rules: Rules, name: str, choice: int) -> str | int:
    """Return a switch or a time in milliseconds of the handling as a value of the rules.

    An interval of 0 is instant, or every frame where the rules have no instant repeat (0: keys do not repeat).
    """
    if name.startswith("initial"):
        return int(choice)
    frames = round(choice * rules.frames_per_second / 1000)
    if name == "das" or frames:
        return frames
    return INSTANT if has_full_handling(rules) else 1


def list_open_fields(rules: Rules) -> tuple[str, ...]:
    """Return the fields of the handling that a human player may choose, without those given with the rules."""
    preset = Rules(rules.name)
    return tuple(name for name in list_handling_fields(rules) if getattr(rules, name) == getattr(preset, name))


def has_full_handling(rules: Rules) -> bool:
    """Return whether a player may choose the whole handling; older rules have the initial keys of their sources."""
    return rules.is_modern


def list_handling_fields(rules: Rules) -> tuple[str, ...]:
    """Return the fields of the handling that a human player may choose in principle.

    Without the full handling, these are DAS and ARR of presets whose source sets neither.
    """
    if has_full_handling(rules):
        return _HANDLING_FIELDS if rules.hold else _HANDLING_FIELDS[:-1]
    fixes_key_repeat = not {"das", "arr"}.isdisjoint(PRESET_DEFINITIONS[rules.name].rules)
    return () if fixes_key_repeat else _HANDLING_FIELDS[:2]


@cache
def reset_handling(rules: Rules) -> Rules:
    """Return the rules without a person's choice of handling; all of them share one list of best scores."""
    preset = Rules(rules.name)
    return rules.replace(**{name: getattr(preset, name) for name in list_handling_fields(rules)})


def count_entry_rows(rules: Rules) -> int:
    """Return the number of rows that are drawn above a board: those in which pieces spawn, or the hidden rows.

    Of the many hidden rows of games with the attack layout, only those are drawn in which pieces spawn.
    """
    return min(rules.entry_rows, rules.spawn_height + 1) if has_attack_layout(rules) else rules.entry_rows


def to_milliseconds(rules: Rules, frames: int) -> int:
    """Return a number of frames of the rules in milliseconds."""
    return round(1000 * frames / rules.frames_per_second)


def describe_unusual_controls(rules: Rules) -> str:
    """Return sentences about controls that players of other Tetris games would not expect."""
    keys = rules.keys
    repeats_down = "down" not in keys or rules.soft_drop_interval != 0
    sentences = []
    if rules.arr == 0:
        held = "Held left and right keys" if "down" in keys and repeats_down else "Held keys"
        sentences.append(f"{held} do not repeat.")
    elif not repeats_down:
        sentences.append("A held soft drop key does not repeat.")
    if "back" not in keys:
        sentences.append("Pieces rotate in one direction only.")
    missing = [name for key, name in (("down", "soft drop"), ("drop", "hard drop")) if key not in keys]
    if missing:
        sentences.append(f"There is no {' and no '.join(missing)}.")
    if "drop" in keys and "drop" not in rules.lock_keys:
        sentences.append("A hard drop does not lock the piece.")
    return " ".join(sentences)
