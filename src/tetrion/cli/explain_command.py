"""`tetrion explain`: what an agent thinks of a position."""

import click

from tetrion.agents import Candidate, Explanation, load_weighted_agent
from tetrion.board import MIN_ROWS, Board
from tetrion.cli.board_text import format_board
from tetrion.cli.console_output import format_json, print_table
from tetrion.cli.output_files import validate_output_files, write_text
from tetrion.engine.rules import Rules
from tetrion.errors import BoardError
from tetrion.position import Position

_MAX_BOARD_CHARACTERS = 10_000  # characters


@click.command()
@click.argument("agent")
@click.option("--board", "board_file", metavar="FILE", help="Rows of . and #, top to bottom; - for the standard input.")
@click.option("--piece", required=True, help="The current piece: I O T S Z J L.")
@click.option("--next", "next_pieces", default="", metavar="PIECES", help="The known next pieces, as in LJ.")
@click.option("--rules", help="A rule set; the agent's own if not given.")
@click.option("--best", default=5, show_default=True, type=click.IntRange(1, 1000), help="How many placements.")
@click.option("--json", "json_file", metavar="FILE", help="Write them; - for the standard output.")
def command(
    agent: str,
    board_file: str | None,
    piece: str,
    next_pieces: str,
    rules: str | None,
    best: int,
    json_file: str | None,
) -> None:
    """Show an agent's best placements of a piece, with each feature's share in their scores.

    Rows that are not given are empty; without --board all are.
    """
    thinker = load_weighted_agent(agent)
    validate_output_files({"--json": json_file})
    position = Position.from_board(
        load_board(board_file), piece.upper(), next_pieces.upper(), Rules.parse(rules or thinker.rules or "standard")
    )
    explanation = thinker.explain(position, best)
    if json_file is not None:
        write_text("--json", json_file, format_json(explanation_to_json(explanation)))
    if json_file != "-":
        print_explanation(explanation, position)


def load_board(file: str | None) -> Board:
    """The board of a text file."""
    if file is None:
        return Board(rows=MIN_ROWS)
    try:
        with click.open_file(file, encoding="utf-8") as opened:
            text = opened.read(_MAX_BOARD_CHARACTERS)
    except OSError as problem:
        raise BoardError(f"{file} cannot be read: {problem.strerror}. A board is rows of . and #.") from None
    except UnicodeDecodeError:
        raise BoardError(f"{file} is not a text. A board is rows of . and #, top to bottom.") from None
    rows = [line.strip() for line in text.splitlines() if line.strip()]
    try:
        return Board.from_text("\n".join(rows), rows=max(len(rows), MIN_ROWS))
    except BoardError as mistake:
        raise BoardError(f"{file}: {mistake}") from None


def print_explanation(explanation: Explanation, position: Position) -> None:
    """The board with the best placement, and all of them in a table: a column each, a feature a row."""
    candidates = explanation.candidates
    if not candidates:
        click.echo(f"There is no place for {position.piece}: the game is over.")
        return
    click.echo(format_board(position.board, candidates[0].placement))
    mode = f" in {explanation.mode} mode" if explanation.mode else ""
    click.echo(
        f"\n{explanation.agent}{mode}: {position.piece} under {position.rules}, {explanation.placement_count} placements\n"
    )
    heads = ["", *(f"{rank}." for rank in range(1, len(candidates) + 1))]
    places = [f"turn {c.placement.rotation} column {c.placement.column} row {c.placement.row}" for c in candidates]
    scores = [format_number(c.score) + ("" if c.survives else " †") for c in candidates]
    names = sorted(candidates[0].contributions, key=lambda name: -compute_spread(candidates, name))
    shares = [[name, *(format_contribution(candidate, name) for candidate in candidates)] for name in names]
    print_table(heads, [["place", *places], ["score", *scores], *shares], right_aligned=True)
    click.echo("Each feature's value and its share in the score; those that tell the placements apart come first.")
    if any(len(candidate.variation) > 1 for candidate in candidates):
        click.echo(f"Counting on: {', then '.join(map(str, candidates[0].variation[1:]))}.")
    if not all(candidate.survives for candidate in candidates):
        click.echo("† the game may end there, so it ranks behind those after which it goes on.")


def compute_spread(candidates: tuple[Candidate, ...], name: str) -> float:
    """How much a feature's share differs between placements."""
    shares = [candidate.contributions[name] for candidate in candidates]
    return max(shares) - min(shares)


def format_contribution(candidate: Candidate, name: str) -> str:
    """A feature's value and what it adds."""
    return f"{format_number(candidate.values[name])} → {format_number(candidate.contributions[name])}"


def format_number(value: float) -> str:
    """A number with as many digits as are worth reading."""
    return (f"{value:,.0f}" if value == round(value) else f"{value:,.4g}").replace("-", "−")


def explanation_to_json(explanation: Explanation) -> dict[str, object]:
    """What `--json` writes."""
    return {
        "agent": explanation.agent,
        "mode": explanation.mode,
        "placements": explanation.placement_count,
        "best": [
            {
                "rotation": candidate.placement.rotation,
                "column": candidate.placement.column,
                "row": candidate.placement.row,
                "score": candidate.score,
                "survives": candidate.survives,
                "values": candidate.values,
                "contributions": candidate.contributions,
            }
            for candidate in explanation.candidates
        ],
    }
