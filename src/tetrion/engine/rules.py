"""The rules of a game as an immutable dataclass, with parsing, validation and conversion to an engine record."""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from tetrion.engine.attack import ATTACK_PROFILES
from tetrion.engine.bitboard import HANGING_CLEARING, MAX_ROWS, STANDARD_CLEARING
from tetrion.engine.piece_motion import KEY_DOWN, KEY_DROP, KEY_HALF_TURN, KEY_HOLD, KEY_ROTATE_BACK, MOVEMENT_ROWS
from tetrion.engine.presets import PRESETS
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

RULES_VERSION = 4  # version of the engine's behaviour; `Rules.behaviour_version` names the change that concerns a game

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
_HOLD_SUFFIX = f"+{GAME_KEYS[KEY_HOLD]}"  # of the keys of rules with hold: it is the last of GAME_KEYS

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
    "hold": (0, 1),
    "garbage_rows": (0, 20),
    "garbage_interval": (1, MAX_RULE_FRAMES),
    "garbage_delay": (0, MAX_RULE_FRAMES),
    "garbage_cap": (1, 20),
    "garbage_messiness": (0, 100),
    "start_garbage": (0, 20),
    "lock_resets": (0, 1000),
    "initial_rotation": (0, 1),
    "initial_hold": (0, 1),
    "garbage_clear_bonus": (0, 20),
    "opener_pieces": (0, 1000),
    "attack_growth": (0, 1000),
    "attack_growth_start": (0, MAX_RULE_FRAMES),
    "placement_frames": (0, MAX_RULE_FRAMES),
}
_VALUE_TYPES = (str, int, float, list, tuple, set, frozenset)
ON_OFF_FIELDS = tuple(field for field, limits in INTEGER_FIELDS.items() if limits == (0, 1))
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

KEY_LIST_FIELDS = ("keys", "lock_keys")  # fields with names of keys, joined by +

FORMER_FIELD_NAMES = {  # names used by earlier versions, which can still be read
    "hidden": "hidden_rows",
    "entry": "spawn_height",
    "lock": "lock_delay",
    "level": "start_level",
    "levels": "level_system",
    "over": "game_over",
    "frames": "frames_per_second",
    "entry_delay": "spawn_delay",
    "repeat_delay": "das",
    "repeat_every": "arr",
    "down_every": "soft_drop_interval",
    "thinking": "thinking_frames",
    "key_every": "frames_per_key",
}


