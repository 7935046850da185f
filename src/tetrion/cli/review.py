"""`tetrion review`: every move of a replay graded against an agent."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from tetrion.agents import DataAgent, data_agent
from tetrion.board import Placement
from tetrion.cli.boards import drawn, rows_of, side_by_side
from tetrion.cli.files import checked_files, write_text
from tetrion.cli.output import as_json
from tetrion.evaluation.review import ENDS, LISTED, STANDINGS, Move, Review, graded, points_words, usual_agent
from tetrion.evaluation.words import counted, percent
from tetrion.replay import Replay

SHOWN = 5  # costliest moves, unless told otherwise
BAR = 24  # columns
STOPPED = 130  # exit code: ended by Ctrl-C


@click.command()
@click.argument("file")
@click.option("--agent", "name", metavar="NAME", help="Who grades; the agent made for the rules if not given.")
@click.option("--worst", default=SHOWN, show_default=True, type=click.IntRange(0), help="How many costly moves.")
@click.option("--json", "json_file", metavar="FILE", help="Write every move; - for the standard output.")
def command(file: str, name: str | None, worst: int, json_file: str | None) -> None:
    """Grade every move of a replay: how many points of an agent's own score it lost to the agent's best.

    Ctrl-C ends it early; what was graded until then is shown.
    """
    checked_files({"--json": json_file})
    replay = Replay.load(file)
    agent = data_agent(name or usual_agent(replay.rules))
    review, stopped = reviewed(replay, agent)
    if json_file is not None:
        write_text("--json", json_file, as_json(described(review)))
    if json_file != "-":
        show(review, file, worst, stopped)
    if stopped:
        raise SystemExit(STOPPED)


def reviewed(replay: Replay, agent: DataAgent) -> tuple[Review, bool]:
    """The review, or as much of it as there was when Ctrl-C was pressed, and whether it was."""
    moves: list[Move] = []
    try:
        with shown_progress(agent.name, len(replay.placements)) as advance:
            for move in graded(replay, agent):
                moves.append(move)
                advance()
    except KeyboardInterrupt:
        return Review(agent.name, replay, tuple(moves)), True
    return Review(agent.name, replay, tuple(moves)), False


@contextmanager
def shown_progress(name: str, moves: int) -> Iterator[Any]:
    """What to call for every move; nothing is shown where there is no terminal."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(BAR),
        MofNCompleteColumn(" of "),
        TextColumn("moves"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(f"{name} grades", total=moves)
        yield lambda: bar.advance(task)


def show(review: Review, file: str, worst: int, stopped: bool) -> None:
    """The game, the summary, and the costliest moves as boards."""
    replay, moves = review.replay, review.moves
    click.echo(f"{file}: {headline(replay)}")
    of = f"the first {len(moves):,} of {len(replay.placements):,}" if stopped else f"all {len(moves):,}"
    click.echo(f"Graded by {review.agent}, {of} moves{' until you stopped it' if stopped else ''}.\n")
    if not moves:
        click.echo("There is no move to grade.")
        return
    best = sum(move.is_best for move in moves)
    click.echo(f"{'The player' if replay.agent in (None, 'you') else replay.agent} {review.words}.")
    click.echo(f"  Best moves    {percent(review.share_best or 0)}, {best:,} of {len(moves):,}")
    lost = "–" if review.mean_lost is None else points_words(review.mean_lost)
    click.echo(f"  Points lost   {lost} a move, in {review.agent}'s own score")
    for standing, told in STANDINGS.items():
        count = sum(move.standing == standing for move in moves)
        if count and standing != LISTED:
            click.echo(f"  {counted(count, 'move')}: {told}.")
    costly = review.costliest(worst)
    if costly:
        click.echo(f"\nThe costliest {'move' if len(costly) == 1 else f'{len(costly):,} moves'}:")
    for move in costly:
        click.echo(f"\n{told_move(move)}\n\n{boards(move)}")


def headline(replay: Replay) -> str:
    """Who played what, and how it went."""
    result = replay.result
    number = f", game {replay.number:,}" if replay.number else ""
    ended = "" if result["over"] else ", not played to its end"
    counts = (counted(int(result[f"{thing}s"]), thing) for thing in ("piece", "line"))
    came_to = ", ".join([*counts, counted(int(result["score"]), "point")])
    return f"{replay.agent or 'a player'} under {replay.rules}, seed {replay.seed}{number}: {came_to}{ended}"


def told_move(move: Move) -> str:
    """A costly move in words."""
    cost = "the game may end there" if move.standing == ENDS else f"{points_words(move.lost or 0)} points lost"
    rank = "" if move.rank is None else f", rank {move.rank:,} of {move.placements:,}"
    following = f", next {move.position.next}" if move.position.next else ""
    mode = f", {move.mode} mode" if move.mode else ""
    return f"Move {move.number:,}, {move.made.piece}{following}{mode}: {cost}{rank}"


def boards(move: Move) -> str:
    """The board before a move, with it, and with the better one."""
    board = move.position.board
    rows = rows_of(board, move.made, move.best)
    shown = {"before": drawn(board, rows=rows), "made": drawn(board, move.made, rows)}
    return side_by_side(shown | ({"better": drawn(board, move.best, rows)} if move.best else {}))


def described(review: Review) -> dict[str, Any]:
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
        "mean_points_lost": review.mean_lost,
        "share_best": review.share_best,
        "words": review.words,
        "costliest": [move.number for move in review.costliest(SHOWN)],
        "graded": [
            {
                "move": move.number,
                "made": described_place(move.made),
                "best": move.best and described_place(move.best),
                "points_lost": move.lost,
                "is_best": move.is_best,
                "rank": move.rank,
                "placements": move.placements,
                "standing": move.standing,
                "mode": move.mode,
            }
            for move in review.moves
        ],
    }


def described_place(placement: Placement) -> dict[str, Any]:
    """A placement as `--json` writes it."""
    return {
        "piece": placement.piece,
        "rotation": placement.rotation,
        "column": placement.column,
        "row": placement.row,
    }
