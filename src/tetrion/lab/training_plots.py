"""Plots of a training run: fitness, weights and validation scores over the generations; runs in notebooks."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tetrion.drawing.palette import ACCENT, NORMAL_TEXT, SECOND_ACCENT, SERIES_COLOURS, get_series_colour
from tetrion.errors import RunError, TetrionError, describe_value
from tetrion.evaluation.number_format import format_mean_interval, format_name, format_number
from tetrion.lab.figure_charts import (
    DARK_THEME,
    PAPER_COLUMN_WIDTH,
    PIXELS_PER_INCH,
    Chart,
    FigureSize,
    LineLabel,
    apply_chart_style,
    get_text_scale,
    make_message_figure,
    render_figure,
    validate_plot_width,
)
from tetrion.lab.run_summary import (
    compute_held_out_fitness,
    compute_held_out_interval,
    compute_running_mean,
    describe_capped_games,
    describe_fitness,
    describe_held_out_games,
    describe_status,
    describe_validation_score,
    find_kept_step,
    get_final_result,
)
from tetrion.notebook_display import make_short_repr, render_html_table, render_picture
from tetrion.training.learner import LEARNERS, Learner
from tetrion.training.run import Run
from tetrion.training.run_writer import format_resume_call

if TYPE_CHECKING:
    from matplotlib.figure import Figure


DEFAULT_PLOT_SIZE = FigureSize(880, 480)
NOTEBOOK_PLOT_SIZE = FigureSize(720, 360)
_MIN_PLOT_HEIGHT = 240  # pixels
_MAX_WEIGHTS = 12  # lines in one chart
_MAX_SCATTER_GENERATIONS = 400  # generations whose candidates are drawn
_MAX_NAMED_SEEDS = 12  # with more seeds, lines have no colour and name of their own
_MIN_RUNNING_MEAN_WINDOW = 20  # episodes; a tenth of all episodes if that is more
_THIRD_COLOUR, _FOURTH_COLOUR = SERIES_COLOURS[2], SERIES_COLOURS[3]


class Plot(NamedTuple):
    """A plot of a run: its file name without ending, its description, and a function that draws it in a size."""

    name: str
    description: str
    draw: "Callable[[FigureSize], Figure]"

    def render(
        self, file_type: str, size: FigureSize | None = None, *, theme: str = DARK_THEME, width: float | None = None
    ) -> bytes:
        """Return the plot as a .png, .svg or .pdf file in a theme, "dark" or "light"; equal runs give equal bytes.

        `width` is in inches (default: 9.2, or 3.5 for a .pdf file, which is one column of a paper); narrow plots have
        smaller text. `size` sets both width and height, in pixels.
        """
        scale = 1.0
        if size is None:
            width = validate_plot_width(width) or get_default_width(file_type)
            scale = get_text_scale(width)
            size = choose_plot_size(width)
        with apply_chart_style(scale):
            return render_figure(self.draw(size), file_type, theme)

    def __repr__(self) -> str:
        return make_short_repr("Plot", f"{self.name}: {self.description}")

    def _repr_html_(self) -> str:
        return render_picture(self.render("svg", NOTEBOOK_PLOT_SIZE), self.description, NOTEBOOK_PLOT_SIZE.width)


def get_default_width(file_type: str) -> float:
    """Return the width in inches of a plot in a file of a type: one column of a paper for .pdf."""
    return PAPER_COLUMN_WIDTH if file_type == "pdf" else DEFAULT_PLOT_SIZE.width / PIXELS_PER_INCH


def choose_plot_size(width: float) -> FigureSize:
    """Return the size of a plot with a width in inches."""
    pixels = width * PIXELS_PER_INCH
    height = max(pixels * DEFAULT_PLOT_SIZE.height / DEFAULT_PLOT_SIZE.width, _MIN_PLOT_HEIGHT)
    return FigureSize(round(pixels), round(height))


def make_run_plots(run: Run) -> list[Plot]:
    """Return all plots of a run, which need not be finished; in a notebook each plot is shown as a picture."""
    if not isinstance(run, Run):
        raise TetrionError(f"make_run_plots needs a Run, such as tetrion.Run('runs/a'); given {describe_value(run)}.")
    if not run.generation_count:
        raise RunError(
            f"{run.folder} has no finished {run.step_name} yet: nothing to draw. Resume training with "
            f"`{format_resume_call(run.folder)}`."
        )
    over_steps = f"over {run.generation_count:,} {run.step_name}s"
    return [
        Plot(kind.name, f"{kind.description} {over_steps}", partial(draw_run_plot, kind, run))
        for kind in _RUN_PLOTS
        if kind.is_available(run.recipe.learner_type, run.metrics)
    ]


def find_plot_learners(name: str) -> list[str]:
    """Return the learners whose runs have a plot with this name."""
    kinds = [kind for kind in _RUN_PLOTS if kind.name == name]
    return [
        learner
        for learner, learner_type in LEARNERS.items()
        if any(kind.is_available(learner_type, learner_type.metric_names) for kind in kinds)
    ]


def make_run_chart(run: Run, size: FigureSize, title: str, legend: str = "") -> Chart:
    """Return an empty chart over the steps of a run."""
    return Chart(size, title, f"by {run.step_name}", legend)


def draw_run_plot(kind: "RunPlotKind", run: Run, size: FigureSize) -> "Figure":
    """Draw a plot of a run, or a message if its lines would have a single point."""
    chart = kind.draw(run, size)
    if kind.needs_two_steps and run.generation_count < 2:
        return make_message_figure(size, chart.title, f"Appears after the second {run.step_name}.")
    mark_steps(chart, run, with_piece_limits=kind.has_piece_limits)
    return chart.finish()


def draw_candidate_fitness(run: Run, size: FigureSize) -> Chart:
    """Draw the fitness of all candidates, mean and quartiles (Gavrilov 2023, Figures 68 and 69)."""
    metrics = run.metrics
    step = -(-run.generation_count // _MAX_SCATTER_GENERATIONS)
    sampling = f" of one in {step} generations" if step > 1 else ""
    chart = make_run_chart(
        run,
        size,
        f"Fitness, {describe_fitness(run)}",
        f"Point: one candidate{sampling} · band: first to third quartile",
    )
    chart.choose_scale(np.concatenate([metrics["max"], metrics["mean"]]))
    generations = range(0, run.generation_count, step)
    fitness = [run.load_population(generation).fitness for generation in generations]
    steps = np.repeat(np.array(generations) + 1, [len(part) for part in fitness])
    chart.draw_points(steps, np.concatenate(fitness), ACCENT)
    chart.line_labels.append(
        LineLabel("Best", format_number(float(metrics["max"][-1])), float(metrics["max"][-1]), ACCENT)
    )
    chart.draw_band(metrics["q1"], metrics["q3"], SECOND_ACCENT)
    chart.draw_line("Mean", metrics["mean"], SECOND_ACCENT)
    return chart


def mark_steps(chart: Chart, run: Run, *, with_piece_limits: bool) -> None:
    """Mark which step is kept, and where the piece limit rises: fitness before and after cannot be compared."""
    limits = run.metrics["max_pieces"] if with_piece_limits else np.array([])
    for index in np.flatnonzero(np.diff(limits)) + 1:
        text = f"up to {int(limits[index]):,} pieces" if limits[index] else "no piece limit"
        chart.annotate_step(float(index) + 0.5, text)
    result = get_final_result(run)
    if step := find_kept_step(run, result) if result else None:
        chart.annotate_step(step, f"{run.step_name} {step:,} is kept")


def draw_fitness_quartiles(run: Run, size: FigureSize) -> Chart:
    """Draw the mean and the first and third quartile (as the figures of Hindi et al. 2018)."""
    title = f"Mean and quartiles, {describe_fitness(run)}"
    chart, metrics = make_run_chart(run, size, title), run.metrics
    chart.choose_scale(np.concatenate([metrics["q3"], metrics["mean"]]))
    for name, column, colour in (
        ("3rd quartile", "q3", _THIRD_COLOUR),
        ("Mean", "mean", SECOND_ACCENT),
        ("1st quartile", "q1", _FOURTH_COLOUR),
    ):
        chart.draw_line(name, metrics[column], colour)
    return chart


def draw_incumbent_parameters(run: Run, size: FigureSize) -> Chart:
    """Draw the incumbent's parameters; of many, those with the largest final values."""
    title = "Weights of the incumbent" if run.recipe.agent.design == "weights" else "Parameters of the incumbent"
    last = np.nan_to_num(np.abs(run.incumbents[-1]))
    indices = sorted(np.argsort(-last, kind="stable")[:_MAX_WEIGHTS].tolist())
    legend = f"The {_MAX_WEIGHTS} largest of {len(last)}" if len(last) > _MAX_WEIGHTS else ""
    chart = make_run_chart(run, size, title, legend)
    for order, index in enumerate(indices):
        name = format_name(run.parameter_names[index])
        chart.draw_line(
            name, run.incumbents[:, index], get_series_colour(order), 2, is_dashed=order >= len(SERIES_COLOURS)
        )
    return chart


