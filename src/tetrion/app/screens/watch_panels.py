"""The panels around a board that is watched: numbers, keys, mode, reasons, and how high the stack stood."""

from tetrion.agents.weighted_agent import SecondMode
from tetrion.app.games.agent_game import MAX_ANIMATED_SPEED, AgentGame
from tetrion.app.games.fast_play import ExplainedDecision
from tetrion.app.screens.game_panels import (
    HEIGHT_HISTORY_LENGTH,
    GameStatistics,
    draw_height_panel,
    draw_keys_panel,
    draw_mode_panel,
    draw_next_panel,
    draw_score_panel,
    get_height_threshold,
    get_second_mode,
)
from tetrion.app.screens.watch_board import get_current_mode
from tetrion.app.toolkit.surface_cache import SurfaceCache
from tetrion.drawing.palette import DIM_TEXT, STRONG_TEXT
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.thinking_panel import draw_thinking_panel

# units
WATCH_STRIP_HEIGHT = 76
_CHART_HEIGHT = 120
_BADGE_WIDTH = 112
_THINKING_HEIGHT_SHARE = 0.73  # of the height, over the chart
# how high these panels are; the keys take the rest
_NEXT_PANEL_HEIGHT = 104
_SCORE_PANEL_HEIGHT = 254
_MODE_PANEL_HEIGHT = 132
_MIN_KEYS_HEIGHT, _MIN_MODE_HEIGHT = 104, 92
_FAST_UPDATE_FRAMES, _UPDATE_PARTS = (
    6,
    3,
)  # frames between new numbers where they always change; parts that are drawn in turn


class WatchPanels:
    """What is seen of a seat's game beside its board."""

    def __init__(self) -> None:
        self._pictures = SurfaceCache()
        self._frame_count = 0
        self._statistics: GameStatistics | None = None
        self._next_pieces = ""
        self._heights: tuple[int, ...] = ()
        self._thought: ExplainedDecision | None = None

    def update(self, agent_game: AgentGame) -> None:
        """Look at the game again: numbers at once, what takes longer to draw in the next frames.

        While moves are too fast to be followed, at most ten times a second.
        """
        self._frame_count += 1
        fast = agent_game.autoplay and agent_game.speed > MAX_ANIMATED_SPEED and not agent_game.game.is_over
        frames = _FAST_UPDATE_FRAMES if fast else _UPDATE_PARTS
        turn, first = self._frame_count % frames, self._statistics is None
        if first or not fast or turn == 0:
            position = agent_game.position
            self._statistics = GameStatistics.from_game(agent_game, position.board)
            self._next_pieces = position.next
        if first or turn == frames // _UPDATE_PARTS:
            self._heights = tuple(agent_game.tracker.heights[-HEIGHT_HISTORY_LENGTH:])
        if first or turn == 2 * frames // _UPDATE_PARTS or self._thought is None:
            self._thought = agent_game.last_explained

    @property
    def thinking_seconds(self) -> float | None:
        """How long the thought that is seen took; None before the first."""
        return self._thought.decision.seconds if self._thought else None

    def draw_side_column(self, pen: Pen, box: Box, gap: int, agent_game: AgentGame, show_keys: bool) -> None:
        """A column left of the board; the keys and then the mode hide where there is no room for them."""
        numbers = self._statistics
        second = get_second_mode(agent_game.background_agent.agent)
        coming = self._next_pieces
        if numbers is None:
            return
        top = Box(box.left, box.top, box.width, _NEXT_PANEL_HEIGHT)
        self._pictures.draw(pen, "next", top, coming, lambda pen, box: draw_next_panel(pen, box, coming))
        below = Box(box.left, top.bottom + gap, box.width, box.bottom - top.bottom - gap)
        with_mode = second is not None and below.height >= _SCORE_PANEL_HEIGHT + gap + _MIN_MODE_HEIGHT
        mode_room = gap + min(_MODE_PANEL_HEIGHT, below.height - _SCORE_PANEL_HEIGHT - gap) if with_mode else 0
        with_keys = below.height - mode_room >= _SCORE_PANEL_HEIGHT + gap + _MIN_KEYS_HEIGHT
        high = below.height - mode_room if not with_keys else _SCORE_PANEL_HEIGHT
        score = Box(below.left, below.top, below.width, high)
        self._pictures.draw(pen, "score", score, numbers, lambda pen, box: draw_score_panel(pen, box, numbers))
        if with_keys:
            place = Box(below.left, score.bottom + gap, below.width, below.height - high - gap - mode_room)
            decision, made = agent_game.current_decision if show_keys else None, agent_game.keys_pressed
            self._pictures.draw(
                pen, "keys", place, (decision, made), lambda pen, box: draw_keys_panel(pen, box, decision, made)
            )
        if with_mode and second is not None:
            self._draw_mode(
                pen, Box(below.left, below.bottom - mode_room + gap, below.width, mode_room - gap), second, agent_game
            )

    def _draw_mode(self, pen: Pen, box: Box, second: SecondMode, agent_game: AgentGame) -> None:
        mode = get_current_mode(agent_game)
        self._pictures.draw(pen, "mode", box, (mode, second), lambda pen, box: draw_mode_panel(pen, box, second, mode))

    def draw_strip(self, pen: Pen, box: Box, agent_game: AgentGame) -> None:
        """The same in a line: score, lines, pieces, mode, next."""
        numbers = self._statistics
        coming = self._next_pieces
        mode = get_current_mode(agent_game)
        second = get_second_mode(agent_game.background_agent.agent)
        if numbers is not None:
            shows = numbers, coming, mode, second
            self._pictures.draw(
                pen, "strip", box, shows, lambda pen, box: draw_watch_strip(pen, box, numbers, coming, mode, second)
            )

    def draw_thinking_and_heights(
        self, pen: Pen, box: Box, gap: int, wide: bool, agent_game: AgentGame, thinking_time: str | None
    ) -> None:
        """What the agent thinks, over how high the stack was; only that without a `time` that the thinking took."""
        chart = box
        if thinking_time is not None:
            high = round(_THINKING_HEIGHT_SHARE * box.height) - 3 if wide else box.height - gap - _CHART_HEIGHT
            place = Box(box.left, box.top, box.width, high)
            thought = self._thought
            waits = thought is None and (agent_game.is_thinking or agent_game.background_agent.agent is None)

            def draw(pen: Pen, box: Box) -> None:
                if waits:
                    draw_empty_thinking(pen, box, thinking_time)
                elif thought is None:
                    draw_thinking_panel(pen, box, None, agent_game.tracker.stack, time_text=thinking_time)
                else:
                    draw_thinking_panel(pen, box, thought.decision.explanation, thought.stack, time_text=thinking_time)

            shows = thought, thinking_time, waits
            self._pictures.draw(pen, "thinking", place, shows, draw)
            chart = Box(box.left, place.bottom + gap, box.width, box.height - high - gap)
        threshold, heights = get_height_threshold(get_second_mode(agent_game.background_agent.agent)), self._heights
        rows = agent_game.rules.height
        self._pictures.draw(
            pen,
            "chart",
            chart,
            (heights, rows, threshold, wide),
            lambda pen, box: draw_height_panel(pen, box, heights, rows, threshold, not wide),
        )


