"""Replay screen: plays a saved game forwards and backwards at any speed."""

import numpy as np
import pygame

from tetrion.app.engine_loading import describe_compilation
from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.games.game_tracker import STATISTICS_PIECE_ORDER
from tetrion.app.games.human_game import get_lock_sound
from tetrion.app.picker_options import format_rules
from tetrion.app.replays.replay_library import ReplayLoader, ReplayPageWriter
from tetrion.app.replays.replay_playback import ReplayPlayback
from tetrion.app.screen import Screen
from tetrion.app.screens.game_panels import KEYCAP_LABELS, draw_pieces_column
from tetrion.app.toolkit.controls import (
    ButtonSpec,
    change_speed,
    compute_button_width,
    draw_buttons,
    draw_slider,
    draw_speed_slider,
    format_speed,
)
from tetrion.app.toolkit.frame import Chip, Frame, draw_frame, draw_key_legend, draw_overlay, measure_key_legend
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.board_animation import BoardAnimator
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.cells import LOCKED_CELL
from tetrion.drawing.chart_ticks import choose_round_values
from tetrion.drawing.layout import Box, Panel, Part, draw_column, flexible, inset, place, split_column, split_row
from tetrion.drawing.line_charts import ChartLine, draw_chart, make_plot_area
from tetrion.drawing.palette import ACCENT, BOARD_OUTLINE, STRONG_TEXT, get_piece_colours
from tetrion.drawing.pen import FittedBoard, Pen
from tetrion.drawing.side_panels import (
    compute_piece_strip_width,
    compute_score_panel_height,
    draw_action_on_board,
    draw_figures_row,
    draw_garbage_meter,
    draw_piece_strip,
    draw_score_panel,
)
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_duration, format_number, format_percent
from tetrion.game_facts import CLEAR_NAMES, ActionText, VisiblePieces, has_attack_layout, list_attack_figures
from tetrion.position import uses_levels
from tetrion.replay import Replay

_KEYS = [(["Home", "End"], "First, last"), (["−", "+"], "Speed")]
_MAX_CURVE_POINTS = 240


class LoadedReplayScreen(Screen):
    """The base of screens that show a replay, given as a file or as an object, as soon as it is loaded."""

    error_title = ""

    def __init__(self, window: Window, file: str = "", replay: Replay | None = None) -> None:
        super().__init__(window)
        self.file = file
        self.loader = ReplayLoader(file, replay)

    def on_leave(self) -> None:
        """Stop loading."""
        self.loader.stop()

    def draw(self, ui: Ui) -> None:
        """Draw the game, or the progress or the error of loading it."""
        replay, loader = self.loader.replay, self.loader
        texts = (replay.agent or HUMAN_PLAYER, format_rules(replay.rules), f"Seed {replay.seed}") if replay else ()
        frame = draw_frame(ui, self.title, [Chip(text, has_dot=number == 0) for number, text in enumerate(texts)])
        box, is_closed = frame.content, frame.is_closed
        if loader.problem:
            is_closed |= bool(draw_overlay(ui, box, self.error_title, [loader.problem], [("Back", "Esc")], width=420))
        elif not self.draw_game(ui, frame):
            text = describe_compilation() if loader.is_compiling else loader.progress_text
            ui.pen.draw_text("Loading", (box.centerx, box.centery - 16), 18, True, STRONG_TEXT, align=0.5)
            ui.pen.draw_paragraph(text, (box.centerx, box.centery + 14), box.width, 16, align=0.5)
        if ui.files:
            self.window.replace_screen(type(self)(self.window, ui.files[-1]))
        elif is_closed and self.window.screen is self:
            self.window.close_screen()

    def draw_game(self, ui: Ui, frame: Frame) -> bool:
        """Draw the game and act on the controls; return whether it is loaded."""
        raise NotImplementedError


