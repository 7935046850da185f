"""Pictures of a run: how fitness, weights and the games that nobody trained on went, generation by generation."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tetrion.drawing.palette import ACCENT, SECOND, SERIES, TEXT, series
from tetrion.errors import RunError
from tetrion.evaluation.words import figure, in_words, with_interval
from tetrion.lab.charts import SMALL, Chart, End, Numbers, Size, content_of, house_look, saying, width_of
from tetrion.lab.run_words import (
    final_fitness,
    final_interval,
    fitness_words,
    judged_words,
    outcome,
    running_mean,
    status_of,
    step_of,
)
from tetrion.training.recipe import Q_LEARNING
from tetrion.training.run import Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure

WIDE = Size(880, 480)
MOST_WEIGHTS = 12  # that a chart has room for
MOST_GENERATIONS = 400  # whose individuals are drawn
MOST_SEEDS = 12  # that have a colour and a name each
LATELY = 20  # episodes that a running mean is of, or a tenth of all where that is more
THIRD, FOURTH = SERIES[2], SERIES[3]


class Plot(NamedTuple):
    """A picture of a run: its name as a file, what it shows in words, and how it is drawn in a size."""

    name: str
    words: str
    draw: "Callable[[Size], Figure]"

    def content(self, ending: str, size: Size = WIDE) -> bytes:
        """The picture as a .png, .svg or .pdf file; equal runs give equal bytes."""
        with house_look():
            return content_of(self.draw(size), ending)


def plots_of(run: Run) -> list[Plot]:
    """Every picture of a run, of one that has not finished too."""
    if not run.generations:
        raise RunError(
            f"{run.folder} has no {step_of(run)} yet, so there is nothing to draw. Go on with it: "
            f"`tetrion train --resume {run.folder}`."
        )
    by = f"over {run.generations:,} {step_of(run)}s"
    weights = Plot("weights", f"The favourite's numbers {by}", lambda size: weights_drawing(run, size))
    judged = Plot(
        "held-out", f"How favourites fare in games that trained nobody, {by}", lambda size: judged_drawing(run, size)
    )
    if run.recipe.learner == Q_LEARNING:
        return [
            Plot("lines", f"Lines an episode {by}", lambda size: lines_drawing(run, size)),
            weights,
            Plot("error", f"The learner's mean error {by}", lambda size: error_drawing(run, size)),
            judged,
        ]
    return [
        Plot("individuals", f"The fitness of every individual {by}", lambda size: individuals_drawing(run, size)),
        Plot("quartiles", f"Mean and quartiles of fitness {by}", lambda size: quartiles_drawing(run, size)),
        weights,
        judged,
    ]


def chart_of(run: Run, size: Size, title: str, key: str = "") -> Chart:
    """An empty chart over a run's steps."""
    return Chart(size, title, f"by {step_of(run)}", run.generations, key)


def too_few(run: Run, size: Size, title: str) -> "Figure | None":
    """What is shown instead of lines with a single point."""
    return saying(size, title, f"Appears after the second {step_of(run)}.") if run.generations < 2 else None


