"""Watch: an agent plays and shows its reasons."""

import threading
from contextlib import nullcontext

from tetrion.app.choices import rules_words
from tetrion.app.games.playing import heard_of_lock
from tetrion.app.games.seat import MOST_KEPT, SLIDES_UP_TO, USUAL_SPEED, Seat
from tetrion.app.readiness import PREPARING
from tetrion.app.screen import Screen
from tetrion.app.screens.watch_board import draw_seat
from tetrion.app.screens.watch_cast import Cast, Casting, dropped
from tetrion.app.screens.watch_panels import STRIP, Watched
from tetrion.app.shelf import keep_game
from tetrion.app.toolkit.chrome import OVERLAY, Room, frame, legend, legend_width, overlay
from tetrion.app.toolkit.controls import BUTTON, button, button_width
from tetrion.app.toolkit.speeds import changed, speed_slider
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.boards import draw_board
from tetrion.drawing.candidates import SHADED
from tetrion.drawing.palette import OUTLINE, WHITE, mixed
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.stack import Stack
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.words import counted, figure
from tetrion.game import Game

SIDE = 200  # units
PATIENT = 0.5  # seconds after which an agent that still decides is spoken of
LONG_GAME = 2000  # pieces, from which on a game is written beside the window
MISTAKE, MOST_CHIP = 420, 240  # units


