"""The record: what the strongest agents reach, how they were trained, and what others have published."""

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
    check_two_pieces,
    check_whole_games,
    compute_lines,
    load_saved_results,
    load_training_runs,
    load_whole_games,
    make_lines_reader,
    name_search,
    read_whole_games,
    sum_whole_games,
)
from tetrion.lab.reproduction.measured_values import ValueReader, compute_ratio, make_ratio_reader, parse_interval
from tetrion.lab.reproduction.paper_definition import (
    Claim,
    ClaimKind,
    MeasurementResults,
    Paper,
    PaperFigure,
    ResultTable,
)
from tetrion.lab.reproduction.published_values import (
    MeasuredValue,
    PublishedOrdering,
    PublishedStatement,
)
from tetrion.lab.reproduction.reproduction_figures import ForestRow, draw_forest_plot, draw_generation_curves

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from tetrion.lab.figure_charts import FigureSize

ABLATION_SETTINGS = frozenset({"patterns", "stages"})
PRIOR_WORK = load_saved_results("prior_work.json")
TETR_AI = "tetr-ai"  # the best open program that we know of
_MILLION_LINES = 1e6


def make_agent_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per agent: lines on both boards and in games on a GPU, with their ratios to those of dt20."""
    rows = []
    reference = {size: make_lines_reader(f"dt20-{size}")(results) for size in ("10x10", "10x20")}
    for ten, twenty in ((RECORD_10X10, ""), ("", RECORD_10X20), *((agent, agent) for agent in PUBLISHED_AGENTS)):
        cells = [ten or twenty]
        for agent, size in ((ten, "10x10"), (twenty, "10x20")):
            lines = make_lines_reader(f"{agent}-{size}")(results) if agent else None
            cells += [lines.formatted, format_ratio(lines, reference[size])] if lines else ["–", "–"]
        rows.append(cells + format_whole_games(twenty))
    return rows


def format_whole_games(agent: str) -> list[str]:
    """Format the lines per death, their ratio to dt20 and the deaths of an agent's games, if a GPU has played some."""
    if not load_whole_games(agent):
        return ["–", "–", "–"]
    lines = read_whole_games(agent)
    return [lines.formatted, format_ratio(lines, read_whole_games("dt20")), f"{sum_whole_games(agent)[1]:,}"]


def format_ratio(lines: MeasuredValue, reference: MeasuredValue) -> str:
    """Format lines as a multiple of others."""
    ratio = compute_ratio(lines, reference)
    return "1" if lines == reference else format_mean_interval(ratio.value, ratio.ci95)


def read_comparison(agent: str, board: str) -> MeasuredValue:
    """Return the lines of an agent in the games of the independent program."""
    comparison = PRIOR_WORK["comparison"]
    found = next(games for games in comparison["games"] if (games["agent"], games["board"]) == (agent, board))
    interval = parse_interval(found["ci95"])
    basis = f"{found['deaths']:,} deaths; {comparison['program']}, on an {comparison['device']}"
    text = format_mean_interval(found["mean"], interval, millions_threshold=_MILLION_LINES)
    return MeasuredValue(found["mean"], interval, basis=basis, text=text)


def make_comparison_reader(agent: str, board: str) -> ValueReader:
    """Return a reader of the ratio of the lines of an agent to those of tetr-ai in these games."""
    return make_ratio_reader(lambda _: read_comparison(agent, board), lambda _: read_comparison(TETR_AI, board))


def make_comparison_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per board: lines of ours and of tetr-ai in the games of the independent program."""
    rows = []
    for agent, board in ((RECORD_10X10, "10x10"), (RECORD_10X20, "10x20")):
        ours, theirs = (read_comparison(name, board) for name in (agent, TETR_AI))
        deaths = [games["deaths"] for games in PRIOR_WORK["comparison"]["games"] if games["board"] == board]
        cells = [board.replace("x", "×"), agent, ours.formatted, theirs.formatted, format_ratio(ours, theirs)]
        rows.append([*cells, " and ".join(f"{count:,}" for count in deaths)])
    return rows


def make_prior_work_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per publication of others: its game, its lines per game and its method."""
    return [[work["work"], work["game"], work["lines"], work["method"]] for work in PRIOR_WORK["works"]]


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
    return not ABLATION_SETTINGS.isdisjoint(run["changes"])


