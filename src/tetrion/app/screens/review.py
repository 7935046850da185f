"""Review: every move of a game graded against an agent, the costliest ones first, with what would have been better."""

from dataclasses import replace as changed

import pygame

from tetrion.app.choices import agent_options, rules_words
from tetrion.app.readiness import PREPARING
from tetrion.app.replays.grading import COSTLIEST, Grader, better, cost_words, told
from tetrion.app.replays.loading import Loading
from tetrion.app.screen import Screen
from tetrion.app.screens.waiting import draw_loading
from tetrion.app.shelf import PERSON
from tetrion.app.toolkit.chrome import Action, Room, actions, beside, frame, legend, overlay
from tetrion.app.toolkit.controls import row, slider
from tetrion.app.toolkit.picker import Picker
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.boards import clipped, draw_board, draw_contour
from tetrion.drawing.charts import Plane, draw_rules
from tetrion.drawing.contours import HINT
from tetrion.drawing.palette import ACCENT, BAD, DIM, FAINT, STRONG, TEXT
from tetrion.drawing.pen import PADDING, Box, Pen
from tetrion.drawing.shapes import put
from tetrion.drawing.stack import Stack
from tetrion.drawing.thinking import tiny_picture
from tetrion.drawing.thoughts import grey
from tetrion.drawing.ticks import round_numbers, scale_of, tick_words
from tetrion.evaluation.review import Move, points_words, usual_agent
from tetrion.evaluation.words import percent
from tetrion.replay import Replay

LEFT, CHART = 200, 152  # how wide the left column is, and how high the chart
TOLD, TOLD_LONG = 84, 104  # how high the words about a move are, and those about a mistake
ROW, TITLE = 56, 44
CELL, ROWS = 5, 9  # of the tiny boards
APPEAR = "They appear as moves are graded."
NOTHING_LOST = "No move has lost anything."
COUNTS = {1: "The costliest move", 2: "The two costliest moves", 3: "The three costliest moves"}


