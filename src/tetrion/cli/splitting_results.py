"""The results of `tetrion bench --splitting` as a table."""

from collections.abc import Sequence

from rich.text import Text

from tetrion.cli.bench_results import align_columns, format_fact_lines
from tetrion.cli.console_output import make_console, wrap_text
from tetrion.evaluation import SplittingEvaluation
from tetrion.evaluation.number_format import format_count, format_mean_interval, format_number, format_speed

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
