"""Beside the boards: the generation, what the run came to, and its curves."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np

from tetrion.app.evolution.evolution_session import EvolutionSession, SessionSnapshot, SessionState
from tetrion.app.evolution.followed_run import FollowedRun
from tetrion.app.evolution.run_history import RunHistory
from tetrion.app.screens.evolution_tiles import format_fitness
from tetrion.app.toolkit.controls import draw_segments
from tetrion.app.toolkit.header_footer import ScreenArea
from tetrion.app.toolkit.surface_cache import SurfaceCache
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.palette import ACCENT, DIM_TEXT, SECOND_ACCENT, STRONG_TEXT, get_series_colour
from tetrion.drawing.pen import Box, Pen
from tetrion.drawing.surface_charts import ChartLine, draw_chart
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.run_summary import RESULT_UNITS, format_held_out_mean, get_headline_metric
from tetrion.training.fitness import FITNESS_DESCRIPTIONS
from tetrion.training.run import Run

_GENERATION_PANEL_HEIGHT = 148
_COMPACT_GENERATION_PANEL_HEIGHT = 188
_RESULT_PANEL_HEIGHT = 88
_COMPACT_RESULT_PANEL_HEIGHT = 108
_NARROW_BELOW_WIDTH = 400  # units of width below which figures stand below the generation
_MIN_HEIGHT_FOR_TWO_CHARTS = 340  # units of height that two charts need
_MAX_WEIGHT_SERIES = 5  # of the weights that are drawn
_MAX_NAME_WIDTH_SHARE = 0.3  # of a chart's width
_NO_VALUE = "–"
SeriesFactory = Callable[[Pen], list[ChartLine]]
_EMPTY_CHART_TEXTS = {
    "generation": "Appears after the second generation.",
    "episode": "Appears after the second episode.",
}


class EvolutionPanels:
    """The right-hand side of the screen."""

    def __init__(self) -> None:
        self.pictures = SurfaceCache()
        self.selected_chart = 0
        self.has_redrawn_chart = False  # whether a chart was drawn anew in this frame: one is enough
        self.result: tuple[str, str, str] | None = None  # its number, its unit, and words

    def draw(self, ui: Ui, box: Box, room: ScreenArea, session: EvolutionSession, snapshot: SessionSnapshot) -> int:
        """Draw all panels; gives back how many generations the person wants to go on."""
        narrow, self.has_redrawn_chart = box.width < _NARROW_BELOW_WIDTH, False
        high = _COMPACT_GENERATION_PANEL_HEIGHT if narrow else _GENERATION_PANEL_HEIGHT
        steps = draw_generation(ui, Box(*box.topleft, box.width, high), narrow, session, snapshot)
        left = Box(box.left, box.top + high + room.gap, box.width, box.height - high - room.gap)
        if self.result:
            high = _COMPACT_RESULT_PANEL_HEIGHT if narrow else _RESULT_PANEL_HEIGHT
            draw_result(ui.pen, Box(*left.topleft, left.width, high), narrow, *self.result)
            left = Box(left.left, left.top + high + room.gap, left.width, left.height - high - room.gap)
        half = (left.height - room.gap) // 2
        if room.is_compact or left.height < _MIN_HEIGHT_FOR_TWO_CHARTS:
            self.draw_selected_chart(ui, left, session, snapshot)
        else:
            self.draw_fitness_chart(ui.pen, Box(*left.topleft, left.width, half), session, snapshot)
            below = Box(left.left, left.top + half + room.gap, left.width, left.height - half - room.gap)
            self.draw_weights_chart(ui.pen, below, session, snapshot)
        return steps

    def draw_selected_chart(self, ui: Ui, box: Box, session: EvolutionSession, snapshot: SessionSnapshot) -> None:
        """Draw one of the charts, where there is room for one."""
        which = (self.draw_fitness_chart, self.draw_weights_chart)[self.selected_chart]
        which(ui.pen, box, session, snapshot, with_tabs=True)
        switch = Box(box.left + 12, box.top + 10, box.width - 24, 36)
        self.selected_chart = draw_segments(ui, "charts", switch, ("Fitness", "Weights"), self.selected_chart)

    def draw_fitness_chart(
        self, pen: Pen, box: Box, session: EvolutionSession, snapshot: SessionSnapshot, with_tabs: bool = False
    ) -> None:
        """How fit everybody was, generation by generation."""
        words = (
            "Lines of an episode"
            if session.is_single_learner
            else f"Fitness, {FITNESS_DESCRIPTIONS[session.recipe.games.fitness]}"
        )
        words += ", all games" if session.recipe.games.sum_games else ""
        lines = partial(make_fitness_series, snapshot.history, session)
        self.draw_cached_chart(pen, "fitness", box, words, lines, session, snapshot.history, with_tabs)

    def draw_weights_chart(
        self, pen: Pen, box: Box, session: EvolutionSession, snapshot: SessionSnapshot, with_tabs: bool = False
    ) -> None:
        """How the weights moved."""
        words = "Weights" if session.is_single_learner else "Weights, mean of the population"
        lines = partial(make_weight_series, snapshot.history, session, box.width * _MAX_NAME_WIDTH_SHARE)
        self.draw_cached_chart(pen, "weights", box, words, lines, session, snapshot.history, with_tabs)

    def draw_cached_chart(
        self,
        pen: Pen,
        name: str,
        box: Box,
        title: str,
        make_series: SeriesFactory,
        session: EvolutionSession,
        history: RunHistory,
        with_tabs: bool,
    ) -> None:
        """Draw a chart in its panel, anew if there are more generations."""
        shows = title, len(history), id(history), with_tabs
        step = "episode" if session.is_single_learner else "generation"
        paint = partial(draw_chart_panel, title, step, make_series, with_tabs)
        self.has_redrawn_chart = self.pictures.draw(pen, name, box, shows, paint, may_be_stale=self.has_redrawn_chart)


def draw_chart_panel(title: str, step: str, make_series: SeriesFactory, with_tabs: bool, pen: Pen, box: Box) -> None:
    """Draw a panel with a chart in it."""
    if with_tabs:
        inside = pen.draw_panel(box)
        inside = Box(inside.left, inside.top + 40, inside.width, inside.height - 40)
        pen.draw_text(
            pen.truncate_text(title, inside.width, 14, True), (inside.left, inside.top + 8), 14, True, DIM_TEXT
        )
        inside = Box(inside.left, inside.top + 28, inside.width, inside.height - 28)
    else:
        aside = f"by {step}" if pen.measure_text(title, 14, True) + 120 < box.width else ""
        inside = pen.draw_panel(box, title, aside)
    draw_chart(pen, inside, make_series(pen), show_steps=True, empty_message=_EMPTY_CHART_TEXTS[step])


def make_fitness_series(history: RunHistory, session: EvolutionSession, pen: Pen) -> list[ChartLine]:
    """The best and the mean, or the lines of a Q-learner."""
    colours, found = (ACCENT, SECOND_ACCENT), []
    for number, (name, values) in enumerate(history.curves.items()):
        last = format_fitness(float(values[-1]), session.recipe.games) if len(values) else _NO_VALUE
        found.append(ChartLine(name, values.tolist(), colours[number], last, has_area=number == 1))
    return found


def make_weight_series(
    history: RunHistory, session: EvolutionSession, max_name_width: float, pen: Pen
) -> list[ChartLine]:
    """The weights that matter most in the end."""
    if not len(history):
        return []
    alike = [place for place, name in enumerate(history.weight_names) if is_weight_name(name, session)]
    size = {place: float(np.nanmax(np.abs(history.mean_weights[-10:, place]), initial=0.0)) for place in alike}
    chosen = sorted(sorted(alike, key=lambda place: -size[place])[:_MAX_WEIGHT_SERIES])
    found = []
    for number, place in enumerate(chosen):
        values = history.mean_weights[:, place]
        name = format_name(history.weight_names[place])
        if session.recipe.agent.design == "curves" and not session.is_single_learner:
            name = name.removesuffix(" weight")
        name = pen.truncate_text(name[:1].upper() + name[1:], max_name_width, 13, True)
        last = format_number(float(values[-1]), 2) if math.isfinite(values[-1]) else _NO_VALUE
        found.append(ChartLine(name, values.tolist(), get_series_colour(number), last))
    return found


def is_weight_name(name: str, session: EvolutionSession) -> bool:
    """Whether a number is a weight; others are of another kind and do not fit on the same scale."""
    design = "weights" if session.is_single_learner else session.recipe.agent.design
    return name.endswith(" weight") if design == "curves" else name != "threshold"


def draw_generation(ui: Ui, box: Box, compact: bool, session: EvolutionSession, snapshot: SessionSnapshot) -> int:
    """Where training is; gives back how many generations the person wants to go on, where they can be browsed."""
    pen = ui.pen
    inside = pen.draw_panel(box)
    left, middle = inside.left, box.top + 24
    word = "Episode" if session.is_single_learner else "Generation"
    pen.draw_text(word, (left, middle), 14, True, DIM_TEXT)
    after = left + pen.measure_text(word, 14, True) + 12
    steps, after = draw_generation_keys(ui, after, middle) if isinstance(session, FollowedRun) else (0, after)
    hero = f"{snapshot.generation:,}" if snapshot.generation else _NO_VALUE
    size = 34 if compact or len(hero) > 3 else 48
    pen.draw_text(hero, (left, box.top + (56 if compact else 60)), size, True, STRONG_TEXT)
    beside = left + pen.measure_text(hero, size, True) + 10
    pen.draw_text(f"of {snapshot.max_generations:,}", (beside, box.top + (60 if compact else 67)), 18, False, DIM_TEXT)
    figures = make_generation_figures(session, snapshot)
    if compact:
        place = left
        row = box.top + 94
        shares = (0.0, 0.42, 0.72, 1.0)
    else:
        place = max(left + 164, after + 10)
        row = middle
        shares = (0.0, 0.375, 0.75, 1.0)
    for number, (label, value) in enumerate(figures):
        x, end = (place + round(share * (inside.right - place)) for share in shares[number : number + 2])
        width = end - x
        small = next((fit for fit in (22, 19, 16, 14) if pen.measure_text(value, fit, True) <= width - 4), 13)
        pen.draw_text(label, (x, row), 14, False, DIM_TEXT)
        pen.draw_text(
            value, (x, row + (24 if compact else 42)), small, True, ACCENT if label == "Best" else STRONG_TEXT
        )
    words, told, share = make_generation_progress(session, snapshot)
    words = pen.truncate_text(words, inside.width - pen.measure_text(told, 14) - 8, 14)
    pen.draw_progress(inside, words, told, share)
    return steps


def draw_generation_keys(ui: Ui, left: int, middle: int) -> tuple[int, int]:
    """Two keys that go to the generation before and to the next; tells which was used, and where they end."""
    steps = 0
    for label, step in (("PgUp", -1), ("PgDn", 1)):
        box = Box(left, middle - 12, ui.pen.measure_keycap(label), 24)
        touch = ui.add_control(f"generation {label}", box, radius=6, key=label)
        ui.pen.draw_keycap((left, middle), label, "pressed" if touch.is_pressed else "")
        steps += step * touch.is_activated
        left = box.right + 6
    return steps, left


def make_generation_figures(session: EvolutionSession, snapshot: SessionSnapshot) -> list[tuple[str, str]]:
    """Labels and numbers of a moment."""
    boards, games = snapshot.boards, session.recipe.games
    if session.is_single_learner:
        known = (
            [_NO_VALUE] * 3
            if boards is None
            else [f"{int(n[0]):,}" for n in (boards.lines, boards.score, boards.pieces)]
        )
        return list(zip(("Lines", "Score", "Pieces"), known, strict=True))
    if boards is None:
        return [("Playing", _NO_VALUE), ("Best", _NO_VALUE), ("Mean", _NO_VALUE)]
    best, mean = (format_fitness(float(number), games) for number in (boards.fitness.max(), boards.fitness.mean()))
    return [("Playing", f"{int(boards.is_playing.sum()):,} of {len(boards):,}"), ("Best", best), ("Mean", mean)]


def make_generation_progress(session: EvolutionSession, snapshot: SessionSnapshot) -> tuple[str, str, float]:
    """What a bar tells, in words, in figures and as a share."""
    boards, state = snapshot.boards, snapshot.state
    if state is not SessionState.PLAYING or boards is None:
        unknown = boards is None or state is SessionState.PREPARING
        kept = f". Kept as {session.folder.name}" if state is SessionState.FINISHED else ""
        return state.value + kept, "", 0.0 if unknown else 1.0
    words = "Paused at move" if snapshot.is_paused else "Move"
    words = f"{boards.games_per_candidate:,} games each, {words.lower()}" if boards.games_per_candidate > 1 else words
    if boards.max_pieces is not None:
        return (
            words,
            f"{boards.pieces_placed:,} of {boards.max_pieces:,}",
            boards.pieces_placed / max(1, boards.max_pieces),
        )
    out = len(boards) - int(boards.is_playing.sum())
    return f"{words} {boards.pieces_placed:,}", f"{out:,} of {len(boards):,} are out", out / len(boards)


def draw_result(pen: Pen, box: Box, compact: bool, number: str, unit: str, caption: str) -> None:
    """What a run came to."""
    inside = pen.draw_panel(box, "Result", caption)
    pen.draw_text(number, (inside.left, box.top + 56), 24, True, ACCENT)
    left, middle = inside.left + pen.measure_text(number, 24, True) + 10, box.top + 58
    if compact:
        left, middle = inside.left, box.top + 84
    pen.draw_text(pen.truncate_text(unit, inside.right - left, 14), (left, middle), 14, False, DIM_TEXT)


def read_run_result(run: Run) -> tuple[str, str, str] | None:
    """A finished run's figure, its unit, and where the best comes from."""
    result = run.result
    if not run.is_finished or result is None:
        return None
    name = get_headline_metric(run)
    games = f"{result['held_out']['games']:,} held-out games"
    return format_held_out_mean(result, name), f"{RESULT_UNITS[name]} a game, in {games}", f"from {result['origin']}"
