"""The settings of the window and their file, settings.json."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import pygame

from tetrion.app.gamepad import PAD_CODES
from tetrion.app.games.human_rules import (
    DEFAULT_PLAY_RULES,
    MAX_ARR_MILLISECONDS,
    MAX_DAS_MILLISECONDS,
    MAX_SOFT_DROP_MILLISECONDS,
    HumanControls,
    KeyBindings,
)
from tetrion.app.toolkit.ui import get_named_key_code
from tetrion.atomic_files import write_atomically
from tetrion.data_files import DataFileError, parse_json, read_data_file
from tetrion.drawing.palette import PIECE_PALETTES, BoardStyle
from tetrion.engine.randomisers import MAX_SEED
from tetrion.user_folders import describe_save_error, get_config_folder, rename_damaged_file

_SETTINGS_FILE = "settings.json"
AUTOMATIC_AGENT = "automatic"  # the agent of the hints is one for the rules
SCALE_CHOICES = ("auto", "75 %", "100 %", "125 %", "150 %")
MOTION_CHOICES = ("full", "reduced")
PALETTE_CHOICES = tuple(PIECE_PALETTES)
_MAX_WINDOW_SIZE = 100_000  # pixels
_MAX_VALUES = {
    "level": 29,
    "watch_seed": MAX_SEED,
    "das": MAX_DAS_MILLISECONDS,
    "arr": MAX_ARR_MILLISECONDS,
    "soft_drop": MAX_SOFT_DROP_MILLISECONDS,
    "window_width": _MAX_WINDOW_SIZE,
    "window_height": _MAX_WINDOW_SIZE,
}
_OPTIONAL_SWITCHES = ("initial_rotation", "initial_hold")  # None for the values of the rules
_ALLOWED_VALUES = {"scale": SCALE_CHOICES, "motion": MOTION_CHOICES, "palette": PALETTE_CHOICES}

DEFAULT_KEYS = {  # the keys of each action in a game as pygame names them, and buttons of a gamepad (PAD_LABELS)
    "left": ("left", "pad left"),
    "right": ("right", "pad right"),
    "rotate": ("up", "x", "pad a"),
    "back": ("z", "left ctrl", "pad b"),
    "half": ("a", "g", "pad x"),
    "down": ("down", "pad down"),
    "drop": ("space", "pad up"),
    "hold": ("c", "pad left shoulder"),
    "hint": ("h", "pad y"),
    "pause": ("p", "escape", "pad start"),
    "restart": ("r",),
}
_FORMER_DEFAULT_KEYS = {  # of versions with one key per action
    "left": "left",
    "right": "right",
    "rotate": "up",
    "back": "z",
    "down": "down",
    "drop": "space",
    "hint": "h",
    "pause": "p",
    "restart": "r",
}
_FORMER_DEFAULT_RULES = "gavrilov"  # of files without a version
_FILE_VERSION = 2
MAX_KEYS_PER_ACTION = 6


@dataclass(frozen=True)
class WindowSettings:
    """The values of the settings screen, and the last choices on other screens; the fields are the keys of the file."""

    palette: str = "tetrion"
    marks: bool = False
    scale: str = "auto"
    motion: str = "full"
    ghost: bool = True
    grid: bool = True
    candidates: bool = True
    full_screen: bool = False
    window_width: int = 0  # pixels, of the last window that was not maximised; 0 for the default size
    window_height: int = 0
    is_maximised: bool = False
    sounds: float = 0.6  # volume
    music: bool = True
    music_volume: float = 0.35
    keys: KeyBindings = field(default_factory=lambda: dict(DEFAULT_KEYS))
    das: int | None = None  # milliseconds; None for the values of the rules
    arr: int | None = None
    soft_drop: int | None = None  # milliseconds per row
    initial_rotation: bool | None = None
    initial_hold: bool | None = None
    play_rules: str = DEFAULT_PLAY_RULES
    level: int = 0
    hint_agent: str = AUTOMATIC_AGENT
    watch_agent: str = "gavrilov"
    watch_rules: str = ""  # "" for the rules of the agent
    watch_seed: int = 0  # the last one that was watched

    @property
    def board_style(self) -> BoardStyle:
        """The style of the boards."""
        return BoardStyle(self.palette, self.marks, self.grid)

    @property
    def has_animation(self) -> bool:
        """Whether motion is animated."""
        return self.motion == "full"

    @property
    def controls(self) -> HumanControls:
        """The keys and the handling of a human player."""
        return HumanControls(self.keys, self.das, self.arr, self.soft_drop, self.initial_rotation, self.initial_hold)

    def with_changes(self, **changes: Any) -> "WindowSettings":
        """Return a copy with some fields changed."""
        return replace(self, **changes)


def get_settings_path() -> Path:
    """Return the path of the settings file."""
    return get_config_folder() / _SETTINGS_FILE


def load_settings() -> tuple[WindowSettings, str]:
    """Return the saved settings, and an error message if some of them cannot be read, else ""."""
    path = get_settings_path()
    try:
        file_content = read_data_file(path)
    except FileNotFoundError:
        return WindowSettings(), ""
    except DataFileError as error:
        return WindowSettings(), f"The settings cannot be used: {error} The defaults are used."
    try:
        content = parse_json(file_content)
        if not isinstance(content, dict):
            raise DataFileError("the file is not a JSON object.")
    except DataFileError:
        renamed = rename_damaged_file(path)
        note = f" The old file was renamed to {renamed.name}." if renamed else ""
        return WindowSettings(), f"The settings file is damaged, so the defaults are used.{note}"
    field_names = {setting.name for setting in fields(WindowSettings)}
    if "version" not in content and content.get("play_rules") == _FORMER_DEFAULT_RULES:
        del content["play_rules"]  # it was stored whether it was chosen or not
    values = {name: value for name, value in content.items() if name in field_names and value is not None}
    parsed = {name: parse_setting(name, value) for name, value in values.items()}
    invalid = [name for name, value in parsed.items() if value is None]
    message = f"Invalid settings: {', '.join(invalid)}. Their defaults are used." if invalid else ""
    return WindowSettings(**{name: value for name, value in parsed.items() if value is not None}), message


def parse_setting(name: str, value: object) -> Any:
    """Convert a value of the settings file to the type of its setting; return None if it is invalid."""
    default = getattr(WindowSettings(), name)
    if name == "keys":
        return parse_keys(value)
    if default is None:
        default = False if name in _OPTIONAL_SWITCHES else 0
    if isinstance(default, bool):
        return value if isinstance(value, bool) else None
    if isinstance(default, float):
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None
        return float(value) if 0 <= value <= 1 else None
    if isinstance(default, int):
        max_value = _MAX_VALUES.get(name, 0)
        return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= max_value else None
    if not isinstance(value, str) or (name in _ALLOWED_VALUES and value not in _ALLOWED_VALUES[name]):
        return None
    return value


def parse_keys(value: object) -> dict[str, tuple[str, ...]] | None:
    """Return the keys of each action, with defaults for missing ones; None if a key is unknown or used twice.

    Files of earlier versions have one key per action, as text. Keys that were the default get the present defaults.
    """
    if not isinstance(value, dict):
        return None
    given = {action: parse_action_keys(value[action]) for action in DEFAULT_KEYS if action in value}
    if None in given.values():
        return None
    keys = {action: names or () for action, names in given.items()}
    chosen = [name for names in keys.values() for name in names]
    pygame.display.init()  # key names are only available after this
    try:
        codes = {get_named_key_code(name) for name in chosen}
    except ValueError:
        return None
    if len(codes) < len(chosen):
        return None
    return {action: keys.get(action, ()) + find_free_defaults(action, value, chosen) for action in DEFAULT_KEYS}


def parse_action_keys(value: object) -> tuple[str, ...] | None:
    """Return the keys of an action in the settings file, or None if they are not names."""
    names = (value,) if isinstance(value, str) else value
    if not isinstance(names, list | tuple) or not all(isinstance(name, str) and name for name in names):
        return None
    return tuple(names) if len(names) <= MAX_KEYS_PER_ACTION else None


def find_free_defaults(action: str, content: Mapping[str, object], chosen: Sequence[str]) -> tuple[str, ...]:
    """Return the default keys to add to an action of the settings file: those that are not chosen for any action.

    An action with a list of keys gets none. A single key of an earlier version gets the buttons of a gamepad and, if
    it was the default, also the other keys.
    """
    if isinstance(content.get(action), list | tuple):
        return ()
    is_chosen = action in content and content[action] != _FORMER_DEFAULT_KEYS.get(action)
    defaults = [name for name in DEFAULT_KEYS[action] if name in PAD_CODES or not is_chosen]
    return tuple(name for name in defaults if name not in chosen)


def get_main_key(names: Sequence[str], *, prefers_gamepad: bool = False) -> str:
    """Return the key of an action that is shown: the first one of the keyboard or gamepad, or "" without keys."""
    return next((name for name in names if (name in PAD_CODES) == prefers_gamepad), names[0] if names else "")


def save_settings(settings: WindowSettings) -> str:
    """Save the settings; return an error message if that failed, else ""."""
    path = get_settings_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (json.dumps({"version": _FILE_VERSION, **asdict(settings)}, indent=1) + "\n").encode())
    except OSError as error:
        return describe_save_error("The settings", path.parent, error)
    return ""