class WatchScreen(Screen):
    """An agent's game, move by move or by thousands; `agent` and `rules` are as a person types them."""

    title = "Watch"
    music = True

    def __init__(
        self, window: Window, agent: str = "", rules: str = "", seed: int | None = None, auto: bool = False
    ) -> None:
        super().__init__(window)
        chosen = window.settings
        known = (
            Cast(agent, rules, 0) if agent else Cast(chosen.watch_agent, rules or chosen.watch_rules, chosen.watch_seed)
        )
        self.cast = known if seed is None else known._replace(seed=int(seed))
        self.casting = Casting()
        self.thinking, self.speed, self.auto = True, USUAL_SPEED, auto
        self.seat: Seat | None = None
        self.problem = ""
        self._kept: Game | None = None
        self._locked = self._waited = 0.0
        self.watched = Watched()
        self._begin()

    # The game.

    def _begin(self) -> None:
        """Begin a game with who is chosen."""
        self._end()
        self.problem, self.watched = "", Watched()
        try:
            agent, rules = self.cast.loaded()
            self.seat = Seat(agent, rules, self.cast.seed, best=self._best, speed=self.speed, auto=self.auto)
        except TetrionError as mistake:
            self.problem = str(mistake)

    def _end(self) -> None:
        if self.seat is not None:
            self.seat.close()
            self._keep(self.seat)
            self.seat = None

    def _keep(self, seat: Seat) -> None:
        """Keep a game once, as far as it has come; a long one is written by somebody else."""
        game = seat.game
        if game is self._kept or not game.pieces:
            return
        self._kept = game
        if not seat.whole:
            self.window.tell(f"A game of more than {MOST_KEPT:,} pieces is not kept.")
        elif game.pieces < LONG_GAME:
            self._write(game, seat.name)
        else:
            threading.Thread(target=self._write, args=(game, seat.name), name="tetrion-keeps").start()

    def _write(self, game: Game, player: str) -> None:
        if told := keep_game(game, player)[1]:
            self.window.tell(told)

    @property
    def _best(self) -> int:
        return SHADED if self.thinking else 0

    def restart(self) -> None:
        """Begin the game anew."""
        if self.seat is None:
            self._begin()
            return
        self.seat.settle()
        self._keep(self.seat)
        self.seat.restart()
        self.watched = Watched()

    def choose(self, cast: Cast) -> None:
        """Let somebody else play, at once; who it is is remembered."""
        if cast != self.cast:
            self.cast = cast
            self.window.choose(watch_agent=cast.agent, watch_rules=cast.rules, watch_seed=cast.seed)
            self._begin()

    def update(self, seconds: float) -> None:
        """Let the game go on."""
        self._locked += 1000 * seconds
        if (seat := self.seat) is None:
            return
        seat.best, seat.speed, seat.auto = self._best, self.speed, self.auto and not self.casting.is_open
        seat.update(seconds)
        self._waited = self._waited + seconds if seat.thinking else 0.0
        if seat.locks:
            self._locked = 0.0
            if self.speed <= SLIDES_UP_TO:
                self.window.sound.play(heard_of_lock(seat.locks[-1].lines))
            seat.locks.clear()
        if seat.game.over and self._kept is not seat.game:
            self.window.sound.play("over")
            self._keep(seat)

    def leave(self) -> None:
        """End the game, and keep it."""
        self._end()

    # What is seen.

    def draw(self, ui: Ui) -> None:
        """Draw the board, the panels around it and the controls."""
        with self.seat.held() if self.seat else nullcontext():
            self._draw(ui)

    def _draw(self, ui: Ui) -> None:
        room, leave = frame(ui, self.title)
        self._chips(ui, room)
        board = self._content(ui, room)
        self._footer(ui, room)
        left = self._overlays(ui, board)
        if self.casting.is_open:
            self.choose(self.casting.draw(ui, self.cast))
        if ui.files and not self.casting.picking:
            self.choose(self.cast._replace(agent=dropped(ui.files[-1])))
        self._keys(ui)
        if not ui.focus:
            ui.want("auto" if self.auto else "next")
        if leave or left:
            self.window.back()
        elif ui.pressed("Q") and not self.casting.is_open:
            self.window.close()

    def _keys(self, ui: Ui) -> None:
        """Keys that have no button, while nobody types."""
        if self.casting.is_open:
            return
        for event in ui.keys:
            sign = getattr(event, "unicode", "")
            self.speed = changed(self.speed, {"+": 1, "=": 1, "-": -1, "−": -1}.get(sign, 0))
        if ui.pressed("T"):
            self.thinking = not self.thinking
        if ui.pressed("A"):
            self.casting.open(ui)

    def _chips(self, ui: Ui, room: Room) -> None:
        """Who plays, by which rules, with which pieces: in the header, to be changed by a click."""
        pen, middle = ui.pen, 28
        rules = rules_words(self.seat.rules) if self.seat else self.cast.rules or "Rules"
        chips = [("agent", self.name), ("rules", rules), ("seed", f"Seed {self.cast.seed}")]
        if room.compact:
            place = room.content.left + 34 + pen.width_of(self.title, 17, True) + 16
            self._chip(ui, *chips[0], place + chip_width(pen, *chips[0]), 24)
            return
        right = room.content.right - pen.keycap_width("Esc") - 8 - pen.width_of("Menu", 14) - 16
        left = right - sum(chip_width(pen, *chip) + 8 for chip in chips) + 8
        for name, words in chips:
            left += chip_width(pen, name, words)
            self._chip(ui, name, words, left, middle)
            left += 8

    def _chip(self, ui: Ui, name: str, words: str, right: int, middle: int) -> None:
        pen, dot = ui.pen, name == "agent"
        wide = chip_width(pen, name, words)
        words = pen.cut(words, MOST_CHIP - 24 - 14 * dot, 14)
        box = Box(right - wide, middle - 14, wide, 28)
        touch = ui.control(f"{name} chip", box, radius=14)
        pen.chip(right, middle, words, dot)
        if touch.hovered:
            pen.ring(box, 14, mixed(OUTLINE, WHITE, 0.3), 1)
        if touch.activated:
            self.casting.open(ui, name)

    @property
    def name(self) -> str:
        """The agent's name."""
        return self.seat.name if self.seat else self.cast.agent

    def _content(self, ui: Ui, room: Room) -> Box:
        """Draw what lies between header and footer; gives back where the board is."""
        pen, content, gap = ui.pen, room.content, room.gap
        wide = room.form == "wide"
        rules = self.seat.rules if self.seat else Rules.preset("standard")
        left = content.left + (SIDE + gap if wide else 0)
        fitted = pen.fitted(Box(left, content.top, content.right - left - 300, content.height), rules.height, 0)
        if self.seat:
            draw_seat(pen, fitted, self.seat, self.window.settings, self.thinking, self._locked)
        else:
            draw_board(pen.surface, pen.point(fitted.box.topleft), fitted.cell, Stack(height=20), look=pen.look)
        rest = Box(fitted.box.right + gap, content.top, content.right - fitted.box.right - gap, content.height)
        if self.seat is None:
            pen.panel(rest, "Thinking")
            return fitted.box
        self.watched.update(self.seat)
        if wide:
            side = Box(content.left, content.top, SIDE, content.height)
            self.watched.draw_side(pen, side, gap, self.seat, self.speed <= SLIDES_UP_TO)
        else:
            self.watched.draw_strip(pen, Box(rest.left, rest.top, rest.width, STRIP), self.seat)
            rest = Box(rest.left, rest.top + STRIP + gap, rest.width, rest.height - STRIP - gap)
        time = self._time() if self.thinking else None
        self.watched.draw_reasons(pen, rest, gap, wide, self.seat, time)
        return fitted.box

    def _time(self) -> str:
        """How long the agent has thought, or still does."""
        seat = self.seat
        if seat is None or seat.problem or seat.decider.preparing:
            return ""
        if self._waited > PATIENT:
            return f"deciding since {self._waited:.0f} s"
        if (seconds := self.watched.seconds) is None:
            return ""
        return f"{figure(seconds, 1)} s" if seconds >= 1 else f"{figure(1000 * seconds, 1)} ms"

    def _footer(self, ui: Ui, room: Room) -> None:
        """Buttons, the speed, and keys without a button."""
        pen, footer, auto = ui.pen, room.footer, self.auto
        over = self.seat is None or self.seat.game.over or bool(self.problem or self.seat.problem)
        gap, left = 12, footer.left
        autoplay = max(button_width(pen, words, "Space", "play") for words in ("Autoplay", "Pause")) + 8
        for name, words, key, sign, wide in (
            ("next", "Next move", "N", "step", button_width(pen, "Next move", "N", "step") + 8),
            ("auto", "Pause" if auto else "Autoplay", "Space", "pause" if auto else "play", autoplay),
            ("restart", "Restart", "R", "", button_width(pen, "Restart", "R") + 8),
        ):
            place = Box(left, footer.centery - BUTTON // 2, wide, BUTTON)
            enabled = name == "restart" or (not over and not (auto and name == "next"))
            primary = name == ("auto" if auto else "next")
            if button(ui, name, place, words, key=key, sign=sign, primary=primary, enabled=enabled):
                self._act(name)
            left = place.right + gap
        keys = [(["T"], "Thinking"), (["A"], "Agent"), (["Q"], "Quit")]
        need = 56 + 120 + 170
        shown = not room.compact and legend_width(pen, keys, True) + need + 48 <= footer.right - left
        right = footer.right - (legend_width(pen, keys, True) + 24 if shown else 0)
        speed = Box(left + (58 if shown else 12), footer.top, right - left - (58 if shown else 12), footer.height)
        self.speed = speed_slider(ui, speed, self.speed, short=room.compact)
        if shown:
            legend(ui, footer, keys, align=1)

    def _act(self, name: str) -> None:
        if name == "restart":
            self.restart()
        elif name == "auto":
            self.auto = not self.auto
        elif self.seat is not None:
            self.seat.step()

    def _overlays(self, ui: Ui, board: Box) -> bool:
        """What lies over the board: a mistake, the end, or why one waits; tells whether the person leaves."""
        seat, used = self.seat, ""
        problem = self.problem or (seat.problem if seat else "")
        if self.casting.is_open:
            return False
        if problem:
            lines = [problem, "A chooses another agent or other rules."]
            wide = max(OVERLAY, min(MISTAKE, board.width - 8))
            used = overlay(ui, board, "This does not work", lines, [("Restart", "R"), ("Menu", "")], wide)
        elif seat and seat.game.over:
            game = seat.game
            told = f"{counted(game.lines, 'line')}, {counted(game.score, 'point')}"
            used = overlay(ui, board, "Game over", [told], [("Restart", "R"), ("Menu", "")])
        elif seat and seat.decider.preparing:
            overlay(ui, board, "One moment", [PREPARING], [])
        if used == "Restart":
            self.restart()
        return used == "Menu" or ui.pressed("Esc")


def chip_width(pen: Pen, name: str, words: str) -> int:
    """How wide a chip of the header is."""
    dot = name == "agent"
    return pen.chip_width(pen.cut(words, MOST_CHIP - 24 - 14 * dot, 14), dot)
