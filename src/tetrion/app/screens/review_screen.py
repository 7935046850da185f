"""Review screen: every move of a game graded by an agent, with the costliest moves and better placements."""

from dataclasses import replace

import pygame

from tetrion.app.engine_loading import COMPILING_ENGINE
from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.picker_options import format_rules, list_agent_options
from tetrion.app.replays.replay_grading import (
    COSTLIEST_MOVES_SHOWN,
    ReplayGrader,
    describe_move,
    format_move_cost,
    get_better_placement,
)
from tetrion.app.replays.replay_loading import ReplayLoader
from tetrion.app.screen import Screen
from tetrion.app.screens.waiting_screen import draw_loading
from tetrion.app.toolkit.controls import draw_selectable_row, draw_slider
from tetrion.app.toolkit.header_footer import (
    FooterButton,
    ScreenArea,
    compute_side_height,
    draw_footer_buttons,
    draw_header_footer,
    draw_key_legend,
    draw_overlay,
)
from tetrion.app.toolkit.picker import Picker
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.board_drawing import clip_to, draw_board, draw_contour
from tetrion.drawing.chart_ticks import choose_round_values, compute_scale, format_tick
from tetrion.drawing.contours import HINT_CONTOUR
from tetrion.drawing.line_charts import PlotArea, draw_grid_lines
from tetrion.drawing.palette import ACCENT, DIM_TEXT, FAINT_TEXT, NEGATIVE, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.drawing.shapes import blit_picture
from tetrion.drawing.thinking_panel import render_small_board
from tetrion.drawing.thinking_text import make_grey_stack
from tetrion.evaluation.number_format import format_percent
from tetrion.evaluation.replay_review import GradedMove, choose_grader, format_points
from tetrion.replay import Replay
from tetrion.stack import Stack

