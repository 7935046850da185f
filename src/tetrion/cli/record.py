"""`tetrion record`: a game as a video."""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic

import click
from rich.console import Console
from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bar

from tetrion.agents import AnyAgent, DataAgent, OwnAgent, load
from tetrion.cli.files import check_writable, writing
from tetrion.cli.progress import BAR
from tetrion.engine.randomisers import checked_seed
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.words import clock, counted, figure
from tetrion.lab.recording import Film, Made
from tetrion.lab.video import Progress, Recorded, checked_size, kind_of, record
from tetrion.replay import Replay

PIECES = 100
LARGEST_LOOK = 100_000_000  # bytes of a file that may be a replay


@click.command()
@click.argument("agent")
@click.option("--out", "file", required=True, metavar="FILE", help="The video: a .mp4 or .gif file.")
@click.option("--rules", help="A rule set; the agent's own if not given.")
@click.option("--seed", type=int, help="Which game; 0 if not given.")
@click.option("--pieces", type=click.IntRange(1), help=f"How many at most; {PIECES} if not given, of a replay all.")
@click.option("--thinking", is_flag=True, help="Show the best placements and why, and the height of the stack.")
@click.option("--size", metavar="WxH", help="Pixels, as in 1920x1080.")
def command(
    agent: str,
    file: str,
    rules: str | None,
    seed: int | None,
    pieces: int | None,
    thinking: bool,
    size: str | None,
) -> None:
    """Record AGENT's game as a video, as fast as this machine can.

    AGENT is a name, a file, a class, a run, or the .json file of a replay.
    """
    kind_of(file)
    pixels = checked_size(read_size(size)) if size else None
    film = film_of(agent, rules, seed, pieces, thinking)
    check_writable("--out", file)
    begun = monotonic()
    try:
        with writing("--out", file), shown(film) as progress:
            made = record(film, Path(file), pixels, progress)
    except KeyboardInterrupt:
        click.echo(f"Stopped; {file} was not written.", err=True)
        sys.exit(130)
    click.echo(told(file, made, monotonic() - begun))
    if not made.over and pieces is None and not isinstance(film.player, Replay):
        click.echo(f"The game goes on after {made.pieces} pieces; --pieces says how many are recorded.")


def film_of(name: str, rules: str | None, seed: int | None, pieces: int | None, thinking: bool) -> Film:
    """What is to be recorded: an agent's game, or a replay."""
    if is_replay(name):
        for option, given in (("--rules", rules), ("--seed", seed)):
            if given is not None:
                raise TetrionError(f"A replay has its own rules and pieces. Leave {option} out.")
        replay = Replay.load(name)
        made = len(replay.placements)
        if not made:
            raise TetrionError(f"{name}: in this replay no piece was placed.")
        return Film(replay, replay.rules, replay.seed, min(made, pieces or made), thinking)
    player = load(name)
    if isinstance(player, OwnAgent):
        player.check()
    chosen = Rules.parse(rules or rules_of(player) or "standard")
    if isinstance(player, DataAgent):
        player.setting(chosen)  # which says it if they do not go together
    return Film(player, chosen, checked_seed(seed or 0), pieces or PIECES, thinking)


def rules_of(player: AnyAgent) -> str:
    """The rules that an agent was made for, if it tells."""
    return "" if isinstance(player, OwnAgent) else player.rules


def is_replay(name: str) -> bool:
    """Whether a name is that of a replay's file rather than of an agent's."""
    if Path(name).suffix.lower() != ".json":
        return False
    try:
        with Path(name).open("rb") as opened:
            content = json.loads(opened.read(LARGEST_LOOK).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and "placements" in content


def read_size(text: str) -> tuple[int, int]:
    """A size as a person writes it."""
    parts = text.lower().replace("×", "x").split("x")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise TetrionError(f"--size is a width and a height in pixels, as in 1280x720; given '{text}'.")
    return int(parts[0]), int(parts[1])


@contextmanager
def shown(film: Film) -> Iterator[Progress]:
    """What to tell of a recording; nothing is shown where there is no terminal."""
    console, begun = Console(stderr=True), monotonic()
    columns = TextColumn("{task.description}", markup=False), BarColumn(BAR), TextColumn("{task.fields[words]}")
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(film.name, total=film.pieces, words="")

        def update(made: Made) -> None:
            bar.update(task, completed=made.pieces, words=words(film, made, monotonic() - begun))

        yield update


def words(film: Film, made: Made, seconds: float) -> str:
    """How far, how fast, how long."""
    parts = [f"{made.pieces:,} of {film.pieces:,} pieces", f"{figure(made.written / seconds, 0)} frames/s"]
    if made.pieces:
        parts.append(f"{clock(seconds * max(0, film.pieces - made.pieces) / made.pieces)} left")
    return "  ".join(parts)


def told(file: str, made: Recorded, seconds: float) -> str:
    """What has been recorded, in a line."""
    wide, high = made.size
    megabytes = figure(Path(file).stat().st_size / 1e6, 1)
    return (
        f"{file}: {counted(made.pieces, 'piece')}, {counted(made.lines, 'line')}, {clock(made.seconds)} long, "
        f"{wide}×{high}, {megabytes} MB; "
        f"{made.pictures:,} frames in {figure(seconds, 1)} s, {figure(made.pictures / seconds, 0)} a second."
    )
