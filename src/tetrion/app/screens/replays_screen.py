"""Replays screen: list of saved games to play, review, save as web pages, or delete."""

from datetime import datetime

from tetrion.app.picker_options import format_rules
from tetrion.app.replays.replay_library import FinalBoard, ReplayLibrary, ReplayPageWriter, ReplaySummary
from tetrion.app.screen import Screen
from tetrion.app.toolkit.controls import (
    ButtonSpec,
    compute_segments_width,
    draw_buttons,
    draw_segments,
    draw_selectable_row,
    draw_shortened_text,
)
from tetrion.app.toolkit.frame import Chip, Frame, draw_frame, draw_key_legend, draw_overlay
from tetrion.app.toolkit.picker import PickerOption, draw_picker
from tetrion.app.toolkit.scrolling import draw_scroll_bar, read_row_steps, scroll_by_wheel, scroll_to_row
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.layout import Box, Part, flexible, inset, list_rows, place, split_column, split_row
from tetrion.drawing.palette import ACCENT, DIM_TEXT, FAINT_TEXT, NEGATIVE, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import Pen
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_duration
from tetrion.stack import Stack

_PLAYER_FILTERS = ("All", "You", "Agents")
_SORT_ORDERS = ("Newest", "Score", "Lines")
_ALL_RULES = "All rules"
_KEYS = [(["↑", "↓"], "Choose"), (["Tab"], "Next control")]
_COLUMNS = {  # width and alignment
    "Player": (flexible(), 0),
    "Rules": (flexible(), 0),
    "Score": (84, 1),
    "Lines": (56, 1),
    "Pieces": (64, 1),
    "Duration": (64, 1),
    "Ended": (104, 1),
}
_ROW_HEIGHT = 40
_PREVIEW_ROW_HEIGHT = 28
_DOUBLE_CLICK_SECONDS = 0.4
_NO_GAMES_TEXT = "Games are saved here, yours and those of agents. You can also drop a replay file onto the window."


