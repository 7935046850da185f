"""Practice screen: pieces moved freely, boards drawn with the mouse or the keyboard, and advice from an agent."""

import pygame

from tetrion.app.games.board_editor import find_cell_at
from tetrion.app.games.practice_agent import (
    MIN_WIDE_PANEL_WIDTH,
    NARROW_PANEL_HEIGHT,
    STATUS_LINE_HEIGHT,
    WIDE_PANEL_HEIGHT,
    PracticeAgent,
)
from tetrion.app.games.practice_board import PracticeBoard
from tetrion.app.games.practice_game import PracticeGame
from tetrion.app.picker_options import format_rules
from tetrion.app.screen import Screen
from tetrion.app.screens.practice_keys import BOARD_CONTROL, PracticeKeys
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
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.app.window_settings import AUTOMATIC_AGENT
from tetrion.board import Cell
from tetrion.drawing.board_drawing import draw_contour
from tetrion.drawing.contours import HINT_CONTOUR, Contour
from tetrion.drawing.palette import WHITE
from tetrion.drawing.pen import Box, FittedBoard, Pen
from tetrion.drawing.side_panels import draw_action_on_board
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.replay_review import DEFAULT_GRADER
from tetrion.position import Position

_STROKE_BUTTONS = (pygame.BUTTON_LEFT, pygame.BUTTON_RIGHT)  # one fills cells, the other one erases them
_CONTROLS_THAT_KEEP_THE_FOCUS = ("moves", "rules", "agent")  # after a click, because a text can be typed
_BOARD_RADIUS = 10  # of the corners of its frame
_CURSOR_CONTOUR = Contour(WHITE, fill_alpha=0.25)
_COLUMN_WIDTHS = {WIDE_LAYOUT: 280, MEDIUM_LAYOUT: 232}
_MIN_PANEL_HEIGHT = 80  # lower panels are hidden


