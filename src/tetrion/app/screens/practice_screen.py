"""Practice screen: positions that are drawn, loaded and played without haste, with advice from an agent.

The engine plays each step as a game in real time, in which nothing falls unless there is gravity.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pygame

from tetrion.app.engine_loading import COMPILING_SHORT
from tetrion.app.games.background_agent import Adviser, describe_advice
from tetrion.app.games.human_game import HumanGame, is_key_of_action
from tetrion.app.games.human_rules import HumanControls, count_entry_rows
from tetrion.app.picker_options import draw_agent_picker, draw_rules_picker, format_rules
from tetrion.app.toolkit.controls import (
    BUTTON_GAP,
    BUTTON_HEIGHT,
    ButtonSpec,
    draw_buttons,
    draw_selectable_row,
    draw_slider,
)
from tetrion.app.toolkit.frame import Chip, Frame, KeyLegend, draw_frame, draw_key_legend
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Screen, Window
from tetrion.app.window_settings import AUTOMATIC_AGENT
from tetrion.board import EMPTY_CELL, UNKNOWN_CELL, Board, Cell, Placement
from tetrion.data_files import DataFileError, read_data_file
from tetrion.drawing.board_drawing import get_frame_width
from tetrion.drawing.cells import ACTIVE_CELL, HINT_CONTOUR, LOCKED_CELL
from tetrion.drawing.layout import (
    Box,
    Panel,
    draw_column,
    draw_row,
    flexible,
    inset,
    list_rows,
    split_column,
    split_row,
)
from tetrion.drawing.palette import DIM_TEXT, FAINT_TEXT, NEGATIVE, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, FittedBoard, Pen
from tetrion.drawing.side_panels import draw_action_on_board, draw_garbage_meter
from tetrion.drawing.thinking_panel import draw_thinking_panel
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import BoardError, TetrionError
from tetrion.evaluation.number_format import format_count, format_name
from tetrion.evaluation.replay_review import DEFAULT_GRADER
from tetrion.game import Game
from tetrion.game_facts import describe_end
from tetrion.position import Position
from tetrion.stack import EMPTY_ROW, Stack

MAX_GRAVITY = 20  # rows per second
_MAX_STEPS = 1000
_EXPLAINED_PLACEMENTS = 5
_MOVE_SHOWN_SECONDS = 0.25  # before the agent makes it
_BOARD_CONTROL = "board"
_STROKE_BUTTONS = (pygame.BUTTON_LEFT, pygame.BUTTON_RIGHT)  # one fills cells, the other one erases them
_COLUMN_WIDTH = 280  # left of the board in the wide arrangement
_MIN_SIDE_WIDTH = 440  # right of the board
_ROW_GAP = 10
_PIECE_ROW_HEIGHT = 54  # its label and its buttons
_MAX_BOARD_BYTES = 10_000
_HELP = "Left mouse button: draw cells. Right mouse button: erase them."
_ASK_HELP = "Ask the agent to see its best placements and the contribution of each feature to their scores."
_KEY_LABELS = {
    "Move": ("left", "right"),
    "Rotate": ("rotate", "back", "half"),
    "Soft drop": ("down",),
    "Hard drop": ("drop",),
    "Hold": ("hold",),
    "Restart piece": ("restart",),
}
_FIXED_KEYS = [(["1–7"], "Piece"), (["Ctrl", "Z"], "Undo"), (["Ctrl", "C", "V"], "Copy, paste board")]


class PracticeScreen(Screen):
    """Screen with a board that can be edited, and an agent that gives advice; `board` is a board as text."""

    title = "Practice"

    def __init__(self, window: Window, *, rules: str = "", agent: str = "", board: str = "") -> None:
        super().__init__(window)
        self.practice_game = self._open_game(rules, agent)
        self._fitted = FittedBoard(1, Box(0, 0, 0, 0))
        if board:
            self.practice_game.load_board(board)

    def _open_game(self, rules: str, agent: str) -> "PracticeGame":
        """Return the game that the window has kept, under other rules or with another agent if they are given.

        The window keeps a game only if this screen is left without an error.
        """
        settings, game = self.window.settings, self.window.practice_game
        self.window.practice_game = None
        if game:
            game.restart_piece(settings.controls)
            if agent:
                game.change_agent(agent)
            if rules:
                game.choose_rules(rules, keeps_board=False)
            return game
        problem = ""
        try:
            position = Game(Rules.parse(rules or settings.play_rules)).position
        except TetrionError as error:
            problem, position = str(error), Game().position
        # The rules may change, so that the default is an agent for all rules.
        hint_agent = DEFAULT_GRADER if settings.hint_agent == AUTOMATIC_AGENT else settings.hint_agent
        game = PracticeGame(position, agent or hint_agent, settings.controls, self.window.sound.play)
        game.problem = problem
        return game

    # Input

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Handle the keys of the board, and the mouse on the board."""
        if event.type == pygame.KEYUP:
            self.practice_game.human_game.key_input.handle_event(event)
        if self.window.ui.popup:
            return False
        return self._press_key(event) if event.type == pygame.KEYDOWN else self._handle_mouse(event)

    def _press_key(self, event: pygame.event.Event) -> bool:
        game, keys = self.practice_game, self.window.settings.keys
        if getattr(event, "mod", 0) & (
            pygame.KMOD_CTRL | pygame.KMOD_META
        ):  # also Ctrl alone, which does not rotate here
            try:
                return self._press_edit_key(event)
            except pygame.error as error:
                game.problem = f"The clipboard cannot be used: {error}."
                return True
        if is_key_of_action(event, keys, "hint"):
            game.ask()
        elif is_key_of_action(event, keys, "restart"):
            game.restart_piece()
        elif self.window.ui.focus in ("", _BOARD_CONTROL) and game.human_game.key_input.handle_event(event):
            game.is_agent_playing = False
        else:
            return self._choose_piece(pygame.key.name(event.key).upper())
        return True

    def _press_edit_key(self, event: pygame.event.Event) -> bool:
        """Undo, redo, copy or paste; return whether the key has one of these uses."""
        game = self.practice_game
        if event.key in (pygame.K_z, pygame.K_y):
            game.go_to_step(-1 if event.key == pygame.K_z and not event.mod & pygame.KMOD_SHIFT else 1)
        elif event.key == pygame.K_c:
            pygame.scrap.put_text(game.format_board())
            self.window.show_message("The board is copied as text.")
        elif event.key == pygame.K_v:
            game.load_board(pygame.scrap.get_text())
        else:
            return False
        return True

    def _choose_piece(self, name: str) -> bool:
        """Choose the piece with a letter or number, in the row that has the focus; return whether there is one."""
        ui = self.window.ui
        letter = dict(zip("1234567", PIECES, strict=True)).get(name, name)
        if letter not in list(PIECES):
            return False
        group = ui.focus.partition(" ")[0]
        self.practice_game.choose_piece(letter, as_next=group == "next")
        if group in ("piece", "next"):
            ui.focus = f"{group} {letter}"
        return True

    def _handle_mouse(self, event: pygame.event.Event) -> bool:
        game, ui = self.practice_game, self.window.ui
        if event.type == pygame.MOUSEBUTTONDOWN and event.button in _STROKE_BUTTONS:
            if (cell := self._find_cell(event.pos)) is None:
                return False
            ui.focus = _BOARD_CONTROL
            game.begin_stroke(cell, event.button == pygame.BUTTON_LEFT)
            return True
        if event.type == pygame.MOUSEMOTION and any(event.buttons) and (cell := self._find_cell(event.pos)):
            game.continue_stroke(cell)
        elif event.type == pygame.MOUSEBUTTONUP and game.end_stroke():
            return True
        elif event.type == pygame.MOUSEBUTTONUP and event.button == pygame.BUTTON_LEFT:
            ui.focus = _BOARD_CONTROL  # so that the keys move the piece again
        return False

    def _find_cell(self, pixel: tuple[int, int]) -> Cell | None:
        """Return the visible cell under a pixel, or None outside the board."""
        size, box = self._fitted[:2]
        height = self.practice_game.position.rules.height
        left, top = self.window.ui.pen.to_pixel_point(box.topleft)
        column = (pixel[0] - left - get_frame_width(size)) // size
        row = height - 1 - (pixel[1] - top - get_frame_width(size)) // size
        return (column, row) if 0 <= column < BOARD_WIDTH and 0 <= row < height else None

    def _load_file(self, file: str) -> None:
        """Load a board file that was dropped on the window."""
        try:
            text = read_data_file(Path(file), _MAX_BOARD_BYTES).decode()
        except (FileNotFoundError, DataFileError, UnicodeDecodeError):
            self.practice_game.problem = f"{Path(file).name} is not a board. Drop a text file with rows of . and #."
        else:
            self.practice_game.load_board(text)

    # Time

    @property
    def is_moving(self) -> bool:
        """Whether a piece falls or repeats a move, the agent decides or plays, or an action text is shown."""
        game = self.practice_game
        is_repeating = any(game.human_game.key_input.is_held(action) for action in ("left", "right", "down"))
        is_agent_busy = game.is_agent_playing or game.adviser.is_thinking
        return bool(game.gravity or is_repeating or is_agent_busy or game.human_game.action.lines)

    def update(self, seconds: float) -> None:
        """Advance the game."""
        game = self.practice_game
        game.human_game.board_animator.has_animation = self.window.settings.has_animation
        game.update(seconds)
        self.window.ask_about_code(game.adviser.take_code_file(), game.ask)

    def on_focus_lost(self) -> None:
        """Release all keys when the window loses the focus."""
        self.practice_game.end_stroke()
        self.practice_game.human_game.key_input.release_all()

    def on_leave(self) -> None:
        """Stop the agent, before the game is kept for later or given up."""
        self.practice_game.end_stroke()
        self.practice_game.change_agent(self.practice_game.adviser.given_agent)

    # Drawing

    def draw(self, ui: Ui) -> None:
        """Draw the board and its panels."""
        game = self.practice_game
        chips = [Chip(game.adviser.name, has_dot=True), Chip(format_rules(game.position.rules))]
        frame = draw_frame(ui, self.title, chips)
        self._draw_content(ui, frame)
        draw_key_legend(ui, frame.footer, self._list_keys())
        if ui.files:
            self._load_file(ui.files[-1])
        if not ui.focus:
            ui.request_focus(_BOARD_CONTROL)
        if frame.is_closed:
            self.window.practice_game = game
            self.window.close_screen()

    def _list_keys(self) -> KeyLegend:
        keys = self.practice_game.human_game.game.rules.keys
        entries = [
            ([self.window.get_key_label(action) for action in actions if action in [*keys, "restart"]], label)
            for label, actions in _KEY_LABELS.items()
        ]
        return [*((labels, text) for labels, text in entries if any(labels)), *_FIXED_KEYS]

    def _draw_content(self, ui: Ui, frame: Frame) -> None:
        """Draw the board with the agent at its right, and the pieces and tools at its left or above the agent."""
        position, gap = self.practice_game.position, frame.gap
        height, entry_rows = position.rules.height, count_entry_rows(position.rules)
        side, rest = split_row(frame.content, [_COLUMN_WIDTH if frame.is_wide else 0, flexible()], gap)
        space, _ = split_row(rest, [flexible(), _MIN_SIDE_WIDTH], gap)
        self._fitted = ui.pen.fit_board(space, height, align=0, entry_rows=entry_rows)
        _, right = split_row(rest, [self._fitted.box.width, flexible()], gap)
        self._draw_board(ui)
        rules_field, agent_field, gravity, buttons = (
            Panel(flexible(), partial(draw, ui))
            for draw in (self._draw_rules, self._draw_agent, self._draw_gravity, self._draw_agent_buttons)
        )
        steps = Panel(_COLUMN_WIDTH - 2 * PANEL_PADDING, partial(self._draw_steps, ui))
        rows = [[rules_field], [steps], [gravity]]
        if not frame.is_wide:
            rows = [[rules_field, agent_field], [steps, gravity], [buttons]]
        width = (side if frame.is_wide else right).width
        piece_rows = 2 if frame.is_wide and position.next else 1
        panels = [
            Panel((_PIECE_ROW_HEIGHT + PANEL_PADDING) * piece_rows + PANEL_PADDING, partial(self._draw_pieces, ui)),
            make_tools_panel(ui.pen, width, rows, *self._describe_state()),
        ]
        if frame.is_wide:
            features = Panel(flexible(80, rank=1), partial(draw_features, ui.pen, position=position))
            draw_column(side, gap, [*panels, features])
            panels = [make_tools_panel(ui.pen, right.width, [[agent_field], [buttons]])]
        draw_column(right, gap, [*panels, Panel(flexible(), partial(self._draw_thinking, ui.pen))])

    def _draw_board(self, ui: Ui) -> None:
        game, fitted = self.practice_game, self._fitted
        entry_height = round(fitted.entry_rows * fitted.cell_size / ui.pen.scale)
        box = Box(fitted.box.left, fitted.box.top - entry_height, fitted.box.width, fitted.box.height + entry_height)
        ui.add_control(_BOARD_CONTROL, box, radius=10, is_field=True)  # Enter places the advice
        advice, piece = game.advice, game.piece
        ghost = game.human_game.game.ghost if piece and self.window.settings.ghost else None
        draw_garbage_meter(ui.pen, fitted.box, fitted.cell_size, game.position)
        game.human_game.board_animator.draw(
            ui.pen,
            fitted,
            game.stack,
            active=piece,
            ghost=None if ghost in (piece, advice) else ghost,
            contours=[(advice, HINT_CONTOUR)] if advice else [],
        )
        strength = game.human_game.action.get_strength(self.window.settings.has_animation)
        draw_action_on_board(ui.pen, fitted.box, game.human_game.action.lines, strength)

    def _draw_pieces(self, ui: Ui, box: Box) -> None:
        """Draw the choice of the current piece and of the next one, in one row if the panel is low."""
        game = self.practice_game
        position = game.position
        inside = ui.pen.draw_panel(box)
        letters = [("piece", position.piece or ""), *([("next", position.next[0])] if position.next else [])]
        split = split_column if box.height > 2 * _PIECE_ROW_HEIGHT else split_row
        parts = split(inside, [flexible()] * len(letters), PANEL_PADDING)
        for part, (name, chosen) in zip(parts, letters, strict=True):
            label, row = split_column(part, [flexible(), 36])
            ui.pen.draw_text(name.capitalize(), label.midleft, 14, True, DIM_TEXT)
            if name == "next":
                draw_tiny_pieces(ui.pen, label, position.next[1:])
            elif position.rules.hold:
                draw_tiny_pieces(ui.pen, label, position.hold, "Hold" if position.hold else "Hold: empty")
            if letter := draw_piece_choice(ui, row, name, chosen):
                game.choose_piece(letter, as_next=name == "next")

    def _draw_rules(self, ui: Ui, box: Box) -> None:
        rules = str(self.practice_game.position.rules)
        chosen = draw_rules_picker(ui, box, rules)
        if chosen != rules:
            self.practice_game.choose_rules(chosen)

    def _draw_steps(self, ui: Ui, box: Box) -> None:
        game, width = self.practice_game, (box.width - 2 * BUTTON_GAP) // 3
        can_use = {"undo": game.has_step(-1), "redo": game.has_step(1), "clear": any(game.position.board.columns)}
        buttons = [ButtonSpec(name, name.capitalize(), is_enabled=can, width=width) for name, can in can_use.items()]
        used, _ = draw_buttons(ui, box, buttons)
        if used == "clear":
            game.clear_board()
        elif used:
            game.go_to_step(-1 if used == "undo" else 1)

    def _draw_gravity(self, ui: Ui, box: Box) -> None:
        game = self.practice_game
        label, slider = split_column(box, [16, 24])
        ui.pen.draw_text("Gravity", label.midleft, 14, True, DIM_TEXT)
        text = f"{format_count(game.gravity, 'row')} per second" if game.gravity else "Off"
        ui.pen.draw_text(text, label.midright, 14, False, STRONG_TEXT if game.gravity else DIM_TEXT, align=1)
        share = draw_slider(ui, "gravity", inset(slider, 8, 0), game.gravity / MAX_GRAVITY, step=1 / MAX_GRAVITY)
        game.set_gravity(round(share * MAX_GRAVITY))

    def _draw_agent(self, ui: Ui, box: Box) -> None:
        agent = self.practice_game.adviser.given_agent
        chosen = draw_agent_picker(ui, "agent", box, agent)
        if chosen != agent:
            self.practice_game.change_agent(chosen)

    def _draw_agent_buttons(self, ui: Ui, box: Box) -> None:
        game = self.practice_game
        is_playing = game.is_agent_playing
        play = ("Stop", "pause") if is_playing else ("Let it play", "play")
        buttons = [
            ButtonSpec("ask", "Ask", self.window.get_key_label("hint"), is_primary=True, is_enabled=not is_playing),
            ButtonSpec("place", "Place it", "Enter", is_enabled=game.advice is not None and not is_playing),
            ButtonSpec("let it play", play[0], icon=play[1]),
        ]
        used, _ = draw_buttons(ui, box, buttons)
        if used == "ask":
            game.ask()
        elif used == "place":
            game.place_advice()
        elif used:
            game.is_agent_playing = not is_playing

    def _describe_state(self) -> tuple[str, str]:
        """Return the message below the tools, and its colour."""
        game, adviser = self.practice_game, self.practice_game.adviser
        if problem := game.problem or adviser.problem:
            return problem, NEGATIVE
        if not game.piece:
            reason = describe_end(game.human_game.game) or "Game over."
            return f"{reason} Undo the last step, erase cells, or choose another piece.", NEGATIVE
        if adviser.is_thinking:
            return COMPILING_SHORT if adviser.is_compiling else "Thinking…", DIM_TEXT
        return describe_advice(adviser.name, game.advice) if game.advice else _HELP, DIM_TEXT

    def _draw_thinking(self, pen: Pen, box: Box) -> None:
        """Draw the explanation of the agent, or how to get it."""
        game = self.practice_game
        if decision := game.adviser.get_decision(game.position):
            time = f"{1000 * decision.seconds:,.0f} ms" if decision.seconds >= 0.001 else "under 1 ms"
            draw_thinking_panel(pen, box, decision.explanation, game.stack, time_text=time)
        elif game.is_agent_playing or game.adviser.is_thinking:
            draw_thinking_panel(pen, box, None, game.stack, is_waiting=True)
        else:
            inside = pen.draw_panel(box, "Thinking")
            pen.draw_paragraph(_ASK_HELP, (inside.left, inside.top + 12), inside.width, 16, DIM_TEXT)


