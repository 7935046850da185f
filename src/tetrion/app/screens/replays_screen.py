"""Replays screen: list of saved games to play, review, export as a page, or delete."""

from datetime import datetime
from pathlib import Path

from tetrion.app.replays.replay_library import ReplayLibrary, ReplaySummary
from tetrion.app.replays.replay_loading import ReplayPageWriter
from tetrion.app.screen import Screen
from tetrion.app.screens.replays_panels import (
    LIST_HEADER_HEIGHT,
    describe_game,
    draw_column_headers,
    draw_game_preview,
    draw_game_row,
)
from tetrion.app.toolkit.controls import (
    SEGMENT_HEIGHT,
    compute_segments_width,
    draw_segments,
    draw_selectable_row,
)
from tetrion.app.toolkit.header_footer import (
    FooterButton,
    ScreenArea,
    draw_footer_buttons,
    draw_header_footer,
    draw_key_legend,
    draw_overlay,
)
from tetrion.app.toolkit.old_picker import Picker
from tetrion.app.toolkit.picker import PickerOption
from tetrion.app.toolkit.scrolling import draw_scroll_bar, read_row_steps, scroll_by_wheel, scroll_to_row
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Window
from tetrion.drawing.palette import DIM_TEXT, STRONG_TEXT
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.evaluation.number_format import format_count

_PLAYER_FILTERS = ("All", "You", "Agents")
_ALL_PLAYERS = 0
_OWN_GAMES = 1
_SORT_ORDERS = ("Newest", "Score", "Lines")
_ALL_RULES = "All rules"
_ROW_HEIGHT = 40
_FILTER_BAR_HEIGHT = 60
_PREVIEW_WIDTH = 336
_NARROW_PREVIEW_WIDTH = 260
_PREVIEW_STRIP_HEIGHT = 190  # of the preview below the list, in the compact layout
_DOUBLE_CLICK_SECONDS = 0.4
_NO_GAMES_TITLE = "No games yet."
_NO_GAMES_TEXT = "Games are saved here, yours and those of agents. You can also drop a replay file onto the window."


