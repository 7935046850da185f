"""stub until the merge"""

from typing import NamedTuple, Any

RENDER_MODES = ("rgb_array", "human", "ansi")


class GameView(NamedTuple):
    stack: Any
    falling: Any
    piece: str
    next: str
    pieces: int
    lines: int
    score: int
    is_over: bool


class GameRenderer:
    def __init__(self, rules: Any, render_mode: str, frames_per_second: float) -> None:
        self.mode = render_mode

    def render(self, view: GameView) -> Any:
        import numpy as np

        return {"ansi": "x", "human": None}.get(self.mode, np.zeros((10, 10, 3), np.uint8))

    def close(self) -> None: ...
