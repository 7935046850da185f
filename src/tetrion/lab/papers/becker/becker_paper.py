"""Gabe Becker's slides: a static evaluation with four sigmoid curves that clears 20 to 30 lines per game."""

import time
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.agents.named.becker_agents import BECKER_MIDPOINTS, BECKER_SLOPES, BECKER_WEIGHTS
from tetrion.board import Board
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.game import Game
from tetrion.lab.reproduction.measured_values import (
    compute_mean,
    compute_mean_over_seeds,
    compute_median,
    compute_ratio,
    describe_difference,
    make_mean_reader,
)
from tetrion.lab.reproduction.measurements import (
    CustomMeasurement,
    GameMeasurement,
    MeasurementContext,
    TrainingMeasurement,
)
from tetrion.lab.reproduction.paper_definition import (
    Claim,
    MeasurementResults,
    OpenQuestion,
    Paper,
    PaperFigure,
    ResultTable,
)
from tetrion.lab.reproduction.published_values import MeasuredValue, PublishedRange, PublishedStatement
from tetrion.lab.reproduction.reproduction_figures import (
    ForestRow,
    draw_forest_plot,
    draw_generation_curves,
    draw_parameter_sweep,
    draw_ridgeline_plot,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize

BECKER_BEFORE_CLEARING = "becker-before"
TIMED_DECISIONS = 300
_SERIES_LENGTH = 20  # games per series whose best game is compared; the slides give no number of games
_CURVE_DRAWING_LIMITS = {  # largest feature value drawn
    "holes": 24,
    "aggregate_height": 200,
    "bumpiness": 24,
    "max_height": 20,
}
SLIDE_CURVE_POINTS = {  # points of each curve in the slides: feature value to curve value
    "holes": {0: 1, 8: 0.5, 20: 0},
    "aggregate_height": {0: 1, 100: 0.5, 200: 0},
    "bumpiness": {0: 1, 8: 0.5, 20: 0},
    "max_height": {0: 1, 8: 0.5, 20: 0},
}
_CURVE_TOLERANCE = 0.02  # for the slides' "basically 0" and "about 0.5"
_PUBLISHED_LINES_RANGE = (20, 30)  # lines per game
_RULE_INTERPRETATIONS = {  # label: rules, for game-over conditions that the slides do not specify
    "game over when a new piece does not fit into the top rows": "becker:spawn_height=0,game_over=entry",
    "game over when a block rests in the top row": "becker:game_over=top-row",
}
_DECISION_TIMES_MS = (1, 1000, 2000, 3000, 4000, 5000, 6000)  # milliseconds per decision while the piece falls
_ROW_TIMES_MS = (500, 200, 100, 75, 60, 50)  # milliseconds per row of fall; a key press takes 100
SLIDE_PARAMETERS = {
    **{f"{feature} weight": value for feature, value in BECKER_WEIGHTS.items()},
    **{f"{feature} slope": value for feature, value in BECKER_SLOPES.items()},
    **{f"{feature} middle": value for feature, value in BECKER_MIDPOINTS.items()},
}
_LINEAR_ZERO_POINTS = {  # feature value at which the straight line that replaces the curve reaches 0
    "holes": 16,
    "aggregate_height": 200,
    "bumpiness": 16,
    "max_height": 20,
}


def make_variants() -> dict[str, WeightedAgent]:
    """Return variants of the slides' evaluation function that differ from it in one respect, by label."""
    agent = load_weighted_agent("becker")
    changed = {
        f"without {format_name(feature)}": {name: table for name, table in agent.weights.items() if name != feature}
        for feature in BECKER_WEIGHTS
    }
    changed["with a term for cleared lines"] = {**agent.weights, "lines": 0.1}
    changed["straight lines instead of curves"] = {
        name: -BECKER_WEIGHTS[name] / zero_point for name, zero_point in _LINEAR_ZERO_POINTS.items()
    }
    return {name: WeightedAgent(f"becker {name}", weights, rules="becker") for name, weights in changed.items()}


def evaluate_board(board: Board) -> float:
    """Return the evaluation E of a board, the weighted sum of the four curves."""
    features = board.measure_features()
    return sum(BECKER_WEIGHTS[feature] * compute_curve(feature)[features[feature]] for feature in BECKER_WEIGHTS)


def compute_curve(feature: str) -> Sequence[float]:
    """Return the curve of a feature, between 0 and 1 and not yet weighted, indexed by feature value."""
    table = load_weighted_agent("becker").weights[feature]
    points = [float(value) for value in table] if isinstance(table, Sequence) else []
    return [value / points[0] for value in points]


def measure_decisions(context: MeasurementContext) -> dict[str, Any]:
    """Measure the time per decision and the range of the evaluation during play."""
    agent = load_weighted_agent("becker")
    seconds = []
    placements = 0
    evaluations = []
    game = Game(rules="becker", seed=context.seed)
    for number in range(TIMED_DECISIONS + 1):
        if game.is_over:
            game = Game(rules="becker", seed=context.seed + number)
        position = game.position
        start = time.perf_counter()
        chosen = agent.choose(position)
        seconds.append(time.perf_counter() - start)
        placements += len(position.placements())
        game.place(chosen)
        evaluations.append(evaluate_board(game.board))
    return {
        "placements": placements / len(seconds),
        "least": min(evaluations),
        "most": max(evaluations),
        "empty": evaluate_board(Board()),
        "time": {"decision": float(np.median(seconds[1:]))},
    }


def check_curve_points(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Check whether the agent's curve goes through the points given in the slides."""
    curve = compute_curve(feature)
    expected = SLIDE_CURVE_POINTS[feature]
    holds = all(abs(curve[value] - point) <= _CURVE_TOLERANCE for value, point in expected.items())
    text = "; ".join(f"{value}: {format_number(curve[value], 3)}" for value in expected)
    return MeasuredValue(holds=holds, text=text, evidence=f"ours are within {_CURVE_TOLERANCE} of the slides' values")


def compute_best_of_series(results: MeasurementResults) -> MeasuredValue:
    """Return the median over series of twenty games of the best game in each series."""
    lines = np.array(results["becker"]["sample"]["lines"])
    best = lines[: len(lines) // _SERIES_LENGTH * _SERIES_LENGTH].reshape(-1, _SERIES_LENGTH).max(axis=1)
    return compute_median(best, f"the best of {_SERIES_LENGTH} games, {len(best):,} times")


def check_decision_time(results: MeasurementResults) -> MeasuredValue:
    """Check whether evaluating one placement takes at most the published 0.0003 seconds."""
    decision = results["decisions"]["time"]["decision"]
    placement = decision / results["decisions"]["placements"]
    return MeasuredValue(
        holds=placement <= 0.0003,
        text=f"{format_number(1e6 * placement)} µs per placement, {format_number(1e6 * decision)} µs per decision",
        basis=f"the median of {TIMED_DECISIONS:,} decisions",
        evidence="a placement takes no longer here",
        is_machine_dependent=True,
    )


def check_weight_sum(results: MeasurementResults) -> MeasuredValue:
    """Check whether each weight lies between 0 and 1 and all weights sum to 1."""
    weights = list(BECKER_WEIGHTS.values())
    text = f"{', '.join(f'{weight:g}' for weight in weights)}; sum {sum(weights):g}"
    return MeasuredValue(holds=all(0 < weight < 1 for weight in weights) and abs(sum(weights) - 1) < 1e-9, text=text)


def check_evaluation_range(results: MeasurementResults) -> MeasuredValue:
    """Check whether the evaluation of every board lies between 0 and 1."""
    low = results["decisions"]["least"]
    high = results["decisions"]["most"]
    empty = results["decisions"]["empty"]
    text = f"{format_number(low)} to {format_number(high)} in games, {format_number(empty)} for the empty board"
    return MeasuredValue(
        holds=0 <= low <= high <= empty <= 1 + 1e-9, text=text, evidence="this holds for every board of these games"
    )


def check_thinking_time_cost(results: MeasurementResults) -> MeasuredValue:
    """Check that deciding while the piece falls does not measurably reduce the number of lines."""
    ratio = compute_ratio(compute_mean(results["thinking-1"]), compute_mean(results["becker"]))
    text = f"{ratio.formatted} times the lines if the piece falls for one millisecond during each decision"
    return MeasuredValue(holds=ratio.interval[1] >= 1, text=text, evidence="no loss is measurable")


def check_learning_gain(results: MeasurementResults) -> MeasuredValue:
    """Check whether learnt parameters clear more lines than those of the slides."""
    ratio = compute_ratio(compute_mean_over_seeds(results["tuned"]), compute_mean(results["becker"]))
    return MeasuredValue(
        holds=ratio.value is not None and ratio.interval[0] > 1,
        text=f"{ratio.formatted} times the lines",
        basis="games capped at 10,000 pieces",
        evidence="the whole interval is above 1",
    )


def describe_learning_gain(results: MeasurementResults) -> str:
    """Describe how many lines the four curves clear with learnt parameters."""
    tuned = compute_mean_over_seeds(results["tuned"])
    original = compute_mean(results["becker"])
    parameter_count = len(results["tuned"]["runs"][0]["result"]["parameters"])
    verdict = {
        "more": f"the limit was not the curves but their {parameter_count} parameters",
        "less": "learning found no better parameters",
    }.get(describe_difference(tuned, original), "no difference was found")
    return (
        f"With weights, slopes and midpoints learnt by CMA-ES, the four curves clear {tuned.formatted} lines per game "
        f"({tuned.basis}); with those of the slides, {original.formatted}: {verdict}."
    )


def describe_limits(results: MeasurementResults) -> str:
    """Describe which single change to the slides' function changes the number of lines."""
    original = compute_mean(results["becker"])
    variants = [(name, compute_mean(results[name])) for name in make_variants()]
    parts = [f"{name} {lines.formatted} ({describe_difference(lines, original)})" for name, lines in variants]
    best_name, best_lines = max(variants, key=lambda variant: variant[1].value or 0)
    is_better = describe_difference(best_lines, original) == "more"
    best = f"The largest gain comes from this change: {best_name}." if is_better else ""
    return f"Unchanged, it clears {original.formatted} lines; {'; '.join(parts)}. {best}".strip()


def compute_parameter_changes(results: MeasurementResults) -> dict[str, tuple[float, list[float]]]:
    """Return each slide parameter with its learnt multiples, one per seed; the largest median change comes first."""
    runs = [run["result"]["parameters"] for run in results["tuned"]["runs"]]
    factors = {name: (given, [run[name] / given for run in runs]) for name, given in SLIDE_PARAMETERS.items()}
    return dict(sorted(factors.items(), key=lambda entry: -abs(np.log(max(1e-12, float(np.median(entry[1][1])))))))


def describe_parameter_changes(results: MeasurementResults) -> str:
    """Describe which parameters learning changed most, among those that changed in one direction with every seed."""
    changes = compute_parameter_changes(results)
    consistent = [name for name, (_, factors) in changes.items() if min(factors) > 1 or max(factors) < 1]
    parts = []
    for name in consistent[:3]:
        given, factors = changes[name]
        learnt = format_small_number(given * float(np.median(factors)))
        parts.append(f"{format_parameter(name)} (from {given:g} to {learnt})")
    inconsistent = [format_parameter(name) for name in changes if name not in consistent]
    text = f"By the median of {compute_mean_over_seeds(results['tuned']).basis}: {'; '.join(parts) or 'none'}."
    return f"{text} Different directions with different seeds: {', '.join(inconsistent)}." if inconsistent else text


def format_parameter(name: str) -> str:
    """Return the label of a parameter; training results store a midpoint as "middle"."""
    return format_name(name).replace("middle", "midpoint")


def format_small_number(number: float) -> str:
    """Format a small number with three significant digits."""
    return f"{number:.3g}" if 1e-4 <= number < 1000 else format_number(number) if number >= 1000 else "almost 0"


def make_learnt_parameters_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per parameter: value in the slides, learnt median, range over seeds, and ratio."""
    rows = []
    for name, (given, factors) in compute_parameter_changes(results).items():
        median = float(np.median(factors))
        ends = [format_small_number(given * factor) for factor in (min(factors), max(factors))]
        seed_range = " to ".join(dict.fromkeys(ends))
        learnt = format_small_number(given * median)
        rows.append([format_parameter(name), f"{given:g}", learnt, seed_range, format_small_number(median)])
    return rows


def make_interpretations_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per interpretation of the slides: lines, and whether they overlap the published range."""
    lines = {
        "as in the slides' code": compute_mean(results["becker"]),
        "evaluated before full rows are removed": compute_mean(results[BECKER_BEFORE_CLEARING]),
    }
    lines |= {label: compute_mean(results[label]) for label in _RULE_INTERPRETATIONS}
    lines |= {
        f"falling one row takes {row_time / 100:g} times as long as a key press": compute_lines_at_row_time(
            results, row_time
        )
        for row_time in _ROW_TIMES_MS
    }
    low, high = _PUBLISHED_LINES_RANGE
    return [
        [label, ours.formatted, "yes" if ours.interval[0] <= high and ours.interval[1] >= low else "no"]
        for label, ours in lines.items()
    ]


def compute_lines_at_row_time(results: MeasurementResults, row_time_ms: int) -> MeasuredValue:
    """Return the mean lines per game where a piece falls one row in the given number of milliseconds."""
    return compute_mean(results["thinking-1" if row_time_ms == _ROW_TIMES_MS[0] else f"falling-{row_time_ms}"])


def describe_thinking_time(results: MeasurementResults) -> str:
    """Describe from which decision time on the number of lines drops."""
    original = compute_mean(results["becker"])
    too_slow = [
        decision_time
        for decision_time in _DECISION_TIMES_MS
        if describe_difference(compute_mean(results[f"thinking-{decision_time}"]), original) == "less"
    ]
    if not too_slow:
        return f"Even {_DECISION_TIMES_MS[-1] / 1000:g} seconds per decision cause no measurable loss of lines."
    lines = compute_mean(results[f"thinking-{too_slow[0]}"])
    return (
        f"With one row of fall per half second, the shortest of the tested times that costs lines is "
        f"{too_slow[0] / 1000:g} seconds: {lines.formatted} instead of {original.formatted}."
    )


def draw_thinking_times(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw lines per game against the time per decision."""
    lines = {"becker": [compute_mean(results[f"thinking-{milliseconds}"]) for milliseconds in _DECISION_TIMES_MS]}
    categories = [f"{milliseconds / 1000:g} s" for milliseconds in _DECISION_TIMES_MS]
    return draw_parameter_sweep(size, "Lines per game", "by time per decision", categories, lines)


def draw_variants(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw lines per game of the slides' function and of its variants."""
    entries = [ForestRow("as in the slides", compute_mean(results["becker"]), _PUBLISHED_LINES_RANGE)]
    entries += [ForestRow(name, compute_mean(results[name])) for name in make_variants()]
    return draw_forest_plot(size, "Lines per game", "rules becker", entries)


def draw_curves(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the four curves, each from 0 to its drawing limit."""
    steps = 101
    curves = {
        f"{format_name(name)}, to {limit}": [
            compute_curve(name)[round(limit * step / (steps - 1))] for step in range(steps)
        ]
        for name, limit in _CURVE_DRAWING_LIMITS.items()
    }
    legend = "Feature values from 0 (left) to the number in the label (right); before weighting"
    return draw_generation_curves(size, "Curve value of each feature", curves, legend, "percent of the feature range")


def draw_lines_distribution(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the distribution of lines per game."""
    samples = {
        "becker": results["becker"]["sample"]["lines"],
        "becker, before clearing": results[BECKER_BEFORE_CLEARING]["sample"]["lines"],
    }
    return draw_ridgeline_plot(size, "Lines per game", "rules becker", samples)


def draw_learnt_lines(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw lines per game of the slides' parameters and of learnt ones, with the published range."""
    entries = [
        ForestRow("becker", compute_mean(results["becker"]), _PUBLISHED_LINES_RANGE),
        ForestRow("becker, before clearing", compute_mean(results[BECKER_BEFORE_CLEARING]), _PUBLISHED_LINES_RANGE),
        ForestRow("becker-tuned", compute_mean_over_seeds(results["tuned"])),
    ]
    return draw_forest_plot(size, "Lines per game", "rules becker", entries)


BECKER_PAPER = Paper(
    name="becker",
    title="Tetris game playing AI using static evaluation function",
    source="Gabe Becker, slides",
    description="Four curves of board features, each between 0 and 1, are weighted and summed. The placement with the "
    "highest sum is turned into key presses; the decision is made in a second thread while the piece falls.",
    rules="becker: 10×20, pieces drawn uniformly, no next piece",
    measurements=[
        GameMeasurement("becker", "becker", games=20_000, quick_games=2000),
        GameMeasurement(BECKER_BEFORE_CLEARING, "becker:measured=before", games=20_000, quick_games=2000),
        TrainingMeasurement(
            "tuned", "becker-tuned", seed_count=5, quick_changes=("generations=15", "validation.final_games=100")
        ),
        *(
            GameMeasurement(
                f"thinking-{time}",
                "becker",
                games=5000,
                quick_games=500,
                rules=f"becker:movement=timed,thinking_frames={time}",
            )
            for time in _DECISION_TIMES_MS
        ),
        *(
            GameMeasurement(
                f"falling-{fall}", "becker", games=5000, quick_games=500, rules=f"becker:movement=timed,gravity={fall}"
            )
            for fall in _ROW_TIMES_MS[1:]
        ),
        *(
            GameMeasurement(label, "becker", games=20_000, quick_games=1000, rules=rules)
            for label, rules in _RULE_INTERPRETATIONS.items()
        ),
        *(GameMeasurement(name, agent, games=20_000, quick_games=1000) for name, agent in make_variants().items()),
        CustomMeasurement("decisions", measure_decisions, version=2),
    ],
    claims=[
        Claim(
            "lines per game",
            "“It's pretty good!”",
            PublishedRange("20 to 30, about 23", low=20, high=30),
            make_mean_reader("becker"),
            difference_cause="the cause is not known; our value would agree if boards were evaluated before full rows "
            "are removed (next row), which contradicts the slides' code, or if pieces fell faster than keys can move "
            "them (see the interpretations below); the game-over condition hardly matters",
        ),
        Claim(
            "lines per game, if boards are evaluated before full rows are removed",
            "“It's pretty good!”",
            PublishedRange("20 to 30, about 23", low=20, high=30),
            make_mean_reader(BECKER_BEFORE_CLEARING),
        ),
        Claim(
            "the best game",
            "“It's pretty good!”",
            PublishedRange("90", low=90, high=90),
            compute_best_of_series,
            difference_cause="the slides do not give the number of games; the best of more games is higher",
        ),
        *(
            Claim(
                f"the curve of {format_name(feature)}",
                f"“{format_name(feature).capitalize()}”",
                PublishedStatement("; ".join(f"{value}: {share:g}" for value, share in points.items())),
                partial(check_curve_points, feature),
            )
            for feature, points in SLIDE_CURVE_POINTS.items()
        ),
        Claim("the weights", "“The function”", PublishedStatement("each between 0 and 1, sum 1"), check_weight_sum),
        Claim(
            "the evaluation of a board", "“The function”", PublishedStatement("between 0 and 1"), check_evaluation_range
        ),
        Claim(
            "an evaluation takes a negligible time",
            "“Multithreading”",
            PublishedStatement("about 0.0003 s each"),
            check_decision_time,
            difference_cause="this machine was busy during the timing",
        ),
        Claim(
            "deciding in a second thread while the piece falls is probably not needed",
            "“Multithreading”",
            PublishedStatement("the decision time costs nothing"),
            check_thinking_time_cost,
        ),
        Claim(
            "machine learning would give a better agent",
            "“It's pretty good!”",
            PublishedStatement("learnt weights and functions play better"),
            check_learning_gain,
        ),
    ],
    questions=[
        OpenQuestion(
            "How well do the same functions play with learnt parameters?",
            "“It's pretty good!”",
            describe_learning_gain,
        ),
        OpenQuestion("Which parameters does learning change most?", "“It's pretty good!”", describe_parameter_changes),
        OpenQuestion("What limits the slides' function?", "“It's pretty good!”", describe_limits),
        OpenQuestion("How long may a decision take while the piece falls?", "“Multithreading”", describe_thinking_time),
    ],
    figures=[
        PaperFigure(
            "curves",
            "The four curves",
            "The curves of the slides as implemented in our agent. The curves of bumpiness and holes are identical, so "
            "one hides the other.",
            draw_curves,
        ),
        PaperFigure(
            "games",
            "Lines per game",
            "Distribution of lines over the first thousand games of each variant.",
            draw_lines_distribution,
        ),
        PaperFigure(
            "learnt",
            "Hand-chosen and learnt parameters",
            "The slides' range, our games, and the curves with learnt parameters.",
            draw_learnt_lines,
        ),
        PaperFigure(
            "variants",
            "Variants with one change",
            "The slides' function without one of its curves, and with other single changes.",
            draw_variants,
        ),
        PaperFigure(
            "thinking",
            "Deciding while the piece falls",
            "The piece falls one row per half second.",
            draw_thinking_times,
        ),
    ],
    tables=[
        ResultTable(
            "Interpretations of what the slides leave open",
            "Lines per game, and whether their interval overlaps the slides' 20 to 30.",
            ("Interpretation", "Lines", "Fits"),
            make_interpretations_table,
        ),
        ResultTable(
            "The slides' parameters and the learnt ones",
            "Learnt: the median of all seeds, and the range over seeds. The last column is the median divided by the "
            "slides' value. The parameters that changed most come first.",
            ("Parameter", "Slides", "Learnt", "Range over seeds", "Ratio"),
            make_learnt_parameters_table,
        ),
    ],
)
