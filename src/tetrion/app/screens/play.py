"""Play: a person's own game, with everything about it beside the board."""

from pathlib import Path

import pygame

from tetrion.app.adviser import Adviser
from tetrion.app.choices import rules_words
from tetrion.app.chrome import COMPACT, MEDIUM, WIDE, Legend, Room, frame, legend, overlay
from tetrion.app.deciding import PREPARING
from tetrion.app.play_panels import (
    COUNTS,
    FIGURES,
    HINT,
    NEXT,
    NEXT_STRIP,
    SCORE,
    SCORE_STILL,
    STRIP,
    STRIP_STILL,
    bar_scale,
    draw_best,
    draw_clears,
    draw_counts,
    draw_figures,
    draw_next,
    draw_score,
    draw_statistics,
    draw_strip,
)
from tetrion.app.play_start import Start
from tetrion.app.playing import Playing
from tetrion.app.readying import Readying
from tetrion.app.screen import Screen
from tetrion.app.shelf import PERSON, Score, keep_game, keep_score
from tetrion.app.start import made
from tetrion.app.ui import Ui, caption
from tetrion.app.window import Window
from tetrion.board import Placement
from tetrion.drawing.contours import HINT as DOTTED
from tetrion.drawing.contours import Contour
from tetrion.drawing.palette import ACCENT, BAD, DIM, FAINT, TEXT
from tetrion.drawing.pen import Box, Fitted
from tetrion.game import Game
from tetrion.position import Position

COLUMNS = {WIDE: 280, MEDIUM: 220, COMPACT: 300}  # the least for the one column
CHOOSING, WAITING, GOING, PAUSED, OVER = "choosing", "waiting", "going", "paused", "over"
BAR = 0.12  # seconds in which a bar reaches its length
MOVES = ("left", "right", "rotate", "back", "down", "drop")
WORDS = {"rotate": "Rotate", "back": "Rotate back", "down": "Soft drop", "drop": "Hard drop"}


