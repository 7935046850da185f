"""Replays: every game that was kept, to be played, reviewed, given away as a page, or deleted."""

from datetime import datetime
from pathlib import Path

import pygame

from tetrion.app.replays.library import Head, Library
from tetrion.app.replays.loading import PageWriter
from tetrion.app.screen import Screen
from tetrion.app.toolkit.chrome import Action, Room, actions, frame, legend, overlay
from tetrion.app.toolkit.controls import SEGMENT, row, segments, segments_width
from tetrion.app.toolkit.picker import Option, Picker
from tetrion.app.toolkit.ui import ENTERS, Ui
from tetrion.app.window import Window
from tetrion.drawing.boards import draw_board
from tetrion.drawing.palette import ACCENT, BAD, DIM, FAINT, OUTLINE, RAISED, STRONG, TEXT
from tetrion.drawing.pen import PADDING, Box, Pen
from tetrion.drawing.stack import Stack
from tetrion.evaluation.words import clock, counted

WHO, ALL, YOU = ("All", "You", "Agents"), 0, 1
ORDERS = ("Newest", "Score", "Lines")
EVERY_RULES = "All rules"
ROW, HEADS, BAR = 40, 28, 60  # heights
PREVIEW, NARROW, STRIP = 336, 260, 190  # how wide the preview is, and how high where it lies below the list
COLUMNS = (("Player", 0.0), ("Rules", 0.27), ("Score", 0.51), ("Lines", 0.61), ("Pieces", 0.71), ("Length", 0.79))
FIGURES = 0.51  # from where on columns hold numbers
DOUBLE = 0.4  # seconds between two clicks that are one
WHEEL = 3  # rows
MOVES = {pygame.K_UP: -1, pygame.K_DOWN: 1}
NO_GAMES = "No games yet."
HOW = "Every game that ends is kept here, yours and those of agents. A replay file can be dropped onto the window."


