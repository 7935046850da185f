"""Panels of the review screen: summary, grade of a move, costliest moves, and the losses of all moves."""

from dataclasses import replace

import pygame

from tetrion.app.engine_loading import describe_compilation
from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.replays.replay_grading import (
    COSTLIEST_MOVES_SHOWN,
    ReplayGrader,
    describe_move,
    format_move_cost,
    get_better_placement,
)
from tetrion.app.toolkit.controls import draw_selectable_row
from tetrion.app.toolkit.old_picker import Picker
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.chart_ticks import choose_round_values, compute_scale, count_fitting_ticks, format_tick
from tetrion.drawing.line_charts import PlotArea, draw_grid_lines
from tetrion.drawing.palette import ACCENT, DIM_TEXT, FAINT_TEXT, NEGATIVE, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.drawing.shapes import blit_picture
from tetrion.drawing.thinking_panel import render_small_board
from tetrion.drawing.thinking_text import make_grey_stack
from tetrion.evaluation.number_format import format_percent
from tetrion.evaluation.replay_review import (
    LOSS_EXPLANATION,
    SHORT_LOSS_EXPLANATION,
    GradedMove,
    format_points,
)
from tetrion.stack import Stack

MOVE_TEXT_HEIGHT = 104
MOVE_PIECES_HEIGHT = 30  # of the row with the held and the next pieces, if they are shown
_MAX_ERROR_LINES = 3
_MIN_ROW_HEIGHT = 56
_MAX_ROW_HEIGHT = 74
_TITLE_HEIGHT = 44
_TINY_CELL_SIZE = 5  # units
_TINY_BOARD_ROWS = 9
_NOT_GRADED_TEXT = "Moves appear here while they are graded."
_NO_LOSS_TEXT = "No move lost anything."
_COSTLIEST_TITLES = {
    1: "The costliest move",
    2: "The two costliest moves",
    3: "The three costliest moves",
    4: "The four costliest moves",
    5: "The five costliest moves",
}


def draw_review_column(ui: Ui, box: Box, gap: int, grader: ReplayGrader, agent_picker: Picker) -> None:
    """Draw the grading agent, the summary and the similarity of player and agent, one below another."""
    pen = ui.pen
    panel = Box(box.left, box.top, box.width, 96)
    inside = pen.draw_panel(panel, "Graded by")
    agent_picker.draw(ui, Box(inside.left, inside.top, inside.width, 40), grader.agent)
    share, loss = format_summary(grader)
    panel = Box(box.left, panel.bottom + gap, box.width, 212)
    inside = pen.draw_panel(panel, "Best moves")
    pen.draw_text(share, (inside.left, inside.top + 14), 34, True, STRONG_TEXT)
    pen.draw_separator(inside.left, inside.top + 46, inside.width)
    pen.draw_number((inside.left, inside.top + 68), "Loss per move", loss)
    pen.draw_progress(
        Box(inside.left, inside.bottom - 28, inside.width, 28),
        "Graded",
        f"{len(grader.moves):,} of {len(grader.replay.placements):,}",
        len(grader.moves) / len(grader.replay.placements),
    )
    text = describe_grading(grader)
    if text and not grader.problem:
        panel = Box(box.left, panel.bottom + gap, box.width, 0)
        lines = pen.wrap_text(text, box.width - 2 * PANEL_PADDING, 14)
        panel.height = 20 * len(lines) + 24
        pen.draw_panel(panel)
        for number, line in enumerate(lines):
            pen.draw_text(line, (panel.left + PANEL_PADDING, panel.top + 22 + 20 * number), 14, False, NORMAL_TEXT)


def draw_review_strip(ui: Ui, box: Box, grader: ReplayGrader, agent_picker: Picker) -> None:
    """Draw the summary and the grading agent in one row instead of a column."""
    pen = ui.pen
    pen.draw_panel(box)
    share, loss = format_summary(grader)
    pen.draw_number((box.left + PANEL_PADDING, box.top + 24), "Best moves", share, 22)
    pen.draw_number((box.left + PANEL_PADDING + 104, box.top + 24), "Loss per move", loss, 22)
    left = box.left + PANEL_PADDING + 216
    agent_picker.draw(ui, Box(left, box.top + 10, box.right - PANEL_PADDING - left, 36), grader.agent)
    text = f"{len(grader.moves):,} of {len(grader.replay.placements):,} graded"
    pen.draw_text(text, (left, box.top + 60), 13, False, FAINT_TEXT)


