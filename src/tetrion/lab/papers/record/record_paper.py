"""The record: what the strongest agents reach, how they were trained, and what that is worth."""

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from tetrion.engine.patterns import PATTERNS
from tetrion.evaluation.number_format import format_mean_interval, format_number
from tetrion.lab.papers.record.record_measurements import (
    CHECK_HEIGHT,
    PUBLISHED_AGENTS,
    RECORD_10X10,
    RECORD_10X20,
    RECORD_MEASUREMENTS,
    RETRAINED_AGENTS,
    SEARCH_AGENTS,
    SEARCH_HEIGHT,
    SPLITTING_HEIGHTS,
    check_splitting,
    check_whole_games,
    compare_whole_games,
    compute_lines,
    load_training_runs,
    make_lines_reader,
    name_search,
)
from tetrion.lab.reproduction.measured_values import compute_ratio, make_ratio_reader, parse_interval
from tetrion.lab.reproduction.paper_definition import (
    Claim,
    ClaimKind,
    MeasurementResults,
    Paper,
    PaperFigure,
    ResultTable,
)
from tetrion.lab.reproduction.published_values import MeasuredValue, PublishedLowerBound, PublishedStatement
from tetrion.lab.reproduction.reproduction_figures import ForestRow, draw_forest_plot, draw_generation_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize

_GABILLON = "Gabillon, Ghavamzadeh and Scherrer 2013, commonly cited"


def make_agent_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per agent: lines on the 10×10 and the 10×20 board, and their ratios to those of dt20."""
    rows = []
    reference = {size: make_lines_reader(f"dt20-{size}")(results) for size in ("10x10", "10x20")}
    for ten, twenty in ((RECORD_10X10, ""), ("", RECORD_10X20), *((agent, agent) for agent in PUBLISHED_AGENTS)):
        cells = [ten or twenty]
        for agent, size in ((ten, "10x10"), (twenty, "10x20")):
            lines = make_lines_reader(f"{agent}-{size}")(results) if agent else None
            cells += [lines.formatted, format_ratio(lines, reference[size])] if lines else ["–", "–"]
        rows.append(cells)
    return rows


def format_ratio(lines: MeasuredValue, reference: MeasuredValue) -> str:
    """Format lines as a multiple of others."""
    ratio = compute_ratio(lines, reference)
    return "1" if lines == reference else format_mean_interval(ratio.value, ratio.ci95)


def make_height_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per board height: lines of tetrion-1 and dt20, and their ratio."""
    rows = []
    for height in SPLITTING_HEIGHTS:
        ours, theirs = (make_lines_reader(f"{agent}-10x{height}")(results) for agent in (RECORD_10X20, "dt20"))
        rows.append([str(height), ours.formatted, theirs.formatted, format_ratio(ours, theirs)])
    return rows


def make_search_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per agent: lines with one piece, with the expected next piece, and with two pieces."""
    searches = ("one-piece", "expect", "two-pieces")
    return [
        [
            agent,
            *(
                compute_lines(results[name]).formatted if (name := name_search(agent, search)) in results else "–"
                for search in searches
            ),
        ]
        for agent in (*SEARCH_AGENTS, *RETRAINED_AGENTS.values())
    ]


def make_run_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per training run."""
    return [
        [
            run["command"],
            f"{run['pieces'] / 1e9:.2f} billion",
            format_mean_interval(run["held_out"]["mean"], parse_interval(run["held_out"]["ci95"])),
            f"{run['seconds']:,.0f} s",
        ]
        for run in load_training_runs()
        if not is_ablation(run)
    ]


def is_ablation(run: Mapping[str, Any]) -> bool:
    """Return whether a run was trained without some of the patterns or stages."""
    return bool(run["changes"].keys() & {"patterns", "stages"})


def make_ablation_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per training run without some patterns or stages: what was left out, and what it is worth."""
    runs = [run for run in load_training_runs() if run["recipe"] == RECORD_10X10.replace("tetrion-1", "record")]
    complete = next(run for run in runs if not run["changes"] and run["seed"] == 1)
    rows = []
    for run in [complete, *filter(is_ablation, runs)]:
        interval = parse_interval(run["held_out"]["ci95"])
        share = format_number(run["held_out"]["mean"] / complete["held_out"]["mean"])
        rows.append([describe_ablation(run), format_mean_interval(run["held_out"]["mean"], interval), share])
    return rows


def describe_ablation(run: Mapping[str, Any]) -> str:
    """Describe what a run was trained without."""
    changes = run["changes"]
    if "patterns" in changes:
        return "without " + " and ".join(f"`{name}`" for name in PATTERNS if name not in changes["patterns"])
    if "stages" in changes:
        missing = {"space": "by free rows", "holes": "by rows with holes"}
        return "without stages " + " and ".join(text for name, text in missing.items() if name not in changes["stages"])
    return "all patterns and stages"


def make_speed_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per agent: pieces per second in its games on 10×10, and relative to du."""
    speeds = {
        agent: results[f"{agent}-10x10"]["time"]["pieces_per_second"] for agent in (RECORD_10X10, *PUBLISHED_AGENTS)
    }
    return [
        [agent, f"{format_number(speed / 1e6)} M", format_number(speed / speeds["du"])]
        for agent, speed in speeds.items()
    ]


