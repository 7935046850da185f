"""`tetrion bench`: agents measured over many games."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import click

from tetrion.agents import AnyAgent, PythonAgent, load_agent
from tetrion.cli.bench_results import print_results, results_to_csv
from tetrion.cli.console_output import format_json
from tetrion.cli.output_files import validate_output_files, write_bytes, write_text
from tetrion.cli.progress_bar import show_progress
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, TetrionError, UnknownNameError
from tetrion.evaluation import Evaluation, evaluate
from tetrion.evaluation.agent_evaluation import DEFAULT_GAMES, MAX_GAMES, get_first_round_size, validate_precision
from tetrion.evaluation.gpu import DEVICES
from tetrion.lab.distribution_plot import render_distribution_plot, validate_plot_file_type

_DEVICE_HELP = "What plays: cuda is an NVIDIA GPU, with the same games."
_EXIT_STOPPED, _EXIT_FAILED = 130, 2  # exit codes: ended by Ctrl-C, or something could not be done

_MeasureFunction = Callable[[AnyAgent], Evaluation]


def parse_share(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """A share such as 5% or 0.05 as a number."""
    if value is None:
        return None
    text = value.strip()
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise TetrionError(f"--precision is a share of the mean, such as 5% or 0.05; given {value!r}.") from None
    return validate_precision(number)


@click.command()
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@click.option("--rules", default="standard", show_default=True, help="A rule set, changed as in standard:height=14.")
@click.option("--games", type=click.IntRange(1, MAX_GAMES), help=f"Games an agent; {DEFAULT_GAMES} if not given.")
@click.option(
    "--precision", callback=parse_share, metavar="SHARE", help="Or until the mean lines are known to ± 5%, say."
)
@click.option("--pieces", type=click.IntRange(1, UNLIMITED), help="End a game after so many pieces.")
@click.option("--lines", type=click.IntRange(1, UNLIMITED), help="End a game after so many lines.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same games, for every agent.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Threads; all cores if not given.")
@click.option("--device", type=click.Choice(DEVICES), default="cpu", show_default=True, help=_DEVICE_HELP)
@click.option("--json", "json_file", metavar="FILE", help="Write every figure; - for the standard output.")
@click.option("--csv", "csv_file", metavar="FILE", help="Write a row a game; - for the standard output.")
@click.option("--plot", "plot_file", metavar="FILE", help="Draw the distributions: .png, .svg or .pdf.")
def command(
    agents: tuple[str, ...],
    rules: str,
    games: int | None,
    precision: float | None,
    pieces: int | None,
    lines: int | None,
    seed: int,
    workers: int | None,
    device: str,
    json_file: str | None,
    csv_file: str | None,
    plot_file: str | None,
) -> None:
    """Measure agents over many games.

    AGENT is a name (tetrion list agents), a file (mine.json) or a class (mine.py:Mine), with options after a colon:
    du:depth=2. Every agent plays the same games, and each after the first is compared with the first. Strong agents
    play for millions of pieces on the standard board: cap them, or use the rules standard-10x10. Ctrl-C shows what has
    been measured so far.
    """
    chosen, seed = Rules.parse(rules), validate_seed(seed)
    get_first_round_size(games, precision)
    ending = "" if plot_file is None else validate_plot_file_type(plot_file)
    validate_output_files({"--json": json_file, "--csv": csv_file, "--plot": plot_file})

    def measure(agent: AnyAgent) -> Evaluation:
        with show_progress(agent.name, precision) as progress:
            return evaluate(
                agent,
                chosen,
                games,
                seed,
                precision=precision,
                max_pieces=pieces,
                max_lines=lines,
                workers=workers,
                device=device,
                on_progress=progress,
            )

    wanted = [agent for name in agents if (agent := load_or_report(name))]
    results, stopped = measure_agents(wanted, measure)
    done = not stopped and len(results) == len(agents)
    if not results:
        raise SystemExit(_EXIT_STOPPED if stopped else _EXIT_FAILED)
    if stopped:
        click.echo("Stopped: this is what was measured until then.", err=True)
    if "-" not in (json_file, csv_file):
        print_results(results, precision)
    compared = [result.to_json(results[0] if number else None) for number, result in enumerate(results)]
    written = [
        json_file is None or try_write(lambda: write_text("--json", json_file, format_json(compared))),
        csv_file is None or try_write(lambda: write_text("--csv", csv_file, results_to_csv(results))),
        plot_file is None
        or try_write(lambda: write_bytes("--plot", plot_file, render_distribution_plot(results, ending))),
    ]
    if not (done and all(written)):
        raise SystemExit(_EXIT_STOPPED if stopped else _EXIT_FAILED)


def load_or_report(name: str) -> AnyAgent | None:
    """An agent, or None and a word on the standard error."""
    try:
        agent = load_agent(name)
        if isinstance(agent, PythonAgent):
            agent.check_class()
        return agent
    except (AgentError, UnknownNameError) as mistake:
        report_failure(name, mistake)
        return None


def measure_agents(agents: Sequence[AnyAgent], measure: _MeasureFunction) -> tuple[list[Evaluation], bool]:
    """The agents' results one after another, without those that failed, and whether Ctrl-C ended it."""
    results: list[Evaluation] = []
    names: Counter[str] = Counter()
    for agent in agents:
        names[agent.name] += 1
        name = agent.name if names[agent.name] == 1 else f"{agent.name} ({names[agent.name]})"
        try:
            results.append(replace(measure(agent), agent=name))
        except AgentError as mistake:
            report_failure(name, mistake)
        except KeyboardInterrupt:  # before the agent's first piece
            return results, True
        if results and results[-1].was_stopped:
            return results, True
    return results, False


def try_write(write: Callable[[], None]) -> bool:
    """Do it, or say why not: one file that cannot be written must not lose the others."""
    try:
        write()
    except TetrionError as mistake:
        click.echo(f"Error: {mistake}", err=True)
        return False
    return True


def report_failure(name: str, mistake: TetrionError) -> None:
    """Tell at once that an agent will be missing."""
    told = str(mistake)
    named = told.partition(": ")[0].endswith(name)  # by its file or place
    click.echo(f"Error: {told if named else f'{name}: {told}'}", err=True)