class ReplayScreen(LoadedReplayScreen):
    """Screen that plays a replay; `move` is the first move to show."""

    title = "Replay"
    error_title = "This replay cannot be played"
    has_music = True

    def __init__(self, window: Window, file: str = "", replay: Replay | None = None, move: int = 0) -> None:
        super().__init__(window, file, replay)
        self.first_move = move
        self.playback: ReplayPlayback | None = None
        self.board_animator = BoardAnimator(window.settings.has_animation)
        self.action = ActionText()
        self._last_seek = -1.0

    # Playback

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Change the speed with plus and minus, or with the arrows if the speed slider has the focus."""
        if event.type != pygame.KEYDOWN or not self.playback:
            return False
        steps = {"+": 1, "=": 1, "-": -1}.get(getattr(event, "unicode", ""), 0)
        if self.window.ui.focus == "speed":
            steps += {pygame.K_RIGHT: 1, pygame.K_LEFT: -1}.get(event.key, 0)
        self.playback.speed = change_speed(self.playback.speed, steps, self.playback.speeds)
        return steps != 0

    @property
    def is_moving(self) -> bool:
        """Whether the replay is being loaded or played."""
        if not self.playback:
            return not self.loader.problem
        return bool(self.action.lines) or (self.playback.autoplay and not self.playback.is_over)

    def update(self, seconds: float) -> None:
        """Advance the playback."""
        if self.playback is None and self.loader.timeline is not None:
            self.playback = ReplayPlayback(self.loader.timeline, autoplay=not self.first_move)
            self.playback.seek(self.first_move)
        if self.playback:
            self.playback.update(seconds)
            self.board_animator.update(seconds)
            self.action.update(seconds)
            self._report_locks(self.playback)

    def _report_locks(self, playback: ReplayPlayback) -> None:
        for lock in playback.locks:
            if playback.autoplay and playback.shows_motion:
                self.board_animator.add_lock(lock)
        self.board_animator.track_piece(playback.active_piece, playback.moves_made)
        if playback.locks:
            self.action.add_lock(playback.locks[-1], playback.game.position)
            self.window.sound.play(get_lock_sound(max(lock.lines for lock in playback.locks)))
            if playback.autoplay and playback.game.is_over:
                self.window.sound.play("over")
            playback.locks.clear()

    def on_focus_lost(self) -> None:
        """Pause when the window loses the focus."""
        if self.playback:
            self.playback.autoplay = False

    def _run_action(self, action: str, playback: ReplayPlayback) -> None:
        if action == "play":
            if playback.is_over and not playback.autoplay:
                playback.seek(0)
            playback.autoplay = not playback.autoplay
            return
        if action:
            self._stop_playback(playback)
        if action in ("before", "step"):
            playback.step(1 if action == "step" else -1)
        elif action in ("first", "last"):
            playback.seek(0 if action == "first" else playback.timeline.move_count)
        elif action == "review":
            self.window.open_screen_by_name("review", file=self.file, replay=playback.timeline.replay)
        elif action == "page":
            ReplayPageWriter(playback.timeline.replay, self.window.show_message)
        elif action == "continue":
            game, mode = playback.timeline.get_full_game(playback.moves_made), playback.timeline.replay.mode
            self.window.open_screen_by_name("play", game=game, mode=mode)

    def _stop_playback(self, playback: ReplayPlayback) -> None:
        """Pause and cancel animations."""
        playback.autoplay = False
        self.board_animator = BoardAnimator(self.window.settings.has_animation)

    # Drawing

    def draw_game(self, ui: Ui, frame: Frame) -> bool:
        """Draw the game at the current move, and the controls."""
        playback, gap = self.playback, frame.gap
        if playback is None:
            return False
        side, fitted, right = split_around_board(ui.pen, frame, playback.game.rules.height)
        self._draw_board(ui.pen, fitted, playback)
        if side:
            draw_replay_column(ui.pen, side, gap, playback)
        strip, top, button_row, chart = split_column(
            right, [0 if side else 76, flexible(220), 40, Part(200, minimum=140)], gap
        )
        if strip:
            draw_replay_strip(ui.pen, strip, playback)
        statistics, clears = split_row(top, [flexible()] * 2, gap)
        draw_piece_statistics(ui.pen, statistics, playback)
        draw_clears(ui.pen, clears, playback)
        self._draw_timeline(ui, chart, playback)
        continue_label = "Continue from here" if button_row.width > 540 else "Continue"
        buttons = [
            ButtonSpec("continue", continue_label, "C", is_enabled=not playback.game.is_over),
            ButtonSpec("review", "Review", "V"),
            ButtonSpec("page", "Save web page", "S"),
        ]
        action = draw_buttons(ui, button_row, buttons, align=1)[0]
        action = self._draw_footer(ui, frame, playback) or action
        if not ui.focus:
            ui.request_focus("play")
        if ui.is_key_pressed("Home", "End"):
            action = "first" if ui.is_key_pressed("Home") else "last"
        self._run_action(action, playback)
        return True

    def _draw_board(self, pen: Pen, fitted: FittedBoard, playback: ReplayPlayback) -> None:
        draw_garbage_meter(pen, fitted.box, fitted.cell_size, playback.game.position)
        if playback.game.is_over and not self.board_animator.is_clearing:
            origin = pen.to_pixel_point(fitted.box.topleft)
            draw_board(pen.surface, origin, fitted.cell_size, playback.stack, is_over=True, style=pen.style)
        else:
            is_hidden = self.board_animator.is_clearing and not playback.timeline.is_real_time
            active = None if is_hidden else playback.active_piece
            if active and not playback.timeline.is_real_time:
                active = playback.stack.lower_into_view(active)
            ghost = playback.target if self.window.settings.ghost and active else None
            self.board_animator.draw(pen, fitted, playback.stack, active=active, ghost=ghost)
        strength = self.action.get_strength(self.window.settings.has_animation)
        draw_action_on_board(pen, fitted.box, self.action.lines, strength)

    def _draw_timeline(self, ui: Ui, box: Box, playback: ReplayPlayback) -> None:
        """Draw the stack height over all moves, and a slider to seek."""
        timeline = playback.timeline
        inside = ui.pen.draw_panel(box, "Stack height", f"Move {playback.moves_made:,} of {timeline.move_count:,}")
        area, slider = split_column(inside, [flexible(), 20], 10)
        share = playback.moves_made / max(1, timeline.move_count)
        plot = draw_height_curve(ui.pen, area, timeline.heights, timeline.replay.rules.height, share)
        track = Box(plot.left, slider.top, plot.width, slider.height)
        value = draw_slider(ui, "seek", track, share, 0.0)
        if value not in (share, self._last_seek):
            self._last_seek = value
            self._stop_playback(playback)
            playback.seek(round(value * timeline.move_count))

    def _draw_footer(self, ui: Ui, frame: Frame, playback: ReplayPlayback) -> str:
        label, icon = ("Pause", "pause") if playback.autoplay else ("Play", "play")
        width = compute_button_width(ui.pen, "Pause", "Space", "pause") + 8  # for both labels
        buttons = [
            ButtonSpec("play", label, "Space", icon, is_primary=True, width=width),
            ButtonSpec("before", "", "←", "back", is_enabled=playback.moves_made > 0),
            ButtonSpec("step", "", "→", "step", is_enabled=not playback.is_over),
        ]
        action, rest = draw_buttons(ui, frame.footer, buttons)
        slider, legend = split_row(rest, [flexible(300), Part(measure_key_legend(ui.pen, _KEYS), rank=1)], 16)
        playback.speed = draw_speed_slider(
            ui,
            slider,
            playback.speed,
            short=not frame.is_wide,
            all_speeds=playback.speeds,
            format_text=format_real_time_speed if playback.timeline.is_real_time else format_speed,
        )
        if legend:
            draw_key_legend(ui, legend, _KEYS, align=1)
        return action


def split_around_board(pen: Pen, frame: Frame, rows: int) -> tuple[Box, FittedBoard, Box]:
    """Return the box left of the board, empty in the compact arrangement, the board, and the box right of it."""
    side, rest = split_row(frame.content, [200 if frame.is_wide else 0, flexible()], frame.gap)
    board_space, _ = split_row(rest, [flexible(), 300], frame.gap)
    fitted = pen.fit_board(board_space, rows, 0)
    return side, fitted, split_row(rest, [fitted.box.width, flexible()], frame.gap)[1]


def format_real_time_speed(speed: float, short: bool) -> str:
    """Return the text for a multiple of the original speed."""
    return "Real time" if speed == 1 else f"{speed:g} ×" if short else f"{speed:g} × real time"


# Panels


def list_counters(playback: ReplayPlayback) -> list[tuple[str, str]]:
    """Return the lines, the level where it matters, and the pieces of a game, with their labels."""
    game = playback.game
    level = [("Level", f"{game.level:,}")] if uses_levels(game.rules) else []
    return [("Lines", f"{game.lines:,}"), *level, ("Pieces", f"{game.pieces:,}")]


def draw_replay_column(pen: Pen, box: Box, gap: int, playback: ReplayPlayback) -> None:
    """Draw the pieces, the counters and, as far as they fit, the keys and the result, one below the other."""
    game, is_real_time = playback.game, playback.timeline.is_real_time
    pieces = VisiblePieces.from_position(game.position, playback.active_piece)
    top = draw_pieces_column(pen, box, game.rules, pieces, gap=gap, next_height=104)
    points_per_line = format_number(game.score / game.lines, 0) if game.lines else NO_VALUE
    rows = [*list_counters(playback), ("Points per line", points_per_line)]
    if is_real_time:
        rows.append(("Time", format_duration(game.frames / game.rules.frames_per_second)))
    below = Box(box.left, top, box.width, box.bottom - top)
    score_height = min(compute_score_panel_height(len(rows)), below.height)
    panels = [
        Panel(score_height, lambda box: draw_score_panel(pen, box, f"{game.score:,}", rows)),
        Panel(Part(104 if is_real_time else 0, rank=1), lambda box: draw_recent_keys(pen, box, playback)),
        Panel(Part(132, rank=2), lambda box: draw_result(pen, box, playback)),
    ]
    draw_column(below, gap, panels)


def draw_result(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw the result at the end of the replay."""
    result = playback.timeline.replay.result
    inside = pen.draw_panel(box, "Final result" if result["over"] else "Last position")
    for name, row in zip(("score", "lines", "pieces"), split_column(inside, [flexible()] * 3), strict=True):
        pen.draw_row(row, name.capitalize(), f"{result[name]:,}")


