"""The settings of the window and their file, settings.json."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import pygame

from tetrion.app.user_folders import get_config_folder, rename_damaged_file
from tetrion.atomic_files import write_atomically
from tetrion.drawing.board_style import BoardStyle
from tetrion.drawing.palette import PIECE_PALETTES
from tetrion.engine.randomisers import MAX_SEED

_SETTINGS_FILE = "settings.json"
SCALE_CHOICES = ("auto", "75 %", "100 %", "125 %", "150 %")
MOTION_CHOICES = ("full", "reduced")
PALETTE_CHOICES = tuple(PIECE_PALETTES)
_MAX_WINDOW_SIZE = 100_000  # pixels
_MAX_VALUES = {
    "level": 29,
    "watch_seed": MAX_SEED,
    "window_width": _MAX_WINDOW_SIZE,
    "window_height": _MAX_WINDOW_SIZE,
}
_ALLOWED_VALUES = {"scale": SCALE_CHOICES, "motion": MOTION_CHOICES, "palette": PALETTE_CHOICES}

DEFAULT_KEYS = {  # the key of each action in a game, as pygame names it
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
    keys: Mapping[str, str] = field(default_factory=lambda: dict(DEFAULT_KEYS))
    play_rules: str = "gavrilov"
    level: int = 0
    hint_agent: str = "dellacherie"
    watch_agent: str = "gavrilov"
    watch_rules: str = ""  # "" for the rules of the agent
    watch_seed: int = 0

    @property
    def board_style(self) -> BoardStyle:
        """The style of the boards."""
        return BoardStyle(self.palette, self.marks, self.grid)

    @property
    def has_animation(self) -> bool:
        """Whether motion is animated."""
        return self.motion == "full"

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
        content = json.loads(path.read_text("utf-8"))
        if not isinstance(content, dict):
            raise ValueError("not a JSON object")
    except FileNotFoundError:
        return WindowSettings(), ""
    except OSError as error:
        return WindowSettings(), f"The settings cannot be read: {error.strerror}. The defaults are used."
    except ValueError:
        renamed = rename_damaged_file(path)
        note = f" The old file was renamed to {renamed.name}." if renamed else ""
        return WindowSettings(), f"The settings file is damaged, so the defaults are used.{note}"
    field_names = {setting.name for setting in fields(WindowSettings)}
    parsed = {name: parse_setting(name, value) for name, value in content.items() if name in field_names}
    invalid = [name for name, value in parsed.items() if value is None]
    message = f"Invalid settings: {', '.join(invalid)}. Their defaults are used." if invalid else ""
    return WindowSettings(**{name: value for name, value in parsed.items() if value is not None}), message


def parse_setting(name: str, value: object) -> Any:
    """Convert a value of the settings file to the type of its setting; return None if it is invalid."""
    default = getattr(WindowSettings(), name)
    if name == "keys":
        return parse_keys(value)
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


def parse_keys(value: object) -> dict[str, str] | None:
    """Return the key of each action, with defaults for missing ones; None if a key is unknown or used twice."""
    if not isinstance(value, dict) or not all(isinstance(name, str) and name for name in value.values()):
        return None
    keys = {action: value.get(action, default) for action, default in DEFAULT_KEYS.items()}
    pygame.display.init()  # key names are only available after this
    try:
        codes = {pygame.key.key_code(name) for name in keys.values()}
    except ValueError:
        return None
    return keys if len(codes) == len(keys) else None


def save_settings(settings: WindowSettings) -> str:
    """Save the settings; return an error message if that failed, else ""."""
    path = get_settings_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (json.dumps(asdict(settings), indent=1) + "\n").encode())
    except OSError as error:
        return f"The settings cannot be saved: {error.strerror}."
    return ""
