"""`tetrion explain`: show how an agent evaluates a position."""

import sys
from collections.abc import Mapping
from pathlib import Path

import click

from tetrion.agents import Explanation, choose_rules, load_weighted_agent
from tetrion.agents.explanation_table import (
    ENDING_NOTE,
    NUMBERING_NOTE,
    describe_contributions,
    list_table_rows,
)
from tetrion.board import EMPTY_CELL, MIN_ROWS, UNKNOWN_CELL, Board
from tetrion.cli.board_text import format_board
from tetrion.cli.code_option import allow_code_option
from tetrion.cli.console_output import echo, format_json, print_table, print_wrapped
from tetrion.cli.output_files import validate_output_files, write_text
from tetrion.cli.shared_options import rules_option
from tetrion.data_files import DataFileError, read_data_file
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.errors import BoardError
from tetrion.evaluation.number_format import format_count
from tetrion.position import Position

_MAX_BOARD_BYTES = 10_000
_STANDARD_INPUT = "-"
_FILLED_CELLS = UNKNOWN_CELL + PIECES


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
@allow_code_option("agent")
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
    chosen_rules = choose_rules([weighted_agent], rules)
    position = Position.from_board(
        load_board(board_file, chosen_rules.rows), piece.upper(), next_pieces.upper(), chosen_rules
    )
    explanation = weighted_agent.explain(position, best)
    if json_file is not None:
        write_text("--json", json_file, format_json(explanation_to_json(explanation)))
    if json_file != "-":
        print_explanation(explanation, position)


def load_board(file: str | None, max_rows: int) -> Board:
    """Load a board of at most `max_rows` rows from a text file; return an empty board if no file is given."""
    if file is None:
        return Board(rows=MIN_ROWS)
    try:
        text = read_board_text(file)
        check_cells(text)
        rows = {number: row for number, line in enumerate(text.splitlines(), 1) if (row := line.strip())}
        check_rows(rows, max_rows)
        return Board.from_text(rows.values(), rows=max(len(rows), MIN_ROWS))
    except BoardError as error:
        raise BoardError(f"{file}: {error}") from None


def read_board_text(file: str) -> str:
    """Return the text of a board file, or of standard input if `file` is -."""
    try:
        if file == _STANDARD_INPUT:
            return sys.stdin.buffer.read(_MAX_BOARD_BYTES).decode()
        return read_data_file(Path(file), _MAX_BOARD_BYTES).decode()
    except FileNotFoundError as error:
        raise BoardError(f"the file cannot be read: {error.strerror}. Give a text file with rows of . and #.") from None
    except DataFileError as error:
        raise BoardError(f"{error} Give a text file with rows of . and #, or - for standard input.") from None
    except UnicodeDecodeError:
        raise BoardError("this is not a text file. Give a text file with rows of . and #, top to bottom.") from None


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


def check_rows(rows: Mapping[int, str], max_rows: int) -> None:
    """Raise a `BoardError` for the first row, given by its line number, that has a wrong length, is full or too high.

    The rows of a board are counted from the floor, so that the first ones are too high if there are too many.
    """
    for line_number, row in rows.items():
        if len(row) != BOARD_WIDTH:
            raise BoardError(f"line {line_number}: a row must have {BOARD_WIDTH} cells; this one has {len(row)}: {row}")
        if EMPTY_CELL not in row:
            raise BoardError(
                f"line {line_number}: the row is full, so it would already be cleared. Leave one cell of it empty."
            )
    if len(rows) > max_rows:
        raise BoardError(
            f"line {next(iter(rows))}: the board is too high. Under these rules it has at most "
            f"{format_count(max_rows, 'row')}; the file has {len(rows)}."
        )


def print_explanation(explanation: Explanation, position: Position) -> None:
    """Print the board with the best placement, and a table with one column per placement and one row per feature."""
    candidates = explanation.candidates
    if not candidates:
        echo(f"The piece {position.piece} cannot be placed: the game is over.")
        return
    echo(format_board(position.board, candidates[0].placement))
    mode = f" in {explanation.mode} mode" if explanation.mode else ""
    count = format_count(explanation.placement_count, "placement")
    echo()
    print_wrapped(f"{explanation.agent}{mode}: piece {position.piece}, rules {position.rules}, {count}")
    echo()
    headings = ["", *(f"{rank}." for rank in range(1, len(candidates) + 1))]
    print_table(headings, list_table_rows(candidates), right_aligned=True)
    print_wrapped(NUMBERING_NOTE)
    print_wrapped(describe_contributions(candidates[0]))
    if any(len(candidate.variation) > 1 for candidate in candidates):
        print_wrapped(f"Expected continuation: {', then '.join(map(str, candidates[0].variation[1:]))}.")
    if not all(candidate.survives for candidate in candidates):
        print_wrapped(ENDING_NOTE)


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
