"""The window: screens to play, to watch agents and their evolution, and to look at games again."""

import os

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # before any file of this room imports pygame
