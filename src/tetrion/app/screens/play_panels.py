"""Panels next to the board of a human player: score, pieces, next pieces, clears, best scores."""

from collections.abc import Sequence

from tetrion.app.game_storage import BestScore
from tetrion.app.games.human_game import HumanGame
from tetrion.drawing.cells import ACTIVE_CELL
from tetrion.drawing.game_facts import CLEAR_NAMES
from tetrion.drawing.palette import (
    ACCENT,
    BOARD_OUTLINE,
    DIM_TEXT,
    FAINT_TEXT,
    NORMAL_TEXT,
    PANEL,
    RAISED_PANEL,
    STRONG_TEXT,
    get_piece_colours,
    mix_colours,
)
from tetrion.drawing.pen import PANEL_PADDING, PANEL_TITLE_OFFSET, Box, Pen
from tetrion.evaluation.number_format import NO_VALUE, format_count, format_duration
from tetrion.position import uses_levels

STATISTICS_PIECE_ORDER = "TJZOSLI"  # order of the NES statistics
SCORE_PANEL_HEIGHT = 230  # with the level progress
SCORE_PANEL_HEIGHT_WITHOUT_PROGRESS = 180
NEXT_PANEL_HEIGHT = 148
HINT_PANEL_HEIGHT = 112
SCORE_STRIP_HEIGHT = 128  # with the level progress
SCORE_STRIP_HEIGHT_WITHOUT_PROGRESS = 88
PIECE_COUNTS_HEIGHT = 108
NEXT_STRIP_HEIGHT = 108
FURTHER_FIGURES_HEIGHT = 84
_CLEARS_ROW_HEIGHT = 40
_CLEARS_TOP = 64
_MIN_BEST_ROW_HEIGHT = 22
NO_SCORES_TEXT = "No finished game with these rules yet."


def format_best_score(human_game: HumanGame, best_score: int | None) -> str:
    """Format the best score including this game; empty if there is none."""
    if best_score is None:
        return ""
    return f"Best {max(best_score, human_game.game.score if human_game.is_started_by_human else 0):,}"


def make_counters(human_game: HumanGame) -> list[tuple[str, str]]:
    """Return labels and values: lines, level if the rules have levels, pieces."""
    game = human_game.game
    counters = [("Lines", f"{game.lines:,}"), ("Level", f"{game.level}"), ("Pieces", f"{game.pieces:,}")]
    return counters if uses_levels(game.rules) else [counters[0], counters[2]]


def draw_score_and_counters(
    pen: Pen, box: Box, human_game: HumanGame, best_score: int | None, progress_share: float
) -> None:
    """Draw the score, the counters and the progress to the next level.

    `progress_share` is the filled share of the progress bar.
    """
    inside = pen.draw_panel(box, "Score", format_best_score(human_game, best_score))
    score = f"{human_game.game.score:,}"
    size = 48 if pen.measure_text(score, 48, True) <= inside.width else 34
    pen.draw_text(score, (inside.left - 1, box.top + 61), size, True, STRONG_TEXT)
    pen.draw_separator(inside.left, box.top + 96, inside.width)
    for number, (label, figure) in enumerate(make_counters(human_game)):
        pen.draw_number((inside.left + number * round(inside.width * 88 / 248), box.top + 120), label, figure)
    draw_level_progress(pen, Box(inside.left, box.top + 170, inside.width, 40), human_game, progress_share)


def draw_level_progress(pen: Pen, box: Box, human_game: HumanGame, progress_share: float) -> None:
    """Draw the progress to the next level, if the level can rise."""
    if progress := human_game.level_progress:
        lines = format_count(progress.lines_left, "line")
        pen.draw_progress(
            box, f"{lines} to level {progress.level}", f"{progress.lines_done} / {progress.lines_total}", progress_share
        )


def draw_score_strip(pen: Pen, box: Box, human_game: HumanGame, best_score: int | None, progress_share: float) -> None:
    """Draw the score and the counters in one row, and the progress to the next level."""
    inside = pen.draw_panel(box)
    pen.draw_text("Score", (inside.left, box.top + 26), 14, False, DIM_TEXT)
    pen.draw_text(f"{human_game.game.score:,}", (inside.left - 1, box.top + 57), 34, True, STRONG_TEXT)
    counters = make_counters(human_game)
    left = inside.left + max(168, pen.measure_text(f"{human_game.game.score:,}", 34, True) + 24)
    for number, (label, figure) in enumerate(counters):
        pen.draw_number((left + number * 84, box.top + 26), label, figure, 22)
    used_width = pen.measure_text(f"{human_game.game.score:,}", 14) + left + 84 * len(counters)
    if best_score is not None and used_width + 60 < inside.right and len(counters) < 3:
        pen.draw_text(
            format_best_score(human_game, best_score), (inside.right, box.top + 26), 14, False, FAINT_TEXT, align=1
        )
    draw_level_progress(pen, Box(inside.left, box.bottom - 56, inside.width, 40), human_game, progress_share)