@dataclass(frozen=True, init=False)
class Rules:
    """The rules of a game: board, pieces, movement, scoring, timing and the end of the game.

    docs/rules.md defines every field. The defaults are the preset `standard`, one-piece Tetris as used in research
    (MdpTetris): a piece is rotated, moved and dropped straight down; the game is over when no placement of the piece
    lies completely on the board; each line scores one point. `Rules("guideline", hold=False)` are the rules of another
    preset, with a change.
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
    keys: str = "left+right+rotate+back+down+drop"
    lock_keys: str = "drop"
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
    hold: int = 0
    spins: str = "none"
    spin_kick: str = "any"
    attack: str = "none"
    garbage_rows: int = 0
    garbage_interval: int = 10
    garbage_delay: int = 0
    garbage_cap: int = 8
    garbage_messiness: int = 0
    lock_resets: int = 0
    initial_rotation: int = 0
    initial_hold: int = 0
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

    def __init__(self, name: str = "standard", **changes: Any) -> None:
        """Take the rules of a preset and change some of them.

        Rules that are on or off take True and False, lists of keys take lists or names joined by +.
        """
        if not isinstance(name, str) or name not in PRESETS:
            has_options = isinstance(name, str) and ":" in name
            raise UnknownNameError("rules", name, PRESETS, listing=f"Use Rules.parse({name!r})." if has_options else "")
        defaults: dict[str, Any] = {field.name: field.default for field in fields(Rules)}
        for field, value in (defaults | PRESETS[name].rules | _complete_changes(changes) | {"name": name}).items():
            is_on_off = field in ON_OFF_FIELDS and isinstance(value, bool)
            object.__setattr__(self, field, int(value) if is_on_off else value)
        self._validate()

    def _validate(self) -> None:
        for field in INTEGER_FIELDS:
            _check_integer(field, getattr(self, field))
        for field, names in CHOICE_FIELDS.items():
            if getattr(self, field) not in list(names):
                raise UnknownNameError(field, getattr(self, field), names)
        for field, names in NAME_OR_FRAMES_FIELDS.items():
            _check_name_or_frames(field, getattr(self, field), names)
        if not _is_number(self.frames_per_second) or not 1 <= self.frames_per_second <= MAX_RULE_FRAMES:
            raise RulesError(
                f"frames_per_second must be a number from 1 to {MAX_RULE_FRAMES:,}; given {self.frames_per_second!r}."
            )
        Randomiser(self.randomiser)
        object.__setattr__(self, "keys", self._list_keys())
        object.__setattr__(
            self, "lock_keys", _join_keys("lock_keys", self.lock_keys, (GAME_KEYS[KEY_DOWN], GAME_KEYS[KEY_DROP]))
        )
        _check_combinations(self)

    def _list_keys(self) -> str:
        """Return the validated keys; the key for hold is there if and only if the rules have hold."""
        keys = _join_keys("keys", self.keys, GAME_KEYS).removesuffix(_HOLD_SUFFIX)
        return keys + _HOLD_SUFFIX if self.hold else keys

    @classmethod
    def from_preset(cls, name: str) -> Self:
        """Return the preset with this name."""
        return cls(name)

    @classmethod
    def parse(cls, text: str) -> Self:
        """Parse rules in command-line form: `standard`, or `standard:height=14,randomiser=bag`."""
        if not isinstance(text, str):
            raise RulesError(f"Rules must be text such as 'standard:height=14'; given {text!r}.")
        name, colon, options = text.partition(":")
        rules = cls.from_preset(name)
        return rules.replace(**dict(_parse_option(item) for item in options.split(","))) if colon else rules

    def replace(self, **changes: Any) -> Self:
        """Return a copy of these rules with some fields changed."""
        return replace(self, **_complete_changes(changes))

    def __str__(self) -> str:
        preset = Rules.from_preset(self.name)
        changed = [f.name for f in fields(self) if getattr(self, f.name) != getattr(preset, f.name)]
        if self.keys.removesuffix(_HOLD_SUFFIX) == preset.keys.removesuffix(_HOLD_SUFFIX):
            changed = [field for field in changed if field != "keys"]
        options = ",".join(f"{field}={getattr(self, field)}" for field in changed)
        return f"{self.name}:{options}" if options else self.name

    def __repr__(self) -> str:
        return f"Rules.parse({str(self)!r})"

    @property
    def rows(self) -> int:
        """The number of rows in which pieces may lock, including the hidden ones."""
        return self.height + self.hidden_rows

    @property
    def behaviour_version(self) -> int:
        """The RULES_VERSION that last changed games under these rules; results of one version are comparable.

        Version 3 changed the attack of Jstris and the spins of its preset, the delay of garbage in pieces, and hold
        where a piece that cannot spawn does not end the game. Version 4 changed real time without hold, spins, attack
        and garbage: `gravity=guideline` and `tetrio` can move a piece by several rows per frame.
        """
        if self.gravity in FINE_GRAVITIES and self.movement not in CLOCKED_MOVEMENTS and not self.is_modern:
            return 4
        is_jstris = "jstris" in (self.name, self.attack)
        waits_for_pieces = self.garbage_delay > 0 and self.garbage_delay_unit == "pieces"
        holds_unspawned_piece = self.hold == 1 and self.game_over not in ("entry", "lock-out")
        return 3 if is_jstris or waits_for_pieces or holds_unspawned_piece else 2

    @property
    def is_modern(self) -> bool:
        """Whether games need the full record: for hold, spins, attack, garbage, the guideline's score or a clock.

        The clock is that of games by placements (`placement_frames`).
        """
        return (
            self.hold == 1
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

    def to_record(self) -> RulesRecords:
        """Return the rules for the engine, as an array of one record."""
        rules = RulesRecord.make_array(1)
        record: Any = rules[0]
        for field in (*INTEGER_FIELDS, "rows"):
            if field != "hidden_rows":
                setattr(record, field, getattr(self, field))
        record.needs_full_games = self.is_modern
        record.movement, record.game_over = MOVEMENTS[self.movement], END_CONDITIONS[self.game_over]
        record.clearing = CLEARINGS[self.clearing]
        record.level_system = LEVEL_SYSTEMS[self.level_system]
        record.has_key[:] = [key in self.keys.split("+") for key in GAME_KEYS]
        record.key_locks[:] = [key in self.lock_keys.split("+") for key in GAME_KEYS]
        record.lock_delay = LOCK_BY_GRAVITY if self.lock_delay == "gravity" else int(self.lock_delay)
        record.spawn_delay = NES_SPAWN_DELAY if self.spawn_delay == "nes" else int(self.spawn_delay)
        record.arr = INSTANT_REPEAT if self.arr in REPEAT_NAMES else int(self.arr)
        record.soft_drop_interval = (
            INSTANT_REPEAT if self.soft_drop_interval in REPEAT_NAMES else int(self.soft_drop_interval)
        )
        self._write_gravity(record)
        SCORING_SYSTEMS[self.scoring].write_to(record)
        Randomiser(self.randomiser).write_to(record)
        ROTATION_SYSTEMS[self.rotation].write_to(record, self.half_turn_kicks)
        write_spin_rules(record, self.spins, self.spin_kick)
        if self.attack != "none":
            ATTACK_PROFILES[self.attack].write_to(record)
        record.garbage_interval_unit = _GARBAGE_UNITS[self.garbage_interval_unit]
        record.garbage_delay_unit = _GARBAGE_UNITS[self.garbage_delay_unit]
        record.garbage_blocking = _GARBAGE_BLOCKING[self.garbage_blocking]
        record.frames_per_1000_seconds = self._frames_per_1000_seconds
        return rules

    def _write_gravity(self, record: RulesRecord) -> None:
        record.gravity_system = GRAVITY_SYSTEMS.get(str(self.gravity), CONSTANT_GRAVITY)
        if isinstance(self.gravity, int):
            record.gravity = self.gravity
        elif self.gravity in FINE_GRAVITIES:
            record.gravity = self._frames_per_1000_seconds

    @property
    def _frames_per_1000_seconds(self) -> int:
        return round(1000 * self.frames_per_second)


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


def _complete_changes(changes: dict[str, Any]) -> dict[str, Any]:
    """Return changed rules with their present names, and what a change switches off with it."""
    changes = {FORMER_FIELD_NAMES.get(field, field): value for field, value in changes.items()}
    field_names = [field.name for field in fields(Rules) if field.name != "name"]
    for field, value in changes.items():
        if field not in field_names:
            raise UnknownNameError("rule", field, field_names)
        if not isinstance(value, _VALUE_TYPES):
            raise RulesError(f"{field} must be a number, a text or a list of names; given {describe_value(value)}.")
    if changes.get("hold") == 0:
        changes.setdefault("initial_hold", 0)
    if changes.get("attack") == "none":
        changes = dict.fromkeys(ATTACK_FIELDS, 0) | changes
    return changes


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return isinstance(value, int) or math.isfinite(value)


def _check_integer(field: str, value: object) -> None:
    minimum, maximum = INTEGER_FIELDS[field]
    if isinstance(value, bool) or not isinstance(value, int) or not minimum <= value <= maximum:
        if field in ON_OFF_FIELDS:
            raise RulesError(f"{field} must be 1 or 0 (True or False); given {value!r}.")
        raise RulesError(f"{field} must be a whole number from {minimum} to {maximum:,}; given {value!r}.")


def _check_name_or_frames(field: str, value: object, names: Iterable[str]) -> None:
    if (
        isinstance(value, bool)
        or (isinstance(value, int) and not 0 <= value <= MAX_RULE_FRAMES)
        or isinstance(value, float)
    ):
        raise RulesError(f"{field} must be a whole number of frames from 0 to {MAX_RULE_FRAMES:,}; given {value!r}.")
    if not isinstance(value, int) and value not in list(names):
        raise RulesError(f"{field} must be {' or '.join(names)}, or a whole number of frames; given {value!r}.")


def _join_keys(field: str, value: object, allowed: tuple[str, ...]) -> str:
    """Return a validated list of keys, joined by + in the order of GAME_KEYS."""
    if isinstance(value, str):
        given = [] if value in ("", "none") else value.split("+")
    elif isinstance(value, list | tuple | set | frozenset):
        given = list(value)
    else:
        raise RulesError(
            f"{field} must be a list of key names, or key names joined by + ({', '.join(allowed)}); given {value!r}."
        )
    for key in given:
        if not isinstance(key, str) or key not in allowed:
            raise UnknownNameError("key", key, allowed)
    return "+".join(key for key in allowed if key in given) or "none"


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
    keys = rules.keys.split("+")
    if missing := [key for key in GAME_KEYS[:KEY_ROTATE_BACK] if key not in keys]:
        raise RulesError(f"keys must contain left, right and rotate; given keys={rules.keys}, without {missing[0]}.")
    if missing := [key for key in rules.lock_keys.split("+") if key not in [*keys, "none"]]:
        raise RulesError(f"lock_keys must be a subset of keys; {missing[0]} is not in keys={rules.keys}.")
    _check_half_turn_kicks(rules, keys)
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
    return ", ".join(f"{field}={getattr(rules, field)}" for field in used)


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


def _check_half_turn_kicks(rules: Rules, keys: list[str]) -> None:
    if rules.half_turn_kicks == "none":
        return
    if rules.rotation not in _SYSTEMS_WITH_HALF_TURN_KICKS:
        raise RulesError(
            f"half_turn_kicks={rules.half_turn_kicks} requires rotation="
            f"{' or rotation='.join(_SYSTEMS_WITH_HALF_TURN_KICKS)}; given rotation={rules.rotation}."
        )
    if GAME_KEYS[KEY_HALF_TURN] not in keys:
        raise RulesError(
            f"half_turn_kicks={rules.half_turn_kicks} requires the key {GAME_KEYS[KEY_HALF_TURN]}; "
            f"given keys={rules.keys}."
        )