def draw_recent_keys(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw the keys that were pressed last, in real time."""
    inside = pen.draw_panel(box, "Keys")
    left, top = inside.left, inside.top + 12
    for number, key in enumerate(playback.keys, 1):
        label = KEYCAP_LABELS[key]
        if left + pen.measure_keycap(label) > inside.right:
            left, top = inside.left, top + 30
        left += pen.draw_keycap((left, top), label, "pressed" if number == len(playback.keys) else "") + 6


def draw_replay_strip(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw the counters and the pieces in one row instead of a column; counters that do not fit are left out."""
    game = playback.game
    pen.draw_panel(box)
    pieces = VisiblePieces.from_position(game.position, playback.active_piece)
    width = compute_piece_strip_width(pieces, game.rules.preview)
    figures, strip = split_row(inset(box, 16, 0), [flexible(), width], 12)
    draw_figures_row(pen, figures, [("Score", f"{game.score:,}"), *list_counters(playback)])
    draw_piece_strip(pen, strip.move(16, 0), pieces, game.rules.preview)


def draw_piece_statistics(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw how often each piece was placed so far, with bars."""
    inside = pen.draw_panel(box, "Piece statistics", format_count(playback.moves_made, "piece"))
    counts = playback.timeline.count_pieces(playback.moves_made)
    max_count, colours = max(1, *counts.values()), get_piece_colours(pen.style.palette)
    for letter, row in zip(STATISTICS_PIECE_ORDER, split_column(inside, [flexible()] * len(counts)), strict=True):
        piece, bar, number = split_row(row, [50, flexible(), 44], 12)
        pen.draw_piece(piece.center, min(13, row.height // 3), letter, LOCKED_CELL)
        pen.draw_bar(place(bar, bar.width, 6), counts[letter] / max_count, colours[letter])
        pen.draw_text(f"{counts[letter]:,}", number.midright, 16, True, STRONG_TEXT, align=1)


def draw_clears(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw the clears so far, or attack, spins and combos, as many rows as fit."""
    inside = pen.draw_panel(box, "Clears")
    clears = playback.timeline.count_clears(playback.moves_made)
    lines = sum(number * count for number, count in enumerate(clears, 1))
    rate = format_percent(4 * clears[3] / lines) if clears[3] else "0 %" if lines else NO_VALUE
    rows = [*zip(CLEAR_NAMES, (f"{count:,}" for count in clears), strict=True), ("Tetris rate", rate)]
    if has_attack_layout(playback.game.rules):
        rows = list_attack_figures(playback.game)
    for (label, value), row in zip(rows, split_column(inside, [Part(36, 20, rank=1)] * len(rows)), strict=True):
        if row:
            pen.draw_row(row, label, value)


def draw_height_curve(pen: Pen, box: Box, heights: "np.ndarray", rows: int, share: float) -> Box:
    """Draw the stack heights of a whole game with a share (0 to 1) highlighted; return the box of the lines."""
    indices = np.linspace(0, len(heights) - 1, min(len(heights), _MAX_CURVE_POINTS)).astype(int)
    values = heights[indices].astype(float)
    done = np.where(np.arange(len(values)) <= share * (len(values) - 1), values, np.nan)
    lines = [
        ChartLine("", values.tolist(), BOARD_OUTLINE, has_area=True),
        ChartLine("", done.tolist(), ACCENT, has_area=True),
    ]
    draw_chart(pen, box, lines, low=0, high=rows, show_end_labels=False)
    ticks = choose_round_values(0, rows)
    return make_plot_area(pen, box, lines, (0, rows), ticks, show_steps=False, show_end_labels=False).box
