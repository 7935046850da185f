"""`tetrion explain`: show how an agent evaluates a position."""

import click

from tetrion.agents import Candidate, Explanation, choose_rules, load_weighted_agent
from tetrion.board import EMPTY_CELL, MIN_ROWS, UNKNOWN_CELL, Board
from tetrion.cli.board_text import format_board
from tetrion.cli.console_output import format_json, print_table, print_wrapped
from tetrion.cli.output_files import validate_output_files, write_text
from tetrion.cli.shared_options import rules_option
from tetrion.engine.pieces import PIECES
from tetrion.errors import BoardError
from tetrion.evaluation.number_format import format_count
from tetrion.position import Position

_MAX_BOARD_CHARACTERS = 10_000
_FILLED_CELLS = UNKNOWN_CELL + PIECES
_NUMBERING = (
    "Rotations count from 0, the orientation in which the piece appears; the leftmost column of the piece counts from "
    "0 at the left, and its lowest row from 0 at the floor."
)


@click.command()
@click.argument("agent")
@click.option(
    "--board", "board_file", metavar="FILE", help="File with rows of . and #, top to bottom (- for standard input)."
)
@click.option("--piece", required=True, metavar="PIECE", help="Current piece: I, O, T, S, Z, J or L.")
@click.option("--next", "next_pieces", default="", metavar="PIECES", help="Preview: the next pieces, e.g. LJ.")
@rules_option
@click.option(
    "--best",
    default=5,
    show_default=True,
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Number of placements to show.",
)
@click.option(
    "--json", "json_file", metavar="FILE", help="Write the placements to FILE as JSON (- for standard output)."
)
def command(
    *,
    agent: str,
    board_file: str | None,
    piece: str,
    next_pieces: str,
    rules: str | None,
    best: int,
    json_file: str | None,
) -> None:
    """Show an agent's best placements of a piece, and how much each feature contributes to their scores.

    AGENT is a name (see tetrion list agents), a weights file or the folder of a run. Rows above those in the board file
    are empty; without --board, the whole board is empty.
    """
    weighted_agent = load_weighted_agent(agent)
    validate_output_files({"--json": json_file})
    position = Position.from_board(
        load_board(board_file),
        piece.upper(),
        next_pieces.upper(),
        choose_rules([weighted_agent], rules),
    )
    explanation = weighted_agent.explain(position, best)
    if json_file is not None:
        write_text("--json", json_file, format_json(explanation_to_json(explanation)))
    if json_file != "-":
        print_explanation(explanation, position)


def load_board(file: str | None) -> Board:
    """Load a board from a text file; return an empty board if no file is given."""
    if file is None:
        return Board(rows=MIN_ROWS)
    try:
        with click.open_file(file, encoding="utf-8") as opened_file:
            text = opened_file.read(_MAX_BOARD_CHARACTERS)
    except OSError as error:
        raise BoardError(f"{file} cannot be read: {error.strerror}. Give a text file with rows of . and #.") from None
    except UnicodeDecodeError:
        raise BoardError(f"{file} is not a text file. Give a text file with rows of . and #, top to bottom.") from None
    rows = [line.strip() for line in text.splitlines() if line.strip()]
    try:
        check_cells(text)
        return Board.from_text("\n".join(rows), rows=max(len(rows), MIN_ROWS))
    except BoardError as error:
        raise BoardError(f"{file}: {error}") from None


def check_cells(text: str) -> None:
    """Raise a `BoardError` for the first character of a board file that is not a cell."""
    for line_number, line in enumerate(text.splitlines(), 1):
        for column_number, character in enumerate(line.rstrip(), 1):
            is_indentation = not line[:column_number].strip()
            if character not in EMPTY_CELL + _FILLED_CELLS and not is_indentation:
                raise BoardError(
                    f"line {line_number}, column {column_number}: {character!r} is not a cell. Write {EMPTY_CELL} for "
                    f"an empty cell, and {UNKNOWN_CELL} or a piece ({', '.join(PIECES)}) for a filled one."
                )


def print_explanation(explanation: Explanation, position: Position) -> None:
    """Print the board with the best placement, and a table with one column per placement and one row per feature."""
    candidates = explanation.candidates
    if not candidates:
        click.echo(f"The piece {position.piece} cannot be placed: the game is over.")
        return
    click.echo(format_board(position.board, candidates[0].placement))
    mode = f" in {explanation.mode} mode" if explanation.mode else ""
    count = format_count(explanation.placement_count, "placement")
    click.echo()
    print_wrapped(f"{explanation.agent}{mode}: piece {position.piece}, rules {position.rules}, {count}")
    click.echo()
    print_table(
        ["", *(f"{rank}." for rank in range(1, len(candidates) + 1))], list_rows(candidates), right_aligned=True
    )
    print_wrapped(_NUMBERING)
    print_wrapped("Each feature: its value → its contribution to the score. Features that differ most come first.")
    if any(len(candidate.variation) > 1 for candidate in candidates):
        print_wrapped(f"Expected continuation: {', then '.join(map(str, candidates[0].variation[1:]))}.")
    if not all(candidate.survives for candidate in candidates):
        print_wrapped("† The game may end after this placement, so it ranks below all placements that survive.")


def list_rows(candidates: tuple[Candidate, ...]) -> list[list[str]]:
    """Return the rows of the table: where the piece is placed, the score, and the features that differ most first."""
    names = sorted(candidates[0].contributions, key=lambda name: -compute_spread(candidates, name))
    return [
        ["rotation", *(str(candidate.placement.rotation) for candidate in candidates)],
        ["column", *(str(candidate.placement.column) for candidate in candidates)],
        ["row", *(str(candidate.placement.row) for candidate in candidates)],
        ["score", *(format_score(candidate) for candidate in candidates)],
        *([name, *(format_contribution(candidate, name) for candidate in candidates)] for name in names),
    ]


def format_score(candidate: Candidate) -> str:
    """Return the score of a candidate, marked if the game may end after it."""
    return format_four_digits(candidate.score) + ("" if candidate.survives else " †")


def compute_spread(candidates: tuple[Candidate, ...], name: str) -> float:
    """Return the difference between a feature's largest and smallest contribution."""
    contributions = [candidate.contributions[name] for candidate in candidates]
    return max(contributions) - min(contributions)


def format_contribution(candidate: Candidate, name: str) -> str:
    """Return a feature's value and its contribution to the score."""
    return f"{format_four_digits(candidate.values[name])} → {format_four_digits(candidate.contributions[name])}"


def format_four_digits(value: float) -> str:
    """Return a number with up to four significant digits and a true minus sign."""
    return (f"{value:,.0f}" if value == round(value) else f"{value:,.4g}").replace("-", "−")


def explanation_to_json(explanation: Explanation) -> dict[str, object]:
    """Return an explanation as `--json` writes it."""
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