class ReplaysScreen(Screen):
    """Screen with the list of saved games and the final board of the selected game."""

    title = "Replays"

    def __init__(self, window: Window) -> None:
        super().__init__(window)
        self.library = ReplayLibrary()
        self.final_board: FinalBoard | None = None  # of the game that is or was selected
        self.player_filter = 0
        self.sort_order = 0
        self.chosen_rules = _ALL_RULES
        self.shown_games: list[ReplaySummary] = []  # that match the filters, in the chosen order
        self.selected: ReplaySummary | None = None
        self.first_row = 0
        self.visible_rows = 1
        self.is_confirming_delete = False
        self._last_click = 0.0
        self._last_focus = ""

    def on_return(self) -> None:
        """Reload the list, which may have changed."""
        self.library.stop()
        self.library = ReplayLibrary(self.library.summaries)

    def on_leave(self) -> None:
        """Stop loading."""
        self.library.stop()
        if self.final_board:
            self.final_board.stop()

    @property
    def is_moving(self) -> bool:
        """Whether the list or a final position is being loaded."""
        return not self.library.is_done or (self.final_board is not None and not self.final_board.is_done)

    @property
    def is_playable(self) -> bool:
        """Whether the selected game can be played."""
        return self.selected is not None and not self.selected.problem

    # List and actions

    def _list_games(self) -> list[ReplaySummary]:
        """Return the games that match the filters, in the chosen order; damaged ones last unless by date."""
        order = _SORT_ORDERS[self.sort_order]

        def get_sort_key(summary: ReplaySummary) -> tuple[int, datetime]:
            number = {"Score": summary.score, "Lines": summary.lines}.get(order, 0)
            return (-1 if summary.problem and order != "Newest" else number), summary.date

        matching = [
            summary
            for summary in list(self.library.summaries)
            if self.chosen_rules in (_ALL_RULES, summary.rules.name if summary.rules else "")
            and (self.player_filter == 0 or summary.is_human == (self.player_filter == 1))
        ]
        return sorted(matching, key=get_sort_key, reverse=True)

    def _list_rules_options(self) -> list[PickerOption]:
        names = {summary.rules.name for summary in self.library.summaries if summary.rules}
        return [PickerOption(name) for name in (_ALL_RULES, *sorted(names))]

    @property
    def _selected_index(self) -> int:
        paths = [summary.path for summary in self.shown_games]
        return paths.index(self.selected.path) if self.selected and self.selected.path in paths else 0

    def _select(self, ui: Ui, index: int) -> None:
        index = max(0, min(len(self.shown_games) - 1, index))
        self.selected = self.shown_games[index]
        self.first_row = scroll_to_row(self.first_row, self.visible_rows, index)
        ui.request_focus(f"game {self.selected.path.name}")

    def _run_action(self, action: str) -> None:
        if action == "delete" and self.selected:
            self.is_confirming_delete = True
        elif action and self.is_playable and self.selected:
            file = str(self.selected.path)
            if action == "page":
                ReplayPageWriter(file, None, self.window.show_message)
            else:
                self._open_screen(action, file)

    def _open_screen(self, screen: str, file: str) -> None:
        self.window.sound.play("choose")
        self.window.open_screen_by_name(screen, file=file)

    def _delete(self, summary: ReplaySummary) -> None:
        try:
            summary.path.unlink(missing_ok=True)
        except OSError as error:
            self.window.show_message(f"The game cannot be deleted: {error.strerror}.")
            return
        index = self._selected_index
        self.library.remove(summary.path)
        self.shown_games = self._list_games()
        self.selected = self.shown_games[min(index, len(self.shown_games) - 1)] if self.shown_games else None

    def _handle_input(self, ui: Ui) -> None:
        """Handle list keys, the mouse wheel and dropped files."""
        for step in read_row_steps(ui, self.visible_rows):
            if self.shown_games:
                self._select(ui, self._selected_index + step)
        self.first_row = scroll_by_wheel(ui, self.first_row, self.visible_rows, len(self.shown_games))
        if ui.files:
            self._open_screen("replay", ui.files[-1])

    # Drawing

    def draw(self, ui: Ui) -> None:
        """Draw the list and a preview of the selected game."""
        self.shown_games = self._list_games()
        count = len(self.library.summaries)
        frame = draw_frame(ui, self.title, [Chip(format_count(count, "game") if count else "")])
        list_box, preview = frame.content, Box(0, 0, 0, 0)
        if self.shown_games and frame.is_wide:
            list_box, preview = split_row(frame.content, [flexible(), 320], frame.gap)
        elif self.shown_games:
            list_box, preview = split_column(frame.content, [flexible(), 190], frame.gap)
        self._draw_list(ui, list_box)
        if self.selected:
            self._draw_preview(ui.pen, preview, self.selected, is_wide=frame.is_wide)
        action = self._draw_footer(ui, frame)
        if self.is_confirming_delete:
            self._draw_delete_question(ui, frame.content)
        else:
            self._handle_input(ui)
            self._run_action(action)
        if frame.is_closed and self.window.screen is self:
            self.window.close_screen()

    def _draw_list(self, ui: Ui, box: Box) -> None:
        ui.pen.draw_panel(box)
        bar, head, rows_box, _ = split_column(inset(box, 16, 0), [60, 28, flexible(), 8])
        self._draw_filter_bar(ui, bar)
        ui.pen.draw_separator(bar.left, bar.bottom, bar.width)
        games, row_boxes = self.shown_games, list_rows(rows_box, _ROW_HEIGHT)
        self.visible_rows = max(1, len(row_boxes))
        if not games:
            self._draw_empty_list(ui.pen, rows_box)
            self.selected = None
            return
        if self.selected is None or self.selected.path not in {summary.path for summary in games}:
            self.selected = games[0]
            self.first_row = 0
        self.first_row = max(0, min(self.first_row, len(games) - self.visible_rows))
        for label, cell in split_columns(head).items():
            align = _COLUMNS[label][1]
            ui.pen.draw_text(label, (cell.left + align * cell.width, cell.centery), 13, False, FAINT_TEXT, align=align)
        shown = games[self.first_row : self.first_row + self.visible_rows]
        for summary, row in zip(shown, row_boxes, strict=False):
            self._draw_row(ui, row, summary)
        bar_box = Box(box.right - 10, rows_box.top, 4, _ROW_HEIGHT * len(row_boxes))
        draw_scroll_bar(ui.pen, bar_box, self.first_row, self.visible_rows, len(games))
        self._last_focus = ui.focus
        if not ui.focus and self.selected in shown:
            ui.request_focus(f"game {self.selected.path.name}")

    def _draw_filter_bar(self, ui: Ui, box: Box) -> None:
        before = self.player_filter, self.sort_order, self.chosen_rules
        players_width, orders_width = (
            compute_segments_width(ui.pen, labels) for labels in (_PLAYER_FILTERS, _SORT_ORDERS)
        )
        label_width = Part(ui.pen.measure_text("Sort by", 14), rank=1)
        players, rules, _, label, orders = split_row(
            box, [players_width, Part(190, minimum=120), flexible(), label_width, orders_width], 12
        )
        self.player_filter = draw_segments(ui, "player filter", players, _PLAYER_FILTERS, self.player_filter)
        self.chosen_rules = draw_picker(
            ui, "rules", place(rules, rules.width, 36), self.chosen_rules, self._list_rules_options
        )
        self.sort_order = draw_segments(ui, "order", orders, _SORT_ORDERS, self.sort_order)
        if label:
            ui.pen.draw_text("Sort by", label.midleft, 14, False, DIM_TEXT)
        if before != (self.player_filter, self.sort_order, self.chosen_rules):
            self.first_row = 0

    def _draw_empty_list(self, pen: Pen, box: Box) -> None:
        """Draw the reason why the list is empty."""
        if self.library.summaries:
            title, text = "No matching games.", "Choose All, or other rules."
        elif self.library.problem:
            title, text = "The games cannot be listed.", self.library.problem
        elif self.library.is_done:
            title, text = "No games yet.", _NO_GAMES_TEXT
        else:
            title, text = "Loading games…", ""
        pen.draw_text(title, (box.centerx, box.centery - 30), 18, True, STRONG_TEXT, align=0.5)
        pen.draw_paragraph(text, (box.centerx, box.centery + 4), min(440, box.width), 16, align=0.5)

    def _draw_row(self, ui: Ui, box: Box, summary: ReplaySummary) -> None:
        is_selected = self.selected is not None and summary.path == self.selected.path
        name = f"game {summary.path.name}"
        row = Box(box.left - 8, box.top, box.width + 16, box.height - 2)
        control = draw_selectable_row(ui, name, row, is_selected=is_selected, group="games")
        if control.is_focused and ui.focus != self._last_focus:
            self.selected = summary
        if control.is_activated:
            self.selected = summary
            if ui.is_keyboard_used or (ui.time - self._last_click < _DOUBLE_CLICK_SECONDS and is_selected):
                self._run_action("replay")
            self._last_click = ui.time
        draw_game_row(ui, Box(box.left, row.top, box.width, row.height), summary, is_selected=is_selected)

    def _draw_preview(self, pen: Pen, box: Box, summary: ReplaySummary, *, is_wide: bool) -> None:
        """Draw the final board of a game, which is loaded in the background, and its result."""
        title = "Damaged" if summary.problem else "Final position" if summary.is_over else "Last position"
        inside = pen.draw_panel(box, title)
        if summary.problem:
            pen.draw_text("This file cannot be played.", (inside.left, inside.top + 8), 16, True, STRONG_TEXT)
            position = (inside.left, inside.top + 36)
            pen.draw_paragraph(summary.problem, position, inside.width, 14, NORMAL_TEXT, max_lines=12)
            return
        rows = {label: text for label, text in list_texts(summary).items() if label != "Ended"}
        if is_wide:
            board, texts = split_column(inside, [flexible(), _PREVIEW_ROW_HEIGHT * len(rows)], 12)
            boxes = list_rows(texts, _PREVIEW_ROW_HEIGHT)
        else:
            board, *columns = split_row(inside, [90, flexible(), flexible()], 28)
            boxes = [row for column in columns for row in list_rows(column, _PREVIEW_ROW_HEIGHT)]
        self._draw_final_board(pen, board, summary)
        for (label, text), row in zip(rows.items(), boxes, strict=False):
            pen.draw_row(row, label, pen.truncate_text(text, row.width - 80, 16, True))

    def _draw_final_board(self, pen: Pen, box: Box, summary: ReplaySummary) -> None:
        """Draw the board at the end of a game; while it is loaded, and if that fails, an empty one."""
        if self.final_board is None or (self.final_board.path != summary.path and self.final_board.is_done):
            self.final_board = FinalBoard(summary.path)
        final = self.final_board
        if final.path != summary.path:  # at most one board is loaded at a time
            final.stop()
        stack = final.stack if final.path == summary.path else None
        height = summary.rules.height if summary.rules else 20
        fitted = pen.fit_board(box, height)
        origin = pen.to_pixel_point(fitted.box.topleft)
        stack = stack or Stack(height=height)
        draw_board(pen.surface, origin, fitted.cell_size, stack, is_over=summary.is_over, style=pen.style)
        if final.path == summary.path and final.problem:
            pen.draw_paragraph(final.problem, (box.left, box.top + 12), box.width, 14, NEGATIVE)

    def _draw_footer(self, ui: Ui, frame: Frame) -> str:
        is_playable = self.is_playable and not self.is_confirming_delete
        can_delete = self.selected is not None and not self.is_confirming_delete
        buttons = [
            ButtonSpec("replay", "Play", "Enter", "play", True, is_playable),
            ButtonSpec("review", "Review", "V", is_enabled=is_playable),
            ButtonSpec("page", "Save web page", "S", is_enabled=is_playable),
            ButtonSpec("delete", "Delete", "Del", is_enabled=can_delete),
        ]
        action, rest = draw_buttons(ui, frame.footer, buttons)
        draw_key_legend(ui, rest, _KEYS if frame.is_wide else _KEYS[:1], align=1)
        return action

    def _draw_delete_question(self, ui: Ui, box: Box) -> None:
        if (summary := self.selected) is None:
            self.is_confirming_delete = False
            return
        lines = [summary.path.name if summary.problem else describe_game(summary), "This cannot be undone."]
        answer = draw_overlay(ui, box, "Delete this game?", lines, [("Cancel", "Esc"), ("Delete", "")], width=400)
        if answer == "Delete":
            self._delete(summary)
        self.is_confirming_delete = not answer


