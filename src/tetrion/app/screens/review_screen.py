"""Review screen: every move of a game graded by an agent, with the costliest moves and better placements."""

from dataclasses import replace
from itertools import chain

import pygame

from tetrion.agents import load_weighted_agent
from tetrion.app.background_task import BackgroundTask
from tetrion.app.engine_loading import describe_compilation
from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.games.background_agent import check_agent_code, describe_advice
from tetrion.app.picker_options import draw_agent_picker
from tetrion.app.screens.game_panels import split_around_board
from tetrion.app.screens.replay_screen import LoadedReplayScreen, ReplayPageWriter
from tetrion.app.toolkit.controls import ButtonSpec, draw_buttons, draw_selectable_row, draw_shortened_text
from tetrion.app.toolkit.frame import Frame, draw_key_legend, draw_overlay, measure_key_legend
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.board_drawing import clip_to, draw_board, draw_contour
from tetrion.drawing.cells import HINT_CONTOUR
from tetrion.drawing.layout import Box, Panel, Part, draw_column, flexible, inset, place, split_column, split_row
from tetrion.drawing.palette import DIM_TEXT, FAINT_TEXT, GRADE_COLOURS, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import Pen
from tetrion.drawing.shapes import blit_picture
from tetrion.drawing.side_panels import draw_action_on_board, draw_garbage_meter, draw_tiny_pieces
from tetrion.drawing.thinking_panel import make_grey_stack, render_small_board
from tetrion.evaluation.number_format import NO_VALUE, format_percent
from tetrion.evaluation.replay_review import (
    GRADE_EXPLANATION,
    GRADES,
    LOSS_EXPLANATION,
    VERDICT_DESCRIPTIONS,
    VERDICT_ENDS_GAME,
    VERDICT_NOT_SCORED,
    GradedMove,
    Review,
    choose_grader,
    format_points,
    grade_moves,
)
from tetrion.game import Game
from tetrion.game_facts import VisiblePieces, describe_action, has_attack_layout
from tetrion.replay import Replay
from tetrion.stack import Stack

_COSTLIEST_COUNT = 5
_MAX_BARS = 160
_TINY_CELL_SIZE = 5  # units
_TINY_BOARD_ROWS = 9
_KEYS = [(["↑", "↓"], "Costliest"), (["Home", "End"], "First, last")]


class ReplayGrader(BackgroundTask):
    """Grades all moves of a replay; `review` has the moves graded so far, and `bars` one per part of the game."""

    def __init__(self, replay: Replay, agent: str) -> None:
        super().__init__()
        self.agent = agent
        self.moves: list[GradedMove] = []
        self.review = Review(agent, replay, ())
        self.costliest: list[GradedMove] = []
        self.bars: list[GradedMove | None] = [None] * min(len(replay.placements), _MAX_BARS)
        self.start()

    def run(self) -> None:
        """Grade all moves, or until the task is stopped."""
        check_agent_code(self.agent)
        for move in grade_moves(self.review.replay, load_weighted_agent(self.agent)):
            self.moves.append(move)
            if self._stop_event.is_set():
                return

    def update(self) -> None:
        """Update the review with the moves graded since; in long games not for every move."""
        step = 0 if self.is_done else len(self.review.moves) // 20
        count, before = len(self.moves), len(self.review.moves)
        if count > before + step:
            self.review = replace(self.review, moves=tuple(self.moves[:count]))
            self.costliest = self.review.get_costliest_moves(_COSTLIEST_COUNT)
            for move in self.review.moves[before:]:
                part = (move.number - 1) * len(self.bars) // len(self.review.replay.placements)
                self.bars[part] = max(self.bars[part] or move, move, key=lambda graded: graded.grade_level)

    def get_move(self, number: int) -> GradedMove | None:
        """Return a graded move by its number, counted from 1, or None if it is not graded yet."""
        return self.moves[number - 1] if number <= len(self.moves) else None

    def describe(self) -> str:
        """Describe the error, the progress or the result of the grading."""
        if self.problem:
            return f"{self.problem} Choose another agent."
        if self.is_compiling:
            return describe_compilation()
        player, description = self.review.replay.agent or HUMAN_PLAYER, self.review.description
        subject, verb = ("You", "play") if player == HUMAN_PLAYER else (player, "plays")
        return f"{subject} {description.replace('plays', verb)}." if self.is_done else ""


