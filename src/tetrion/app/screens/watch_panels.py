"""The panels around a board that is watched: numbers, keys, mode, reasons, and how high the stack stood."""

from tetrion.agents.data import SecondMode
from tetrion.app.games.seat import SLIDES_UP_TO, Seat
from tetrion.app.games.sprint import Thought
from tetrion.app.screens.game_panels import (
    HISTORY,
    Numbers,
    draw_heights,
    draw_keys,
    draw_mode,
    draw_next,
    draw_numbers,
    height_threshold,
    second_mode,
)
from tetrion.app.screens.watch_board import mode_of
from tetrion.app.toolkit.pictures import Pictures
from tetrion.drawing.palette import DIM, STRONG
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.thinking import draw_thinking

STRIP, CHART, BADGE = 76, 120, 112  # units
THINKING = 0.73  # of the height, over the chart
NEXT, SCORE, MODE = 104, 254, 132  # how high these panels are; the keys take the rest
LEAST_KEYS, LEAST_MODE = 104, 92
EVERY, PARTS = 6, 3  # frames between new numbers where they always change; parts that are drawn in turn


class Watched:
    """What is seen of a seat's game beside its board."""

    def __init__(self) -> None:
        self._parts, self._frame = Pictures(), 0
        self._numbers: Numbers | None = None
        self._next = ""
        self._heights: tuple[int, ...] = ()
        self._thought: Thought | None = None

    def update(self, seat: Seat) -> None:
        """Look at the game again: numbers at once, what takes longer to draw in the next frames.

        While moves are too fast to be followed, at most ten times a second.
        """
        self._frame += 1
        fast = seat.auto and seat.speed > SLIDES_UP_TO and not seat.game.over
        frames = EVERY if fast else PARTS
        turn, first = self._frame % frames, self._numbers is None
        if first or not fast or turn == 0:
            position = seat.position
            self._numbers, self._next = Numbers.of(seat, position.board), position.next
        if first or turn == frames // PARTS:
            self._heights = tuple(seat.follower.heights[-HISTORY:])
        if first or turn == 2 * frames // PARTS or self._thought is None:
            self._thought = seat.thought

    @property
    def seconds(self) -> float | None:
        """How long the thought that is seen took; None before the first."""
        return self._thought.decision.seconds if self._thought else None

    def draw_side(self, pen: Pen, box: Box, gap: int, seat: Seat, keys: bool) -> None:
        """A column left of the board; the keys and then the mode hide where there is no room for them."""
        numbers, second, coming = self._numbers, second_mode(seat.decider.agent), self._next
        if numbers is None:
            return
        top = Box(box.left, box.top, box.width, NEXT)
        self._parts.draw(pen, "next", top, coming, lambda pen, box: draw_next(pen, box, coming))
        below = Box(box.left, top.bottom + gap, box.width, box.bottom - top.bottom - gap)
        with_mode = second is not None and below.height >= SCORE + gap + LEAST_MODE
        mode_room = gap + min(MODE, below.height - SCORE - gap) if with_mode else 0
        with_keys = below.height - mode_room >= SCORE + gap + LEAST_KEYS
        high = below.height - mode_room if not with_keys else SCORE
        score = Box(below.left, below.top, below.width, high)
        self._parts.draw(pen, "score", score, numbers, lambda pen, box: draw_numbers(pen, box, numbers))
        if with_keys:
            place = Box(below.left, score.bottom + gap, below.width, below.height - high - gap - mode_room)
            decision, made = seat.decision_of_now if keys else None, seat.keys_pressed
            self._parts.draw(pen, "keys", place, (decision, made), lambda pen, box: draw_keys(pen, box, decision, made))
        if with_mode and second is not None:
            self._mode(pen, Box(below.left, below.bottom - mode_room + gap, below.width, mode_room - gap), second, seat)

    def _mode(self, pen: Pen, box: Box, second: SecondMode, seat: Seat) -> None:
        mode = mode_of(seat)
        self._parts.draw(pen, "mode", box, (mode, second), lambda pen, box: draw_mode(pen, box, second, mode))

    def draw_strip(self, pen: Pen, box: Box, seat: Seat) -> None:
        """The same in a line: score, lines, pieces, mode, next."""
        numbers, coming, mode, second = self._numbers, self._next, mode_of(seat), second_mode(seat.decider.agent)
        if numbers is not None:
            shows = numbers, coming, mode, second
            self._parts.draw(
                pen, "strip", box, shows, lambda pen, box: draw_strip(pen, box, numbers, coming, mode, second)
            )

    def draw_reasons(self, pen: Pen, box: Box, gap: int, wide: bool, seat: Seat, time: str | None) -> None:
        """What the agent thinks, over how high the stack was; only that without a `time` that the thinking took."""
        chart = box
        if time is not None:
            high = round(THINKING * box.height) - 3 if wide else box.height - gap - CHART
            place = Box(box.left, box.top, box.width, high)
            thought = self._thought
            waits = thought is None and (seat.thinking or seat.decider.agent is None)

            def draw(pen: Pen, box: Box) -> None:
                if waits:
                    draw_empty(pen, box, time)
                elif thought is None:
                    draw_thinking(pen, box, None, seat.follower.stack, time=time)
                else:
                    draw_thinking(pen, box, thought.decision.explanation, thought.stack, time=time)

            shows = thought, time, waits
            self._parts.draw(pen, "thinking", place, shows, draw)
            chart = Box(box.left, place.bottom + gap, box.width, box.height - high - gap)
        threshold, heights = height_threshold(second_mode(seat.decider.agent)), self._heights
        rows = seat.rules.height
        self._parts.draw(
            pen,
            "chart",
            chart,
            (heights, rows, threshold, wide),
            lambda pen, box: draw_heights(pen, box, heights, rows, threshold, not wide),
        )


def draw_empty(pen: Pen, box: Box, time: str) -> None:
    """The thinking panel before the first thought."""
    pen.panel(box)
    pen.text("Thinking", (box.left + 16, box.top + 26), 18, True, STRONG)
    pen.text(time, (box.right - 16, box.top + 26), 14, False, DIM, align=1)


def draw_strip(pen: Pen, box: Box, numbers: Numbers, coming: str, mode: str, second: SecondMode | None) -> None:
    """Numbers, mode and the next piece in a line; the mode hides where there is no room."""
    pen.panel(box)
    left, right = box.left + 16, box.right - 72
    badge = Box(right - BADGE - 8, box.centery - 16, BADGE, 32)
    end = badge.left if second is not None else right
    for number, (label, words) in enumerate([("Score", numbers.score), *numbers.rows]):
        wide = max(pen.width_of(label, 14), pen.width_of(words, 22, True))
        if left + wide > end - 8 and number > 2:
            break
        pen.text(label, (left, box.top + 24), 14, False, DIM)
        pen.text(words, (left, box.top + 52), 22, True, STRONG)
        left += max(68, 8 * -(-(wide + 24) // 8))
    if coming:
        pen.text("Next", (right + 28, box.top + 20), 14, False, DIM, align=0.5)
        pen.piece((right + 28, box.top + 48), 15, coming[0])
    if second is not None and mode and left <= badge.left + 16:
        pen.badge(badge, mode.capitalize(), bad=mode == second.names[1])