_LEFT_COLUMN_WIDTH = 200  # units
_CHART_HEIGHT = 152
_MOVE_TEXT_HEIGHT = 84
_ERROR_TEXT_HEIGHT = 104
_MIN_ROW_HEIGHT = 56
_TITLE_HEIGHT = 44
_TINY_CELL_SIZE = 5  # units
_TINY_BOARD_ROWS = 9
_NOT_GRADED_TEXT = "Moves appear here while they are graded."
_NO_LOSS_TEXT = "No move lost any points."
_COSTLIEST_TITLES = {1: "The costliest move", 2: "The two costliest moves", 3: "The three costliest moves"}


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
        self._cached_stack: tuple[int, Stack] | None = None
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
        """Return the number of the next move that lost points; the first one follows the last."""
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
            self._draw_left_column(ui, Box(content.left, content.top, _LEFT_COLUMN_WIDTH, height), gap, grader)
        else:
            self._draw_strip(ui, Box(right_box.left, right_box.top, right_box.width, 76), grader)
            top += 76 + gap
        text_height = _ERROR_TEXT_HEIGHT if grader.problem else _MOVE_TEXT_HEIGHT
        self._draw_move_text(pen, Box(right_box.left, top, right_box.width, text_height), grader)
        top += text_height + gap
        chart_height = _CHART_HEIGHT if side_width else 120
        self._draw_costliest_moves(
            ui, Box(right_box.left, top, right_box.width, right_box.bottom - chart_height - gap - top), grader
        )
        self._draw_loss_chart(
            ui, Box(right_box.left, right_box.bottom - chart_height, right_box.width, chart_height), grader
        )
        self._run_action(self._draw_footer(ui, screen_area, grader), grader)
        if picked := self.agent_picker.draw_list(ui, list_agent_options):
            self.agent = picked
            self._start_grading(grader.replay)

    def _draw_board(self, pen: Pen, box: Box, cell: int, grader: ReplayGrader) -> None:
        placement, hint = (
            grader.replay.placements[self.move_number - 1],
            get_better_placement(grader.get_move(self.move_number)),
        )
        origin, stack = pen.to_pixel_point(box.topleft), self._get_stack_before_move()
        drawn_area = draw_board(pen.surface, origin, cell, stack, active=placement, style=pen.style)
        if hint:  # drawn over the piece, which may cover it
            with clip_to(pen.surface, drawn_area):
                draw_contour(pen.surface, origin, cell, stack.height, hint.cells, contour=HINT_CONTOUR)

    def _get_stack_before_move(self) -> Stack:
        """Return the stack before the selected move."""
        timeline = self.loader.timeline
        if timeline and (self._cached_stack is None or self._cached_stack[0] != self.move_number):
            self._cached_stack = self.move_number, timeline.get_point(self.move_number - 1).game.stack
        return self._cached_stack[1] if self._cached_stack else Stack()

    def _format_summary(self, grader: ReplayGrader) -> tuple[str, str]:
        """Return the share of best moves and the mean points lost per move."""
        summary = grader.summary
        share = (
            "–"
            if summary.best_move_share is None
            else format_percent(summary.best_move_share)
            if summary.best_move_share
            else "0 %"
        )
        return share, "–" if summary.mean_loss is None else format_points(summary.mean_loss)

    def _draw_left_column(self, ui: Ui, box: Box, gap: int, grader: ReplayGrader) -> None:
        pen = ui.pen
        panel = Box(box.left, box.top, box.width, 96)
        inside = pen.draw_panel(panel, "Graded by")
        self.agent_picker.draw(ui, Box(inside.left, inside.top, inside.width, 40), self.agent)
        share, lost = self._format_summary(grader)
        panel = Box(box.left, panel.bottom + gap, box.width, 212)
        inside = pen.draw_panel(panel, "Best moves")
        pen.draw_text(share, (inside.left, inside.top + 14), 34, True, STRONG_TEXT)
        pen.draw_separator(inside.left, inside.top + 46, inside.width)
        pen.draw_number((inside.left, inside.top + 68), "Points lost per move", lost)
        pen.draw_progress(
            Box(inside.left, inside.bottom - 28, inside.width, 28),
            "Graded",
            f"{len(grader.moves):,} of {len(grader.replay.placements):,}",
            len(grader.moves) / len(grader.replay.placements),
        )
        text = self._describe_state(grader)
        if text and not grader.problem:
            panel = Box(box.left, panel.bottom + gap, box.width, 0)
            lines = pen.wrap_text(text, box.width - 2 * PANEL_PADDING, 14)
            panel.height = 20 * len(lines) + 24
            pen.draw_panel(panel)
            for number, line in enumerate(lines):
                pen.draw_text(line, (panel.left + PANEL_PADDING, panel.top + 22 + 20 * number), 14, False, NORMAL_TEXT)

    def _describe_state(self, grader: ReplayGrader) -> str:
        """Describe the error, the progress or the result of the grading."""
        if grader.problem:
            return f"{grader.problem} Choose another agent."
        if grader.is_compiling:
            return COMPILING_ENGINE
        player = grader.replay.agent or HUMAN_PLAYER
        subject = "You" if player == HUMAN_PLAYER else player
        description = grader.summary.description
        description = description.replace("plays", "play") if player == HUMAN_PLAYER else description
        return f"{subject} {description}." if grader.is_done and grader.moves else ""

    def _draw_strip(self, ui: Ui, box: Box, grader: ReplayGrader) -> None:
        pen = ui.pen
        pen.draw_panel(box)
        share, lost = self._format_summary(grader)
        pen.draw_number((box.left + PANEL_PADDING, box.top + 24), "Best moves", share, 22)
        pen.draw_number((box.left + PANEL_PADDING + 104, box.top + 24), "Lost per move", lost, 22)
        left = box.left + PANEL_PADDING + 216
        width = box.right - PANEL_PADDING - left
        self.agent_picker.draw(ui, Box(left, box.top + 10, width, 36), self.agent)
        text = f"{len(grader.moves):,} of {len(grader.replay.placements):,} graded"
        pen.draw_text(text, (left, box.top + 60), 13, False, FAINT_TEXT)

    def _draw_move_text(self, pen: Pen, box: Box, grader: ReplayGrader) -> None:
        move = grader.get_move(self.move_number)
        pen.draw_panel(box)
        headline, text = f"Move {self.move_number:,}: not graded yet.", ""
        if move:
            headline, text = describe_move(move, self.agent)
        elif grader.problem:
            headline, text = f"{self.agent} cannot grade this game.", self._describe_state(grader)
        elif grader.is_compiling:
            text = COMPILING_ENGINE
        text_width = box.width - 2 * PANEL_PADDING
        pen.draw_text(
            pen.truncate_text(headline, text_width, 18, True),
            (box.left + PANEL_PADDING, box.top + 28),
            18,
            True,
            STRONG_TEXT,
        )
        if move and move.rank:
            rank = f"Rank {move.rank:,} of {move.placement_count:,}"
            if pen.measure_text(headline, 18, True) + pen.measure_text(rank, 14) + 16 < text_width:
                pen.draw_text(rank, (box.right - PANEL_PADDING, box.top + 28), 14, False, FAINT_TEXT, align=1)
        has_hint, size = get_better_placement(move) is not None, 14 if grader.problem else 16
        for number, line in enumerate(pen.wrap_text(text, text_width - 20 * has_hint, size)[: 2 if size == 16 else 3]):
            pen.draw_text(
                line,
                (box.left + PANEL_PADDING + 20 * has_hint, box.top + 56 + (size + 4) * number),
                size,
                False,
                NORMAL_TEXT,
            )
        if has_hint:
            pen.draw_disc((box.left + PANEL_PADDING + 6, box.top + 56), 4, ACCENT)

    def _draw_costliest_moves(self, ui: Ui, box: Box, grader: ReplayGrader) -> None:
        pen = ui.pen
        count = max(0, min(COSTLIEST_MOVES_SHOWN, (box.height - _TITLE_HEIGHT - 4) // _MIN_ROW_HEIGHT))
        moves = grader.summary.costliest[:count]
        pen.draw_panel(box)
        title = _COSTLIEST_TITLES.get(
            len(moves), "The five costliest moves" if len(moves) == COSTLIEST_MOVES_SHOWN else "The costliest moves"
        )
        pen.draw_text(title, (box.left + PANEL_PADDING, box.top + 26), 18, True, STRONG_TEXT)
        if not moves:
            text = _NO_LOSS_TEXT if grader.is_done and grader.moves else "" if grader.problem else _NOT_GRADED_TEXT
            pen.draw_text(text, (box.left + PANEL_PADDING, box.top + _TITLE_HEIGHT + 18), 16, False, DIM_TEXT)
        row_height = min(74, (box.height - _TITLE_HEIGHT - 8) // max(1, count))
        for number, move in enumerate(moves):
            row_box = Box(box.left + 8, box.top + _TITLE_HEIGHT + row_height * number, box.width - 16, row_height - 2)
            self._draw_move_row(ui, row_box, number, move, grader.replay)
        if ui.focus != self._last_focus:
            self._last_focus = ui.focus

    def _draw_move_row(self, ui: Ui, box: Box, number: int, move: GradedMove, replay: Replay) -> None:
        pen, name = ui.pen, f"costly {number + 1}"
        control = draw_selectable_row(ui, name, box, is_selected=move.number == self.move_number, group="costliest")
        if control.is_activated or (control.is_focused and self._last_focus != name):
            self._show_move(move.number, replay)
        pen.draw_text(f"{number + 1}", (box.left + 18, box.centery), 16, True, DIM_TEXT, align=0.5)
        picture = draw_tiny_board(pen, move)
        left, middle = pen.to_pixel_point((box.left + 38, box.centery))
        blit_picture(pen.surface, picture, (left, middle - picture.height // 2))
        text_left = box.left + 38 + round(picture.width / pen.scale) + 16
        pen.draw_text(f"Move {move.number:,}", (text_left, box.centery - 11), 16, True, STRONG_TEXT)
        rank = f"Rank {move.rank:,} of {move.placement_count:,}" if move.rank else "May end the game"
        pen.draw_text(rank, (text_left, box.centery + 12), 14, False, DIM_TEXT)
        pen.draw_text(format_move_cost(move), (box.right - 12, box.centery - 11), 20, True, NEGATIVE, align=1)
        pen.draw_text(
            "points" if move.points_lost is not None else "possible",
            (box.right - 12, box.centery + 12),
            14,
            False,
            DIM_TEXT,
            align=1,
        )

    def _draw_loss_chart(self, ui: Ui, box: Box, grader: ReplayGrader) -> None:
        """Draw the points lost per move as bars; a click selects a move."""
        pen, total = ui.pen, len(grader.replay.placements)
        inside = pen.draw_panel(box, "Points lost by move", f"Move {self.move_number:,} of {total:,}")
        losses = grader.summary.max_losses
        if not any(losses):
            text = _NO_LOSS_TEXT if grader.is_done and grader.moves else ""
            pen.draw_text(text, inside.center, 14, False, FAINT_TEXT, align=0.5)
            return
        low_value, high_value = compute_scale(0, max(losses))
        ticks = choose_round_values(low_value, high_value)
        axis_width = max(pen.measure_text(format_tick(tick, ticks), 13) for tick in ticks) + 10
        plot = PlotArea(
            Box(inside.left + axis_width, inside.top + 4, inside.width - axis_width, inside.height - 8),
            low_value,
            high_value,
            2,
        )
        draw_grid_lines(pen, plot, ticks)
        area, step = plot.box, plot.box.width / len(losses)
        marker_x = area.left + round((self.move_number - 0.5) / total * area.width)
        pen.fill(Box(marker_x - 1, area.top - 4, 2, area.height + 4), ACCENT)
        for index, lost in enumerate(losses):
            if lost > 0:
                left, right = area.left + round(index * step), area.left + round((index + 1) * step)
                top = min(area.bottom - 2, round(plot.to_y(lost)))
                pen.fill(Box(left, top, max(2, right - left - (step >= 4)), area.bottom - top), NEGATIVE)
        control = ui.add_control("chart", area, radius=6)
        if control.is_pressed or control.is_activated:
            self._show_move(1 + int((ui.pointer[0] - area.left) / area.width * total), grader.replay)

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


def draw_tiny_board(pen: Pen, move: GradedMove) -> pygame.Surface:
    """Return a small picture of the placement and an outline of the better one."""
    stack, best = Stack.from_board(move.position.board), move.best_placement
    rows = [row for _, row in move.placement.cells]
    all_rows = rows + [row for _, row in (best.cells if best else ())]
    rows = all_rows if max(all_rows) - min(all_rows) < _TINY_BOARD_ROWS else rows
    low = max(0, min(max(len(stack.rows), 1 + max(rows)) - _TINY_BOARD_ROWS, min(rows)))
    placement = replace(move.placement, row=move.placement.row - low)
    outline = tuple((column, row - low) for column, row in best.cells if row >= low) if best else ()
    return render_small_board(
        pen.to_pixels(_TINY_CELL_SIZE),
        make_grey_stack(stack, low, _TINY_BOARD_ROWS),
        placement,
        next_cells=outline,
        next_piece=move.placement.piece,
        style=pen.style,
    )