class ReplaysScreen(Screen):
    """Screen with the list of saved games and the final board of the selected game."""

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
        self._drawn_state: tuple[object, ...] = ()

    def on_return(self) -> None:
        """Reload the list, which may have changed."""
        self.library.refresh()

    def on_leave(self) -> None:
        """Stop loading."""
        self.library.stop()

    @property
    def is_moving(self) -> bool:
        """Whether the list or a final position was loaded since the screen was drawn."""
        return self._drawn_state != self._make_library_state()

    def _make_library_state(self) -> tuple[object, ...]:
        """Return values that change whenever something was loaded."""
        library = self.library
        return (
            library.is_loaded,
            library.problem,
            id(library.summaries),
            len(library.summaries),
            len(library.final_stacks),
        )

    # List

    @property
    def shown_games(self) -> list[ReplaySummary]:
        """Games that match the filters, in the chosen order."""
        summaries = self.library.summaries
        key = (id(summaries), len(summaries), self.player_filter, self.sort_order, self.chosen_rules)
        if key != self._shown_games_key:
            matching = [summary for summary in list(summaries) if self._matches_filters(summary)]
            self._shown_games = sorted(
                matching, key=lambda summary: make_sort_key(summary, _SORT_ORDERS[self.sort_order]), reverse=True
            )
            self._indices = {summary.path: index for index, summary in enumerate(self._shown_games)}
            self._shown_games_key = key
        return self._shown_games

    def _matches_filters(self, summary: ReplaySummary) -> bool:
        has_rules = self.chosen_rules in (_ALL_RULES, summary.rules.name if summary.rules else "")
        return has_rules and (
            self.player_filter == _ALL_PLAYERS or summary.is_human == (self.player_filter == _OWN_GAMES)
        )

    @property
    def selected_index(self) -> int:
        """Index of the selected game in the shown list."""
        return self._indices.get(self.selected.path, 0) if self.selected and self.shown_games else 0

    @property
    def is_playable(self) -> bool:
        """Whether the selected game can be played."""
        return self.selected is not None and not self.selected.problem

    # Actions

    def _select(self, ui: Ui, index: int) -> None:
        games = self.shown_games
        index = max(0, min(len(games) - 1, index))
        self.selected = games[index]
        self.first_row = scroll_to_row(self.first_row, self._visible_rows, index)
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
                ReplayPageWriter(file, None, self.window.show_message)
            else:
                self._open_screen(action, file=file)

    def _delete(self, summary: ReplaySummary) -> None:
        index = self.selected_index
        try:
            summary.path.unlink(missing_ok=True)
        except OSError as error:
            self.window.show_message(f"The game cannot be deleted: {error.strerror}.")
            return
        self.library.remove(summary.path)
        self.selected = self.shown_games[min(index, len(self.shown_games) - 1)] if self.shown_games else None

    def _handle_input(self, ui: Ui) -> None:
        """Handle list keys, the mouse wheel and dropped files."""
        for step in read_row_steps(ui, self._visible_rows):
            if self.shown_games:
                self._select(ui, self.selected_index + step)
        self.first_row = scroll_by_wheel(ui, self.first_row, self._visible_rows, len(self.shown_games))
        if ui.files:
            self._open_screen("replay", file=ui.files[-1])

    # Drawing

    def draw(self, ui: Ui) -> None:
        """Draw the list and a preview of the selected game."""
        self._drawn_state = self._make_library_state()
        screen_area, should_close = draw_header_footer(ui, self.title, [self._format_game_count()])
        list_box, preview_box = self._lay_out(screen_area)
        self._draw_list(ui, list_box)
        if self.selected:
            self._draw_preview(ui.pen, preview_box, self.selected, screen_area.is_compact)
        action = self._draw_footer(ui, screen_area)
        if not self.is_confirming_delete and not self.rules_picker.is_open:
            self._handle_input(ui)
            self._run_action(action)
        if picked := self.rules_picker.draw_list(ui, self._make_rules_options):
            self.chosen_rules = picked
            self.first_row = 0
        if self.is_confirming_delete:
            self._draw_delete_question(ui, screen_area.content)
        if should_close and self.window.screen is self:
            self.window.close_screen()

    def _lay_out(self, screen_area: ScreenArea) -> tuple[Box, Box]:
        """Return the boxes of the list and of the preview; an empty list uses the whole content area."""
        content, gap = screen_area.content, screen_area.gap
        if not self.shown_games:
            return content, Box(content.right, content.top, 0, 0)
        if screen_area.is_compact:
            height = content.height - _PREVIEW_STRIP_HEIGHT - gap
            preview_top = content.bottom - _PREVIEW_STRIP_HEIGHT
            preview_box = Box(content.left, preview_top, content.width, _PREVIEW_STRIP_HEIGHT)
            return Box(content.left, content.top, content.width, height), preview_box
        width = _PREVIEW_WIDTH if screen_area.layout_size == "wide" else _NARROW_PREVIEW_WIDTH
        preview_box = Box(content.right - width, content.top, width, content.height)
        return Box(content.left, content.top, content.width - width - gap, content.height), preview_box

    def _format_game_count(self) -> str:
        count = len(self.library.summaries)
        return format_count(count, "game") if count else ""

    def _make_rules_options(self) -> list[PickerOption]:
        names = sorted({summary.rules.name for summary in self.library.summaries if summary.rules})
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
        games = self.shown_games
        self._visible_rows = max(1, (inside.height - LIST_HEADER_HEIGHT) // _ROW_HEIGHT)
        if not games:
            self._draw_empty_list(pen, inside)
            self.selected = None
            return
        if self.selected is None or self.selected.path not in self._indices:
            self.selected = games[0]
            self.first_row = 0
        self.first_row = max(0, min(self.first_row, len(games) - self._visible_rows))
        draw_column_headers(pen, inside)
        for number, summary in enumerate(games[self.first_row : self.first_row + self._visible_rows]):
            self._draw_row(
                ui,
                Box(
                    inside.left - 8,
                    inside.top + LIST_HEADER_HEIGHT + _ROW_HEIGHT * number,
                    inside.width + 8,
                    _ROW_HEIGHT - 2,
                ),
                summary,
            )
        bar_box = Box(box.right - 10, inside.top + LIST_HEADER_HEIGHT, 4, _ROW_HEIGHT * self._visible_rows - 2)
        draw_scroll_bar(pen, bar_box, self.first_row, self._visible_rows, len(games))
        self._last_focus = ui.focus
        if not ui.focus and self.selected in games[self.first_row : self.first_row + self._visible_rows]:
            ui.request_focus(f"game {self.selected.path.name}")

    def _draw_filter_bar(self, ui: Ui, box: Box) -> None:
        width = compute_segments_width(ui.pen, _PLAYER_FILTERS)
        before = self.player_filter, self.sort_order
        self.player_filter = draw_segments(
            ui, "player filter", Box(box.left, box.top, width, box.height), _PLAYER_FILTERS, self.player_filter
        )
        self.rules_picker.draw(
            ui, Box(box.left + width + 12, box.centery - SEGMENT_HEIGHT // 2, 190, SEGMENT_HEIGHT), self.chosen_rules
        )
        self.sort_order = draw_segments(ui, "order", box, _SORT_ORDERS, self.sort_order)
        left = box.right - compute_segments_width(ui.pen, _SORT_ORDERS) - 12
        if left - box.left - width - 202 > 80:
            ui.pen.draw_text("Sort by", (left, box.centery), 14, False, DIM_TEXT, align=1)
        if before != (self.player_filter, self.sort_order):
            self.first_row = 0

    def _draw_empty_list(self, pen: Pen, box: Box) -> None:
        """Draw the reason why the list is empty."""
        if self.library.summaries:
            title, text = "No matching games.", "Choose All, or other rules."
        elif self.library.problem:
            title, text = "The games cannot be listed.", self.library.problem
        elif self.library.is_loaded:
            title, text = _NO_GAMES_TITLE, _NO_GAMES_TEXT
        else:
            title, text = "Loading games…", ""
        pen.draw_text(title, (box.centerx, box.centery - 30), 18, True, STRONG_TEXT, align=0.5)
        for number, line in enumerate(pen.wrap_text(text, min(440, box.width), 16)):
            pen.draw_text(line, (box.centerx, box.centery + 4 + 24 * number), 16, False, DIM_TEXT, align=0.5)

    def _draw_row(self, ui: Ui, box: Box, summary: ReplaySummary) -> None:
        is_selected = self.selected is not None and summary.path == self.selected.path
        control = draw_selectable_row(ui, f"game {summary.path.name}", box, is_selected=is_selected, group="games")
        if control.is_focused and ui.focus != self._last_focus:
            self.selected = summary
        if control.is_activated:
            self.selected = summary
            if ui.is_keyboard_used or (ui.time - self._last_click < _DOUBLE_CLICK_SECONDS and is_selected):
                self._run_action("replay")
            self._last_click = ui.time
        inside = Box(box.left + 8, box.top, box.width - 8, box.height)
        draw_game_row(ui.pen, inside, summary, is_selected)

    def _draw_preview(self, pen: Pen, box: Box, summary: ReplaySummary, is_compact: bool) -> None:
        """Draw a game; its final board is loaded in the background."""
        if not summary.problem:
            self.library.request_final_stack(summary.path)
        draw_game_preview(pen, box, summary, self.library.final_stacks.get(summary.path), is_compact=is_compact)

    def _draw_footer(self, ui: Ui, screen_area: ScreenArea) -> str:
        is_playable = self.is_playable and not self.is_confirming_delete
        can_delete = self.selected is not None and not self.is_confirming_delete
        buttons = [
            FooterButton("replay", "Play", "Enter", "play", True, is_playable),
            FooterButton("review", "Review", "V", is_enabled=is_playable),
            FooterButton("page", "Save page", "S", is_enabled=is_playable),
            FooterButton("delete", "Delete", "Del", is_enabled=can_delete),
        ]
        action, end = draw_footer_buttons(ui, screen_area.footer, buttons)
        legend_box = Box(
            end + 12, screen_area.footer.top, screen_area.footer.right - end - 12, screen_area.footer.height
        )
        keys = [(["↑", "↓"], "Choose"), (["Tab"], "Next control")]
        if legend_box.width > 120:
            draw_key_legend(ui, legend_box, keys, align=1)
        return action

    def _draw_delete_question(self, ui: Ui, box: Box) -> None:
        summary = self.selected
        if summary is None:
            self.is_confirming_delete = False
            return
        lines = [summary.path.name if summary.problem else describe_game(summary), "This cannot be undone."]
        answer = draw_overlay(ui, box, "Delete this game?", lines, [("Cancel", ""), ("Delete", "")], width=400)
        if answer == "Delete":
            self._delete(summary)
        if answer or ui.is_key_pressed("Esc"):
            self.is_confirming_delete = False


def make_sort_key(summary: ReplaySummary, order: str) -> tuple[float, datetime]:
    """Return the sort key of a game for descending order; damaged games come last unless sorted by date."""
    number = {"Score": summary.score, "Lines": summary.lines}.get(order, 0)
    return (-1 if summary.problem and order != _SORT_ORDERS[0] else number), summary.date