class PracticeScreen(Screen):
    """Screen with a board that can be edited, and an agent that gives advice."""

    title = "Practice"

    def __init__(self, window: Window, rules: str = "", agent: str = "", position: Position | None = None) -> None:
        super().__init__(window)
        self.practice_game = self._open_game(rules, agent, position)
        self._keys = PracticeKeys(window, self.practice_game)
        self._board_area = FittedBoard(1, Box(0, 0, 0, 0))
        self._tools = PracticeTools(self._keys)

    def _open_game(self, rules: str, agent: str, position: Position | None) -> PracticeGame:
        """Return the game that the window has kept, changed as far as other rules or another agent are asked for.

        A position begins a new game. The window keeps a game only if this screen is left without an error.
        """
        game = self.window.practice_game
        self.window.practice_game = None
        if position or game is None:
            return self._make_game(rules or self.window.settings.play_rules, agent, position)
        if agent:
            game.practice_agent.request_agent(agent)
        if rules:
            game.request_rules(rules)
        return game

    def _make_game(self, rules_text: str, agent: str, position: Position | None) -> PracticeGame:
        settings = self.window.settings
        problem = ""
        if position:
            board = PracticeBoard.from_position(position)
        else:
            try:
                rules = Rules.parse(rules_text)
            except TetrionError as error:
                problem = str(error)
                rules = Rules.parse("standard")
            board = PracticeBoard.empty(rules)
        # The rules of practice may change, so that the default is an agent for all rules.
        hint_agent = DEFAULT_GRADER if settings.hint_agent == AUTOMATIC_AGENT else settings.hint_agent
        practice_agent = PracticeAgent(agent or hint_agent)
        game = PracticeGame(board, practice_agent, self.window.sound.play, settings.has_animation)
        game.problem = problem
        return game

    @property
    def practice_agent(self) -> PracticeAgent:
        """The agent that gives advice."""
        return self.practice_game.practice_agent

    @property
    def rules_text(self) -> str:
        """The rules of the board."""
        return str(self.practice_board.rules)

    @property
    def practice_board(self) -> PracticeBoard:
        """The current board, including an unfinished stroke."""
        return self.practice_game.practice_board

    # Input

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Handle the keys of the board, and the mouse on the board."""
        if event.type == pygame.KEYUP:
            self._keys.release_key(event)
        if self._tools.rules_picker.is_open or self.practice_agent.picker.is_open:
            return False
        return self._keys.press_key(event) if event.type == pygame.KEYDOWN else self._handle_mouse(event)

    def _handle_mouse(self, event: pygame.event.Event) -> bool:
        if event.type == pygame.MOUSEBUTTONDOWN and event.button in _STROKE_BUTTONS:
            return self._begin_stroke(event)
        is_stroke = self.practice_game.board_editor.edited_board is not None
        if event.type == pygame.MOUSEMOTION and is_stroke and any(event.buttons):
            if (cell := self._find_cell(event)) is not None:
                self.practice_game.continue_stroke(cell)
        elif event.type == pygame.MOUSEBUTTONUP and is_stroke:
            self.practice_game.end_stroke()
            return True
        elif event.type == pygame.MOUSEBUTTONUP and event.button == pygame.BUTTON_LEFT:
            self._return_focus()
        return False

    def _return_focus(self) -> None:
        """Give the focus to the board after a click, so that the keys move the piece again."""
        if self.window.ui.focus not in _CONTROLS_THAT_KEEP_THE_FOCUS:
            self.window.ui.focus = BOARD_CONTROL

    def _begin_stroke(self, event: pygame.event.Event) -> bool:
        if (cell := self._find_cell(event)) is None:
            return False
        self.window.ui.focus = BOARD_CONTROL
        self.practice_game.begin_stroke(cell, event.button == pygame.BUTTON_LEFT)
        return True

    def _find_cell(self, event: pygame.event.Event) -> Cell | None:
        return find_cell_at(event.pos, self.practice_board, self.window.ui.pen, self._board_area)

    # Time

    @property
    def is_moving(self) -> bool:
        """Whether a piece falls, a key repeats, or the agent decides or plays."""
        game, agent = self.practice_game, self.practice_game.practice_agent
        is_agent_busy = agent.moves_left or agent.adviser.is_thinking
        return bool(game.gravity or self._keys.is_repeating or is_agent_busy or game.action.lines)

    def update(self, seconds: float) -> None:
        """Repeat held keys, and advance the game."""
        game = self.practice_game
        game.board_animator.has_animation = self.window.settings.has_animation
        if game.is_drawing and self.window.ui.focus not in ("", BOARD_CONTROL, "back"):  # Back ends drawing itself
            game.end_drawing()
        self._keys.update(seconds)
        game.update(seconds)
        agent = self.practice_agent
        self.window.ask_about_code(agent.adviser.take_code_file(), lambda: agent.ask(self.practice_board))

    def on_focus_lost(self) -> None:
        """Release all keys when the window loses the focus."""
        self._keys.release_all()
        self.practice_game.end_stroke()

    def on_leave(self) -> None:
        """End drawing and close the agent."""
        self.practice_game.leave()

    def _close(self) -> None:
        """End drawing, or else close the screen; the window keeps the game until the screen is opened again."""
        if self.practice_game.is_drawing:
            self.practice_game.end_drawing()
            self.window.ui.focus = BOARD_CONTROL
            return
        self.window.practice_game = self.practice_game
        self.window.close_screen()

    # Drawing

    def draw(self, ui: Ui) -> None:
        """Draw the board and its panels."""
        chips = [format_rules(self.practice_board.rules)]
        screen_area, should_close = draw_header_footer(
            ui,
            self.title,
            chips=chips,
            agent=self.practice_agent.adviser.name,
            back_label="End drawing" if self.practice_game.is_drawing else "",
        )
        self._draw_layout(ui, screen_area)
        if not ui.focus:
            ui.request_focus(BOARD_CONTROL)
        if should_close:
            self._close()

    def _draw_layout(self, ui: Ui, screen_area: ScreenArea) -> None:
        content = screen_area.content
        if screen_area.is_compact:
            space = Box(
                content.left, content.top, content.width - MIN_WIDE_PANEL_WIDTH - screen_area.gap, content.height
            )
            self._add_board(ui, space)
            left = self._board_area.box.right + screen_area.gap
            self._draw_single_column(ui, screen_area, Box(left, content.top, content.right - left, content.height))
        else:
            column = _COLUMN_WIDTHS[screen_area.layout_size]
            left_box = Box(content.left, content.top, column, content.height)
            min_agent_width = 320 if screen_area.layout_size == MEDIUM_LAYOUT else 400
            space = Box(left_box.right + screen_area.gap, content.top, 0, content.height)
            space.width = content.width - column - min_agent_width - 2 * screen_area.gap
            self._add_board(ui, space)
            self._draw_left_column(ui, screen_area, left_box)
            right = self._board_area.box.right + screen_area.gap
            self._draw_agent_column(ui, screen_area, Box(right, content.top, content.right - right, content.height))
        self._draw_board(ui)
        draw_key_legend(ui, screen_area.footer, self._keys.make_legend())
        if rules_text := self._tools.choose_rules(ui):
            self.practice_game.choose_rules(rules_text)
        self.practice_agent.draw_agent_list(ui)

    def _add_board(self, ui: Ui, space: Box) -> None:
        """Fit the board into a box and add it as the first control of the content."""
        self._board_area = ui.pen.fit_board(space, self.practice_board.rules.height, align=0)
        ui.add_control(BOARD_CONTROL, self._board_area.box, radius=_BOARD_RADIUS)

    def _draw_board(self, ui: Ui) -> None:
        game, board = self.practice_game, self.practice_board
        active = game.free_piece.placement if game.free_piece else None
        has_ghost = self.window.settings.ghost and not game.is_drawing and not game.board_editor.edited_board
        ghost = game.free_piece.ghost.placement if game.free_piece and has_ghost else None
        advice = self.practice_agent.get_advice(board)
        ghost = None if ghost in (active, advice) else ghost
        contours = [(advice, HINT_CONTOUR)] if advice else []
        game.board_animator.draw(ui.pen, self._board_area, board.stack, active=active, ghost=ghost, contours=contours)
        if game.cursor:
            self._draw_cursor(ui.pen, game.cursor)
        elif game.warning:
            draw_warning(ui.pen, self._board_area.box, game.warning)
        else:
            strength = game.action.get_strength(self.window.settings.has_animation)
            draw_action_on_board(ui.pen, self._board_area.box, game.action.lines, strength)

    def _draw_cursor(self, pen: Pen, cell: Cell) -> None:
        origin = pen.to_pixel_point(self._board_area.box.topleft)
        height = self.practice_board.rules.height
        draw_contour(pen.surface, origin, self._board_area.cell_size, height, [cell], contour=_CURSOR_CONTOUR)

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