class ReviewScreen(LoadedReplayScreen):
    """Screen that grades a replay with an agent."""

    title = "Review"

    def __init__(self, window: Window, file: str = "", replay: Replay | None = None, agent: str = "") -> None:
        super().__init__(window, file, replay)
        self.agent = agent
        self.grader: ReplayGrader | None = None
        self.move_number = 1  # shown on the board
        self.has_chosen_move = False
        self._games: tuple[Game, Game] | None = None  # before and after the move
        self._last_focus = ""

    @property
    def is_moving(self) -> bool:
        """Whether the replay is being loaded or graded."""
        return not (self.grader.is_done if self.grader else self.loader.problem)

    def update(self, seconds: float) -> None:
        """Start grading when the replay is loaded; show the costliest move when all moves are graded."""
        timeline = self.loader.timeline
        if timeline is None:
            return
        self.agent = self.agent or choose_grader(timeline.replay.rules)
        if self.grader is None or self.grader.agent != self.agent:
            self._start_grading(timeline.replay)
        if grader := self.grader:
            grader.update()
            self.window.ask_about_code(grader.take_code_file(), lambda: self._start_grading(timeline.replay))
            if grader.is_done and grader.costliest and not self.has_chosen_move:
                self._show_move(grader.costliest[0].number, timeline.replay)

    def _start_grading(self, replay: Replay) -> None:
        if self.grader:
            self.grader.stop()
        self.grader = ReplayGrader(replay, self.agent)

    def on_leave(self) -> None:
        """Stop loading and grading."""
        super().on_leave()
        if self.grader:
            self.grader.stop()

    def _show_move(self, number: int, replay: Replay) -> None:
        self.move_number = max(1, min(len(replay.placements), number))
        self.has_chosen_move = True

    def _run_action(self, action: str, grader: ReplayGrader) -> None:
        replay, number = grader.review.replay, self.move_number
        targets = {"before": number - 1, "after": number + 1, "first": 1, "last": len(replay.placements)}
        if action in targets:
            self._show_move(targets[action], replay)
        elif action == "loss":  # the first one follows the last one
            further = chain(grader.moves[number:], grader.moves[:number])
            self._show_move(next((move.number for move in further if move.has_cost), number), replay)
        elif action == "replay":
            self.window.open_screen_by_name("replay", file=self.file, replay=replay, move=number - 1)
        elif action == "page":
            ReplayPageWriter(replay, self.window.show_message, grader.review)

    def draw_game(self, ui: Ui, frame: Frame) -> bool:
        """Draw the board with the selected move, its grade, the costliest moves and the chart."""
        grader, gap = self.grader, frame.gap
        if grader is None:
            return False
        replay = grader.review.replay
        if not replay.placements:
            if draw_overlay(ui, frame.content, "Nothing to review", ["No piece was placed."], [("Back", "Esc")]):
                self.window.close_screen()
            return True
        side, fitted, right = split_around_board(ui.pen, frame, replay.rules.height)
        self._draw_board(ui.pen, fitted.box, fitted.cell_size, grader)
        if side:
            self._draw_summary(ui, side, grader, is_column=True)
        text_height = 120 if has_attack_layout(replay.rules) else 94  # with the held and the next pieces
        panels = [
            Panel(0 if side else 76, lambda box: self._draw_summary(ui, box, grader, is_column=False)),
            Panel(text_height, lambda box: self._draw_move_text(ui, box, grader)),
            Panel(flexible(150), lambda box: self._draw_costliest_moves(ui, box, grader)),
            Panel(Part(172, minimum=130), lambda box: self._draw_chart(ui, box, grader)),
        ]
        draw_column(right, gap, panels)
        self._last_focus = ui.focus
        self._run_action(self._draw_footer(ui, frame, grader), grader)
        return True

    def _draw_board(self, pen: Pen, box: Box, cell: int, grader: ReplayGrader) -> None:
        """Draw the board before the move with its piece, and the outline of a better placement."""
        before, after = self._get_games()
        placement, graded = grader.review.replay.placements[self.move_number - 1], grader.get_move(self.move_number)
        origin, stack = pen.to_pixel_point(box.topleft), before.stack
        draw_garbage_meter(pen, box, cell, before.position)
        drawn_area = draw_board(pen.surface, origin, cell, stack, active=placement, style=pen.style)
        if graded and (hint := graded.better_placement):  # drawn over the piece, which may cover it
            with clip_to(pen.surface, drawn_area):
                draw_contour(pen.surface, origin, cell, stack.height, hint.cells, contour=HINT_CONTOUR)
        draw_action_on_board(pen, box, describe_action(stack.lock_piece(placement), after.position))

    def _get_games(self) -> tuple[Game, Game]:
        """Return the games before and after the selected move."""
        timeline, number = self.loader.timeline, self.move_number
        assert timeline is not None
        if self._games is None or self._games[0].pieces != number - 1:
            self._games = timeline.get_point(number - 1)[0], timeline.get_point(number)[0]
        return self._games

    def _draw_summary(self, ui: Ui, box: Box, grader: ReplayGrader, *, is_column: bool) -> None:
        """Draw the grading agent, the share of best moves and the loss per move, with further texts in a column."""
        pen, review = ui.pen, grader.review
        inside = pen.draw_panel(box, "Graded by" if is_column else "")
        if is_column:
            picker, best, loss, progress, text = split_column(inside, [40, 48, 48, 32, flexible()], 20)
            done, total = len(grader.moves), len(review.replay.placements)
            pen.draw_progress(progress, "Graded", f"{done:,} of {total:,}", done / total)
            for words, colour in ((grader.describe(), NORMAL_TEXT), (GRADE_EXPLANATION, DIM_TEXT)):
                lines = max(0, (text.height - 12) // 20)
                text.top += 12 + pen.draw_paragraph(words, text.topleft, text.width, 14, colour, max_lines=lines)
        else:
            best, loss, picker = split_row(inside, [88, 96, flexible()], 16)
        share, mean = review.best_move_share, review.mean_points_lost
        for part, label, number in (
            (best, "Best moves", NO_VALUE if share is None else format_percent(share)),
            (loss, "Loss per move", NO_VALUE if mean is None else format_points(mean)),
        ):
            pen.draw_number((part.left, part.top + 10), label, number)
        self.agent = draw_agent_picker(ui, "agent", place(picker, picker.width, 40), self.agent)

    def _draw_move_text(self, ui: Ui, box: Box, grader: ReplayGrader) -> None:
        """Draw the grade of the move, what the agent would play, and the loss; or why there is no grade."""
        pen, move = ui.pen, grader.get_move(self.move_number)
        pen.draw_panel(box)
        first, second, third, pieces = split_column(inset(box, 16, 10), [26, 26, 22, flexible()])
        if move:
            headline, advice, loss = describe_move(move, grader.agent)
        else:
            headline = f"Move {self.move_number:,}: not graded yet."
            headline = f"{grader.agent} cannot grade this game." if grader.problem else headline
            advice, *further = pen.wrap_text(grader.describe(), second.width)
            loss = " ".join(further)
        rank = f"Rank {move.rank:,} of {move.placement_count:,}" if move and move.rank else ""
        dot_width, rank_width = 22 if move and move.grade else 0, pen.measure_text(rank, 14) if rank else 0
        dot, title, right = split_row(first, [dot_width, flexible(), Part(rank_width, rank=1)])
        if dot and move:
            pen.draw_disc((dot.left + 6, dot.centery), 6, GRADE_COLOURS[move.grade])
        draw_shortened_text(ui, headline, title.midleft, title.width, size=18, semibold=True, colour=STRONG_TEXT)
        pen.draw_text(rank, right.midright, 14, False, FAINT_TEXT, align=1)
        draw_shortened_text(ui, advice, second.midleft, second.width)
        draw_shortened_text(ui, loss, third.midleft, third.width, size=14, colour=DIM_TEXT)
        if move:
            ui.add_tooltip(third, f"{LOSS_EXPLANATION} {GRADE_EXPLANATION}")
        if pieces.height >= 20:
            placement = grader.review.replay.placements[self.move_number - 1]
            visible = VisiblePieces.from_position(self._get_games()[0].position, placement)
            draw_tiny_pieces(pen, pieces.midleft, visible)

    def _draw_costliest_moves(self, ui: Ui, box: Box, grader: ReplayGrader) -> None:
        pen = ui.pen
        pen.draw_panel(box)
        title, rows = split_column(inset(box, 8, 2), [40, flexible()])
        row_boxes = [row for row in split_column(rows, [Part(74, 52, rank=1)] * _COSTLIEST_COUNT) if row]
        pen.draw_text("The costliest moves", (title.left + 8, title.centery + 4), 18, True, STRONG_TEXT)
        if not grader.costliest and not grader.problem:
            text = "No move lost anything." if grader.is_done else "Moves appear here while they are graded."
            pen.draw_text(text, (rows.left + 8, rows.top + 20), 16, False, DIM_TEXT)
        for number, (move, row) in enumerate(zip(grader.costliest, row_boxes, strict=False), 1):
            name, row = f"costly {number}", Box(row.left, row.top, row.width, row.height - 2)
            is_selected = move.number == self.move_number
            control = draw_selectable_row(ui, name, row, is_selected=is_selected, group="costliest")
            draw_move_row(pen, row, number, move)
            if control.is_activated or (control.is_focused and self._last_focus != name):
                self._show_move(move.number, grader.review.replay)

    def _draw_chart(self, ui: Ui, box: Box, grader: ReplayGrader) -> None:
        """Draw the moves as bars that are as high as their grade, next to the names and numbers of the grades."""
        pen, total = ui.pen, len(grader.review.replay.placements)
        inside = pen.draw_panel(box, "Grades by move", f"Move {self.move_number:,} of {total:,}")
        names, area = split_row(inset(inside, 0, -4), [130, flexible()], 12)
        for grade, row in zip(reversed(GRADES), split_column(names, [flexible()] * len(GRADES)), strict=True):
            pen.draw_disc((row.left + 5, row.centery), 5, GRADE_COLOURS[grade])
            pen.draw_text(grade.capitalize(), (row.left + 18, row.centery), 14)
            pen.draw_text(f"{grader.review.grade_counts[grade]:,}", row.midright, 14, True, STRONG_TEXT, align=1)
            pen.draw_separator(area.left, row.bottom, area.width)
        step = area.width / len(grader.bars)
        for index, move in enumerate(grader.bars):
            if move and move.grade:
                left, right = (area.left + round(number * step) for number in (index, index + 1))
                height = round(move.grade_level / len(GRADES) * area.height)
                bar = Box(left, area.bottom - height, max(2, right - left - (step >= 4)), height)
                pen.fill(bar, GRADE_COLOURS[move.grade])
        marker = area.left + round((self.move_number - 0.5) / total * area.width)
        pen.fill(Box(marker - 1, area.top, 2, area.height), STRONG_TEXT)
        control = ui.add_control("chart", area, radius=6)
        if control.is_pressed or (control.is_activated and control.is_hovered):
            self._show_move(1 + int((ui.pointer[0] - area.left) / area.width * total), grader.review.replay)

    def _draw_footer(self, ui: Ui, frame: Frame, grader: ReplayGrader) -> str:
        total, has_loss = len(grader.review.replay.placements), bool(grader.costliest)
        buttons = [
            ButtonSpec("before", "", "←", "back", is_enabled=self.move_number > 1),
            ButtonSpec("after", "", "→", "step", is_enabled=self.move_number < total),
            ButtonSpec("loss", "Next loss", "N", is_primary=True, is_enabled=has_loss),
            ButtonSpec("replay", "Replay", "P", "play"),
            ButtonSpec("page", "Save web page", "S", is_enabled=grader.is_done and not grader.problem),
        ]
        action, rest = draw_buttons(ui, frame.footer, buttons)
        if measure_key_legend(ui.pen, _KEYS) <= rest.width:
            draw_key_legend(ui, rest, _KEYS, align=1)
        if ui.is_key_pressed("Home", "End"):
            return "first" if ui.is_key_pressed("Home") else "last"
        if ui.is_key_pressed("↑", "↓"):
            ui.request_focus("costly 1")
        elif not ui.focus and grader.is_done:
            ui.request_focus("loss" if has_loss else "replay")
        return action


def draw_move_row(pen: Pen, box: Box, number: int, move: GradedMove) -> None:
    """Draw a costly move: its place in the order, a small board, its rank among the placements, its grade and loss."""
    picture = draw_tiny_board(pen, move)
    place_box, board, texts = split_row(inset(box, 8, 0), [16, round(picture.width / pen.scale), flexible()], 14)
    pen.draw_text(f"{number}", place_box.center, 16, True, DIM_TEXT, align=0.5)
    left, middle = pen.to_pixel_point(board.midleft)
    blit_picture(pen.surface, picture, (left, middle - picture.height // 2))
    first, second = box.centery - 11, box.centery + 12
    pen.draw_text(f"Move {move.number:,}", (texts.left, first), 16, True, STRONG_TEXT)
    pen.draw_text(move.grade.capitalize(), (texts.right - 4, first), 16, True, GRADE_COLOURS[move.grade], align=1)
    rank = f"Rank {move.rank:,} of {move.placement_count:,}" if move.rank else "May end the game"
    loss = "" if move.points_lost is None else f"lost {format_points(move.points_lost)}"
    pen.draw_text(rank, (texts.left, second), 14, False, DIM_TEXT)
    pen.draw_text(loss, (texts.right - 4, second), 14, False, DIM_TEXT, align=1)


def draw_tiny_board(pen: Pen, move: GradedMove) -> pygame.Surface:
    """Return a small picture of the placement and an outline of the better one."""
    stack, best = Stack.from_board(move.position.board), move.best_placement
    rows = [row for _, row in move.placement.cells]
    all_rows = rows + [row for _, row in (best.cells if best else ())]
    rows = all_rows if max(all_rows) - min(all_rows) < _TINY_BOARD_ROWS else rows
    low = max(0, min(max(len(stack.rows), 1 + max(rows)) - _TINY_BOARD_ROWS, min(rows)))
    outline = tuple((column, row - low) for column, row in best.cells if row >= low) if best else ()
    return render_small_board(
        pen.to_pixels(_TINY_CELL_SIZE),
        make_grey_stack(stack, low, _TINY_BOARD_ROWS),
        replace(move.placement, row=move.placement.row - low),
        next_cells=outline,
        next_piece=(best or move.placement).piece,
        style=pen.style,
    )


def describe_move(move: GradedMove, agent: str) -> tuple[str, str, str]:
    """Return a headline with the grade of a move, a sentence about the agent's choice, and one about the loss."""
    number, best = f"Move {move.number:,}", move.best_placement
    if best is None:
        return f"{number}: no choice.", f"{agent} has no other placement.", ""
    if move.verdict == VERDICT_NOT_SCORED:
        return f"{number}: not graded.", f"{VERDICT_DESCRIPTIONS[VERDICT_NOT_SCORED].capitalize()}.", ""
    headline = f"{number}: {move.grade}"
    if move.verdict == VERDICT_ENDS_GAME:
        return headline, describe_advice(agent, best), "The game may end after this move, but not after others."
    if move.is_best:
        is_same = move.placement == best
        advice = f"{agent} would play here too." if is_same else f"As good as the choice of {agent}."
        return headline, advice, "Nothing lost."
    lost, mean = (format_points(points or 0) for points in (move.points_lost, move.mean_loss))
    text = f"Lost {lost} in {agent}'s evaluation; a random placement loses {mean} on average."
    return headline, describe_advice(agent, best), text
