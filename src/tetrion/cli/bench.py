"""`tetrion bench`: agents measured over many games."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import click

from tetrion.agents import AnyAgent, OwnAgent, load
from tetrion.cli.files import checked_files, write_bytes, write_text
from tetrion.cli.output import as_json
from tetrion.cli.progress import shown_progress
from tetrion.cli.results import as_csv, print_results
from tetrion.engine.play import UNLIMITED
from tetrion.engine.randomisers import checked_seed
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, TetrionError, UnknownNameError
from tetrion.evaluation import Evaluation, evaluate
from tetrion.evaluation.devices import DEVICES
from tetrion.evaluation.games import MOST_GAMES, USUAL_GAMES, checked_precision, first_round
from tetrion.lab.plots import checked_ending, picture

ON_DEVICE = "What plays: cuda is an NVIDIA GPU, with the same games."
STOPPED, FAILED = 130, 2  # exit codes: ended by Ctrl-C, or something could not be done

Measure = Callable[[AnyAgent], Evaluation]


def share(context: click.Context, parameter: click.Parameter, value: str | None) -> float | None:
    """A share such as 5% or 0.05 as a number."""
    if value is None:
        return None
    text = value.strip()
    try:
        number = float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        raise TetrionError(f"--precision is a share of the mean, such as 5% or 0.05; given {value!r}.") from None
    return checked_precision(number)


@click.command()
@click.argument("agents", nargs=-1, required=True, metavar="AGENT...")
@click.option("--rules", default="standard", show_default=True, help="A rule set, changed as in standard:height=14.")
@click.option("--games", type=click.IntRange(1, MOST_GAMES), help=f"Games an agent; {USUAL_GAMES} if not given.")
@click.option("--precision", callback=share, metavar="SHARE", help="Or until the mean lines are known to ± 5%, say.")
@click.option("--pieces", type=click.IntRange(1, UNLIMITED), help="End a game after so many pieces.")
@click.option("--lines", type=click.IntRange(1, UNLIMITED), help="End a game after so many lines.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same games, for every agent.")
@click.option("--workers", type=click.IntRange(1, 1024), help="Threads; all cores if not given.")
@click.option("--device", type=click.Choice(DEVICES), default="cpu", show_default=True, help=ON_DEVICE)
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
    chosen, seed = Rules.parse(rules), checked_seed(seed)
    first_round(games, precision)
    ending = "" if plot_file is None else checked_ending(plot_file)
    checked_files({"--json": json_file, "--csv": csv_file, "--plot": plot_file})

    def measure(agent: AnyAgent) -> Evaluation:
        with shown_progress(agent.name, precision) as progress:
            return evaluate(
                agent,
                chosen,
                games,
                seed,
                precision=precision,
                most_pieces=pieces,
                most_lines=lines,
                workers=workers,
                device=device,
                progress=progress,
            )

    wanted = [agent for name in agents if (agent := loaded(name))]
    results, stopped = measured(wanted, measure)
    done = not stopped and len(results) == len(agents)
    if not results:
        raise SystemExit(STOPPED if stopped else FAILED)
    if stopped:
        click.echo("Stopped: this is what was measured until then.", err=True)
    if "-" not in (json_file, csv_file):
        print_results(results, precision)
    compared = [result.to_json(results[0] if number else None) for number, result in enumerate(results)]
    written = [
        json_file is None or tried(lambda: write_text("--json", json_file, as_json(compared))),
        csv_file is None or tried(lambda: write_text("--csv", csv_file, as_csv(results))),
        plot_file is None or tried(lambda: write_bytes("--plot", plot_file, picture(results, ending))),
    ]
    if not (done and all(written)):
        raise SystemExit(STOPPED if stopped else FAILED)


def loaded(name: str) -> AnyAgent | None:
    """An agent, or None and a word on the standard error."""
    try:
        agent = load(name)
        if isinstance(agent, OwnAgent):
            agent.check()
        return agent
    except (AgentError, UnknownNameError) as mistake:
        say_failed(name, mistake)
        return None


def measured(agents: Sequence[AnyAgent], measure: Measure) -> tuple[list[Evaluation], bool]:
    """The agents' results one after another, without those that failed, and whether Ctrl-C ended it."""
    results: list[Evaluation] = []
    names: Counter[str] = Counter()
    for agent in agents:
        names[agent.name] += 1
        name = agent.name if names[agent.name] == 1 else f"{agent.name} ({names[agent.name]})"
        try:
            results.append(replace(measure(agent), agent=name))
        except AgentError as mistake:
            say_failed(name, mistake)
        except KeyboardInterrupt:  # before the agent's first piece
            return results, True
        if results and results[-1].stopped:
            return results, True
    return results, False


def tried(write: Callable[[], None]) -> bool:
    """Do it, or say why not: one file that cannot be written must not lose the others."""
    try:
        write()
    except TetrionError as mistake:
        click.echo(f"Error: {mistake}", err=True)
        return False
    return True


def say_failed(name: str, mistake: TetrionError) -> None:
    """Tell at once that an agent will be missing."""
    told = str(mistake)
    named = told.partition(": ")[0].endswith(name)  # by its file or place
    click.echo(f"Error: {told if named else f'{name}: {told}'}", err=True)
