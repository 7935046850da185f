"""What stands beside a person's board: score, pieces, what comes next, the hint, what was cleared, the best games."""

from collections.abc import Sequence

from tetrion.app.games.playing import Playing
from tetrion.app.shelf import Score
from tetrion.drawing.cells import ACTIVE
from tetrion.drawing.palette import ACCENT, DIM, FAINT, OUTLINE, PANEL, RAISED, STRONG, TEXT, mixed, pieces_of
from tetrion.drawing.pen import PADDING, TITLE, Box, Pen
from tetrion.evaluation.words import clock, counted
from tetrion.position import has_levels

ORDER = "TJZOSLI"  # of the pieces in statistics
SCORE, SCORE_STILL = 230, 180  # heights of the panel of the score, with progress and without
NEXT, HINT = 148, 112
STRIP, STRIP_STILL = 128, 88
COUNTS, NEXT_STRIP, FIGURES = 108, 108, 84
NAMES = ("Single", "Double", "Triple", "Tetris")
ROW, CLEARS_TOP = 40, 64
BEST_ROW = 22
UNKNOWN = "–"
NONE_YET = "No game is finished yet under these rules."


def best_words(playing: Playing, best: int | None) -> str:
    """The best score, that of this game included."""
    if best is None:
        return ""
    return f"Best {max(best, playing.game.score if playing.begun_here else 0):,}"


def counters(playing: Playing, level: int) -> list[tuple[str, str]]:
    """Lines, the level where the rules have levels, and pieces."""
    game = playing.game
    every = [("Lines", f"{game.lines:,}"), ("Level", f"{level}"), ("Pieces", f"{game.pieces:,}")]
    return every if has_levels(game.rules) else [every[0], every[2]]


def draw_score(pen: Pen, box: Box, playing: Playing, level: int, best: int | None, share: float) -> None:
    """The score, large; below it the counters and the way to the next level, `share` of its bar being filled."""
    inside = pen.panel(box, "Score", best_words(playing, best))
    words = f"{playing.game.score:,}"
    size = 48 if pen.width_of(words, 48, True) <= inside.width else 34
    pen.text(words, (inside.left - 1, box.top + 61), size, True, STRONG)
    pen.rule(inside.left, box.top + 96, inside.width)
    for number, (label, figure) in enumerate(counters(playing, level)):
        pen.figure((inside.left + number * round(inside.width * 88 / 248), box.top + 120), label, figure)
    draw_progress(pen, Box(inside.left, box.top + 170, inside.width, 40), playing, share)


def draw_progress(pen: Pen, box: Box, playing: Playing, share: float) -> None:
    """The way to the next level, where levels rise."""
    if progress := playing.progress:
        lines = counted(progress.left, "line")
        pen.progress(box, f"{lines} to level {progress.level}", f"{progress.done} / {progress.whole}", share)


def draw_strip(pen: Pen, box: Box, playing: Playing, level: int, best: int | None, share: float) -> None:
    """The score and the counters in a row."""
    inside = pen.panel(box)
    pen.text("Score", (inside.left, box.top + 26), 14, False, DIM)
    pen.text(f"{playing.game.score:,}", (inside.left - 1, box.top + 57), 34, True, STRONG)
    every = counters(playing, level)
    left = inside.left + max(168, pen.width_of(f"{playing.game.score:,}", 34, True) + 24)
    for number, (label, figure) in enumerate(every):
        pen.figure((left + number * 84, box.top + 26), label, figure, 22)
    used = pen.width_of(f"{playing.game.score:,}", 14) + left + 84 * len(every)
    if best is not None and used + 60 < inside.right and len(every) < 3:
        pen.text(best_words(playing, best), (inside.right, box.top + 26), 14, False, FAINT, align=1)
    draw_progress(pen, Box(inside.left, box.bottom - 56, inside.width, 40), playing, share)


def draw_statistics(pen: Pen, box: Box, playing: Playing, long: dict[str, float]) -> None:
    """How often each piece has come, with a bar each that is so long."""
    pieces = counted(playing.game.pieces, "piece")
    pen.panel(box, "Piece statistics", pieces if box.width >= 260 else "")
    step = max(28.0, min(62.0, (box.height - 102) / 6))
    for number, letter in enumerate(ORDER):
        middle = round(box.top + 66 + number * step)
        pen.piece((box.left + 42, middle), 13, letter, ACTIVE)
        bar = Box(box.left + 92, middle - 3, box.width - 152, 6)
        pen.track(bar, long.get(letter, 0.0), pieces_of(pen.look.palette)[letter])
        count = f"{playing.follower.counts[letter]:,}"
        pen.text(count, (box.right - PADDING, middle), 16, True, STRONG, align=1)


def draw_counts(pen: Pen, box: Box, playing: Playing) -> None:
    """The same in a row, as seven counts."""
    inside = pen.panel(box, "Piece statistics", counted(playing.game.pieces, "piece"))
    wide = inside.width / len(ORDER)
    for number, letter in enumerate(ORDER):
        middle = inside.left + round((number + 0.5) * wide)
        pen.piece((middle, box.top + 56), 10, letter, ACTIVE)
        pen.text(f"{playing.follower.counts[letter]:,}", (middle, box.top + 86), 16, True, STRONG, align=0.5)


