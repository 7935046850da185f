"""Pictures of a run: how fitness, weights and the games that nobody trained on went, generation by generation."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tetrion.drawing.palette import ACCENT, NORMAL_TEXT, SECOND_ACCENT, SERIES_COLOURS, get_series_colour
from tetrion.errors import RunError
from tetrion.evaluation.number_format import format_mean_interval, format_name, format_number
from tetrion.lab.figure_charts import (
    CHART_FONT_SIZE,
    Chart,
    ChartValues,
    FigureSize,
    LineLabel,
    apply_chart_style,
    make_message_figure,
    measure_text_width,
    render_figure,
)
from tetrion.lab.run_summary import (
    compute_held_out_fitness,
    compute_held_out_interval,
    compute_running_mean,
    describe_fitness,
    describe_status,
    describe_validation_score,
    get_final_result,
    get_step_name,
)
from tetrion.training.recipe import Q_LEARNING_NAME
from tetrion.training.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DEFAULT_PLOT_SIZE = FigureSize(880, 480)
_MAX_WEIGHTS = 12  # that a chart has room for
_MAX_SCATTER_GENERATIONS = 400  # whose individuals are drawn
_MAX_NAMED_SEEDS = 12  # that have a colour and a name each
_MIN_RUNNING_MEAN_WINDOW = 20  # episodes that a running mean is of, or a tenth of all where that is more
_THIRD_COLOUR, _FOURTH_COLOUR = SERIES_COLOURS[2], SERIES_COLOURS[3]


class Plot(NamedTuple):
    """A picture of a run: its name as a file, what it shows in words, and how it is drawn in a size."""

    name: str
    description: str
    draw: "Callable[[FigureSize], Figure]"

    def render(self, file_type: str, size: FigureSize = DEFAULT_PLOT_SIZE) -> bytes:
        """The picture as a .png, .svg or .pdf file; equal runs give equal bytes."""
        with apply_chart_style():
            return render_figure(self.draw(size), file_type)


def make_run_plots(run: Run) -> list[Plot]:
    """Every picture of a run, of one that has not finished too."""
    if not run.generation_count:
        raise RunError(
            f"{run.folder} has no {get_step_name(run)} yet, so there is nothing to draw. Go on with it: "
            f"`tetrion train --resume {run.folder}`."
        )
    by = f"over {run.generation_count:,} {get_step_name(run)}s"
    weights = Plot("weights", f"The favourite's numbers {by}", lambda size: draw_incumbent_parameters(run, size))
    judged = Plot(
        "held-out",
        f"How favourites fare in games that trained nobody, {by}",
        lambda size: draw_validation_scores(run, size),
    )
    if run.recipe.learner == Q_LEARNING_NAME:
        return [
            Plot("lines", f"Lines an episode {by}", lambda size: draw_episode_lines(run, size)),
            weights,
            Plot("error", f"The learner's mean error {by}", lambda size: draw_learning_error(run, size)),
            judged,
        ]
    return [
        Plot("individuals", f"The fitness of every individual {by}", lambda size: draw_candidate_fitness(run, size)),
        Plot("quartiles", f"Mean and quartiles of fitness {by}", lambda size: draw_fitness_quartiles(run, size)),
        weights,
        judged,
    ]


def make_run_chart(run: Run, size: FigureSize, title: str, legend: str = "") -> Chart:
    """An empty chart over a run's steps."""
    return Chart(size, title, f"by {get_step_name(run)}", run.generation_count, legend)


def make_placeholder_figure(run: Run, size: FigureSize, title: str) -> "Figure | None":
    """What is shown instead of lines with a single point."""
    return (
        make_message_figure(size, title, f"Appears after the second {get_step_name(run)}.")
        if run.generation_count < 2
        else None
    )