def draw_validation_scores(run: Run, size: FigureSize) -> Chart:
    """Draw the incumbents' validation scores, and the held-out result with its interval."""
    title = f"Validation games, {describe_validation_score(run)}"
    validation = run.recipe.validation
    scores = run.metrics["validation"]
    legend = f"Line: incumbents in {validation.games:,} validation game{'s'[: validation.games != 1]} each"
    legend = legend if np.isfinite(scores).any() else "No incumbent was validated during training"
    result = get_final_result(run)
    if result:
        legend += f" · dashed: result in {result['held_out']['games']:,} held-out games with 95 % confidence interval"
        capped = describe_capped_games(result["held_out"])
        legend += f" · {capped}" if capped else ""
    chart = make_run_chart(run, size, title, legend)
    final = compute_held_out_fitness(run, result) if result else np.nan
    chart.choose_scale(np.append(scores, final))
    chart.draw_line("Incumbent", scores, ACCENT)
    if result:
        draw_held_out_result(chart, final, compute_held_out_interval(run, result))
    return chart


def draw_held_out_result(chart: Chart, fitness: float, interval: tuple[float, float] | None) -> None:
    """Draw the held-out result as a dashed line with its interval."""
    chart.axes.axhspan(*(interval or (fitness, fitness)), color=SECOND_ACCENT, alpha=0.16, linewidth=0, zorder=2)
    chart.axes.axhline(fitness, color=SECOND_ACCENT, dashes=(4, 3), zorder=3)
    chart.line_labels.append(LineLabel("Result", format_mean_interval(fitness, interval), fitness, SECOND_ACCENT))


