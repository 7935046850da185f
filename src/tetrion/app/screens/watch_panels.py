"""Panels of the watch screen: statistics, keys, mode, thinking, stack height."""

from tetrion.agents.weighted_agent import SecondMode
from tetrion.app.games.agent_game import MAX_ANIMATED_SPEED, AgentGame
from tetrion.app.games.fast_play import ExplainedDecision
from tetrion.app.screens.game_panels import (
    GameStatistics,
    draw_keys_panel,
    draw_mode_panel,
    draw_pieces_column,
    get_height_threshold,
    get_second_mode,
)
from tetrion.app.toolkit.surface_cache import SurfaceCache
from tetrion.drawing.game_facts import VisiblePieces
from tetrion.drawing.line_charts import draw_stack_heights
from tetrion.drawing.palette import DIM_TEXT, STRONG_TEXT
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.side_panels import (
    compute_piece_strip_width,
    draw_figures_row,
    draw_piece_strip,
    draw_score_panel,
)
from tetrion.drawing.thinking_panel import draw_thinking_panel

WATCH_STRIP_HEIGHT = 76
_CHART_HEIGHT = 120
_BADGE_PADDING = 30 + 14  # around the name of a mode
_HEIGHT_HISTORY_LENGTH = 120  # pieces
_THINKING_HEIGHT_SHARE = 0.73  # of the height next to the board; the chart takes the rest
_NEXT_PANEL_HEIGHT = 104
_SCORE_PANEL_HEIGHT = 254
_MODE_PANEL_HEIGHT = 132
_MIN_KEYS_HEIGHT = 104  # below these heights, the panels are hidden
_MIN_MODE_HEIGHT = 92
_FAST_UPDATE_FRAMES = 6  # frames between updates at high speed, so that numbers stay readable
_UPDATE_PARTS = 3  # the panels are updated in turn, one part per frame