def split_columns(box: Box) -> dict[str, Box]:
    """Return the boxes of the columns of a row of the list, by name."""
    boxes = split_row(box, [width for width, _ in _COLUMNS.values()], 12)
    return dict(zip(_COLUMNS, boxes, strict=True))


def draw_game_row(ui: Ui, box: Box, summary: ReplaySummary, *, is_selected: bool) -> None:
    """Draw the columns of a game."""
    cells = split_columns(box)
    if summary.problem:
        cells["Rules"].width = cells["Duration"].right - cells["Rules"].left
    if summary.is_human:
        ui.pen.draw_disc((box.left + 4, box.centery), 4, ACCENT)
    cells["Player"] = inset(cells["Player"], 8, 0).move(8, 0)
    for label, text in list_texts(summary).items():
        if label in cells:
            cell, align = cells[label], _COLUMNS[label][1]
            colour = DIM_TEXT if label == "Ended" else STRONG_TEXT if is_selected else NORMAL_TEXT
            draw_shortened_text(
                ui,
                text,
                (cell.left + align * cell.width, cell.centery),
                cell.width,
                size=14 if label == "Ended" else 16,
                semibold=label in ("Player", "Score"),
                colour=NEGATIVE if summary.problem and label == "Rules" else colour,
                align=align,
            )


