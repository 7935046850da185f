"""The options of an environment, checked."""

import inspect
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.episodes import DROP_ACTIONS, MAX_PLACEMENT_ACTIONS, REWARD_KINDS
from tetrion.engine.feature_registry import BOARD_FEATURE, FEATURES
from tetrion.engine.features.attack_features import ATTACK_FEATURES
from tetrion.engine.observations import STATE_NAMES
from tetrion.engine.records import GameColumn
from tetrion.engine.rules import MAX_RULE_FRAMES, Rules
from tetrion.errors import TetrionError, UnknownNameError, UnknownOptionError, describe_value
from tetrion.position import parse_rules

if TYPE_CHECKING:
    from tetrion.envs.game_batch import Transition

OBSERVATIONS = ("planes", "columns", "features", "dict")
RENDER_MODES = ("rgb_array", "human", "ansi")
ILLEGAL_ACTIONS = ("ignore", "terminate", "error")
DEFAULT_MAX_PLACEMENTS = 128
DEFAULT_MAX_MODERN_PLACEMENTS = 256  # of two pieces, because of hold
TOTALS: tuple[GameColumn, ...] = ("pieces", "lines", "score")  # of a game, shown in `info`
MODERN_TOTALS: tuple[GameColumn, ...] = (
    "attack",
    "sent",
    "received",
    "perfect_clears",
)  # also these under modern rules
MAX_EPISODE_STEPS = 10**12
NO_STEP_LIMIT = -1  # as in `gymnasium.make`
VECTOR_OPTIONS = ("num_envs", "copy", "autoreset_mode")
SPECIAL_OPTIONS = {  # options that not all environments have
    "frames_per_step": "tetrion/Keys-v0",
    "max_placements": "tetrion/Placement-v0 and tetrion/Afterstates-v0",
    **dict.fromkeys(VECTOR_OPTIONS, "vector environments, which gymnasium.make_vec creates"),
}

BOARD_FEATURE_NAMES = tuple(name for name, feature in FEATURES.items() if feature.kind == BOARD_FEATURE)
BOARD_DEFAULT_FEATURES = (
    *(f"height_{column}" for column in range(1, 11)),
    *("row_transitions", "column_transitions", "holes", "wells", "hole_depth", "rows_with_holes"),
)
PLACEMENT_FEATURE_NAMES = (*FEATURES, *ATTACK_FEATURES)
AFTERSTATE_DEFAULT_FEATURES = tuple(FEATURES)[:8]  # those of Dellacherie and of the agent `du`


class GameParts(NamedTuple):
    """The parts of actions, observations and information that depend on whether the rules are modern."""

    has_attack: bool  # attack, spins, combos and back-to-back are counted, and `info` also has the last spin
    max_placements: int  # default number of actions if each is a placement
    counters: tuple[GameColumn, ...]  # of a game, in `info`
    states: tuple[str, ...]  # in observations, beside the board and the pieces: some of STATE_NAMES


def get_game_parts(rules: Rules) -> GameParts:
    """Return the parts that games under these rules have."""
    if not rules.is_modern:
        return GameParts(False, DEFAULT_MAX_PLACEMENTS, TOTALS, ())
    counters: tuple[GameColumn, ...] = (*TOTALS, *MODERN_TOTALS, "combo", "back_to_back")
    unused = (() if rules.hold else ("hold", "can_hold")) + (() if rules.garbage_rows else ("garbage", "garbage_due"))
    states = tuple(name for name in STATE_NAMES if name not in unused)
    return GameParts(True, DEFAULT_MAX_MODERN_PLACEMENTS, counters, states)


@dataclass(frozen=True)
class EnvOptions:
    """The options of an environment, checked."""

    rules: Rules
    parts: GameParts  # that the rules have
    observation: str
    features: tuple[str, ...]
    reward: "str | Callable[[Transition], Any]"
    illegal_action: str
    max_actions: int
    max_steps: int
    frames_per_step: int
    render_mode: str | None


def get_default_options(environment: type[Any]) -> dict[str, Any]:
    """Return the options of an environment, which are the keywords of its constructor, and their defaults."""
    parameters = inspect.signature(environment).parameters.values()
    return {part.name: part.default for part in parameters if part.kind is inspect.Parameter.KEYWORD_ONLY}


