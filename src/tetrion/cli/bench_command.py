"""`tetrion bench`: measure agents over many games."""

import csv
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from io import StringIO
from itertools import chain, islice
from typing import Any, TypeVar

import click
from rich.text import Text

from tetrion.agents import Agent, choose_rules, load_agent
from tetrion.agents.agent import can_play
from tetrion.agents.agent_loading import split_options
from tetrion.agents.compiled_parts import plan_bulk_games
from tetrion.agents.weighted_agent import as_weighted_agent
from tetrion.cli import EXIT_FAILED, EXIT_STOPPED
from tetrion.cli.console_output import format_json, make_console, print_notice, translate_to_options, wrap_text
from tetrion.cli.output_files import validate_output_files, write_bytes, write_text, write_text_parts
from tetrion.cli.shared_options import (
    allow_code_option,
    device_option,
    rules_option,
    theme_option,
    width_option,
    workers_option,
)
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, DifferentRulesError, TetrionError, UnknownNameError
from tetrion.evaluation import Evaluation, SplittingEvaluation, evaluate, evaluate_by_splitting
from tetrion.evaluation.agent_evaluation import DEFAULT_GAMES, MAX_GAMES, get_first_round_size, validate_precision
from tetrion.evaluation.game_statistics import (
    STATISTICS_HEADINGS,
    describe_intervals,
    format_attack_rates,
    format_statistics,
    iterate_game_records,
    list_game_columns,
    list_measures,
    scores_lines,
)
from tetrion.evaluation.number_format import (
    MILLIONS_THRESHOLD,
    format_count,
    format_duration,
    format_mean_interval,
    format_number,
    format_percent,
    format_speed,
)
from tetrion.evaluation.progress_bar import show_progress
from tetrion.game import Game
from tetrion.interrupts import STOP_MESSAGE
from tetrion.lab.distribution_plot import render_distribution_plot, validate_plot_file_type
from tetrion.progress import Observer, Progress
from tetrion.text_cleaning import clean_lines, clean_name, number_duplicate_names

DEFAULT_COMPARISON_RULES = "standard-10x10"  # for agents that were made for different rules
_HINT_SECONDS = 5.0  # after which the time left is known well enough
_LONG_SECONDS = 90.0  # commands with more time left propose faster options
_ResultT = TypeVar("_ResultT", Evaluation, SplittingEvaluation)


