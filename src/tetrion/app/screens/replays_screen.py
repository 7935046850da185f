"""Replays: every game that was kept, to be played, reviewed, given away as a page, or deleted."""

from datetime import datetime
from pathlib import Path

import pygame

from tetrion.app.replays.replay_library import ReplayLibrary, ReplaySummary
from tetrion.app.replays.replay_loading import ReplayPageWriter
from tetrion.app.screen import Screen
from tetrion.app.toolkit.controls import SEGMENT_HEIGHT, compute_segments_width, draw_segments, draw_selectable_row
from tetrion.app.toolkit.header_footer import (
    FooterButton,
    ScreenArea,
    draw_footer_buttons,
    draw_header_footer,
    draw_key_legend,
    draw_overlay,
)
from tetrion.app.toolkit.picker import Picker, PickerOption
from tetrion.app.toolkit.ui import ENTER_KEYS, Ui
from tetrion.app.window import Window
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.palette import (
    ACCENT,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    NEGATIVE,
    NORMAL_TEXT,
    RAISED_PANEL,
    STRONG_TEXT,
)
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.drawing.stack import Stack
from tetrion.evaluation.number_format import format_count, format_duration

_PLAYER_FILTERS = ("All", "You", "Agents")
_ALL_PLAYERS = 0
_OWN_GAMES = 1
_SORT_ORDERS = ("Newest", "Score", "Lines")
_ALL_RULES = "All rules"
# heights
_ROW_HEIGHT = 40
_HEADER_HEIGHT = 28
_FILTER_BAR_HEIGHT = 60
# how wide the preview is, and how high where it lies below the list
_PREVIEW_WIDTH = 336
_NARROW_PREVIEW_WIDTH = 260
_PREVIEW_STRIP_HEIGHT = 190
_LIST_COLUMNS = (("Player", 0.0), ("Rules", 0.27), ("Score", 0.51), ("Lines", 0.61), ("Pieces", 0.71), ("Length", 0.79))
_FIRST_NUMBER_COLUMN = 0.51  # from where on columns hold numbers
_DOUBLE_CLICK_SECONDS = 0.4  # seconds between two clicks that are one
_ROWS_PER_WHEEL_STEP = 3  # rows
_ARROW_STEPS = {pygame.K_UP: -1, pygame.K_DOWN: 1}
_NO_GAMES_TITLE = "No games yet."
_NO_GAMES_TEXT = (
    "Every game that ends is kept here, yours and those of agents. A replay file can be dropped onto the window."
)