class PlayScreen(Screen):
    """A person's game: choices first, then the game, paused or over in between.

    `game` is one that goes on, `position` one to begin from; with `start` a new game by the rules begins at once.
    """

    title = "Play"

    def __init__(
        self,
        window: Window,
        rules: str = "",
        seed: int | None = None,
        level: int | None = None,
        start: bool = False,
        position: Position | None = None,
        game: Game | None = None,
    ) -> None:
        super().__init__(window)
        chosen = window.settings
        self.start = Start(rules or chosen.play_rules, chosen.level, chosen.hint_agent, seed)
        if level is not None:
            self.start.level = level
        self.state = CHOOSING
        self.playing: Playing | None = None
        self.adviser = Adviser(chosen.hint_agent)
        self.hinting = False
        self.kept: Path | None = None
        self.place = 0
        self._asked: tuple[int, int] | None = None
        self._level = 0
        self._bars: dict[str, float] = {}
        self._readying = Readying()
        self._given, self._position = game, position
        if game or position or (start and not self.start.mistake):
            self._wait()

    # What happens.

    def handle(self, event: pygame.event.Event) -> bool:
        """Take the keys of the game."""
        if self.state != GOING or not self.playing:
            return False
        if event.type == pygame.KEYDOWN:
            if self._is(event, "pause"):
                self._pause()
                return True
            if self._is(event, "restart"):
                self._restart()
                return True
            if self._is(event, "hint"):
                self.hinting = not self.hinting
                return True
        return self.playing.hands.hear(event)

    def _is(self, event: pygame.event.Event, action: str) -> bool:
        return bool(event.key == pygame.key.key_code(self.window.settings.keys[action]))

    def update(self, seconds: float) -> None:
        """Let the game go on."""
        if self.start.told:
            self.window.tell(self.start.told)
            self.start.told = ""
        if self.state == WAITING and self._readying.done:
            self._begin()
        if self.state == PAUSED:
            self.window.sound.pause()
        playing = self.playing
        if not playing:
            return
        playing.moving.moves = self.window.settings.moves
        if self.state == GOING:
            for sound in playing.update(seconds):
                self.window.sound.play(sound)
            if playing.game.over:
                self._end()
        else:
            playing.moving.update(seconds)
        self._move_bars(playing, seconds)
        self._ask(playing)

    def _ask(self, playing: Playing) -> None:
        self.adviser.update()
        here = id(playing.game), playing.game.pieces
        if self.hinting and self.state == GOING and here != self._asked:
            self._asked = here
            self.adviser.ask(playing.game.position)

    @property
    def hint(self) -> Placement | None:
        """Where the agent would play the current piece."""
        decision, playing = self.adviser.decision, self.playing
        if not self.hinting or not decision or not playing:
            return None
        return decision.placement if decision.position.pieces == playing.game.pieces else None

    def _wait(self) -> None:
        """Begin as soon as the engine is ready."""
        self.state = WAITING
        if self._readying.done:
            self._begin()

    def _begin(self) -> None:
        chosen, game, position = self.window.settings, self._given, self._position
        self._given = self._position = None
        mine = game is None and position is None
        if game is None:
            if position is not None:
                game = Game.from_position(position, self.start.next_seed())
            elif (rules := self.start.rules) is not None:
                game = Game(rules, self.start.next_seed())
            else:
                self.state = CHOOSING
                return
        if mine:
            self.window.choose(
                play_rules=self.start.rules_text, level=self.start.level, hint_agent=self.start.hint_agent
            )
        self.adviser.change(self.start.hint_agent)
        if self.adviser.problem:
            self.adviser.close()
        self.playing = Playing(game, chosen.keys, chosen.moves, begun_here=mine)
        self.state, self.kept, self.place, self._asked = GOING, None, 0, None
        self._level, self._bars = game.level, {}
        self.music = True
        self.window.sound.resume()
        self.window.apply_sound()
        if game.over:
            self._end()

    def _pause(self) -> None:
        if self.state == GOING and self.playing:
            self.playing.hands.let_go()
            self.state = PAUSED
            self.window.sound.pause()

    def _continue(self) -> None:
        self.state = GOING
        self.window.sound.resume()

    def _restart(self) -> None:
        self._keep()
        if self.start.rules is None:
            self._choose()
        else:
            self._begin()

    def _choose(self) -> None:
        self._keep()
        self.playing, self.state, self.music = None, CHOOSING, False
        self.start.scores_changed()
        self.window.sound.resume()
        self.window.apply_sound()

    def _end(self) -> None:
        self.state, self.music = OVER, False
        self.window.apply_sound()
        self._keep()

    def _keep(self) -> None:
        """Keep the game and its score, once."""
        playing = self.playing
        if not playing or not playing.placed or playing.first_piece < 0:
            return
        playing.first_piece = -1
        self.kept, told = keep_game(playing.game, PERSON)
        if playing.begun_here:
            self.place, problem = keep_score(playing.game)
            told = told or problem
            self.start.scores_changed()
        if told:
            self.window.tell(told)

    def rest(self) -> None:
        """Pause when the window loses the focus."""
        self._pause()

    def resume(self) -> None:
        """After a review, the end of the game is seen again."""
        self.window.apply_sound()

    def leave(self) -> None:
        """Keep the game."""
        if self.playing:
            self.playing.hands.let_go()
        self._keep()
        self.adviser.close()
        self.window.sound.resume()

    # What is seen.

    def draw(self, ui: Ui) -> None:
        """Draw the choices or the game."""
        playing = self.playing
        rules = playing.game.rules if playing else self.start.rules
        chips = [rules_words(rules)] if rules else []
        if playing:
            chips.append(f"Seed {playing.game.seed}")
        room, leave = frame(ui, self.title, chips=chips)
        if playing:
            self._draw_game(ui, room, playing)
        elif self.state == WAITING:
            self._draw_waiting(ui, room)
        else:
            self._draw_choices(ui, room)
        if leave or (self.state in (PAUSED, OVER) and ui.pressed("Esc")):
            self.window.back()

    def _draw_choices(self, ui: Ui, room: Room) -> None:
        used = self.start.draw(ui, room)
        if self.start.rules:
            legend(ui, room.footer, self._legend(self.start.rules.keys.split("+")))
        if used:
            self.window.sound.play("choose")
        if used == "start":
            self._wait()
        elif used == "practice":
            rules = str(self.start.rules or self.window.settings.play_rules)
            self.window.open(made(self.window, "practice", rules=rules, agent=self.start.hint_agent))

    def _draw_waiting(self, ui: Ui, room: Room) -> None:
        problem = self._readying.problem
        headline = "The engine has failed" if problem else "One moment"
        if overlay(ui, room.content, headline, [problem or PREPARING], [("Menu", "")], width=380):
            self.window.back()

    def _draw_game(self, ui: Ui, room: Room, playing: Playing) -> None:
        content, rules = room.content, playing.game.rules
        column, sides = COLUMNS[room.form], 1 if room.compact else 2
        space = content.width - sides * (column + room.gap)
        fitted = ui.pen.fitted(Box(content.left, content.top, space, content.height), rules.height, align=0)
        if room.compact:
            self._draw_column(ui, room, Box(fitted.box.right + room.gap, content.top, 0, content.height), playing)
        else:
            whole = fitted.box.width + 2 * (column + room.gap)
            left = Box(content.left + (content.width - whole) // 2, content.top, column, content.height)
            fitted = Fitted(fitted.cell, fitted.box.move(left.right + room.gap - fitted.box.left, 0))
            self._draw_left(ui, room, left, playing)
            right = Box(fitted.box.right + room.gap, content.top, column, content.height)
            self._draw_right(ui, room, right, playing)
        self._draw_board(ui, fitted, playing)
        legend(ui, room.footer, self._legend(rules.keys.split("+"), playing=True))
        self._draw_overlays(ui, fitted.box, playing)

    def _draw_board(self, ui: Ui, fitted: Fitted, playing: Playing) -> None:
        game, settings = playing.game, self.window.settings
        active = None if game.over else game.falling
        ghost = game.ghost if active and settings.ghost else None
        contours: list[tuple[Placement, Contour]] = []
        if self.hint and active:
            contours.append((self.hint, DOTTED))
        if ghost in (active, self.hint):
            ghost = None
        playing.moving.draw(ui.pen, fitted, playing.follower.stack, active=active, ghost=ghost, contours=contours)

    def _draw_overlays(self, ui: Ui, board: Box, playing: Playing) -> None:
        keys = self.window.settings.keys
        restart, pause = key_label(keys["restart"]), key_label(keys["pause"])
        if self.state == PAUSED:
            used = overlay(ui, board, "Paused", [], [("Continue", pause), ("Restart", restart), ("Menu", "")])
        elif self.state == OVER:
            buttons = [("Play again", restart), *([("Review", "")] if self.kept else []), ("Menu", "")]
            used = overlay(ui, board, "Game over", self._result(playing), buttons)
        else:
            return
        if used:
            self.window.sound.play("choose")
        if used == "Continue":
            self._continue()
        elif used in ("Restart", "Play again"):
            self._restart()
        elif used == "Review":
            self.window.open(made(self.window, "review", file=self.kept))
        elif used == "Menu":
            self.window.back()

    def _result(self, playing: Playing) -> list[str]:
        game = playing.game
        lines = "1 line" if game.lines == 1 else f"{game.lines:,} lines"
        points = "1 point" if game.score == 1 else f"{game.score:,} points"
        place = "Your best game" if self.place == 1 else f"Number {self.place} of your best games"
        return [f"{lines}, {points}", *([place] if self.place else [])]

    # The columns beside the board.

    def _draw_left(self, ui: Ui, room: Room, box: Box, playing: Playing) -> None:
        high = SCORE if playing.progress else SCORE_STILL
        score = Box(box.left, box.top, box.width, high)
        draw_score(ui.pen, score, playing, playing.game.level, self._best(), self._bars.get("level", 0.0))
        rest = Box(box.left, score.bottom + room.gap, box.width, box.bottom - score.bottom - room.gap)
        draw_statistics(ui.pen, rest, playing, self._bars)

    def _draw_right(self, ui: Ui, room: Room, box: Box, playing: Playing) -> None:
        top = box.top
        if self.state == OVER:
            best = Box(box.left, top, box.width, NEXT + room.gap + HINT)
            draw_best(ui.pen, best, self._scores(playing), self.place)
            top = best.bottom + room.gap
        else:
            if playing.game.rules.preview:
                draw_next(ui.pen, Box(box.left, top, box.width, NEXT), self._next(playing))
                top += NEXT + room.gap
            high = HINT if room.form == WIDE else HINT - 26
            self._draw_hint(ui, Box(box.left, top, box.width, high), explained=room.form == WIDE)
            top += high + room.gap
        draw_clears(ui.pen, Box(box.left, top, box.width, box.bottom - top), playing)

    def _draw_column(self, ui: Ui, room: Room, box: Box, playing: Playing) -> None:
        """Everything in one column, as far as there is room; its box has no width yet."""
        pen, left = ui.pen, box.left
        wide, top = room.content.right - left, box.top
        high = STRIP if playing.progress else STRIP_STILL
        share = self._bars.get("level", 0.0)
        draw_strip(pen, Box(left, top, wide, high), playing, playing.game.level, self._best(), share)
        top += high + room.gap
        if self.state == OVER:
            draw_best(pen, Box(left, top, wide, NEXT_STRIP + HINT + COUNTS), self._scores(playing), self.place)
            return
        if playing.game.rules.preview:
            draw_next(pen, Box(left, top, wide, NEXT_STRIP), self._next(playing))
            top += NEXT_STRIP + room.gap
        draw_counts(pen, Box(left, top, wide, COUNTS), playing)
        top += COUNTS + room.gap
        self._draw_hint(ui, Box(left, top, wide, HINT - 26), explained=False)
        top += HINT - 26 + room.gap
        if top + FIGURES <= box.bottom:
            panel = Box(left, top, wide, FIGURES)
            pen.panel(panel)
            draw_figures(pen, panel.inflate(-32, -16), playing)

    def _next(self, playing: Playing) -> str:
        return playing.game.next[: playing.game.rules.preview]

    def _draw_hint(self, ui: Ui, box: Box, *, explained: bool) -> None:
        pen, key = ui.pen, key_label(self.window.settings.keys["hint"])
        inside = pen.panel(box, "Hint")
        wide = pen.keycap_width(key)
        switch = Box(inside.right - wide, box.top + 11, wide, 24)
        touch = ui.control("hint", switch, radius=6)
        pen.keycap((switch.left, box.top + 23), key)
        if touch.activated:
            self.hinting = not self.hinting
        short = pen.width_of(f"{self.adviser.name} would play here") + 20 > inside.width
        dot, line, below, ink = self._hint_words(short=short)
        pen.disc((inside.left + 6, box.top + 56), 4, dot)
        if self.adviser.problem and self.hinting:
            most = 3 if explained else 2
            pen.paragraph(line, (inside.left + 20, box.top + 56), inside.width - 20, 14, ink, most=most)
            return
        pen.text(pen.cut(line, inside.width - 20), (inside.left + 20, box.top + 56), 16, False, ink)
        if explained:
            pen.text(pen.cut(below, inside.width - 20, 14), (inside.left + 20, box.top + 82), 14, False, DIM)

    def _hint_words(self, *, short: bool) -> tuple[str, str, str, str]:
        """The colour of the dot, the line, what stands below it, and the line's colour."""
        name, adviser = self.adviser.name, self.adviser
        if not self.hinting:
            return FAINT, "Off", f"Ask {name} where to play.", DIM
        if adviser.problem:
            return BAD, adviser.problem, "", TEXT
        if self.hint is None:
            below = "Preparing the engine for it." if adviser.preparing else f"{name} decides."
            return FAINT, "Thinking…", below, DIM
        return ACCENT, name if short else f"{name} would play here", "The dotted outline on the board.", TEXT

    def _best(self) -> int | None:
        playing = self.playing
        if not playing or not playing.begun_here:
            return None
        scores = self._scores(playing)
        return scores[0].score if scores else None

    def _scores(self, playing: Playing) -> list[Score]:
        return self.start.scores_of(playing.game.rules)

    def _move_bars(self, playing: Playing, seconds: float) -> None:
        scale = bar_scale(playing)
        wanted = {letter: count / scale for letter, count in playing.follower.counts.items()}
        if progress := playing.progress:
            wanted["level"] = progress.done / max(1, progress.whole)
        part = min(1.0, seconds / BAR) if self.window.settings.moves else 1.0
        for name, share in wanted.items():
            now = self._bars.get(name, 0.0)
            self._bars[name] = share if abs(share - now) < 0.004 else now + (share - now) * part

    def _legend(self, there: list[str], playing: bool = False) -> Legend:
        keys = {action: key_label(name) for action, name in self.window.settings.keys.items()}
        entries: list[tuple[list[str], str]] = [([keys["left"], keys["right"]], "Move")]
        entries += [([keys[action]], WORDS[action]) for action in MOVES[2:] if action in there]
        return [*entries, ([keys["hint"]], "Hint"), ([keys["pause"]], "Pause"), ([keys["restart"]], "Restart")]


def key_label(name: str) -> str:
    """What stands on the keycap of a key by its name."""
    return caption(pygame.key.key_code(name))