def draw_empty_thinking(pen: Pen, box: Box, thinking_time: str) -> None:
    """The thinking panel before the first thought."""
    pen.draw_panel(box)
    pen.draw_text("Thinking", (box.left + 16, box.top + 26), 18, True, STRONG_TEXT)
    pen.draw_text(thinking_time, (box.right - 16, box.top + 26), 14, False, DIM_TEXT, align=1)


def draw_watch_strip(
    pen: Pen, box: Box, statistics: GameStatistics, next_pieces: str, mode: str, second: SecondMode | None
) -> None:
    """Numbers, mode and the next piece in a line; the mode hides where there is no room."""
    pen.draw_panel(box)
    left, right = box.left + 16, box.right - 72
    badge = Box(right - _BADGE_WIDTH - 8, box.centery - 16, _BADGE_WIDTH, 32)
    end = badge.left if second is not None else right
    for number, (label, words) in enumerate([("Score", statistics.score), *statistics.labelled_rows]):
        wide = max(pen.measure_text(label, 14), pen.measure_text(words, 22, True))
        if left + wide > end - 8 and number > 2:
            break
        pen.draw_text(label, (left, box.top + 24), 14, False, DIM_TEXT)
        pen.draw_text(words, (left, box.top + 52), 22, True, STRONG_TEXT)
        left += max(68, 8 * -(-(wide + 24) // 8))
    if next_pieces:
        pen.draw_text("Next", (right + 28, box.top + 20), 14, False, DIM_TEXT, align=0.5)
        pen.draw_piece((right + 28, box.top + 48), 15, next_pieces[0])
    if second is not None and mode and left <= badge.left + 16:
        pen.draw_badge(badge, mode.capitalize(), is_negative=mode == second.names[1])