def format_summary(grader: ReplayGrader) -> tuple[str, str]:
    """Return the share of best moves and the mean loss per move."""
    summary = grader.summary
    share = summary.best_move_share
    share_text = "–" if share is None else format_percent(share) if share else "0 %"
    return share_text, "–" if summary.mean_loss is None else format_points(summary.mean_loss)


def describe_grading(grader: ReplayGrader) -> str:
    """Describe the error, the progress or the result of the grading."""
    if grader.problem:
        return f"{grader.problem} Choose another agent."
    if grader.is_compiling:
        return describe_compilation()
    player = grader.replay.agent or HUMAN_PLAYER
    subject = "You" if player == HUMAN_PLAYER else player
    description = grader.summary.description
    description = description.replace("plays", "play") if player == HUMAN_PLAYER else description
    return f"{subject} {description}." if grader.is_done and grader.moves else ""


def draw_move_text(pen: Pen, box: Box, grader: ReplayGrader, move_number: int) -> None:
    """Draw the grade of a move, what the agent would play, and what a loss is; or why there is no grade."""
    move = grader.get_move(move_number)
    pen.draw_panel(box)
    left = box.left + PANEL_PADDING
    width = box.width - 2 * PANEL_PADDING
    headline, text = f"Move {move_number:,}: not graded yet.", ""
    if move:
        headline, text = describe_move(move, grader.agent)
    elif grader.problem:
        headline, text = f"{grader.agent} cannot grade this game.", describe_grading(grader)
    elif grader.is_compiling:
        text = describe_compilation()
    pen.draw_text(pen.truncate_text(headline, width, 18, True), (left, box.top + 28), 18, True, STRONG_TEXT)
    if move and move.rank:
        rank = f"Rank {move.rank:,} of {move.placement_count:,}"
        if pen.measure_text(headline, 18, True) + pen.measure_text(rank, 14) + 16 < width:
            pen.draw_text(rank, (box.right - PANEL_PADDING, box.top + 28), 14, False, FAINT_TEXT, align=1)
    if grader.problem and not move:
        pen.draw_paragraph(text, (left, box.top + 54), width, 14, NORMAL_TEXT, max_lines=_MAX_ERROR_LINES)
        return
    has_hint = get_better_placement(move) is not None
    if has_hint:
        pen.draw_disc((left + 6, box.top + 56), 4, ACCENT)
    text_left = left + 20 * has_hint
    pen.draw_text(pen.truncate_text(text, width - 20 * has_hint), (text_left, box.top + 56), 16, False, NORMAL_TEXT)
    fits = pen.measure_text(LOSS_EXPLANATION, 14) <= width
    pen.draw_text(
        LOSS_EXPLANATION if fits else pen.truncate_text(SHORT_LOSS_EXPLANATION, width, 14),
        (left, box.top + 82),
        14,
        False,
        DIM_TEXT,
    )


