"""Review screen: every move of a game graded by an agent, with the costliest moves and better placements."""

from typing import NamedTuple

from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.picker_options import format_rules, list_agent_options
from tetrion.app.replays.replay_grading import ReplayGrader, get_better_placement
from tetrion.app.replays.replay_loading import ReplayLoader
from tetrion.app.screen import Screen
from tetrion.app.screens.review_panels import (
    MOVE_PIECES_HEIGHT,
    MOVE_TEXT_HEIGHT,
    draw_costliest_moves,
    draw_loss_chart,
    draw_move_text,
    draw_review_column,
    draw_review_strip,
)
from tetrion.app.screens.waiting_screen import draw_loading
from tetrion.app.toolkit.controls import draw_slider
from tetrion.app.toolkit.header_footer import (
    FooterButton,
    ScreenArea,
    compute_side_height,
    draw_footer_buttons,
    draw_header_footer,
    draw_key_legend,
    draw_overlay,
)
from tetrion.app.toolkit.old_picker import Picker
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.board_drawing import clip_to, draw_board, draw_contour
from tetrion.drawing.contours import HINT_CONTOUR
from tetrion.drawing.game_facts import VisiblePieces, describe_action, has_attack_layout
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.drawing.side_panels import draw_action_on_board, draw_garbage_meter, draw_tiny_pieces
from tetrion.evaluation.replay_review import choose_grader
from tetrion.position import Position
from tetrion.replay import Replay
from tetrion.stack import Stack

_LEFT_COLUMN_WIDTH = 200  # units

_STRIP_HEIGHT = 76
_CHART_HEIGHT = 152
_SMALL_CHART_HEIGHT = 100


class MoveOnBoard(NamedTuple):
    """A move as the board shows it: the game before it, and its action text."""

    number: int
    position: Position
    stack: Stack
    action_lines: tuple[str, ...]