class ReplaysScreen(Screen):
    """The list of the games that were kept, and the end of the one that is selected."""

    title = "Replays"

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.library = ReplayLibrary()
        self.rules_picker = Picker("rules")
        self.player_filter = _ALL_PLAYERS
        self.sort_order = 0
        self.chosen_rules = _ALL_RULES
        self.selected: ReplaySummary | None = None
        self.first_row = 0
        self.is_confirming_delete = False
        self._shown_games: list[ReplaySummary] = []
        self._indices: dict[Path, int] = {}
        self._shown_games_key: tuple[object, ...] = ()
        self._visible_rows = 1
        self._last_click = 0.0
        self._last_focus = ""

    def on_return(self) -> None:
        """Look for games that have come meanwhile."""
        self.library.refresh()

    def on_leave(self) -> None:
        """Read no more."""
        self.library.stop()

    def handle_event(self, event: pygame.event.Event) -> bool:
        """Let Enter use what has the focus, rather than play, where that is no game."""
        elsewhere = self.window.ui.focus and not self.window.ui.focus.startswith("game ")
        enters = event.type == pygame.KEYDOWN and event.key in ENTER_KEYS
        if enters and elsewhere and not self.rules_picker.is_open and not self.is_confirming_delete:
            pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=pygame.K_SPACE, mod=0, unicode=" "))
            return True
        return False

    # What is shown.

    @property
    def shown_games(self) -> list[ReplaySummary]:
        """The games that fit what is chosen, in order."""
        heads = self.library.summaries
        asked = (id(heads), len(heads), self.player_filter, self.sort_order, self.chosen_rules)
        if asked != self._shown_games_key:
            fitting = [head for head in list(heads) if self._matches_filters(head)]
            self._shown_games = sorted(
                fitting, key=lambda head: make_sort_key(head, _SORT_ORDERS[self.sort_order]), reverse=True
            )
            self._indices = {head.path: place for place, head in enumerate(self._shown_games)}
            self._shown_games_key = asked
        return self._shown_games

    def _matches_filters(self, head: ReplaySummary) -> bool:
        named = self.chosen_rules in (_ALL_RULES, head.rules.name if head.rules else "")
        return named and (self.player_filter == _ALL_PLAYERS or head.is_human == (self.player_filter == _OWN_GAMES))

    @property
    def selected_index(self) -> int:
        """Which of those that are shown is selected."""
        return self._indices.get(self.selected.path, 0) if self.selected and self.shown_games else 0

    @property
    def is_playable(self) -> bool:
        """Whether the selected game can be played."""
        return self.selected is not None and not self.selected.problem

    # What is done.

    def _select(self, ui: Ui, place: int) -> None:
        shown = self.shown_games
        place = max(0, min(len(shown) - 1, place))
        self.selected = shown[place]
        self.first_row = max(place - self._visible_rows + 1, min(self.first_row, place))
        ui.request_focus(f"game {self.selected.path.name}")

    def _open_screen(self, screen: str, **options: object) -> None:
        self.window.sound.play("choose")
        self.window.open_screen_by_name(screen, **options)

    def _run_action(self, action: str) -> None:
        if action == "delete" and self.selected:
            self.is_confirming_delete = True
        elif action and self.is_playable and self.selected:
            file = str(self.selected.path)
            if action == "page":
                self.window.show_message("The page is being written.")
                ReplayPageWriter(file, None, self.window.show_message)
            else:
                self._open_screen(action, file=file)

    def _delete(self, head: ReplaySummary) -> None:
        place = self.selected_index
        try:
            head.path.unlink(missing_ok=True)
        except OSError as problem:
            self.window.show_message(f"The game cannot be deleted: {problem.strerror}.")
            return
        self.library.remove(head.path)
        self.selected = self.shown_games[min(place, len(self.shown_games) - 1)] if self.shown_games else None

    def _handle_input(self, ui: Ui) -> None:
        """Let keys and the wheel move through the list, and dropped files open."""
        jumps = {pygame.K_PAGEUP: -self._visible_rows, pygame.K_PAGEDOWN: self._visible_rows, pygame.K_HOME: -(10**9)}
        for event in ui.keys:
            step = (_ARROW_STEPS | jumps | {pygame.K_END: 10**9}).get(event.key, 0)
            if step and self.shown_games:
                self._select(ui, self.selected_index + step)
        self.first_row = max(
            0, min(len(self.shown_games) - self._visible_rows, self.first_row - _ROWS_PER_WHEEL_STEP * ui.wheel)
        )
        if ui.files:
            self._open_screen("replay", file=ui.files[-1])

    # Drawing.

    def draw(self, ui: Ui) -> None:
        """Draw the list, and beside or below it the end of the selected game."""
        room, leave = draw_header_footer(ui, self.title, [self._format_count()])
        content, gap = room.content, room.gap
        if room.is_compact:
            below = Box(content.left, content.bottom - _PREVIEW_STRIP_HEIGHT, content.width, _PREVIEW_STRIP_HEIGHT)
            listed = Box(content.left, content.top, content.width, content.height - _PREVIEW_STRIP_HEIGHT - gap)
        else:
            wide = _PREVIEW_WIDTH if room.layout_size == "wide" else _NARROW_PREVIEW_WIDTH
            below = Box(content.right - wide, content.top, wide, content.height)
            listed = Box(content.left, content.top, content.width - wide - gap, content.height)
        self._draw_list(ui, listed)
        self._draw_preview(ui.pen, below, room.is_compact)
        used = self._draw_footer(ui, room)
        if not self.is_confirming_delete and not self.rules_picker.is_open:
            self._handle_input(ui)
            self._run_action(used)
        if picked := self.rules_picker.draw_list(ui, self._make_rules_options):
            self.chosen_rules = picked
            self.first_row = 0
        if self.is_confirming_delete:
            self._draw_delete_question(ui, listed)
        if leave and self.window.screen is self:
            self.window.close_screen()

    def _format_count(self) -> str:
        count = len(self.library.summaries)
        return format_count(count, "game") if count else ""

    def _make_rules_options(self) -> list[PickerOption]:
        names = sorted({head.rules.name for head in self.library.summaries if head.rules})
        return [PickerOption(_ALL_RULES), *map(PickerOption, names)]

    def _draw_list(self, ui: Ui, box: Box) -> None:
        pen = ui.pen
        pen.draw_panel(box)
        self._draw_filter_bar(
            ui, Box(box.left + PANEL_PADDING, box.top, box.width - 2 * PANEL_PADDING, _FILTER_BAR_HEIGHT)
        )
        pen.draw_separator(box.left + PANEL_PADDING, box.top + _FILTER_BAR_HEIGHT, box.width - 2 * PANEL_PADDING)
        inside = Box(
            box.left + PANEL_PADDING,
            box.top + _FILTER_BAR_HEIGHT,
            box.width - 2 * PANEL_PADDING,
            box.height - _FILTER_BAR_HEIGHT - 8,
        )
        shown = self.shown_games
        self._visible_rows = max(1, (inside.height - _HEADER_HEIGHT) // _ROW_HEIGHT)
        if not shown:
            self._draw_empty_list(pen, inside)
            self.selected = None
            return
        if self.selected is None or self.selected.path not in self._indices:
            self.selected = shown[0]
            self.first_row = 0
        self.first_row = max(0, min(self.first_row, len(shown) - self._visible_rows))
        self._draw_column_headers(pen, inside)
        for number, head in enumerate(shown[self.first_row : self.first_row + self._visible_rows]):
            self._draw_row(
                ui,
                Box(
                    inside.left - 8,
                    inside.top + _HEADER_HEIGHT + _ROW_HEIGHT * number,
                    inside.width + 8,
                    _ROW_HEIGHT - 2,
                ),
                head,
            )
        self._draw_scroll_bar(
            pen, Box(box.right - 10, inside.top + _HEADER_HEIGHT, 4, _ROW_HEIGHT * self._visible_rows - 2), len(shown)
        )
        self._last_focus = ui.focus
        if not ui.focus and self.selected in shown[self.first_row : self.first_row + self._visible_rows]:
            ui.request_focus(f"game {self.selected.path.name}")

    def _draw_filter_bar(self, ui: Ui, box: Box) -> None:
        wide = compute_segments_width(ui.pen, _PLAYER_FILTERS)
        before = self.player_filter, self.sort_order
        self.player_filter = draw_segments(
            ui, "who", Box(box.left, box.top, wide, box.height), _PLAYER_FILTERS, self.player_filter
        )
        self.rules_picker.draw(
            ui, Box(box.left + wide + 12, box.centery - SEGMENT_HEIGHT // 2, 190, SEGMENT_HEIGHT), self.chosen_rules
        )
        self.sort_order = draw_segments(ui, "order", box, _SORT_ORDERS, self.sort_order)
        left = box.right - compute_segments_width(ui.pen, _SORT_ORDERS) - 12
        if left - box.left - wide - 202 > 80:
            ui.pen.draw_text("Sort by", (left, box.centery), 14, False, DIM_TEXT, align=1)
        if before != (self.player_filter, self.sort_order):
            self.first_row = 0

    def _draw_empty_list(self, pen: Pen, box: Box) -> None:
        """Say why the list is empty."""
        if self.library.summaries:
            words, more = "No game fits.", "Choose All, or other rules."
        elif self.library.problem:
            words, more = "The games cannot be listed.", self.library.problem
        elif self.library.is_loaded:
            words, more = _NO_GAMES_TITLE, _NO_GAMES_TEXT
        else:
            words, more = "The games are being read.", ""
        pen.draw_text(words, (box.centerx, box.centery - 30), 18, True, STRONG_TEXT, align=0.5)
        for number, line in enumerate(pen.wrap_text(more, min(440, box.width), 16)):
            pen.draw_text(line, (box.centerx, box.centery + 4 + 24 * number), 16, False, DIM_TEXT, align=0.5)

    def _draw_column_headers(self, pen: Pen, box: Box) -> None:
        middle = box.top + _HEADER_HEIGHT // 2 + 2
        for words, share in _LIST_COLUMNS:
            right = share >= _FIRST_NUMBER_COLUMN
            pen.draw_text(
                words, (compute_column_x(box, share, right), middle), 13, False, FAINT_TEXT, align=float(right)
            )
        pen.draw_text("Ended", (box.right - 8, middle), 13, False, FAINT_TEXT, align=1)

    def _draw_row(self, ui: Ui, box: Box, head: ReplaySummary) -> None:
        selected = self.selected is not None and head.path == self.selected.path
        touch = draw_selectable_row(ui, f"game {head.path.name}", box, is_selected=selected)
        if touch.is_focused and ui.focus != self._last_focus:
            self.selected = head
        if touch.is_activated:
            self.selected = head
            if ui.time - self._last_click < _DOUBLE_CLICK_SECONDS and selected:
                self._run_action("replay")
            self._last_click = ui.time
        inside = Box(box.left + 8, box.top, box.width - 8, box.height)
        draw_game_row(ui.pen, inside, head, selected)

    def _draw_scroll_bar(self, pen: Pen, box: Box, count: int) -> None:
        if count > self._visible_rows:
            pen.fill_rounded(box, 2, RAISED_PANEL)
            high = max(24, box.height * self._visible_rows // count)
            top = box.top + round((box.height - high) * self.first_row / (count - self._visible_rows))
            pen.fill_rounded(Box(box.left, top, box.width, high), 2, BOARD_OUTLINE)

    def _draw_preview(self, pen: Pen, box: Box, compact: bool) -> None:
        head = self.selected
        if head is None:
            pen.draw_panel(box)
            return
        title = "Damaged" if head.problem else "End of the game" if head.is_over else "How it was left"
        inside = pen.draw_panel(box, title)
        if head.problem:
            pen.draw_text("This file cannot be played.", (inside.left, inside.top + 16), 16, True, STRONG_TEXT)
            pen.draw_paragraph(
                head.problem, (inside.left, inside.top + 44), inside.width, 14, NORMAL_TEXT, max_lines=12
            )
            return
        self.library.request_final_stack(head.path)
        facts = make_preview_rows(head)
        if compact:
            board = Box(inside.left, inside.top, 90, inside.height)
            beside = Box(board.right + 24, inside.top - 4, 240, inside.height)
        else:
            board = Box(inside.left, inside.top + 4, inside.width, inside.height - 28 * len(facts) - 20)
            beside = Box(inside.left, inside.bottom - 28 * len(facts) + 8, inside.width, 28 * len(facts))
        self._draw_final_board(pen, board, head, 0.0 if compact else 0.5)
        high = 28 if not compact else 26
        for number, (label, value) in enumerate(facts[: 5 if compact else None]):
            place = Box(beside.left, beside.top + high * number, beside.width, high)
            pen.draw_row(place, label, pen.truncate_text(value, place.width - 80, 16, True))

    def _draw_final_board(self, pen: Pen, box: Box, head: ReplaySummary, align: float) -> None:
        stack = self.library.final_stacks.get(head.path)
        height = head.rules.height if head.rules else 20
        fitted = pen.fit_board(box, height, align)
        known = stack if isinstance(stack, Stack) else Stack(height=height)
        draw_board(
            pen.surface,
            pen.to_pixel_point(fitted.box.topleft),
            fitted.cell_size,
            known,
            is_over=head.is_over,
            style=pen.style,
        )
        if isinstance(stack, str):
            pen.draw_paragraph(stack, (box.left, box.top + 12), box.width, 14, NEGATIVE)

    def _draw_footer(self, ui: Ui, room: ScreenArea) -> str:
        buttons = [
            FooterButton("replay", "Play", "Enter", "play", True, self.is_playable),
            FooterButton("review", "Review", "V", is_enabled=self.is_playable),
            FooterButton("page", "Save page", "S", is_enabled=self.is_playable),
            FooterButton("delete", "Delete", "Del", is_enabled=self.selected is not None),
        ]
        used, end = draw_footer_buttons(ui, room.footer, buttons)
        rest = Box(end + 12, room.footer.top, room.footer.right - end - 12, room.footer.height)
        keys = [(["↑", "↓"], "Choose"), (["Tab"], "Next control")]
        if rest.width > 120:
            draw_key_legend(ui, rest, keys, align=1)
        return used

    def _draw_delete_question(self, ui: Ui, box: Box) -> None:
        head = self.selected
        if head is None:
            self.is_confirming_delete = False
            return
        lines = [head.path.name if head.problem else describe_game(head), "It cannot be brought back."]
        used = draw_overlay(ui, box, "Delete this game?", lines, [("Keep it", ""), ("Delete", "")], 400)
        if used == "Delete":
            self._delete(head)
        if used or ui.is_key_pressed("Esc"):
            self.is_confirming_delete = False


def make_sort_key(head: ReplaySummary, order: str) -> tuple[float, datetime]:
    """What games are sorted by, the greatest first; damaged ones come last but by date."""
    number = {"Score": head.score, "Lines": head.lines}.get(order, 0)
    return (-1 if head.problem and order != _SORT_ORDERS[0] else number), head.date


def compute_column_x(box: Box, share: float, right: bool) -> int:
    """Where a column of the list begins, or ends."""
    return box.left + round(share * box.width) + (36 if right else 0)


def draw_game_row(pen: Pen, box: Box, head: ReplaySummary, selected: bool) -> None:
    """Write what is known of a game into its row."""
    middle, ink = box.centery, STRONG_TEXT if selected else NORMAL_TEXT
    pen.draw_text(format_date(head.date), (box.right - 8, middle), 14, False, DIM_TEXT, align=1)
    if head.problem or head.rules is None:
        pen.draw_text(pen.truncate_text(head.path.name, 0.3 * box.width, 14), (box.left, middle), 14, False, DIM_TEXT)
        left = box.left + round(0.32 * box.width)
        pen.draw_text(
            pen.truncate_text(f"Damaged: {head.problem}", box.right - 130 - left, 14),
            (left, middle),
            14,
            False,
            NEGATIVE,
        )
        return
    if head.is_human:
        pen.draw_disc((box.left + 4, middle), 4, ACCENT)
    name = pen.truncate_text(head.player, 0.25 * box.width - 16, 16, True)
    pen.draw_text(name, (box.left + (16 if head.is_human else 0), middle), 16, True, ink)
    pen.draw_text(
        pen.truncate_text(head.rules_text, 0.24 * box.width),
        (compute_column_x(box, _LIST_COLUMNS[1][1], False), middle),
        16,
        False,
        ink,
    )
    figures = (f"{head.score:,}", f"{head.lines:,}", f"{head.pieces:,}", format_length(head))
    for (_, share), figure in zip(_LIST_COLUMNS[2:], figures, strict=True):
        pen.draw_text(
            figure, (compute_column_x(box, share, True), middle), 16, share == _FIRST_NUMBER_COLUMN, ink, align=1
        )


def make_preview_rows(head: ReplaySummary) -> list[tuple[str, str]]:
    """What stands below the preview."""
    return [
        ("Player", head.player),
        ("Score", f"{head.score:,}"),
        ("Lines", f"{head.lines:,}"),
        ("Pieces", f"{head.pieces:,}"),
        ("Length", format_length(head)),
        ("Seed", f"{head.seed}"),
    ]


def format_length(head: ReplaySummary) -> str:
    """How long a game lasted."""
    return "–" if head.seconds is None else format_duration(head.seconds)


def format_date(date: datetime) -> str:
    """When a game ended."""
    now = datetime.now()
    if date.date() == now.date():
        return f"Today {date:%H:%M}"
    return f"{date.day} {date:%b %H:%M}" if date.year == now.year else f"{date.day} {date:%b %Y}"


def describe_game(head: ReplaySummary) -> str:
    """A game in a line."""
    return f"{head.player}, {format_count(head.score, 'point')}, {format_count(head.lines, 'line')}, {format_date(head.date)}."
