"""Practice screen: pieces moved freely, boards drawn with the mouse, and advice from an agent."""

from dataclasses import replace

import pygame

from tetrion.app.games.board_animator import BoardAnimator
from tetrion.app.games.board_editor import BoardEditor
from tetrion.app.games.human_game import get_lock_sound
from tetrion.app.games.practice_agent import (
    MIN_WIDE_PANEL_WIDTH,
    NARROW_PANEL_HEIGHT,
    STATUS_LINE_HEIGHT,
    WIDE_PANEL_HEIGHT,
    PracticeAgent,
)
from tetrion.app.games.practice_board import BLOCKED_SPAWN_MESSAGE, UP_KEY, FreePiece, PracticeBoard, UndoHistory
from tetrion.app.picker_options import format_rules, list_rules_options
from tetrion.app.screen import Screen
from tetrion.app.screens.practice_panels import (
    PIECE_PANEL_HEIGHT,
    PIECE_PANEL_HEIGHT_SIDE_BY_SIDE,
    PIECE_PANEL_HEIGHT_WITH_NEXT,
    draw_features_panel,
    draw_piece_panel,
    draw_warning,
)
from tetrion.app.toolkit.controls import BUTTON_HEIGHT, draw_button, draw_slider
from tetrion.app.toolkit.header_footer import (
    MEDIUM_LAYOUT,
    WIDE_LAYOUT,
    ScreenArea,
    draw_header_footer,
    draw_key_legend,
)
from tetrion.app.toolkit.picker import Picker
from tetrion.app.toolkit.ui import Ui, get_key_label
from tetrion.app.window import Window
from tetrion.board import Placement
from tetrion.drawing.contours import HINT_CONTOUR
from tetrion.drawing.palette import DIM_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box, FittedBoard
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.position import Position

_MAX_GRAVITY = 20  # rows per second
_FIRST_REPEAT_SECONDS = 0.18
_REPEAT_SECONDS = 0.05
_REPEATED_ACTIONS = ("left", "right", "down", UP_KEY)
_ROTATE_FALLBACK_KEYS = ("x", "c", "v", "b")  # used if the rotate key is the up arrow, which moves the piece up
_TOOLS_HEIGHT = 208
_WIDE_TOOLS_HEIGHT = 112  # with two controls per row
_COLUMN_WIDTHS = {WIDE_LAYOUT: 280, MEDIUM_LAYOUT: 232}
_MIN_PANEL_HEIGHT = 80  # lower panels are hidden
_PIECE_ABOVE_BOARD_TEXT = "The piece is above the board because the top rows are filled."