class ReplaysScreen(Screen):
    """The list of the games that were kept, and the end of the one that is selected."""

    title = "Replays"

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.library = Library()
        self.rules = Picker("rules")
        self.who, self.order, self.chosen_rules = ALL, 0, EVERY_RULES
        self.selected: Head | None = None
        self.first, self.asking = 0, False
        self._shown: list[Head] = []
        self._places: dict[Path, int] = {}
        self._shown_of: tuple[object, ...] = ()
        self._rows, self._clicked, self._focus = 1, 0.0, ""

    def resume(self) -> None:
        """Look for games that have come meanwhile."""
        self.library.refresh()

    def leave(self) -> None:
        """Read no more."""
        self.library.stop()

    def handle(self, event: pygame.event.Event) -> bool:
        """Let Enter use what has the focus, rather than play, where that is no game."""
        elsewhere = self.window.ui.focus and not self.window.ui.focus.startswith("game ")
        enters = event.type == pygame.KEYDOWN and event.key in ENTERS
        if enters and elsewhere and not self.rules.is_open and not self.asking:
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_SPACE, mod=0, unicode=" "))
            return True
        return False

    # What is shown.

    @property
    def shown(self) -> list[Head]:
        """The games that fit what is chosen, in order."""
        heads = self.library.heads
        asked = (id(heads), len(heads), self.who, self.order, self.chosen_rules)
        if asked != self._shown_of:
            fitting = [head for head in list(heads) if self._fits(head)]
            self._shown = sorted(fitting, key=lambda head: ranking(head, ORDERS[self.order]), reverse=True)
            self._places = {head.path: place for place, head in enumerate(self._shown)}
            self._shown_of = asked
        return self._shown

    def _fits(self, head: Head) -> bool:
        named = self.chosen_rules in (EVERY_RULES, head.rules.name if head.rules else "")
        return named and (self.who == ALL or head.mine == (self.who == YOU))

    @property
    def place(self) -> int:
        """Which of those that are shown is selected."""
        return self._places.get(self.selected.path, 0) if self.selected and self.shown else 0

    @property
    def usable(self) -> bool:
        """Whether the selected game can be played."""
        return self.selected is not None and not self.selected.problem

    # What is done.

    def _select(self, ui: Ui, place: int) -> None:
        shown = self.shown
        place = max(0, min(len(shown) - 1, place))
        self.selected = shown[place]
        self.first = max(place - self._rows + 1, min(self.first, place))
        ui.want(f"game {self.selected.path.name}")

    def _open(self, screen: str, **options: object) -> None:
        self.window.sound.play("choose")
        self.window.go(screen, **options)

    def _act(self, action: str) -> None:
        if action == "delete" and self.selected:
            self.asking = True
        elif action and self.usable and self.selected:
            file = str(self.selected.path)
            if action == "page":
                self.window.tell("The page is being written.")
                PageWriter(file, None, self.window.tell)
            else:
                self._open(action, file=file)

    def _delete(self, head: Head) -> None:
        place = self.place
        try:
            head.path.unlink(missing_ok=True)
        except OSError as problem:
            self.window.tell(f"The game cannot be deleted: {problem.strerror}.")
            return
        self.library.forget(head.path)
        self.selected = self.shown[min(place, len(self.shown) - 1)] if self.shown else None

    def _hear(self, ui: Ui) -> None:
        """Let keys and the wheel move through the list, and dropped files open."""
        jumps = {pygame.K_PAGEUP: -self._rows, pygame.K_PAGEDOWN: self._rows, pygame.K_HOME: -(10**9)}
        for event in ui.keys:
            step = (MOVES | jumps | {pygame.K_END: 10**9}).get(event.key, 0)
            if step and self.shown:
                self._select(ui, self.place + step)
        self.first = max(0, min(len(self.shown) - self._rows, self.first - WHEEL * ui.wheel))
        if ui.files:
            self._open("replay", file=ui.files[-1])

    # Drawing.

    def draw(self, ui: Ui) -> None:
        """Draw the list, and beside or below it the end of the selected game."""
        room, leave = frame(ui, self.title, [self._count()])
        content, gap = room.content, room.gap
        if room.compact:
            below = Box(content.left, content.bottom - STRIP, content.width, STRIP)
            listed = Box(content.left, content.top, content.width, content.height - STRIP - gap)
        else:
            wide = PREVIEW if room.form == "wide" else NARROW
            below = Box(content.right - wide, content.top, wide, content.height)
            listed = Box(content.left, content.top, content.width - wide - gap, content.height)
        self._list(ui, listed)
        self._preview(ui.pen, below, room.compact)
        used = self._footer(ui, room)
        if not self.asking and not self.rules.is_open:
            self._hear(ui)
            self._act(used)
        if picked := self.rules.draw_list(ui, self._rules_options):
            self.chosen_rules, self.first = picked, 0
        if self.asking:
            self._ask(ui, listed)
        if leave and self.window.screen is self:
            self.window.back()

    def _count(self) -> str:
        count = len(self.library.heads)
        return counted(count, "game") if count else ""

    def _rules_options(self) -> list[Option]:
        names = sorted({head.rules.name for head in self.library.heads if head.rules})
        return [Option(EVERY_RULES), *map(Option, names)]

    def _list(self, ui: Ui, box: Box) -> None:
        pen = ui.pen
        pen.panel(box)
        self._bar(ui, Box(box.left + PADDING, box.top, box.width - 2 * PADDING, BAR))
        pen.rule(box.left + PADDING, box.top + BAR, box.width - 2 * PADDING)
        inside = Box(box.left + PADDING, box.top + BAR, box.width - 2 * PADDING, box.height - BAR - 8)
        shown = self.shown
        self._rows = max(1, (inside.height - HEADS) // ROW)
        if not shown:
            self._nothing(pen, inside)
            self.selected = None
            return
        if self.selected is None or self.selected.path not in self._places:
            self.selected, self.first = shown[0], 0
        self.first = max(0, min(self.first, len(shown) - self._rows))
        self._heads(pen, inside)
        for number, head in enumerate(shown[self.first : self.first + self._rows]):
            self._row(ui, Box(inside.left - 8, inside.top + HEADS + ROW * number, inside.width + 8, ROW - 2), head)
        self._scroll_bar(pen, Box(box.right - 10, inside.top + HEADS, 4, ROW * self._rows - 2), len(shown))
        self._focus = ui.focus
        if not ui.focus and self.selected in shown[self.first : self.first + self._rows]:
            ui.want(f"game {self.selected.path.name}")

    def _bar(self, ui: Ui, box: Box) -> None:
        wide = segments_width(ui.pen, WHO)
        before = self.who, self.order
        self.who = segments(ui, "who", Box(box.left, box.top, wide, box.height), WHO, self.who)
        self.rules.draw(ui, Box(box.left + wide + 12, box.centery - SEGMENT // 2, 190, SEGMENT), self.chosen_rules)
        self.order = segments(ui, "order", box, ORDERS, self.order)
        left = box.right - segments_width(ui.pen, ORDERS) - 12
        if left - box.left - wide - 202 > 80:
            ui.pen.text("Sort by", (left, box.centery), 14, False, DIM, align=1)
        if before != (self.who, self.order):
            self.first = 0

    def _nothing(self, pen: Pen, box: Box) -> None:
        """Say why the list is empty."""
        if self.library.heads:
            words, more = "No game fits.", "Choose All, or other rules."
        elif self.library.problem:
            words, more = "The games cannot be listed.", self.library.problem
        elif self.library.read:
            words, more = NO_GAMES, HOW
        else:
            words, more = "The games are being read.", ""
        pen.text(words, (box.centerx, box.centery - 30), 18, True, STRONG, align=0.5)
        for number, line in enumerate(pen.wrapped(more, min(440, box.width), 16)):
            pen.text(line, (box.centerx, box.centery + 4 + 24 * number), 16, False, DIM, align=0.5)

    def _heads(self, pen: Pen, box: Box) -> None:
        middle = box.top + HEADS // 2 + 2
        for words, share in COLUMNS:
            right = share >= FIGURES
            pen.text(words, (column(box, share, right), middle), 13, False, FAINT, align=float(right))
        pen.text("Ended", (box.right - 8, middle), 13, False, FAINT, align=1)

    def _row(self, ui: Ui, box: Box, head: Head) -> None:
        selected = self.selected is not None and head.path == self.selected.path
        touch = row(ui, f"game {head.path.name}", box, selected=selected)
        if touch.focused and ui.focus != self._focus:
            self.selected = head
        if touch.activated:
            self.selected = head
            if ui.now - self._clicked < DOUBLE and selected:
                self._act("replay")
            self._clicked = ui.now
        inside = Box(box.left + 8, box.top, box.width - 8, box.height)
        draw_head(ui.pen, inside, head, selected)

    def _scroll_bar(self, pen: Pen, box: Box, count: int) -> None:
        if count > self._rows:
            pen.rounded(box, 2, RAISED)
            high = max(24, box.height * self._rows // count)
            top = box.top + round((box.height - high) * self.first / (count - self._rows))
            pen.rounded(Box(box.left, top, box.width, high), 2, OUTLINE)

    def _preview(self, pen: Pen, box: Box, compact: bool) -> None:
        head = self.selected
        if head is None:
            pen.panel(box)
            return
        title = "Damaged" if head.problem else "End of the game" if head.over else "How it was left"
        inside = pen.panel(box, title)
        if head.problem:
            pen.text("This file cannot be played.", (inside.left, inside.top + 16), 16, True, STRONG)
            pen.paragraph(head.problem, (inside.left, inside.top + 44), inside.width, 14, TEXT, most=12)
            return
        self.library.want(head.path)
        facts = facts_of(head)
        if compact:
            board = Box(inside.left, inside.top, 90, inside.height)
            beside = Box(board.right + 24, inside.top - 4, 240, inside.height)
        else:
            board = Box(inside.left, inside.top + 4, inside.width, inside.height - 28 * len(facts) - 20)
            beside = Box(inside.left, inside.bottom - 28 * len(facts) + 8, inside.width, 28 * len(facts))
        self._end(pen, board, head, 0.0 if compact else 0.5)
        high = 28 if not compact else 26
        for number, (label, value) in enumerate(facts[: 5 if compact else None]):
            place = Box(beside.left, beside.top + high * number, beside.width, high)
            pen.row(place, label, pen.cut(value, place.width - 80, 16, True))

    def _end(self, pen: Pen, box: Box, head: Head, align: float) -> None:
        stack = self.library.ends.get(head.path)
        height = head.rules.height if head.rules else 20
        fitted = pen.fitted(box, height, align)
        known = stack if isinstance(stack, Stack) else Stack(height=height)
        draw_board(pen.surface, pen.point(fitted.box.topleft), fitted.cell, known, out=head.over, look=pen.look)
        if isinstance(stack, str):
            pen.paragraph(stack, (box.left, box.top + 12), box.width, 14, BAD)

    def _footer(self, ui: Ui, room: Room) -> str:
        buttons = [
            Action("replay", "Play", "Enter", "play", True, self.usable),
            Action("review", "Review", "V", enabled=self.usable),
            Action("page", "Save page", "S", enabled=self.usable),
            Action("delete", "Delete", "Del", enabled=self.selected is not None),
        ]
        used, end = actions(ui, room.footer, buttons)
        rest = Box(end + 12, room.footer.top, room.footer.right - end - 12, room.footer.height)
        keys = [(["↑", "↓"], "Choose"), (["Tab"], "Next control")]
        if rest.width > 120:
            legend(ui, rest, keys, align=1)
        return used

    def _ask(self, ui: Ui, box: Box) -> None:
        head = self.selected
        if head is None:
            self.asking = False
            return
        lines = [head.path.name if head.problem else told(head), "It cannot be brought back."]
        used = overlay(ui, box, "Delete this game?", lines, [("Keep it", ""), ("Delete", "")], 400)
        if used == "Delete":
            self._delete(head)
        if used or ui.pressed("Esc"):
            self.asking = False


def ranking(head: Head, order: str) -> tuple[float, datetime]:
    """What games are sorted by, the greatest first; damaged ones come last but by date."""
    number = {"Score": head.score, "Lines": head.lines}.get(order, 0)
    return (-1 if head.problem and order != ORDERS[0] else number), head.date


def column(box: Box, share: float, right: bool) -> int:
    """Where a column of the list begins, or ends."""
    return box.left + round(share * box.width) + (36 if right else 0)


def draw_head(pen: Pen, box: Box, head: Head, selected: bool) -> None:
    """Write what is known of a game into its row."""
    middle, ink = box.centery, STRONG if selected else TEXT
    pen.text(date_words(head.date), (box.right - 8, middle), 14, False, DIM, align=1)
    if head.problem or head.rules is None:
        pen.text(pen.cut(head.path.name, 0.3 * box.width, 14), (box.left, middle), 14, False, DIM)
        left = box.left + round(0.32 * box.width)
        pen.text(pen.cut(f"Damaged: {head.problem}", box.right - 130 - left, 14), (left, middle), 14, False, BAD)
        return
    if head.mine:
        pen.disc((box.left + 4, middle), 4, ACCENT)
    name = pen.cut(head.player, 0.25 * box.width - 16, 16, True)
    pen.text(name, (box.left + (16 if head.mine else 0), middle), 16, True, ink)
    pen.text(pen.cut(head.rules_told, 0.24 * box.width), (column(box, COLUMNS[1][1], False), middle), 16, False, ink)
    figures = (f"{head.score:,}", f"{head.lines:,}", f"{head.pieces:,}", length_words(head))
    for (_, share), figure in zip(COLUMNS[2:], figures, strict=True):
        pen.text(figure, (column(box, share, True), middle), 16, share == FIGURES, ink, align=1)


def facts_of(head: Head) -> list[tuple[str, str]]:
    """What stands below the preview."""
    return [
        ("Player", head.player),
        ("Score", f"{head.score:,}"),
        ("Lines", f"{head.lines:,}"),
        ("Pieces", f"{head.pieces:,}"),
        ("Length", length_words(head)),
        ("Seed", f"{head.seed}"),
    ]


def length_words(head: Head) -> str:
    """How long a game lasted."""
    return "–" if head.seconds is None else clock(head.seconds)


def date_words(date: datetime) -> str:
    """When a game ended."""
    now = datetime.now()
    if date.date() == now.date():
        return f"Today {date:%H:%M}"
    return f"{date.day} {date:%b %H:%M}" if date.year == now.year else f"{date.day} {date:%b %Y}"


def told(head: Head) -> str:
    """A game in a line."""
    return f"{head.player}, {counted(head.score, 'point')}, {counted(head.lines, 'line')}, {date_words(head.date)}."
