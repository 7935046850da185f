"""Which rules can be combined; `Rules` checks the value of each single rule."""

from typing import TYPE_CHECKING

from tetrion.engine.bitboard import MAX_ROWS
from tetrion.engine.piece_motion import GAME_KEYS, KEY_HALF_TURN, KEY_ROTATE_BACK, MOVEMENT_ROWS
from tetrion.engine.rotation_systems import ROTATION_SYSTEMS
from tetrion.errors import RulesError

if TYPE_CHECKING:
    from tetrion.engine.rules import Rules

REAL_TIME_FIELDS = ("lock_resets", "initial_rotation", "initial_hold")  # of modern games
ATTACK_FIELDS = ("garbage_clear_bonus", "opener_pieces", "attack_growth")  # which change attack
REPEAT_NAMES = ("instant",)  # values of `arr` and `soft_drop_interval` that are no numbers
_SYSTEMS_WITH_HALF_TURN_KICKS = ("srs", "srs+")  # those with the states that the tables of kicks assume


def check_combinations(rules: "Rules") -> None:
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
    if rules.movement == "timed" and rules.lock_delay not in ("gravity", 0):
        raise RulesError(
            f"movement=timed requires lock_delay=gravity or lock_delay=0; given lock_delay={rules.lock_delay}."
        )


def _check_modern_rules(rules: "Rules") -> None:
    if rules.is_modern and (rules.movement == "timed" or rules.randomiser == "adversary"):
        raise RulesError(
            "Hold, spins, attack, garbage and scoring=guideline require movement=drop or movement=reach, and a "
            f"randomiser other than adversary; given movement={rules.movement}, randomiser={rules.randomiser}."
        )
    if rules.spins != "none" and (
        rules.movement != "reach" or rules.rotation not in _SYSTEMS_WITH_HALF_TURN_KICKS or rules.lock_delay == 0
    ):
        raise RulesError(
            f"spins={rules.spins} requires movement=reach, rotation=srs or rotation=srs+, and a lock delay; given "
            f"movement={rules.movement}, rotation={rules.rotation}, lock_delay={rules.lock_delay}."
        )


def _check_attack_and_garbage(rules: "Rules") -> None:
    used = [field for field in ATTACK_FIELDS if getattr(rules, field)]
    if used and rules.attack == "none":
        raise RulesError(
            f"{used[0]}={getattr(rules, used[0])} requires an attack profile; given attack=none. Use for example "
            f"attack=tetrio, or {used[0]}=0."
        )
    timed = [field for field in ("garbage_interval_unit", "garbage_delay_unit") if getattr(rules, field) == "frames"]
    timed += ["attack_growth"] if rules.attack_growth else []
    if timed and rules.is_modern and rules.placement_frames == 0:
        raise RulesError(
            f"{timed[0]}={getattr(rules, timed[0])} requires placement_frames, the frames that a piece takes in "
            f"games by placements, which have no clock; given placement_frames=0. Use for example "
            f"placement_frames={round(rules.frames_per_second / 2)}, which is two pieces per second."
        )


def _check_real_time_rules(rules: "Rules") -> None:
    instant = [field for field in ("arr", "soft_drop_interval") if getattr(rules, field) in REPEAT_NAMES]
    used = [*(field for field in (*REAL_TIME_FIELDS, "placement_frames") if getattr(rules, field)), *instant]
    if used and not rules.is_modern:
        raise RulesError(
            f"{used[0]}={getattr(rules, used[0])} requires hold, spins, attack, garbage or scoring=guideline. Use "
            f"for example {rules.name}:hold=1,{used[0]}={getattr(rules, used[0])}."
        )
    if rules.lock_resets and rules.lock_delay in ("gravity", 0):
        raise RulesError(
            f"lock_resets={rules.lock_resets} requires a lock delay in frames, such as lock_delay=30; given "
            f"lock_delay={rules.lock_delay}."
        )
    if rules.initial_hold and not rules.hold:
        raise RulesError("initial_hold=1 requires hold=1; given hold=0. Use hold=1, or initial_hold=0.")


def _check_half_turn_kicks(rules: "Rules", keys: list[str]) -> None:
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
