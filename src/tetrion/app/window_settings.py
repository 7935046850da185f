"""What a person has chosen for the window, kept from one time to the next."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import pygame

from tetrion.app.user_folders import get_config_folder, rename_damaged_file
from tetrion.atomic_files import write_atomically
from tetrion.drawing.board_style import BoardStyle
from tetrion.engine.randomisers import MAX_SEED

_SETTINGS_FILE = "settings.json"
SCALE_CHOICES = ("auto", "75 %", "100 %", "125 %", "150 %")
MOTION_CHOICES = ("full", "reduced")
PALETTE_CHOICES = ("tetrion", "safe")
_MAX_VALUES = {"level": 29, "watch_seed": MAX_SEED}
_ALLOWED_VALUES = {"scale": SCALE_CHOICES, "motion": MOTION_CHOICES, "palette": PALETTE_CHOICES}

DEFAULT_KEYS = {  # what keys do in a game, by their names
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
    """Everything that the settings screen changes, and what was chosen last on other screens."""

    palette: str = "tetrion"
    marks: bool = False
    scale: str = "auto"
    motion: str = "full"
    ghost: bool = True
    grid: bool = True
    candidates: bool = True
    full_screen: bool = False
    sounds: float = 0.6  # how loud
    music: bool = True
    music_volume: float = 0.35
    keys: Mapping[str, str] = field(default_factory=lambda: dict(DEFAULT_KEYS))
    play_rules: str = "gavrilov"
    level: int = 0
    hint_agent: str = "dellacherie"
    watch_agent: str = "gavrilov"
    watch_rules: str = ""  # the agent's own
    watch_seed: int = 0

    @property
    def board_look(self) -> BoardStyle:
        """How boards look."""
        return BoardStyle(self.palette, self.marks, self.grid)

    @property
    def has_animation(self) -> bool:
        """Whether things move rather than appear."""
        return self.motion == "full"

    def with_changes(self, **changes: Any) -> "WindowSettings":
        """The same but for these."""
        return replace(self, **changes)


def get_settings_path() -> Path:
    """Where they are kept."""
    return get_config_folder() / _SETTINGS_FILE


def load_settings() -> tuple[WindowSettings, str]:
    """The settings that are kept, and what a person should know if they could not be read, else nothing."""
    path = get_settings_path()
    try:
        content = json.loads(path.read_text("utf-8"))
        if not isinstance(content, dict):
            raise ValueError("no settings")
    except FileNotFoundError:
        return WindowSettings(), ""
    except OSError as problem:
        return WindowSettings(), f"The settings cannot be read: {problem.strerror}. The usual ones hold."
    except ValueError:
        kept = rename_damaged_file(path)
        where = f" It is kept as {kept.name}." if kept else ""
        return WindowSettings(), f"The settings were damaged, so the usual ones hold.{where}"
    known = {each.name: each for each in fields(WindowSettings)}
    good = {name: parse_setting(name, value) for name, value in content.items() if name in known}
    wrong = [name for name, value in good.items() if value is None]
    told = f"Of the settings {', '.join(wrong)} could not be understood; the usual holds." if wrong else ""
    return WindowSettings(**{name: value for name, value in good.items() if value is not None}), told


def parse_setting(name: str, value: object) -> Any:
    """A value as the setting of that name takes it; None if it does not fit."""
    usual = getattr(WindowSettings(), name)
    if name == "keys":
        return parse_keys(value)
    if isinstance(usual, bool):
        return value if isinstance(value, bool) else None
    if isinstance(usual, float):
        return (
            float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1 else None
        )
    if isinstance(usual, int):
        most = _MAX_VALUES.get(name, 0)
        return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most else None
    if not isinstance(value, str) or (name in _ALLOWED_VALUES and value not in _ALLOWED_VALUES[name]):
        return None
    return value


def parse_keys(value: object) -> dict[str, str] | None:
    """Keys by action, those that are missing as usual; None if two actions share one or one is none."""
    if not isinstance(value, dict) or not all(isinstance(name, str) and name for name in value.values()):
        return None
    keys = {action: value.get(action, usual) for action, usual in DEFAULT_KEYS.items()}
    pygame.display.init()  # which knows the names of keys
    try:
        codes = {pygame.key.key_code(name) for name in keys.values()}
    except ValueError:
        return None
    return keys if len(codes) == len(keys) else None


def save_settings(settings: WindowSettings) -> str:
    """Keep settings; tells what a person should know if that failed, else nothing."""
    path = get_settings_path()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(path, (json.dumps(asdict(settings), indent=1) + "\n").encode())
    except OSError as problem:
        return f"The settings cannot be kept: {problem.strerror}."
    return ""
