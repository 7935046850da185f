"""Panels next to the boards of a generation: progress, result of the run, fitness and weight charts."""

import math
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tetrion.app.evolution.evolution_session import EvolutionSession, SessionSnapshot, SessionState
from tetrion.app.evolution.followed_run import FollowedRun
from tetrion.app.evolution.run_history import RunHistory
from tetrion.app.screens.evolution_result import ResultPanel, RunResult, load_run_result
from tetrion.app.screens.evolution_tiles import format_fitness
from tetrion.app.toolkit.controls import compute_segments_width, draw_segments
from tetrion.app.toolkit.header_footer import ScreenArea
from tetrion.app.toolkit.surface_cache import SurfaceCache
from tetrion.app.toolkit.ui import Ui
from tetrion.drawing.line_charts import ChartLine, draw_chart
from tetrion.drawing.palette import ACCENT, DIM_TEXT, SECOND_ACCENT, STRONG_TEXT, get_series_colour
from tetrion.drawing.pen import PANEL_TITLE_OFFSET, Box, Pen
from tetrion.evaluation.number_format import NO_VALUE, format_name, format_number
from tetrion.training.fitness import FITNESS_DESCRIPTIONS

_GENERATION_PANEL_HEIGHT = 148
_COMPACT_GENERATION_PANEL_HEIGHT = 188
_NARROW_BELOW_WIDTH = 400  # units; in narrower panels, the figures are below the generation number
_MIN_HEIGHT_FOR_TWO_CHARTS = 340  # units
_MIN_CHART_HEIGHT = 172  # units, of a chart with tabs
_CHART_TABS = ("Fitness", "Weights")
_TABS_HEIGHT = 40
_TITLE_BELOW_TABS_HEIGHT = 28
_MIN_HEIGHT_FOR_STEPS = 64  # units; lower charts have no step numbers
_MAX_WEIGHT_SERIES = 5
_MAX_NAME_WIDTH_SHARE = 0.3  # of a chart's width
SeriesFactory = Callable[[Pen], list[ChartLine]]


class ChartContent(NamedTuple):
    """Title and series of a chart, and the unit of its horizontal axis."""

    title: str
    step: str  # such as "generation"
    make_series: SeriesFactory
    has_tabs: bool


class EvolutionPanels:
    """Right-hand side of the evolution screen."""

    def __init__(self) -> None:
        self.pictures = SurfaceCache()
        self.selected_chart = 0
        self.has_redrawn_chart = False  # at most one chart is redrawn per frame
        self.result: RunResult | None = None
        self._is_result_damaged = False

    def draw(
        self, ui: Ui, box: Box, screen_area: ScreenArea, session: EvolutionSession, snapshot: SessionSnapshot
    ) -> int:
        """Draw all panels; return the number of generations to move, selected by the keys PgUp and PgDn."""
        narrow = box.width < _NARROW_BELOW_WIDTH
        self.has_redrawn_chart = False
        steps = 0
        remaining = box
        has_ended = self.result is not None and snapshot.state is SessionState.FINISHED
        if not has_ended:
            height = _COMPACT_GENERATION_PANEL_HEIGHT if narrow else _GENERATION_PANEL_HEIGHT
            steps = draw_generation(ui, Box(*box.topleft, box.width, height), narrow, session, snapshot)
            remaining = cut_top(remaining, height + screen_area.gap)
        if self.result:
            max_height = remaining.height - screen_area.gap - _MIN_CHART_HEIGHT
            saved_as = session.folder.name if has_ended else ""
            panel = ResultPanel(ui.pen, remaining.width, max_height, self.result, saved_as=saved_as)
            panel.draw(ui.pen, Box(*remaining.topleft, remaining.width, panel.height))
            remaining = cut_top(remaining, panel.height + screen_area.gap)
        half = (remaining.height - screen_area.gap) // 2
        if screen_area.is_compact or remaining.height < _MIN_HEIGHT_FOR_TWO_CHARTS:
            self.draw_selected_chart(ui, remaining, session, snapshot)
        else:
            self.draw_fitness_chart(ui.pen, Box(*remaining.topleft, remaining.width, half), session, snapshot)
            below = cut_top(remaining, half + screen_area.gap)
            self.draw_weights_chart(ui.pen, below, session, snapshot)
        return steps

    def load_result(self, folder: Path) -> str:
        """Load the result of a finished run, unless it is known; return an error message if it is damaged, else ""."""
        if self.result or self._is_result_damaged:
            return ""
        result = load_run_result(folder)
        if isinstance(result, str):
            self._is_result_damaged = True
            return result
        self.result = result
        return ""

    def draw_selected_chart(self, ui: Ui, box: Box, session: EvolutionSession, snapshot: SessionSnapshot) -> None:
        """Draw the selected chart, where there is space for one chart only."""
        draw_selected = (self.draw_fitness_chart, self.draw_weights_chart)[self.selected_chart]
        draw_selected(ui.pen, box, session, snapshot, with_tabs=True)
        tabs_box = Box(box.left + 12, box.top + 10, box.width - 24, 36)
        self.selected_chart = draw_segments(ui, "charts", tabs_box, _CHART_TABS, self.selected_chart)

    def draw_fitness_chart(
        self, pen: Pen, box: Box, session: EvolutionSession, snapshot: SessionSnapshot, with_tabs: bool = False
    ) -> None:
        """Draw the fitness per generation, or the curve of a learner without a population."""
        title = f"Fitness, {FITNESS_DESCRIPTIONS[session.recipe.games.fitness]}"
        if session.is_single_learner:
            title = f"{next(iter(session.recipe.learner_type.curves))} per {session.step_name}"
        title += ", sum of all games" if session.recipe.games.sum_games else ""
        make_series = partial(make_fitness_series, snapshot.history, session)
        content = ChartContent(title, session.step_name, make_series, with_tabs)
        self.draw_cached_chart(pen, "fitness", box, content, snapshot.history)

    def draw_weights_chart(
        self, pen: Pen, box: Box, session: EvolutionSession, snapshot: SessionSnapshot, with_tabs: bool = False
    ) -> None:
        """Draw the weights per generation."""
        title = "Weights" if session.is_single_learner else "Weights, mean of the population"
        make_series = partial(make_weight_series, snapshot.history, session, box.width * _MAX_NAME_WIDTH_SHARE)
        content = ChartContent(title, session.step_name, make_series, with_tabs)
        self.draw_cached_chart(pen, "weights", box, content, snapshot.history)

    def draw_cached_chart(self, pen: Pen, name: str, box: Box, content: ChartContent, history: RunHistory) -> None:
        """Draw a chart in its panel, from the cache unless there are new generations."""
        cache_key = content.title, len(history), id(history), content.has_tabs
        paint = partial(draw_chart_panel, content)
        self.has_redrawn_chart = self.pictures.draw(
            pen, name, box, cache_key, paint, may_be_stale=self.has_redrawn_chart
        )


