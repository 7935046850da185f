"""Gabe Becker's slides: a static evaluation of four sigmoid curves, which clears twenty to thirty lines a game."""

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
TIMED_DECISIONS = 300  # that are timed
_SERIES_LENGTH = 20  # games whose best is looked at; the slides do not say how many there were
_CURVE_DRAWING_LIMITS = {
    "holes": 24,
    "aggregate_height": 200,
    "bumpiness": 24,
    "max_height": 20,
}  # up to where a curve is drawn
SLIDE_CURVE_POINTS = {  # what the slides say of each curve: the value of its feature, and what it comes to
    "holes": {0: 1, 8: 0.5, 20: 0},
    "aggregate_height": {0: 1, 100: 0.5, 200: 0},
    "bumpiness": {0: 1, 8: 0.5, 20: 0},
    "max_height": {0: 1, 8: 0.5, 20: 0},
}
_CURVE_TOLERANCE = 0.02  # that "basically 0" and "about 0.5" leave open
_PUBLISHED_LINES_RANGE = (20, 30)  # a game
_RULE_INTERPRETATIONS = {  # what the slides leave open, as rules
    "over when a new piece finds no room in the top rows": "becker:spawn_height=0,game_over=entry",
    "over when something rests in the top row": "becker:game_over=top-row",
}
_DECISION_TIMES_MS = (1, 1000, 2000, 3000, 4000, 5000, 6000)  # milliseconds of a decision while the piece falls
_ROW_TIMES_MS = (500, 200, 100, 75, 60, 50)  # milliseconds a row; a key takes 100
SLIDE_PARAMETERS = {
    **{f"{feature} weight": value for feature, value in BECKER_WEIGHTS.items()},
    **{f"{feature} slope": value for feature, value in BECKER_SLOPES.items()},
    **{f"{feature} middle": value for feature, value in BECKER_MIDPOINTS.items()},
}
_LINEAR_ZERO_POINTS = {
    "holes": 16,
    "aggregate_height": 200,
    "bumpiness": 16,
    "max_height": 20,
}  # where straight lines reach 0


def make_variants() -> dict[str, WeightedAgent]:
    """The slides' function changed in one thing each."""
    agent = load_weighted_agent("becker")
    changed = {
        f"without {format_name(feature)}": {name: table for name, table in agent.weights.items() if name != feature}
        for feature in BECKER_WEIGHTS
    }
    changed["with a term for lines"] = {**agent.weights, "lines": 0.1}
    changed["straight lines for curves"] = {
        name: -BECKER_WEIGHTS[name] / most for name, most in _LINEAR_ZERO_POINTS.items()
    }
    return {name: WeightedAgent(f"becker {name}", weights, rules="becker") for name, weights in changed.items()}


def evaluate_board(board: Board) -> float:
    """E of a board, by the weighted curves."""
    features = board.measure_features()
    return sum(BECKER_WEIGHTS[feature] * compute_curve(feature)[features[feature]] for feature in BECKER_WEIGHTS)


def compute_curve(feature: str) -> Sequence[float]:
    """What a feature comes to between 0 and 1, before its weight."""
    table = load_weighted_agent("becker").weights[feature]
    points = [float(value) for value in table] if isinstance(table, Sequence) else []
    return [value / points[0] for value in points]


def measure_decisions(laboratory: MeasurementContext) -> dict[str, Any]:
    """How long one decision takes, piece after piece of a game."""
    agent = load_weighted_agent("becker")
    seconds = []
    placements = 0
    found = []
    game = Game(rules="becker", seed=laboratory.seed)
    for number in range(TIMED_DECISIONS + 1):
        if game.is_over:
            game = Game(rules="becker", seed=laboratory.seed + number)
        position = game.position
        start = time.perf_counter()
        chosen = agent.choose(position)
        seconds.append(time.perf_counter() - start)
        placements += len(position.placements())
        game.place(chosen)
        found.append(evaluate_board(game.board))
    ends = {"least": min(found), "most": max(found), "empty": evaluate_board(Board())}
    return {"placements": placements / len(seconds), **ends, "time": {"decision": float(np.median(seconds[1:]))}}


def check_curve_points(feature: str, results: MeasurementResults) -> MeasuredValue:
    """Whether our curve goes through the points of the slides."""
    points = compute_curve(feature)
    found = {value: points[value] for value in SLIDE_CURVE_POINTS[feature]}
    holds = all(abs(found[value] - wanted) <= _CURVE_TOLERANCE for value, wanted in SLIDE_CURVE_POINTS[feature].items())
    words = "; ".join(f"{value}: {format_number(point, 3)}" for value, point in found.items())
    return MeasuredValue(holds=holds, text=words, evidence=f"ours are within {_CURVE_TOLERANCE} of the slides' values")