def draw_candidate_fitness(run: Run, size: FigureSize) -> "Figure":
    """Every individual's fitness, the mean and the middle half (Gavrilov 2023, Figures 68 and 69)."""
    metrics = run.metrics
    step = -(-run.generation_count // _MAX_SCATTER_GENERATIONS)
    some = f" of every {step}th generation" if step > 1 else ""
    chart = make_run_chart(
        run, size, f"Fitness, {describe_fitness(run)}", f"Point: an individual{some} · band: the middle half"
    )
    chart.choose_scale(np.concatenate([metrics["max"], metrics["mean"]]))
    shown = range(0, run.generation_count, step)
    fitness = [run.load_population(number).fitness for number in shown]
    steps = np.repeat(np.array(shown) + 1, [len(part) for part in fitness])
    chart.draw_points(steps, np.concatenate(fitness), ACCENT)
    chart.line_labels.append(
        LineLabel("Best", format_number(float(metrics["max"][-1])), float(metrics["max"][-1]), ACCENT)
    )
    chart.draw_band(metrics["q1"], metrics["q3"], SECOND_ACCENT)
    chart.draw_line("Mean", metrics["mean"], SECOND_ACCENT)
    mark_piece_limit_changes(chart, metrics["max_pieces"])
    return chart.finish()


def mark_piece_limit_changes(chart: Chart, max_pieces: ChartValues) -> None:
    """Where games were allowed to last longer, from which on fitness cannot be compared with what it was before."""
    rows: list[float] = []  # up to where each row of words is taken
    for place in np.flatnonzero(np.diff(max_pieces)) + 1:
        most = int(max_pieces[place])
        words = f"up to {most:,} pieces" if most else "games without an end"
        share = (place + 1) / chart.step_count
        begin, end = (
            share * chart.size.width,
            share * chart.size.width + measure_text_width(words, CHART_FONT_SIZE) + 12,
        )
        row = next((number for number, taken in enumerate(rows) if taken <= begin), len(rows))
        rows[row : row + 1] = [end]
        chart.annotate_step(place + 0.5, words, row)


def draw_fitness_quartiles(run: Run, size: FigureSize) -> "Figure":
    """Mean, first and third quartile alone (the figures of Hindi et al. 2018)."""
    title = f"Mean and quartiles, {describe_fitness(run)}"
    if figure := make_placeholder_figure(run, size, title):
        return figure
    chart, metrics = make_run_chart(run, size, title), run.metrics
    chart.choose_scale(np.concatenate([metrics["q3"], metrics["mean"]]))
    for name, column, colour in (
        ("3rd quartile", "q3", _THIRD_COLOUR),
        ("Mean", "mean", SECOND_ACCENT),
        ("1st quartile", "q1", _FOURTH_COLOUR),
    ):
        chart.draw_line(name, metrics[column], colour)
    mark_piece_limit_changes(chart, metrics["max_pieces"])
    return chart.finish()


def draw_incumbent_parameters(run: Run, size: FigureSize) -> "Figure":
    """The favourite's numbers, those that end largest where there are many."""
    title = "Weights of the favourite" if run.recipe.agent.design == "weights" else "Numbers of the favourite"
    if figure := make_placeholder_figure(run, size, title):
        return figure
    last = np.nan_to_num(np.abs(run.incumbents[-1]))
    shown = sorted(np.argsort(-last, kind="stable")[:_MAX_WEIGHTS].tolist())
    some = f"The {_MAX_WEIGHTS} largest of {len(last)}" if len(last) > _MAX_WEIGHTS else ""
    chart = make_run_chart(run, size, title, some)
    for order, place in enumerate(shown):
        name = format_name(run.parameter_names[place])
        chart.draw_line(
            name, run.incumbents[:, place], get_series_colour(order), 2, is_dashed=order >= len(SERIES_COLOURS)
        )
    return chart.finish()


def draw_validation_scores(run: Run, size: FigureSize) -> "Figure":
    """How favourites were judged, and the result's mean with its interval."""
    title = f"Judged on other games, {describe_validation_score(run)}"
    if figure := make_placeholder_figure(run, size, title):
        return figure
    judge, judged = run.recipe.validation, run.metrics["validation"]
    key = f"Line: favourites in {judge.games:,} game{'s'[: judge.games != 1]} each"
    key = key if np.isfinite(judged).any() else "No favourite was judged while it trained"
    result = get_final_result(run)
    if result:
        key += f" · dashed: the result in {result['held_out']['games']:,} held-out games, with its 95 % interval"
    chart = make_run_chart(run, size, title, key)
    final = compute_held_out_fitness(run, result) if result else np.nan
    chart.choose_scale(np.append(judged, final))
    chart.draw_line("Favourite", judged, ACCENT)
    if result:
        draw_held_out_result(chart, final, compute_held_out_interval(run, result))
    return chart.finish()


def draw_held_out_result(chart: Chart, fitness: float, interval: tuple[float, float] | None) -> None:
    """The result as a dashed line, with its interval where there is one."""
    low, high = interval or (fitness, fitness)
    chart.include_values(low, high)
    chart.axes.axhspan(low, high, color=SECOND_ACCENT, alpha=0.16, linewidth=0, zorder=2)
    chart.axes.axhline(fitness, color=SECOND_ACCENT, linewidth=1.5, dashes=(4, 3), zorder=3)
    chart.line_labels.append(LineLabel("Result", format_mean_interval(fitness, interval), fitness, SECOND_ACCENT))


def draw_episode_lines(run: Run, size: FigureSize) -> "Figure":
    """Lines of every episode and their running mean."""
    lines, width = run.metrics["lines"], max(_MIN_RUNNING_MEAN_WINDOW, run.generation_count // 10)
    chart = make_run_chart(run, size, "Lines an episode", f"Point: an episode · line: the mean of the last {width:,}")
    chart.choose_scale(lines)
    chart.draw_points(np.arange(len(lines)) + 1, lines, ACCENT)
    chart.draw_line("Mean", compute_running_mean(lines, width), SECOND_ACCENT)
    return chart.finish()


def draw_learning_error(run: Run, size: FigureSize) -> "Figure":
    """The mean size of the learner's error in every episode."""
    title = "Error, mean size in an episode"
    if figure := make_placeholder_figure(run, size, title):
        return figure
    chart = make_run_chart(run, size, title)
    chart.choose_scale(run.metrics["mean_abs_error"])
    chart.draw_line("Error", run.metrics["mean_abs_error"], ACCENT)
    return chart.finish()


def make_seeds_plot(runs: Sequence[Run]) -> Plot:
    """How the runs of several seeds compare."""
    if not any(run.generation_count for run in runs):
        raise RunError(
            f"{runs[0].folder.parent} has no run with a finished {get_step_name(runs[0])} yet: nothing to draw."
        )
    words = f"How favourites of {len(runs)} seeds fare in games that trained nobody, and what each came to"
    return Plot("seeds", words, lambda size: draw_seeds(runs, size))


def draw_seeds(runs: Sequence[Run], size: FigureSize) -> "Figure":
    """Favourites' held-out games, a line a seed, and at the right end what each seed came to."""
    steps, few = max(run.generation_count for run in runs), len(runs) <= _MAX_NAMED_SEEDS
    key = "Line: favourites, judged on other games · dot: the result in held-out games"
    results = [get_final_result(run) for run in runs]
    chart = Chart(
        size,
        f"Judged and held-out games, {describe_validation_score(runs[0])}",
        f"by {get_step_name(runs[0])}",
        steps,
        key,
    )
    pairs = list(zip(runs, results, strict=True))
    finals = [compute_held_out_fitness(run, result) if result else np.nan for run, result in pairs]
    chart.choose_scale(np.concatenate([finals, *(run.metrics["validation"] for run in runs)]))
    chart.extra_steps = max(1.0, 0.04 * steps) * min(len(runs), _MAX_NAMED_SEEDS) / 4
    for number, (run, final) in enumerate(zip(runs, finals, strict=True)):
        colour = get_series_colour(number) if few else ACCENT
        chart.draw_line("", run.metrics["validation"], colour, opacity=1 if few else 0.35)
        draw_seed_result(chart, run, final, steps + chart.extra_steps * (number + 1) / (len(runs) + 1), colour)
        if few:
            words = format_number(final) if np.isfinite(final) else describe_status(run)
            chart.line_labels.append(
                LineLabel(f"Seed {run.recipe.seed}", words, final if np.isfinite(final) else 0.0, colour)
            )
    known = np.array(finals)[np.isfinite(finals)]
    if known.size > 1:
        marks = {"Mean": float(known.mean())}
        marks |= {} if few else {"Best": float(known.max()), "Worst": float(known.min())}
        chart.line_labels += [
            LineLabel(name, format_number(height), height, NORMAL_TEXT) for name, height in marks.items()
        ]
    return chart.finish()


def draw_seed_result(chart: Chart, run: Run, fitness: float, x: float, colour: str) -> None:
    """What a seed came to."""
    result = get_final_result(run)
    if result is None:
        return
    low, high = compute_held_out_interval(run, result) or (fitness, fitness)
    chart.include_values(low, high)
    chart.axes.plot([x, x], [low, high], color=colour, linewidth=1.5, zorder=4)
    chart.axes.plot([x], [fitness], color=colour, marker="o", markersize=6, zorder=5, clip_on=False)