class ReviewScreen(Screen):
    """Screen that grades a replay, given as a file or as an object."""

    title = "Review"

    def __init__(self, window: Window, file: str = "", replay: Replay | None = None, agent: str = "") -> None:
        super().__init__(window)
        self.file = file
        self.agent = agent
        self.loader = ReplayLoader(file, replay)
        self.grader: ReplayGrader | None = None
        self.agent_picker = Picker("agent", free_text_hint="a file, class or folder")
        self.move_number = 1  # shown on the board
        self.has_chosen_move = False
        self._cached_move: MoveOnBoard | None = None
        self._last_focus = ""

    # Grading

    @property
    def is_moving(self) -> bool:
        """Whether the replay is being loaded or graded."""
        return not (self.grader.is_done if self.grader else self.loader.problem)

    def update(self, seconds: float) -> None:
        """Start grading when the replay is loaded; show the costliest move when all moves are graded."""
        timeline = self.loader.timeline
        if self.grader is None and timeline is not None:
            self.agent = self.agent or choose_grader(timeline.replay.rules)
            self._start_grading(timeline.replay)
        if self.grader and timeline is not None:
            self.window.ask_about_code(self.grader.take_code_file(), lambda: self._start_grading(timeline.replay))
        if self.grader and self.grader.is_done and not self.has_chosen_move:
            self.has_chosen_move = True
            costliest = self.grader.summary.costliest
            self.move_number = costliest[0].number if costliest else 1

    def _start_grading(self, replay: Replay) -> None:
        if self.grader:
            self.grader.stop()
        self.grader = ReplayGrader(replay, self.agent)

    def on_leave(self) -> None:
        """Stop loading and grading."""
        self.loader.stop()
        if self.grader:
            self.grader.stop()

    def _show_move(self, number: int, replay: Replay) -> None:
        self.move_number = max(1, min(len(replay.placements), number))
        self.has_chosen_move = True

    def _run_action(self, action: str, grader: ReplayGrader) -> None:
        replay = grader.replay
        if action in ("before", "after"):
            self._show_move(self.move_number + (1 if action == "after" else -1), replay)
        elif action == "loss":
            self._show_move(self._find_next_loss(grader), replay)
        elif action == "replay":
            self.window.open_screen_by_name("replay", file=self.file, replay=replay, move=self.move_number - 1)

    def _find_next_loss(self, grader: ReplayGrader) -> int:
        """Return the number of the next move with a loss; the first one follows the last."""
        costly = [move.number for move in grader.moves if move.cost > (False, 0.0)]
        return next(
            (number for number in costly if number > self.move_number), costly[0] if costly else self.move_number
        )

    # Drawing

    def draw(self, ui: Ui) -> None:
        """Draw the board with the selected move, its grade, the costliest moves and the chart."""
        replay = self.loader.replay
        chips = [format_rules(replay.rules)] if replay else []
        screen_area, should_close = draw_header_footer(
            ui, self.title, chips, (replay.agent or HUMAN_PLAYER) if replay else ""
        )
        if self.grader is None:
            should_close = self._draw_waiting(ui, screen_area) or should_close
        elif not self.grader.replay.placements:
            should_close = (
                bool(
                    draw_overlay(
                        ui, screen_area.content, "Nothing to review", ["No piece was placed."], [("Back", "Esc")]
                    )
                )
                or should_close
            )
        else:
            self._draw_review(ui, screen_area, self.grader)
        if ui.files:
            self.window.replace_screen(ReviewScreen(self.window, ui.files[-1], agent=self.agent))
        elif should_close and self.window.screen is self:
            self.window.close_screen()

    def _draw_waiting(self, ui: Ui, screen_area: ScreenArea) -> bool:
        if self.loader.problem:
            lines = [self.loader.problem]
            return bool(
                draw_overlay(
                    ui, screen_area.content, "This replay cannot be reviewed", lines, [("Back", "Esc")], width=420
                )
            )
        draw_loading(ui.pen, screen_area.content, self.loader)
        return False

    def _draw_review(self, ui: Ui, screen_area: ScreenArea, grader: ReplayGrader) -> None:
        content = screen_area.content
        gap = screen_area.gap
        pen = ui.pen
        side_width = _LEFT_COLUMN_WIDTH + gap if screen_area.layout_size == "wide" else 0
        rows = grader.replay.rules.height
        fitted = pen.fit_board(Box(content.left + side_width, content.top, content.width // 2, content.height), rows, 0)
        self._draw_board(pen, fitted.box, fitted.cell_size, grader)
        height = compute_side_height(fitted.box, content)
        right_box = Box(fitted.box.right + gap, content.top, content.right - fitted.box.right - gap, height)
        top = right_box.top
        if side_width:
            left_box = Box(content.left, content.top, _LEFT_COLUMN_WIDTH, height)
            draw_review_column(ui, left_box, gap, grader, self.agent_picker)
        else:
            strip_box = Box(right_box.left, right_box.top, right_box.width, _STRIP_HEIGHT)
            draw_review_strip(ui, strip_box, grader, self.agent_picker)
            top += _STRIP_HEIGHT + gap
        has_pieces = has_attack_layout(grader.replay.rules)
        text_box = Box(right_box.left, top, right_box.width, MOVE_TEXT_HEIGHT + MOVE_PIECES_HEIGHT * has_pieces)
        draw_move_text(pen, text_box, grader, self.move_number)
        if has_pieces and (move := self._get_move_on_board(grader)):
            pieces = VisiblePieces.from_position(move.position, grader.replay.placements[self.move_number - 1])
            draw_tiny_pieces(
                pen, (text_box.left + PANEL_PADDING, text_box.bottom - MOVE_PIECES_HEIGHT // 2 - 8), pieces
            )
        chart_height = _CHART_HEIGHT if side_width else _SMALL_CHART_HEIGHT
        chart_box = Box(right_box.left, right_box.bottom - chart_height, right_box.width, chart_height)
        moves_box = Box(text_box.left, text_box.bottom + gap, text_box.width, chart_box.top - text_box.bottom - 2 * gap)
        for number in (
            draw_costliest_moves(ui, moves_box, grader, self.move_number, last_focus=self._last_focus),
            draw_loss_chart(ui, chart_box, grader, self.move_number),
        ):
            if number:
                self._show_move(number, grader.replay)
        self._last_focus = ui.focus
        self._run_action(self._draw_footer(ui, screen_area, grader), grader)
        if picked := self.agent_picker.draw_list(ui, list_agent_options):
            self.agent = picked
            self._start_grading(grader.replay)

    def _draw_board(self, pen: Pen, box: Box, cell: int, grader: ReplayGrader) -> None:
        placement = grader.replay.placements[self.move_number - 1]
        hint = get_better_placement(grader.get_move(self.move_number))
        move = self._get_move_on_board(grader)
        origin, stack = pen.to_pixel_point(box.topleft), move.stack if move else Stack()
        if move:
            draw_garbage_meter(pen, box, cell, move.position)
        drawn_area = draw_board(pen.surface, origin, cell, stack, active=placement, style=pen.style)
        if hint:  # drawn over the piece, which may cover it
            with clip_to(pen.surface, drawn_area):
                draw_contour(pen.surface, origin, cell, stack.height, hint.cells, contour=HINT_CONTOUR)
        if move:
            draw_action_on_board(pen, box, move.action_lines)

    def _get_move_on_board(self, grader: ReplayGrader) -> MoveOnBoard | None:
        """Return the selected move with the game before it; None while the replay is loaded."""
        timeline, number = self.loader.timeline, self.move_number
        if timeline and (self._cached_move is None or self._cached_move.number != number):
            game = timeline.get_point(number - 1).game
            lock = game.stack.lock_piece(grader.replay.placements[number - 1])
            after = timeline.get_point(number).game.position
            self._cached_move = MoveOnBoard(number, game.position, game.stack, describe_action(lock, after))
        return self._cached_move

    def _draw_footer(self, ui: Ui, screen_area: ScreenArea, grader: ReplayGrader) -> str:
        total = len(grader.replay.placements)
        buttons = [
            FooterButton("before", "", "←", "back", is_enabled=self.move_number > 1),
            FooterButton("after", "", "→", "step", is_enabled=self.move_number < total),
            FooterButton("loss", "Next loss", "N", is_primary=True, is_enabled=bool(grader.summary.costliest)),
            FooterButton("replay", "Replay", "P", "play"),
        ]
        action, end = draw_footer_buttons(ui, screen_area.footer, buttons)
        share = (self.move_number - 1) / max(1, total - 1)
        slider_box = Box(
            end + 24, screen_area.footer.top, min(280, screen_area.footer.right - end - 48), screen_area.footer.height
        )
        value = draw_slider(ui, "seek", slider_box, share, 0.0)
        if value != share:
            self._show_move(1 + round(value * (total - 1)), grader.replay)
        legend_box = Box(
            slider_box.right + 24,
            screen_area.footer.top,
            screen_area.footer.right - slider_box.right - 24,
            screen_area.footer.height,
        )
        if legend_box.width > 200:
            draw_key_legend(ui, legend_box, [(["↑", "↓"], "Costliest"), (["Home", "End"], "First, last")], align=1)
        if ui.is_key_pressed("Home"):
            self._show_move(1, grader.replay)
        elif ui.is_key_pressed("End"):
            self._show_move(total, grader.replay)
        elif ui.is_key_pressed("↑", "↓") and not self.agent_picker.is_open:
            ui.request_focus("costly 1")
        elif not ui.focus:
            ui.request_focus("loss" if grader.summary.costliest else "replay")
        return action