def collect_options(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the options among the local variables of a constructor, together with its unknown keywords."""
    others = ("self", "unknown", "__class__")
    known = {name: value for name, value in arguments.items() if name not in others}
    return {**known, **arguments["unknown"]}


def merge_options(environment: type[Any], given: dict[str, Any], others: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return all options of an environment: the given ones and the defaults of the others.

    `others` are further names that are known, such as `num_envs`.
    """
    defaults = get_default_options(environment)
    for name in given:
        if name not in defaults:
            _raise_unknown_option(name, [*defaults, *others])
    return defaults | given


def _raise_unknown_option(name: str, known: Iterable[str]) -> None:
    """Raise an error for an unknown option.

    It contains the words of Python's own error: TorchRL passes `frameskip` and omits it if it finds them.
    """
    if name in SPECIAL_OPTIONS:
        message = f"{name} is an option of {SPECIAL_OPTIONS[name]}. Omit it."
    else:
        message = str(UnknownNameError("option", name, known))
    raise UnknownOptionError(f"{message} (unexpected keyword argument '{name}')")


def make_env_options(
    values: dict[str, Any],
    *,
    default_features: tuple[str, ...] = BOARD_DEFAULT_FEATURES,
    known_features: tuple[str, ...] = BOARD_FEATURE_NAMES,
    with_features: tuple[str, ...] = ("features",),
) -> EnvOptions:
    """Check the options of an environment; a wrong one raises an error that names the closest correct value.

    `with_features` are the kinds of observations that contain features.
    """
    if not isinstance(values["rules"], Rules | str):
        raise TetrionError(
            f"rules must be a name such as 'standard', or Rules; given {describe_value(values['rules'])}."
        )
    rules = parse_rules(values["rules"])
    parts = get_game_parts(rules)
    reward = values["reward"]
    if not callable(reward):
        _check_reward(reward, rules)
    _check_name("observation", values["observation"], OBSERVATIONS)
    if values["render_mode"] is not None:
        _check_name("render mode", values["render_mode"], RENDER_MODES)
    _check_name("illegal_action", values["illegal_action"], ILLEGAL_ACTIONS)
    features = _parse_features(values["features"], default_features, known_features)
    if not parts.has_attack and (unusable := [name for name in features if name in ATTACK_FEATURES]):
        raise TetrionError(
            f"The feature '{unusable[0]}' is for modern rules, such as guideline; given {rules}. Use other rules or "
            "another feature."
        )
    if values["features"] is not None and values["observation"] not in with_features:
        raise TetrionError(
            f"features is for observation={' or '.join(map(repr, with_features))}; given "
            f"observation={values['observation']!r}. Change one of them."
        )
    frames = values.get("frames_per_step")
    return EnvOptions(
        rules,
        parts,
        values["observation"],
        features,
        reward,
        values["illegal_action"],
        _count_placement_actions(rules, parts, values.get("max_placements")),
        _parse_max_steps(values["max_episode_steps"]),
        rules.frames_per_key if frames is None else check_whole_number("frames_per_step", frames, MAX_RULE_FRAMES),
        values["render_mode"],
    )


def check_options_known(unknown: Iterable[str], known: Iterable[str]) -> None:
    """Raise an error for the first unknown option."""
    for name in unknown:
        raise UnknownNameError("option", name, known)


def _check_reward(reward: object, rules: Rules) -> None:
    _check_name("reward", reward, REWARD_KINDS)
    if reward == "attack" and rules.attack == "none":
        raise TetrionError(
            "reward='attack' needs rules with attack, such as 'guideline' or 'standard:attack=guideline'; given "
            f"{rules}."
        )


def _parse_features(given: Sequence[str] | None, default: tuple[str, ...], known: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of features, checked; without any, the default ones."""
    if given is None:
        return default
    if isinstance(given, str) or not isinstance(given, Sequence) or not given:
        raise TetrionError(
            f"features must be a list of names such as ['holes', 'wells']; given {describe_value(given)}."
        )
    for name in given:
        if isinstance(name, str) and name in PLACEMENT_FEATURE_NAMES and name not in known:
            raise TetrionError(
                f"The feature '{name}' belongs to a placement. Without afterstates, use features of a board, such as "
                "'holes'."
            )
        _check_name("feature", name, known)
    if len(set(given)) < len(given):
        raise TetrionError(f"features must not contain a name twice; given {describe_value(list(given))}.")
    return tuple(given)


def _count_placement_actions(rules: Rules, parts: GameParts, max_placements: int | None) -> int:
    """Return the number of actions of an environment whose actions are placements."""
    if rules.movement == "drop":
        if max_placements is not None:
            raise TetrionError(
                f"max_placements is for rules whose movement is not drop; under {rules} an action is "
                "rotation × 10 + column. Omit max_placements."
            )
        return DROP_ACTIONS * (1 + rules.hold)
    if max_placements is None:
        return parts.max_placements
    return check_whole_number("max_placements", max_placements, MAX_PLACEMENT_ACTIONS)


def _parse_max_steps(max_episode_steps: int | None) -> int:
    """Return the largest number of steps of an episode."""
    is_number = isinstance(max_episode_steps, int | np.integer)
    if max_episode_steps is None or (is_number and max_episode_steps == NO_STEP_LIMIT):
        return UNLIMITED
    return check_whole_number("max_episode_steps", max_episode_steps, MAX_EPISODE_STEPS, remedy="Or −1: no limit.")


def check_whole_number(name: str, value: object, maximum: int, *, minimum: int = 1, remedy: str = "") -> int:
    """Return a number of Python or NumPy as an int, or raise an error if it is not whole or out of range."""
    if isinstance(value, int | np.integer) and not isinstance(value, bool) and minimum <= value <= maximum:
        return int(value)
    message = f"{name} must be a whole number from {minimum} to {maximum:,}; given {describe_value(value)}."
    raise TetrionError(" ".join(filter(None, [message, remedy])))


def _check_name(kind: str, name: object, known: Iterable[str]) -> None:
    if not isinstance(name, str) or name not in list(known):
        raise UnknownNameError(kind, name, known)
