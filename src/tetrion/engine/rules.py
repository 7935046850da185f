"""The rules of a game as an immutable dataclass, with parsing, validation and conversion to an engine record."""

import math
import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NamedTuple, Self, TypedDict, Unpack

from tetrion.engine.attack import ATTACK_PROFILES
from tetrion.engine.bitboard import HANGING_CLEARING, MAX_ROWS, STANDARD_CLEARING
from tetrion.engine.piece_motion import KEY_DOWN, KEY_DROP, KEY_HALF_TURN, KEY_HOLD, KEY_ROTATE_BACK, MOVEMENT_ROWS
from tetrion.engine.randomisers import ADVERSARY, Randomiser
from tetrion.engine.records import (
    DROP_MOVEMENT,
    END_ABOVE_TOP,
    END_LOCK_OUT,
    END_NO_PLACEMENT,
    END_SPAWN_BLOCKED,
    END_TOP_ROW,
    FRAMES_UNIT,
    GAME_KEYS,
    INSTANT_REPEAT,
    LOCK_BY_GRAVITY,
    PIECES_UNIT,
    REACH_MOVEMENT,
    STEERED_MOVEMENT,
    TIMED_MOVEMENT,
    RulesRecord,
    RulesRecords,
)
from tetrion.engine.rotation_systems import HALF_TURN_KICKS, ROTATION_SYSTEMS
from tetrion.engine.scoring import (
    CONSTANT_GRAVITY,
    FINE_GRAVITIES,
    GRAVITY_SYSTEMS,
    LEVEL_SYSTEMS,
    NES_SPAWN_DELAY,
    SCORING_SYSTEMS,
)
from tetrion.engine.spins import SPIN_KICKS, SPIN_RULES, write_spin_rules
from tetrion.errors import RulesError, UnknownNameError, describe_value
from tetrion.registry import Registry

RULES_VERSION = 1  # of the engine's behaviour: the newest of those that `Rules.behaviour_version` returns

MOVEMENTS = {"drop": DROP_MOVEMENT, "reach": REACH_MOVEMENT, "timed": TIMED_MOVEMENT, "steered": STEERED_MOVEMENT}

CLOCKED_MOVEMENTS = ("timed", "steered")  # those whose placements take time, in whole frames
CLEARINGS = {"standard": STANDARD_CLEARING, "hanging": HANGING_CLEARING}
END_CONDITIONS = {
    "room": END_NO_PLACEMENT,
    "entry": END_SPAWN_BLOCKED,
    "lock-out": END_LOCK_OUT,
    "top-row": END_TOP_ROW,
    "above": END_ABOVE_TOP,
}

ATTACK_FIELDS = ("garbage_clear_bonus", "opener_pieces", "attack_growth")  # which change attack
REPEAT_NAMES = ("instant",)  # values of `arr` and `soft_drop_interval` that are no numbers
_SYSTEMS_WITH_HALF_TURN_KICKS = ("srs", "srs+")  # those with the states that the tables of kicks assume
_HOLD_KEY = GAME_KEYS[KEY_HOLD]