def draw_costliest_moves(ui: Ui, box: Box, grader: ReplayGrader, move_number: int, *, last_focus: str) -> int:
    """Draw the costliest moves as rows; return the number of the move that was just chosen, or 0."""
    pen = ui.pen
    count = max(0, min(COSTLIEST_MOVES_SHOWN, (box.height - _TITLE_HEIGHT - 4) // _MIN_ROW_HEIGHT))
    moves = grader.summary.costliest[:count]
    pen.draw_panel(box)
    title = _COSTLIEST_TITLES.get(len(moves), "The costliest moves")
    pen.draw_text(title, (box.left + PANEL_PADDING, box.top + 26), 18, True, STRONG_TEXT)
    if not moves:
        text = _NO_LOSS_TEXT if grader.is_done and grader.moves else "" if grader.problem else _NOT_GRADED_TEXT
        pen.draw_text(text, (box.left + PANEL_PADDING, box.top + _TITLE_HEIGHT + 18), 16, False, DIM_TEXT)
    row_height = min(_MAX_ROW_HEIGHT, (box.height - _TITLE_HEIGHT - 8) // max(1, count))
    chosen = 0
    for number, move in enumerate(moves, 1):
        top = box.top + _TITLE_HEIGHT + row_height * (number - 1)
        row_box = Box(box.left + 8, top, box.width - 16, row_height - 2)
        name = f"costly {number}"
        is_selected = move.number == move_number
        control = draw_selectable_row(ui, name, row_box, is_selected=is_selected, group="costliest")
        if control.is_activated or (control.is_focused and last_focus != name):
            chosen = move.number
        draw_move_row(pen, row_box, number, move)
    return chosen


def draw_move_row(pen: Pen, box: Box, number: int, move: GradedMove) -> None:
    """Draw a costly move: its place in the order, a small board, its rank among the placements, and its loss."""
    pen.draw_text(f"{number}", (box.left + 18, box.centery), 16, True, DIM_TEXT, align=0.5)
    picture = draw_tiny_board(pen, move)
    left, middle = pen.to_pixel_point((box.left + 38, box.centery))
    blit_picture(pen.surface, picture, (left, middle - picture.height // 2))
    text_left = box.left + 38 + round(picture.width / pen.scale) + 16
    pen.draw_text(f"Move {move.number:,}", (text_left, box.centery - 11), 16, True, STRONG_TEXT)
    rank = f"Rank {move.rank:,} of {move.placement_count:,}" if move.rank else "May end the game"
    pen.draw_text(rank, (text_left, box.centery + 12), 14, False, DIM_TEXT)
    pen.draw_text(format_move_cost(move), (box.right - 12, box.centery - 11), 20, True, NEGATIVE, align=1)
    unit = "evaluation" if move.points_lost is not None else "possible"
    pen.draw_text(unit, (box.right - 12, box.centery + 12), 14, False, DIM_TEXT, align=1)


def draw_loss_chart(ui: Ui, box: Box, grader: ReplayGrader, move_number: int) -> int:
    """Draw the losses of all moves as bars; return the number of the move that was just clicked, or 0."""
    pen = ui.pen
    total = len(grader.replay.placements)
    inside = pen.draw_panel(box, "Loss by move", f"Move {move_number:,} of {total:,}")
    losses = grader.summary.max_losses
    if not any(losses):
        text = _NO_LOSS_TEXT if grader.is_done and grader.moves else ""
        pen.draw_text(text, inside.center, 14, False, FAINT_TEXT, align=0.5)
        return 0
    plot = draw_loss_axis(pen, inside, max(losses))
    area = plot.box
    step = area.width / len(losses)
    marker_x = area.left + round((move_number - 0.5) / total * area.width)
    pen.fill(Box(marker_x - 1, area.top - 4, 2, area.height + 4), ACCENT)
    for index, loss in enumerate(losses):
        if loss > 0:
            left, right = area.left + round(index * step), area.left + round((index + 1) * step)
            top = min(area.bottom - 2, round(plot.to_y(loss)))
            pen.fill(Box(left, top, max(2, right - left - (step >= 4)), area.bottom - top), NEGATIVE)
    control = ui.add_control("chart", area, radius=6)
    if not control.is_pressed and not control.is_activated:
        return 0
    return max(1, min(total, 1 + int((ui.pointer[0] - area.left) / area.width * total)))


def draw_loss_axis(pen: Pen, inside: Box, max_loss: float) -> PlotArea:
    """Draw the grid lines and the axis of the losses; return the area of the bars."""
    low_value, high_value = compute_scale(0, max_loss)
    ticks = choose_round_values(low_value, high_value, max_count=count_fitting_ticks(inside.height - 8))
    axis_width = max(pen.measure_text(format_tick(tick, ticks), 13) for tick in ticks) + 10
    area = Box(inside.left + axis_width, inside.top + 4, inside.width - axis_width, inside.height - 8)
    plot = PlotArea(area, low_value, high_value, 2)
    draw_grid_lines(pen, plot, ticks)
    return plot


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
        next_piece=(best or move.placement).piece,
        style=pen.style,
    )