def draw_piece_statistics(pen: Pen, box: Box, human_game: HumanGame, bar_shares: dict[str, float]) -> None:
    """Draw the number of each piece with bars; `bar_shares` are their lengths between 0 and 1."""
    pieces = format_count(human_game.game.pieces, "piece")
    pen.draw_panel(box, "Piece statistics", pieces if box.width >= 260 else "")
    step = max(28.0, min(62.0, (box.height - 102) / 6))
    for number, letter in enumerate(STATISTICS_PIECE_ORDER):
        middle = round(box.top + 66 + number * step)
        pen.draw_piece((box.left + 42, middle), 13, letter, ACTIVE_CELL)
        bar = Box(box.left + 92, middle - 3, box.width - 152, 6)
        pen.draw_bar(bar, bar_shares.get(letter, 0.0), get_piece_colours(pen.style.palette)[letter])
        count = f"{human_game.tracker.piece_counts[letter]:,}"
        pen.draw_text(count, (box.right - PANEL_PADDING, middle), 16, True, STRONG_TEXT, align=1)


def draw_piece_counts(pen: Pen, box: Box, human_game: HumanGame) -> None:
    """Draw the number of each piece in one row."""
    inside = pen.draw_panel(box, "Piece statistics", format_count(human_game.game.pieces, "piece"))
    slot_width = inside.width / len(STATISTICS_PIECE_ORDER)
    for number, letter in enumerate(STATISTICS_PIECE_ORDER):
        middle = inside.left + round((number + 0.5) * slot_width)
        pen.draw_piece((middle, box.top + 56), 10, letter, ACTIVE_CELL)
        pen.draw_text(
            f"{human_game.tracker.piece_counts[letter]:,}", (middle, box.top + 86), 16, True, STRONG_TEXT, align=0.5
        )