MAX_RULE_FRAMES = 1_000_000
INTEGER_FIELDS = {  # the smallest and the largest value of each integer field
    "height": (4, MAX_ROWS),
    "hidden_rows": (0, 8),
    "spawn_height": (0, 4),
    "preview": (0, 6),
    "start_level": (0, 29),
    "clear_delay": (0, MAX_RULE_FRAMES),
    "das": (0, MAX_RULE_FRAMES),
    "thinking_frames": (0, MAX_RULE_FRAMES),
    "frames_per_key": (1, MAX_RULE_FRAMES),
    "garbage_rows": (0, 20),
    "garbage_interval": (1, MAX_RULE_FRAMES),
    "garbage_delay": (0, MAX_RULE_FRAMES),
    "garbage_cap": (1, 20),
    "garbage_messiness": (0, 100),
    "start_garbage": (0, 20),
    "lock_resets": (0, 1000),
    "garbage_clear_bonus": (0, 20),
    "opener_pieces": (0, 1000),
    "attack_growth": (0, 1000),
    "attack_growth_start": (0, MAX_RULE_FRAMES),
    "placement_frames": (0, MAX_RULE_FRAMES),
}
ON_OFF_FIELDS = ("hold", "initial_rotation", "initial_hold")
_VALUE_TYPES = (str, int, float, list, tuple, set, frozenset)
_GARBAGE_UNITS = {"pieces": PIECES_UNIT, "frames": FRAMES_UNIT}
_GARBAGE_BLOCKING = {"none": 0, "combo": 1}
CHOICE_FIELDS: dict[str, Iterable[str]] = {  # fields with a fixed set of names
    "rotation": ROTATION_SYSTEMS,
    "half_turn_kicks": HALF_TURN_KICKS,
    "movement": MOVEMENTS,
    "scoring": SCORING_SYSTEMS,
    "level_system": LEVEL_SYSTEMS,
    "game_over": END_CONDITIONS,
    "clearing": CLEARINGS,
    "spins": SPIN_RULES,
    "spin_kick": SPIN_KICKS,
    "attack": ("none", *ATTACK_PROFILES),
    "garbage_interval_unit": _GARBAGE_UNITS,
    "garbage_delay_unit": _GARBAGE_UNITS,
    "garbage_blocking": _GARBAGE_BLOCKING,
}
NAME_OR_FRAMES_FIELDS: dict[str, Iterable[str]] = {  # fields with a name or a number of frames
    "lock_delay": ["gravity"],
    "gravity": GRAVITY_SYSTEMS,
    "spawn_delay": ["nes"],
    "arr": REPEAT_NAMES,
    "soft_drop_interval": REPEAT_NAMES,
}

KEY_LIST_FIELDS = ("keys", "lock_keys")  # fields with names of keys, which are joined by + in a text
NO_KEYS = "none"  # an empty list of keys in a text


class Preset(NamedTuple):
    """A named set of rules: its source, its differences from `standard`, and our decisions.

    Decisions are made where a source gives no rule or contradicts itself.
    """

    source: str
    rules: dict[str, Any]
    decisions: tuple[str, ...]


def _load_presets() -> dict[str, Preset]:
    tables = tomllib.loads(Path(__file__).with_name("presets.toml").read_text(encoding="utf-8"))
    presets = {}
    for name, table in tables.items():
        base = tables[table["based_on"]]["rules"] if "based_on" in table else {}
        presets[name] = Preset(table["source"], base | table.get("rules", {}), tuple(table.get("decisions", ())))
    return presets


PRESET_DEFINITIONS = _load_presets()


KeyNames = str | list[str] | tuple[str, ...] | set[str] | frozenset[str]  # a text has names joined by +


class RuleChanges(TypedDict, total=False):
    """What can be given to `Rules` and to its `replace`: the fields of `Rules` other than the name."""

    height: int
    hidden_rows: int
    spawn_height: int
    preview: int
    randomiser: str
    rotation: str
    half_turn_kicks: str
    movement: str
    keys: KeyNames
    lock_keys: KeyNames
    lock_delay: str | int
    scoring: str
    start_level: int
    level_system: str
    game_over: str
    gravity: str | int
    frames_per_second: float
    spawn_delay: str | int
    clear_delay: int
    das: int
    arr: str | int
    soft_drop_interval: str | int
    thinking_frames: int
    frames_per_key: int
    hold: bool
    spins: str
    spin_kick: str
    attack: str
    garbage_rows: int
    garbage_interval: int
    garbage_delay: int
    garbage_cap: int
    garbage_messiness: int
    lock_resets: int
    initial_rotation: bool
    initial_hold: bool
    garbage_interval_unit: str
    garbage_delay_unit: str
    garbage_blocking: str
    garbage_clear_bonus: int
    opener_pieces: int
    attack_growth: int
    attack_growth_start: int
    placement_frames: int
    clearing: str
    start_garbage: int


