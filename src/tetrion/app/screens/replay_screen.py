"""Replay screen: plays a saved game forwards and backwards at any speed."""

import pygame

from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.games.human_game import get_lock_sound
from tetrion.app.picker_options import format_rules
from tetrion.app.replays.replay_loading import ReplayLoader, ReplayPageWriter
from tetrion.app.replays.replay_playback import ReplayPlayback
from tetrion.app.screen import Screen
from tetrion.app.screens.replay_columns import (
    draw_clears_and_buttons,
    draw_replay_column,
    draw_replay_strip,
    draw_replayed_pieces,
)
from tetrion.app.screens.waiting_screen import draw_loading
from tetrion.app.toolkit.controls import BUTTON_HEIGHT, compute_button_width, draw_button, draw_slider, format_speed
from tetrion.app.toolkit.header_footer import (
    FooterButton,
    ScreenArea,
    compute_side_height,
    draw_footer_buttons,
    draw_header_footer,
    draw_key_legend,
    draw_overlay,
)
from tetrion.app.toolkit.progress_curve import ProgressCurve
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.board_animation import BoardAnimator
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.game_facts import ActionText
from tetrion.drawing.palette import DIM_TEXT, STRONG_TEXT
from tetrion.drawing.pen import Box, FittedBoard, Pen
from tetrion.drawing.side_panels import draw_action_on_board, draw_garbage_meter
from tetrion.replay import Replay

_LEFT_COLUMN_WIDTH = 200  # units
_CHART_HEIGHT_SHARE = 0.31  # of the height next to the board
_MIN_CHART_HEIGHT = 170
_LOW_CHART_HEIGHT = 140  # next to a low board
_MIN_HEIGHT_FOR_CHART = 450  # of the column with the chart
_FASTER_KEYS = (pygame.K_PLUS, pygame.K_EQUALS, pygame.K_KP_PLUS)
_SLOWER_KEYS = (pygame.K_MINUS, pygame.K_KP_MINUS)


