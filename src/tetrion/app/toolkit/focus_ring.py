"""The ring around the focused control, which moves from one control to the next."""

from dataclasses import dataclass

from tetrion.drawing.palette import ACCENT
from tetrion.drawing.pen import Box, Pen

_MOVE_SECONDS = 0.12
_RING_GAP = 2  # between a control and its ring


@dataclass
class FocusRing:
    """The position of the ring and the time since it started to move."""

    _start: Box | None = None
    _target: Box | None = None
    _age: float = _MOVE_SECONDS

    @property
    def is_moving(self) -> bool:
        """Whether the ring is on its way to another control."""
        return self._age < _MOVE_SECONDS

    def update(self, seconds: float) -> None:
        """Advance the movement by `seconds`."""
        self._age += seconds

    def draw(self, pen: Pen, box: Box | None, radius: float, has_animation: bool) -> None:
        """Draw the ring around the box of a control with rounded corners; no ring if the box is None."""
        if box is None:
            self._target = None
            return
        target = box.inflate(4 * _RING_GAP, 4 * _RING_GAP)
        if self._target != target:
            has_same_size = self._target is not None and self._target.size == target.size
            self._start = self._target if has_same_size else None
            self._target = target
            self._age = 0
        is_animated = has_animation and self._start is not None
        remaining = (1 - min(1.0, self._age / _MOVE_SECONDS)) ** 2 if is_animated else 0.0
        start = self._start or target
        ring = target.move(round((start.x - target.x) * remaining), round((start.y - target.y) * remaining))
        pen.draw_outline(ring, radius + 2 * _RING_GAP, ACCENT, 2)