def list_texts(summary: ReplaySummary) -> dict[str, str]:
    """Return what the list and the preview show of a game, by label; of a damaged one, its file and the problem."""
    ended = {"Ended": format_date(summary.date)}
    if summary.rules is None:
        return {"Player": summary.path.name, "Rules": f"Damaged: {summary.problem}", **ended}
    return {
        "Player": summary.player,
        "Rules": format_rules(summary.rules).replace(" rules", ""),
        "Score": f"{summary.score:,}",
        "Lines": f"{summary.lines:,}",
        "Pieces": f"{summary.pieces:,}",
        "Duration": NO_VALUE if summary.seconds is None else format_duration(summary.seconds),
        "Seed": f"{summary.seed}",
        **ended,
    }


def format_date(date: datetime) -> str:
    """Format the date when a game ended."""
    now = datetime.now()
    if date.date() == now.date():
        return f"Today {date:%H:%M}"
    return f"{date.day} {date:%b %H:%M}" if date.year == now.year else f"{date.day} {date:%b %Y}"


def describe_game(summary: ReplaySummary) -> str:
    """Describe a game in one line."""
    score, lines = format_count(summary.score, "point"), format_count(summary.lines, "line")
    return f"{summary.player}, {score}, {lines}, ended {format_date(summary.date).replace('Today', 'today')}."
