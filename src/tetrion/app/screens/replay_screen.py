"""Replay: a game that was kept, played again: on and back, at any speed, and gone on with from anywhere."""

import pygame

from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.games.board_animator import BoardAnimator
from tetrion.app.games.human_game import get_lock_sound
from tetrion.app.picker_options import format_rules
from tetrion.app.replays.replay_loading import ReplayLoader, ReplayPageWriter
from tetrion.app.replays.replay_playback import ReplayPlayback
from tetrion.app.screen import Screen
from tetrion.app.screens.game_panels import KEYCAP_LABELS, draw_next_panel
from tetrion.app.screens.play_panels import CLEAR_NAMES, STATISTICS_PIECE_ORDER
from tetrion.app.screens.waiting_screen import draw_loading
from tetrion.app.toolkit.controls import BUTTON_HEIGHT, compute_button_width, draw_button, draw_slider
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
from tetrion.app.toolkit.speed_slider import format_speed
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.cells import LOCKED_CELL
from tetrion.drawing.palette import DIM_TEXT, SEPARATOR, STRONG_TEXT, get_piece_colours
from tetrion.drawing.pen import PANEL_PADDING, Box, FittedBoard, Pen
from tetrion.engine.pieces import PIECES
from tetrion.evaluation.number_format import format_count, format_duration, format_number, format_percent
from tetrion.position import uses_levels
from tetrion.replay import Replay

_LEFT_COLUMN_WIDTH, _CHART_HEIGHT_SHARE = (
    200,
    0.31,
)  # how wide the left column is, and the share of the height that the chart has
_GAME_BUTTONS = (("continue", "Continue from here", "C"), ("review", "Review", "V"), ("page", "Save page", "S"))
_FASTER_KEYS, _SLOWER_KEYS = (pygame.K_PLUS, pygame.K_EQUALS, pygame.K_KP_PLUS), (pygame.K_MINUS, pygame.K_KP_MINUS)