class ReplayScreen(Screen):
    """Screen that plays a replay, given as a file or as an object; `move` is the first move to show."""

    title = "Replay"
    has_music = True

    def __init__(self, window: Window, file: str = "", replay: Replay | None = None, move: int = 0) -> None:
        super().__init__(window)
        self.file = file
        self.first_move = move
        self.loader = ReplayLoader(file, replay)
        self.playback: ReplayPlayback | None = None
        self.board_animator = BoardAnimator(window.settings.has_animation)
        self.action = ActionText()
        self._last_seek = -1.0
        self._cached_curve: ProgressCurve | None = None

    @property
    def replay(self) -> Replay | None:
        """The replay, once it is loaded."""
        return self.loader.replay

    @property
    def player(self) -> str:
        """Name of the player."""
        return (self.replay.agent if self.replay else None) or HUMAN_PLAYER

    # Playback

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Change the speed with plus and minus, or with the arrows if the speed slider has the focus."""
        if event.type != pygame.KEYDOWN or not (playback := self.playback):
            return False
        has_slider_focus = self.window.ui.focus == "speed"
        faster = event.key in _FASTER_KEYS or (has_slider_focus and event.key == pygame.K_RIGHT)
        slower = event.key in _SLOWER_KEYS or (has_slider_focus and event.key == pygame.K_LEFT)
        index = playback.speeds.index(playback.speed) + faster - slower
        playback.speed = playback.speeds[max(0, min(len(playback.speeds) - 1, index))]
        return faster or slower

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
        """Animate newly locked pieces and play their sounds."""
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

    def on_leave(self) -> None:
        """Stop loading."""
        self.loader.stop()

    def _run_action(self, action: str) -> None:
        playback = self.playback
        if playback is None:
            return
        if action == "play":
            if playback.is_over and not playback.autoplay:
                playback.seek(0)
            playback.autoplay = not playback.autoplay
        elif action in ("before", "step"):
            self._stop_playback(playback)
            playback.step(1 if action == "step" else -1)
        elif action in ("first", "last"):
            self._stop_playback(playback)
            playback.seek(0 if action == "first" else playback.timeline.move_count)
        elif action:
            self._stop_playback(playback)
            self._open_action(action, playback)

    def _stop_playback(self, playback: ReplayPlayback) -> None:
        """Pause and cancel animations."""
        playback.autoplay = False
        self.board_animator = BoardAnimator(self.window.settings.has_animation)

    def _open_action(self, action: str, playback: ReplayPlayback) -> None:
        replay = playback.timeline.replay
        if action == "review":
            self.window.open_screen_by_name("review", file=self.file, replay=replay)
        elif action == "page":
            ReplayPageWriter(self.file, replay, self.window.show_message)
        elif action == "continue":
            game, mode = playback.timeline.get_full_game(playback.moves_made), playback.timeline.replay.mode
            self.window.open_screen_by_name("play", game=game, mode=mode)

    # Drawing

    def draw(self, ui: Ui) -> None:
        """Draw the game at the current move, and the controls."""
        replay = self.replay
        chips = [format_rules(replay.rules), f"Seed {replay.seed}"] if replay else []
        screen_area, should_close = draw_header_footer(ui, self.title, chips, self.player if replay else "")
        if self.playback:
            self._draw_game(ui, screen_area, self.playback)
        else:
            should_close = self._draw_waiting(ui, screen_area) or should_close
        if ui.files:
            self.window.replace_screen(ReplayScreen(self.window, ui.files[-1]))
        elif should_close and self.window.screen is self:
            self.window.close_screen()

    def _draw_waiting(self, ui: Ui, screen_area: ScreenArea) -> bool:
        """Draw the loading progress or an error; return whether the screen should be closed."""
        if self.loader.problem:
            lines = [self.loader.problem]
            return bool(
                draw_overlay(
                    ui, screen_area.content, "This replay cannot be played", lines, [("Back", "Esc")], width=420
                )
            )
        draw_loading(ui.pen, screen_area.content, self.loader)
        return False

    def _draw_game(self, ui: Ui, screen_area: ScreenArea, playback: ReplayPlayback) -> None:
        content = screen_area.content
        gap = screen_area.gap
        pen = ui.pen
        side_width = 0 if screen_area.layout_size != "wide" else _LEFT_COLUMN_WIDTH + gap
        fitted = pen.fit_board(
            Box(content.left + side_width, content.top, content.width // 2, content.height),
            playback.game.rules.height,
            0,
        )
        self._draw_board(pen, fitted, playback)
        height = compute_side_height(fitted.box, content)
        right_box = Box(fitted.box.right + gap, content.top, content.right - fitted.box.right - gap, height)
        if side_width:
            draw_replay_column(pen, Box(content.left, content.top, _LEFT_COLUMN_WIDTH, height), gap, playback)
        else:
            strip = Box(right_box.left, right_box.top, right_box.width, 76)
            draw_replay_strip(pen, strip, playback)
            right_box = Box(right_box.left, strip.bottom + gap, right_box.width, right_box.bottom - strip.bottom - gap)
        chart = Box(
            right_box.left,
            right_box.bottom - compute_chart_height(right_box.height),
            right_box.width,
            0,
        )
        chart.height = right_box.bottom - chart.top
        top = Box(right_box.left, right_box.top, right_box.width, chart.top - gap - right_box.top)
        half = (top.width - gap) // 2
        action = draw_clears_and_buttons(ui, Box(top.right - half, top.top, half, top.height), playback)
        draw_replayed_pieces(pen, Box(top.left, top.top, top.width - half - gap, top.height), playback)
        self._draw_timeline(ui, chart, playback)
        action = self._draw_footer(ui, screen_area, playback) or action
        if not ui.focus:
            ui.request_focus("play")
        if ui.is_key_pressed("Home"):
            action = "first"
        elif ui.is_key_pressed("End"):
            action = "last"
        self._run_action(action)

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
        pen, timeline = ui.pen, playback.timeline
        inside = pen.draw_panel(box, "Stack height", f"Move {playback.moves_made:,} of {timeline.move_count:,}")
        area = Box(inside.left, inside.top, inside.width, inside.height - 30)
        curve = self._get_curve(pen, area, playback)
        share = playback.moves_made / max(1, timeline.move_count)
        curve.draw(pen, area, share)
        left, right = area.left + curve.plot_area.box.left, area.left + curve.plot_area.box.right
        value = draw_slider(ui, "seek", Box(left, inside.bottom - 14, right - left, 14), share, 0.0)
        if value != share and value != self._last_seek:
            self._last_seek = value
            self._stop_playback(playback)
            playback.seek(round(value * timeline.move_count))

    def _get_curve(self, pen: Pen, area: Box, playback: ReplayPlayback) -> ProgressCurve:
        if (
            self._cached_curve is None
            or self._cached_curve.size != pen.to_pixel_rect(area).size
            or self._cached_curve.scale != pen.scale
        ):
            self._cached_curve = ProgressCurve(
                pen, area, playback.timeline.heights, playback.timeline.replay.rules.height
            )
        return self._cached_curve

    def _draw_footer(self, ui: Ui, screen_area: ScreenArea, playback: ReplayPlayback) -> str:
        label, icon = ("Pause", "pause") if playback.autoplay else ("Play", "play")
        width = compute_button_width(ui.pen, "Pause", "Space", "pause") + 8  # for both labels
        play_box = Box(screen_area.footer.left, screen_area.footer.centery - BUTTON_HEIGHT // 2, width, BUTTON_HEIGHT)
        is_played = draw_button(ui, "play", play_box, label, key="Space", icon=icon, is_primary=True)
        buttons_box = Box(
            play_box.right + 12,
            screen_area.footer.top,
            screen_area.footer.right - play_box.right - 12,
            screen_area.footer.height,
        )
        buttons = [
            FooterButton("before", "", "←", "back", is_enabled=playback.moves_made > 0),
            FooterButton("step", "", "→", "step", is_enabled=not playback.is_over),
        ]
        action, end = draw_footer_buttons(ui, buttons_box, buttons)
        speed_text = format_playback_speed(playback, screen_area.is_compact)
        width = ui.pen.measure_text("1,000 per second" if screen_area.is_compact else "1,000 moves per second", 14)
        track = Box(
            end + 80,
            screen_area.footer.top,
            min(200, screen_area.footer.right - end - 96 - width),
            screen_area.footer.height,
        )
        ui.pen.draw_text("Speed", (track.left - 16, track.centery), 14, False, DIM_TEXT, align=1)
        count = len(playback.speeds) - 1
        share = playback.speeds.index(playback.speed) / count
        chosen = draw_slider(ui, "speed", track, share, 1 / count)
        playback.speed = playback.speeds[round(chosen * count)]
        ui.pen.draw_text(speed_text, (track.right + 20, track.centery), 14, False, STRONG_TEXT)
        left = track.right + 40 + width
        if screen_area.footer.right - left > 320:
            buttons_box = Box(left, screen_area.footer.top, screen_area.footer.right - left, screen_area.footer.height)
            draw_key_legend(ui, buttons_box, [(["Home", "End"], "First, last"), (["−", "+"], "Speed")], align=1)
        return "play" if is_played else action


def compute_chart_height(available: int) -> int:
    """Return the height of the chart; in a low column, the panels above need the space."""
    if available < _MIN_HEIGHT_FOR_CHART:
        return _LOW_CHART_HEIGHT
    return max(_MIN_CHART_HEIGHT, round(_CHART_HEIGHT_SHARE * available))


def format_playback_speed(playback: ReplayPlayback, short: bool) -> str:
    """Format the speed of a replay."""
    if not playback.timeline.is_real_time:
        return format_speed(playback.speed, short)
    return "Real time" if playback.speed == 1 else f"{playback.speed:g} × real time"
