"""`tetrion review`: grade every move of a saved game with an agent."""

from time import monotonic
from typing import Any

import click

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.agents.compiled_parts import plan_stepped_games
from tetrion.board import NO_SPIN_NAME
from tetrion.cli import EXIT_STOPPED
from tetrion.cli.boards import count_shown_rows, format_board, join_boards, placement_to_json
from tetrion.cli.console_output import echo, format_json, make_console, print_wrapped
from tetrion.cli.output_files import STANDARD_OUTPUT, validate_output_files, write_text
from tetrion.cli.shared_options import allow_code_option
from tetrion.drawing.palette import GRADE_COLOURS
from tetrion.evaluation.number_format import format_count, format_percent
from tetrion.evaluation.progress_bar import show_progress
from tetrion.evaluation.replay_review import (
    GRADE_EXPLANATION,
    LOSS_EXPLANATION,
    VERDICT_DESCRIPTIONS,
    VERDICT_LISTED,
    GradedMove,
    Review,
    choose_grader,
    format_points,
    grade_moves,
)
from tetrion.position import describe_counters, describe_pieces
from tetrion.progress import Progress
from tetrion.replay import Replay

_DEFAULT_WORST_MOVES = 5


@click.command()
@click.argument("file")
@click.option(
    "--agent", "name", metavar="AGENT", help="Agent that grades the moves (default: the agent designed for the rules)."
)
@click.option(
    "--worst",
    default=_DEFAULT_WORST_MOVES,
    show_default=True,
    type=click.IntRange(0),
    metavar="N",
    help="Show the N costliest moves.",
)
@click.option("--json", "json_file", metavar="FILE", help="Write every move to FILE as JSON (- for standard output).")
@click.option(
    "--html",
    "page",
    metavar="PAGE",
    help="Write a self-contained HTML page of the graded game to PAGE (- for standard output).",
)
@allow_code_option("name")
def command(file: str, name: str | None, worst: int, json_file: str | None, page: str | None) -> None:
    """Grade every move of the saved game FILE: best, good, inaccuracy, mistake or blunder.

    The loss of a move is the agent's evaluation of its best placement minus that of the placement played. It is not
    game points. The grade compares it with what a random placement loses on average. Ctrl-C stops and shows the moves
    graded so far.
    """
    validate_output_files({"--json": json_file, "--html": page})
    replay = Replay.load(file)
    agent = load_weighted_agent(name or choose_grader(replay.rules))
    plan_stepped_games([agent], replay.rules, explained=True)
    review, stopped = review_replay(replay, agent)
    if json_file is not None:
        write_text("--json", json_file, format_json(review_to_json(review)))
    if page is not None:
        from tetrion.lab.replay_page import render_replay_page

        write_text("--html", page, render_replay_page(replay, review))
    if STANDARD_OUTPUT not in (json_file, page):
        print_review(review, file, worst, stopped)
    if stopped:
        raise SystemExit(EXIT_STOPPED)


def review_replay(replay: Replay, agent: WeightedAgent) -> tuple[Review, bool]:
    """Grade the moves of a replay; return the review, and whether Ctrl-C ended it early."""
    moves: list[GradedMove] = []
    try:
        with show_progress(task := f"Grading by {agent.name}") as on_progress:
            start = monotonic()
            planned = len(replay.placements)
            for move in grade_moves(replay, agent):
                moves.append(move)
                seconds = monotonic() - start
                on_progress(Progress(task=task, done=len(moves), planned=planned, unit="move", seconds=seconds))
    except KeyboardInterrupt:
        return Review(agent.name, replay, tuple(moves)), True
    return Review(agent.name, replay, tuple(moves)), False