def cut_top(box: Box, height: int) -> Box:
    """Return the part of a box below its uppermost `height` units."""
    return Box(box.left, box.top + height, box.width, box.height - height)


def draw_chart_panel(content: ChartContent, pen: Pen, box: Box) -> None:
    """Draw a panel that contains a chart."""
    title = content.title
    if content.has_tabs:
        inside = draw_title_with_tabs(pen, box, title)
    else:
        right_text = f"by {content.step}" if pen.measure_text(title, 14, True) + 120 < box.width else ""
        inside = pen.draw_panel(box, title, right_text)
    empty_message = f"Appears after the second {content.step}."
    show_steps = inside.height >= _MIN_HEIGHT_FOR_STEPS
    draw_chart(pen, inside, content.make_series(pen), show_steps=show_steps, empty_message=empty_message)


def draw_title_with_tabs(pen: Pen, box: Box, title: str) -> Box:
    """Draw a panel and its title, left of the tabs or below them; return the space for the chart.

    In a low panel, a title that does not fit next to the tabs is left out: the chart needs the space.
    """
    inside = cut_top(pen.draw_panel(box), _TABS_HEIGHT)
    tabs_width = compute_segments_width(pen, _CHART_TABS)
    if pen.measure_text(title, 14, True) + 16 + tabs_width <= inside.width:
        pen.draw_text(title, (inside.left, box.top + PANEL_TITLE_OFFSET + 4), 14, True, DIM_TEXT)
        return inside
    if box.height < _MIN_CHART_HEIGHT:
        return inside
    pen.draw_text(pen.truncate_text(title, inside.width, 14, True), (inside.left, inside.top + 8), 14, True, DIM_TEXT)
    return cut_top(inside, _TITLE_BELOW_TABS_HEIGHT)


def make_fitness_series(history: RunHistory, session: EvolutionSession, pen: Pen) -> list[ChartLine]:
    """Return the series of best and mean fitness, or of a learner without a population and its moving mean."""
    colours = (ACCENT, SECOND_ACCENT)
    series = []
    for number, (name, values) in enumerate(history.curves.items()):
        last = format_fitness(float(values[-1]), session.recipe.games) if len(values) else NO_VALUE
        series.append(ChartLine(name, values.tolist(), colours[number], last, has_area=number == 1))
    return series


def make_weight_series(
    history: RunHistory, session: EvolutionSession, max_name_width: float, pen: Pen
) -> list[ChartLine]:
    """Return the series of the weights with the largest recent absolute values."""
    if not len(history):
        return []
    weights = [index for index, name in enumerate(history.weight_names) if is_weight_name(name, session)]
    size = {index: float(np.nanmax(np.abs(history.mean_weights[-10:, index]), initial=0.0)) for index in weights}
    chosen = sorted(sorted(weights, key=lambda index: -size[index])[:_MAX_WEIGHT_SERIES])
    series = []
    for number, index in enumerate(chosen):
        values = history.mean_weights[:, index]
        name = format_name(history.weight_names[index])
        if session.recipe.agent.design == "curves":
            name = name.removesuffix(" weight")
        name = pen.truncate_text(name[:1].upper() + name[1:], max_name_width, 13, True)
        last = format_number(float(values[-1]), 2) if math.isfinite(values[-1]) else NO_VALUE
        series.append(ChartLine(name, values.tolist(), get_series_colour(number), last))
    return series


