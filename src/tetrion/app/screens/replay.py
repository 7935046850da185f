"""Replay: a game that was kept, played again: on and back, at any speed, and gone on with from anywhere."""

import pygame

from tetrion.app.choices import rules_words
from tetrion.app.games.moving import MovingBoard
from tetrion.app.games.playing import heard_of_lock
from tetrion.app.replays.loading import Loading, PageWriter
from tetrion.app.replays.playback import Playback
from tetrion.app.screen import Screen
from tetrion.app.screens.game_panels import CAPS, draw_next
from tetrion.app.screens.play_panels import NAMES, ORDER
from tetrion.app.screens.waiting import draw_loading
from tetrion.app.shelf import PERSON
from tetrion.app.toolkit.chrome import Action, Room, actions, beside, frame, legend, overlay
from tetrion.app.toolkit.controls import BUTTON, button, button_width, slider
from tetrion.app.toolkit.curve import Curve
from tetrion.app.toolkit.speeds import speed_words
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.boards import draw_board
from tetrion.drawing.cells import LOCKED
from tetrion.drawing.palette import DIM, RULE, STRONG, pieces_of
from tetrion.drawing.pen import PADDING, Box, Fitted, Pen
from tetrion.engine.pieces import PIECES
from tetrion.evaluation.words import clock, counted, figure, percent
from tetrion.position import has_levels
from tetrion.replay import Replay

LEFT, CHART = 200, 0.31  # how wide the left column is, and the share of the height that the chart has
GO = (("continue", "Continue from here", "C"), ("review", "Review", "V"), ("page", "Save page", "S"))
FASTER, SLOWER = (pygame.K_PLUS, pygame.K_EQUALS, pygame.K_KP_PLUS), (pygame.K_MINUS, pygame.K_KP_MINUS)