class ReplayScreen(Screen):
    """Plays a replay: a file, or one that is known already."""

    title, has_music = "Replay", True

    def __init__(self, window: Window, file: str = "", replay: Replay | None = None, move: int = 0) -> None:
        super().__init__(window)
        self.file = file
        self.first_move = move
        self.loading = ReplayLoader(file, replay)
        self.playback: ReplayPlayback | None = None
        self.animated_board = BoardAnimator(window.settings.has_animation)
        self._last_seek = -1.0
        self._cached_curve: ProgressCurve | None = None

    @property
    def replay(self) -> Replay | None:
        """The replay, once it is read."""
        return self.loading.replay

    @property
    def player(self) -> str:
        """Who played."""
        return (self.replay.agent if self.replay else None) or HUMAN_PLAYER

    # What goes on.

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Change the speed by plus and minus, and by arrows where its slider has the focus."""
        if event.type != pygame.KEYDOWN or not (playback := self.playback):
            return False
        arrows = self.window.ui.focus == "speed"
        faster = event.key in _FASTER_KEYS or (arrows and event.key == pygame.K_RIGHT)
        slower = event.key in _SLOWER_KEYS or (arrows and event.key == pygame.K_LEFT)
        place = playback.speeds.index(playback.speed) + faster - slower
        playback.speed = playback.speeds[max(0, min(len(playback.speeds) - 1, place))]
        return faster or slower

    def update(self, seconds: float) -> None:
        """Let the replay go on."""
        if self.playback is None and self.loading.timeline is not None:
            self.playback = ReplayPlayback(self.loading.timeline, autoplay=not self.first_move)
            self.playback.seek(self.first_move)
        if self.playback:
            self.playback.update(seconds)
            self.animated_board.update(seconds)
            self._report_locks(self.playback)

    def _report_locks(self, playback: ReplayPlayback) -> None:
        """Let what has happened be heard and seen."""
        for lock in playback.locks:
            if playback.autoplay and playback.shows_motion:
                self.animated_board.add_lock(lock)
        self.animated_board.track_piece(playback.active_piece, playback.moves_made)
        if playback.locks:
            self.window.sound.play(get_lock_sound(max(lock.lines for lock in playback.locks)))
            if playback.autoplay and playback.game.is_over:
                self.window.sound.play("over")
            playback.locks.clear()

    def on_focus_lost(self) -> None:
        """Pause."""
        if self.playback:
            self.playback.autoplay = False

    def on_leave(self) -> None:
        """Read no more."""
        self.loading.stop()

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
        """Pause, and let nothing move."""
        playback.autoplay, self.animated_board = False, BoardAnimator(self.window.settings.has_animation)

    def _open_action(self, action: str, playback: ReplayPlayback) -> None:
        replay = playback.timeline.replay
        if action == "review":
            self.window.open_screen_by_name("review", file=self.file, replay=replay)
        elif action == "page":
            self.window.show_message("The page is being written.")
            ReplayPageWriter(self.file, replay, self.window.show_message)
        elif action == "continue":
            self.window.open_screen_by_name("play", game=playback.timeline.get_full_game(playback.moves_made))

    # Drawing.

    def draw(self, ui: Ui) -> None:
        """Draw the game where it is, and the controls."""
        replay = self.replay
        chips = [format_rules(replay.rules), f"Seed {replay.seed}"] if replay else []
        room, leave = draw_header_footer(ui, self.title, chips, self.player if replay else "")
        if self.playback:
            self._draw_game(ui, room, self.playback)
        else:
            leave = self._draw_waiting(ui, room) or leave
        if ui.files:
            self.window.replace_screen(ReplayScreen(self.window, ui.files[-1]))
        elif leave and self.window.screen is self:
            self.window.close_screen()

    def _draw_waiting(self, ui: Ui, room: ScreenArea) -> bool:
        """Say that it takes a while, or what is wrong; tells whether the person wants to leave."""
        if self.loading.problem:
            lines = [self.loading.problem]
            return bool(draw_overlay(ui, room.content, "This replay cannot be played", lines, [("Back", "Esc")], 420))
        draw_loading(ui.pen, room.content, self.loading)
        return False

    def _draw_game(self, ui: Ui, room: ScreenArea, playback: ReplayPlayback) -> None:
        content = room.content
        gap = room.gap
        pen = ui.pen
        side = 0 if room.layout_size != "wide" else _LEFT_COLUMN_WIDTH + gap
        fitted = pen.fit_board(
            Box(content.left + side, content.top, content.width // 2, content.height), playback.game.rules.height, 0
        )
        self._draw_board(pen, fitted, playback)
        high = compute_side_height(fitted.box, content)
        rest = Box(fitted.box.right + gap, content.top, content.right - fitted.box.right - gap, high)
        if side:
            self._draw_left_column(pen, Box(content.left, content.top, _LEFT_COLUMN_WIDTH, high), gap, playback)
        else:
            strip = Box(rest.left, rest.top, rest.width, 76)
            self._draw_strip(pen, strip, playback)
            rest = Box(rest.left, strip.bottom + gap, rest.width, rest.bottom - strip.bottom - gap)
        chart = Box(rest.left, rest.bottom - max(170, round(_CHART_HEIGHT_SHARE * rest.height)), rest.width, 0)
        chart.height = rest.bottom - chart.top
        top = Box(rest.left, rest.top, rest.width, chart.top - gap - rest.top)
        half = (top.width - gap) // 2
        used = self._draw_clears_and_buttons(ui, Box(top.right - half, top.top, half, top.height), playback)
        self._draw_statistics(pen, Box(top.left, top.top, top.width - half - gap, top.height), playback)
        self._draw_timeline(ui, chart, playback)
        used = self._draw_footer(ui, room, playback) or used
        if not ui.focus:
            ui.request_focus("play")
        if ui.is_key_pressed("Home"):
            used = "first"
        elif ui.is_key_pressed("End"):
            used = "last"
        self._run_action(used)

    def _draw_board(self, pen: Pen, fitted: FittedBoard, playback: ReplayPlayback) -> None:
        if playback.game.is_over and not self.animated_board.is_clearing:
            place = pen.to_pixel_point(fitted.box.topleft)
            draw_board(pen.surface, place, fitted.cell_size, playback.stack, is_over=True, style=pen.style)
            return
        active = (
            None if self.animated_board.is_clearing and not playback.timeline.is_real_time else playback.active_piece
        )
        ghost = playback.target if self.window.settings.ghost and active else None
        self.animated_board.draw(pen, fitted, playback.stack, active=active, ghost=ghost)

    def _draw_left_column(self, pen: Pen, box: Box, gap: int, playback: ReplayPlayback) -> None:
        game = playback.game
        following = Box(box.left, box.top, box.width, 124)
        draw_next_panel(pen, following, game.next)
        numbers = [
            ("Lines", f"{game.lines:,}"),
            *([("Level", f"{game.level:,}")] if uses_levels(game.rules) else []),
            ("Pieces", f"{game.pieces:,}"),
            ("Points a line", format_number(game.score / game.lines, 0) if game.lines else "–"),
        ]
        if playback.timeline.is_real_time:
            numbers.append(("Time", format_duration(game.frames / game.rules.frames_per_second)))
        score = Box(box.left, following.bottom + gap, box.width, 100 + 28 * len(numbers))
        inside = pen.draw_panel(score, "Score")
        pen.draw_text(f"{game.score:,}", (inside.left, inside.top + 12), 34, True, STRONG_TEXT)
        for number, (label, value) in enumerate(numbers):
            pen.draw_row(Box(inside.left, inside.top + 44 + 28 * number, inside.width, 28), label, value)
        top = score.bottom + gap
        if playback.timeline.is_real_time:
            self._draw_keys(pen, Box(box.left, top, box.width, 104), playback)
            top += 104 + gap
        self._draw_result(pen, Box(box.left, top, box.width, box.bottom - top), playback)

    def _draw_result(self, pen: Pen, box: Box, playback: ReplayPlayback) -> None:
        """How the game ended, as far as there is room."""
        result = playback.timeline.replay.result
        rows = [(name.capitalize(), f"{result[name]:,}") for name in ("score", "lines", "pieces")]
        shown = rows[: (box.height - 44) // 28]
        if shown:
            title = "In the end" if result["over"] else "When it was left"
            inside = pen.draw_panel(Box(box.left, box.top, box.width, 48 + 28 * len(shown)), title)
            for number, (label, value) in enumerate(shown):
                pen.draw_row(Box(inside.left, inside.top + 28 * number - 2, inside.width, 28), label, value)

    def _draw_keys(self, pen: Pen, box: Box, playback: ReplayPlayback) -> None:
        inside = pen.draw_panel(box, "Keys")
        left, top = inside.left, inside.top + 12
        for number, key in enumerate(playback.keys):
            label = KEYCAP_LABELS[key]
            if left + pen.measure_keycap(label) > inside.right:
                left, top = inside.left, top + 30
            state = "pressed" if number == len(playback.keys) - 1 else ""
            left += pen.draw_keycap((left, top), label, state) + 6

    def _draw_strip(self, pen: Pen, box: Box, playback: ReplayPlayback) -> None:
        game = playback.game
        pen.draw_panel(box)
        figures = [("Score", f"{game.score:,}"), ("Lines", f"{game.lines:,}")]
        if uses_levels(game.rules):
            figures.append(("Level", f"{game.level:,}"))
        for number, (label, value) in enumerate([*figures, ("Pieces", f"{game.pieces:,}")]):
            pen.draw_number(
                (box.left + PANEL_PADDING + number * (box.width - 120) // 4, box.top + 24), label, value, 22
            )
        if game.next:
            pen.draw_text("Next", (box.right - 56, box.top + 20), 14, False, DIM_TEXT, align=0.5)
            pen.draw_piece((box.right - 56, box.top + 50), 14, game.next[0])

    def _draw_statistics(self, pen: Pen, box: Box, playback: ReplayPlayback) -> None:
        inside = pen.draw_panel(
            box, "Piece statistics", format_count(playback.moves_made, "piece") if box.width > 260 else ""
        )
        counts = playback.timeline.count_pieces(playback.moves_made)
        most, colours = max(1, *counts.values()), get_piece_colours(pen.style.palette)
        step = inside.height / len(PIECES)
        for number, piece in enumerate(STATISTICS_PIECE_ORDER):
            middle = round(inside.top + step * (number + 0.5))
            pen.draw_piece((inside.left + 25, middle), min(13, step // 3), piece, LOCKED_CELL)
            right = inside.right - 52
            if right - inside.left > 90:
                pen.draw_bar(
                    Box(inside.left + 66, middle - 3, right - inside.left - 66, 6), counts[piece] / most, colours[piece]
                )
            pen.draw_text(f"{counts[piece]:,}", (inside.right, middle), 16, True, STRONG_TEXT, align=1)

    def _draw_clears_and_buttons(self, ui: Ui, box: Box, playback: ReplayPlayback) -> str:
        """The clears so far, and what can be done with the game."""
        pen, inside = ui.pen, ui.pen.draw_panel(box, "Clears")
        bottom = inside.bottom - 44 * len(_GAME_BUTTONS) + 4
        clears = playback.timeline.count_clears(playback.moves_made)
        lines = sum(number * times for number, times in enumerate(clears, 1))
        rate = format_percent(4 * clears[3] / lines) if clears[3] else "0 %" if lines else "–"
        rows = [*zip(CLEAR_NAMES, (f"{times:,}" for times in clears), strict=True), ("Tetris rate", rate)]
        step = max(25, min(36, (bottom - 16 - inside.top) // len(rows)))
        fit = max(1, (bottom - 12 - inside.top) // step)
        wide = inside.width if fit >= len(CLEAR_NAMES) else (inside.width - 24) // 2
        for number, (label, value) in enumerate(rows[: fit if fit >= len(CLEAR_NAMES) else 2 * fit]):
            left, top = inside.left + number // fit * (wide + 24), inside.top + number % fit * step
            pen.draw_row(Box(left, top, wide, step), label, value)
        pen.draw_separator(inside.left, bottom - 12, inside.width, SEPARATOR)
        used = ""
        for number, (name, words, key) in enumerate(_GAME_BUTTONS):
            place = Box(inside.left, bottom + 44 * number, inside.width, 40)
            shown = words if compute_button_width(pen, words, key) <= place.width else words.partition(" ")[0]
            enabled = name != "continue" or not playback.game.is_over
            used = name if draw_button(ui, name, place, shown, key=key, is_enabled=enabled) else used
        return used

    def _draw_timeline(self, ui: Ui, box: Box, playback: ReplayPlayback) -> None:
        """The height of the stack, so far in colour, and a slider over all moves."""
        pen, reel = ui.pen, playback.timeline
        inside = pen.draw_panel(box, "Stack height", f"Move {playback.moves_made:,} of {reel.move_count:,}")
        area = Box(inside.left, inside.top, inside.width, inside.height - 30)
        curve = self._get_curve(pen, area, playback)
        share = playback.moves_made / max(1, reel.move_count)
        curve.draw(pen, area, share)
        left, right = area.left + curve.plane.box.left, area.left + curve.plane.box.right
        value = draw_slider(ui, "seek", Box(left, inside.bottom - 14, right - left, 14), share, 0.0)
        if value != share and value != self._last_seek:
            self._last_seek = value
            self._stop_playback(playback)
            playback.seek(round(value * reel.move_count))

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

    def _draw_footer(self, ui: Ui, room: ScreenArea, playback: ReplayPlayback) -> str:
        words, sign = ("Pause", "pause") if playback.autoplay else ("Play", "play")
        wide = compute_button_width(ui.pen, "Pause", "Space", "pause") + 8  # whatever it says
        play = Box(room.footer.left, room.footer.centery - BUTTON_HEIGHT // 2, wide, BUTTON_HEIGHT)
        played = draw_button(ui, "play", play, words, key="Space", icon=sign, is_primary=True)
        rest = Box(play.right + 12, room.footer.top, room.footer.right - play.right - 12, room.footer.height)
        buttons = [
            FooterButton("before", "", "←", "back", is_enabled=playback.moves_made > 0),
            FooterButton("step", "", "→", "step", is_enabled=not playback.is_over),
        ]
        used, end = draw_footer_buttons(ui, rest, buttons)
        told = format_playback_speed(playback, room.is_compact)
        wide = ui.pen.measure_text("1,000 per second" if room.is_compact else "1,000 moves per second", 14)
        track = Box(end + 80, room.footer.top, min(200, room.footer.right - end - 96 - wide), room.footer.height)
        ui.pen.draw_text("Speed", (track.left - 16, track.centery), 14, False, DIM_TEXT, align=1)
        count = len(playback.speeds) - 1
        share = playback.speeds.index(playback.speed) / count
        chosen = draw_slider(ui, "speed", track, share, 1 / count)
        playback.speed = playback.speeds[round(chosen * count)]
        ui.pen.draw_text(told, (track.right + 20, track.centery), 14, False, STRONG_TEXT)
        left = track.right + 40 + wide
        if room.footer.right - left > 320:
            rest = Box(left, room.footer.top, room.footer.right - left, room.footer.height)
            draw_key_legend(ui, rest, [(["Home", "End"], "First, last"), (["−", "+"], "Speed")], align=1)
        return "play" if played else used


def format_playback_speed(playback: ReplayPlayback, short: bool) -> str:
    """How fast a replay is played."""
    if not playback.timeline.is_real_time:
        return format_speed(playback.speed, short)
    return "Real time" if playback.speed == 1 else f"{playback.speed:g} × real time"
