"""`tetrion play --text`: a person's game in the terminal, with the rules, keys, replays and best scores of the window.

The game advances with the clock, whatever is drawn. A frame contains only the cells that have changed.
"""

import os
import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from random import randrange
from types import FrameType
from typing import NamedTuple

from rich.color import Color, ColorSystem

from tetrion.app.game_storage import HUMAN_PLAYER, load_best_scores, save_best_score, save_game, select_best_scores
from tetrion.app.games.human_rules import MARATHON, MODES, GameMode, can_have_garbage, count_entry_rows, get_min_level
from tetrion.app.games.played_game import (
    GAME_OVER_KEY_DELAY,
    ActionQueue,
    PlayedGame,
    describe_result,
    format_time,
    get_countdown_seconds,
    get_countdown_text,
)
from tetrion.app.window_settings import WindowSettings, get_main_key, load_settings, save_settings
from tetrion.board import EMPTY_CELL, UNKNOWN_CELL
from tetrion.cli.console_output import CleanConsole, echo, print_notice, wrap_text
from tetrion.cli.keyboard import (
    ASK_FOR_RELEASES,
    END_REPORTS,
    FOCUS_LOST,
    REPORT_RELEASES,
    KeyDecoder,
    TerminalKeyEvent,
    can_write,
    disable_echo,
    has_keyboard,
    read_input,
    write_terminal,
)
from tetrion.drawing.palette import ACCENT, NEGATIVE, UNKNOWN_PIECE_COLOUR, get_piece_colours
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.records import GAME_KEYS
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import NO_VALUE, format_duration, format_number
from tetrion.game import Game
from tetrion.game_facts import VisiblePieces, get_flat_drawing, has_attack_layout
from tetrion.interrupts import EXIT_STOPPED, exit_on_termination, report_stop
from tetrion.position import describe_counters, uses_levels
from tetrion.text_cleaning import clean_text, join_command

_FRAME_SECONDS = 1 / 60
_IDLE_SECONDS = 0.1  # between two frames while no game is running
_MAX_STEP_SECONDS = 0.25  # a longer delay is not caught up
_RANDOM_SEED_COUNT = 1_000_000
_HANG_UP_EXIT_CODE = 129  # 128 + SIGHUP
_MAX_COLUMNS, _MAX_LINES = 500, 200  # terminals may claim 65,535 of each

_OPEN_SCREEN = "\x1b[?1049h\x1b[?25l\x1b[?1004h"  # second screen, no cursor, reports of a lost focus
_CLOSE_SCREEN = "\x1b[?1004l\x1b[m\x1b[?25h\x1b[?1049l"
_BEGIN_FRAME, _END_FRAME = "\x1b[?2026h", "\x1b[?2026l"  # terminals that know this show a frame as a whole
_MAX_UNCHANGED_CELLS = 4  # are written again, because moving the cursor takes as many bytes
_ANSI_COLOURS = dict(zip("IOTSZJL", (14, 11, 13, 10, 9, 12, 3), strict=True))  # the nearest ones would not all differ
_BOLD = "1"
_DIM = "2"
_REVERSE = "7"
_ASCII = str.maketrans("│┃─└┘┌┐·░←→↑↓–…−", "|#-++++.:<>^v-.-")

_SIDE_WIDTH = 20
_BOARD_LEFT = _SIDE_WIDTH + 2
_RIGHT = _BOARD_LEFT + 2 * BOARD_WIDTH + 4
_WIDTH = _RIGHT + _SIDE_WIDTH
_BOX_WIDTH = 44  # of texts in front of the board
_KEY_LABELS = {
    ("left", "right"): "move",
    ("rotate",): "rotate",
    ("back",): "rotate back",
    ("half",): "half turn",
    ("down",): "soft drop",
    ("drop",): "hard drop",
    ("hold",): "hold",
    ("pause",): "pause",
    ("restart",): "restart",
}
_REMOVABLE_LABELS = ("restart", "rotate back", "half turn", "leave", "pause", "soft drop")  # where there is no space
_KEYCAPS = {"left": "←", "right": "→", "up": "↑", "down": "↓", "escape": "Esc"}
_REPEAT_HELP = (
    "This terminal does not report released keys: a held key repeats as the terminal repeats it, and a held hard drop "
    "or hold acts once."
)
_RELEASE_HELP = "This terminal reports released keys: held keys repeat exactly as the rules say."