@dataclass(frozen=True, init=False)
class Rules:
    """The rules of a game: board, pieces, movement, scoring, timing and the end of the game.

    docs/rules.md defines every field. The defaults are the preset `standard`, one-piece Tetris as used in research
    (MdpTetris): a piece is rotated, moved and dropped straight down; the game is over when no placement of the piece
    lies completely on the board; each line scores one point. `tetrion.PRESETS` has all presets.

    >>> rules = Rules("nes", hold=True, movement="reach")
    >>> rules.keys
    ('left', 'right', 'rotate', 'back', 'down', 'hold')
    >>> rules.replace(height=10)
    Rules('nes', height=10, movement='reach', hold=True)
    >>> str(rules), Rules.parse("nes:hold=1,movement=reach") == rules
    ('nes:movement=reach,hold=1', True)
    """

    name: str = "standard"
    height: int = 20
    hidden_rows: int = 0
    spawn_height: int = 4
    preview: int = 0
    randomiser: str = "uniform"
    rotation: str = "top-left"
    half_turn_kicks: str = "none"
    movement: str = "drop"
    keys: tuple[str, ...] = ("left", "right", "rotate", "back", "down", "drop")
    lock_keys: tuple[str, ...] = ("drop",)
    lock_delay: str | int = "gravity"
    scoring: str = "lines"
    start_level: int = 0
    level_system: str = "fixed"
    game_over: str = "room"
    gravity: str | int = 500
    frames_per_second: float = 1000
    spawn_delay: str | int = 0
    clear_delay: int = 0
    das: int = 170
    arr: str | int = 50
    soft_drop_interval: str | int = 50
    thinking_frames: int = 0
    frames_per_key: int = 100
    hold: bool = False
    spins: str = "none"
    spin_kick: str = "any"
    attack: str = "none"
    garbage_rows: int = 0
    garbage_interval: int = 10
    garbage_delay: int = 0
    garbage_cap: int = 8
    garbage_messiness: int = 0
    lock_resets: int = 0
    initial_rotation: bool = False
    initial_hold: bool = False
    garbage_interval_unit: str = "pieces"
    garbage_delay_unit: str = "pieces"
    garbage_blocking: str = "combo"
    garbage_clear_bonus: int = 0
    opener_pieces: int = 0
    attack_growth: int = 0
    attack_growth_start: int = 0
    placement_frames: int = 0
    clearing: str = "standard"
    start_garbage: int = 0

    def __init__(self, name: str = "standard", **changes: Unpack[RuleChanges]) -> None:
        """Take the rules of a preset and change some of them.

        Rules that are on or off take True and False, lists of keys take lists, tuples, sets or names joined by +.
        """
        name = _simplify(name)
        if not isinstance(name, str) or name not in PRESET_DEFINITIONS:
            listing = f"Use Rules.parse({name!r})." if isinstance(name, str) and ":" in name else ""
            raise UnknownNameError("rules", name, PRESET_DEFINITIONS, listing=listing)
        defaults: dict[str, Any] = {field.name: field.default for field in fields(Rules)}
        preset = PRESET_DEFINITIONS[name].rules
        for field, value in (defaults | preset | _complete_changes(changes) | {"name": name}).items():
            object.__setattr__(self, field, value)
        self._validate()

    def _validate(self) -> None:
        for field in INTEGER_FIELDS:
            _check_integer(field, getattr(self, field))
        for field in ON_OFF_FIELDS:
            object.__setattr__(self, field, _parse_switch(field, getattr(self, field)))
        for field, names in CHOICE_FIELDS.items():
            if getattr(self, field) not in list(names):
                raise UnknownNameError(field, getattr(self, field), names)
        for field, names in NAME_OR_FRAMES_FIELDS.items():
            _check_name_or_frames(field, getattr(self, field), names)
        if not _is_number(self.frames_per_second) or not 1 <= self.frames_per_second <= MAX_RULE_FRAMES:
            raise RulesError(
                f"frames_per_second must be a number from 1 to {MAX_RULE_FRAMES:,}; given "
                f"{describe_value(self.frames_per_second)}."
            )
        Randomiser(self.randomiser)
        # The key for hold is there if and only if the rules have hold.
        keys = [key for key in _list_keys("keys", self.keys, GAME_KEYS) if key != _HOLD_KEY]
        object.__setattr__(self, "keys", (*keys, *([_HOLD_KEY] if self.hold else [])))
        lock_keys = _list_keys("lock_keys", self.lock_keys, (GAME_KEYS[KEY_DOWN], GAME_KEYS[KEY_DROP]))
        object.__setattr__(self, "lock_keys", lock_keys)
        _check_combinations(self)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse rules in command-line form: `standard`, or `standard:height=14,randomiser=bag`."""
        if not isinstance(text, str):
            raise RulesError(f"Rules must be text such as 'standard:height=14'; given {describe_value(text)}.")
        name, colon, options = text.partition(":")
        rules = cls(name)
        return rules.replace(**dict(_parse_option(item) for item in options.split(","))) if colon else rules

    def replace(self, **changes: Unpack[RuleChanges]) -> Self:
        """Return a copy of these rules with some fields changed."""
        return replace(self, **_complete_changes(changes))

    def __str__(self) -> str:
        options = ",".join(f"{field}={get_rule_text(self, field)}" for field in self._list_changed_fields())
        return f"{self.name}:{options}" if options else self.name

    def __repr__(self) -> str:
        changes = [f"{field}={getattr(self, field)!r}" for field in self._list_changed_fields()]
        return f"Rules({', '.join([repr(self.name), *changes])})"

    def _list_changed_fields(self) -> list[str]:
        """Return the fields that differ from the preset; the key for hold follows from `hold`."""
        preset = Rules(self.name)
        changed = [field.name for field in fields(self) if getattr(self, field.name) != getattr(preset, field.name)]
        if {*self.keys, _HOLD_KEY} == {*preset.keys, _HOLD_KEY}:
            changed = [field for field in changed if field != "keys"]
        return changed

    @property
    def rows(self) -> int:
        """The number of rows in which pieces may lock, including the hidden ones."""
        return self.height + self.hidden_rows

    @property
    def behaviour_version(self) -> int:
        """The number of the behaviour of games under these rules; files and results of one number are comparable.

        A change of the engine that changes games increments RULES_VERSION. This property returns the new number for
        the rules that the change concerns, and the old one for all others, whose files and results stay valid.
        """
        return 1

    @property
    def is_modern(self) -> bool:
        """Whether games need the full record: for hold, spins, attack, garbage, the guideline's score or a clock.

        The clock is that of games by placements (`placement_frames`).
        """
        return (
            self.hold
            or self.spins != "none"
            or self.attack != "none"
            or self.garbage_rows > 0
            or self.start_garbage > 0
            or self.scoring == "guideline"
            or self.placement_frames > 0
        )

    @property
    def entry_rows(self) -> int:
        """The number of rows above the visible board in which a piece can be: where it spawns, or hidden rows."""
        return max(self.spawn_height, self.hidden_rows)


PRESETS: Registry[Rules] = Registry(
    "rules", PRESET_DEFINITIONS, Rules, lambda rules: PRESET_DEFINITIONS[rules.name].source
)
"""The named sets of rules, which docs/rules.md tabulates: `tetrion.PRESETS["nes"]` are the rules `nes`."""


def get_rule_text(rules: Rules, field: str) -> str:
    """Return a rule as it is written in a text: 1 or 0 for rules that are on or off, names of keys joined by +."""
    value = getattr(rules, field)
    if field in KEY_LIST_FIELDS:
        return "+".join(value) or NO_KEYS
    return str(int(value) if field in ON_OFF_FIELDS else value)


def make_rules_record(rules: Rules) -> RulesRecords:
    """Return rules for the engine, as an array of one record."""
    records = RulesRecord.make_array(1)
    record: Any = records[0]
    for field in (*INTEGER_FIELDS, *ON_OFF_FIELDS, "rows"):
        if field != "hidden_rows":
            setattr(record, field, getattr(rules, field))
    record.needs_full_games = rules.is_modern
    record.movement, record.game_over = MOVEMENTS[rules.movement], END_CONDITIONS[rules.game_over]
    record.clearing = CLEARINGS[rules.clearing]
    record.level_system = LEVEL_SYSTEMS[rules.level_system]
    record.has_key[:] = [key in rules.keys for key in GAME_KEYS]
    record.key_locks[:] = [key in rules.lock_keys for key in GAME_KEYS]
    record.lock_delay = LOCK_BY_GRAVITY if rules.lock_delay == "gravity" else int(rules.lock_delay)
    record.spawn_delay = NES_SPAWN_DELAY if rules.spawn_delay == "nes" else int(rules.spawn_delay)
    record.arr = INSTANT_REPEAT if rules.arr in REPEAT_NAMES else int(rules.arr)
    record.soft_drop_interval = (
        INSTANT_REPEAT if rules.soft_drop_interval in REPEAT_NAMES else int(rules.soft_drop_interval)
    )
    record.frames_per_1000_seconds = round(1000 * rules.frames_per_second)
    record.gravity_system = GRAVITY_SYSTEMS.get(str(rules.gravity), CONSTANT_GRAVITY)
    if isinstance(rules.gravity, int):
        record.gravity = rules.gravity
    elif rules.gravity in FINE_GRAVITIES:
        record.gravity = record.frames_per_1000_seconds
    SCORING_SYSTEMS[rules.scoring].write_to(record)
    Randomiser(rules.randomiser).write_to(record)
    ROTATION_SYSTEMS[rules.rotation].write_to(record, rules.half_turn_kicks)
    write_spin_rules(record, rules.spins, rules.spin_kick)
    if rules.attack != "none":
        ATTACK_PROFILES[rules.attack].write_to(record)
    record.garbage_interval_unit = _GARBAGE_UNITS[rules.garbage_interval_unit]
    record.garbage_delay_unit = _GARBAGE_UNITS[rules.garbage_delay_unit]
    record.garbage_blocking = _GARBAGE_BLOCKING[rules.garbage_blocking]
    return records


def check_simple_drops(rules: RulesRecord, user: str, remedy: str) -> None:
    """Raise a RulesError unless all placements are straight drops, in games that a small record can hold."""
    movement = next(name for name, number in MOVEMENTS.items() if number == rules.movement)
    given = None
    if movement != "drop":
        given = f"movement={movement}"
    elif rules.randomiser == ADVERSARY:
        given = "randomiser=adversary"
    elif rules.needs_full_games:
        used = [name for name in ("hold", "garbage_rows", "start_garbage", "placement_frames") if getattr(rules, name)]
        given = f"{used[0]}={getattr(rules, used[0])}" if used else "attack or scoring=guideline"
    if given:
        raise RulesError(
            f"{user} supports movement=drop without hold, spins, attack, garbage and the adversary; given {given}. "
            f"{remedy}"
        )


def _complete_changes(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return changed rules, and what a change switches off with it."""
    changes = dict(given)
    field_names = [field.name for field in fields(Rules) if field.name != "name"]
    for field, value in changes.items():
        if field not in field_names:
            raise UnknownNameError("rule", field, field_names)
        if not isinstance(value, _VALUE_TYPES):
            raise RulesError(f"{field} must be a number, a text or a list of names; given {describe_value(value)}.")
    changes = {field: _simplify(value) for field, value in changes.items()}
    if changes.get("hold") == 0:
        changes = {"initial_hold": False} | changes
    if changes.get("attack") == "none":
        changes = dict.fromkeys(ATTACK_FIELDS, 0) | changes
    return changes


