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

from tetrion.agents import AnyAgent, PythonAgent, WeightedAgent, load_agent
from tetrion.cli.output_files import check_writable, explain_write_errors
from tetrion.cli.progress_bar import PROGRESS_BAR_WIDTH
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count, format_duration, format_number
from tetrion.lab.video import RecordingCallback, RecordingResult, get_video_type, record_video, validate_video_size
from tetrion.lab.video_frames import Recording, RecordingProgress
from tetrion.replay import Replay

_DEFAULT_PIECES = 100
_MAX_REPLAY_BYTES = 100_000_000  # bytes of a file that may be a replay


@click.command()
@click.argument("agent")
@click.option("--out", "file", required=True, metavar="FILE", help="The video: a .mp4 or .gif file.")
@click.option("--rules", help="A rule set; the agent's own if not given.")
@click.option("--seed", type=int, help="Which game; 0 if not given.")
@click.option(
    "--pieces", type=click.IntRange(1), help=f"How many at most; {_DEFAULT_PIECES} if not given, of a replay all."
)
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
    get_video_type(file)
    pixels = validate_video_size(parse_size(size)) if size else None
    film = plan_recording(agent, rules, seed, pieces, thinking)
    check_writable("--out", file)
    begun = monotonic()
    try:
        with explain_write_errors("--out", file), show_recording_progress(film) as progress:
            made = record_video(film, Path(file), pixels, progress)
    except KeyboardInterrupt:
        click.echo(f"Stopped; {file} was not written.", err=True)
        sys.exit(130)
    click.echo(describe_recording(file, made, monotonic() - begun))
    if not made.is_over and pieces is None and not isinstance(film.player, Replay):
        click.echo(f"The game goes on after {made.pieces} pieces; --pieces says how many are recorded.")


def plan_recording(name: str, rules: str | None, seed: int | None, pieces: int | None, thinking: bool) -> Recording:
    """What is to be recorded: an agent's game, or a replay."""
    if is_replay_file(name):
        for option, given in (("--rules", rules), ("--seed", seed)):
            if given is not None:
                raise TetrionError(f"A replay has its own rules and pieces. Leave {option} out.")
        replay = Replay.load(name)
        made = len(replay.placements)
        if not made:
            raise TetrionError(f"{name}: in this replay no piece was placed.")
        return Recording(replay, replay.rules, replay.seed, min(made, pieces or made), thinking)
    player = load_agent(name)
    if isinstance(player, PythonAgent):
        player.check_class()
    chosen = Rules.parse(rules or get_agent_rules(player) or "standard")
    if isinstance(player, WeightedAgent):
        player.get_engine_settings(chosen)  # which says it if they do not go together
    return Recording(player, chosen, validate_seed(seed or 0), pieces or _DEFAULT_PIECES, thinking)


def get_agent_rules(player: AnyAgent) -> str:
    """The rules that an agent was made for, if it tells."""
    return "" if isinstance(player, PythonAgent) else player.rules


def is_replay_file(name: str) -> bool:
    """Whether a name is that of a replay's file rather than of an agent's."""
    if Path(name).suffix.lower() != ".json":
        return False
    try:
        with Path(name).open("rb") as opened:
            content = json.loads(opened.read(_MAX_REPLAY_BYTES).decode("utf-8-sig"))
    except (OSError, ValueError, RecursionError):
        return False
    return isinstance(content, dict) and "placements" in content


def parse_size(text: str) -> tuple[int, int]:
    """A size as a person writes it."""
    parts = text.lower().replace("×", "x").split("x")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise TetrionError(f"--size is a width and a height in pixels, as in 1280x720; given '{text}'.")
    return int(parts[0]), int(parts[1])


@contextmanager
def show_recording_progress(film: Recording) -> Iterator[RecordingCallback]:
    """What to tell of a recording; nothing is shown where there is no terminal."""
    console, begun = Console(stderr=True), monotonic()
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(PROGRESS_BAR_WIDTH),
        TextColumn("{task.fields[words]}"),
    )
    with Bar(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(film.player_name, total=film.max_pieces, words="")

        def update(made: RecordingProgress) -> None:
            bar.update(
                task, completed=made.pieces_written, words=format_recording_progress(film, made, monotonic() - begun)
            )

        yield update


def format_recording_progress(film: Recording, made: RecordingProgress, seconds: float) -> str:
    """How far, how fast, how long."""
    parts = [
        f"{made.pieces_written:,} of {film.max_pieces:,} pieces",
        f"{format_number(made.frames_written / seconds, 0)} frames/s",
    ]
    if made.pieces_written:
        parts.append(
            f"{format_duration(seconds * max(0, film.max_pieces - made.pieces_written) / made.pieces_written)} left"
        )
    return "  ".join(parts)


def describe_recording(file: str, made: RecordingResult, seconds: float) -> str:
    """What has been recorded, in a line."""
    wide, high = made.size
    megabytes = format_number(Path(file).stat().st_size / 1e6, 1)
    return (
        f"{file}: {format_count(made.pieces, 'piece')}, {format_count(made.lines, 'line')}, {format_duration(made.duration_seconds)} long, "
        f"{wide}×{high}, {megabytes} MB; "
        f"{made.frame_count:,} frames in {format_number(seconds, 1)} s, {format_number(made.frame_count / seconds, 0)} a second."
    )
