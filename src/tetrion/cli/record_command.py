"""`tetrion record`: record a game as a video."""

import re
from pathlib import Path
from time import monotonic

import click

from tetrion.agents import choose_rules, load_agent
from tetrion.agents.compiled_parts import plan_stepped_games
from tetrion.cli import EXIT_STOPPED
from tetrion.cli.console_output import echo, print_notice
from tetrion.cli.output_files import check_writable, explain_write_errors
from tetrion.cli.shared_options import allow_code_option, rules_option
from tetrion.data_files import DataFileError, read_data_file
from tetrion.engine.randomisers import validate_seed
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count, format_duration, format_number, format_size
from tetrion.evaluation.progress_bar import show_progress
from tetrion.interrupts import exit_on_termination
from tetrion.lab.video import RecordingResult, get_video_type, record_video, validate_video_size
from tetrion.lab.video_frames import Recording
from tetrion.replay import MAX_REPLAY_BYTES, Replay

_DEFAULT_PIECES = 100
_PLACEMENTS_KEY = re.compile(rb'"placements"\s*:')  # of a saved game; a quotation mark within a text is escaped


@click.command()
@click.argument("agent")
@click.option("--out", "file", required=True, metavar="FILE", help="Video file to write: .mp4 or .gif.")
@rules_option
@click.option("--seed", type=int, metavar="N", help="Seed of the game (default: 0).")
@click.option(
    "--pieces",
    type=click.IntRange(1),
    metavar="N",
    help=f"Record at most N pieces (default: {_DEFAULT_PIECES}, or the whole saved game).",
)
@click.option("--thinking", is_flag=True, help="Also show the best placements with their scores, and the stack height.")
@click.option("--size", metavar="WxH", help="Size in pixels, e.g. 1920x1080.")
@allow_code_option("agent")
def command(
    *,
    agent: str,
    file: str,
    rules: str | None,
    seed: int | None,
    pieces: int | None,
    thinking: bool,
    size: str | None,
) -> None:
    """Record a game of AGENT as a video.

    AGENT is a name, a weights file, a Python class, the folder of a run, or a saved game (.json).
    """
    get_video_type(file)
    video_size = validate_video_size(parse_size(size)) if size else None
    recording = plan_recording(agent, rules, seed, pieces, thinking)
    check_writable("--out", file)
    plan_stepped_games([recording.agent], recording.rules, explained=thinking)
    start_time = monotonic()
    try:
        with (
            exit_on_termination(),
            explain_write_errors("--out", file),
            show_progress(recording.agent.name) as on_progress,
        ):
            result = record_video(recording, Path(file), video_size, on_progress)
    except KeyboardInterrupt:
        print_notice(f"Stopped. {file} was not written.")
        raise SystemExit(EXIT_STOPPED) from None
    echo(describe_recording(file, result, monotonic() - start_time))
    if not result.is_over and pieces is None and not is_replay_file(agent):
        echo(f"The game was recorded up to piece {result.pieces}. Use --pieces to record more.")


def plan_recording(name: str, rules: str | None, seed: int | None, pieces: int | None, thinking: bool) -> Recording:
    """Return what to record: a game of an agent, or a saved game."""
    if is_replay_file(name):
        for option, value in (("--rules", rules), ("--seed", seed)):
            if value is not None:
                raise TetrionError(f"{name} is a saved game with its own rules and pieces. Omit {option}.")
        replay = Replay.load(name)
        placement_count = len(replay.placements)
        if not placement_count:
            raise TetrionError(f"{name}: no piece was placed in this saved game, so there is nothing to record.")
        max_pieces = min(placement_count, pieces or placement_count)
        return Recording.from_replay(replay, max_pieces, thinking)
    agent = load_agent(name)
    chosen_rules = choose_rules([agent], rules)
    agent.check_rules(chosen_rules)
    return Recording(agent, chosen_rules, validate_seed(seed or 0), pieces or _DEFAULT_PIECES, thinking)


def is_replay_file(name: str) -> bool:
    """Return whether a file is a saved game (not the weights of an agent)."""
    try:
        content = read_data_file(Path(name), MAX_REPLAY_BYTES) if Path(name).suffix.lower() == ".json" else b""
    except (FileNotFoundError, DataFileError):
        return False
    return bool(_PLACEMENTS_KEY.search(content))


def parse_size(text: str) -> tuple[int, int]:
    """Parse a size such as 1280x720."""
    parts = text.lower().replace("×", "x").split("x")
    if len(parts) != 2 or not all(part.strip().isdecimal() for part in parts):
        raise TetrionError(f"--size is a width and a height in pixels, e.g. 1280x720; given '{text}'.")
    return int(parts[0]), int(parts[1])


def describe_recording(file: str, result: RecordingResult, seconds: float) -> str:
    """Return a line that describes a recording and the time it took."""
    width, height = result.size
    file_size = format_size(Path(file).stat().st_size)
    rate = format_number(result.frame_count / seconds, 0)
    return (
        f"{file}: {format_count(result.pieces, 'piece')}, {format_count(result.lines, 'line')}, "
        f"{format_duration(result.duration_seconds)} long, {width}×{height}, {file_size}; "
        f"{result.frame_count:,} frames in {format_number(seconds, 1)} s ({rate} frames/s)."
    )