def _simplify(value: Any) -> Any:
    """Return a text or number of a subclass, such as NumPy's float64, as Python's own, whose repr gives the same rules.

    True and False stay as they are.
    """
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, float):
        return float.__float__(value)
    return int.__int__(value) if isinstance(value, int) and not isinstance(value, bool) else value


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or math.isfinite(value)


def _check_integer(field: str, value: object) -> None:
    minimum, maximum = INTEGER_FIELDS[field]
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
        raise RulesError(
            f"{field} must be a whole number from {minimum} to {maximum:,}; given {describe_value(value)}."
        )


def _parse_switch(field: str, value: object) -> bool:
    if not isinstance(value, int) or value not in (0, 1):
        raise RulesError(f"{field} must be True or False (1 or 0 in a text); given {describe_value(value)}.")
    return bool(value)


def _check_name_or_frames(field: str, value: object, names: Iterable[str]) -> None:
    if (
        isinstance(value, bool)
        or (isinstance(value, int) and not 0 <= value <= MAX_RULE_FRAMES)
        or isinstance(value, float)
    ):
        raise RulesError(
            f"{field} must be a whole number of frames from 0 to {MAX_RULE_FRAMES:,}; given {describe_value(value)}."
        )
    if not isinstance(value, int) and value not in list(names):
        raise RulesError(
            f"{field} must be {' or '.join(names)}, or a whole number of frames; given {describe_value(value)}."
        )


