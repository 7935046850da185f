"""Practice screen: pieces moved freely, boards drawn with the mouse, and advice from an agent."""

import pygame

from tetrion.app.gamepad import PAD_CODES
from tetrion.app.games.practice_agent import (
    MIN_WIDE_PANEL_WIDTH,
    NARROW_PANEL_HEIGHT,
    STATUS_LINE_HEIGHT,
    WIDE_PANEL_HEIGHT,
    PracticeAgent,
)
from tetrion.app.games.practice_board import UP_KEY, PracticeBoard
from tetrion.app.games.practice_game import PracticeGame
from tetrion.app.picker_options import format_rules
from tetrion.app.screen import Screen
from tetrion.app.screens.practice_panels import (
    PIECE_PANEL_HEIGHT,
    PIECE_PANEL_HEIGHT_SIDE_BY_SIDE,
    PIECE_PANEL_HEIGHT_WITH_NEXT,
    draw_features_panel,
    draw_piece_panel,
    draw_warning,
)
from tetrion.app.screens.practice_tools import PracticeTools
from tetrion.app.toolkit.header_footer import (
    MEDIUM_LAYOUT,
    WIDE_LAYOUT,
    ScreenArea,
    draw_header_footer,
    draw_key_legend,
)
from tetrion.app.toolkit.ui import Ui, get_key_label
from tetrion.app.window import Window
from tetrion.drawing.contours import HINT_CONTOUR
from tetrion.drawing.pen import Box, FittedBoard
from tetrion.engine.piece_motion import GAME_KEYS
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.position import Position

_FIRST_REPEAT_SECONDS = 0.18
_REPEAT_SECONDS = 0.05
_REPEATED_ACTIONS = ("left", "right", "down", UP_KEY)
_FALLBACK_KEYS = ("x", "c", "v", "b")  # for an action without another key than the up arrow, which moves the piece up
_COLUMN_WIDTHS = {WIDE_LAYOUT: 280, MEDIUM_LAYOUT: 232}
_MIN_PANEL_HEIGHT = 80  # lower panels are hidden


