"""Play: a person's own game, with everything about it beside the board."""

from pathlib import Path

import pygame

from tetrion.app.choices import rules_words
from tetrion.app.games.hinting import Hinting
from tetrion.app.games.playing import Playing
from tetrion.app.screen import Screen
from tetrion.app.screens.play_panels import (
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
from tetrion.app.screens.play_start import Start
from tetrion.app.shelf import PERSON, Score, keep_game, keep_score
from tetrion.app.toolkit.chrome import COMPACT, MEDIUM, WIDE, Legend, Room, frame, legend, overlay
from tetrion.app.toolkit.ui import Ui, caption
from tetrion.app.window import Window
from tetrion.board import Placement
from tetrion.drawing.contours import HINT as DOTTED
from tetrion.drawing.contours import Contour
from tetrion.drawing.pen import Box, Fitted
from tetrion.evaluation.words import counted
from tetrion.game import Game

COLUMNS = {WIDE: 280, MEDIUM: 220, COMPACT: 300}  # the least for the one column
STARTLED = 0.5  # seconds after the end in which keys are still those of the game
CHOOSING, GOING, PAUSED, OVER = "choosing", "going", "paused", "over"
BAR = 0.12  # seconds in which a bar reaches its length
LEAST_STATISTICS, LEAST_CLEARS = 270, 290  # heights below which panels hide
MOVES = ("left", "right", "rotate", "back", "down", "drop")
WORDS = {"rotate": "Rotate", "back": "Rotate back", "down": "Soft drop", "drop": "Hard drop"}


class PlayScreen(Screen):
    """A person's game: choices first, then the game, paused or over in between.

    `game` is one that goes on; with `start` a new game by the rules begins at once.
    """

    title = "Play"

    def __init__(
        self,
        window: Window,
        rules: str = "",
        seed: int | None = None,
        level: int | None = None,
        start: bool = False,
        game: Game | None = None,
    ) -> None:
        super().__init__(window)
        chosen, wanted = window.settings, str(game.rules) if game else rules
        self.start = Start(wanted or chosen.play_rules, chosen.level, chosen.hint_agent, seed)
        if level is not None:
            self.start.level = level
        self.state, self._since_over = CHOOSING, 0.0
        self.playing: Playing | None = None
        self.hinting = Hinting(chosen.hint_agent)
        self.kept: Path | None = None
        self.place = 0
        self._bars: dict[str, float] = {}
        if game:
            self._begin(game, mine=False)
        elif start:
            self._begin_anew()

    # What happens.

    def handle(self, event: pygame.event.Event) -> bool:
        """Take the keys of the game."""
        if self.state == OVER and event.type == pygame.KEYDOWN and self._since_over < STARTLED:
            return True  # meant for the game
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
                self.hinting.on = not self.hinting.on
                return True
        return self.playing.hands.hear(event)

    def _is(self, event: pygame.event.Event, action: str) -> bool:
        return bool(event.key == pygame.key.key_code(self.window.settings.keys[action]))

    def update(self, seconds: float) -> None:
        """Let the game go on."""
        if self.start.told:
            self.window.tell(self.start.told)
            self.start.told = ""
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
            self._since_over += seconds
            playing.moving.update(seconds)
        self._move_bars(playing, seconds)
        self.hinting.update(playing.game, self.state == GOING)

    @property
    def hint(self) -> Placement | None:
        """Where the agent would play the current piece."""
        return self.hinting.place(self.playing.game) if self.playing else None

    def _begin_anew(self) -> None:
        """Begin a game by what is chosen, and remember that."""
        if (rules := self.start.rules) is None:
            return
        chosen = self.start
        self.window.choose(play_rules=chosen.rules_text, level=chosen.level, hint_agent=chosen.hint_agent)
        self._begin(Game(rules, chosen.next_seed()), mine=True)

    def _begin(self, game: Game, *, mine: bool) -> None:
        settings = self.window.settings
        self.hinting.begin(self.start.hint_agent)
        self.playing = Playing(game, settings.keys, settings.moves, begun_here=mine)
        self.state, self.kept, self.place, self._bars = GOING, None, 0, {}
        self._set_music(True)
        if game.over:
            self._end()

    def _set_music(self, on: bool) -> None:
        self.music = on
        self.window.sound.resume()
        self.window.apply_sound()

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
        self._begin_anew()

    def _end(self) -> None:
        self.state, self._since_over = OVER, 0.0
        self._set_music(False)
        self._keep()

    def _keep(self) -> None:
        """Keep the game and its score, once."""
        playing = self.playing
        if not playing or not playing.placed or playing.kept:
            return
        playing.kept = True
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
        """After practice or a review: scores and settings may have changed."""
        self.start.scores_changed()

    def leave(self) -> None:
        """Keep the game."""
        if self.playing:
            self.playing.hands.let_go()
        self._keep()
        self.hinting.close()
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
        else:
            self._draw_choices(ui, room)
        leave = leave or (self.state in (PAUSED, OVER) and ui.pressed("Esc"))
        if leave and self.window.screen is self:
            self.window.back()

    def _draw_choices(self, ui: Ui, room: Room) -> None:
        used = self.start.draw(ui, room)
        if self.start.rules:
            legend(ui, room.footer, self._legend(self.start.rules.keys.split("+")))
        if used:
            self.window.sound.play("choose")
        if used == "start":
            self._begin_anew()
        elif used == "practice":
            rules = str(self.start.rules or self.window.settings.play_rules)
            self.window.go("practice", rules=rules, agent=self.start.hint_agent)

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
        legend(ui, room.footer, self._legend(rules.keys.split("+")))
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
            self.window.go("review", file=self.kept)
        elif used == "Menu":
            self.window.back()

    def _result(self, playing: Playing) -> list[str]:
        game = playing.game
        place = "Your best game" if self.place == 1 else f"Number {self.place} of your best games"
        return [f"{counted(game.lines, 'line')}, {counted(game.score, 'point')}", *([place] if self.place else [])]

    # The columns beside the board.

    def _draw_left(self, ui: Ui, room: Room, box: Box, playing: Playing) -> None:
        high = SCORE if playing.progress else SCORE_STILL
        score = Box(box.left, box.top, box.width, high)
        draw_score(ui.pen, score, playing, playing.game.level, self._best(), self._bars.get("level", 0.0))
        rest = Box(box.left, score.bottom + room.gap, box.width, box.bottom - score.bottom - room.gap)
        if rest.height >= LEAST_STATISTICS:
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
            self._draw_hint(ui, Box(box.left, top, box.width, high), playing, explained=room.form == WIDE)
            top += high + room.gap
        if box.bottom - top >= LEAST_CLEARS:
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
        self._draw_hint(ui, Box(left, top, wide, HINT - 26), playing, explained=False)
        top += HINT - 26 + room.gap
        if top + FIGURES <= box.bottom:
            panel = Box(left, top, wide, FIGURES)
            pen.panel(panel)
            draw_figures(pen, panel.inflate(-32, -16), playing)

    def _next(self, playing: Playing) -> str:
        return playing.game.next[: playing.game.rules.preview]

    def _draw_hint(self, ui: Ui, box: Box, playing: Playing, *, explained: bool) -> None:
        key = key_label(self.window.settings.keys["hint"])
        self.hinting.draw(ui, box, playing.game, key, explained=explained)

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

    def _legend(self, there: list[str]) -> Legend:
        keys = {action: key_label(name) for action, name in self.window.settings.keys.items()}
        entries: list[tuple[list[str], str]] = [([keys["left"], keys["right"]], "Move")]
        entries += [([keys[action]], WORDS[action]) for action in MOVES[2:] if action in there]
        return [*entries, ([keys["hint"]], "Hint"), ([keys["pause"]], "Pause"), ([keys["restart"]], "Restart")]


def key_label(name: str) -> str:
    """What stands on the keycap of a key by its name."""
    return caption(pygame.key.key_code(name))
