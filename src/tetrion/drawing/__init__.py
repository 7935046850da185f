"""Drawing of boards, pieces, text and charts on pygame surfaces; no display is needed. `palette` imports no pygame."""

import os

os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")  # must be set before pygame is imported
