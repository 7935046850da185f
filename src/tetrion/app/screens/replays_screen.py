"""Replays screen: list of saved games to play, review, save as web pages, or delete."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate
from pathlib import Path
from typing import Any

from tetrion.app.background_task import BackgroundTask, describe_crash
from tetrion.app.game_storage import HUMAN_PLAYER, list_replay_files
from tetrion.app.games.human_rules import MODES
from tetrion.app.picker_options import format_rules
from tetrion.app.screens.replay_screen import ReplayPageWriter
from tetrion.app.toolkit.controls import (
    SEGMENT_HEIGHT,
    ButtonSpec,
    compute_segments_width,
    draw_buttons,
    draw_scroll_bar,
    draw_segments,
    draw_selectable_row,
    draw_shortened_text,
    read_row_steps,
    scroll_by_wheel,
    scroll_to_row,
)
from tetrion.app.toolkit.frame import Chip, draw_frame, draw_key_legend, draw_overlay
from tetrion.app.toolkit.picker import PickerOption, draw_picker
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window import Screen, Window
from tetrion.data_files import parse_json, read_data_file
from tetrion.drawing.board_drawing import draw_board
from tetrion.drawing.layout import Box, Part, flexible, inset, list_rows, place, split_column, split_row
from tetrion.drawing.palette import ACCENT, DIM_TEXT, FAINT_TEXT, NEGATIVE, NORMAL_TEXT, STRONG_TEXT
from tetrion.drawing.pen import Pen
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_duration
from tetrion.game import Game
from tetrion.replay import MAX_REPLAY_BYTES, Replay, add_file_to_errors, load_unverified_replay, read_replay_file
from tetrion.stack import Stack

_PLAYER_FILTERS = ("All", "You", "Agents")
_SORT_ORDERS = ("Newest", "Score", "Lines")
_ALL_RULES = "All rules"
_COLUMNS: dict[str, tuple[float | Part, int]] = {  # width and alignment
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
_NO_GAMES_TEXT = "Your games and those of agents are saved here. You can also drop a replay file onto the window."


@dataclass(frozen=True)
class ReplaySummary:
    """A saved game without its moves; `problem` is the error message if the file cannot be read."""

    path: Path
    date: datetime
    replay: Replay | None = None
    problem: str = ""

    @property
    def player(self) -> str:
        """The name of the player, empty if it is unknown."""
        return (self.replay.agent or HUMAN_PLAYER) if self.replay else ""

    def get_number(self, name: str) -> int:
        """Return a number of the result, such as "score" or "lines"; −1 for a damaged file, which sorts last."""
        return int(self.replay.result[name]) if self.replay else -1


def load_replay_summary(path: Path) -> ReplaySummary:
    """Load the summary of a saved game; a damaged file gives a summary with a problem."""
    date = find_game_date(path)
    try:
        return ReplaySummary(path, date, Replay.from_json(read_without_moves(path)))
    except TetrionError as error:
        problem = str(error)
    except OSError as error:
        problem = f"The file cannot be read: {error.strerror}."
    except Exception as error:  # no file may take the list with it
        problem = describe_crash(error)
    return ReplaySummary(path, date, problem=problem)


def read_without_moves(path: Path) -> Any:
    """Read the JSON of a replay without its moves if they are where Tetrion writes them, which is much faster."""
    content = read_data_file(path, MAX_REPLAY_BYTES)
    head, placements_key, rest = content.partition(b'"placements"')
    _, result_key, tail = rest.rpartition(b'"result"')
    return parse_json(head + placements_key + b": []," + result_key + tail) if result_key else read_replay_file(path)


def find_game_date(path: Path) -> datetime:
    """Return when a game ended, from the name of its file or from the time it was written."""
    with suppress(ValueError):
        return datetime.strptime(path.name[:19], "%Y-%m-%d %H-%M-%S")
    with suppress(OSError, ValueError, OverflowError):  # no such file, or a time out of range
        return datetime.fromtimestamp(path.stat().st_mtime)
    return datetime.fromtimestamp(0)


class ReplayLibrary(BackgroundTask):
    """Loads the summaries of all saved games, newest first; `known` ones are listed at once."""

    def __init__(self, known: Sequence[ReplaySummary] = ()) -> None:
        super().__init__()
        self.summaries = list(known)
        self.start()

    def run(self) -> None:
        """Load the summaries; a list without known games grows meanwhile."""
        known = {summary.path: summary for summary in self.summaries}
        summaries = [] if known else self.summaries
        for path in list_replay_files():
            if self._stop_event.is_set():
                return
            summaries.append(known.get(path) or load_replay_summary(path))
        self.summaries = summaries


class FinalBoard(BackgroundTask):
    """Loads the board at the end of a game; `stack` is None meanwhile, and if the file has a problem."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.stack: Stack | None = None
        self.start()

    def run(self) -> None:
        """Read the file and place the pieces; a board that is stopped belongs to no file and is loaded again."""
        with add_file_to_errors(self.path.name):
            replay = load_unverified_replay(self.path)
            rules = replay.rules
            stack = Stack(height=rules.height, clearing=rules.clearing)
            stacks: Iterator[Stack] = accumulate(replay.placements, Stack.after_placement, initial=stack)
            if rules.garbage_rows or rules.start_garbage:  # the game must be played, which is slow
                game = Game(rules, replay.seed, replay.number)
                stacks = (game.stack for _ in replay.play_steps(game))
            for next_stack in stacks:
                if self._stop_event.is_set():
                    self.path = Path()
                    return
                stack = next_stack
            self.stack = stack


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

    def _list_games(self) -> list[ReplaySummary]:
        """Return the games that match the filters, in the chosen order."""
        matching = [
            game
            for game in list(self.library.summaries)
            if self.chosen_rules in (_ALL_RULES, game.replay.rules.name if game.replay else "")
            and _PLAYER_FILTERS[self.player_filter] in ("All", "You" if game.player == HUMAN_PLAYER else "Agents")
        ]
        number = (None, "score", "lines")[self.sort_order]
        return sorted(matching, key=lambda game: (game.get_number(number) if number else 0, game.date), reverse=True)

    def _find_selected(self) -> int:
        """Return the index of the selected game, 0 if it is not listed."""
        return next((index for index, game in enumerate(self.shown_games) if game == self.selected), 0)

    def _select(self, index: int) -> None:
        """Select the game with an index, or the one nearest to it, and scroll to it."""
        index = max(0, min(len(self.shown_games) - 1, index))
        self.selected = self.shown_games[index] if self.shown_games else None
        self.first_row = scroll_to_row(self.first_row, self.visible_rows, index)

    def _run_action(self, action: str, path: Path) -> None:
        if action == "delete":
            self.is_confirming_delete = True
        elif action == "page":
            ReplayPageWriter(path, self.window.show_message)
        elif action:
            self.window.sound.play("choose")
            self.window.open_screen_by_name(action, file=str(path))

    def _delete(self, game: ReplaySummary) -> None:
        try:
            game.path.unlink(missing_ok=True)
        except OSError as error:
            self.window.show_message(f"The game cannot be deleted: {error.strerror}.")
            return
        index = self._find_selected()
        self.library.summaries = [other for other in self.library.summaries if other != game]
        self.shown_games = self._list_games()
        self._select(index)

    def _handle_input(self, ui: Ui) -> None:
        """Handle list keys, the mouse wheel and dropped files."""
        steps = read_row_steps(ui, self.visible_rows)
        for step in steps:
            self._select(self._find_selected() + step)
        if self.selected and (steps or not ui.focus):
            ui.request_focus(f"game {self.selected.path.name}")
        self.first_row = scroll_by_wheel(ui, self.first_row, self.visible_rows, len(self.shown_games))
        if ui.files:
            self._run_action("replay", Path(ui.files[-1]))

    def draw(self, ui: Ui) -> None:
        """Draw the list and a preview of the selected game."""
        self.shown_games = self._list_games()
        if self.selected not in self.shown_games:
            self.first_row = 0
            self._select(0)
        frame = draw_frame(ui, self.title, [Chip(format_count(len(self.library.summaries), "game"))])
        split, size = (split_row, 320) if frame.is_wide else (split_column, 190)
        list_box, preview = split(frame.content, [flexible(), size if self.selected else 0], frame.gap)
        self._draw_list(ui, list_box)
        if self.selected:
            self._draw_preview(ui.pen, preview, self.selected, is_wide=frame.is_wide)
        is_playable = self.selected is not None and not self.selected.problem
        buttons = [
            ButtonSpec("replay", "Play", "Enter", "play", True, is_playable),
            ButtonSpec("review", "Review", "V", is_enabled=is_playable),
            ButtonSpec("page", "Save web page", "S", is_enabled=is_playable),
            ButtonSpec("delete", "Delete", "Del", is_enabled=self.selected is not None),
        ]
        action, legend = draw_buttons(ui, frame.footer, buttons)
        draw_key_legend(ui, legend, [(["↑", "↓"], "Choose")], align=1)
        if self.is_confirming_delete and self.selected:
            self._draw_delete_question(ui, frame.content, self.selected)
        else:
            self._handle_input(ui)
            if self.selected:
                self._run_action(action, self.selected.path)
        if frame.is_closed and self.window.screen is self:
            self.window.close_screen()

    def _draw_list(self, ui: Ui, box: Box) -> None:
        ui.pen.draw_panel(box)
        bar, head, rows, _ = split_column(inset(box, 16, 0), [60, 28, flexible(), 8])
        self._draw_filter_bar(ui, bar)
        ui.pen.draw_separator(bar.left, bar.bottom, bar.width)
        if not self.shown_games:
            self._draw_empty_list(ui.pen, rows)
            return
        row_boxes = list_rows(rows, _ROW_HEIGHT)
        self.visible_rows = max(1, len(row_boxes))
        self.first_row = max(0, min(self.first_row, len(self.shown_games) - self.visible_rows))
        for label, cell in split_columns(head).items():
            align = _COLUMNS[label][1]
            ui.pen.draw_text(label, (cell.left + align * cell.width, cell.centery), 13, False, FAINT_TEXT, align=align)
        for game, row in zip(self.shown_games[self.first_row :], row_boxes, strict=False):
            self._draw_row(ui, row, game)
        bar_box = Box(box.right - 10, rows.top, 4, _ROW_HEIGHT * len(row_boxes))
        draw_scroll_bar(ui.pen, bar_box, self.first_row, self.visible_rows, len(self.shown_games))
        self._last_focus = ui.focus

    def _draw_filter_bar(self, ui: Ui, box: Box) -> None:
        pen, before = ui.pen, (self.player_filter, self.sort_order, self.chosen_rules)
        label_width = Part(pen.measure_text("Sort by", 14), rank=1)
        widths = [compute_segments_width(pen, labels) for labels in (_PLAYER_FILTERS, _SORT_ORDERS)]
        parts: list[float | Part] = [widths[0], Part(190, minimum=120), flexible(), label_width, widths[1]]
        players, rules, _, label, orders = split_row(box, parts, 12)
        self.player_filter = draw_segments(ui, "player filter", players, _PLAYER_FILTERS, self.player_filter)
        rules = place(rules, rules.width, SEGMENT_HEIGHT)
        names = sorted({game.replay.rules.name for game in self.library.summaries if game.replay})
        options = [PickerOption(name) for name in (_ALL_RULES, *names)]
        self.chosen_rules = draw_picker(ui, "rules", rules, self.chosen_rules, lambda: options)
        self.sort_order = draw_segments(ui, "order", orders, _SORT_ORDERS, self.sort_order)
        if label:
            pen.draw_text("Sort by", label.midleft, 14, False, DIM_TEXT)
        if before != (self.player_filter, self.sort_order, self.chosen_rules):
            self.first_row = 0

    def _draw_empty_list(self, pen: Pen, box: Box) -> None:
        title, text = ("No games yet.", _NO_GAMES_TEXT) if self.library.is_done else ("Loading games…", "")
        if self.library.summaries:
            title, text = "No matching games.", "Choose All, or other rules."
        elif self.library.problem:
            title, text = "The games cannot be listed.", self.library.problem
        pen.draw_text(title, (box.centerx, box.centery - 30), 18, True, STRONG_TEXT, align=0.5)
        pen.draw_paragraph(text, (box.centerx, box.centery + 4), min(440, box.width), 16, align=0.5)

    def _draw_row(self, ui: Ui, box: Box, game: ReplaySummary) -> None:
        """Draw a game of the list; it is selected by the focus or a click, and opened by Enter or a double click."""
        is_selected = game == self.selected
        row = Box(box.left - 8, box.top, box.width + 16, box.height - 2)
        control = draw_selectable_row(ui, f"game {game.path.name}", row, is_selected=is_selected, group="games")
        if control.is_activated or (control.is_focused and ui.focus != self._last_focus):
            self.selected = game
        if control.is_activated:
            is_double_click = is_selected and ui.time - self._last_click < _DOUBLE_CLICK_SECONDS
            if (ui.is_keyboard_used or is_double_click) and not game.problem:
                self._run_action("replay", game.path)
            self._last_click = ui.time
        draw_game_columns(ui, Box(box.left, row.top, box.width, row.height), game, is_selected=is_selected)

    def _draw_preview(self, pen: Pen, box: Box, game: ReplaySummary, *, is_wide: bool) -> None:
        """Draw the final board of a game, which is loaded in the background, and its result."""
        title = "Damaged" if game.problem else "Final position" if game.get_number("over") else "Last position"
        inside = pen.draw_panel(box, title)
        if game.problem:
            pen.draw_paragraph(game.problem, inside.topleft, inside.width, 14, NORMAL_TEXT, max_lines=12)
            return
        texts = [(label, text) for label, text in list_texts(game).items() if label != "Ended"]
        if is_wide:
            board, *columns = split_column(inside, [flexible(), _PREVIEW_ROW_HEIGHT * len(texts)], 12)
        else:
            board, *columns = split_row(inside, [90, flexible(), flexible()], 28)
        self._draw_final_board(pen, board, game)
        rows = [row for column in columns for row in list_rows(column, _PREVIEW_ROW_HEIGHT)]
        for (label, text), row in zip(texts, rows, strict=False):
            pen.draw_row(row, label, pen.truncate_text(text, row.width - 80, 16, True))

    def _draw_final_board(self, pen: Pen, box: Box, game: ReplaySummary) -> None:
        """Draw the board at the end of a game; while it is loaded, and if that fails, an empty one."""
        final = self.final_board
        if final is None or (final.path != game.path and final.is_done):
            final = self.final_board = FinalBoard(game.path)
        is_current = final.path == game.path
        if not is_current:  # at most one board is loaded at a time
            final.stop()
        height = game.replay.rules.height if game.replay else 20
        fitted = pen.fit_board(box, height)
        origin, stack = pen.to_pixel_point(fitted.box.topleft), final.stack if is_current else None
        stack = stack or Stack(height=height)
        draw_board(pen.surface, origin, fitted.cell_size, stack, is_over=game.get_number("over") > 0, style=pen.style)
        if is_current:
            pen.draw_paragraph(final.problem, (box.left, box.top + 12), box.width, 14, NEGATIVE)

    def _draw_delete_question(self, ui: Ui, box: Box, game: ReplaySummary) -> None:
        score, lines = game.get_number("score"), format_count(game.get_number("lines"), "line")
        text = f"{game.player}, {format_count(score, 'point')}, {lines}, ended {format_date(game.date)}."
        texts = [game.path.name if game.problem else text.replace("Today", "today"), "This cannot be undone."]
        answer = draw_overlay(ui, box, "Delete this game?", texts, [("Cancel", "Esc"), ("Delete", "")], width=400)
        if answer == "Delete":
            self._delete(game)
        self.is_confirming_delete = not answer


