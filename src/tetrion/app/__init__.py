"""The window: screens for playing, watching agents and their training, and viewing replays."""

import os

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # before any module of this package imports pygame
