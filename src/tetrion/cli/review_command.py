"""`tetrion review`: every move of a replay graded against an agent."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from tetrion.agents import WeightedAgent, load_weighted_agent
from tetrion.board import Placement
from tetrion.cli.board_text import count_shown_rows, format_board, join_boards
from tetrion.cli.console_output import format_json
from tetrion.cli.output_files import validate_output_files, write_text
from tetrion.evaluation.number_format import format_count, format_percent
from tetrion.evaluation.replay_review import (
    VERDICT_DESCRIPTIONS,
    VERDICT_ENDS_GAME,
    VERDICT_LISTED,
    GradedMove,
    Review,
    choose_grader,
    format_points,
    grade_moves,
)
from tetrion.replay import Replay

_DEFAULT_WORST_MOVES = 5  # costliest moves, unless told otherwise
_PROGRESS_BAR_WIDTH = 24  # columns
_EXIT_STOPPED = 130  # exit code: ended by Ctrl-C


@click.command()
@click.argument("file")
@click.option("--agent", "name", metavar="NAME", help="Who grades; the agent made for the rules if not given.")
@click.option(
    "--worst", default=_DEFAULT_WORST_MOVES, show_default=True, type=click.IntRange(0), help="How many costly moves."
)
@click.option("--json", "json_file", metavar="FILE", help="Write every move; - for the standard output.")
def command(file: str, name: str | None, worst: int, json_file: str | None) -> None:
    """Grade every move of a replay: how many points of an agent's own score it lost to the agent's best.

    Ctrl-C ends it early; what was graded until then is shown.
    """
    validate_output_files({"--json": json_file})
    replay = Replay.load(file)
    agent = load_weighted_agent(name or choose_grader(replay.rules))
    review, stopped = review_replay(replay, agent)
    if json_file is not None:
        write_text("--json", json_file, format_json(review_to_json(review)))
    if json_file != "-":
        print_review(review, file, worst, stopped)
    if stopped:
        raise SystemExit(_EXIT_STOPPED)


def review_replay(replay: Replay, agent: WeightedAgent) -> tuple[Review, bool]:
    """The review, or as much of it as there was when Ctrl-C was pressed, and whether it was."""
    moves: list[GradedMove] = []
    try:
        with show_review_progress(agent.name, len(replay.placements)) as advance:
            for move in grade_moves(replay, agent):
                moves.append(move)
                advance()
    except KeyboardInterrupt:
        return Review(agent.name, replay, tuple(moves)), True
    return Review(agent.name, replay, tuple(moves)), False


@contextmanager
def show_review_progress(name: str, moves: int) -> Iterator[Any]:
    """What to call for every move; nothing is shown where there is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(_PROGRESS_BAR_WIDTH),
        MofNCompleteColumn(" of "),
        TextColumn("moves"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{name} grades", total=moves)
        yield lambda: bar.advance(task)


def print_review(review: Review, file: str, worst: int, stopped: bool) -> None:
    """The game, the summary, and the costliest moves as boards."""
    replay, moves = review.replay, review.moves
    click.echo(f"{file}: {describe_game(replay)}")
    of = f"the first {len(moves):,} of {len(replay.placements):,}" if stopped else f"all {len(moves):,}"
    click.echo(f"Graded by {review.agent}, {of} moves{' until you stopped it' if stopped else ''}.\n")
    if not moves:
        click.echo("There is no move to grade.")
        return
    best = sum(move.is_best for move in moves)
    click.echo(f"{'The player' if replay.agent in (None, 'you') else replay.agent} {review.description}.")
    click.echo(f"  Best moves    {format_percent(review.best_move_share or 0)}, {best:,} of {len(moves):,}")
    lost = "–" if review.mean_points_lost is None else format_points(review.mean_points_lost)
    click.echo(f"  Points lost   {lost} a move, in {review.agent}'s own score")
    for standing, told in VERDICT_DESCRIPTIONS.items():
        count = sum(move.verdict == standing for move in moves)
        if count and standing != VERDICT_LISTED:
            click.echo(f"  {format_count(count, 'move')}: {told}.")
    costly = review.get_costliest_moves(worst)
    if costly:
        click.echo(f"\nThe costliest {'move' if len(costly) == 1 else f'{len(costly):,} moves'}:")
    for move in costly:
        click.echo(f"\n{describe_move(move)}\n\n{format_move_boards(move)}")


def describe_game(replay: Replay) -> str:
    """Who played what, and how it went."""
    result = replay.result
    number = f", game {replay.number:,}" if replay.number else ""
    ended = "" if result["over"] else ", not played to its end"
    counts = (format_count(int(result[f"{thing}s"]), thing) for thing in ("piece", "line"))
    came_to = ", ".join([*counts, format_count(int(result["score"]), "point")])
    return f"{replay.agent or 'a player'} under {replay.rules}, seed {replay.seed}{number}: {came_to}{ended}"


def describe_move(move: GradedMove) -> str:
    """A costly move in words."""
    cost = (
        "the game may end there"
        if move.verdict == VERDICT_ENDS_GAME
        else f"{format_points(move.points_lost or 0)} points lost"
    )
    rank = "" if move.rank is None else f", rank {move.rank:,} of {move.placement_count:,}"
    following = f", next {move.position.next}" if move.position.next else ""
    mode = f", {move.mode} mode" if move.mode else ""
    return f"Move {move.number:,}, {move.placement.piece}{following}{mode}: {cost}{rank}"


def format_move_boards(move: GradedMove) -> str:
    """The board before a move, with it, and with the better one."""
    board = move.position.board
    rows = count_shown_rows(board, move.placement, move.best_placement)
    shown = {"before": format_board(board, rows=rows), "made": format_board(board, move.placement, rows)}
    return join_boards(
        shown | ({"better": format_board(board, move.best_placement, rows)} if move.best_placement else {})
    )


def review_to_json(review: Review) -> dict[str, Any]:
    """What `--json` writes."""
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
        "summary": review.description,
        "costliest": [move.number for move in review.get_costliest_moves(_DEFAULT_WORST_MOVES)],
        "graded": [
            {
                "move": move.number,
                "placement": placement_to_json(move.placement),
                "best": move.best_placement and placement_to_json(move.best_placement),
                "points_lost": move.points_lost,
                "is_best": move.is_best,
                "rank": move.rank,
                "placements": move.placement_count,
                "verdict": move.verdict,
                "mode": move.mode,
            }
            for move in review.moves
        ],
    }


def placement_to_json(placement: Placement) -> dict[str, Any]:
    """A placement as `--json` writes it."""
    return {
        "piece": placement.piece,
        "rotation": placement.rotation,
        "column": placement.column,
        "row": placement.row,
    }
