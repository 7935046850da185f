"""`tetrion explain`: show how an agent evaluates a position."""

import click

from tetrion.agents import Explanation, choose_rules, load_weighted_agent
from tetrion.agents.compiled_parts import plan_stepped_games
from tetrion.agents.explanation import (
    ENDING_NOTE,
    NUMBERING_NOTE,
    describe_contributions,
    list_table_rows,
)
from tetrion.cli.boards import board_option, format_board, load_board, placement_to_json
from tetrion.cli.console_output import echo, format_json, print_table, print_wrapped
from tetrion.cli.output_files import validate_output_files, write_text
from tetrion.cli.shared_options import allow_code_option, rules_option
from tetrion.evaluation.number_format import format_count
from tetrion.interrupts import call_in_thread
from tetrion.position import Position, describe_pieces


@click.command()
@click.argument("agent")
@board_option
@click.option("--piece", required=True, metavar="PIECE", help="Current piece: I, O, T, S, Z, J or L.")
@click.option("--next", "next_pieces", default="", metavar="PIECES", help="Preview: the next pieces, e.g. LJ.")
@click.option("--hold", default="", metavar="PIECE", help="In modern games: the piece in the hold box (default: none).")
@click.option(
    "--combo", default=0, type=click.IntRange(0), metavar="N", help="In modern games: clears by the last N pieces."
)
@click.option(
    "--back-to-back",
    default=0,
    type=click.IntRange(0),
    metavar="N",
    help="In modern games: the last N clears were difficult (tetrises or spins).",
)
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
    hold: str,
    combo: int,
    back_to_back: int,
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
    plan_stepped_games([weighted_agent], chosen_rules, explained=True)
    board = load_board(board_file, chosen_rules.rows)
    position = Position.from_board(
        board,
        piece.upper(),
        next_pieces.upper(),
        chosen_rules,
        hold=hold.upper(),
        combo=combo,
        back_to_back=back_to_back,
    )
    explanation = call_in_thread(lambda: weighted_agent.explain(position, best))
    if json_file is not None:
        write_text("--json", json_file, format_json(explanation_to_json(explanation)))
    if json_file != "-":
        print_explanation(explanation, position)


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
    print_wrapped(f"{explanation.agent}{mode}: {describe_pieces(position)}, rules {position.rules}, {count}")
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
                **placement_to_json(candidate.placement),
                "score": candidate.score,
                "survives": candidate.survives,
                "values": candidate.values,
                "contributions": candidate.contributions,
            }
            for candidate in explanation.candidates
        ],
    }