def draw_boards(size: str, agents: tuple[str, ...], results: MeasurementResults, figure_size: "FigureSize") -> "Figure":
    """Draw the lines of agents on a board."""
    entries = [ForestRow(agent, make_lines_reader(f"{agent}-{size}")(results)) for agent in agents]
    entries.sort(key=lambda entry: entry.measured.value or 0)
    return draw_forest_plot(figure_size, "Lines per game", size.replace("x", "×"), entries)


def draw_learning_curves(recipe: str, results: MeasurementResults, size: "FigureSize") -> "Figure":
    """Draw the lines per death during the training runs of a recipe with its own settings."""
    curves = {
        f"seed {run['seed']}": run["lines_per_death"]
        for run in load_training_runs()
        if run["recipe"] == recipe and not run["changes"]
    }
    return draw_generation_curves(size, "Lines per death in training", curves, subtitle="by iteration")


RECORD_PAPER = Paper(
    name="record",
    label="The record",
    title="The record: one-piece agents beyond everything published",
    source="Tetrion; the published agents are those of the literature",
    description="Since 2013 the best published one-piece agents are those of Gabillon et al.: dt20 on the 10×20 "
    "board and dt10 on 10×10. Tables of patterns, learned by temporal differences, play several times longer.",
    rules="standard: 10×20 or 10×10, pieces drawn uniformly, hard drops only, game over when a piece does not fit",
    measurements=RECORD_MEASUREMENTS,
    claims=[
        Claim(
            "tetrion-1-10x10, lines per game on 10×10",
            f"{_GABILLON}: 4,300 to 5,100 for dt10",
            PublishedLowerBound("above 5,137, the best mean known (dt10)", bound=5137),
            make_lines_reader(f"{RECORD_10X10}-10x10"),
            kind=ClaimKind.OWN,
        ),
        Claim(
            "tetrion-1, lines per game on 10×20",
            f"{_GABILLON}: 51 M for dt20",
            PublishedLowerBound("above 51 M, the best mean published (dt20)", bound=51e6),
            make_lines_reader(f"{RECORD_10X20}-10x20"),
            kind=ClaimKind.OWN,
        ),
        Claim(
            "tetrion-1 clears at least twice as many lines as dt20 on 10×20",
            "our aim",
            PublishedLowerBound("more than twice", bound=2),
            make_ratio_reader(make_lines_reader(f"{RECORD_10X20}-10x20"), make_lines_reader("dt20-10x20")),
            kind=ClaimKind.OWN,
        ),
        Claim(
            "tetrion-1 clears at least twice as many lines as dt20 on 10×20, in whole games",
            "our aim, with games that a GPU has played",
            PublishedLowerBound("more than twice", bound=2),
            compare_whole_games,
            kind=ClaimKind.OWN,
        ),
        Claim(
            "splitting agrees with whole games of tetrion-1 on 10×20",
            "our check of the method, with games that a GPU has played",
            PublishedStatement("the intervals of both means agree"),
            check_whole_games,
            kind=ClaimKind.OWN,
        ),
        Claim(
            f"splitting agrees with whole games of tetrion-1 on 10×{CHECK_HEIGHT}",
            "our check of the method",
            PublishedStatement("the intervals of both means agree"),
            check_splitting,
            kind=ClaimKind.OWN,
        ),
    ],
    figures=[
        PaperFigure(
            "ten",
            "Lines per game on 10×10",
            "All games are played to their end.",
            partial(draw_boards, "10x10", (RECORD_10X10, *PUBLISHED_AGENTS)),
        ),
        PaperFigure(
            "twenty",
            "Lines per game on 10×20",
            "Means by splitting.",
            partial(draw_boards, "10x20", (RECORD_10X20, *PUBLISHED_AGENTS)),
        ),
        PaperFigure(
            "learning-10x10",
            "Learning curves of the recipe record-10x10",
            "Lines per death of all games of an iteration, on 10×10. The learning rate falls from the middle on.",
            partial(draw_learning_curves, "record-10x10"),
        ),
        PaperFigure(
            "learning",
            "Learning curves of the recipe record",
            "Lines per death of all games of an iteration, on the board of 12 rows on which it trains.",
            partial(draw_learning_curves, "record"),
        ),
    ],
    tables=[
        ResultTable(
            "The agents",
            "Whole games on 10×10, splitting on 10×20. The factors are relative to dt20 in the same run.",
            ("Agent", "Lines on 10×10", "Factor", "Lines on 10×20", "Factor"),
            make_agent_table,
        ),
        ResultTable(
            "Board height",
            "tetrion-1 learned on a board of 12 rows. On higher boards it sees the top of the stack as such a board.",
            ("Rows", "tetrion-1", "dt20", "Factor"),
            make_height_table,
        ),
        ResultTable(
            f"More than one piece, on 10×{SEARCH_HEIGHT}",
            "The first agents have the same weights for all columns, which were made for one piece and higher boards; "
            "the last two were trained with their search. “Expected” is the mean over the seven possible next pieces; "
            "with two pieces the next one is known. Games are capped at 6,000 or 8,000 pieces, and the mean is the "
            "number of all lines divided by the number of deaths.",
            ("Agent", "One piece", "One piece and the expected next", "Two pieces"),
            make_search_table,
        ),
        ResultTable(
            "Speed",
            "Pieces per second of the games on 10×10, on all cores of the machine that measured this page (two).",
            ("Agent", "Pieces per second", "Relative to du"),
            make_speed_table,
        ),
        ResultTable(
            "What each pattern and the stages are worth",
            "Runs of `record-10x10` with seed 1 that were trained without some of them, with `--set td.patterns=…` or "
            "`--set td.stages=…`: lines per death in 2,000 held-out games of at most 20,000 pieces.",
            ("Run", "Lines per game", "Share"),
            make_ablation_table,
        ),
        ResultTable(
            "Training runs",
            "Lines per death in held-out games with a piece limit, on the board of training. The time is that of an "
            "H200 that several runs shared, with an earlier version of the kernels except in the last two runs; "
            "`record-expect` used 13 cores.",
            ("Command", "Pieces", "Lines per game", "Time"),
            make_run_table,
        ),
    ],
    notes=[
        "How the agents were found: a learner that estimates the expected death of each board was tried with tables of "
        "shapes, and then with separate tables by stage of the game (free rows, rows with holes). `tetrion train` "
        "describes it.",
        "What was tried only briefly and settles nothing: games that begin on rows of garbage, in the runs of the "
        "last table, which were shorter; and, in prototypes that are not part of Tetrion, training directly on 20 "
        "rows and continuing the tables of a low board in a straight line. CMA-ES over tables of features was not "
        "trained to its end: 6,622 lines on 10×10 in the validation games of generation 40 of `record-tables`, then "
        "with 1,000 games for every candidate. Now the candidates race: all play 2,000 games, the better half 4,000 "
        "and the best quarter 8,000, which takes half as many pieces as 8,000 games for all.",
        "What promises more, in one run each with seed 1 and 20,000 whole games on 10×10: `record-10x10` with 16 "
        "pieces per update (`--set td.pieces=16`) gives 16,921 ± 236 lines, and with a discount of 0.995 as well "
        "(`--set td.discount=0.995`) 17,491 ± 243, where tetrion-1-10x10 clears 15,699 ± 217. Four times as many "
        "iterations do not help: 15,523 ± 216. The recipes keep their settings until tetrion-1 has been trained and "
        "measured with others.",
        "On an H200, 400,000 games at once (`evaluate` on the device cuda): 632 million pieces per second for "
        "tetrion-1, 648 for dt20 and 1,460 for du. Learning with `record-10x10`: 456 million pieces per second, 73 % "
        "of the 623 million of playing with tetrion-1-10x10 in the same run, and 521 million (84 %) with 16 pieces "
        "per update. The rest is for the additions of the errors to the totals, and for the end of each update, when "
        "the last games keep the others waiting. CMA-ES with `record-tables` (64 candidates with 2,000 games and "
        "more): 231 million, 84 % of the 275 million of playing with its first agent; with 1,000 games and no "
        "further rounds 201 million (73 %), because the candidates are made in Python.",
        "The tables are learned in whole numbers, so that the same recipe and seed give the same agent on every "
        "processor and on a GPU. This was compared between an H200 and a CPU for 630,000 pieces, and the recipe "
        "`record-10x10` gave the same result with three versions of the GPU's program; the newest was compared with a "
        "CPU for 280,000 pieces on each of two boards. The agents are those of seed 1.",
        "Training with the search did not pay so far. TD learning with the next piece known, on 10×8, gives an agent "
        "that is clearly weaker than the weights for one piece with the same search; CMA-ES with the expected next "
        "piece, on 10×7, gives one whose interval overlaps with the others. Each is one run, and longer ones were not "
        "tried.",
        "CMA-ES over piecewise-linear functions of 22 features (recipe `record-tables`) is repeatable to the bit on "
        "one kind of processor only.",
        "Splitting was compared with whole games for the published agents on 10×20, see `tetrion bench`.",
    ],
    implemented="The agents `tetrion-1`, `tetrion-1-10x10`, `tetrion-1-two-pieces` and `tetrion-1-expect`, and the "
    "recipes `record`, `record-10x10`, `record-two-pieces`, `record-expect` and `record-tables`.",
    deviations="none",
)