def split_columns(box: Box) -> dict[str, Box]:
    """Return the boxes of the columns of a row of the list, by name."""
    boxes = split_row(box, [width for width, _ in _COLUMNS.values()], 12)
    return dict(zip(_COLUMNS, boxes, strict=True))


def draw_game_columns(ui: Ui, box: Box, game: ReplaySummary, *, is_selected: bool) -> None:
    """Draw the columns of a game."""
    cells = split_columns(box)
    if game.problem:
        cells["Rules"].width = cells["Duration"].right - cells["Rules"].left
    if game.player == HUMAN_PLAYER:
        ui.pen.draw_disc((box.left + 4, box.centery), 4, ACCENT)
    cells["Player"] = inset(cells["Player"], 8, 0).move(8, 0)
    colours = {"Ended": DIM_TEXT} | ({"Rules": NEGATIVE} if game.problem else {})
    for label, text in list_texts(game).items():
        if label in cells:
            cell, align = cells[label], _COLUMNS[label][1]
            size, semibold = 14 if label == "Ended" else 16, label in ("Player", "Score")
            colour = colours.get(label, STRONG_TEXT if is_selected else NORMAL_TEXT)
            position = cell.left + align * cell.width, cell.centery
            draw_shortened_text(
                ui, text, position, cell.width, size=size, semibold=semibold, colour=colour, align=align
            )


def list_texts(game: ReplaySummary) -> dict[str, str]:
    """Return what the list and the preview show of a game, by label; of a damaged one, its file and the problem."""
    ended = {"Ended": format_date(game.date)}
    if game.replay is None:
        return {"Player": game.path.name, "Rules": f"Damaged: {game.problem}", **ended}
    rules, frames = game.replay.rules, game.get_number("frames")
    mode = f"{MODES[game.replay.mode].label}, " if game.replay.mode in MODES else ""
    return {
        "Player": game.player,
        "Rules": f"{mode}{format_rules(rules).replace(' rules', '')}",
        **{name.capitalize(): f"{game.get_number(name):,}" for name in ("score", "lines", "pieces")},
        "Duration": format_duration(frames / rules.frames_per_second) if frames else NO_VALUE,
        "Seed": f"{game.replay.seed}",
        **ended,
    }


def format_date(date: datetime) -> str:
    """Format the date when a game ended."""
    now = datetime.now()
    if date.date() == now.date():
        return f"Today {date:%H:%M}"
    return f"{date.day} {date:%b %H:%M}" if date.year == now.year else f"{date.day} {date:%b %Y}"
