"""Boards, pieces and text drawn on a surface; needs no display. The palette is plain text and loads nothing."""

import os

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # before any file of this room imports pygame