def bar_scale(playing: Playing) -> int:
    """What a whole bar of the statistics means: a round number above the largest count."""
    return max(10, -(-max(playing.follower.counts.values(), default=0) // 10) * 10)


def draw_next(pen: Pen, box: Box, letters: str) -> None:
    """The pieces that come next, the first one first."""
    inside = pen.panel(box, "Next")
    columns = len(letters) if box.width > 400 else min(3, len(letters))
    if not columns:
        return
    rows = -(-len(letters) // columns)
    middle = box.centery + 12
    cell = 28 if len(letters) == 1 and box.height >= NEXT else 22 if len(letters) <= 2 else 17 if columns < 6 else 15
    wide = min(inside.width // columns, 6 * cell)
    for number, letter in enumerate(letters):
        x = inside.centerx + round((number % columns - (columns - 1) / 2) * wide)
        y = middle + round((number // columns - (rows - 1) / 2) * 3 * cell)
        pen.piece((x, y), cell, letter, ACTIVE)


def draw_clears(pen: Pen, box: Box, playing: Playing) -> None:
    """How often one to four lines were cleared and what that has brought; and how the game goes in three numbers."""
    follower, rules = playing.follower, playing.game.rules
    times, right = box.left + round(0.614 * box.width), box.right - PADDING
    pen.panel(box, "Clears")
    pen.text("Times", (times, box.top + TITLE), 14, False, DIM, align=1)
    pen.text("Points", (right, box.top + TITLE), 14, False, DIM, align=1)
    other = other_name(rules.scoring)
    rows = len(NAMES) + bool(other)
    step = max(28, min(ROW, (box.height - CLEARS_TOP - 92) // rows))
    for number, name in enumerate(NAMES):
        middle = box.top + CLEARS_TOP + number * step
        draw_squares(pen, (box.left + PADDING, middle), number + 1)
        pen.text(name, (box.left + 64, middle), 16, False, TEXT)
        happened = follower.clears[number]
        pen.text(f"{happened:,}", (times, middle), 16, True, STRONG if happened else FAINT, align=1)
        points = f"{follower.points[number]:,}"
        pen.text(points, (right, middle), 16, True, STRONG if happened else FAINT, align=1)
    if other:
        middle = box.top + CLEARS_TOP + len(NAMES) * step
        if other == "Soft drop":
            pen.arrow((box.left + PADDING + 6, middle), (0, 1), DIM)
        pen.text(other, (box.left + 64, middle), 16, False, TEXT)
        earned = playing.other_points
        pen.text(f"{earned:,}", (right, middle), 16, True, STRONG if earned else FAINT, align=1)
    below = box.top + CLEARS_TOP + rows * step - step // 2 + 6
    pen.rule(box.left + PADDING, below, box.width - 2 * PADDING)
    draw_figures(pen, Box(box.left + PADDING, below + 8, box.width - 2 * PADDING, 64), playing)


def other_name(scoring: str) -> str:
    """What earns points beside lines, if anything does."""
    return {"nes": "Soft drop", "tetrais": "Pieces"}.get(scoring, "")


def draw_squares(pen: Pen, place: tuple[int, int], count: int) -> None:
    """So many small squares; four shine."""
    for number in range(count):
        colour = ACCENT if count == len(NAMES) else mixed(DIM, PANEL, 0.2)
        pen.rounded(Box(place[0] + number * 9, place[1] - 4, 7, 7), 1.5, colour)


def draw_figures(pen: Pen, box: Box, playing: Playing) -> None:
    """Tetris rate, pieces since the last I, and time; the second hides where there is little room."""
    follower = playing.follower
    rate = UNKNOWN if follower.tetris_rate is None else f"{100 * follower.tetris_rate:.0f} %"
    since = f"{follower.since_bar}" if playing.game.pieces else UNKNOWN
    time = clock(int(playing.seconds))
    figures = [("Tetris rate", rate, 0.0), ("Since last I", since, 0.355), ("Time", time, 0.758)]
    if box.width < 240:
        figures = [(*figures[0][:2], 0.0), (*figures[2][:2], 0.6)]
    for label, figure, place in figures:
        pen.figure((box.left + round(place * box.width), box.top + 22), label, figure)


def draw_best(pen: Pen, box: Box, scores: Sequence[Score], mine: int = 0) -> None:
    """The best games under the same rules; `mine` is the place of the one that has just ended."""
    inside = pen.panel(box, "Best scores")
    if not scores:
        pen.paragraph(NONE_YET, (inside.left, inside.top + 14), inside.width, 14, DIM)
        return
    step = min(30, max(BEST_ROW, (inside.height + 6) // 10))
    with_date = inside.width >= 270
    for number, score in enumerate(scores[: max(1, (inside.height + 10) // step)], 1):
        middle = inside.top + (10 if step == BEST_ROW else 16) + (number - 1) * step
        if number == mine:
            pen.rounded(Box(box.left + 8, middle - step // 2, box.width - 16, step), 6, RAISED, OUTLINE)
        ink = ACCENT if number == mine else STRONG
        pen.text(f"{number}", (inside.left + 16, middle), 14, False, ink if number == mine else FAINT, align=1)
        pen.text(f"{score.score:,}", (inside.left + 104, middle), 16, True, ink, align=1)
        pen.text(counted(score.lines, "line"), (inside.left + 120, middle), 14, False, DIM)
        if with_date:
            pen.text(score.date, (inside.right, middle), 14, False, FAINT, align=1)