class ReviewScreen(Screen):
    """Grades a replay: a file, or one that is known already."""

    title = "Review"

    def __init__(self, window: Window, file: str = "", replay: Replay | None = None, agent: str = "") -> None:
        super().__init__(window)
        self.file, self.agent = file, agent
        self.loading = Loading(file, replay)
        self.grader: Grader | None = None
        self.picker = Picker("agent", free="a file, class or folder")
        self.number, self.moved = 1, False  # which move is shown, and whether a person has chosen it
        self._stack: tuple[int, Stack] | None = None
        self._focus = ""

    # What goes on.

    def update(self, seconds: float) -> None:
        """Begin to grade when the replay is read; show the costliest move when all are graded."""
        reel = self.loading.reel
        if self.grader is None and reel is not None:
            self.agent = self.agent or usual_agent(reel.replay.rules)
            self._grade(reel.replay)
        if self.grader and self.grader.done and not self.moved:
            self.moved = True
            costliest = self.grader.summary.costliest
            self.number = costliest[0].number if costliest else 1

    def _grade(self, replay: Replay) -> None:
        if self.grader:
            self.grader.stop()
        self.grader = Grader(replay, self.agent)

    def leave(self) -> None:
        """Grade no more."""
        self.loading.stop()
        if self.grader:
            self.grader.stop()

    def _show(self, number: int, replay: Replay) -> None:
        self.number, self.moved = max(1, min(len(replay.placements), number)), True

    def _act(self, action: str, grader: Grader) -> None:
        replay = grader.replay
        if action in ("before", "after"):
            self._show(self.number + (1 if action == "after" else -1), replay)
        elif action == "loss":
            self._show(self._next_loss(grader), replay)
        elif action == "replay":
            self.window.go("replay", file=self.file, replay=replay, move=self.number - 1)

    def _next_loss(self, grader: Grader) -> int:
        """The next move after this one that has cost something; after the last one, the first."""
        costly = [move.number for move in grader.moves if move.cost > (False, 0.0)]
        return next((number for number in costly if number > self.number), costly[0] if costly else self.number)

    # Drawing.

    def draw(self, ui: Ui) -> None:
        """Draw the board with the move, its grade, the costliest moves and the chart."""
        replay = self.loading.replay
        chips = [rules_words(replay.rules)] if replay else []
        room, leave = frame(ui, self.title, chips, (replay.agent or PERSON) if replay else "")
        if self.grader is None:
            leave = self._wait(ui, room) or leave
        elif not self.grader.replay.placements:
            leave = (
                bool(overlay(ui, room.content, "Nothing to review", ["No piece was placed."], [("Back", "Esc")]))
                or leave
            )
        else:
            self._draw_review(ui, room, self.grader)
        if ui.files:
            self.window.replace(ReviewScreen(self.window, ui.files[-1], agent=self.agent))
        elif leave and self.window.screen is self:
            self.window.back()

    def _wait(self, ui: Ui, room: Room) -> bool:
        if self.loading.problem:
            lines = [self.loading.problem]
            return bool(overlay(ui, room.content, "This replay cannot be reviewed", lines, [("Back", "Esc")], 420))
        draw_loading(ui.pen, room.content, self.loading)
        return False

    def _draw_review(self, ui: Ui, room: Room, grader: Grader) -> None:
        content, gap, pen = room.content, room.gap, ui.pen
        side = LEFT + gap if room.form == "wide" else 0
        height = grader.replay.rules.height
        fitted = pen.fitted(Box(content.left + side, content.top, content.width // 2, content.height), height, 0)
        self._board(pen, fitted.box, fitted.cell, grader)
        high = beside(fitted.box, content)
        rest = Box(fitted.box.right + gap, content.top, content.right - fitted.box.right - gap, high)
        top = rest.top
        if side:
            self._left(ui, Box(content.left, content.top, LEFT, high), gap, grader)
        else:
            self._strip(ui, Box(rest.left, rest.top, rest.width, 76), grader)
            top += 76 + gap
        words = TOLD_LONG if grader.problem else TOLD
        self._told(pen, Box(rest.left, top, rest.width, words), grader)
        top += words + gap
        chart = CHART if side else 120
        self._costliest(ui, Box(rest.left, top, rest.width, rest.bottom - chart - gap - top), grader)
        self._chart(ui, Box(rest.left, rest.bottom - chart, rest.width, chart), grader)
        self._act(self._footer(ui, room, grader), grader)
        if picked := self.picker.draw_list(ui, agent_options):
            self.agent = picked
            self._grade(grader.replay)

    def _board(self, pen: Pen, box: Box, cell: int, grader: Grader) -> None:
        made, hint = grader.replay.placements[self.number - 1], better(grader.move(self.number))
        place, stack = pen.point(box.topleft), self._before()
        covered = draw_board(pen.surface, place, cell, stack, active=made, look=pen.look)
        if hint:  # over the piece, which may lie in its way
            with clipped(pen.surface, covered):
                draw_contour(pen.surface, place, cell, stack.height, hint.cells, HINT)

    def _before(self) -> Stack:
        """What stood before the move that is shown."""
        reel = self.loading.reel
        if reel and (self._stack is None or self._stack[0] != self.number):
            self._stack = self.number, reel.at(self.number - 1).stack
        return self._stack[1] if self._stack else Stack()

    def _figures(self, grader: Grader) -> tuple[str, str]:
        """The share of best moves, and the points lost a move."""
        known = grader.summary
        share = "–" if known.share_best is None else percent(known.share_best) if known.share_best else "0 %"
        return share, "–" if known.mean_lost is None else points_words(known.mean_lost)

    def _left(self, ui: Ui, box: Box, gap: int, grader: Grader) -> None:
        pen = ui.pen
        panel = Box(box.left, box.top, box.width, 96)
        inside = pen.panel(panel, "Graded by")
        self.picker.draw(ui, Box(inside.left, inside.top, inside.width, 40), self.agent)
        share, lost = self._figures(grader)
        panel = Box(box.left, panel.bottom + gap, box.width, 212)
        inside = pen.panel(panel, "Best moves")
        pen.text(share, (inside.left, inside.top + 14), 34, True, STRONG)
        pen.rule(inside.left, inside.top + 46, inside.width)
        pen.figure((inside.left, inside.top + 68), "Points lost a move", lost)
        pen.progress(
            Box(inside.left, inside.bottom - 28, inside.width, 28),
            "Graded",
            f"{len(grader.moves):,} of {len(grader.replay.placements):,}",
            len(grader.moves) / len(grader.replay.placements),
        )
        words = self._state(grader)
        if words and not grader.problem:
            panel = Box(box.left, panel.bottom + gap, box.width, 0)
            lines = pen.wrapped(words, box.width - 2 * PADDING, 14)
            panel.height = 20 * len(lines) + 24
            pen.panel(panel)
            for number, line in enumerate(lines):
                pen.text(line, (panel.left + PADDING, panel.top + 22 + 20 * number), 14, False, TEXT)

    def _state(self, grader: Grader) -> str:
        """What goes on, what is wrong, or what the grades say in words."""
        if grader.problem:
            return f"{grader.problem} Choose another agent."
        if grader.preparing:
            return PREPARING
        who = grader.replay.agent or PERSON
        subject = "You" if who == PERSON else who
        words = grader.summary.words
        words = words.replace("plays", "play") if who == PERSON else words
        return f"{subject} {words}." if grader.done and grader.moves else ""

    def _strip(self, ui: Ui, box: Box, grader: Grader) -> None:
        pen = ui.pen
        pen.panel(box)
        share, lost = self._figures(grader)
        pen.figure((box.left + PADDING, box.top + 24), "Best moves", share, 22)
        pen.figure((box.left + PADDING + 104, box.top + 24), "Lost a move", lost, 22)
        left = box.left + PADDING + 216
        wide = box.right - PADDING - left
        self.picker.draw(ui, Box(left, box.top + 10, wide, 36), self.agent)
        words = f"{len(grader.moves):,} of {len(grader.replay.placements):,} graded"
        pen.text(words, (left, box.top + 60), 13, False, FAINT)

    def _told(self, pen: Pen, box: Box, grader: Grader) -> None:
        move = grader.move(self.number)
        pen.panel(box)
        headline, words = f"Move {self.number:,}: not graded yet.", ""
        if move:
            headline, words = told(move, self.agent)
        elif grader.problem:
            headline, words = f"{self.agent} cannot grade this game.", self._state(grader)
        elif grader.preparing:
            words = PREPARING
        inside = box.width - 2 * PADDING
        pen.text(pen.cut(headline, inside, 18, True), (box.left + PADDING, box.top + 28), 18, True, STRONG)
        if move and move.rank:
            rank = f"Rank {move.rank:,} of {move.placements:,}"
            if pen.width_of(headline, 18, True) + pen.width_of(rank, 14) + 16 < inside:
                pen.text(rank, (box.right - PADDING, box.top + 28), 14, False, FAINT, align=1)
        hint, size = better(move) is not None, 14 if grader.problem else 16
        for number, line in enumerate(pen.wrapped(words, inside - 20 * hint, size)[: 2 if size == 16 else 3]):
            pen.text(line, (box.left + PADDING + 20 * hint, box.top + 56 + (size + 4) * number), size, False, TEXT)
        if hint:
            pen.disc((box.left + PADDING + 6, box.top + 56), 4, ACCENT)

    def _costliest(self, ui: Ui, box: Box, grader: Grader) -> None:
        pen = ui.pen
        count = max(0, min(COSTLIEST, (box.height - TITLE - 4) // ROW))
        moves = grader.summary.costliest[:count]
        pen.panel(box)
        title = COUNTS.get(len(moves), "The five costliest moves" if len(moves) == COSTLIEST else "The costliest moves")
        pen.text(title, (box.left + PADDING, box.top + 26), 18, True, STRONG)
        if not moves:
            words = NOTHING_LOST if grader.done and grader.moves else "" if grader.problem else APPEAR
            pen.text(words, (box.left + PADDING, box.top + TITLE + 18), 16, False, DIM)
        high = min(74, (box.height - TITLE - 8) // max(1, count))
        for number, move in enumerate(moves):
            place = Box(box.left + 8, box.top + TITLE + high * number, box.width - 16, high - 2)
            self._row(ui, place, number, move, grader.replay)
        if ui.focus != self._focus:
            self._focus = ui.focus

    def _row(self, ui: Ui, box: Box, number: int, move: Move, replay: Replay) -> None:
        pen, name = ui.pen, f"costly {number + 1}"
        touch = row(ui, name, box, selected=move.number == self.number, group="costliest")
        if touch.activated or (touch.focused and self._focus != name):
            self._show(move.number, replay)
        pen.text(f"{number + 1}", (box.left + 18, box.centery), 16, True, DIM, align=0.5)
        picture = tiny_board(pen, move)
        left, middle = pen.point((box.left + 38, box.centery))
        put(pen.surface, picture, (left, middle - picture.height // 2))
        words = box.left + 38 + round(picture.width / pen.scale) + 16
        pen.text(f"Move {move.number:,}", (words, box.centery - 11), 16, True, STRONG)
        rank = f"Rank {move.rank:,} of {move.placements:,}" if move.rank else "The game may end here"
        pen.text(rank, (words, box.centery + 12), 14, False, DIM)
        pen.text(cost_words(move), (box.right - 12, box.centery - 11), 20, True, BAD, align=1)
        pen.text(
            "points" if move.lost is not None else "the game", (box.right - 12, box.centery + 12), 14, False, DIM, 1
        )

    def _chart(self, ui: Ui, box: Box, grader: Grader) -> None:
        """Points lost by move, as bars that can be clicked."""
        pen, total = ui.pen, len(grader.replay.placements)
        inside = pen.panel(box, "Points lost by move", f"Move {self.number:,} of {total:,}")
        losses = grader.summary.losses
        if not any(losses):
            words = NOTHING_LOST if grader.done and grader.moves else ""
            pen.text(words, inside.center, 14, False, FAINT, align=0.5)
            return
        low, high = scale_of(0, max(losses))
        rules = round_numbers(low, high)
        wide = max(pen.width_of(tick_words(tick, rules), 13) for tick in rules) + 10
        plane = Plane(Box(inside.left + wide, inside.top + 4, inside.width - wide, inside.height - 8), low, high, 2)
        draw_rules(pen, plane, rules)
        area, step = plane.box, plane.box.width / len(losses)
        here = area.left + round((self.number - 0.5) / total * area.width)
        pen.fill(Box(here - 1, area.top - 4, 2, area.height + 4), ACCENT)
        for place, lost in enumerate(losses):
            if lost > 0:
                left, right = area.left + round(place * step), area.left + round((place + 1) * step)
                top = min(area.bottom - 2, round(plane.y(lost)))
                pen.fill(Box(left, top, max(2, right - left - (step >= 4)), area.bottom - top), BAD)
        touch = ui.control("chart", area, radius=6, behind=True)
        if touch.pressed or touch.activated:
            self._show(1 + int((ui.pointer[0] - area.left) / area.width * total), grader.replay)

    def _footer(self, ui: Ui, room: Room, grader: Grader) -> str:
        total = len(grader.replay.placements)
        buttons = [
            Action("before", "", "←", "back", enabled=self.number > 1),
            Action("after", "", "→", "step", enabled=self.number < total),
            Action("loss", "Next loss", "N", primary=True, enabled=bool(grader.summary.costliest)),
            Action("replay", "Replay", "P", "play"),
        ]
        used, end = actions(ui, room.footer, buttons)
        share = (self.number - 1) / max(1, total - 1)
        place = Box(end + 24, room.footer.top, min(280, room.footer.right - end - 48), room.footer.height)
        value = slider(ui, "seek", place, share, 0.0)
        if value != share:
            self._show(1 + round(value * (total - 1)), grader.replay)
        rest = Box(place.right + 24, room.footer.top, room.footer.right - place.right - 24, room.footer.height)
        if rest.width > 200:
            legend(ui, rest, [(["↑", "↓"], "Costliest"), (["Home", "End"], "First, last")], align=1)
        if ui.pressed("Home"):
            self._show(1, grader.replay)
        elif ui.pressed("End"):
            self._show(total, grader.replay)
        elif ui.pressed("↑", "↓") and not self.picker.is_open:
            ui.want("costly 1")
        elif not ui.focus:
            ui.want("loss" if grader.summary.costliest else "replay")
        return used


def tiny_board(pen: Pen, move: Move) -> pygame.Surface:
    """A tiny board with the piece where it was placed, and an outline where it would have been better."""
    stack, best = Stack.of(move.position.board), move.best
    rows = [row for _, row in move.made.cells]
    both = rows + [row for _, row in (best.cells if best else ())]
    rows = both if max(both) - min(both) < ROWS else rows
    low = max(0, min(max(len(stack.rows), 1 + max(rows)) - ROWS, min(rows)))
    made = changed(move.made, row=move.made.row - low)
    outline = tuple((column, row - low) for column, row in best.cells if row >= low) if best else ()
    return tiny_picture(pen.pixels(CELL), grey(stack, low, ROWS), made, outline, move.made.piece, pen.look)