class PracticeScreen(Screen):
    """Screen with a board that can be edited, and an agent that gives advice."""

    title = "Practice"

    def __init__(self, window: Window, rules: str = "", agent: str = "", position: Position | None = None) -> None:
        super().__init__(window)
        self.rules_text = rules or window.settings.play_rules
        self.practice_agent = PracticeAgent(agent or window.settings.hint_agent)
        self.gravity = 0  # rows per second
        self.history = UndoHistory(self._make_first_practice_board(position))
        self.free_piece: FreePiece | None = None
        self.board_animator = BoardAnimator(window.settings.has_animation)
        self._board_editor = BoardEditor()
        self._repeat_countdowns: dict[str, float] = {}
        self._rows_to_fall = 0.0
        self._board_area = FittedBoard(1, Box(0, 0, 0, 0))
        self._rules_picker = Picker("rules", free_text_hint="rules such as nes:start_level=9")
        self._place_free_piece()

    @property
    def practice_board(self) -> PracticeBoard:
        """The current board, including an unfinished mouse stroke."""
        return self._board_editor.edited_board or self.history.current

    # Input

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Handle the keys of the piece, and the mouse on the board."""
        if event.type == pygame.KEYUP:
            self._repeat_countdowns.pop(self._find_action(event.key), None)
        if self._rules_picker.is_open or self.practice_agent.picker.is_open:
            return False
        return self._handle_key(event) if event.type == pygame.KEYDOWN else self._handle_mouse(event)

    def _handle_key(self, event: pygame.event.Event) -> bool:
        if getattr(event, "mod", 0) & (pygame.KMOD_CTRL | pygame.KMOD_META):
            return self._handle_undo_keys(event)
        focus, action = self.window.ui.focus, self._find_action(event.key)
        if focus in ("gravity", "moves") and (event.key in (pygame.K_LEFT, pygame.K_RIGHT) or focus == "moves"):
            return False
        if focus.startswith(("piece ", "next ")) and event.key in (pygame.K_LEFT, pygame.K_RIGHT):
            return False
        if action:
            self._perform_action(action)
            if action in _REPEATED_ACTIONS:
                self._repeat_countdowns[action] = _FIRST_REPEAT_SECONDS
            return True
        letter = pygame.key.name(event.key).upper()
        letter = dict(zip("1234567", PIECES, strict=True)).get(letter, letter)
        if letter in list(PIECES):
            self._choose_piece(letter)
            return True
        return False

    def _handle_undo_keys(self, event: pygame.event.Event) -> bool:
        if event.key == pygame.K_z:
            self._undo_or_redo(not event.mod & pygame.KMOD_SHIFT)
        elif event.key == pygame.K_y:
            self._undo_or_redo(False)
        else:
            return False
        return True

    def _get_key_codes(self) -> dict[str, int]:
        """Return the key code of each action: the configured keys, and the up arrow to move up."""
        codes = {name: pygame.key.key_code(key) for name, key in self.window.settings.keys.items()}
        keys = {name: codes[name] for name in ("left", "right", "rotate", "back", "down", "drop")}
        if keys["rotate"] == pygame.K_UP:
            fallback_codes = (pygame.key.key_code(name) for name in _ROTATE_FALLBACK_KEYS)
            keys["rotate"] = next((code for code in fallback_codes if code not in keys.values()), pygame.K_TAB)
        return keys | {UP_KEY: pygame.K_UP}

    def _find_action(self, code: int) -> str:
        return next((action for action, key in self._get_key_codes().items() if key == code), "")

    def _perform_action(self, action: str) -> None:
        free_piece = self.free_piece
        if free_piece is None or self.practice_agent.moves_left:
            return
        if action == "drop":
            self._lock_piece(free_piece.ghost.placement)
        elif (moved := free_piece.move_by_key(action)) is not None:
            self.free_piece = moved
            self._play_sound({"rotate": "rotate", "back": "rotate", "down": "step"}.get(action, "move"))

    def _choose_piece(self, letter: str, as_next: bool = False) -> None:
        board = self.practice_board
        changed = replace(board, next=letter + board.next[1:]) if as_next else replace(board, piece=letter)
        self._set_practice_board(changed)
        self._play_sound("choose")

    def _handle_mouse(self, event: pygame.event.Event) -> bool:
        editor, ui = self._board_editor, self.window.ui
        piece = self.free_piece.placement if self.free_piece else None
        if editor.begin_stroke(event, self.practice_board, ui.pen, self._board_area, piece):
            ui.focus = ""
            self.practice_agent.stop()
        elif editor.edited_board and event.type == pygame.MOUSEMOTION:
            editor.continue_stroke(event, ui.pen, self._board_area, piece)
        elif editor.edited_board and event.type == pygame.MOUSEBUTTONUP:
            self._end_stroke()
            return True
        elif event.type == pygame.MOUSEBUTTONUP and ui.focus == "gravity":
            ui.focus = ""
        if editor.error_message:
            self.window.show_message(editor.error_message)
            editor.error_message = ""
        return bool(editor.edited_board) and event.type == pygame.MOUSEBUTTONDOWN

    def _end_stroke(self) -> None:
        if (drawn := self._board_editor.end_stroke()) is not None:
            self._set_practice_board(drawn)

    # Board

    def _set_practice_board(self, practice_board: PracticeBoard) -> None:
        """Set a new board and leave the piece where it is, if it fits."""
        self.history.push(practice_board)
        self._place_free_piece()

    def _place_free_piece(self) -> None:
        board = self.practice_board
        self.free_piece = (self.free_piece.move_to_board(board) if self.free_piece else None) or FreePiece.from_spawn(
            board
        )
        self._rows_to_fall = 0.0

    def _undo_or_redo(self, undo: bool) -> None:
        if self.history.undo() if undo else self.history.redo():
            self.practice_agent.stop()
            self.free_piece = None
            self._place_free_piece()
            self._play_sound("choose")

    def _lock_piece(self, placement: Placement) -> None:
        board = self.practice_board
        try:
            after, lock = board.place_piece(placement, seed=board.pieces)
        except TetrionError as error:
            self.window.show_message(str(error))
            self.practice_agent.stop()
            return
        self.board_animator.add_lock(lock)
        self._play_sound(get_lock_sound(lock.lines))
        self.free_piece = None
        self._set_practice_board(after)

    def _choose_rules(self, text: str) -> None:
        try:
            rules = Rules.parse(text)
            board = self.practice_board.with_rules(rules)
        except TetrionError as error:
            self.window.show_message(str(error))
            return
        self.rules_text = text
        self.free_piece = None
        self._set_practice_board(board)

    # Time

    @property
    def is_moving(self) -> bool:
        """Whether a piece falls, a key repeats, or the agent decides or plays."""
        agent = self.practice_agent
        return bool(self.gravity or self._repeat_countdowns or agent.moves_left or agent.adviser.is_thinking)

    def update(self, seconds: float) -> None:
        """Apply gravity, key repeats and moves of the agent."""
        self.board_animator.has_animation = self.window.settings.has_animation
        self.board_animator.update(seconds)
        for action in list(self._repeat_countdowns):
            self._repeat_countdowns[action] -= seconds
            while self._repeat_countdowns.get(action, 1.0) <= 0:
                self._repeat_countdowns[action] += _REPEAT_SECONDS
                self._perform_action(action)
        self._apply_gravity(seconds)
        if (
            not self._board_editor.edited_board
            and (move := self.practice_agent.update(seconds, self.practice_board)) is not None
        ):
            self._lock_piece(move)
        self.board_animator.track_piece(
            self.free_piece.placement if self.free_piece else None, self.practice_board.pieces
        )

    def _make_first_practice_board(self, position: Position | None) -> PracticeBoard:
        if position:
            self.rules_text = str(position.rules)
            return PracticeBoard.from_position(position)
        try:
            return PracticeBoard.empty(Rules.parse(self.rules_text))
        except TetrionError as error:
            self.window.show_message(str(error))
            self.rules_text = "standard"
            return PracticeBoard.empty(Rules.parse(self.rules_text))

    def _apply_gravity(self, seconds: float) -> None:
        if not self.gravity or not self.free_piece or self.practice_agent.moves_left or self._board_editor.edited_board:
            self._rows_to_fall = 0.0
            return
        self._rows_to_fall += seconds * self.gravity
        while self._rows_to_fall >= 1 and self.free_piece:
            self._rows_to_fall -= 1
            if self.free_piece.is_resting:
                if self.free_piece.top_row >= self.practice_board.rules.rows:  # a piece cannot lock above the board
                    return
                self._lock_piece(self.free_piece.placement)
                return
            self.free_piece = self.free_piece.move_by_key("down")

    def on_focus_lost(self) -> None:
        """Release all keys when the window loses the focus."""
        self._repeat_countdowns.clear()
        self._end_stroke()

    def on_leave(self) -> None:
        """Close the agent."""
        self.practice_agent.adviser.close()

    def _play_sound(self, name: str) -> None:
        self.window.sound.play(name)

    # Drawing

    def draw(self, ui: Ui) -> None:
        """Draw the board and its panels."""
        chips = [format_rules(self.practice_board.rules)]
        screen_area, should_close = draw_header_footer(
            ui, self.title, chips=chips, agent=self.practice_agent.adviser.name
        )
        self._draw_layout(ui, screen_area)
        if should_close:
            self.window.close_screen()

    def _draw_layout(self, ui: Ui, screen_area: ScreenArea) -> None:
        content, rules = screen_area.content, self.practice_board.rules
        if screen_area.is_compact:
            space = Box(
                content.left, content.top, content.width - MIN_WIDE_PANEL_WIDTH - screen_area.gap, content.height
            )
            self._board_area = ui.pen.fit_board(space, rules.height, align=0)
            left = self._board_area.box.right + screen_area.gap
            self._draw_single_column(ui, screen_area, Box(left, content.top, content.right - left, content.height))
        else:
            column = _COLUMN_WIDTHS[screen_area.layout_size]
            left_box = Box(content.left, content.top, column, content.height)
            min_agent_width = 320 if screen_area.layout_size == MEDIUM_LAYOUT else 400
            space = Box(left_box.right + screen_area.gap, content.top, 0, content.height)
            space.width = content.width - column - min_agent_width - 2 * screen_area.gap
            self._board_area = ui.pen.fit_board(space, rules.height, align=0)
            self._draw_left_column(ui, screen_area, left_box)
            right = self._board_area.box.right + screen_area.gap
            self._draw_agent_column(ui, screen_area, Box(right, content.top, content.right - right, content.height))
        self._draw_board(ui)
        self._draw_legend(ui, screen_area)
        if rules_text := self._rules_picker.draw_list(ui, list_rules_options):
            self._choose_rules(rules_text)
        self.practice_agent.draw_agent_list(ui)

    def _draw_board(self, ui: Ui) -> None:
        board, free_piece = self.practice_board, None if self._board_editor.edited_board else self.free_piece
        active = free_piece.placement if free_piece else None
        ghost = free_piece.ghost.placement if free_piece and self.window.settings.ghost else None
        advice = self.practice_agent.get_advice(board)
        ghost = None if ghost in (active, advice) else ghost
        contours = [(advice, HINT_CONTOUR)] if advice else []
        self.board_animator.draw(ui.pen, self._board_area, board.stack, active=active, ghost=ghost, contours=contours)
        if warning := self._make_warning():
            draw_warning(ui.pen, self._board_area.box, warning)

    def _make_warning(self) -> str:
        if self._board_editor.edited_board:
            return ""
        if self.free_piece is None:
            return BLOCKED_SPAWN_MESSAGE.format(piece=self.practice_board.piece)
        lowest = min(row for _, row in self.free_piece.placement.cells)
        return _PIECE_ABOVE_BOARD_TEXT if lowest >= self.practice_board.rules.height else ""

    def _draw_left_column(self, ui: Ui, screen_area: ScreenArea, box: Box) -> None:
        height = PIECE_PANEL_HEIGHT_WITH_NEXT if self.practice_board.next else PIECE_PANEL_HEIGHT
        self._draw_pieces(ui, Box(box.left, box.top, box.width, height), side_by_side=False)
        tools_box = Box(box.left, box.top + height + screen_area.gap, box.width, _TOOLS_HEIGHT)
        self._draw_tools(ui, tools_box)
        top = tools_box.bottom + screen_area.gap
        if box.bottom - top >= _MIN_PANEL_HEIGHT:
            draw_features_panel(ui.pen, Box(box.left, top, box.width, box.bottom - top), self.practice_board)

    def _draw_agent_column(self, ui: Ui, screen_area: ScreenArea, box: Box) -> None:
        height = (WIDE_PANEL_HEIGHT if box.width >= MIN_WIDE_PANEL_WIDTH else NARROW_PANEL_HEIGHT) - (
            STATUS_LINE_HEIGHT if screen_area.is_compact else 0
        )
        agent_box = Box(box.left, box.top, box.width, height)
        if (
            move := self.practice_agent.draw(ui, agent_box, self.practice_board, with_status=not screen_area.is_compact)
        ) is not None:
            self._lock_piece(move)
        top = agent_box.bottom + screen_area.gap
        if box.bottom - top >= _MIN_PANEL_HEIGHT:
            self.practice_agent.draw_thinking(ui, Box(box.left, top, box.width, box.bottom - top), self.practice_board)

    def _draw_single_column(self, ui: Ui, screen_area: ScreenArea, box: Box) -> None:
        self._draw_pieces(ui, Box(box.left, box.top, box.width, PIECE_PANEL_HEIGHT_SIDE_BY_SIDE), side_by_side=True)
        tools = Box(
            box.left, box.top + PIECE_PANEL_HEIGHT_SIDE_BY_SIDE + screen_area.gap, box.width, _WIDE_TOOLS_HEIGHT
        )
        self._draw_tools(ui, tools)
        agent_box = Box(
            box.left, tools.bottom + screen_area.gap, box.width, box.bottom - tools.bottom - screen_area.gap
        )
        self._draw_agent_column(ui, screen_area, agent_box)

    def _draw_pieces(self, ui: Ui, box: Box, *, side_by_side: bool) -> None:
        piece, next_piece = draw_piece_panel(ui, box, self.practice_board, side_by_side=side_by_side)
        if piece:
            self._choose_piece(piece)
        if next_piece:
            self._choose_piece(next_piece, as_next=True)

    def _draw_tools(self, ui: Ui, box: Box) -> None:
        """Draw gravity, rules and history controls, in one column or in two rows."""
        inside = box.inflate(-2 * PANEL_PADDING, -2 * PANEL_PADDING)
        ui.pen.draw_panel(box)
        if box.width < MIN_WIDE_PANEL_WIDTH:
            self._draw_gravity(ui, Box(inside.left, inside.top, inside.width, 64))
            self._rules_picker.draw(ui, Box(inside.left, inside.top + 80, inside.width, BUTTON_HEIGHT), self.rules_text)
            self._draw_history_buttons(ui, Box(inside.left, inside.bottom - BUTTON_HEIGHT, inside.width, BUTTON_HEIGHT))
            return
        half = (inside.width - PANEL_PADDING) // 2
        self._draw_gravity(ui, Box(inside.left, inside.top - 8, half, 48))
        self._rules_picker.draw(ui, Box(inside.right - half, inside.top - 4, half, BUTTON_HEIGHT), self.rules_text)
        self._draw_history_buttons(ui, Box(inside.left, inside.bottom - BUTTON_HEIGHT + 4, inside.width, BUTTON_HEIGHT))

    def _draw_gravity(self, ui: Ui, box: Box) -> None:
        ui.pen.draw_text("Gravity", (box.left, box.top + 10), 14, True, DIM_TEXT)
        text = f"{format_count(self.gravity, 'row')} per second" if self.gravity else "Off"
        ui.pen.draw_text(text, (box.right, box.top + 10), 14, False, STRONG_TEXT if self.gravity else DIM_TEXT, align=1)
        track = Box(box.left + 8, box.bottom - 28, box.width - 16, 24)
        share = draw_slider(ui, "gravity", track, self.gravity / _MAX_GRAVITY, step=1 / _MAX_GRAVITY)
        self.gravity = round(share * _MAX_GRAVITY)

    def _draw_history_buttons(self, ui: Ui, box: Box) -> None:
        history = self.history
        width = (box.width - 16) // 3
        for number, (name, is_enabled) in enumerate(
            (("Undo", history.can_undo), ("Redo", history.can_redo), ("Clear", bool(self.practice_board.stack.rows)))
        ):
            button_box = Box(box.left + number * (width + 8), box.top, width, BUTTON_HEIGHT)
            if draw_button(ui, name.lower(), button_box, name, is_enabled=is_enabled):
                if name == "Clear":
                    self._set_practice_board(self.practice_board.with_empty_board())
                else:
                    self._undo_or_redo(name == "Undo")

    def _draw_legend(self, ui: Ui, screen_area: ScreenArea) -> None:
        keys = {action: get_key_label(code) for action, code in self._get_key_codes().items()}
        entries: list[tuple[list[str], str]] = [
            ([keys["left"], keys["right"], keys[UP_KEY], keys["down"]], "Move"),
            ([keys["rotate"], keys["back"]], "Rotate"),
            ([keys["drop"]], "Hard drop"),
            (["1–7"], "Piece"),
            (["Ctrl", "Z"], "Undo"),
            ([], "Mouse: left button draws, right button erases"),
        ]
        draw_key_legend(ui, screen_area.footer, entries)