def compute_best_of_series(results: MeasurementResults) -> MeasuredValue:
    """The best of twenty games, over and over."""
    lines = np.array(results["becker"]["sample"]["lines"])
    whole = lines[: len(lines) // _SERIES_LENGTH * _SERIES_LENGTH].reshape(-1, _SERIES_LENGTH).max(axis=1)
    return compute_median(whole, f"the best of {_SERIES_LENGTH} games, {len(whole):,} times")


def check_decision_time(results: MeasurementResults) -> MeasuredValue:
    """The time of a decision, and of each placement that it looks at."""
    decision, placements = results["decisions"]["time"]["decision"], results["decisions"]["placements"]
    each = decision / placements
    words = f"{format_number(1e6 * each)} µs a placement, {format_number(1e6 * decision)} µs a decision"
    basis, because = f"the median of {TIMED_DECISIONS:,} decisions", "a placement takes no longer here"
    return MeasuredValue(holds=each <= 0.0003, text=words, basis=basis, evidence=because, is_machine_dependent=True)


def check_weight_sum(results: MeasurementResults) -> MeasuredValue:
    """Whether the weights are shares of one."""
    weights = list(BECKER_WEIGHTS.values())
    words = f"{', '.join(f'{weight:g}' for weight in weights)}; together {sum(weights):g}"
    return MeasuredValue(holds=all(0 < weight < 1 for weight in weights) and abs(sum(weights) - 1) < 1e-9, text=words)


def check_evaluation_range(results: MeasurementResults) -> MeasuredValue:
    """Between which ends the evaluation lies."""
    least, most, empty = (results["decisions"][name] for name in ("least", "most", "empty"))
    words = f"{format_number(least)} to {format_number(most)} in games, {format_number(empty)} for the empty board"
    return MeasuredValue(
        holds=0 <= least <= most <= empty <= 1 + 1e-9, text=words, evidence="so it is on every board of them"
    )


def check_thinking_time_cost(results: MeasurementResults) -> MeasuredValue:
    """Whether a decision while the piece falls costs lines."""
    found = compute_ratio(compute_mean(results["thinking-1"]), compute_mean(results["becker"]))
    words = f"{found.formatted} times the lines if a decision takes a millisecond of the fall"
    return MeasuredValue(holds=found.interval[1] >= 1, text=words, evidence="no loss can be seen")


def check_learning_gain(results: MeasurementResults) -> MeasuredValue:
    """How many times the lines of the slides' numbers the learnt ones clear."""
    times = compute_ratio(compute_mean_over_seeds(results["tuned"]), compute_mean(results["becker"]))
    known = times.value is not None and times.interval[0] > 1
    words = f"{times.formatted} times the lines"
    return MeasuredValue(
        holds=known, text=words, basis="games cut at 10,000 pieces", evidence="the whole interval is above 1"
    )


def describe_learning_gain(results: MeasurementResults) -> str:
    """What learning makes of the same four curves."""
    tuned, plain = compute_mean_over_seeds(results["tuned"]), compute_mean(results["becker"])
    numbers = len(results["tuned"]["runs"][0]["result"]["parameters"])
    verdict = {
        "more": f"the curves were not the limit, their {numbers} numbers were",
        "less": "learning found no better numbers",
    }.get(describe_difference(tuned, plain), "no difference was found")
    return (
        f"With weights, slopes and midpoints learnt by CMA-ES the same four curves clear {tuned.formatted} lines a game "
        f"({tuned.basis}), with those of the slides {plain.formatted}: {verdict}."
    )


def describe_limits(results: MeasurementResults) -> str:
    """What holds the slides' function back."""
    plain = compute_mean(results["becker"])
    told = [(name, compute_mean(results[name])) for name in make_variants()]
    parts = [f"{name} {found.formatted} ({describe_difference(found, plain)})" for name, found in told]
    best = max(told, key=lambda one: one[1].value or 0)
    most = f"The most comes from playing {best[0]}." if describe_difference(best[1], plain) == "more" else ""
    return f"It clears {plain.formatted} lines as it is; {'; '.join(parts)}. {most}".strip()


def compute_parameter_changes(results: MeasurementResults) -> dict[str, tuple[float, list[float]]]:
    """Each number of the slides with what every seed made of it, as a multiple; what changed most first."""
    runs = [run["result"]["parameters"] for run in results["tuned"]["runs"]]
    times = {name: (given, [run[name] / given for run in runs]) for name, given in SLIDE_PARAMETERS.items()}
    return dict(sorted(times.items(), key=lambda one: -abs(np.log(max(1e-12, float(np.median(one[1][1])))))))


def describe_parameter_changes(results: MeasurementResults) -> str:
    """Which of the numbers learning changed most, of those that it changed the same way with every seed."""
    told = compute_parameter_changes(results)
    same = [name for name, (_, times) in told.items() if min(times) > 1 or max(times) < 1]
    parts = [
        f"{format_name(name)} (from {told[name][0]:g} to {format_small_number(told[name][0] * float(np.median(told[name][1])))})"
        for name in same[:3]
    ]
    unsure = [format_name(name) for name in told if name not in same]
    words = f"By the middle of {compute_mean_over_seeds(results['tuned']).basis}: {'; '.join(parts) or 'none'}."
    return f"{words} Not the same way with every seed: {', '.join(unsure)}." if unsure else words


def format_small_number(number: float) -> str:
    """A small number with three figures that say something."""
    return f"{number:.3g}" if 1e-4 <= number < 1000 else format_number(number) if number >= 1000 else "almost 0"


def make_learnt_parameters_table(results: MeasurementResults) -> list[list[str]]:
    """The slides' numbers beside the learnt ones."""
    rows = []
    for name, (given, times) in compute_parameter_changes(results).items():
        median, ends = (
            given * float(np.median(times)),
            [format_small_number(given * end) for end in (min(times), max(times))],
        )
        learnt = [format_small_number(median), " to ".join(dict.fromkeys(ends))]
        rows.append([format_name(name), f"{given:g}", *learnt, format_small_number(float(np.median(times)))])
    return rows


def make_interpretations_table(results: MeasurementResults) -> list[list[str]]:
    """What the slides leave open, tried: which of it comes to twenty to thirty lines."""
    found = {
        "as the slides' code": compute_mean(results["becker"]),
        "full rows seen": compute_mean(results[BECKER_BEFORE_CLEARING]),
    }
    found |= {words: compute_mean(results[words]) for words in _RULE_INTERPRETATIONS}
    found |= {
        f"a row takes {fall / 100:g} times as long as a key": compute_lines_at_row_time(results, fall)
        for fall in _ROW_TIMES_MS
    }
    low, high = _PUBLISHED_LINES_RANGE
    return [
        [words, ours.formatted, "yes" if ours.interval[0] <= high and ours.interval[1] >= low else "no"]
        for words, ours in found.items()
    ]


def compute_lines_at_row_time(results: MeasurementResults, row_time_ms: int) -> MeasuredValue:
    """The lines where a row takes so many milliseconds."""
    return compute_mean(results["thinking-1" if row_time_ms == _ROW_TIMES_MS[0] else f"falling-{row_time_ms}"])


def describe_thinking_time(results: MeasurementResults) -> str:
    """How slow a decision may be beside a falling piece."""
    plain = compute_mean(results["becker"])
    slow = [
        time
        for time in _DECISION_TIMES_MS
        if describe_difference(compute_mean(results[f"thinking-{time}"]), plain) == "less"
    ]
    if not slow:
        return f"Even {_DECISION_TIMES_MS[-1] / 1000:g} seconds cost no lines that these games can show."
    lines = compute_mean(results[f"thinking-{slow[0]}"])
    return (
        f"Of the times tried, with a row every half second, {slow[0] / 1000:g} seconds are the first that cost lines: "
        f"{lines.formatted} instead of {plain.formatted}."
    )


def draw_thinking_times(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Lines against the time of a decision."""
    lines = {"becker": [compute_mean(results[f"thinking-{time}"]) for time in _DECISION_TIMES_MS]}
    places = [f"{time / 1000:g} s" for time in _DECISION_TIMES_MS]
    return draw_parameter_sweep(size, "Lines a game", "by the time of a decision", places, lines)


def draw_variants(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """The slides' function, and with one thing changed."""
    entries = [ForestRow("as in the slides", compute_mean(results["becker"]), _PUBLISHED_LINES_RANGE)]
    entries += [ForestRow(name, compute_mean(results[name])) for name in make_variants()]
    return draw_forest_plot(size, "Lines a game", "rules becker", entries)


def draw_curves(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """The four curves, each from 0 to where it has ended."""
    steps = 101
    lines = {
        f"{format_name(name)}, to {most}": [
            compute_curve(name)[round(most * step / (steps - 1))] for step in range(steps)
        ]
        for name, most in _CURVE_DRAWING_LIMITS.items()
    }
    key = "From 0 at the left to the value that is named at the right; the weights are not in it"
    return draw_generation_curves(size, "What a board's attributes come to", lines, key, "percent of the way")


def draw_lines_distribution(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """How many lines games have."""
    samples = {
        "becker": results["becker"]["sample"]["lines"],
        "becker, full rows seen": results[BECKER_BEFORE_CLEARING]["sample"]["lines"],
    }
    return draw_ridgeline_plot(size, "Lines a game", "rules becker", samples)


def draw_learnt_lines(results: MeasurementResults, size: "FigureSize") -> "Figure":
    """The slides' figure, our games, and what learning makes of it."""
    entries = [
        ForestRow("becker", compute_mean(results["becker"]), _PUBLISHED_LINES_RANGE),
        ForestRow("becker, full rows seen", compute_mean(results[BECKER_BEFORE_CLEARING]), _PUBLISHED_LINES_RANGE),
        ForestRow("becker-tuned", compute_mean_over_seeds(results["tuned"])),
    ]
    return draw_forest_plot(size, "Lines a game", "rules becker", entries)


BECKER_PAPER = Paper(
    name="becker",
    title="Tetris game playing AI using static evaluation function",
    source="Gabe Becker, slides",
    description="Four curves of the board, each between 0 and 1, are weighed and added up; the placement with the best sum "
    "is turned into key presses, and the decision is made beside the falling piece.",
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
            GameMeasurement(words, "becker", games=20_000, quick_games=1000, rules=rules)
            for words, rules in _RULE_INTERPRETATIONS.items()
        ),
        *(GameMeasurement(name, agent, games=20_000, quick_games=1000) for name, agent in make_variants().items()),
        CustomMeasurement("decisions", measure_decisions, version=2),
    ],
    claims=[
        Claim(
            "lines a game",
            "“It's pretty good!”",
            PublishedRange("20 to 30, about 23", low=20, high=30),
            make_mean_reader("becker"),
            difference_cause="the slides' code removes full rows before it looks, and so does ours; how a game ends hardly "
            "matters; an evaluation that still sees full rows (the next row) fits, and so does a piece that falls "
            "faster than keys can move it (readings below)",
        ),
        Claim(
            "lines a game, if the evaluation sees full rows before they are removed",
            "“It's pretty good!”",
            PublishedRange("20 to 30, about 23", low=20, high=30),
            make_mean_reader(BECKER_BEFORE_CLEARING),
        ),
        Claim(
            "the best game",
            "“It's pretty good!”",
            PublishedRange("90", low=90, high=90),
            compute_best_of_series,
            difference_cause="how many games were played is not said; the best of more games is higher",
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
        Claim(
            "the weights", "“The function”", PublishedStatement("each between 0 and 1, together 1"), check_weight_sum
        ),
        Claim(
            "the evaluation of a board", "“The function”", PublishedStatement("between 0 and 1"), check_evaluation_range
        ),
        Claim(
            "an evaluation takes no time that one would notice",
            "“Multithreading”",
            PublishedStatement("about 0.0003 s each"),
            check_decision_time,
            difference_cause="this machine was busy while it was timed",
        ),
        Claim(
            "to decide beside the falling piece is probably not needed",
            "“Multithreading”",
            PublishedStatement("the decision costs nothing"),
            check_thinking_time_cost,
        ),
        Claim(
            "machine learning is the way to a proper agent",
            "“It's pretty good!”",
            PublishedStatement("learnt weights and functions play better"),
            check_learning_gain,
        ),
    ],
    questions=[
        OpenQuestion(
            "What does machine learning make of the same functions?", "“It's pretty good!”", describe_learning_gain
        ),
        OpenQuestion("Which numbers does learning change most?", "“It's pretty good!”", describe_parameter_changes),
        OpenQuestion("What holds the slides' function back?", "“It's pretty good!”", describe_limits),
        OpenQuestion("How slow may a decision be while the piece falls?", "“Multithreading”", describe_thinking_time),
    ],
    figures=[
        PaperFigure(
            "curves",
            "The four curves",
            "The curves of the slides as our agent has them; that of bumpiness covers that of holes, its equal.",
            draw_curves,
        ),
        PaperFigure(
            "games",
            "Lines a game",
            "How many games have so many lines; the first thousand of each.",
            draw_lines_distribution,
        ),
        PaperFigure(
            "learnt", "By hand and learnt", "The slides' range, our games, and the curves learnt.", draw_learnt_lines
        ),
        PaperFigure(
            "variants", "One thing changed", "The slides' function without a curve, and others.", draw_variants
        ),
        PaperFigure("thinking", "Deciding while it falls", "A row falls every half second.", draw_thinking_times),
    ],
    tables=[
        ResultTable(
            "Readings of what the slides leave open",
            "Lines a game, and whether they meet the slides' 20 to 30.",
            ("Reading", "Lines", "Fits"),
            make_interpretations_table,
        ),
        ResultTable(
            "The slides' numbers and the learnt ones",
            "Learnt: the middle of all seeds, and the least and the most; the last column is the middle over the "
            "slides' number. What changed most comes first.",
            ("Number", "Slides", "Learnt", "Over seeds", "Times"),
            make_learnt_parameters_table,
        ),
    ],
)