def find_complete_run(ablation: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the run with all patterns and stages, and otherwise the settings of an ablation."""
    changes = {key: value for key, value in ablation["changes"].items() if key not in ABLATION_SETTINGS}
    searched = ablation["recipe"], ablation["seed"], changes
    return next(run for run in load_training_runs() if (run["recipe"], run["seed"], run["changes"]) == searched)


def make_ablation_table(results: MeasurementResults) -> list[list[str]]:
    """Return one row per training run without some patterns or stages: what was left out, and what it is worth."""
    ablations = [run for run in load_training_runs() if is_ablation(run)]
    complete = find_complete_run(ablations[0])
    rows = []
    for run in [complete, *ablations]:
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
    title="The record: the longest one-piece games that we know of",
    source="Tetrion; the published agents are those of the literature",
    description="The player sees one piece, drawn uniformly, and drops it straight down. On the 10×20 board tetrion-1 "
    "then clears about 500 million lines per game, eight to nine times as many as dt20 of Gabillon et al. 2013, and on "
    "10×10 tetrion-1-10x10 clears 17,400, 3.4 times as many as dt10. Both are about twice the lines of tetr-ai "
    "(2026), the best open program that we know of; we searched in November 2026. Temporal-difference learning of such "
    "tables comes from Jaśkowski et al. 2015, who are ahead of us in the game of S and Z only. Gabillon et al. "
    "conjectured that good policies are easier to represent in Tetris than value functions; the tables of tetrion-1 "
    "are a value function.",
    rules="standard: 10×20 or 10×10, pieces drawn uniformly, hard drops only, game over when a piece does not fit",
    measurements=RECORD_MEASUREMENTS,
    claims=[
        *(
            Claim(
                f"{agent} clears more lines than tetr-ai on {board.replace('x', '×')}",
                "both in one program",
                PublishedOrdering("more"),
                make_comparison_reader(agent, board),
                kind=ClaimKind.OWN,
            )
            for agent, board in ((RECORD_10X10, "10x10"), (RECORD_10X20, "10x20"))
        ),
        Claim(
            "splitting agrees with games of tetrion-1 on 10×20",
            "our check of the method, with capped games that a GPU has played",
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
        Claim(
            f"splitting agrees with games of tetrion-1-two-pieces on 10×{SEARCH_HEIGHT}",
            "our check of the method, with capped games that a GPU has played",
            PublishedStatement("the intervals of both means agree"),
            check_two_pieces,
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
            "Whole games on 10×10, splitting on 10×20. The factors are relative to dt20. The last columns are from "
            "capped games on 10×20 that an NVIDIA H200 has played: all lines divided by all deaths.",
            (
                *("Agent", "Lines on 10×10", "Factor", "Lines on 10×20 (splitting)", "Factor"),
                *("Lines on 10×20 (games on an H200)", "Factor", "Deaths"),
            ),
            make_agent_table,
        ),
        ResultTable(
            "Beside the best open program",
            "tetr-ai (2026) and our agents in one independent program of ours, which is not part of Tetrion, on an "
            "NVIDIA H200: lines per death. The deaths of tetr-ai come second.",
            ("Board", "Agent", "Lines", "Lines of tetr-ai", "Factor", "Deaths"),
            make_comparison_table,
        ),
        ResultTable(
            "What others have published",
            f"The longest games that we found, and where our method comes from; searched in {PRIOR_WORK['searched']}.",
            ("Work", "Game", "Lines per game", "Method"),
            make_prior_work_table,
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
            "with two pieces the next one is known. The means with two pieces are from splitting, the others from "
            "whole games.",
            ("Agent", "One piece", "One piece and the expected next", "Two pieces"),
            make_search_table,
        ),
        ResultTable(
            "What each pattern and the stages are worth",
            "Runs of `record-10x10` with seed 1 that were trained without some of them, with `--set td.patterns=…` or "
            "`--set td.stages=…`, and with the settings of an earlier version of the recipe (`--set td.pieces=4 --set "
            "td.discount=0.99`): lines per death in 2,000 held-out games of at most 20,000 pieces.",
            ("Run", "Lines per game", "Share"),
            make_ablation_table,
        ),
        ResultTable(
            "Training runs",
            "Lines per death in held-out games on the board of training. There are 2,000 or 20,000 games of at most "
            "20,000 pieces; for `record-two-pieces` 20,000 of at most 4,000 pieces, or 16,384 of at most 4,000 (with a "
            "`td.discount` of 0.99 or 0.998) or 2,000; for `record-expect` 1,000 of at most 2,000 pieces. The time "
            "includes compilation. It is that of an H200 that several runs shared; the runs of `record` and "
            "`record-10x10` with 4 pieces per update used earlier versions of the kernels. Without `--device cuda`, it "
            "is that of two busy cores, and for `record-expect` that of 13.",
            ("Command", "Pieces", "Lines per game", "Time"),
            make_run_table,
        ),
    ],
    notes=[
        "How the agents were found: a learner that estimates the expected death of each board was tried with tables of "
        "shapes, then with separate tables by stage of the game (free rows, rows with holes), and then with a longer "
        "horizon, which grows during training. `tetrion train` describes it. On 12 rows, the horizon and more pieces "
        "per update lengthen the games by half: see `record` with 4 and 16 pieces per update in the last table.",
        "The recipe `record` with other seeds, on 10×20 by splitting (`tetrion bench RUN --rules standard --splitting "
        "--seed 6`): 519 million lines (472 to 570) with seed 1, 517 (463 to 578) with seed 2, 504 (440 to 577) with "
        "seed 3. The agents of Tetrion are those of seed 1.",
        "What did not help. A longer horizon with longer training on 10×10: see the last table. A horizon of 1,000 "
        "pieces in `record` (`--set td.discount=0.999 --set td.iterations=100`): as long games on 12 rows, but 228 "
        "million lines (206 to 251) on 10×20 by splitting. Other settings of `record-10x10`, in one run each with seed "
        "1, lines per death by `tetrion bench RUN --games 60000 --pieces 20000 --seed 99 --device cuda` (17,403 ± 230 "
        "with the recipe's own settings): "
        "`td.learning_rate=0.5` 15,722 ± 199, `td.learning_rate=2` 17,472 ± 231, `td.discount=0.998` 16,947 ± 222, "
        "`td.pieces=64` with `td.updates=100` 16,530 ± 214, `td.garbage=0.05` 18,478 ± 250 (seeds 2 and 3 of the "
        "recipe: 18,583 ± 252 and 17,688 ± 235). The mean of the tables of these three seeds: 17,254 ± 227.",
        "What was tried only briefly and settles nothing: games that begin on rows of garbage; and, in prototypes that "
        "are not part of Tetrion, training directly on 20 rows and continuing the tables of a low board in a straight "
        "line. CMA-ES over tables of features was not trained to its end: 6,622 lines on 10×10 in the validation games "
        "of generation 40 of `record-tables`, then with 1,000 games for every candidate. Now the candidates race: all "
        "play 2,000 games, the better half 4,000 and the best quarter 8,000, which takes half as many pieces as 8,000 "
        "games for all.",
        "What promises more: larger tables. In a prototype with the surfaces of six columns instead of four, larger "
        "differences of heights, 25 stages and 50 iterations, one run reached 22,550 ± 331 lines per death on 10×10 in "
        "the same 60,000 games. The tables have six times as many numbers that are not 0.",
        "Training on a GPU is measured in the documentation of `tetrion train`. On an H200, 400,000 games at once: 644 "
        "million pieces per second for tetrion-1 on 12 rows and 621 for tetrion-1-10x10 (`python -m "
        "benchmarks.gpu_training`); dt20 648 and du 1,460 (`evaluate` on the device cuda). The rest of the time of "
        "learning is for the additions of the errors to the totals, and for the end of each update, when the last "
        "games keep the others waiting; that of CMA-ES for candidates that are made in Python.",
        "The tables are learned in whole numbers, so that the same recipe and seed give the same agent on every "
        "processor and on a GPU. This was compared between an H200 and a CPU for 786,000 pieces on each of two boards "
        "and, with depth 2, for 66,000 and 77,000 pieces on two others.",
        "Training with two pieces. Learning with depth 2 uses the boards at the end of the best variation, after both "
        "pieces, whose next piece is unknown. An earlier version of the learner used the boards of the game, which "
        "were chosen for a next piece that is known: its run with `td.discount=0.99` (0.66 billion pieces) ended at "
        "12,161 ± 775 lines on 10×8, in 2,000 games of at most 20,000 pieces. With almost the same horizon, the ends "
        "of variations give five times as many; the rest comes from the shorter horizon, see the runs of "
        "`record-two-pieces` in the last table. Each is one run with seed 1. The result is as strong as the weights of "
        "tetrion-1-10x10 with the same search, whose interval overlaps, and twice as strong as those of dt20 and "
        "dellacherie.",
        "Training with the expected next piece: CMA-ES on 10×7, one run with nine weights, which is as strong as dt20 "
        "with the same search and weaker than tetrion-1-10x10. TD learning with the expected next piece was not tried.",
        "CMA-ES over piecewise-linear functions of 22 features (recipe `record-tables`) is repeatable to the bit on "
        "one kind of processor only.",
        "Splitting was compared with whole games for the published agents and tetrion-1 on 10×20, see `tetrion bench`.",
    ],
    implemented="The agents `tetrion-1`, `tetrion-1-10x10`, `tetrion-1-two-pieces` and `tetrion-1-expect`, and the "
    "recipes `record`, `record-10x10`, `record-two-pieces`, `record-expect` and `record-tables`.",
    deviations="none",
)