def _list_keys(field: str, value: object, allowed: tuple[str, ...]) -> tuple[str, ...]:
    """Return a validated list of keys in the order of GAME_KEYS."""
    if isinstance(value, str):
        given = [] if value in ("", NO_KEYS) else value.split("+")
    elif isinstance(value, list | tuple | set | frozenset):
        given = list(value)
    else:
        raise RulesError(
            f"{field} must be a list of key names, or key names joined by + ({', '.join(allowed)}); given "
            f"{describe_value(value)}."
        )
    for key in given:
        if not isinstance(key, str) or key not in allowed:
            raise UnknownNameError("key", key, allowed)
    return tuple(key for key in allowed if key in given)


def _parse_option(item: str) -> tuple[str, Any]:
    field, equals, value = item.partition("=")
    if not equals:
        raise RulesError(f"A changed rule must have the form name=value, such as 'standard:height=14'; given '{item}'.")
    return field.strip(), _parse_value(value.strip())


def _parse_value(text: str) -> Any:
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    if re.fullmatch(r"-?\d{1,18}", text, re.ASCII):
        return int(text)
    return float(text) if re.fullmatch(r"\d{1,18}\.\d{1,18}", text, re.ASCII) else text


def _check_combinations(rules: Rules) -> None:
    """Raise an error if some rules exclude each other or need each other."""
    if rules.height + rules.hidden_rows > MAX_ROWS:
        raise RulesError(
            f"height + hidden_rows must be at most {MAX_ROWS}; given {rules.height} + {rules.hidden_rows}."
        )
    spawn_rows = rules.height + rules.spawn_height + ROTATION_SYSTEMS[rules.rotation].spawn_rows_above
    if spawn_rows > MOVEMENT_ROWS:
        raise RulesError(
            f"With height={rules.height}, spawn_height={rules.spawn_height} and rotation={rules.rotation}, pieces "
            f"would spawn in row {spawn_rows}; there are {MOVEMENT_ROWS} rows in which a piece can move. Use "
            f"spawn_height={rules.spawn_height - spawn_rows + MOVEMENT_ROWS}."
        )
    keys = get_rule_text(rules, "keys")
    if missing := [key for key in GAME_KEYS[:KEY_ROTATE_BACK] if key not in rules.keys]:
        raise RulesError(f"keys must contain left, right and rotate; given keys={keys}, without {missing[0]}.")
    if missing := [key for key in rules.lock_keys if key not in rules.keys]:
        raise RulesError(f"lock_keys must be a subset of keys; {missing[0]} is not in keys={keys}.")
    _check_half_turn_kicks(rules)
    _check_modern_rules(rules)
    _check_attack_and_garbage(rules)
    _check_real_time_rules(rules)
    if rules.movement in CLOCKED_MOVEMENTS and rules.lock_delay not in ("gravity", 0):
        raise RulesError(
            f"movement={rules.movement} requires lock_delay=gravity or lock_delay=0; given "
            f"lock_delay={rules.lock_delay}."
        )
    if rules.movement == "steered" and rules.gravity == 0:
        raise RulesError(
            "movement=steered requires gravity, because a piece falls three rows before its first key; given "
            "gravity=0. Use for example gravity=500, or movement=drop."
        )


