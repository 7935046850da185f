"""The settings of the window and their file, settings.json."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from tetrion.app.games.human_rules import DEFAULT_PLAY_RULES, HumanControls, KeyBindings
from tetrion.atomic_files import write_atomically
from tetrion.data_files import DataFileError, parse_json, read_data_file
from tetrion.drawing.palette import PIECE_PALETTES, BoardStyle
from tetrion.engine.randomisers import MAX_SEED
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.user_folders import describe_save_error, get_config_folder, rename_damaged_file

AUTOMATIC_AGENT = "automatic"  # the agent of the hints is one for the rules
ALLOWED_VALUES = {
    "palette": tuple(PIECE_PALETTES),
    "scale": ("auto", "75 %", "100 %", "125 %", "150 %"),
    "motion": ("full", "reduced"),
}
MAX_VALUES = {  # of whole numbers, which are at least 0
    "watch_seed": MAX_SEED,
    "das": 500,  # milliseconds
    "arr": 200,
    "soft_drop": 200,
    "window_width": 100_000,
    "window_height": 100_000,
}

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
MAX_KEYS_PER_ACTION = 6
_MAX_KEY_LENGTH = 30  # characters of the name of a key


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
    play_mode: str = "marathon"
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


def get_settings_path() -> Path:
    """Return the path of the settings file."""
    return get_config_folder() / "settings.json"


def load_settings(*, knows_keys: bool = True) -> tuple[WindowSettings, str]:
    """Return the saved settings, and an error message if some of them cannot be read, else "".

    Without `knows_keys`, the names of keys are not checked, which needs pygame and its display.
    """
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
        note = f" and was renamed to {renamed.name}" if renamed else ""
        return WindowSettings(), f"The settings file is damaged{note}. The defaults are used."
    field_names = {setting.name for setting in fields(WindowSettings)}
    values = {name: value for name, value in content.items() if name in field_names and value is not None}
    parsed = {name: parse_setting(name, value, knows_keys=knows_keys) for name, value in values.items()}
    invalid = [name for name, value in parsed.items() if value is None]
    message = f"Invalid settings: {', '.join(invalid)}. Their defaults are used." if invalid else ""
    return WindowSettings(**{name: value for name, value in parsed.items() if value is not None}), message


def parse_setting(name: str, value: Any, *, knows_keys: bool = True) -> Any:
    """Convert a value of the settings file to the type of its setting; return None if it is invalid."""
    if name == "keys":
        return parse_keys(value, knows_keys=knows_keys)
    default = getattr(WindowSettings(), name)
    if name == "play_rules":
        is_valid = isinstance(value, str) and is_rules_text(value)
    elif name in ALLOWED_VALUES:
        is_valid = value in ALLOWED_VALUES[name]
    elif name in MAX_VALUES:
        is_valid = type(value) is int and 0 <= value <= MAX_VALUES[name]
    elif isinstance(default, float):
        is_valid = type(value) in (int, float) and 0 <= value <= 1
    else:
        is_valid = isinstance(value, bool if default is None else type(default))
    return value if is_valid else None


def is_rules_text(text: str) -> bool:
    """Return whether a text describes rules."""
    try:
        Rules.parse(text)
    except TetrionError:
        return False
    return True


def parse_keys(value: object, *, knows_keys: bool = True) -> dict[str, tuple[str, ...]] | None:
    """Return the keys of each action, with defaults for missing ones; None if a key is unknown or used twice."""
    if not isinstance(value, dict):
        return None
    keys = {action: value[action] for action in DEFAULT_KEYS if action in value}
    for names in keys.values():
        if not isinstance(names, list) or len(names) > MAX_KEYS_PER_ACTION:
            return None
    chosen = [name for names in keys.values() for name in names]
    if not all(isinstance(name, str) and name.isprintable() and len(name) <= _MAX_KEY_LENGTH for name in chosen):
        return None
    try:
        codes = get_key_codes(chosen) if knows_keys else set(chosen)
    except ValueError:  # an unknown name
        return None
    if len(codes) < len(chosen):
        return None
    free_defaults = {action: [name for name in names if name not in chosen] for action, names in DEFAULT_KEYS.items()}
    return {action: tuple(names) for action, names in (free_defaults | keys).items()}


def get_key_codes(names: Sequence[str]) -> set[int]:
    """Return the codes of keys and buttons; raise ValueError for an unknown name."""
    import pygame

    from tetrion.app.toolkit.ui import get_named_key_code

    pygame.display.init()  # key names are only available after this
    return {get_named_key_code(name) for name in names}


def get_main_key(names: Sequence[str], *, prefers_gamepad: bool = False) -> str:
    """Return the key of an action that is shown: the first one of the keyboard or gamepad, or "" without keys."""
    is_pad = {name: name.startswith("pad ") for name in names}
    return next((name for name in names if is_pad[name] == prefers_gamepad), names[0] if names else "")


def save_settings(settings: WindowSettings) -> str:
    """Save the settings; return an error message if that failed, else ""."""
    path = get_settings_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (json.dumps({"version": 1, **asdict(settings)}, indent=1) + "\n").encode())
    except OSError as error:
        return describe_save_error("The settings", path.parent, error)
    return ""
