"""Columns of the replay screen: pieces and counters left of the board, statistics and buttons right of it."""

from tetrion.app.games.game_tracker import STATISTICS_PIECE_ORDER
from tetrion.app.replays.replay_playback import ReplayPlayback
from tetrion.app.screens.game_panels import KEYCAP_LABELS, draw_pieces_column
from tetrion.app.toolkit.controls import compute_button_width, draw_button
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.cells import LOCKED_CELL
from tetrion.drawing.game_facts import CLEAR_NAMES, VisiblePieces, has_attack_layout, list_attack_figures
from tetrion.drawing.palette import DIM_TEXT, SEPARATOR, STRONG_TEXT, get_piece_colours
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.drawing.side_panels import (
    compute_piece_strip_width,
    compute_score_panel_height,
    draw_figures_row,
    draw_piece_strip,
    draw_score_panel,
)
from tetrion.engine.pieces import PIECES
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_duration, format_number, format_percent
from tetrion.game import Game
from tetrion.position import uses_levels

_NEXT_PANEL_HEIGHT = 124
_NEXT_WIDTH = 104  # of the next piece at the right of the strip
_KEYS_PANEL_HEIGHT = 104
_ROW_HEIGHT = 28
_MIN_CLEARS_ROW_HEIGHT = 25
_MAX_CLEARS_ROW_HEIGHT = 36
_CLEARS_COLUMN_GAP = 24
_GAME_BUTTONS = (("continue", "Continue from here", "C"), ("review", "Review", "V"), ("page", "Save page", "S"))


def list_counters(game: Game) -> list[tuple[str, str]]:
    """Return the lines, the level where it matters, and the pieces of a game, with their labels."""
    level = [("Level", f"{game.level:,}")] if uses_levels(game.rules) else []
    return [("Lines", f"{game.lines:,}"), *level, ("Pieces", f"{game.pieces:,}")]


def draw_replay_column(pen: Pen, box: Box, gap: int, playback: ReplayPlayback) -> None:
    """Draw the pieces, the counters and, as far as they fit, the keys and the result, one below the other."""
    game = playback.game
    pieces = VisiblePieces.from_position(game.position, playback.active_piece)
    top = draw_pieces_column(pen, box, game.rules, pieces, gap=gap, next_height=_NEXT_PANEL_HEIGHT)
    points_per_line = format_number(game.score / game.lines, 0) if game.lines else NO_VALUE
    rows = [*list_counters(game), ("Points per line", points_per_line)]
    if playback.timeline.is_real_time:
        rows.append(("Time", format_duration(game.frames / game.rules.frames_per_second)))
    score_box = Box(box.left, top, box.width, min(compute_score_panel_height(len(rows)), box.bottom - top))
    draw_score_panel(pen, score_box, f"{game.score:,}", rows)
    top = score_box.bottom + gap
    if playback.timeline.is_real_time and top + _KEYS_PANEL_HEIGHT <= box.bottom:
        draw_recent_keys(pen, Box(box.left, top, box.width, _KEYS_PANEL_HEIGHT), playback)
        top += _KEYS_PANEL_HEIGHT + gap
    draw_result(pen, Box(box.left, top, box.width, box.bottom - top), playback)