def individuals_drawing(run: Run, size: Size) -> "Figure":
    """Every individual's fitness, the mean and the middle half (Gavrilov 2023, Figures 68 and 69)."""
    metrics = run.metrics
    step = -(-run.generations // MOST_GENERATIONS)
    some = f" of every {step}th generation" if step > 1 else ""
    chart = chart_of(run, size, f"Fitness, {fitness_words(run)}", f"Point: an individual{some} · band: the middle half")
    chart.scale_by(np.concatenate([metrics["max"], metrics["mean"]]))
    shown = range(0, run.generations, step)
    fitness = [run.population(number).fitness for number in shown]
    steps = np.repeat(np.array(shown) + 1, [len(part) for part in fitness])
    chart.points(steps, np.concatenate(fitness), ACCENT)
    chart.ends.append(End("Best", figure(float(metrics["max"][-1])), float(metrics["max"][-1]), ACCENT))
    chart.band(metrics["q1"], metrics["q3"], SECOND)
    chart.line("Mean", metrics["mean"], SECOND)
    mark_rises(chart, metrics["most_pieces"])
    return chart.finished()


def mark_rises(chart: Chart, most_pieces: Numbers) -> None:
    """Where games were allowed to last longer, from which on fitness cannot be compared with what it was before."""
    rows: list[float] = []  # up to where each row of words is taken
    for place in np.flatnonzero(np.diff(most_pieces)) + 1:
        most = int(most_pieces[place])
        words = f"up to {most:,} pieces" if most else "games without an end"
        share = (place + 1) / chart.steps
        begin, end = share * chart.size.width, share * chart.size.width + width_of(words, SMALL) + 12
        row = next((number for number, taken in enumerate(rows) if taken <= begin), len(rows))
        rows[row : row + 1] = [end]
        chart.mark(place + 0.5, words, row)


def quartiles_drawing(run: Run, size: Size) -> "Figure":
    """Mean, first and third quartile alone (the figures of Hindi et al. 2018)."""
    title = f"Mean and quartiles, {fitness_words(run)}"
    if figure := too_few(run, size, title):
        return figure
    chart, metrics = chart_of(run, size, title), run.metrics
    chart.scale_by(np.concatenate([metrics["q3"], metrics["mean"]]))
    for name, column, colour in (
        ("3rd quartile", "q3", THIRD),
        ("Mean", "mean", SECOND),
        ("1st quartile", "q1", FOURTH),
    ):
        chart.line(name, metrics[column], colour)
    mark_rises(chart, metrics["most_pieces"])
    return chart.finished()


def weights_drawing(run: Run, size: Size) -> "Figure":
    """The favourite's numbers, those that end largest where there are many."""
    title = "Weights of the favourite" if run.recipe.agent.design == "weights" else "Numbers of the favourite"
    if figure := too_few(run, size, title):
        return figure
    last = np.nan_to_num(np.abs(run.favourites[-1]))
    shown = sorted(np.argsort(-last, kind="stable")[:MOST_WEIGHTS].tolist())
    some = f"The {MOST_WEIGHTS} largest of {len(last)}" if len(last) > MOST_WEIGHTS else ""
    chart = chart_of(run, size, title, some)
    for order, place in enumerate(shown):
        name = in_words(run.names[place])
        chart.line(name, run.favourites[:, place], series(order), 2, dashed=order >= len(SERIES))
    return chart.finished()


def judged_drawing(run: Run, size: Size) -> "Figure":
    """How favourites were judged, and the result's mean with its interval."""
    title = f"Judged on other games, {judged_words(run)}"
    if figure := too_few(run, size, title):
        return figure
    judge, judged = run.recipe.judge, run.metrics["judged"]
    key = f"Line: favourites in {judge.games:,} game{'s'[: judge.games != 1]} each"
    key = key if np.isfinite(judged).any() else "No favourite was judged while it trained"
    result = outcome(run)
    if result:
        key += f" · dashed: the result in {result['held_out']['games']:,} held-out games, with its 95 % interval"
    chart = chart_of(run, size, title, key)
    final = final_fitness(run, result) if result else np.nan
    chart.scale_by(np.append(judged, final))
    chart.line("Favourite", judged, ACCENT)
    if result:
        draw_final(chart, final, final_interval(run, result))
    return chart.finished()


def draw_final(chart: Chart, final: float, interval: tuple[float, float] | None) -> None:
    """The result as a dashed line, with its interval where there is one."""
    low, high = interval or (final, final)
    chart.holds(low, high)
    chart.axes.axhspan(low, high, color=SECOND, alpha=0.16, linewidth=0, zorder=2)
    chart.axes.axhline(final, color=SECOND, linewidth=1.5, dashes=(4, 3), zorder=3)
    chart.ends.append(End("Result", with_interval(final, interval), final, SECOND))


def lines_drawing(run: Run, size: Size) -> "Figure":
    """Lines of every episode and their running mean."""
    lines, width = run.metrics["lines"], max(LATELY, run.generations // 10)
    chart = chart_of(run, size, "Lines an episode", f"Point: an episode · line: the mean of the last {width:,}")
    chart.scale_by(lines)
    chart.points(np.arange(len(lines)) + 1, lines, ACCENT)
    chart.line("Mean", running_mean(lines, width), SECOND)
    return chart.finished()


def error_drawing(run: Run, size: Size) -> "Figure":
    """The mean size of the learner's error in every episode."""
    title = "Error, mean size in an episode"
    if figure := too_few(run, size, title):
        return figure
    chart = chart_of(run, size, title)
    chart.scale_by(run.metrics["error"])
    chart.line("Error", run.metrics["error"], ACCENT)
    return chart.finished()


def seeds_plot(runs: Sequence[Run]) -> Plot:
    """How the runs of several seeds compare."""
    if not any(run.generations for run in runs):
        raise RunError(f"{runs[0].folder.parent} has no run with a finished {step_of(runs[0])} yet: nothing to draw.")
    words = f"How favourites of {len(runs)} seeds fare in games that trained nobody, and what each came to"
    return Plot("seeds", words, lambda size: seeds_drawing(runs, size))


def seeds_drawing(runs: Sequence[Run], size: Size) -> "Figure":
    """Favourites' held-out games, a line a seed, and at the right end what each seed came to."""
    steps, few = max(run.generations for run in runs), len(runs) <= MOST_SEEDS
    key = "Line: favourites, judged on other games · dot: the result in held-out games"
    results = [outcome(run) for run in runs]
    chart = Chart(size, f"Judged and held-out games, {judged_words(runs[0])}", f"by {step_of(runs[0])}", steps, key)
    pairs = list(zip(runs, results, strict=True))
    finals = [final_fitness(run, result) if result else np.nan for run, result in pairs]
    chart.scale_by(np.concatenate([finals, *(run.metrics["judged"] for run in runs)]))
    chart.beyond = max(1.0, 0.04 * steps) * min(len(runs), MOST_SEEDS) / 4
    for number, (run, final) in enumerate(zip(runs, finals, strict=True)):
        colour = series(number) if few else ACCENT
        chart.line("", run.metrics["judged"], colour, strength=1 if few else 0.35)
        draw_dot(chart, run, final, steps + chart.beyond * (number + 1) / (len(runs) + 1), colour)
        if few:
            words = figure(final) if np.isfinite(final) else status_of(run)
            chart.ends.append(End(f"Seed {run.recipe.seed}", words, final if np.isfinite(final) else 0.0, colour))
    known = np.array(finals)[np.isfinite(finals)]
    if known.size > 1:
        marks = {"Mean": float(known.mean())}
        marks |= {} if few else {"Best": float(known.max()), "Worst": float(known.min())}
        chart.ends += [End(name, figure(height), height, TEXT) for name, height in marks.items()]
    return chart.finished()


def draw_dot(chart: Chart, run: Run, final: float, place: float, colour: str) -> None:
    """What a seed came to."""
    result = outcome(run)
    if result is None:
        return
    low, high = final_interval(run, result) or (final, final)
    chart.holds(low, high)
    chart.axes.plot([place, place], [low, high], color=colour, linewidth=1.5, zorder=4)
    chart.axes.plot([place], [final], color=colour, marker="o", markersize=6, zorder=5, clip_on=False)