def _check_modern_rules(rules: Rules) -> None:
    if rules.is_modern and rules.clearing != "standard":
        raise RulesError(
            f"clearing={rules.clearing} requires rules without hold, spins, attack, garbage, placement_frames and "
            f"scoring=guideline; given {_list_modern_rules(rules)}. Use clearing=standard, or rules such as gavrilov."
        )
    if rules.is_modern and (rules.movement in CLOCKED_MOVEMENTS or rules.randomiser == "adversary"):
        raise RulesError(
            "Hold, spins, attack, garbage, placement_frames and scoring=guideline require movement=drop or "
            "movement=reach, and a randomiser other than adversary; given "
            f"movement={rules.movement}, randomiser={rules.randomiser}."
        )
    if rules.spins != "none" and (
        rules.movement != "reach" or rules.rotation not in _SYSTEMS_WITH_HALF_TURN_KICKS or rules.lock_delay == 0
    ):
        raise RulesError(
            f"spins={rules.spins} requires movement=reach, rotation=srs or rotation=srs+, and a lock delay; given "
            f"movement={rules.movement}, rotation={rules.rotation}, lock_delay={rules.lock_delay}."
        )


def _list_modern_rules(rules: Rules) -> str:
    """Return the rules that make a game modern, as text."""
    usual = {"hold": 0, "spins": "none", "attack": "none", "garbage_rows": 0, "start_garbage": 0, "placement_frames": 0}
    used = [field for field, value in usual.items() if getattr(rules, field) != value]
    used += ["scoring"] if rules.scoring == "guideline" else []
    return ", ".join(f"{field}={get_rule_text(rules, field)}" for field in used)