def make_tools_panel(
    pen: Pen, width: int, rows: Sequence[Sequence[Panel]], text: str = "", colour: str = DIM_TEXT
) -> Panel:
    """Return a panel with rows of controls, and a text below them."""
    heights = [BUTTON_HEIGHT] * len(rows)
    heights += [20 * len(pen.wrap_text(text, width - 2 * PANEL_PADDING, 14))] if text else []

    def draw(box: Box) -> None:
        inside = pen.draw_panel(box)
        boxes = split_column(inside, heights, _ROW_GAP)
        for row_box, row in zip(boxes, rows, strict=False):
            draw_row(row_box, BUTTON_GAP, row)
        pen.draw_paragraph(text, (inside.left, boxes[-1].top + 10), inside.width, 14, colour)

    return Panel(sum(heights) + _ROW_GAP * (len(heights) - 1) + 2 * PANEL_PADDING, draw)


def draw_tiny_pieces(pen: Pen, box: Box, letters: str, label: str = "") -> None:
    """Draw pieces at the right of a line, with a label before them."""
    text, *parts = split_row(box, [flexible(), *[26] * len(letters)])
    pen.draw_text(label, (text.right - 4, text.centery), 14, False, DIM_TEXT, align=1)
    for letter, part in zip(letters, parts, strict=True):
        pen.draw_piece(part.center, 5, letter)


