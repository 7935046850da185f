"""What a person has chosen for the window, kept from one time to the next."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import pygame

from tetrion.app.folders import config_folder, set_aside
from tetrion.drawing.look import Look
from tetrion.engine.randomisers import LARGEST_SEED
from tetrion.files import write_whole

FILE = "settings.json"
SCALES = ("auto", "75 %", "100 %", "125 %", "150 %")
MOTIONS = ("full", "reduced")
PALETTES = ("tetrion", "safe")
LARGEST = {"level": 29, "watch_seed": LARGEST_SEED}
CHOICES = {"scale": SCALES, "motion": MOTIONS, "palette": PALETTES}

ACTIONS = {  # what keys do in a game, by their names
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
class Settings:
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
    keys: Mapping[str, str] = field(default_factory=lambda: dict(ACTIONS))
    play_rules: str = "gavrilov"
    level: int = 0
    hint_agent: str = "dellacherie"
    watch_agent: str = "gavrilov"
    watch_rules: str = ""  # the agent's own
    watch_seed: int = 0

    @property
    def look(self) -> Look:
        """How boards look."""
        return Look(self.palette, self.marks, self.grid)

    @property
    def moves(self) -> bool:
        """Whether things move rather than appear."""
        return self.motion == "full"

    def with_(self, **changes: Any) -> "Settings":
        """The same but for these."""
        return replace(self, **changes)


def settings_file() -> Path:
    """Where they are kept."""
    return config_folder() / FILE


def load_settings() -> tuple[Settings, str]:
    """The settings that are kept, and what a person should know if they could not be read, else nothing."""
    path = settings_file()
    try:
        content = json.loads(path.read_text("utf-8"))
        if not isinstance(content, dict):
            raise ValueError("no settings")
    except FileNotFoundError:
        return Settings(), ""
    except OSError as problem:
        return Settings(), f"The settings cannot be read: {problem.strerror}. The usual ones hold."
    except ValueError:
        kept = set_aside(path)
        where = f" It is kept as {kept.name}." if kept else ""
        return Settings(), f"The settings were damaged, so the usual ones hold.{where}"
    known = {each.name: each for each in fields(Settings)}
    good = {name: fitting(name, value) for name, value in content.items() if name in known}
    wrong = [name for name, value in good.items() if value is None]
    told = f"Of the settings {', '.join(wrong)} could not be understood; the usual holds." if wrong else ""
    return Settings(**{name: value for name, value in good.items() if value is not None}), told


def fitting(name: str, value: object) -> Any:
    """A value as the setting of that name takes it; None if it does not fit."""
    usual = getattr(Settings(), name)
    if name == "keys":
        return fitting_keys(value)
    if isinstance(usual, bool):
        return value if isinstance(value, bool) else None
    if isinstance(usual, float):
        return (
            float(value) if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1 else None
        )
    if isinstance(usual, int):
        most = LARGEST.get(name, 0)
        return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most else None
    if not isinstance(value, str) or (name in CHOICES and value not in CHOICES[name]):
        return None
    return value


def fitting_keys(value: object) -> dict[str, str] | None:
    """Keys by action, those that are missing as usual; None if two actions share one or one is none."""
    if not isinstance(value, dict) or not all(isinstance(name, str) and name for name in value.values()):
        return None
    keys = {action: value.get(action, usual) for action, usual in ACTIONS.items()}
    pygame.display.init()  # which knows the names of keys
    try:
        codes = {pygame.key.key_code(name) for name in keys.values()}
    except ValueError:
        return None
    return keys if len(codes) == len(keys) else None


def save_settings(settings: Settings) -> str:
    """Keep settings; tells what a person should know if that failed, else nothing."""
    path = settings_file()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, (json.dumps(asdict(settings), indent=1) + "\n").encode())
    except OSError as problem:
        return f"The settings cannot be kept: {problem.strerror}."
    return ""