def draw_episode_lines(run: Run, size: FigureSize) -> Chart:
    """Draw the lines of each episode and their running mean."""
    lines = run.metrics["lines"]
    window = max(_MIN_RUNNING_MEAN_WINDOW, run.generation_count // 10)
    legend = f"Point: one {run.step_name} · line: mean of the last {window:,}"
    chart = make_run_chart(run, size, f"Lines per {run.step_name}", legend)
    chart.choose_scale(lines)
    chart.draw_points(np.arange(len(lines)) + 1, lines, ACCENT)
    chart.draw_line("Mean", compute_running_mean(lines, window), SECOND_ACCENT)
    return chart


def draw_learning_error(run: Run, size: FigureSize) -> Chart:
    """Draw the mean absolute error of each episode."""
    title = f"Mean absolute error per {run.step_name}"
    chart = make_run_chart(run, size, title)
    chart.choose_scale(run.metrics["mean_abs_error"])
    chart.draw_line("Error", run.metrics["mean_abs_error"], ACCENT)
    return chart


class RunPlotKind(NamedTuple):
    """A plot of the runs that have certain columns in `metrics.csv` and, for some plots, parameters."""

    name: str
    description: str
    draw: Callable[[Run, FigureSize], Chart]
    columns: tuple[str, ...] = ()
    needs_parameters: bool = False
    needs_two_steps: bool = True
    has_piece_limits: bool = False

    def is_available(self, learner_type: type[Learner], columns: Iterable[str]) -> bool:
        """Return whether runs of a learner, with these columns, have the plot."""
        return {*self.columns} <= {*columns} and (learner_type.has_parameters or not self.needs_parameters)


_FITNESS_COLUMNS = ("max_pieces", "q1", "q3", "max", "mean")
_RUN_PLOTS = (
    RunPlotKind(
        "individuals",
        "Fitness of all candidates",
        draw_candidate_fitness,
        _FITNESS_COLUMNS,
        needs_two_steps=False,
        has_piece_limits=True,
    ),
    RunPlotKind(
        "quartiles",
        "Mean and quartiles of the fitness",
        draw_fitness_quartiles,
        _FITNESS_COLUMNS,
        has_piece_limits=True,
    ),
    RunPlotKind("lines", "Lines per episode", draw_episode_lines, ("lines",), needs_two_steps=False),
    RunPlotKind("weights", "Parameters of the incumbent", draw_incumbent_parameters, needs_parameters=True),
    RunPlotKind("error", "Mean absolute error of the learner", draw_learning_error, ("mean_abs_error",)),
    RunPlotKind("held-out", "Scores of the incumbents in validation games", draw_validation_scores),
)


def make_seeds_plot(runs: Sequence[Run]) -> Plot:
    """Return a plot that compares the runs of several seeds."""
    if not any(run.generation_count for run in runs):
        raise RunError(
            f"{runs[0].folder.parent} has no run with a finished {runs[0].step_name} yet: nothing to draw. Resume "
            f"training with `{format_resume_call(runs[0].folder)}`."
        )
    description = f"Validation scores of the incumbents of {len(runs)} seeds, and the held-out result of each seed"
    return Plot("seeds", description, lambda size: draw_seeds(runs, size))


def draw_seeds(runs: Sequence[Run], size: FigureSize) -> "Figure":
    """Draw the validation scores, one line per seed, and the held-out result of each seed at the right."""
    steps = max(run.generation_count for run in runs)
    has_names = len(runs) <= _MAX_NAMED_SEEDS
    legend = "Line: incumbents in validation games · dot: result in held-out games"
    results = [get_final_result(run) for run in runs]
    if any(result and result["held_out"]["capped"] for result in results):
        legend += " · some held-out games were capped; the means are not corrected for this"
    chart = Chart(
        size,
        f"Validation and held-out games, {describe_validation_score(runs[0])}",
        f"by {runs[0].step_name}",
        legend,
    )
    pairs = list(zip(runs, results, strict=True))
    finals = [compute_held_out_fitness(run, result) if result else np.nan for run, result in pairs]
    chart.choose_scale(np.concatenate([finals, *(run.metrics["validation"] for run in runs)]))
    seed_distance = max(1.0, 0.04 * steps) * min(len(runs), _MAX_NAMED_SEEDS) / (4 * len(runs))
    for number, (run, final) in enumerate(zip(runs, finals, strict=True)):
        colour = get_series_colour(number) if has_names else ACCENT
        chart.draw_line("", run.metrics["validation"], colour, opacity=1 if has_names else 0.35)
        draw_seed_result(chart, run, final, steps + seed_distance * (number + 1), colour)
        if has_names:
            value_text = format_number(final) if np.isfinite(final) else describe_status(run)
            chart.line_labels.append(
                LineLabel(f"Seed {run.recipe.seed}", value_text, final if np.isfinite(final) else 0.0, colour)
            )
    finite = np.array(finals)[np.isfinite(finals)]
    if finite.size > 1:
        extra_labels = {"Mean": float(finite.mean())}
        extra_labels |= {} if has_names else {"Best": float(finite.max()), "Worst": float(finite.min())}
        chart.line_labels += [
            LineLabel(name, format_number(value), value, NORMAL_TEXT) for name, value in extra_labels.items()
        ]
    return chart.finish()


def draw_seed_result(chart: Chart, run: Run, fitness: float, x: float, colour: str) -> None:
    """Draw the held-out result of a seed with its interval at `x`."""
    result = get_final_result(run)
    if result is None:
        return
    interval = compute_held_out_interval(run, result) or (fitness, fitness)
    chart.axes.plot([x, x], interval, color=colour, zorder=4)
    chart.axes.plot([x], [fitness], color=colour, marker="o", zorder=5, clip_on=False)


def render_run(run: Run) -> str:
    """Return a run as HTML: facts, and the plot of its fitness or its lines if a step has finished."""
    title = f"Run {run.folder}"
    try:
        result = get_final_result(run)
        note = describe_held_out_games(run, result) if result else ""
        table = render_html_table(title, [], run.list_facts(), note=note and f"Result on {note}", text_columns=2)
        if not run.generation_count:
            return table
        return table + make_run_plots(run)[0]._repr_html_()
    except RunError as error:
        return render_html_table(title, [], [], note=str(error))