def compute_bar_scale(human_game: HumanGame) -> int:
    """Return the piece count of a full bar: a multiple of ten that is at least the largest count."""
    return max(10, -(-max(human_game.tracker.piece_counts.values(), default=0) // 10) * 10)


def draw_next_pieces(pen: Pen, box: Box, letters: str) -> None:
    """Draw the next pieces in order."""
    inside = pen.draw_panel(box, "Next")
    columns = len(letters) if box.width > 400 else min(3, len(letters))
    if not columns:
        return
    rows = -(-len(letters) // columns)
    middle = box.centery + 12
    if len(letters) == 1 and box.height >= NEXT_PANEL_HEIGHT:
        cell = 28
    elif len(letters) <= 2:
        cell = 22
    else:
        cell = 17 if columns < 6 else 15
    slot_width = min(inside.width // columns, 6 * cell)
    for number, letter in enumerate(letters):
        x = inside.centerx + round((number % columns - (columns - 1) / 2) * slot_width)
        y = middle + round((number // columns - (rows - 1) / 2) * 3 * cell)
        pen.draw_piece((x, y), cell, letter, ACTIVE_CELL)


def draw_clears(pen: Pen, box: Box, human_game: HumanGame) -> None:
    """Draw the number and the points of line clears by size, and three further figures."""
    tracker, rules = human_game.tracker, human_game.game.rules
    counts_right, right = box.left + round(0.614 * box.width), box.right - PANEL_PADDING
    pen.draw_panel(box, "Clears")
    pen.draw_text("Count", (counts_right, box.top + PANEL_TITLE_OFFSET), 14, False, DIM_TEXT, align=1)
    pen.draw_text("Points", (right, box.top + PANEL_TITLE_OFFSET), 14, False, DIM_TEXT, align=1)
    other_label = get_other_points_label(rules.scoring)
    rows = len(CLEAR_NAMES) + bool(other_label)
    step = max(28, min(_CLEARS_ROW_HEIGHT, (box.height - _CLEARS_TOP - 92) // rows))
    for number, name in enumerate(CLEAR_NAMES):
        middle = box.top + _CLEARS_TOP + number * step
        draw_line_squares(pen, (box.left + PANEL_PADDING, middle), number + 1)
        pen.draw_text(name, (box.left + 64, middle), 16, False, NORMAL_TEXT)
        count = tracker.clear_counts[number]
        pen.draw_text(f"{count:,}", (counts_right, middle), 16, True, STRONG_TEXT if count else FAINT_TEXT, align=1)
        points = f"{tracker.clear_points[number]:,}"
        pen.draw_text(points, (right, middle), 16, True, STRONG_TEXT if count else FAINT_TEXT, align=1)
    if other_label:
        middle = box.top + _CLEARS_TOP + len(CLEAR_NAMES) * step
        if other_label == "Soft drop":
            pen.draw_arrow((box.left + PANEL_PADDING + 6, middle), (0, 1), DIM_TEXT)
        pen.draw_text(other_label, (box.left + 64, middle), 16, False, NORMAL_TEXT)
        earned = human_game.non_clear_points
        pen.draw_text(f"{earned:,}", (right, middle), 16, True, STRONG_TEXT if earned else FAINT_TEXT, align=1)
    below = box.top + _CLEARS_TOP + rows * step - step // 2 + 6
    pen.draw_separator(box.left + PANEL_PADDING, below, box.width - 2 * PANEL_PADDING)
    draw_further_figures(pen, Box(box.left + PANEL_PADDING, below + 8, box.width - 2 * PANEL_PADDING, 64), human_game)


def get_other_points_label(scoring: str) -> str:
    """Return the label of points that are not scored by clearing lines, or an empty text."""
    return {"nes": "Soft drop", "tetrais": "Pieces"}.get(scoring, "")


def draw_line_squares(pen: Pen, position: tuple[int, int], count: int) -> None:
    """Draw one small square per cleared line; four squares are accented."""
    for number in range(count):
        colour = ACCENT if count == len(CLEAR_NAMES) else mix_colours(DIM_TEXT, PANEL, 0.2)
        pen.fill_rounded(Box(position[0] + number * 9, position[1] - 4, 7, 7), 1.5, colour)


def draw_further_figures(pen: Pen, box: Box, human_game: HumanGame) -> None:
    """Draw tetris rate, pieces since the last I, and time; a narrow box omits the second."""
    tracker = human_game.tracker
    rate = NO_VALUE if tracker.tetris_rate is None else f"{100 * tracker.tetris_rate:.0f} %"
    since_last_i = f"{tracker.pieces_since_i}" if human_game.game.pieces else NO_VALUE
    time = format_duration(int(human_game.seconds))
    figures = [("Tetris rate", rate, 0.0), ("Since last I", since_last_i, 0.355), ("Time", time, 0.758)]
    if box.width < 240:
        figures = [(*figures[0][:2], 0.0), (*figures[2][:2], 0.6)]
    for label, figure, share in figures:
        pen.draw_number((box.left + round(share * box.width), box.top + 22), label, figure)


def draw_best_scores(
    pen: Pen, box: Box, scores: Sequence[BestScore], own_rank: int = 0, empty_text: str = NO_SCORES_TEXT
) -> None:
    """Draw the best scores, or `empty_text` without any; `own_rank` is the rank of the game that has ended, or 0."""
    inside = pen.draw_panel(box, "Best scores")
    if not scores:
        pen.draw_paragraph(empty_text, (inside.left, inside.top + 14), inside.width, 14, DIM_TEXT)
        return
    step = min(30, max(_MIN_BEST_ROW_HEIGHT, (inside.height + 6) // 10))
    with_date = inside.width >= 270
    for number, score in enumerate(scores[: max(1, (inside.height + 10) // step)], 1):
        middle = inside.top + (10 if step == _MIN_BEST_ROW_HEIGHT else 16) + (number - 1) * step
        if number == own_rank:
            pen.fill_rounded(
                Box(box.left + 8, middle - step // 2, box.width - 16, step), 6, RAISED_PANEL, BOARD_OUTLINE
            )
        colour = ACCENT if number == own_rank else STRONG_TEXT
        pen.draw_text(
            f"{number}", (inside.left + 16, middle), 14, False, colour if number == own_rank else FAINT_TEXT, align=1
        )
        pen.draw_text(f"{score.score:,}", (inside.left + 104, middle), 16, True, colour, align=1)
        pen.draw_text(format_count(score.lines, "line"), (inside.left + 120, middle), 14, False, DIM_TEXT)
        if with_date:
            pen.draw_text(score.date, (inside.right, middle), 14, False, FAINT_TEXT, align=1)