def is_weight_name(name: str, session: EvolutionSession) -> bool:
    """Return whether a parameter is a weight; other parameters do not fit the scale of the chart."""
    return name.endswith(" weight") if session.recipe.agent.design == "curves" else name != "threshold"


def draw_generation(ui: Ui, box: Box, compact: bool, session: EvolutionSession, snapshot: SessionSnapshot) -> int:
    """Draw the progress panel; return the number of generations to move, if they can be browsed."""
    pen = ui.pen
    inside = pen.draw_panel(box)
    left, middle = inside.left, box.top + 24
    label = session.step_name.capitalize()
    pen.draw_text(label, (left, middle), 14, True, DIM_TEXT)
    after = left + pen.measure_text(label, 14, True) + 12
    steps, after = draw_generation_keys(ui, after, middle) if isinstance(session, FollowedRun) else (0, after)
    number = f"{snapshot.generation:,}" if snapshot.generation else NO_VALUE
    size = 34 if compact or len(number) > 3 else 48
    pen.draw_text(number, (left, box.top + (56 if compact else 60)), size, True, STRONG_TEXT)
    of_left = left + pen.measure_text(number, size, True) + 10
    pen.draw_text(f"of {snapshot.max_generations:,}", (of_left, box.top + (60 if compact else 67)), 18, False, DIM_TEXT)
    figures = make_generation_figures(session, snapshot)
    if compact:
        figures_left = left
        figures_top = box.top + 94
        shares = (0.0, 0.42, 0.72, 1.0)
    else:
        figures_left = max(left + 164, after + 10)
        figures_top = middle
        shares = (0.0, 0.375, 0.75, 1.0)
    for index, (figure_label, value) in enumerate(figures):
        x, end = (figures_left + round(share * (inside.right - figures_left)) for share in shares[index : index + 2])
        width = end - x
        font_size = next((fit for fit in (22, 19, 16, 14) if pen.measure_text(value, fit, True) <= width - 4), 13)
        pen.draw_text(figure_label, (x, figures_top), 14, False, DIM_TEXT)
        colour = ACCENT if figure_label == "Best" else STRONG_TEXT
        pen.draw_text(value, (x, figures_top + (24 if compact else 42)), font_size, True, colour)
    text, figures_text, share = make_generation_progress(session, snapshot)
    text = pen.truncate_text(text, inside.width - pen.measure_text(figures_text, 14) - 8, 14)
    pen.draw_progress(inside, text, figures_text, share)
    return steps


def draw_generation_keys(ui: Ui, left: int, middle: int) -> tuple[int, int]:
    """Draw the keys PgUp and PgDn; return the number of generations to move and the right edge."""
    steps = 0
    for label, step in (("PgUp", -1), ("PgDn", 1)):
        box = Box(left, middle - 12, ui.pen.measure_keycap(label), 24)
        control = ui.add_control(f"generation {label}", box, radius=6, key=label)
        ui.pen.draw_keycap((left, middle), label, "pressed" if control.is_pressed else "")
        steps += step * control.is_activated
        left = box.right + 6
    return steps, left


def make_generation_figures(session: EvolutionSession, snapshot: SessionSnapshot) -> list[tuple[str, str]]:
    """Return labels and values of the current boards."""
    boards, games = snapshot.boards, session.recipe.games
    if session.is_single_learner:
        values = (
            [NO_VALUE] * 3
            if boards is None
            else [f"{int(n[0]):,}" for n in (boards.lines, boards.score, boards.pieces)]
        )
        return list(zip(("Lines", "Score", "Pieces"), values, strict=True))
    if boards is None:
        return [("Playing", NO_VALUE), ("Best", NO_VALUE), ("Mean", NO_VALUE)]
    best, mean = (format_fitness(float(number), games) for number in (boards.fitness.max(), boards.fitness.mean()))
    return [("Playing", f"{int(boards.is_playing.sum()):,} of {len(boards):,}"), ("Best", best), ("Mean", mean)]


def make_generation_progress(session: EvolutionSession, snapshot: SessionSnapshot) -> tuple[str, str, float]:
    """Return the text, the figures and the filled share of the progress bar."""
    boards, state = snapshot.boards, snapshot.state
    if state is not SessionState.PLAYING or boards is None:
        unknown = boards is None or state is SessionState.PREPARING
        saved_as = f". Saved as {session.folder.name}" if state is SessionState.FINISHED else ""
        return state.value.format(step=session.step_name) + saved_as, "", 0.0 if unknown else 1.0
    text = "Paused at move" if snapshot.is_paused else "Move"
    text = f"{boards.games_per_candidate:,} games each, {text.lower()}" if boards.games_per_candidate > 1 else text
    if boards.max_pieces is not None:
        return (
            text,
            f"{boards.pieces_placed:,} of {boards.max_pieces:,}",
            boards.pieces_placed / max(1, boards.max_pieces),
        )
    topped_out = len(boards) - int(boards.is_playing.sum())
    return f"{text} {boards.pieces_placed:,}", f"{topped_out:,} of {len(boards):,} topped out", topped_out / len(boards)