# Keys.


class TypedKeys:
    """Presses and releases keys for a terminal that only sends characters, again and again while a key is held.

    The first repetition comes after 0.2 to 0.7 seconds, the others follow faster than people type. Repetitions
    move a piece (not faster than the rules repeat) or continue a soft drop. They do not repeat other actions: a hard
    drop that may be a first repetition waits for a moment, until it is clear that no further one follows.
    """

    _FIRST_REPEAT = (0.2, 0.7)  # seconds
    _NEXT_REPEAT = 0.1
    _HELD_SECONDS = 0.15  # for which a soft drop continues after a repetition

    def __init__(self, queue: ActionQueue) -> None:
        self._queue = queue
        rules = queue.game.rules
        self._move_interval = rules.arr / rules.frames_per_second if isinstance(rules.arr, int) else 0.0
        self._repeats_moves = rules.arr != 0
        self._repeats_drops = rules.soft_drop_interval != 0
        self._last_name = ""
        self._last_time = self._next_move = self._deadline = 0.0
        self._may_repeat = self._is_repeating = False
        self._waiting = self._held = ""  # a hard drop that may be a repetition, and a key of the soft drop

    def press(self, name: str, now: float) -> bool:
        """Handle a character at the time `now`, in seconds; return whether it is a game key."""
        action = self._queue.actions_by_key.get(name, "")
        gap = now - self._last_time if name == self._last_name else 1.0
        if name != self._last_name:
            self._press_waiting()
        self._is_repeating = gap < self._NEXT_REPEAT and (self._is_repeating or self._may_repeat)
        self._may_repeat = self._FIRST_REPEAT[0] <= gap < self._FIRST_REPEAT[1]
        self._last_name, self._last_time = name, now
        if not self._is_repeating:
            self._press_waiting()
            if self._may_repeat and action in ("drop", "hold"):
                self._waiting, self._deadline = name, now + self._NEXT_REPEAT
            else:
                self._next_move = now + self._move_interval
                self._tap(name)
        elif action in ("left", "right"):
            # Characters arrive irregularly, so one may be early by half an interval; the next one waits longer then.
            if self._repeats_moves and now >= self._next_move - self._move_interval / 2:
                self._next_move = max(self._next_move, now) + self._move_interval
                self._tap(name)
        elif action == "down" and self._repeats_drops:
            self._held, self._deadline = name, now + self._HELD_SECONDS
            self._queue.handle_key(name, True)
        self._waiting = "" if self._is_repeating else self._waiting
        return bool(action)

    def update(self, now: float) -> None:
        """Press the hard drop that was no repetition, and release the soft drop that is no longer repeated."""
        if now >= self._deadline:
            self._press_waiting()
            if self._held:
                self._queue.handle_key(self._held, False)
            self._held = ""

    def _press_waiting(self) -> None:
        name, self._waiting = self._waiting, ""
        if name:
            self._tap(name)

    def _tap(self, name: str) -> None:
        self._queue.handle_key(name, True)
        self._queue.handle_key(name, False)


# Drawing.