def _check_attack_and_garbage(rules: Rules) -> None:
    used = [field for field in ATTACK_FIELDS if getattr(rules, field)]
    if used and rules.attack == "none":
        raise RulesError(
            f"{used[0]}={getattr(rules, used[0])} requires an attack profile; given attack=none. Use for example "
            f"attack=tetrio, or {used[0]}=0."
        )
    if rules.start_garbage >= rules.height:
        raise RulesError(
            f"start_garbage must be less than height={rules.height}, so that pieces have space; given "
            f"start_garbage={rules.start_garbage}."
        )
    timed = [field for field in ("garbage_interval_unit", "garbage_delay_unit") if getattr(rules, field) == "frames"]
    timed += ["attack_growth"] if rules.attack_growth else []
    if timed and rules.is_modern and rules.placement_frames == 0:
        raise RulesError(
            f"{timed[0]}={getattr(rules, timed[0])} requires placement_frames, the frames that a piece takes in "
            f"games by placements, which have no clock; given placement_frames=0. Use for example "
            f"placement_frames={round(rules.frames_per_second / 2)}, which is two pieces per second."
        )


def _check_real_time_rules(rules: Rules) -> None:
    if rules.lock_resets and rules.lock_delay in ("gravity", 0):
        raise RulesError(
            f"lock_resets={rules.lock_resets} requires a lock delay in frames, such as lock_delay=30; given "
            f"lock_delay={rules.lock_delay}."
        )
    if rules.initial_hold and not rules.hold:
        raise RulesError("initial_hold=1 requires hold=1; given hold=0. Use hold=1, or initial_hold=0.")


def _check_half_turn_kicks(rules: Rules) -> None:
    if rules.half_turn_kicks == "none":
        return
    if rules.rotation not in _SYSTEMS_WITH_HALF_TURN_KICKS:
        raise RulesError(
            f"half_turn_kicks={rules.half_turn_kicks} requires rotation="
            f"{' or rotation='.join(_SYSTEMS_WITH_HALF_TURN_KICKS)}; given rotation={rules.rotation}."
        )
    if GAME_KEYS[KEY_HALF_TURN] not in rules.keys:
        raise RulesError(
            f"half_turn_kicks={rules.half_turn_kicks} requires the key {GAME_KEYS[KEY_HALF_TURN]}; "
            f"given keys={get_rule_text(rules, 'keys')}."
        )