def parse_share(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """Parse a share such as 5% or 0.05 (click callback)."""
    if value is None:
        return None
    text = value.strip()
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise TetrionError(f"--precision is a share of the mean, such as 5% or 0.05; given {value!r}.") from None
    try:
        return validate_precision(number)
    except TetrionError as error:
        raise TetrionError(f"--{error} Here, 5% is the same as 0.05.") from None


@click.command()
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@rules_option
@click.option(
    "--games", type=int, metavar="N", help=f"Games per agent (default: {DEFAULT_GAMES}; at most {MAX_GAMES:,})."
)
@click.option(
    "--precision",
    callback=parse_share,
    metavar="SHARE",
    help="Play until the mean number of lines is known to within SHARE (e.g. 5%).",
)
@click.option(
    "--splitting",
    is_flag=True,
    help="Estimate the mean by multilevel splitting instead of whole games: for strong agents on high boards.",
)
@click.option("--pieces", type=click.IntRange(1, UNLIMITED), metavar="N", help="Cap each game at N pieces.")
@click.option("--lines", type=click.IntRange(1, UNLIMITED), metavar="N", help="Cap each game at N lines.")
@click.option(
    "--seed", default=0, show_default=True, metavar="N", help="Seed of the games. Every agent plays the same games."
)
@workers_option
@device_option
@click.option("--json", "json_file", metavar="FILE", help="Write all results to FILE as JSON (- for standard output).")
@click.option("--csv", "csv_file", metavar="FILE", help="Write one row per game to FILE (- for standard output).")
@click.option("--plot", "plot_file", metavar="FILE", help="Plot the distributions to FILE (.png, .svg or .pdf).")
@theme_option
@width_option
@allow_code_option("agents")
def command(
    *,
    agents: tuple[str, ...],
    rules: str | None,
    games: int | None,
    precision: float | None,
    splitting: bool,
    pieces: int | None,
    lines: int | None,
    seed: int,
    workers: int | None,
    device: str,
    json_file: str | None,
    csv_file: str | None,
    plot_file: str | None,
    theme: str,
    width: float | None,
) -> None:
    """Measure agents over many games.

    AGENT is a name (see tetrion list agents), a weights file (mine.json), the folder of a run or a Python class
    (mine.py:Mine), with options after a colon: du:depth=2. All agents play the same games, and each agent is compared
    with the first one. Strong agents play millions of pieces on the standard board: use --splitting, cap the games, or
    use the rules standard-10x10. Ctrl-C stops and shows the results so far.
    """
    seed = validate_seed(seed)
    get_first_round_size(games, precision)  # raises an error for invalid numbers, and if both options are given
    plot_file_type = "" if plot_file is None else validate_plot_file_type(plot_file)
    validate_output_files({"--json": json_file, "--csv": csv_file, "--plot": plot_file})
    limits_work = any(option is not None for option in (games, precision, pieces, lines))
    if splitting:
        refuse_with_splitting(
            {"--games": games, "--pieces": pieces, "--lines": lines, "--csv": csv_file, "--plot": plot_file}
        )

    def measure(agent: Agent) -> Evaluation:
        with show_progress(agent.name) as show:
            return evaluate(
                agent,
                chosen_rules,
                games,
                **options,
                max_pieces=pieces,
                max_lines=lines,
                on_progress=show if limits_work else suggest_less_work(agent, chosen_rules, show),
                keep_partial=True,
            )

    def measure_by_splitting(agent: Agent) -> SplittingEvaluation:
        with show_progress(agent.name) as show:
            return evaluate_by_splitting(agent, chosen_rules, **options, on_progress=show, keep_partial=True)

    options: dict[str, Any] = {"seed": seed, "precision": precision, "workers": workers, "device": device}
    loaded_agents = load_agents(agents)
    chosen_rules = choose_common_rules(loaded_agents, rules)
    check_beginnings(agents, loaded_agents, chosen_rules)
    plan_bulk_games(loaded_agents, chosen_rules)
    if splitting:
        estimates, stopped = measure_agents(loaded_agents, measure_by_splitting)
        was_written = report_estimates(estimates, json_file)
        exit_unless_complete(was_written and len(estimates) == len(agents), stopped)
        return
    results, stopped = measure_agents(loaded_agents, measure)
    if "-" not in (json_file, csv_file):
        print_results(results, precision)
    json_results = [result.to_json(results[0] if number else None) for number, result in enumerate(results)]
    files_written = [
        json_file is None or try_write(lambda: write_text("--json", json_file, format_json(json_results))),
        csv_file is None or try_write(lambda: write_text_parts("--csv", csv_file, format_csv(results))),
        plot_file is None
        or try_write(
            lambda: write_bytes(
                "--plot", plot_file, render_distribution_plot(results, plot_file_type, theme=theme, width=width)
            )
        ),
    ]
    exit_unless_complete(all(files_written) and len(results) == len(agents), stopped)


def refuse_with_splitting(options: dict[str, object]) -> None:
    """Raise an error if an option was given that needs whole games."""
    if given := [name for name, value in options.items() if value is not None]:
        raise TetrionError(
            f"--splitting does not play whole games, so it cannot be combined with {' and '.join(given)}. "
            f"Omit {'it' if len(given) == 1 else 'them'}; --precision sets how much is played."
        )


def report_estimates(estimates: Sequence[SplittingEvaluation], json_file: str | None) -> bool:
    """Print the results of splitting and write the JSON file; return whether it was written, if one is wanted."""
    if json_file != "-":
        print_splitting_results(estimates)
    text = format_json([estimate.to_json() for estimate in estimates])
    return json_file is None or try_write(lambda: write_text("--json", json_file, text))


def exit_unless_complete(is_complete: bool, was_stopped: bool) -> None:
    """End the program with an exit code if something failed or Ctrl-C was pressed."""
    if was_stopped or not is_complete:
        raise SystemExit(EXIT_STOPPED if was_stopped else EXIT_FAILED)


def load_agents(names: Sequence[str]) -> list[Agent]:
    """Load all agents; if some cannot be loaded, print all errors and end the program before the first game."""
    agents = []
    for name in names:
        try:
            agents.append(load_agent(name))
        except (AgentError, UnknownNameError) as error:
            report_failure(name, error)
    exit_unless_complete(len(agents) == len(names), was_stopped=False)
    return agents


def choose_common_rules(agents: Sequence[Agent], given: str | None) -> Rules:
    """Return the given rules, else those that all agents were made for, else a default that all of them can play."""
    try:
        return choose_rules(agents, given)
    except DifferentRulesError:
        default = Rules.parse(DEFAULT_COMPARISON_RULES)
        if not all(can_play(agent, default) for agent in agents):
            raise
        print_notice(
            f"These agents were made for different rules; all of them play under {default}. Choose others with --rules."
        )
        return default


def suggest_less_work(agent: Agent, rules: Rules, show: Observer[Progress]) -> Observer[Progress]:
    """Return an observer that shows progress and, if the games take minutes, once prints what takes less time."""
    remaining = {"is_due": True}

    def observe(progress: Progress) -> None:
        show(progress)
        left = progress.seconds_left
        is_long = progress.seconds > _HINT_SECONDS and (left is None or left > _LONG_SECONDS)
        if is_long and remaining.pop("is_due", False):
            time_left = "an unknown time" if left is None else format_duration(left)
            options = [
                *(["--rules standard-10x10"] if can_play(agent, Rules.parse(DEFAULT_COMPARISON_RULES)) else []),
                *(["--splitting"] if as_weighted_agent(agent) and rules.movement == "drop" else []),
                "--pieces 10000",
            ]
            print_notice(f"The games of {agent.name} take {time_left} more. Faster: {' or '.join(options)}.")

    return observe


def check_beginnings(names: Sequence[str], agents: Sequence[Agent], rules: Rules) -> None:
    """Begin a game with each agent; if some cannot, print all errors and end the program."""
    can_play_all = True
    for name, agent in zip(names, agents, strict=True):
        try:
            agent.check_rules(rules)
            if not as_weighted_agent(agent):  # its process, program or class may fail
                with agent.start_player() as player:
                    player.begin_game(Game(rules))
        except AgentError as error:
            report_failure(name, error)
            can_play_all = False
    exit_unless_complete(can_play_all, was_stopped=False)


def measure_agents(agents: Sequence[Agent], measure: Callable[[Agent], _ResultT]) -> tuple[list[_ResultT], bool]:
    """Measure agents one after another; return the results of those that did not fail, and whether Ctrl-C was pressed.

    After Ctrl-C, print which agents were not measured. Without any result, end the program.
    """
    results: list[_ResultT] = []
    names = number_duplicate_names([clean_name(agent.name) for agent in agents])
    unmeasured: list[str] | None = None  # None: Ctrl-C was not pressed
    for index, agent in enumerate(agents):
        try:
            results.append(replace(measure(agent), agent=names[index]))
        except AgentError as error:
            report_failure(names[index], error)
        except KeyboardInterrupt:  # before the agent's first piece
            unmeasured = names[index:]
            break
        if results and results[-1].was_stopped:
            unmeasured = names[index + 1 :]
            break
    if unmeasured is not None:
        print_notice(describe_stop(results, unmeasured))
    if not results:
        raise SystemExit(EXIT_FAILED if unmeasured is None else EXIT_STOPPED)
    return results, unmeasured is not None


def describe_stop(results: Sequence[Evaluation | SplittingEvaluation], unmeasured: Sequence[str]) -> str:
    """Return the message after Ctrl-C: which agents were not measured, or measured only in part."""
    parts = [STOP_MESSAGE]
    if results:
        parts.append("These are the results so far.")
    if results and results[-1].was_stopped:
        parts.append(f"{results[-1].agent} has not finished its games.")
    if unmeasured:
        parts.append(f"Not measured: {', '.join(unmeasured)}.")
    return " ".join(parts)


def try_write(write: Callable[[], None]) -> bool:
    """Write a file, or print the error and return False, so that the other files are still written."""
    try:
        write()
    except TetrionError as error:
        print_notice(f"Error: {translate_to_options(str(error))}")
        return False
    return True


def report_failure(name: str, error: TetrionError) -> None:
    """Print the error of an agent, which will be missing from the results; it names the agent once."""
    message = translate_to_options(str(error))
    agent_name = clean_lines(split_options(name)[0])  # as the message has it
    names_agent = re.search(rf"(?<!\w){re.escape(agent_name)}(?!\w)", message)
    print_notice(f"Error: {message if names_agent else f'{name}: {message}'}")


_WIDE_TERMINAL_WIDTH = 120  # characters; from this width on, columns are further apart
_MILLION = 10**6
_CSV_ROWS_PER_PART = 1000


def print_results(results: Sequence[Evaluation], target: float | None = None) -> None:
    """Print the table of results, the notes below it, and the comparison of each agent with the first one.

    `target` is the requested precision, as a share of the mean.
    """
    console = make_console()
    notes = [*list_notes(results, target), *(describe_comparison(result, results[0]) for result in results[1:])]
    for line in (*format_results(results, console.width), *(Text(wrap_text(note, console.width)) for note in notes)):
        console.print(line, soft_wrap=True)  # so that numbers are never truncated


def format_results(results: Sequence[Evaluation], width: int) -> Iterator[Text]:
    """Return the results as lines of at most `width` characters: a table, or stacked if the table is too wide.

    Large numbers are in millions where the table would be too wide otherwise.
    """
    for millions_from in (MILLIONS_THRESHOLD, _MILLION):
        blocks = [format_rows(result, millions_from) for result in results]
        lines = align_columns([STATISTICS_HEADINGS, *chain(*blocks)])
        if len("  ".join(lines[0])) <= width:
            return format_table(results, lines, width)
    return format_stacked(results, width)


def format_table(results: Sequence[Evaluation], lines: list[list[str]], width: int) -> Iterator[Text]:
    """Yield the lines of the table: the aligned rows of each agent, and the facts below them."""
    gap = " " * (4 if width >= _WIDE_TERMINAL_WIDTH else 2)
    heading, *rows = (gap.join(cells) for cells in lines)
    yield Text(heading, style="bold")
    remaining_rows = iter(rows)
    for result in results:
        yield Text(result.agent, style="bold")
        yield from map(Text, islice(remaining_rows, len(list_measures(result))))
        yield from format_fact_lines(list_facts(result), width)


def format_stacked(results: Sequence[Evaluation], width: int) -> Iterator[Text]:
    """Yield the results for a narrow terminal: the mean on a line of its own, and the other columns below it."""
    for result in results:
        yield Text(result.agent, style="bold")
        for name, mean, *others in format_rows(result):
            yield Text(f"{name}  {mean}")
            named = [f"{heading} {cell}" for heading, cell in zip(STATISTICS_HEADINGS[2:], others, strict=True)]
            yield from (Text(f"    {line}") for line in join_facts(named, width - 4))
        yield from format_fact_lines(list_facts(result), width)


def format_fact_lines(facts: Sequence[str], width: int) -> Iterator[Text]:
    """Yield the facts below an agent's rows, as lines of at most `width` characters."""
    for line in join_facts(facts, width - 2):
        yield Text(textwrap.indent(wrap_text(line, width - 2), "  "), style="dim")


def align_columns(rows: Sequence[Sequence[str]]) -> list[list[str]]:
    """Pad cells to the width of their column; the first column is left-aligned, the others right-aligned."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        for row in rows
    ]


def format_rows(result: Evaluation, millions_from: float = MILLIONS_THRESHOLD) -> list[list[str]]:
    """Return the table rows of an agent, indented below its name."""
    return [[f"  {name}", *cells] for name, *cells in format_statistics(result, millions_from)]


def list_facts(result: Evaluation) -> list[str]:
    """Return the facts that are printed below an agent's rows."""
    facts = [
        f"{format_count(result.games, 'game')}, {format_count(result.deaths, 'death')}, {result.capped:,} capped",
        *describe_uncorrected_means(result),
        ""
        if result.points_per_line is None or scores_lines(result)
        else f"{format_number(result.points_per_line)} points per line",
        "" if result.tetris_rate is None else f"{format_percent(result.tetris_rate)} of lines from tetrises",
        "" if result.normalised_variance is None else f"normalised variance {result.normalised_variance:.2f}",
        *(f"{value} {name}" for name, value in format_attack_rates(result.attack_rates)),
        format_speed(result.pieces_per_second),
    ]
    return [fact for fact in facts if fact]


def describe_uncorrected_means(result: Evaluation) -> list[str]:
    """Return the uncorrected means if some games were capped, else nothing."""
    if not result.capped:
        return []
    lines, score = (float(result.per_game[name].mean()) for name in ("lines", "score"))
    points = "" if scores_lines(result) else f", {format_number(score)} points"
    return [f"uncorrected mean: {format_number(lines)} lines{points}"]


def join_facts(facts: Sequence[str], width: int) -> list[str]:
    """Join facts into lines of at most `width` characters."""
    lines = [""]
    for fact in facts:
        longer = f"{lines[-1]} · {fact}" if lines[-1] else fact
        if len(longer) <= width or not lines[-1]:
            lines[-1] = longer
        else:
            lines.append(fact)
    return lines


def list_notes(results: Sequence[Evaluation], target: float | None) -> Iterator[str]:
    """Yield the notes below the table: conditions, the meaning of the mark, and precisions that were not reached."""
    first = results[0]
    yield f"rules {first.rules}, seed {first.seed}; means per game {describe_intervals(results)}"
    if scores_lines(first):
        yield "score = lines under these rules"
    if any(result.capped for result in results):
        yield (
            "* Some games were capped, so the mean is estimated as total / deaths; if no game ended, it is above total "
            "/ 3 with 95 % confidence. The other columns describe the capped games without correction."
        )
    for result in results:
        reached = result.lines.precision
        if target is not None and not result.was_stopped and (reached is None or reached > target):
            reason = "no line was cleared" if result.deaths else "no game ended"
            so_far = reason if reached is None else f"± {format_percent(reached)}"
            yield (
                f"{result.agent}: the precision of {format_percent(target)} was not reached within {result.games:,} "
                f"games ({so_far})."
            )


def describe_comparison(result: Evaluation, first: Evaluation) -> str:
    """Return a sentence that compares an agent with the first one."""
    difference = result.compare_to(first)
    if difference is None:
        return f"{result.agent} and {first.agent} did not complete the same games, so they are not compared."
    return difference.describe()


def format_csv(results: Sequence[Evaluation]) -> Iterator[str]:
    """Yield the games as CSV, one row per game, in parts of many rows."""
    rows = chain.from_iterable(iterate_game_records(result) for result in results)
    columns = list_game_columns(results[0])
    yield ",".join(columns) + "\n"
    while part := list(islice(rows, _CSV_ROWS_PER_PART)):
        text = StringIO()
        csv.DictWriter(text, columns, lineterminator="\n").writerows(part)
        yield text.getvalue()


_MILLIONS_FROM = 10**7


def print_splitting_results(results: Sequence[SplittingEvaluation]) -> None:
    """Print the means of each agent, what was played for them, and a note below."""
    console = make_console()
    for result in results:
        console.print(Text(result.agent, style="bold"))
        rows = [
            [f"  {name}", format_mean_interval(measure.mean, measure.ci95, millions_threshold=_MILLIONS_FROM)]
            for name, measure in (("lines", result.lines), ("pieces", result.pieces))
        ]
        for cells in align_columns(rows):
            console.print(Text("  ".join(cells)), soft_wrap=True)
        for line in format_fact_lines(list_splitting_facts(result), console.width):
            console.print(line, soft_wrap=True)
    first = results[0]
    note = f"rules {first.rules}, seed {first.seed}; means per game by splitting, with 95 % confidence intervals"
    console.print(Text(wrap_text(note, console.width)), soft_wrap=True)


def list_splitting_facts(result: SplittingEvaluation) -> list[str]:
    """Return the facts that are printed below an agent's means."""
    return [
        f"{format_count(result.replicates, 'replicate')}, {len(result.levels) - 1} levels",
        f"{format_number(result.pieces_played, millions_threshold=_MILLIONS_FROM)} pieces played",
        format_speed(result.pieces_per_second),
    ]