class TextScreen:
    """A picture of characters with styles (parameters of SGR), and what the terminal shows of it."""

    def __init__(self, is_ascii: bool) -> None:
        self.columns = self.lines = 0
        self._is_ascii = is_ascii
        self._cells: list[list[tuple[str, str]]] = []
        self._shown: list[list[tuple[str, str]]] = []
        self._style = ""

    def clear(self, columns: int, lines: int) -> None:
        """Begin an empty picture."""
        self.columns, self.lines = columns, lines
        self._cells = [[(" ", "")] * columns for _ in range(lines)]

    def put(self, column: int, line: int, text: str, style: str = "") -> None:
        """Write a text into the picture; what is outside is cut."""
        text = clean_text(text)  # it may contain a path, or a name from the settings
        for number, character in enumerate(text.translate(_ASCII) if self._is_ascii else text, column):
            if 0 <= line < self.lines and 0 <= number < self.columns:
                self._cells[line][number] = (character, style)

    def render_changes(self) -> str:
        """Return the text that changes what the terminal shows to the picture."""
        parts = []
        if [len(row) for row in self._shown] != [len(row) for row in self._cells]:
            parts.append("\x1b[m\x1b[2J")
            self._shown = [[(" ", "")] * self.columns for _ in range(self.lines)]
            self._style = ""
        for line, (row, shown) in enumerate(zip(self._cells, self._shown, strict=True)):
            changed = [column for column in range(self.columns) if row[column] != shown[column]]
            position = -_MAX_UNCHANGED_CELLS - 1  # of the next character
            for column in changed:
                if not position <= column <= position + _MAX_UNCHANGED_CELLS:
                    parts.append(f"\x1b[{line + 1};{column + 1}H")
                    position = column
                for character, style in row[position : column + 1]:
                    if style != self._style:
                        parts.append(f"\x1b[0;{style}m" if style else "\x1b[m")
                        self._style = style
                    parts.append(character)
                position = column + 1
        self._shown = self._cells
        return f"{_BEGIN_FRAME}{''.join(parts)}{_END_FRAME}" if parts else ""


class CellStyles:
    """The text and the style of the cells of each piece, with the colours that the terminal has."""

    def __init__(self, system: str | None, palette: str, has_marks: bool) -> None:
        self.has_colours = system is not None
        self._system = system
        self._has_letters = has_marks or not self.has_colours
        self._colours = get_piece_colours(palette)

    def get_colour(self, colour: str, *, is_text: bool = True) -> str:
        """Return a colour as parameters of SGR; without colours, bold text."""
        if self._system is None:
            return _BOLD
        depth = {"256": ColorSystem.EIGHT_BIT, "standard": ColorSystem.STANDARD}.get(self._system)
        parsed = Color.parse(colour)
        return ";".join((parsed.downgrade(depth) if depth else parsed).get_ansi_codes(foreground=is_text))

    def get_cell(self, letter: str, *, is_active: bool = False) -> tuple[str, str]:
        """Return the two characters and the style of a filled cell."""
        text = 2 * letter if self._has_letters and letter != UNKNOWN_CELL else "##" if self._has_letters else "  "
        if not self.has_colours:
            return text, _REVERSE if is_active else ""
        style = self.get_piece_colour(letter, is_text=False)
        return text, f"30;{style}" if self._has_letters else style

    def get_piece_colour(self, letter: str, *, is_text: bool = True) -> str:
        """Return the colour of a piece as parameters of SGR."""
        if self._system == "standard" and letter in _ANSI_COLOURS:
            number = _ANSI_COLOURS[letter]
            return str(number + (30 if number < 8 else 82) + (0 if is_text else 10))
        return self.get_colour(self._colours.get(letter, UNKNOWN_PIECE_COLOUR), is_text=is_text)


# The game.


class SessionSetup(NamedTuple):
    """The choices for the games of a session; `seed` is None for a random one in each game."""

    rules: Rules
    mode: GameMode
    seed: int | None
    settings: WindowSettings
    styles: CellStyles


