"""`tetrion perft`: count the sequences of placements of a queue of pieces."""

import time
from typing import NamedTuple

import click

from tetrion.board import Board
from tetrion.cli import EXIT_STOPPED
from tetrion.cli.boards import board_option, load_board
from tetrion.cli.console_output import format_json, print_notice, print_table, print_wrapped
from tetrion.cli.output_files import check_writable, write_text
from tetrion.cli.shared_options import refuse_empty_rules
from tetrion.engine.perft import MAX_PERFT_DEPTH, start_perft
from tetrion.engine.pieces import PIECES
from tetrion.engine.rules import Rules
from tetrion.errors import PositionError, UnknownNameError
from tetrion.evaluation.number_format import format_count
from tetrion.evaluation.progress_bar import show_progress
from tetrion.interrupts import STOP_MESSAGE
from tetrion.progress import Observer, Progress


class PerftCount(NamedTuple):
    """The sequences of placements of the first pieces of a queue, and the time to count them."""

    depth: int
    sequences: int
    boards: int  # whose placements were found
    seconds: float


@click.command()
@click.argument("queue")
@click.option(
    "--depth",
    type=click.IntRange(1, MAX_PERFT_DEPTH),
    metavar="N",
    help="Number of pieces of the queue to place (default: all).",
)
@board_option
@click.option(
    "--rules",
    callback=refuse_empty_rules,
    metavar="RULES",
    default="perft",
    show_default=True,
    help="Rule set, with changes after a colon: perft:rotation=srs+,spins=t.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write the counts to FILE as JSON (- for standard output).")
def command(queue: str, depth: int | None, board_file: str | None, rules: str, json_file: str | None) -> None:
    """Count the different sequences of placements of the first 1, 2, … pieces of QUEUE, such as IOLJSZT.

    Two sequences differ if a piece fills other cells and, under rules with spins (spins=t), also if it fills the same
    cells with another spin. The counts under the rules perft are published for several programs, so that they check the
    movement of pieces, and the speed can be compared. The centre of a new piece is in the top visible row: height=6
    spawns pieces in row 5, counted from 0. The placements of the last piece are counted without being made. Rows above
    those in the board file are empty; without --board, the whole board is empty. The search uses one core.
    Ctrl-C stops and shows the results so far.
    """
    parsed_rules = Rules.parse(rules)
    pieces = parse_queue(queue, depth)
    board = load_board(board_file, parsed_rules.rows)
    if json_file is not None:
        check_writable("--json", json_file)
    counts = count_each_depth(board, pieces, parsed_rules)
    if json_file is not None:
        result = {"queue": pieces, "rules": str(parsed_rules), "depths": [count._asdict() for count in counts]}
        write_text("--json", json_file, format_json(result))
    if json_file != "-":
        print_counts(counts)
    if len(counts) < len(pieces):
        raise SystemExit(EXIT_STOPPED)


def parse_queue(queue: str, depth: int | None) -> str:
    """Return the pieces to place; raise an error for unknown letters and for a queue that is too short or too long."""
    pieces = queue.upper()
    for letter in pieces:
        if letter not in PIECES:
            raise UnknownNameError("piece", letter, PIECES)
    wanted = len(pieces) if depth is None else depth
    if not 1 <= wanted <= min(len(pieces), MAX_PERFT_DEPTH):
        given = f"the queue '{queue}' has {format_count(len(pieces), 'piece')}"
        if depth is not None:
            raise PositionError(f"--depth {depth} needs a queue of at least {depth} pieces; {given}.")
        raise PositionError(
            f"A queue without --depth must have 1 to {MAX_PERFT_DEPTH} pieces, such as IOLJSZT; {given}."
        )
    return pieces[:wanted]


def count_each_depth(board: Board, queue: str, rules: Rules) -> list[PerftCount]:
    """Count the sequences of the first 1, 2, … pieces of a queue; after Ctrl-C, return the finished depths.

    Ctrl-C before the end of the first depth raises KeyboardInterrupt.
    """
    counts = list[PerftCount]()
    try:
        with show_progress() as on_progress:
            count_sequences(board, queue[:1], rules, on_progress)  # so that compilation is not measured
            for length in range(1, len(queue) + 1):
                counts.append(count_sequences(board, queue[:length], rules, on_progress))
    except KeyboardInterrupt:
        if not counts:
            raise
        print_notice(f"{STOP_MESSAGE} These are the results so far.")
    return counts


def count_sequences(board: Board, queue: str, rules: Rules, on_progress: Observer[Progress]) -> PerftCount:
    """Count the sequences of placements of a whole queue, starting with a board."""
    start = time.perf_counter()
    sequences = boards = 0
    for search in start_perft(board.columns, queue, rules):
        sequences = int(search.sequences)
        boards = int(search.searched_boards)
        on_progress(
            Progress(
                task=f"Depth {len(queue)}",
                done=int(search.next_code[0]),
                planned=int(search.code_count[0]),
                unit="first placement",
                seconds=time.perf_counter() - start,
            )
        )
    return PerftCount(len(queue), sequences, boards, time.perf_counter() - start)


def print_counts(counts: list[PerftCount]) -> None:
    """Print one row per depth, with the speed."""
    rows = [
        [
            f"{count.depth}",
            f"{count.sequences:,}",
            f"{count.seconds:.3f}",
            f"{count.sequences / count.seconds:,.0f}",
            f"{count.boards / count.seconds:,.0f}",
        ]
        for count in counts
    ]
    print_table(["depth", "sequences", "seconds", "sequences/s", "boards/s"], rows, right_aligned=True)
    print_wrapped("boards/s: boards per second whose placements were found.")
