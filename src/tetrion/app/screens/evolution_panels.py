"""Beside the boards: the generation, what the run came to, and its curves."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from tetrion.app.evolution.attached import Attached
from tetrion.app.evolution.history import History
from tetrion.app.evolution.session import Session, Snapshot, State
from tetrion.app.screens.evolution_tiles import fitness_words
from tetrion.app.toolkit.chrome import Room
from tetrion.app.toolkit.controls import segments
from tetrion.app.toolkit.pictures import Pictures
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.charts import Series, draw_chart
from tetrion.drawing.palette import ACCENT, DIM, SECOND, STRONG, series
from tetrion.drawing.pen import Box, Pen
from tetrion.evaluation.words import figure, in_words
from tetrion.lab.run_words import MEASURED, headline, measured
from tetrion.training.fitness import FITNESS
from tetrion.training.run import Run

GENERATION, COMPACT_GENERATION, RESULT, COMPACT_RESULT = 148, 188, 88, 108
NARROW = 400  # units of width below which figures stand below the generation
TWO_CHARTS = 340  # units of height that two charts need
MOST_LINES = 5  # of the weights that are drawn
LONGEST_NAME = 0.3  # of a chart's width
DASH = "–"
Lines = Callable[[Pen], list[Series]]
SOON = {"generation": "Appears after the second generation.", "episode": "Appears after the second episode."}


class Panels:
    """The right-hand side of the screen."""

    def __init__(self) -> None:
        self.pictures, self.chart = Pictures(), 0
        self.drawn = False  # whether a chart was drawn anew in this frame: one is enough
        self.result: tuple[str, str, str] | None = None  # its number, its unit, and words

    def draw(self, ui: Ui, box: Box, room: Room, session: Session, now: Snapshot) -> int:
        """Draw all panels; gives back how many generations the person wants to go on."""
        narrow, self.drawn = box.width < NARROW, False
        high = COMPACT_GENERATION if narrow else GENERATION
        steps = draw_generation(ui, Box(*box.topleft, box.width, high), narrow, session, now)
        left = Box(box.left, box.top + high + room.gap, box.width, box.height - high - room.gap)
        if self.result:
            high = COMPACT_RESULT if narrow else RESULT
            draw_result(ui.pen, Box(*left.topleft, left.width, high), narrow, *self.result)
            left = Box(left.left, left.top + high + room.gap, left.width, left.height - high - room.gap)
        half = (left.height - room.gap) // 2
        if room.compact or left.height < TWO_CHARTS:
            self.draw_either(ui, left, session, now)
        else:
            self.draw_fitness(ui.pen, Box(*left.topleft, left.width, half), session, now)
            below = Box(left.left, left.top + half + room.gap, left.width, left.height - half - room.gap)
            self.draw_weights(ui.pen, below, session, now)
        return steps

    def draw_either(self, ui: Ui, box: Box, session: Session, now: Snapshot) -> None:
        """Draw one of the charts, where there is room for one."""
        which = (self.draw_fitness, self.draw_weights)[self.chart]
        which(ui.pen, box, session, now, segmented=True)
        switch = Box(box.left + 12, box.top + 10, box.width - 24, 36)
        self.chart = segments(ui, "charts", switch, ("Fitness", "Weights"), self.chart)

    def draw_fitness(self, pen: Pen, box: Box, session: Session, now: Snapshot, segmented: bool = False) -> None:
        """How fit everybody was, generation by generation."""
        words = "Lines of an episode" if session.learns_alone else f"Fitness, {FITNESS[session.recipe.games.fitness]}"
        words += ", all games" if session.recipe.games.summed else ""
        lines = partial(fitness_lines, now.history, session)
        self.draw_lines(pen, "fitness", box, words, lines, session, now.history, segmented)

    def draw_weights(self, pen: Pen, box: Box, session: Session, now: Snapshot, segmented: bool = False) -> None:
        """How the weights moved."""
        words = "Weights" if session.learns_alone else "Weights, mean of the population"
        lines = partial(weight_lines, now.history, session, box.width * LONGEST_NAME)
        self.draw_lines(pen, "weights", box, words, lines, session, now.history, segmented)

    def draw_lines(
        self,
        pen: Pen,
        name: str,
        box: Box,
        words: str,
        lines: Lines,
        session: Session,
        history: History,
        segmented: bool,
    ) -> None:
        """Draw a chart in its panel, anew if there are more generations."""
        shows = words, len(history), id(history), segmented
        step = "episode" if session.learns_alone else "generation"
        paint = partial(paint_chart, words, step, lines, segmented)
        self.drawn = self.pictures.draw(pen, name, box, shows, paint, later=self.drawn)


def paint_chart(words: str, step: str, lines: Lines, segmented: bool, pen: Pen, box: Box) -> None:
    """Draw a panel with a chart in it."""
    if segmented:
        inside = pen.panel(box)
        inside = Box(inside.left, inside.top + 40, inside.width, inside.height - 40)
        pen.text(pen.cut(words, inside.width, 14, True), (inside.left, inside.top + 8), 14, True, DIM)
        inside = Box(inside.left, inside.top + 28, inside.width, inside.height - 28)
    else:
        aside = f"by {step}" if pen.width_of(words, 14, True) + 120 < box.width else ""
        inside = pen.panel(box, words, aside)
    draw_chart(pen, inside, lines(pen), steps=True, nothing=SOON[step])


def fitness_lines(history: History, session: Session, pen: Pen) -> list[Series]:
    """The best and the mean, or the lines of a Q-learner."""
    colours, found = (ACCENT, SECOND), []
    for number, (name, values) in enumerate(history.curves.items()):
        last = fitness_words(float(values[-1]), session.recipe.games) if len(values) else DASH
        found.append(Series(name, values.tolist(), colours[number], last, area=number == 1))
    return found


def weight_lines(history: History, session: Session, longest: float, pen: Pen) -> list[Series]:
    """The weights that matter most in the end."""
    if not len(history):
        return []
    alike = [place for place, name in enumerate(history.names) if is_weight(name, session)]
    size = {place: float(np.nanmax(np.abs(history.weights[-10:, place]), initial=0.0)) for place in alike}
    chosen = sorted(sorted(alike, key=lambda place: -size[place])[:MOST_LINES])
    found = []
    for number, place in enumerate(chosen):
        values = history.weights[:, place]
        name = in_words(history.names[place])
        if session.recipe.agent.design == "curves" and not session.learns_alone:
            name = name.removesuffix(" weight")
        name = pen.cut(name[:1].upper() + name[1:], longest, 13, True)
        last = figure(float(values[-1]), 2) if math.isfinite(values[-1]) else DASH
        found.append(Series(name, values.tolist(), series(number), last))
    return found


def is_weight(name: str, session: Session) -> bool:
    """Whether a number is a weight; others are of another kind and do not fit on the same scale."""
    design = "weights" if session.learns_alone else session.recipe.agent.design
    return name.endswith(" weight") if design == "curves" else name != "threshold"


def draw_generation(ui: Ui, box: Box, compact: bool, session: Session, now: Snapshot) -> int:
    """Where training is; gives back how many generations the person wants to go on, where they can be browsed."""
    pen = ui.pen
    inside = pen.panel(box)
    left, middle = inside.left, box.top + 24
    word = "Episode" if session.learns_alone else "Generation"
    pen.text(word, (left, middle), 14, True, DIM)
    after = left + pen.width_of(word, 14, True) + 12
    steps, after = draw_browsing(ui, after, middle) if isinstance(session, Attached) else (0, after)
    hero = f"{now.step:,}" if now.step else DASH
    size = 34 if compact or len(hero) > 3 else 48
    pen.text(hero, (left, box.top + (56 if compact else 60)), size, True, STRONG)
    beside = left + pen.width_of(hero, size, True) + 10
    pen.text(f"of {now.planned:,}", (beside, box.top + (60 if compact else 67)), 18, False, DIM)
    figures = figures_of(session, now)
    if compact:
        place, row, shares = left, box.top + 94, (0.0, 0.42, 0.72, 1.0)
    else:
        place, row, shares = max(left + 164, after + 10), middle, (0.0, 0.375, 0.75, 1.0)
    for number, (label, value) in enumerate(figures):
        x, end = (place + round(share * (inside.right - place)) for share in shares[number : number + 2])
        width = end - x
        small = next((fit for fit in (22, 19, 16, 14) if pen.width_of(value, fit, True) <= width - 4), 13)
        pen.text(label, (x, row), 14, False, DIM)
        pen.text(value, (x, row + (24 if compact else 42)), small, True, ACCENT if label == "Best" else STRONG)
    words, told, share = progress_of(session, now)
    words = pen.cut(words, inside.width - pen.width_of(told, 14) - 8, 14)
    pen.progress(inside, words, told, share)
    return steps


def draw_browsing(ui: Ui, left: int, middle: int) -> tuple[int, int]:
    """Two keys that go to the generation before and to the next; tells which was used, and where they end."""
    steps = 0
    for label, step in (("PgUp", -1), ("PgDn", 1)):
        box = Box(left, middle - 12, ui.pen.keycap_width(label), 24)
        touch = ui.control(f"generation {label}", box, radius=6, key=label)
        ui.pen.keycap((left, middle), label, "pressed" if touch.pressed else "")
        steps += step * touch.activated
        left = box.right + 6
    return steps, left


def figures_of(session: Session, now: Snapshot) -> list[tuple[str, str]]:
    """Labels and numbers of a moment."""
    boards, games = now.boards, session.recipe.games
    if session.learns_alone:
        known = (
            [DASH] * 3 if boards is None else [f"{int(n[0]):,}" for n in (boards.lines, boards.score, boards.pieces)]
        )
        return list(zip(("Lines", "Score", "Pieces"), known, strict=True))
    if boards is None:
        return [("Playing", DASH), ("Best", DASH), ("Mean", DASH)]
    best, mean = (fitness_words(float(number), games) for number in (boards.fitness.max(), boards.fitness.mean()))
    return [("Playing", f"{int(boards.playing.sum()):,} of {len(boards):,}"), ("Best", best), ("Mean", mean)]


def progress_of(session: Session, now: Snapshot) -> tuple[str, str, float]:
    """What a bar tells, in words, in figures and as a share."""
    boards, state = now.boards, now.state
    if state is not State.PLAYING or boards is None:
        unknown = boards is None or state is State.PREPARING
        kept = f". Kept as {session.folder.name}" if state is State.FINISHED else ""
        return state.value + kept, "", 0.0 if unknown else 1.0
    words = "Paused at move" if now.paused else "Move"
    words = f"{boards.games:,} games each, {words.lower()}" if boards.games > 1 else words
    if boards.most_moves is not None:
        return words, f"{boards.move:,} of {boards.most_moves:,}", boards.move / max(1, boards.most_moves)
    out = len(boards) - int(boards.playing.sum())
    return f"{words} {boards.move:,}", f"{out:,} of {len(boards):,} are out", out / len(boards)


def draw_result(pen: Pen, box: Box, compact: bool, number: str, unit: str, words: str) -> None:
    """What a run came to."""
    inside = pen.panel(box, "Result", words)
    pen.text(number, (inside.left, box.top + 56), 24, True, ACCENT)
    left, middle = inside.left + pen.width_of(number, 24, True) + 10, box.top + 58
    if compact:
        left, middle = inside.left, box.top + 84
    pen.text(pen.cut(unit, inside.right - left, 14), (left, middle), 14, False, DIM)


def result_of(run: Run) -> tuple[str, str, str] | None:
    """A finished run's figure, its unit, and where the best comes from."""
    result = run.result
    if not run.finished or result is None:
        return None
    name = headline(run)
    games = f"{result['held_out']['games']:,} held-out games"
    return measured(result, name), f"{MEASURED[name]} a game, in {games}", f"from {result['origin']}"