class PlaySession:
    """The games that a person plays in a terminal, one after the other."""

    def __init__(self, setup: SessionSetup) -> None:
        self.setup = setup
        self.has_quit = False
        self.wants_suspension = False
        self.has_releases = False  # whether the terminal reports released keys
        self.saved_file: Path | None = None
        self._start_game()

    def _start_game(self) -> None:
        setup = self.setup
        seed = randrange(_RANDOM_SEED_COUNT) if setup.seed is None else setup.seed
        game = Game(setup.settings.controls.apply_to(setup.mode.apply_to(setup.rules)), seed)
        self.queue = ActionQueue(game, {name: action for action in GAME_KEYS for name in setup.settings.keys[action]})
        self.typed_keys = TypedKeys(self.queue)
        self.played = PlayedGame(game, self.queue, setup.mode)
        self.played.has_given_seed = setup.seed is not None
        self.countdown = get_countdown_seconds(setup.mode)
        self.is_paused = self.has_help = False
        self.rank = 0
        self._quiet_until = 0.0  # keys that are pressed before were intended for the game that has ended
        scores, message = load_best_scores()
        self.best_scores = select_best_scores(scores, game.rules, setup.mode)
        self.message = message
        if self.played.is_finished:
            self._end_game(0.0)

    @property
    def is_running(self) -> bool:
        """Whether time passes in the game."""
        return not (self.is_paused or self.played.is_finished)

    def handle_event(self, event: TerminalKeyEvent, now: float) -> None:
        """Handle a key at the time `now`, in seconds."""
        if event.has_ctrl and event.is_pressed and event.name in ("c", "z"):
            if event.name == "c":
                raise KeyboardInterrupt
            self.suspend()
        elif not event.is_pressed:
            self.queue.handle_key(event.name, False)
        elif event.has_ctrl or event.is_repeat:
            pass
        elif now < self._quiet_until:
            self._quiet_until = now + GAME_OVER_KEY_DELAY
        elif event.name == FOCUS_LOST:
            self.pause()
        else:
            self._handle_key(event.name, now)

    def _handle_key(self, name: str, now: float) -> None:
        keys = self.setup.settings.keys
        if name in keys["restart"]:
            self.save()
            self._start_game()
        elif self.has_help:
            self.has_help = False
        elif name == "?":
            self.pause()
            self.has_help = True
        elif not self.is_running and name == "q":
            self.has_quit = True
        elif not self.is_running and name == "return" and self.played.is_finished:
            self._start_game()
        elif name in keys["pause"] or (self.is_paused and name == "return"):
            (self.resume if self.is_paused else self.pause)()
        elif self.is_running and self.countdown > 0 and self.queue.actions_by_key.get(name):
            pass
        elif self.is_running:
            is_used = self.queue.handle_key(name, True) if self.has_releases else self.typed_keys.press(name, now)
            if not is_used and name in ("q", "escape"):
                self.pause()

    def pause(self) -> None:
        """Pause the game."""
        if self.is_running:
            self.queue.release_all()
            self.typed_keys = TypedKeys(self.queue)
            self.is_paused = True

    def resume(self) -> None:
        """Continue the game."""
        self.is_paused = False

    def suspend(self, number: int = 0, frame: FrameType | None = None) -> None:
        """Give the terminal back to the shell as soon as possible (also a handler of SIGTSTP)."""
        self.wants_suspension = True

    def advance(self, seconds: float, now: float) -> None:
        """Let `seconds` pass."""
        if not self.is_running:
            return
        if self.countdown > 0:
            self.countdown -= seconds
            return
        self.typed_keys.update(now)
        self.played.advance(seconds)
        if self.played.is_finished:
            self._end_game(now)

    def _end_game(self, now: float) -> None:
        self._quiet_until = now + GAME_OVER_KEY_DELAY
        self.save()

    def save(self) -> None:
        """Save the game once, and its result if it is finished."""
        played = self.played
        if played.is_saved:
            return
        played.is_saved = True
        if played.pieces_placed:
            self.saved_file, message = save_game(played.game, HUMAN_PLAYER, played.mode)
            self.message = message or self.message
        if played.is_ranked:
            self.rank, message = save_best_score(played.game, played.mode)
            self.message = message or self.message

    # Drawing.

    @property
    def needed_size(self) -> tuple[int, int]:
        """The columns and lines that the game needs."""
        return _WIDTH, self.played.game.rules.height + 2

    def get_view(self) -> tuple[object, ...]:
        """Return everything that can change what is drawn, except the size of the terminal."""
        played, game = self.played, self.played.game
        state = (self.is_paused, self.has_help, self.has_releases, self.message, self.rank, played.is_finished)
        return (
            *state,
            get_countdown_text(self.countdown),
            self._time_text,
            game.falling_piece,
            game.pieces,
            game.score,
            game.piece,
            played.action.lines,
        )

    @property
    def _time_text(self) -> str:
        if not self.played.mode.ranks_times:
            return format_duration(int(self.played.seconds))
        return format_time(self.played.seconds, 2 if self.played.is_finished else 1)

    def draw(self, screen: TextScreen, columns: int, lines: int) -> None:
        """Draw the game, or the size that it needs in a smaller terminal."""
        screen.clear(columns, lines)
        width, height = self.needed_size
        if columns < width or lines < height:
            text = (
                f"This terminal is too small: {columns} columns × {lines} lines. The game needs {width} × {height}. "
                "Enlarge the terminal to continue, or press Q to quit."
            )
            for line, part in enumerate(wrap_text(text, max(1, columns)).split("\n")):
                screen.put(0, line, part)
            return
        rules = self.played.game.rules
        entry_rows = min(count_entry_rows(rules), lines - height)
        left, top = (columns - width) // 2, (lines - height - entry_rows) // 2
        self._draw_board(screen, left + _BOARD_LEFT, top, entry_rows)
        self._draw_left(screen, left, top)
        self._draw_right(screen, left + _RIGHT, top)
        text = self._list_main_keys(columns)
        screen.put((columns - len(text)) // 2, top + height + entry_rows - 1, text, _DIM)
        if overlay := self._list_overlay():
            draw_box(screen, overlay, left + _BOARD_LEFT + BOARD_WIDTH + 1, top + entry_rows + rules.height // 2)

    def _draw_board(self, screen: TextScreen, left: int, top: int, entry_rows: int) -> None:
        game, styles = self.played.game, self.setup.styles
        height = game.rules.height
        position = game.position
        waiting = sum(rows for rows, _ in position.garbage)
        falling, ghost = (None, None) if game.is_over else (game.falling_piece, game.ghost)
        stack = self.played.tracker.stack
        for row in range(height + entry_rows):
            line = top + entry_rows + height - 1 - row
            if row < height:
                is_due = row < position.due_garbage
                frame = ("┃", styles.get_colour(NEGATIVE) if is_due else _BOLD) if row < waiting else ("│", _DIM)
                screen.put(left, line, *frame)
                screen.put(left + 2 * BOARD_WIDTH + 1, line, "│", _DIM)
            for column in range(BOARD_WIDTH):
                letter = stack.get_cell(column, row)
                cell = (" ·" if row < height else "  ", _DIM) if letter == EMPTY_CELL else styles.get_cell(letter)
                screen.put(left + 1 + 2 * column, line, *cell)
        screen.put(left, top + entry_rows + height, f"└{2 * BOARD_WIDTH * '─'}┘", _DIM)
        bottom = top + entry_rows + height - 1
        if ghost and self.setup.settings.ghost:
            for column, row in ghost.cells:
                text = "░░" if styles.has_colours else "[]"
                screen.put(left + 1 + 2 * column, bottom - row, text, styles.get_piece_colour(ghost.piece))
        for column, row in falling.cells if falling else ():
            if row < height + entry_rows:
                cell = styles.get_cell(falling.piece, is_active=True) if falling else ("", "")
                screen.put(left + 1 + 2 * column, bottom - row, *cell)

    def _draw_left(self, screen: TextScreen, left: int, top: int) -> None:
        game, played = self.played.game, self.played
        screen.put(left, top, played.mode.label, _BOLD)
        rules = str(self.setup.rules)
        screen.put(left, top + 1, rules if len(rules) <= _SIDE_WIDTH else f"{rules[: _SIDE_WIDTH - 1]}…", _DIM)
        line = top + 3
        pieces = VisiblePieces.from_position(game.position)
        if pieces.has_hold:
            screen.put(left, line, "Hold" if pieces.can_hold or not pieces.hold else "Hold (used)", _DIM)
            self._draw_piece(screen, left, line + 1, pieces.hold)
            line += 4
        for number, (label, value) in enumerate(self._list_counters()):
            screen.put(left, line, label, _DIM)
            screen.put(left + _SIDE_WIDTH - len(value), line, value, "" if number else _BOLD)
            line += 1
        progress = wrap_text(played.progress.words, _BOARD_LEFT - 1).split("\n") if played.progress else []
        for number, text in enumerate(progress, 1):
            screen.put(left, line + number, text)
        for number, text in enumerate(played.action.lines, len(progress) + 2):
            screen.put(left, line + number, text, self.setup.styles.get_colour(ACCENT))

    def _list_counters(self) -> list[tuple[str, str]]:
        """Return the labels and values at the left, the most important one first."""
        game, played = self.played.game, self.played
        result, other = ("Score", f"{game.score:,}"), ("Time", self._time_text)
        best = f"{self.best_scores[0].score:,}" if self.best_scores else ""
        if played.mode.ranks_times:
            result, other = other, result
            best = format_time(self.best_scores[0].seconds) if self.best_scores else ""
        counters = [result, *([("Best", best)] if best else []), ("Lines", f"{game.lines:,}")]
        counters += [("Level", f"{game.level}")] if uses_levels(game.rules) else []
        counters += [("Pieces", f"{game.pieces:,}"), other]
        if has_attack_layout(game.rules):
            has_speed = played.seconds >= 1
            counters += [("Pieces/s", format_number(game.pieces / played.seconds, 2) if has_speed else NO_VALUE)]
            counters += [("Attack", f"{game.attack:,}")] if game.rules.attack != "none" else []
        return counters

    def _draw_right(self, screen: TextScreen, left: int, top: int) -> None:
        game = self.played.game
        next_pieces = game.next[: game.rules.preview]
        if next_pieces:
            screen.put(left, top, "Next", _DIM)
        for number, letter in enumerate(next_pieces[: game.rules.height // 3]):
            self._draw_piece(screen, left, top + 1 + 3 * number, letter)
        screen.put(left, top + game.rules.height, f"Seed {game.seed}", _DIM)

    def _draw_piece(self, screen: TextScreen, left: int, top: int, letter: str) -> None:
        """Draw a piece in its spawn orientation; a dash for none."""
        if not letter:
            screen.put(left, top, "–", _DIM)
            return
        for line, row in enumerate(get_flat_drawing(letter, self.setup.rules.rotation), top):
            for column, character in enumerate(row):
                if character != " " and character != ".":
                    screen.put(left + 2 * column, line, *self.setup.styles.get_cell(letter))

    def _list_keys(self, *, is_short: bool) -> list[tuple[str, str]]:
        """Return the keys of the actions that the rules have; with `is_short`, only the main key of each."""
        keys, allowed = self.setup.settings.keys, (*self.played.game.rules.keys, "pause", "restart")
        entries = []
        for actions, label in _KEY_LABELS.items():
            names = [[name for name in keys[action] if self._can_send(name)] for action in actions]
            names = [[get_main_key(of_action)] for of_action in names if of_action] if is_short else names
            if all(names) and allowed and set(actions) <= set(allowed):
                entries.append((" ".join(label_key(name) for of_action in names for name in of_action), label))
        return [*entries, ("Q", "leave"), ("?", "help")]

    def _can_send(self, name: str) -> bool:
        """Return whether the terminal sends a key: none of a gamepad, and Shift and Alt only with their releases."""
        if name.startswith("pad ") or name.endswith(" ctrl"):
            return False
        return self.has_releases or not name.endswith((" shift", " alt"))

    def _list_main_keys(self, max_width: int) -> str:
        """Return the main keys in a line of at most `max_width` characters; `?` shows all of them."""
        entries = self._list_keys(is_short=True)
        removable = [entry for label in _REMOVABLE_LABELS for entry in entries if entry[1] == label]
        while len(text := "  ".join(f"{keys} {label}" for keys, label in entries)) > max_width and len(entries) > 1:
            entries.remove(removable.pop(0) if removable else entries[0])  # keys may have long names
        return text

    def _list_overlay(self) -> list[tuple[str, str]]:
        """Return the lines of the box in front of a game that is not running, each with a style."""
        played = self.played
        pause, restart = (
            label_key(get_main_key(self.setup.settings.keys[action]) or key)
            for action, key in (("pause", "escape"), ("restart", "return"))
        )
        if self.has_help:
            entries = self._list_keys(is_short=False)
            width = max(len(keys) for keys, _ in entries)
            notes = wrap_text(_RELEASE_HELP if self.has_releases else _REPEAT_HELP, _BOX_WIDTH).split("\n")
            lines = [f"{keys:{width}}  {label}" for keys, label in entries]
            return [("Keys", _BOLD), *((line, "") for line in ("", *lines, "", *notes, "", "Any key closes this."))]
        if played.is_finished:
            headline = "Game over" if played.game.is_over else "Finished"
            lines = [line for line in describe_result(played, self.rank) if line]
            buttons = [f"{restart} play again"]
        elif self.is_paused:
            headline, lines = "Paused", ["The game is saved when you leave."]
            buttons = [f"{pause} continue", f"{restart} restart"]
        else:
            text = get_countdown_text(self.countdown)
            return [(text.center(9), _BOLD)] if text else []
        lines += wrap_text(self.message, _BOX_WIDTH).split("\n") if self.message else []
        lines += ["", *buttons, "Q leave", "? help"]
        return [(headline, _BOLD), ("", ""), *((line, "") for line in lines)]


def label_key(name: str) -> str:
    """Return the label of a key."""
    return _KEYCAPS.get(name) or (name.upper() if len(name) == 1 else name.capitalize())


def draw_box(screen: TextScreen, lines: list[tuple[str, str]], column: int, line: int) -> None:
    """Draw lines of text in a frame around a point."""
    width = max(len(text) for text, _ in lines) + 2
    left, top = column - width // 2 - 1, line - len(lines) // 2 - 1
    screen.put(left, top, f"┌{width * '─'}┐")
    for number, (text, style) in enumerate(lines, 1):
        screen.put(left, top + number, f"│{width * ' '}│")
        screen.put(left + 2, top + number, text, style)
    screen.put(left, top + len(lines) + 1, f"└{width * '─'}┘")


# The terminal.


def play_in_terminal(rules: str | None, mode: str | None, level: int | None, seed: int | None) -> None:
    """Let a person play games in the terminal; without options, with the rules and the mode played last."""
    console = CleanConsole()
    has_screen = sys.stdout is not None and sys.stdout.isatty()
    if not (has_keyboard() and has_screen) or console.is_dumb_terminal:
        reason = "TERM is dumb" if console.is_dumb_terminal else "standard input or output is not a terminal"
        raise TetrionError(
            f"`tetrion play --text` needs a terminal for its keys and its board, but {reason}. Run it directly in a "
            "terminal, or let an agent play with `tetrion watch AGENT --text`."
        )
    settings, message = load_settings(knows_keys=False)
    chosen_rules = Rules.parse(rules or settings.play_rules)
    if level is not None and uses_levels(chosen_rules):
        chosen_rules = chosen_rules.replace(start_level=max(level, get_min_level(chosen_rules)))
    chosen_mode = MODES.get(mode or settings.play_mode, MARATHON)
    if mode is None and chosen_mode.start_garbage and not can_have_garbage(chosen_rules):
        chosen_mode = MARATHON  # the mode played last needs other rules
    compile_game(settings.controls.apply_to(chosen_mode.apply_to(chosen_rules)))
    settings = replace(settings, play_rules=str(chosen_rules), play_mode=chosen_mode.name)
    message = message or save_settings(settings)
    system = None if console.no_color else console.color_system
    styles = CellStyles(system, settings.palette, settings.marks)
    session = PlaySession(SessionSetup(chosen_rules, chosen_mode, seed, settings, styles))
    session.message = message or session.message
    has_stopped = False
    try:
        run_session(session)
    except KeyboardInterrupt:
        has_stopped = True
    except (EOFError, OSError):  # the terminal has been closed
        raise SystemExit(_HANG_UP_EXIT_CODE) from None
    finally:
        session.save()
    if has_stopped:
        report_stop()
    print_last_game(session)
    if has_stopped:
        raise SystemExit(EXIT_STOPPED)


def compile_game(rules: Rules) -> None:
    """Play for a moment, so that the engine is compiled, and announced, before the first game."""
    game = Game(rules)
    queue = ActionQueue(game, {key: key for key in rules.keys})
    for key in queue.actions_by_key:
        queue.handle_key(key, True)
    PlayedGame(game, queue).advance(_FRAME_SECONDS)
    _ = game.ghost


def run_session(session: PlaySession) -> None:
    """Play until the player quits; Ctrl-Z gives the terminal back to the shell until the command continues."""
    with exit_on_termination(), handle_suspension(session):
        while not session.has_quit:
            with open_screen() as decoder:
                run_on_screen(session, decoder)
            if session.wants_suspension:
                session.wants_suspension = False
                session.pause()
                stop_process()


@contextmanager
def handle_suspension(session: PlaySession) -> Iterator[None]:
    """Call `session.suspend` for Ctrl-Z inside this context."""
    if sys.platform == "win32":
        yield
        return
    former = signal.signal(signal.SIGTSTP, session.suspend)
    try:
        yield
    finally:
        signal.signal(signal.SIGTSTP, former)


def stop_process() -> None:
    """Stop this process as Ctrl-Z does, and return when it continues."""
    if sys.platform != "win32":
        handler = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(0, signal.SIGTSTP)
        signal.signal(signal.SIGTSTP, handler)


@contextmanager
def open_screen() -> Iterator[KeyDecoder]:
    """Prepare the terminal for a game inside this context, and restore it in every case."""
    decoder = KeyDecoder()
    with disable_echo():
        try:
            write_terminal(_OPEN_SCREEN + ASK_FOR_RELEASES)
            yield decoder
        finally:
            with suppress(OSError):  # the terminal may have been closed
                write_terminal((END_REPORTS if decoder.offers_releases else "") + _CLOSE_SCREEN)


def run_on_screen(session: PlaySession, decoder: KeyDecoder) -> None:
    """Play until the player quits or suspends the command."""
    screen = TextScreen(is_ascii=not sys.stdout.encoding.lower().startswith("utf"))
    shown: tuple[object, ...] = ()
    session.has_releases = False
    last = time.monotonic()
    while not (session.has_quit or session.wants_suspension):
        seconds = _FRAME_SECONDS if session.is_running else _IDLE_SECONDS
        typed = read_input(max(0.0, last + seconds - time.monotonic()))
        now = time.monotonic()
        for event in decoder.decode(typed, now):
            session.handle_event(event, now)
        if decoder.offers_releases and not session.has_releases:
            session.has_releases = True
            write_terminal(REPORT_RELEASES)
        session.advance(min(now - last, _MAX_STEP_SECONDS), now)
        last = now
        size = get_screen_size()
        if any(given < needed for given, needed in zip(size, session.needed_size, strict=True)):
            session.pause()
        if (view := (size, session.get_view())) != shown and can_write():
            session.draw(screen, *size)
            write_terminal(screen.render_changes())
            shown = view


def get_screen_size() -> tuple[int, int]:
    """Return the columns and lines that are used: those of the terminal, or fewer if it claims to be huge."""
    columns, lines = os.get_terminal_size(sys.stdout.fileno())
    return min(columns, _MAX_COLUMNS), min(lines, _MAX_LINES)


def print_last_game(session: PlaySession) -> None:
    """Print the result of the last game, where it is saved, and what can be done with it."""
    played = session.played
    game = played.game
    if not game.pieces:
        if session.message:
            print_notice(session.message)
        return
    result = f"{describe_counters(game.pieces, game.lines, game.score)}, {format_time(played.seconds)}"
    echo(f"{played.mode.label}, rules {session.setup.rules}, seed {game.seed}: {result}")
    if session.message:
        print_notice(session.message)
    if session.saved_file:
        file = join_command(str(session.saved_file))
        echo(f"Saved. `tetrion review {file}` grades its moves.")
