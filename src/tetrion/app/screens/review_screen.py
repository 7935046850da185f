"""Review: every move of a game graded against an agent, the costliest ones first, with what would have been better."""

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
from tetrion.drawing.palette import ACCENT, DIM_TEXT, FAINT_TEXT, NEGATIVE, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.drawing.shapes import blit_picture
from tetrion.drawing.stack import Stack
from tetrion.drawing.surface_charts import PlotArea, draw_grid_lines
from tetrion.drawing.thinking_panel import render_small_board
from tetrion.drawing.thinking_text import make_grey_stack
from tetrion.evaluation.number_format import format_percent
from tetrion.evaluation.replay_review import GradedMove, choose_grader, format_points
from tetrion.replay import Replay

_LEFT_COLUMN_WIDTH, _CHART_HEIGHT = 200, 152  # how wide the left column is, and how high the chart
_MOVE_TEXT_HEIGHT, _ERROR_TEXT_HEIGHT = 84, 104  # how high the words about a move are, and those about a mistake
_MIN_ROW_HEIGHT, _TITLE_HEIGHT = 56, 44
_TINY_CELL_SIZE, _TINY_BOARD_ROWS = 5, 9  # of the tiny boards
_NOT_GRADED_TEXT = "They appear as moves are graded."
_NO_LOSS_TEXT = "No move has lost anything."
_COSTLIEST_TITLES = {1: "The costliest move", 2: "The two costliest moves", 3: "The three costliest moves"}