class ReplayScreen(Screen):
    """Plays a replay: a file, or one that is known already."""

    title, music = "Replay", True

    def __init__(self, window: Window, file: str = "", replay: Replay | None = None, move: int = 0) -> None:
        super().__init__(window)
        self.file, self.move = file, move
        self.loading = Loading(file, replay)
        self.playback: Playback | None = None
        self.moving = MovingBoard(window.settings.moves)
        self._sought = -1.0
        self._drawn: Curve | None = None

    @property
    def replay(self) -> Replay | None:
        """The replay, once it is read."""
        return self.loading.replay

    @property
    def player(self) -> str:
        """Who played."""
        return (self.replay.agent if self.replay else None) or PERSON

    # What goes on.

    def handle(self, event: pygame.event.Event) -> bool:
        """Change the speed by plus and minus, and by arrows where its slider has the focus."""
        if event.type != pygame.KEYDOWN or not (playback := self.playback):
            return False
        arrows = self.window.ui.focus == "speed"
        faster = event.key in FASTER or (arrows and event.key == pygame.K_RIGHT)
        slower = event.key in SLOWER or (arrows and event.key == pygame.K_LEFT)
        place = playback.speeds.index(playback.speed) + faster - slower
        playback.speed = playback.speeds[max(0, min(len(playback.speeds) - 1, place))]
        return faster or slower

    def update(self, seconds: float) -> None:
        """Let the replay go on."""
        if self.playback is None and self.loading.reel is not None:
            self.playback = Playback(self.loading.reel, auto=not self.move)
            self.playback.seek(self.move)
        if self.playback:
            self.playback.update(seconds)
            self.moving.update(seconds)
            self._tell(self.playback)

    def _tell(self, playback: Playback) -> None:
        """Let what has happened be heard and seen."""
        for lock in playback.locks:
            if playback.auto and playback.slowly:
                self.moving.lock(lock)
        self.moving.see(playback.active, playback.moves)
        if playback.locks:
            self.window.sound.play(heard_of_lock(max(lock.lines for lock in playback.locks)))
            if playback.auto and playback.game.over:
                self.window.sound.play("over")
            playback.locks.clear()

    def rest(self) -> None:
        """Pause."""
        if self.playback:
            self.playback.auto = False

    def leave(self) -> None:
        """Read no more."""
        self.loading.stop()

    def _act(self, action: str) -> None:
        playback = self.playback
        if playback is None:
            return
        if action == "play":
            if playback.over and not playback.auto:
                playback.seek(0)
            playback.auto = not playback.auto
        elif action in ("before", "step"):
            self._rest(playback)
            playback.step(1 if action == "step" else -1)
        elif action in ("first", "last"):
            self._rest(playback)
            playback.seek(0 if action == "first" else playback.reel.moves)
        elif action:
            self._rest(playback)
            self._go(action, playback)

    def _rest(self, playback: Playback) -> None:
        """Pause, and let nothing move."""
        playback.auto, self.moving = False, MovingBoard(self.window.settings.moves)

    def _go(self, action: str, playback: Playback) -> None:
        replay = playback.reel.replay
        if action == "review":
            self.window.go("review", file=self.file, replay=replay)
        elif action == "page":
            self.window.tell("The page is being written.")
            PageWriter(self.file, replay, self.window.tell)
        elif action == "continue":
            self.window.go("play", game=playback.reel.whole(playback.moves))

    # Drawing.

    def draw(self, ui: Ui) -> None:
        """Draw the game where it is, and the controls."""
        replay = self.replay
        chips = [rules_words(replay.rules), f"Seed {replay.seed}"] if replay else []
        room, leave = frame(ui, self.title, chips, self.player if replay else "")
        if self.playback:
            self._draw_game(ui, room, self.playback)
        else:
            leave = self._wait(ui, room) or leave
        if ui.files:
            self.window.replace(ReplayScreen(self.window, ui.files[-1]))
        elif leave and self.window.screen is self:
            self.window.back()

    def _wait(self, ui: Ui, room: Room) -> bool:
        """Say that it takes a while, or what is wrong; tells whether the person wants to leave."""
        if self.loading.problem:
            lines = [self.loading.problem]
            return bool(overlay(ui, room.content, "This replay cannot be played", lines, [("Back", "Esc")], 420))
        draw_loading(ui.pen, room.content, self.loading)
        return False

    def _draw_game(self, ui: Ui, room: Room, playback: Playback) -> None:
        content, gap, pen = room.content, room.gap, ui.pen
        side = 0 if room.form != "wide" else LEFT + gap
        fitted = pen.fitted(
            Box(content.left + side, content.top, content.width // 2, content.height), playback.game.rules.height, 0
        )
        self._board(pen, fitted, playback)
        high = beside(fitted.box, content)
        rest = Box(fitted.box.right + gap, content.top, content.right - fitted.box.right - gap, high)
        if side:
            self._left(pen, Box(content.left, content.top, LEFT, high), gap, playback)
        else:
            strip = Box(rest.left, rest.top, rest.width, 76)
            self._strip(pen, strip, playback)
            rest = Box(rest.left, strip.bottom + gap, rest.width, rest.bottom - strip.bottom - gap)
        chart = Box(rest.left, rest.bottom - max(170, round(CHART * rest.height)), rest.width, 0)
        chart.height = rest.bottom - chart.top
        top = Box(rest.left, rest.top, rest.width, chart.top - gap - rest.top)
        half = (top.width - gap) // 2
        used = self._game(ui, Box(top.right - half, top.top, half, top.height), playback)
        self._statistics(pen, Box(top.left, top.top, top.width - half - gap, top.height), playback)
        self._timeline(ui, chart, playback)
        used = self._footer(ui, room, playback) or used
        if not ui.focus:
            ui.want("play")
        if ui.pressed("Home"):
            used = "first"
        elif ui.pressed("End"):
            used = "last"
        self._act(used)

    def _board(self, pen: Pen, fitted: Fitted, playback: Playback) -> None:
        if playback.game.over and not self.moving.clearing:
            place = pen.point(fitted.box.topleft)
            draw_board(pen.surface, place, fitted.cell, playback.stack, out=True, look=pen.look)
            return
        active = None if self.moving.clearing and not playback.reel.timed else playback.active
        ghost = playback.target if self.window.settings.ghost and active else None
        self.moving.draw(pen, fitted, playback.stack, active=active, ghost=ghost)

    def _left(self, pen: Pen, box: Box, gap: int, playback: Playback) -> None:
        game = playback.game
        following = Box(box.left, box.top, box.width, 124)
        draw_next(pen, following, game.next)
        numbers = [
            ("Lines", f"{game.lines:,}"),
            *([("Level", f"{game.level:,}")] if has_levels(game.rules) else []),
            ("Pieces", f"{game.pieces:,}"),
            ("Points a line", figure(game.score / game.lines, 0) if game.lines else "–"),
        ]
        if playback.reel.timed:
            numbers.append(("Time", clock(game.frames / game.rules.frames)))
        score = Box(box.left, following.bottom + gap, box.width, 100 + 28 * len(numbers))
        inside = pen.panel(score, "Score")
        pen.text(f"{game.score:,}", (inside.left, inside.top + 12), 34, True, STRONG)
        for number, (label, value) in enumerate(numbers):
            pen.row(Box(inside.left, inside.top + 44 + 28 * number, inside.width, 28), label, value)
        top = score.bottom + gap
        if playback.reel.timed:
            self._keys(pen, Box(box.left, top, box.width, 104), playback)
            top += 104 + gap
        self._result(pen, Box(box.left, top, box.width, box.bottom - top), playback)

    def _result(self, pen: Pen, box: Box, playback: Playback) -> None:
        """How the game ended, as far as there is room."""
        result = playback.reel.replay.result
        rows = [(name.capitalize(), f"{result[name]:,}") for name in ("score", "lines", "pieces")]
        shown = rows[: (box.height - 44) // 28]
        if shown:
            title = "In the end" if result["over"] else "When it was left"
            inside = pen.panel(Box(box.left, box.top, box.width, 48 + 28 * len(shown)), title)
            for number, (label, value) in enumerate(shown):
                pen.row(Box(inside.left, inside.top + 28 * number - 2, inside.width, 28), label, value)

    def _keys(self, pen: Pen, box: Box, playback: Playback) -> None:
        inside = pen.panel(box, "Keys")
        left, top = inside.left, inside.top + 12
        for number, key in enumerate(playback.keys):
            label = CAPS[key]
            if left + pen.keycap_width(label) > inside.right:
                left, top = inside.left, top + 30
            state = "pressed" if number == len(playback.keys) - 1 else ""
            left += pen.keycap((left, top), label, state) + 6

    def _strip(self, pen: Pen, box: Box, playback: Playback) -> None:
        game = playback.game
        pen.panel(box)
        figures = [("Score", f"{game.score:,}"), ("Lines", f"{game.lines:,}")]
        if has_levels(game.rules):
            figures.append(("Level", f"{game.level:,}"))
        for number, (label, value) in enumerate([*figures, ("Pieces", f"{game.pieces:,}")]):
            pen.figure((box.left + PADDING + number * (box.width - 120) // 4, box.top + 24), label, value, 22)
        if game.next:
            pen.text("Next", (box.right - 56, box.top + 20), 14, False, DIM, align=0.5)
            pen.piece((box.right - 56, box.top + 50), 14, game.next[0])

    def _statistics(self, pen: Pen, box: Box, playback: Playback) -> None:
        inside = pen.panel(box, "Piece statistics", counted(playback.moves, "piece") if box.width > 260 else "")
        counts = playback.reel.counts(playback.moves)
        most, colours = max(1, *counts.values()), pieces_of(pen.look.palette)
        step = inside.height / len(PIECES)
        for number, piece in enumerate(ORDER):
            middle = round(inside.top + step * (number + 0.5))
            pen.piece((inside.left + 25, middle), min(13, step // 3), piece, LOCKED)
            right = inside.right - 52
            if right - inside.left > 90:
                pen.track(
                    Box(inside.left + 66, middle - 3, right - inside.left - 66, 6), counts[piece] / most, colours[piece]
                )
            pen.text(f"{counts[piece]:,}", (inside.right, middle), 16, True, STRONG, align=1)

    def _game(self, ui: Ui, box: Box, playback: Playback) -> str:
        """The clears so far, and what can be done with the game."""
        pen, inside = ui.pen, ui.pen.panel(box, "Clears")
        bottom = inside.bottom - 44 * len(GO) + 4
        clears = playback.reel.clears(playback.moves)
        lines = sum(number * times for number, times in enumerate(clears, 1))
        rate = percent(4 * clears[3] / lines) if clears[3] else "0 %" if lines else "–"
        rows = [*zip(NAMES, (f"{times:,}" for times in clears), strict=True), ("Tetris rate", rate)]
        step = max(25, min(36, (bottom - 16 - inside.top) // len(rows)))
        fit = max(1, (bottom - 12 - inside.top) // step)
        wide = inside.width if fit >= len(NAMES) else (inside.width - 24) // 2
        for number, (label, value) in enumerate(rows[: fit if fit >= len(NAMES) else 2 * fit]):
            left, top = inside.left + number // fit * (wide + 24), inside.top + number % fit * step
            pen.row(Box(left, top, wide, step), label, value)
        pen.rule(inside.left, bottom - 12, inside.width, RULE)
        used = ""
        for number, (name, words, key) in enumerate(GO):
            place = Box(inside.left, bottom + 44 * number, inside.width, 40)
            shown = words if button_width(pen, words, key) <= place.width else words.partition(" ")[0]
            enabled = name != "continue" or not playback.game.over
            used = name if button(ui, name, place, shown, key=key, enabled=enabled) else used
        return used

    def _timeline(self, ui: Ui, box: Box, playback: Playback) -> None:
        """The height of the stack, so far in colour, and a slider over all moves."""
        pen, reel = ui.pen, playback.reel
        inside = pen.panel(box, "Stack height", f"Move {playback.moves:,} of {reel.moves:,}")
        area = Box(inside.left, inside.top, inside.width, inside.height - 30)
        curve = self._curve(pen, area, playback)
        share = playback.moves / max(1, reel.moves)
        curve.draw(pen, area, share)
        left, right = area.left + curve.plane.box.left, area.left + curve.plane.box.right
        value = slider(ui, "seek", Box(left, inside.bottom - 14, right - left, 14), share, 0.0)
        if value != share and value != self._sought:
            self._sought = value
            self._rest(playback)
            playback.seek(round(value * reel.moves))

    def _curve(self, pen: Pen, area: Box, playback: Playback) -> Curve:
        if self._drawn is None or self._drawn.size != pen.rect(area).size or self._drawn.scale != pen.scale:
            self._drawn = Curve(pen, area, playback.reel.heights, playback.reel.replay.rules.height)
        return self._drawn

    def _footer(self, ui: Ui, room: Room, playback: Playback) -> str:
        words, sign = ("Pause", "pause") if playback.auto else ("Play", "play")
        wide = button_width(ui.pen, "Pause", "Space", "pause") + 8  # whatever it says
        play = Box(room.footer.left, room.footer.centery - BUTTON // 2, wide, BUTTON)
        played = button(ui, "play", play, words, key="Space", sign=sign, primary=True)
        rest = Box(play.right + 12, room.footer.top, room.footer.right - play.right - 12, room.footer.height)
        buttons = [
            Action("before", "", "←", "back", enabled=playback.moves > 0),
            Action("step", "", "→", "step", enabled=not playback.over),
        ]
        used, end = actions(ui, rest, buttons)
        told = told_speed(playback, room.compact)
        wide = ui.pen.width_of("1,000 a second" if room.compact else "1,000 moves a second", 14)
        track = Box(end + 80, room.footer.top, min(200, room.footer.right - end - 96 - wide), room.footer.height)
        ui.pen.text("Speed", (track.left - 16, track.centery), 14, False, DIM, align=1)
        count = len(playback.speeds) - 1
        share = playback.speeds.index(playback.speed) / count
        chosen = slider(ui, "speed", track, share, 1 / count)
        playback.speed = playback.speeds[round(chosen * count)]
        ui.pen.text(told, (track.right + 20, track.centery), 14, False, STRONG)
        left = track.right + 40 + wide
        if room.footer.right - left > 320:
            rest = Box(left, room.footer.top, room.footer.right - left, room.footer.height)
            legend(ui, rest, [(["Home", "End"], "First, last"), (["−", "+"], "Speed")], align=1)
        return "play" if played else used


def told_speed(playback: Playback, short: bool) -> str:
    """How fast a replay is played."""
    if not playback.reel.timed:
        return speed_words(playback.speed, short)
    return "Real time" if playback.speed == 1 else f"{playback.speed:g} × real time"