def draw_piece_choice(ui: Ui, box: Box, name: str, chosen: str) -> str:
    """Draw one row of pieces; return the newly chosen letter or an empty text."""
    picked = ""
    for letter, slot in zip(PIECES, split_row(box, [flexible()] * len(PIECES), 2), strict=True):
        is_chosen = letter == chosen
        control = draw_selectable_row(ui, f"{name} {letter}", slot, is_selected=is_chosen, group=name)
        cell_size = min(7, (slot.width - 2) // 4)
        ui.pen.draw_piece(slot.center, cell_size, letter, ACTIVE_CELL if is_chosen else LOCKED_CELL)
        picked = letter if control.is_activated else picked
    return picked


def draw_features(pen: Pen, box: Box, position: Position) -> None:
    """Draw the features of the board, as many as fit."""
    inside = pen.draw_panel(box, "Board features", f"{position.pieces:,} placed" if position.pieces else "")
    features = position.board.measure_features().items()
    for (name, value), row in zip(features, list_rows(inside, 26), strict=False):
        pen.draw_row(row, format_name(name).capitalize(), f"{value:,}", STRONG_TEXT if value else FAINT_TEXT)


# The game


class PracticeStep(NamedTuple):
    """A position in which a piece appears, and its board with the piece that fills each cell."""

    position: Position
    stack: Stack


class PracticeGame:
    """Practice with a list of steps that can be undone; `problem` is why the last action failed, or ""."""

    def __init__(
        self, position: Position, agent: str, controls: HumanControls, play_sound: Callable[[str], None]
    ) -> None:
        self.adviser = Adviser(agent)
        self.problem = ""
        self.gravity = 0  # rows per second
        self.is_agent_playing = False
        self._seconds_shown = 0.0  # since the agent has answered
        self._controls = controls
        self._play_sound = play_sound
        self._edited: PracticeStep | None = None  # during a stroke of the mouse
        self._is_filling = True
        self._last_cell: Cell = (0, 0)
        self._steps: list[PracticeStep] = []
        self._number = -1  # of the current step
        self._add_step(position)

    # The current step.

    @property
    def _step(self) -> PracticeStep:
        return self._edited or self._steps[self._number]

    @property
    def position(self) -> Position:
        """The position of the current step, in which its piece has not moved."""
        return self._step.position

    @property
    def stack(self) -> Stack:
        """The board of the current step with the piece that fills each cell."""
        return self._step.stack

    @property
    def piece(self) -> Placement | None:
        """The piece where it is now; None if the game is over."""
        return None if self.human_game.game.is_over else self.human_game.game.falling_piece

    def _add_step(self, position: Position, stack: Stack | None = None) -> None:
        """Continue with a position and start its piece; without a change, only the piece starts again."""
        rules = free_rules(self._controls.apply_to(position.rules), self.gravity)
        game = Game.from_position(position.replace(rules=rules), seed=position.pieces)
        game.stack = stack or game.stack
        self.human_game = HumanGame(game, self._controls.keys)
        self.problem = ""
        self._record_step(position.rules)

    def _record_step(self, rules: Rules) -> None:
        """Add the position of the game to the steps, if it is another one than that of the current step."""
        game = self.human_game.game
        position = replace(game.position, rules=rules, frames=0)
        if not self._steps or position != self._steps[self._number].position:
            self._steps = [*self._steps[: self._number + 1], PracticeStep(position, game.stack)][-_MAX_STEPS:]
            self._number = len(self._steps) - 1

    # Changes.

    def restart_piece(self, controls: HumanControls | None = None) -> None:
        """Let the piece of the current step appear again, with other controls if they are given."""
        self._controls = controls or self._controls
        self._add_step(*self._steps[self._number])

    def set_gravity(self, rows_per_second: int) -> None:
        """Change gravity; the piece appears again."""
        if rows_per_second != self.gravity:
            self.gravity = rows_per_second
            self.restart_piece()

    def choose_piece(self, letter: str, as_next: bool = False) -> None:
        """Choose the current piece or the next one."""
        before = self.position
        after = replace(before, next=letter + before.next[1:]) if as_next else replace(before, piece=letter)
        self._add_step(after, self.stack)
        self._play_sound("choose")

    def choose_rules(self, text: str, *, keeps_board: bool = True) -> None:
        """Change the rules; keep the board, the pieces and hold where the rules allow them, or start a new game."""
        before = self.position
        try:
            rules = Rules.parse(text)
            if keeps_board:
                stack = Stack(self.stack.rows[: rules.rows], rules.height, rules.clearing)
                board, hold = make_board(stack, rules), before.hold if rules.hold else ""
                next_pieces = before.next[: rules.preview]
                self._add_step(Position.from_board(board, before.piece or "", next_pieces, rules, hold=hold), stack)
            elif rules != before.rules:
                self._add_step(Game(rules).position)
        except TetrionError as error:
            self.problem = str(error)

    def has_step(self, offset: int) -> bool:
        """Return whether there is a step before (−1) or after (1) the current one."""
        return 0 <= self._number + offset < len(self._steps)

    def go_to_step(self, offset: int) -> None:
        """Undo a step (−1), or redo the next one (1)."""
        self.end_stroke()
        if self.has_step(offset):
            self.is_agent_playing = False
            self._number += offset
            self.restart_piece()
            self._play_sound("choose")

    # Boards.

    def clear_board(self) -> None:
        """Erase all cells."""
        self._add_step(*self._change_stack(()))

    def load_board(self, text: str) -> None:
        """Replace the board by one given as text: rows of `.`, `#` and letters of pieces, from the top to the floor."""
        try:
            if not text.strip():
                raise BoardError("The text is empty. Give rows of ten cells: . for empty, # for filled.")
            Board.from_text(text.split(), self.position.rules.rows)  # raises an error if there are too many rows
            self._add_step(*self._change_stack(Stack.from_text(text).rows))
        except TetrionError as error:
            self.problem = str(error)

    def format_board(self) -> str:
        """Return the board as the text that `load_board` takes."""
        return self.stack.to_text(max(1, *self.position.board.heights))

    def begin_stroke(self, cell: Cell, is_filling: bool) -> None:
        """Begin to fill or to erase cells; the agent stops."""
        self.is_agent_playing = False
        self.problem = ""
        self._edited = self._step
        self._is_filling = is_filling
        self._last_cell = cell
        self._edit_cell(cell)

    def continue_stroke(self, cell: Cell) -> None:
        """Continue the stroke to a cell, through all cells on the way, if there is a stroke."""
        (x, y), (to_x, to_y) = self._last_cell, cell
        count = max(abs(to_x - x), abs(to_y - y)) if self._edited else 0
        for number in range(1, count + 1):
            self._edit_cell((x + round((to_x - x) * number / count), y + round((to_y - y) * number / count)))
        self._last_cell = cell

    def end_stroke(self) -> bool:
        """Continue with the board that the stroke has drawn; return whether there was a stroke."""
        if self._edited is None:
            return False
        step, problem = self._edited, self.problem
        self._edited = None
        self._add_step(*step)
        self.problem = problem  # of the cells that were not drawn
        return True

    def _edit_cell(self, cell: Cell) -> None:
        column, row = cell
        rows = [*self.stack.rows, *[EMPTY_ROW] * (row + 1 - len(self.stack.rows))]
        before = rows[row][column]
        letter = (UNKNOWN_CELL if before == EMPTY_CELL else before) if self._is_filling else EMPTY_CELL
        rows[row] = rows[row][:column] + letter + rows[row][column + 1 :]
        try:
            self._edited = self._change_stack(tuple(rows))
        except TetrionError as error:
            self.problem = str(error)

    def _change_stack(self, rows: tuple[str, ...]) -> PracticeStep:
        """Return the current step with other rows; raise a TetrionError if one of them is full."""
        stack = replace(self.stack, rows=rows)
        return PracticeStep(replace(self.position, board=make_board(stack, self.position.rules)), stack)

    # The agent.

    @property
    def advice(self) -> Placement | None:
        """The placement that the agent recommends in the current position; None if it is unknown."""
        decision = self.adviser.get_decision(self.position)
        return decision.placement if decision else None

    def ask(self) -> None:
        """Ask the agent about the current position."""
        self._seconds_shown = 0.0
        if self.adviser.problem:
            self.change_agent(self.adviser.given_agent)
        self.adviser.ask(self.position, _EXPLAINED_PLACEMENTS)

    def place_advice(self) -> None:
        """Make the move of the agent."""
        if self.advice and self.piece:
            self.human_game.game.place(self.advice)

    def change_agent(self, agent: str) -> None:
        """Use another agent, which is loaded when it is asked; automatic play stops."""
        self.is_agent_playing = False
        self.adviser.close()
        self.adviser = Adviser(agent)

    # Time.

    def update(self, seconds: float) -> None:
        """Advance the game by `seconds`, and make the moves of the agent."""
        if self.is_agent_playing:
            self._let_agent_play(seconds)
        is_waiting = self.is_agent_playing or self._edited is not None
        for sound in self.human_game.update(0.0 if is_waiting else seconds):
            self._play_sound(sound)
        if is_waiting:
            self.human_game.update_animation(seconds)
        after, before = self.human_game.game.position, self._steps[self._number].position
        if (after.pieces, after.piece, after.hold) != (before.pieces, before.piece, before.hold):
            self.problem = ""
            self._record_step(before.rules)

    def _let_agent_play(self, seconds: float) -> None:
        if self.human_game.game.is_over or self.adviser.problem:
            self.is_agent_playing = False
        elif self.advice:
            self._seconds_shown += seconds
            if self._seconds_shown >= _MOVE_SHOWN_SECONDS:
                self.place_advice()
        elif not self.adviser.is_thinking:
            self.ask()


def free_rules(rules: Rules, gravity: int) -> Rules:
    """Return the rules with `gravity` rows per second instead of their own speed and delays.

    Pieces can be lowered and dropped under all rules, and only a hard drop or gravity locks them.
    """
    changes: dict[str, Any] = {
        "keys": [*rules.keys, *(key for key in ("down", "drop") if key not in rules.keys)],
        "lock_keys": "drop",
        "lock_delay": "gravity",
        "lock_resets": 0,
        "gravity": max(1, round(rules.frames_per_second / gravity)) if gravity else 0,
        "spawn_delay": 0,
        "clear_delay": 0,
    }
    if rules.movement == "steered":  # it needs gravity
        changes["movement"] = "drop"
    return rules.replace(**changes)


def make_board(stack: Stack, rules: Rules) -> Board:
    """Return the filled cells of a stack under the rules."""
    return Board.from_text(stack.to_text(rules.rows), rules.rows)