def print_review(review: Review, file: str, worst: int, stopped: bool) -> None:
    """Print the game, the summary, and the costliest moves as boards."""
    replay = review.replay
    moves = review.moves
    print_wrapped(f"{file}: {describe_game(replay)}")
    extent = f"the first {len(moves):,} of {len(replay.placements):,}" if stopped else f"all {len(moves):,}"
    echo(f"Graded by {review.agent}: {extent} moves{' (stopped by Ctrl-C)' if stopped else ''}.\n")
    if not moves:
        echo("There is no move to grade.")
        return
    echo(f"{'The player' if replay.agent in (None, 'you') else replay.agent} {review.description}.")
    if replay.agent == review.agent:
        print_wrapped(f"{review.agent} graded its own moves; --agent NAME asks another agent.")
    print_grades(review)
    lost = "–" if review.mean_points_lost is None else format_points(review.mean_points_lost)
    print_wrapped(f"{lost} per move in {review.agent}'s evaluation", "  Loss          ")
    for verdict, description in VERDICT_DESCRIPTIONS.items():
        count = sum(move.verdict == verdict for move in moves)
        if count and verdict != VERDICT_LISTED:
            echo(f"  {format_count(count, 'move')}: {description}.")
    print_wrapped(f"{LOSS_EXPLANATION} {GRADE_EXPLANATION}")
    costliest = review.get_costliest_moves(worst)
    if costliest:
        echo(f"\nThe costliest {'move' if len(costliest) == 1 else f'{len(costliest):,} moves'}:")
    for move in costliest:
        echo()
        print_wrapped(describe_move(move, review.agent))
        echo(f"\n{format_move_boards(move)}")


def print_grades(review: Review) -> None:
    """Print the number of moves with each grade and its share of all moves, in the colour of the grade."""
    for grade, count in review.grade_counts.items():
        text = (
            f"  {grade.capitalize():12}{count:>6,}  {format_percent(count / len(review.moves)) if count else '0 %':>6}"
        )
        make_console().print(text, style=GRADE_COLOURS[grade], highlight=False)


def describe_game(replay: Replay) -> str:
    """Return the player, the rules, the seed and the result of a game."""
    result = replay.result
    number = f", game {replay.number:,}" if replay.number else ""
    ended = "" if result["over"] else ", not finished"
    totals = describe_counters(*(int(result[name]) for name in ("pieces", "lines", "score")))
    player = replay.agent or "a player"
    return f"{player}, rules {replay.rules}, seed {replay.seed}{number}: {totals}{ended}"


def describe_move(move: GradedMove, agent: str) -> str:
    """Return a line about a costly move."""
    rank = "" if move.rank is None else f", rank {move.rank:,} of {move.placement_count:,}"
    placement = move.placement
    spin = "" if placement.spin == NO_SPIN_NAME else f" {placement.spin} spin"
    piece = f"{placement.piece}{spin}{' with hold' if placement.hold else ''}"
    seen = f" ({describe_pieces(move.position)})" if placement.hold or move.position.hold else ""
    next_pieces = f"{seen}, next {move.position.next}" if move.position.next else seen
    mode = f", {move.mode} mode" if move.mode else ""
    return f"Move {move.number:,}, {piece}{next_pieces}{mode}: {move.grade}, {move.describe_cost(agent)}{rank}"


def format_move_boards(move: GradedMove) -> str:
    """Return three boards side by side: before the move, with the move played, and with the best move."""
    board = move.position.board
    rows = count_shown_rows(board, move.placement, move.best_placement)
    boards = {"before": format_board(board, rows=rows), "played": format_board(board, move.placement, rows)}
    if move.best_placement:
        boards["best"] = format_board(board, move.best_placement, rows)
    return join_boards(boards)


def review_to_json(review: Review) -> dict[str, Any]:
    """Return a review as `--json` writes it."""
    replay = review.replay
    return {
        "player": replay.agent,
        "rules": str(replay.rules),
        "seed": replay.seed,
        "game": replay.number,
        "result": dict(replay.result),
        "agent": review.agent,
        "moves": len(review.moves),
        "mean_points_lost": review.mean_points_lost,
        "best_move_share": review.best_move_share,
        "grades": review.grade_counts,
        "summary": review.description,
        "costliest": [move.number for move in review.get_costliest_moves(_DEFAULT_WORST_MOVES)],
        "graded": [
            {
                "move": move.number,
                "placement": placement_to_json(move.placement),
                "best": move.best_placement and placement_to_json(move.best_placement),
                "grade": move.grade or None,
                "points_lost": move.points_lost,
                "mean_loss": move.mean_loss,
                "is_best": move.is_best,
                "rank": move.rank,
                "placements": move.placement_count,
                "verdict": move.verdict,
                "mode": move.mode,
            }
            for move in review.moves
        ],
    }
