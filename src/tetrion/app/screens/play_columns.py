"""The columns next to the board of a human player: which panels they show, and the animation of their bars."""

from typing import NamedTuple

from tetrion.app.game_storage import BestScore
from tetrion.app.games.hint import HintProvider
from tetrion.app.games.human_game import HumanGame
from tetrion.app.screens.play_panels import (
    FURTHER_FIGURES_HEIGHT,
    HINT_PANEL_HEIGHT,
    NEXT_PANEL_HEIGHT,
    NEXT_STRIP_HEIGHT,
    PIECE_COUNTS_HEIGHT,
    SCORE_PANEL_HEIGHT,
    SCORE_PANEL_HEIGHT_WITHOUT_PROGRESS,
    SCORE_STRIP_HEIGHT,
    SCORE_STRIP_HEIGHT_WITHOUT_PROGRESS,
    compute_bar_scale,
    draw_best_scores,
    draw_clears,
    draw_further_figures,
    draw_next_pieces,
    draw_piece_counts,
    draw_piece_statistics,
    draw_score_and_counters,
    draw_score_strip,
)
from tetrion.app.toolkit.header_footer import WIDE_LAYOUT, ScreenArea
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.game_facts import VisiblePieces, has_attack_layout
from tetrion.drawing.pen import PANEL_PADDING, Box, Pen
from tetrion.drawing.side_panels import (
    HOLD_PANEL_HEIGHT,
    compute_attack_figures_height,
    compute_queue_height,
    draw_attack_figures,
    draw_hold_panel,
    draw_queue_column,
    draw_speed_figures,
)
from tetrion.evaluation.number_format import format_duration

_BAR_ANIMATION_SECONDS = 0.12
_MIN_STATISTICS_HEIGHT = 270  # below these heights, the panels are hidden
_MIN_CLEARS_HEIGHT = 268
_MIN_FIGURES_HEIGHT = 100
_MIN_FINAL_SCORES_HEIGHT = 270  # ten rows
_MIN_SCORES_HEIGHT_WITH_FIGURES = 110
_CONTINUED_GAME_TEXT = "A continued game does not count as a best score."
_UNREADABLE_SCORES_TEXT = "The best scores cannot be read."


class GameSummary(NamedTuple):
    """What the columns show of a game: `rank` is its rank among the best scores, or 0."""

    human_game: HumanGame
    hint_provider: HintProvider
    hint_key: str
    best_scores: list[BestScore]
    is_over: bool
    rank: int

    @property
    def best_score(self) -> int | None:
        """The best score so far; None if there is none or if the game does not count."""
        return self.best_scores[0].score if self.best_scores and self.human_game.is_started_by_human else None


class GameColumns:
    """The columns next to a board, with animated bars."""

    def __init__(self) -> None:
        self._bar_shares: dict[str, float] = {}

    def animate_bars(self, human_game: HumanGame, seconds: float, has_animation: bool) -> None:
        """Move the bars towards the current counts by `seconds`."""
        scale = compute_bar_scale(human_game)
        targets = {letter: count / scale for letter, count in human_game.tracker.piece_counts.items()}
        if progress := human_game.level_progress:
            targets["level"] = progress.lines_done / max(1, progress.lines_total)
        fraction = min(1.0, seconds / _BAR_ANIMATION_SECONDS) if has_animation else 1.0
        for name, share in targets.items():
            current = self._bar_shares.get(name, 0.0)
            self._bar_shares[name] = share if abs(share - current) < 0.004 else current + (share - current) * fraction

    def draw_left(self, ui: Ui, screen_area: ScreenArea, box: Box, summary: GameSummary) -> None:
        """Draw the hold box, the score and, if there is space, attack and clears or the piece statistics."""
        human_game = summary.human_game
        if human_game.game.rules.hold:
            hold_box = Box(box.left, box.top, box.width, HOLD_PANEL_HEIGHT)
            draw_hold(ui, hold_box, human_game)
            top = hold_box.bottom + screen_area.gap
            box = Box(box.left, top, box.width, box.bottom - top)
        height = SCORE_PANEL_HEIGHT if human_game.level_progress else SCORE_PANEL_HEIGHT_WITHOUT_PROGRESS
        score = Box(box.left, box.top, box.width, height)
        level_share = self._bar_shares.get("level", 0.0)
        draw_score_and_counters(ui.pen, score, human_game, summary.best_score, level_share)
        remaining = Box(
            box.left, score.bottom + screen_area.gap, box.width, box.bottom - score.bottom - screen_area.gap
        )
        if has_attack_layout(human_game.game.rules) and remaining.height >= _MIN_FIGURES_HEIGHT:
            draw_attack_figures(ui.pen, remaining, human_game.game)
        elif remaining.height >= _MIN_STATISTICS_HEIGHT:
            draw_piece_statistics(ui.pen, remaining, human_game, self._bar_shares)

    def draw_right(self, ui: Ui, screen_area: ScreenArea, box: Box, summary: GameSummary) -> None:
        """Draw the next pieces and the hint, or the best scores after the game, and the line clears."""
        human_game = summary.human_game
        top = box.top
        if summary.is_over:
            best_box = Box(box.left, top, box.width, NEXT_PANEL_HEIGHT + screen_area.gap + HINT_PANEL_HEIGHT)
            draw_final_scores(ui, best_box, summary)
            top = best_box.bottom + screen_area.gap
        else:
            if human_game.game.rules.preview:
                next_box = Box(box.left, top, box.width, compute_next_height(human_game))
                draw_next(ui.pen, next_box, human_game)
                top = next_box.bottom + screen_area.gap
            is_wide = screen_area.layout_size == WIDE_LAYOUT
            height = HINT_PANEL_HEIGHT if is_wide else HINT_PANEL_HEIGHT - 26
            draw_hint(ui, Box(box.left, top, box.width, height), summary, show_explanation=is_wide)
            top += height + screen_area.gap
        if box.bottom - top >= _MIN_CLEARS_HEIGHT and not has_attack_layout(human_game.game.rules):
            draw_clears(ui.pen, Box(box.left, top, box.width, box.bottom - top), human_game)
        elif box.bottom - top >= FURTHER_FIGURES_HEIGHT:
            draw_figures_panel(ui.pen, Box(box.left, top, box.width, FURTHER_FIGURES_HEIGHT), human_game)

    def draw_single(self, ui: Ui, screen_area: ScreenArea, box: Box, summary: GameSummary) -> None:
        """Draw as many panels as fit in one column, from the left edge of the box."""
        pen, left = ui.pen, box.left
        human_game = summary.human_game
        width, top = screen_area.content.right - left, box.top
        height = SCORE_STRIP_HEIGHT if human_game.level_progress else SCORE_STRIP_HEIGHT_WITHOUT_PROGRESS
        share = self._bar_shares.get("level", 0.0)
        draw_score_strip(pen, Box(left, top, width, height), human_game, summary.best_score, share)
        top += height + screen_area.gap
        if summary.is_over:
            draw_final_column(ui, Box(left, top, width, box.bottom - top), screen_area.gap, summary)
            return
        if human_game.game.rules.preview:
            draw_next_pieces(pen, Box(left, top, width, NEXT_STRIP_HEIGHT), get_next_pieces(human_game))
            top += NEXT_STRIP_HEIGHT + screen_area.gap
        if human_game.game.rules.hold:
            draw_hold(ui, Box(left, top, width, HOLD_PANEL_HEIGHT), human_game)
            top += HOLD_PANEL_HEIGHT + screen_area.gap
        else:
            draw_piece_counts(pen, Box(left, top, width, PIECE_COUNTS_HEIGHT), human_game)
            top += PIECE_COUNTS_HEIGHT + screen_area.gap
        draw_hint(ui, Box(left, top, width, HINT_PANEL_HEIGHT - 26), summary, show_explanation=False)
        top += HINT_PANEL_HEIGHT - 26 + screen_area.gap
        if top + FURTHER_FIGURES_HEIGHT <= box.bottom:
            draw_figures_panel(pen, Box(left, top, width, FURTHER_FIGURES_HEIGHT), human_game)