def draw_result(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw the final result, as many rows as fit."""
    result = playback.timeline.replay.result
    rows = [(name.capitalize(), f"{result[name]:,}") for name in ("score", "lines", "pieces")]
    shown = rows[: max(0, (box.height - 44) // _ROW_HEIGHT)]
    if shown:
        title = "Final result" if result["over"] else "Last position"
        inside = pen.draw_panel(Box(box.left, box.top, box.width, 48 + _ROW_HEIGHT * len(shown)), title)
        for number, (label, value) in enumerate(shown):
            row = Box(inside.left, inside.top + _ROW_HEIGHT * number - 2, inside.width, _ROW_HEIGHT)
            pen.draw_row(row, label, value)


def draw_recent_keys(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw the keys that were pressed last, in real time."""
    inside = pen.draw_panel(box, "Keys")
    left, top = inside.left, inside.top + 12
    for number, key in enumerate(playback.keys):
        label = KEYCAP_LABELS[key]
        if left + pen.measure_keycap(label) > inside.right:
            left, top = inside.left, top + 30
        state = "pressed" if number == len(playback.keys) - 1 else ""
        left += pen.draw_keycap((left, top), label, state) + 6


def draw_replay_strip(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw the counters and the pieces in one row instead of a column; counters that do not fit are left out."""
    game = playback.game
    pen.draw_panel(box)
    pieces = VisiblePieces.from_position(game.position, playback.active_piece)
    has_queue = has_attack_layout(game.rules)
    pieces_width = compute_piece_strip_width(pieces, game.rules.preview) if has_queue else _NEXT_WIDTH
    row = Box(box.left + PANEL_PADDING, box.top, box.width - PANEL_PADDING - pieces_width, box.height)
    draw_figures_row(pen, row, [("Score", f"{game.score:,}"), *list_counters(game)])
    if has_queue:
        draw_piece_strip(pen, box, pieces, game.rules.preview)
    elif game.next:
        pen.draw_text("Next", (box.right - 56, box.top + 20), 14, False, DIM_TEXT, align=0.5)
        pen.draw_piece((box.right - 56, box.top + 50), 14, game.next[0])


def draw_replayed_pieces(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw how often each piece was placed so far, with bars."""
    inside = pen.draw_panel(
        box, "Piece statistics", format_count(playback.moves_made, "piece") if box.width > 260 else ""
    )
    counts = playback.timeline.count_pieces(playback.moves_made)
    max_count, colours = max(1, *counts.values()), get_piece_colours(pen.style.palette)
    step = inside.height / len(PIECES)
    for number, piece in enumerate(STATISTICS_PIECE_ORDER):
        middle = round(inside.top + step * (number + 0.5))
        pen.draw_piece((inside.left + 25, middle), min(13, step // 3), piece, LOCKED_CELL)
        right = inside.right - 52
        if right - inside.left > 90:
            bar = Box(inside.left + 66, middle - 3, right - inside.left - 66, 6)
            pen.draw_bar(bar, counts[piece] / max_count, colours[piece])
        pen.draw_text(f"{counts[piece]:,}", (inside.right, middle), 16, True, STRONG_TEXT, align=1)


def list_clears(playback: ReplayPlayback) -> list[tuple[str, str]]:
    """Return the clears so far with their labels, or attack, spins and combos."""
    if has_attack_layout(playback.game.rules):
        return list_attack_figures(playback.game)
    clears = playback.timeline.count_clears(playback.moves_made)
    lines = sum(number * count for number, count in enumerate(clears, 1))
    rate = format_percent(4 * clears[3] / lines) if clears[3] else "0 %" if lines else NO_VALUE
    return [*zip(CLEAR_NAMES, (f"{count:,}" for count in clears), strict=True), ("Tetris rate", rate)]


def draw_clears_and_buttons(ui: Ui, box: Box, playback: ReplayPlayback) -> str:
    """Draw the clears so far and the buttons; return the used button."""
    inside = ui.pen.draw_panel(box, "Clears")
    top_of_buttons = inside.bottom - 44 * len(_GAME_BUTTONS) + 4
    draw_clear_rows(ui.pen, Box(inside.left, inside.top, inside.width, top_of_buttons - 12 - inside.top), playback)
    ui.pen.draw_separator(inside.left, top_of_buttons - 12, inside.width, SEPARATOR)
    action = ""
    for number, (name, label, key) in enumerate(_GAME_BUTTONS):
        button_box = Box(inside.left, top_of_buttons + 44 * number, inside.width, 40)
        fits = compute_button_width(ui.pen, label, key) <= button_box.width
        is_enabled = name != "continue" or not playback.game.is_over
        shown_label = label if fits else label.partition(" ")[0]
        action = name if draw_button(ui, name, button_box, shown_label, key=key, is_enabled=is_enabled) else action
    return action


def draw_clear_rows(pen: Pen, box: Box, playback: ReplayPlayback) -> None:
    """Draw the clears in rows, in two columns if few rows fit below each other; further ones are omitted."""
    rows = list_clears(playback)
    step = max(_MIN_CLEARS_ROW_HEIGHT, min(_MAX_CLEARS_ROW_HEIGHT, (box.height - 4) // len(rows)))
    rows_per_column = max(1, box.height // step)
    half = (box.width - _CLEARS_COLUMN_GAP) // 2
    widest = max(pen.measure_text(label) + pen.measure_text(value, 16, True) for label, value in rows)
    has_one_column = rows_per_column >= len(CLEAR_NAMES) or widest + 8 > half
    width = box.width if has_one_column else half
    for number, (label, value) in enumerate(rows[: rows_per_column if has_one_column else 2 * rows_per_column]):
        left = box.left + number // rows_per_column * (width + _CLEARS_COLUMN_GAP)
        pen.draw_row(Box(left, box.top + number % rows_per_column * step, width, step), label, value)