class PracticeScreen(Screen):
    """Screen with a board that can be edited, and an agent that gives advice."""

    title = "Practice"

    def __init__(self, window: Window, rules: str = "", agent: str = "", position: Position | None = None) -> None:
        super().__init__(window)
        self.rules_text = rules or window.settings.play_rules
        self.practice_agent = PracticeAgent(agent or window.settings.hint_agent)
        self.practice_game = self._make_game(position)
        self._repeat_countdowns: dict[str, float] = {}
        self._board_area = FittedBoard(1, Box(0, 0, 0, 0))
        self._tools = PracticeTools()

    def _make_game(self, position: Position | None) -> PracticeGame:
        problem = ""
        if position:
            self.rules_text = str(position.rules)
            board = PracticeBoard.from_position(position)
        else:
            try:
                rules = Rules.parse(self.rules_text)
            except TetrionError as error:
                problem = str(error)
                self.rules_text = "standard"
                rules = Rules.parse(self.rules_text)
            board = PracticeBoard.empty(rules)
        settings = self.window.settings
        game = PracticeGame(board, self.practice_agent, self.window.sound.play, settings.has_animation)
        game.problem = problem
        return game

    @property
    def practice_board(self) -> PracticeBoard:
        """The current board, including an unfinished mouse stroke."""
        return self.practice_game.practice_board

    # Input

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Handle the keys of the piece, and the mouse on the board."""
        if event.type == pygame.KEYUP:
            self._repeat_countdowns.pop(self._find_action(event.key), None)
        if self._tools.rules_picker.is_open or self.practice_agent.picker.is_open:
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
            self.practice_game.perform_action(action)
            if action in _REPEATED_ACTIONS:
                self._repeat_countdowns[action] = _FIRST_REPEAT_SECONDS
            return True
        letter = pygame.key.name(event.key).upper()
        letter = dict(zip("1234567", PIECES, strict=True)).get(letter, letter)
        if letter in list(PIECES):
            self.practice_game.choose_piece(letter)
            return True
        return False

    def _handle_undo_keys(self, event: pygame.event.Event) -> bool:
        if event.key == pygame.K_z:
            self.practice_game.undo_or_redo(not event.mod & pygame.KMOD_SHIFT)
        elif event.key == pygame.K_y:
            self.practice_game.undo_or_redo(False)
        else:
            return False
        return True

    def _get_key_codes(self) -> dict[str, int]:
        """Return the key code of each action: its first key, except the up arrow, which moves the piece up.

        Further keys of an action may be letters, which choose pieces here.
        """
        keys: dict[str, int] = {}
        for action in GAME_KEYS:
            names = [name for name in self.window.settings.keys[action] if name not in PAD_CODES and name != "up"]
            codes = [pygame.key.key_code(name) for name in (*names[:1], *_FALLBACK_KEYS)]
            keys[action] = next((code for code in codes if code not in keys.values()), pygame.K_TAB)
        return keys | {UP_KEY: pygame.K_UP}

    def _find_action(self, code: int) -> str:
        return next((action for action, key in self._get_key_codes().items() if key == code), "")

    def _handle_mouse(self, event: pygame.event.Event) -> bool:
        game, ui = self.practice_game, self.window.ui
        editor = game.board_editor
        piece = game.free_piece.placement if game.free_piece else None
        if editor.begin_stroke(event, game.practice_board, ui.pen, self._board_area, piece):
            ui.focus = ""
            self.practice_agent.stop()
        elif editor.edited_board and event.type == pygame.MOUSEMOTION:
            editor.continue_stroke(event, ui.pen, self._board_area, piece)
        elif editor.edited_board and event.type == pygame.MOUSEBUTTONUP:
            game.end_stroke()
            return True
        elif event.type == pygame.MOUSEBUTTONUP and ui.focus == "gravity":
            ui.focus = ""
        return bool(editor.edited_board) and event.type == pygame.MOUSEBUTTONDOWN

    # Time

    @property
    def is_moving(self) -> bool:
        """Whether a piece falls, a key repeats, or the agent decides or plays."""
        game, agent = self.practice_game, self.practice_game.practice_agent
        return bool(game.gravity or self._repeat_countdowns or agent.moves_left or agent.adviser.is_thinking)

    def update(self, seconds: float) -> None:
        """Repeat held keys, and advance the game."""
        game = self.practice_game
        game.board_animator.has_animation = self.window.settings.has_animation
        for action in list(self._repeat_countdowns):
            self._repeat_countdowns[action] -= seconds
            while self._repeat_countdowns.get(action, 1.0) <= 0:
                self._repeat_countdowns[action] += _REPEAT_SECONDS
                game.perform_action(action)
        game.update(seconds)

    def on_focus_lost(self) -> None:
        """Release all keys when the window loses the focus."""
        self._repeat_countdowns.clear()
        self.practice_game.end_stroke()

    def on_leave(self) -> None:
        """Close the agent."""
        self.practice_agent.adviser.close()

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
        if (rules_text := self._tools.choose_rules(ui)) and self.practice_game.choose_rules(rules_text):
            self.rules_text = rules_text
        self.practice_agent.draw_agent_list(ui)

    def _draw_board(self, ui: Ui) -> None:
        game, board = self.practice_game, self.practice_board
        free_piece = None if game.board_editor.edited_board else game.free_piece
        active = free_piece.placement if free_piece else None
        ghost = free_piece.ghost.placement if free_piece and self.window.settings.ghost else None
        advice = self.practice_agent.get_advice(board)
        ghost = None if ghost in (active, advice) else ghost
        contours = [(advice, HINT_CONTOUR)] if advice else []
        game.board_animator.draw(ui.pen, self._board_area, board.stack, active=active, ghost=ghost, contours=contours)
        if game.warning:
            draw_warning(ui.pen, self._board_area.box, game.warning)

    def _draw_left_column(self, ui: Ui, screen_area: ScreenArea, box: Box) -> None:
        height = PIECE_PANEL_HEIGHT_WITH_NEXT if self.practice_board.next else PIECE_PANEL_HEIGHT
        self._draw_pieces(ui, Box(box.left, box.top, box.width, height), side_by_side=False)
        tools_box = self._draw_tools(ui, (box.left, box.top + height + screen_area.gap), box.width)
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
            self.practice_game.lock_piece(move)
        top = agent_box.bottom + screen_area.gap
        if box.bottom - top >= _MIN_PANEL_HEIGHT:
            self.practice_agent.draw_thinking(ui, Box(box.left, top, box.width, box.bottom - top), self.practice_board)

    def _draw_single_column(self, ui: Ui, screen_area: ScreenArea, box: Box) -> None:
        self._draw_pieces(ui, Box(box.left, box.top, box.width, PIECE_PANEL_HEIGHT_SIDE_BY_SIDE), side_by_side=True)
        top = box.top + PIECE_PANEL_HEIGHT_SIDE_BY_SIDE + screen_area.gap
        tools = self._draw_tools(ui, (box.left, top), box.width)
        agent_box = Box(
            box.left, tools.bottom + screen_area.gap, box.width, box.bottom - tools.bottom - screen_area.gap
        )
        self._draw_agent_column(ui, screen_area, agent_box)

    def _draw_pieces(self, ui: Ui, box: Box, *, side_by_side: bool) -> None:
        piece, next_piece = draw_piece_panel(ui, box, self.practice_board, side_by_side=side_by_side)
        if piece:
            self.practice_game.choose_piece(piece)
        if next_piece:
            self.practice_game.choose_piece(next_piece, as_next=True)

    def _draw_tools(self, ui: Ui, position: tuple[int, int], width: int) -> Box:
        """Draw the tools and return their box."""
        box = Box(*position, width, self._tools.compute_height(ui.pen, width, self.practice_game))
        self._tools.draw(ui, box, self.practice_game, self.rules_text)
        return box

    def _draw_legend(self, ui: Ui, screen_area: ScreenArea) -> None:
        keys = {action: get_key_label(code) for action, code in self._get_key_codes().items()}
        entries: list[tuple[list[str], str]] = [
            ([keys["left"], keys["right"], keys[UP_KEY], keys["down"]], "Move"),
            ([keys["rotate"], keys["back"]], "Rotate"),
            ([keys["drop"]], "Hard drop"),
            (["1–7"], "Piece"),
            (["Ctrl", "Z"], "Undo"),
        ]
        draw_key_legend(ui, screen_area.footer, entries)
