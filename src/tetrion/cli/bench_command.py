"""`tetrion bench`: measure agents over many games."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

import click

from tetrion.agents import Agent, choose_rules, load_agent
from tetrion.agents.agent_loading import split_options
from tetrion.agents.weighted_agent import as_weighted_agent
from tetrion.cli.bench_results import format_csv, print_results
from tetrion.cli.code_option import allow_code_option
from tetrion.cli.console_output import format_json, print_notice
from tetrion.cli.exit_codes import EXIT_FAILED, EXIT_STOPPED
from tetrion.cli.option_names import translate_to_options
from tetrion.cli.output_files import validate_output_files, write_bytes, write_text, write_text_parts
from tetrion.cli.progress_bar import show_progress
from tetrion.cli.shared_options import device_option, rules_option, theme_option, width_option, workers_option
from tetrion.cli.splitting_results import print_splitting_results
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, TetrionError, UnknownNameError
from tetrion.evaluation import Evaluation, SplittingEvaluation, evaluate, evaluate_by_splitting
from tetrion.evaluation.agent_evaluation import DEFAULT_GAMES, MAX_GAMES, get_first_round_size, validate_precision
from tetrion.game import Game
from tetrion.interrupts import STOP_MESSAGE
from tetrion.lab.distribution_plot import render_distribution_plot, validate_plot_file_type
from tetrion.text_cleaning import clean_lines, clean_name, number_duplicate_names

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
    if splitting:
        refuse_with_splitting(
            {"--games": games, "--pieces": pieces, "--lines": lines, "--csv": csv_file, "--plot": plot_file}
        )

    def measure(agent: Agent) -> Evaluation:
        with show_progress(agent.name) as on_progress:
            return evaluate(
                agent,
                chosen_rules,
                games,
                seed,
                precision=precision,
                max_pieces=pieces,
                max_lines=lines,
                workers=workers,
                device=device,
                on_progress=on_progress,
            )

    def measure_by_splitting(agent: Agent) -> SplittingEvaluation:
        with show_progress(agent.name) as on_progress:
            return evaluate_by_splitting(
                agent,
                chosen_rules,
                seed,
                precision=precision,
                workers=workers,
                device=device,
                on_progress=on_progress,
            )

    loaded_agents = [(name, agent) for name in agents if (agent := load_or_report(name))]
    chosen_rules = choose_rules([agent for _, agent in loaded_agents], rules)
    playing_agents = [agent for name, agent in loaded_agents if can_play(name, agent, chosen_rules)]
    if splitting:
        estimates, stopped = measure_agents(playing_agents, measure_by_splitting)
        was_written = report_estimates(estimates, json_file)
        exit_unless_complete(was_written and len(estimates) == len(agents), stopped)
        return
    results, stopped = measure_agents(playing_agents, measure)
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


def load_or_report(name: str) -> Agent | None:
    """Load an agent, or print the error to standard error and return None."""
    try:
        return load_agent(name)
    except (AgentError, UnknownNameError) as error:
        report_failure(name, error)
        return None


def can_play(name: str, agent: Agent, rules: Rules) -> bool:
    """Return whether an agent can begin a game; print the error otherwise, before the first agent is measured."""
    try:
        agent.check_rules(rules)
        if not as_weighted_agent(agent):  # its process, program or class may fail
            with agent.start_player() as player:
                player.begin_game(Game(rules))
    except AgentError as error:
        report_failure(name, error)
        return False
    return True


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
