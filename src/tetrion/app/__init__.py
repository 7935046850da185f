"""The window: screens, keys and mouse, music and sounds."""

import os

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # before any file of this room imports pygame