def draw_hold(ui: Ui, box: Box, human_game: HumanGame) -> None:
    """Draw the hold box and the action text."""
    pieces = VisiblePieces.from_position(human_game.game.position)
    has_animation = human_game.board_animator.has_animation
    draw_hold_panel(ui.pen, box, pieces, human_game.action, has_animation=has_animation)


def compute_next_height(human_game: HumanGame) -> int:
    """Return the height of the panel with the next pieces."""
    rules = human_game.game.rules
    return compute_queue_height(rules.preview) if has_attack_layout(rules) else NEXT_PANEL_HEIGHT


def draw_next(pen: Pen, box: Box, human_game: HumanGame) -> None:
    """Draw the next pieces, in one column or side by side."""
    pieces, rules = get_next_pieces(human_game), human_game.game.rules
    if has_attack_layout(rules):
        draw_queue_column(pen, box, pieces, rules.preview)
    else:
        draw_next_pieces(pen, box, pieces)


def get_next_pieces(human_game: HumanGame) -> str:
    """Return the next pieces that the rules show."""
    return human_game.game.next[: human_game.game.rules.preview]


def draw_hint(ui: Ui, box: Box, summary: GameSummary, *, show_explanation: bool) -> None:
    """Draw the hint panel."""
    summary.hint_provider.draw(ui, box, summary.human_game.game, summary.hint_key, with_explanation=show_explanation)


def draw_figures_panel(pen: Pen, box: Box, human_game: HumanGame) -> None:
    """Draw a panel with tetris rate, pieces since the last I, and time, or time and speeds."""
    pen.draw_panel(box)
    inside = box.inflate(-2 * PANEL_PADDING, -16)
    if has_attack_layout(human_game.game.rules):
        draw_speed_figures(pen, inside, human_game.game, format_duration(int(human_game.seconds)))
    else:
        draw_further_figures(pen, inside, human_game)


def draw_final_column(ui: Ui, box: Box, gap: int, summary: GameSummary) -> None:
    """Draw the best scores and, if there is space below them, attack and clears or the piece statistics."""
    game = summary.human_game.game
    figures_top = box.bottom - compute_attack_figures_height(game)
    if has_attack_layout(game.rules) and figures_top - gap - box.top >= _MIN_SCORES_HEIGHT_WITH_FIGURES:
        draw_final_scores(ui, Box(box.left, box.top, box.width, figures_top - gap - box.top), summary)
        draw_attack_figures(ui.pen, Box(box.left, figures_top, box.width, box.bottom - figures_top), game)
        return
    counts_top = box.bottom - PIECE_COUNTS_HEIGHT
    scores = Box(box.left, box.top, box.width, counts_top - gap - box.top)
    if scores.height < _MIN_FINAL_SCORES_HEIGHT:
        draw_final_scores(ui, box, summary)
        return
    draw_final_scores(ui, scores, summary)
    draw_piece_counts(ui.pen, Box(box.left, counts_top, box.width, PIECE_COUNTS_HEIGHT), summary.human_game)


def draw_final_scores(ui: Ui, box: Box, summary: GameSummary) -> None:
    """Draw the best scores next to a finished game; its own score is missing if it does not count or was not saved."""
    text = _UNREADABLE_SCORES_TEXT if summary.human_game.is_started_by_human else _CONTINUED_GAME_TEXT
    draw_best_scores(ui.pen, box, summary.best_scores, summary.rank, text)