class ReviewScreen(Screen):
    """Grades a replay: a file, or one that is known already."""

    title = "Review"

    def __init__(self, window: Window, file: str = "", replay: Replay | None = None, agent: str = "") -> None:
        super().__init__(window)
        self.file = file
        self.agent = agent
        self.loading = ReplayLoader(file, replay)
        self.grader: ReplayGrader | None = None
        self.agent_picker = Picker("agent", free_text_hint="a file, class or folder")
        # which move is shown, and whether a person has chosen it
        self.move_number = 1
        self.has_chosen_move = False
        self._cached_stack: tuple[int, Stack] | None = None
        self._last_focus = ""

    # What goes on.

    def update(self, seconds: float) -> None:
        """Begin to grade when the replay is read; show the costliest move when all are graded."""
        reel = self.loading.timeline
        if self.grader is None and reel is not None:
            self.agent = self.agent or choose_grader(reel.replay.rules)
            self._start_grading(reel.replay)
        if self.grader and self.grader.is_done and not self.has_chosen_move:
            self.has_chosen_move = True
            costliest = self.grader.summary.costliest
            self.move_number = costliest[0].number if costliest else 1

    def _start_grading(self, replay: Replay) -> None:
        if self.grader:
            self.grader.stop()
        self.grader = ReplayGrader(replay, self.agent)

    def on_leave(self) -> None:
        """Grade no more."""
        self.loading.stop()
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
        """The next move after this one that has cost something; after the last one, the first."""
        costly = [move.number for move in grader.moves if move.cost > (False, 0.0)]
        return next(
            (number for number in costly if number > self.move_number), costly[0] if costly else self.move_number
        )

    # Drawing.

    def draw(self, ui: Ui) -> None:
        """Draw the board with the move, its grade, the costliest moves and the chart."""
        replay = self.loading.replay
        chips = [format_rules(replay.rules)] if replay else []
        room, leave = draw_header_footer(ui, self.title, chips, (replay.agent or HUMAN_PLAYER) if replay else "")
        if self.grader is None:
            leave = self._draw_waiting(ui, room) or leave
        elif not self.grader.replay.placements:
            leave = (
                bool(draw_overlay(ui, room.content, "Nothing to review", ["No piece was placed."], [("Back", "Esc")]))
                or leave
            )
        else:
            self._draw_review(ui, room, self.grader)
        if ui.files:
            self.window.replace_screen(ReviewScreen(self.window, ui.files[-1], agent=self.agent))
        elif leave and self.window.screen is self:
            self.window.close_screen()

    def _draw_waiting(self, ui: Ui, room: ScreenArea) -> bool:
        if self.loading.problem:
            lines = [self.loading.problem]
            return bool(draw_overlay(ui, room.content, "This replay cannot be reviewed", lines, [("Back", "Esc")], 420))
        draw_loading(ui.pen, room.content, self.loading)
        return False

    def _draw_review(self, ui: Ui, room: ScreenArea, grader: ReplayGrader) -> None:
        content = room.content
        gap = room.gap
        pen = ui.pen
        side = _LEFT_COLUMN_WIDTH + gap if room.layout_size == "wide" else 0
        height = grader.replay.rules.height
        fitted = pen.fit_board(Box(content.left + side, content.top, content.width // 2, content.height), height, 0)
        self._draw_board(pen, fitted.box, fitted.cell_size, grader)
        high = compute_side_height(fitted.box, content)
        rest = Box(fitted.box.right + gap, content.top, content.right - fitted.box.right - gap, high)
        top = rest.top
        if side:
            self._draw_left_column(ui, Box(content.left, content.top, _LEFT_COLUMN_WIDTH, high), gap, grader)
        else:
            self._draw_strip(ui, Box(rest.left, rest.top, rest.width, 76), grader)
            top += 76 + gap
        words = _ERROR_TEXT_HEIGHT if grader.problem else _MOVE_TEXT_HEIGHT
        self._draw_move_text(pen, Box(rest.left, top, rest.width, words), grader)
        top += words + gap
        chart = _CHART_HEIGHT if side else 120
        self._draw_costliest_moves(ui, Box(rest.left, top, rest.width, rest.bottom - chart - gap - top), grader)
        self._draw_loss_chart(ui, Box(rest.left, rest.bottom - chart, rest.width, chart), grader)
        self._run_action(self._draw_footer(ui, room, grader), grader)
        if picked := self.agent_picker.draw_list(ui, list_agent_options):
            self.agent = picked
            self._start_grading(grader.replay)

    def _draw_board(self, pen: Pen, box: Box, cell: int, grader: ReplayGrader) -> None:
        made, hint = (
            grader.replay.placements[self.move_number - 1],
            get_better_placement(grader.get_move(self.move_number)),
        )
        place, stack = pen.to_pixel_point(box.topleft), self._get_stack_before_move()
        covered = draw_board(pen.surface, place, cell, stack, active=made, style=pen.style)
        if hint:  # over the piece, which may lie in its way
            with clip_to(pen.surface, covered):
                draw_contour(pen.surface, place, cell, stack.height, hint.cells, HINT_CONTOUR)

    def _get_stack_before_move(self) -> Stack:
        """What stood before the move that is shown."""
        reel = self.loading.timeline
        if reel and (self._cached_stack is None or self._cached_stack[0] != self.move_number):
            self._cached_stack = self.move_number, reel.get_point(self.move_number - 1).stack
        return self._cached_stack[1] if self._cached_stack else Stack()

    def _format_summary(self, grader: ReplayGrader) -> tuple[str, str]:
        """The share of best moves, and the points lost a move."""
        known = grader.summary
        share = (
            "–"
            if known.best_move_share is None
            else format_percent(known.best_move_share)
            if known.best_move_share
            else "0 %"
        )
        return share, "–" if known.mean_loss is None else format_points(known.mean_loss)

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
        pen.draw_number((inside.left, inside.top + 68), "Points lost a move", lost)
        pen.draw_progress(
            Box(inside.left, inside.bottom - 28, inside.width, 28),
            "Graded",
            f"{len(grader.moves):,} of {len(grader.replay.placements):,}",
            len(grader.moves) / len(grader.replay.placements),
        )
        words = self._describe_state(grader)
        if words and not grader.problem:
            panel = Box(box.left, panel.bottom + gap, box.width, 0)
            lines = pen.wrap_text(words, box.width - 2 * PANEL_PADDING, 14)
            panel.height = 20 * len(lines) + 24
            pen.draw_panel(panel)
            for number, line in enumerate(lines):
                pen.draw_text(line, (panel.left + PANEL_PADDING, panel.top + 22 + 20 * number), 14, False, NORMAL_TEXT)

    def _describe_state(self, grader: ReplayGrader) -> str:
        """What goes on, what is wrong, or what the grades say in words."""
        if grader.problem:
            return f"{grader.problem} Choose another agent."
        if grader.is_compiling:
            return COMPILING_ENGINE
        who = grader.replay.agent or HUMAN_PLAYER
        subject = "You" if who == HUMAN_PLAYER else who
        words = grader.summary.description
        words = words.replace("plays", "play") if who == HUMAN_PLAYER else words
        return f"{subject} {words}." if grader.is_done and grader.moves else ""

    def _draw_strip(self, ui: Ui, box: Box, grader: ReplayGrader) -> None:
        pen = ui.pen
        pen.draw_panel(box)
        share, lost = self._format_summary(grader)
        pen.draw_number((box.left + PANEL_PADDING, box.top + 24), "Best moves", share, 22)
        pen.draw_number((box.left + PANEL_PADDING + 104, box.top + 24), "Lost a move", lost, 22)
        left = box.left + PANEL_PADDING + 216
        wide = box.right - PANEL_PADDING - left
        self.agent_picker.draw(ui, Box(left, box.top + 10, wide, 36), self.agent)
        words = f"{len(grader.moves):,} of {len(grader.replay.placements):,} graded"
        pen.draw_text(words, (left, box.top + 60), 13, False, FAINT_TEXT)

    def _draw_move_text(self, pen: Pen, box: Box, grader: ReplayGrader) -> None:
        move = grader.get_move(self.move_number)
        pen.draw_panel(box)
        headline, words = f"Move {self.move_number:,}: not graded yet.", ""
        if move:
            headline, words = describe_move(move, self.agent)
        elif grader.problem:
            headline, words = f"{self.agent} cannot grade this game.", self._describe_state(grader)
        elif grader.is_compiling:
            words = COMPILING_ENGINE
        inside = box.width - 2 * PANEL_PADDING
        pen.draw_text(
            pen.truncate_text(headline, inside, 18, True),
            (box.left + PANEL_PADDING, box.top + 28),
            18,
            True,
            STRONG_TEXT,
        )
        if move and move.rank:
            rank = f"Rank {move.rank:,} of {move.placement_count:,}"
            if pen.measure_text(headline, 18, True) + pen.measure_text(rank, 14) + 16 < inside:
                pen.draw_text(rank, (box.right - PANEL_PADDING, box.top + 28), 14, False, FAINT_TEXT, align=1)
        hint, size = get_better_placement(move) is not None, 14 if grader.problem else 16
        for number, line in enumerate(pen.wrap_text(words, inside - 20 * hint, size)[: 2 if size == 16 else 3]):
            pen.draw_text(
                line,
                (box.left + PANEL_PADDING + 20 * hint, box.top + 56 + (size + 4) * number),
                size,
                False,
                NORMAL_TEXT,
            )
        if hint:
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
            words = _NO_LOSS_TEXT if grader.is_done and grader.moves else "" if grader.problem else _NOT_GRADED_TEXT
            pen.draw_text(words, (box.left + PANEL_PADDING, box.top + _TITLE_HEIGHT + 18), 16, False, DIM_TEXT)
        high = min(74, (box.height - _TITLE_HEIGHT - 8) // max(1, count))
        for number, move in enumerate(moves):
            place = Box(box.left + 8, box.top + _TITLE_HEIGHT + high * number, box.width - 16, high - 2)
            self._draw_move_row(ui, place, number, move, grader.replay)
        if ui.focus != self._last_focus:
            self._last_focus = ui.focus

    def _draw_move_row(self, ui: Ui, box: Box, number: int, move: GradedMove, replay: Replay) -> None:
        pen, name = ui.pen, f"costly {number + 1}"
        touch = draw_selectable_row(ui, name, box, is_selected=move.number == self.move_number, group="costliest")
        if touch.is_activated or (touch.is_focused and self._last_focus != name):
            self._show_move(move.number, replay)
        pen.draw_text(f"{number + 1}", (box.left + 18, box.centery), 16, True, DIM_TEXT, align=0.5)
        picture = draw_tiny_board(pen, move)
        left, middle = pen.to_pixel_point((box.left + 38, box.centery))
        blit_picture(pen.surface, picture, (left, middle - picture.height // 2))
        words = box.left + 38 + round(picture.width / pen.scale) + 16
        pen.draw_text(f"Move {move.number:,}", (words, box.centery - 11), 16, True, STRONG_TEXT)
        rank = f"Rank {move.rank:,} of {move.placement_count:,}" if move.rank else "The game may end here"
        pen.draw_text(rank, (words, box.centery + 12), 14, False, DIM_TEXT)
        pen.draw_text(format_move_cost(move), (box.right - 12, box.centery - 11), 20, True, NEGATIVE, align=1)
        pen.draw_text(
            "points" if move.points_lost is not None else "the game",
            (box.right - 12, box.centery + 12),
            14,
            False,
            DIM_TEXT,
            1,
        )

    def _draw_loss_chart(self, ui: Ui, box: Box, grader: ReplayGrader) -> None:
        """Points lost by move, as bars that can be clicked."""
        pen, total = ui.pen, len(grader.replay.placements)
        inside = pen.draw_panel(box, "Points lost by move", f"Move {self.move_number:,} of {total:,}")
        losses = grader.summary.max_losses
        if not any(losses):
            words = _NO_LOSS_TEXT if grader.is_done and grader.moves else ""
            pen.draw_text(words, inside.center, 14, False, FAINT_TEXT, align=0.5)
            return
        low, high = compute_scale(0, max(losses))
        rules = choose_round_values(low, high)
        wide = max(pen.measure_text(format_tick(tick, rules), 13) for tick in rules) + 10
        plane = PlotArea(Box(inside.left + wide, inside.top + 4, inside.width - wide, inside.height - 8), low, high, 2)
        draw_grid_lines(pen, plane, rules)
        area, step = plane.box, plane.box.width / len(losses)
        here = area.left + round((self.move_number - 0.5) / total * area.width)
        pen.fill(Box(here - 1, area.top - 4, 2, area.height + 4), ACCENT)
        for place, lost in enumerate(losses):
            if lost > 0:
                left, right = area.left + round(place * step), area.left + round((place + 1) * step)
                top = min(area.bottom - 2, round(plane.to_y(lost)))
                pen.fill(Box(left, top, max(2, right - left - (step >= 4)), area.bottom - top), NEGATIVE)
        touch = ui.add_control("chart", area, radius=6, is_background=True)
        if touch.is_pressed or touch.is_activated:
            self._show_move(1 + int((ui.pointer[0] - area.left) / area.width * total), grader.replay)

    def _draw_footer(self, ui: Ui, room: ScreenArea, grader: ReplayGrader) -> str:
        total = len(grader.replay.placements)
        buttons = [
            FooterButton("before", "", "←", "back", is_enabled=self.move_number > 1),
            FooterButton("after", "", "→", "step", is_enabled=self.move_number < total),
            FooterButton("loss", "Next loss", "N", is_primary=True, is_enabled=bool(grader.summary.costliest)),
            FooterButton("replay", "Replay", "P", "play"),
        ]
        used, end = draw_footer_buttons(ui, room.footer, buttons)
        share = (self.move_number - 1) / max(1, total - 1)
        place = Box(end + 24, room.footer.top, min(280, room.footer.right - end - 48), room.footer.height)
        value = draw_slider(ui, "seek", place, share, 0.0)
        if value != share:
            self._show_move(1 + round(value * (total - 1)), grader.replay)
        rest = Box(place.right + 24, room.footer.top, room.footer.right - place.right - 24, room.footer.height)
        if rest.width > 200:
            draw_key_legend(ui, rest, [(["↑", "↓"], "Costliest"), (["Home", "End"], "First, last")], align=1)
        if ui.is_key_pressed("Home"):
            self._show_move(1, grader.replay)
        elif ui.is_key_pressed("End"):
            self._show_move(total, grader.replay)
        elif ui.is_key_pressed("↑", "↓") and not self.agent_picker.is_open:
            ui.request_focus("costly 1")
        elif not ui.focus:
            ui.request_focus("loss" if grader.summary.costliest else "replay")
        return used


def draw_tiny_board(pen: Pen, move: GradedMove) -> pygame.Surface:
    """A tiny board with the piece where it was placed, and an outline where it would have been better."""
    stack, best = Stack.from_board(move.position.board), move.best_placement
    rows = [row for _, row in move.placement.cells]
    both = rows + [row for _, row in (best.cells if best else ())]
    rows = both if max(both) - min(both) < _TINY_BOARD_ROWS else rows
    low = max(0, min(max(len(stack.rows), 1 + max(rows)) - _TINY_BOARD_ROWS, min(rows)))
    made = replace(move.placement, row=move.placement.row - low)
    outline = tuple((column, row - low) for column, row in best.cells if row >= low) if best else ()
    return render_small_board(
        pen.to_pixels(_TINY_CELL_SIZE),
        make_grey_stack(stack, low, _TINY_BOARD_ROWS),
        made,
        outline,
        move.placement.piece,
        pen.style,
    )