class WatchPanels:
    """Panels next to the board of an agent's game."""

    def __init__(self) -> None:
        self._pictures = SurfaceCache()
        self._frame_count = 0
        self._statistics: GameStatistics | None = None
        self._pieces = VisiblePieces()
        self._mode = ""
        self._heights: tuple[int, ...] = ()
        self._explained: ExplainedDecision | None = None

    def update(self, agent_game: AgentGame) -> None:
        """Read the game again: statistics immediately, slower panels in the next frames.

        At high speed, the panels are updated at most ten times per second.
        """
        self._frame_count += 1
        is_fast = agent_game.autoplay and agent_game.speed > MAX_ANIMATED_SPEED and not agent_game.game.is_over
        frames = _FAST_UPDATE_FRAMES if is_fast else _UPDATE_PARTS
        phase, is_first = self._frame_count % frames, self._statistics is None
        if is_first or not is_fast or phase == 0:
            position = agent_game.position
            self._statistics = GameStatistics.from_game(agent_game, position.board)
            active = agent_game.active_piece if not agent_game.is_fast_playing else None
            self._pieces = VisiblePieces.from_position(position, active)
            self._mode = agent_game.mode
        if is_first or phase == frames // _UPDATE_PARTS:
            self._heights = tuple(agent_game.tracker.heights[-_HEIGHT_HISTORY_LENGTH:])
        if is_first or phase == 2 * frames // _UPDATE_PARTS or self._explained is None:
            self._explained = agent_game.last_explained

    @property
    def thinking_seconds(self) -> float | None:
        """Time of the shown decision in seconds, or None before the first one."""
        return self._explained.decision.seconds if self._explained else None

    def draw_side_column(self, pen: Pen, box: Box, gap: int, agent_game: AgentGame, *, show_keys: bool) -> None:
        """Draw the column left of the board; keys and mode are hidden if there is too little space."""
        statistics = self._statistics
        second = get_second_mode(agent_game.background_agent.agent)
        if statistics is None:
            return
        top = draw_pieces_column(pen, box, agent_game.rules, self._pieces, gap=gap, next_height=_NEXT_PANEL_HEIGHT)
        below = Box(box.left, top, box.width, box.bottom - top)
        with_mode = second is not None and below.height >= _SCORE_PANEL_HEIGHT + gap + _MIN_MODE_HEIGHT
        mode_space = gap + min(_MODE_PANEL_HEIGHT, below.height - _SCORE_PANEL_HEIGHT - gap) if with_mode else 0
        with_keys = below.height - mode_space >= _SCORE_PANEL_HEIGHT + gap + _MIN_KEYS_HEIGHT
        score_height = below.height - mode_space if not with_keys else _SCORE_PANEL_HEIGHT
        score = Box(below.left, below.top, below.width, score_height)
        self._pictures.draw(
            pen,
            "score",
            score,
            statistics,
            lambda pen, box: draw_score_panel(pen, box, statistics.score, statistics.labelled_rows),
        )
        if with_keys:
            keys_box = Box(below.left, score.bottom + gap, below.width, below.height - score_height - gap - mode_space)
            steps = agent_game.key_steps if show_keys else None
            pressed_count = agent_game.keys_pressed
            self._pictures.draw(
                pen,
                "keys",
                keys_box,
                (steps, pressed_count),
                lambda pen, box: draw_keys_panel(pen, box, steps, pressed_count),
            )
        if with_mode and second is not None:
            mode = self._mode
            mode_box = Box(below.left, below.bottom - mode_space + gap, below.width, mode_space - gap)
            self._pictures.draw(
                pen, "mode", mode_box, (mode, second), lambda pen, box: draw_mode_panel(pen, box, second, mode)
            )

    def draw_strip(self, pen: Pen, box: Box, agent_game: AgentGame) -> None:
        """Draw the statistics in one row instead of the side column."""
        statistics = self._statistics
        pieces = self._pieces
        preview = agent_game.rules.preview
        mode = self._mode
        second = get_second_mode(agent_game.background_agent.agent)
        if statistics is not None:
            cache_key = statistics, pieces, mode, second
            self._pictures.draw(
                pen,
                "strip",
                box,
                cache_key,
                lambda pen, box: draw_watch_strip(
                    pen, box, statistics, pieces=pieces, preview=preview, mode=mode, second=second
                ),
            )

    def draw_thinking_and_heights(
        self, pen: Pen, box: Box, gap: int, agent_game: AgentGame, *, is_wide: bool, thinking_time: str | None
    ) -> None:
        """Draw the thinking panel and the height chart; only the chart if `thinking_time` is None."""
        chart = box
        if thinking_time is not None:
            height = round(_THINKING_HEIGHT_SHARE * box.height) - 3 if is_wide else box.height - gap - _CHART_HEIGHT
            thinking_box = Box(box.left, box.top, box.width, height)
            explained = self._explained
            is_waiting = explained is None and (agent_game.is_thinking or agent_game.background_agent.agent is None)

            def draw(pen: Pen, box: Box) -> None:
                if is_waiting:
                    draw_empty_thinking(pen, box, thinking_time)
                elif explained is None:
                    draw_thinking_panel(pen, box, None, agent_game.tracker.stack, time_text=thinking_time)
                else:
                    draw_thinking_panel(
                        pen, box, explained.decision.explanation, explained.stack, time_text=thinking_time
                    )

            cache_key = explained, thinking_time, is_waiting
            self._pictures.draw(pen, "thinking", thinking_box, cache_key, draw)
            chart = Box(box.left, thinking_box.bottom + gap, box.width, box.height - height - gap)
        threshold, heights = get_height_threshold(get_second_mode(agent_game.background_agent.agent)), self._heights
        rows = agent_game.rules.height
        right_text = f"Last {_HEIGHT_HISTORY_LENGTH} pieces" if is_wide else ""
        right_text += " · dashed: change of mode" if is_wide and threshold is not None else ""
        self._pictures.draw(
            pen,
            "chart",
            chart,
            (heights, rows, threshold, is_wide),
            lambda pen, box: draw_stack_heights(pen, box, heights, rows, threshold=threshold, right_text=right_text),
        )


def draw_empty_thinking(pen: Pen, box: Box, thinking_time: str) -> None:
    """Draw the thinking panel before the first decision."""
    pen.draw_panel(box)
    pen.draw_text("Thinking", (box.left + 16, box.top + 26), 18, True, STRONG_TEXT)
    pen.draw_text(thinking_time, (box.right - 16, box.top + 26), 14, False, DIM_TEXT, align=1)


def draw_watch_strip(
    pen: Pen,
    box: Box,
    statistics: GameStatistics,
    *,
    pieces: VisiblePieces,
    preview: int,
    mode: str,
    second: SecondMode | None,
) -> None:
    """Draw statistics, mode, held piece and next pieces in one row; statistics that do not fit are left out."""
    pen.draw_panel(box)
    has_queue = bool(statistics.attack_figures)
    right = box.right - (compute_piece_strip_width(pieces, preview) + 12 if has_queue else 72)
    badge = Box(right, box.centery - 16, 0, 32)
    if second is not None:
        badge.width = max(pen.measure_text(name.capitalize(), 16, True) for name in second.names) + _BADGE_PADDING
        badge.left = right - badge.width - 8
    figures = [("Score", statistics.score), *statistics.labelled_rows]
    draw_figures_row(pen, Box(box.left + 16, box.top, badge.left - 8 - box.left - 16, box.height), figures)
    if has_queue:
        draw_piece_strip(pen, box, pieces, preview)
    elif pieces.next:
        pen.draw_text("Next", (right + 28, box.top + 20), 14, False, DIM_TEXT, align=0.5)
        pen.draw_piece((right + 28, box.top + 48), 15, pieces.next[0])
    if second is not None and mode:
        pen.draw_badge(badge, mode.capitalize(), is_negative=mode == second.names[1])
