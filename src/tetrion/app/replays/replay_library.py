"""Saved games: their list, loading one of them, and saving it as a web page, all in the background."""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from tetrion.app.background_task import BackgroundTask
from tetrion.app.crash_log import describe_crash
from tetrion.app.game_storage import HUMAN_PLAYER, list_replay_files
from tetrion.app.notices import MessageFunction
from tetrion.app.replays.replay_playback import ReplayTimeline, build_timeline
from tetrion.atomic_files import write_atomically
from tetrion.data_files import parse_json, read_data_file
from tetrion.errors import TetrionError
from tetrion.evaluation.number_format import format_count
from tetrion.evaluation.replay_review import Review
from tetrion.game import Game
from tetrion.replay import MAX_REPLAY_BYTES, Replay, add_file_to_errors, parse_replay, read_replay_file
from tetrion.stack import Stack
from tetrion.user_folders import describe_save_error, get_data_folder

_MAX_PLAYER_BYTES = 60  # in the name of a page


@dataclass(frozen=True)
class ReplaySummary:
    """A saved game without its moves; `problem` is the error message if the file cannot be read."""

    path: Path
    date: datetime
    replay: Replay | None = None
    problem: str = ""

    @property
    def player(self) -> str:
        """The name of the player, empty if it is unknown."""
        return (self.replay.agent or HUMAN_PLAYER) if self.replay else ""

    def get_number(self, name: str) -> int:
        """Return a number of the result, such as "score" or "lines"; −1 for a damaged file, which sorts last."""
        return int(self.replay.result[name]) if self.replay else -1


def load_replay_summary(path: Path) -> ReplaySummary:
    """Load the summary of a saved game; a damaged file gives a summary with a problem."""
    date = find_game_date(path)
    try:
        return ReplaySummary(path, date, parse_replay(read_without_moves(path)))
    except TetrionError as error:
        problem = str(error)
    except OSError as error:
        problem = f"The file cannot be read: {error.strerror}."
    except Exception as error:  # no file may take the list with it
        problem = describe_crash(error)
    return ReplaySummary(path, date, problem=problem)


def read_without_moves(path: Path) -> Any:
    """Read the JSON of a replay without its moves if they are where Tetrion writes them, which is much faster."""
    content = read_data_file(path, MAX_REPLAY_BYTES)
    head, placements_key, rest = content.partition(b'"placements"')
    _, result_key, tail = rest.rpartition(b'"result"')
    return parse_json(head + placements_key + b": []," + result_key + tail) if result_key else read_replay_file(path)


def find_game_date(path: Path) -> datetime:
    """Return when a game ended, from the name of its file or from the time it was written."""
    with suppress(ValueError):
        return datetime.strptime(path.name[:19], "%Y-%m-%d %H-%M-%S")
    with suppress(OSError, ValueError, OverflowError):  # no such file, or a time out of range
        return datetime.fromtimestamp(path.stat().st_mtime)
    return datetime.fromtimestamp(0)


class ReplayLibrary(BackgroundTask):
    """Loads the summaries of all saved games, newest first; `known` ones are listed at once."""

    def __init__(self, known: Sequence[ReplaySummary] = ()) -> None:
        super().__init__()
        self.summaries = list(known)
        self.start()

    def run(self) -> None:
        """Load the summaries; a list without known games grows meanwhile."""
        known = {summary.path: summary for summary in self.summaries}
        summaries = [] if known else self.summaries
        for path in list_replay_files():
            if self._stop_event.is_set():
                return
            summaries.append(known.get(path) or load_replay_summary(path))
        self.summaries = summaries

    def remove(self, path: Path) -> None:
        """Forget a game whose file was deleted."""
        self.summaries = [summary for summary in self.summaries if summary.path != path]


class FinalBoard(BackgroundTask):
    """Loads the board at the end of a game; `stack` is None meanwhile, and if the file has a problem."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.stack: Stack | None = None
        self._last_stack: Stack | None = None
        self.start()

    def run(self) -> None:
        """Read the file and place the pieces; a board that is stopped belongs to no file and is loaded again."""
        with add_file_to_errors(self.path.name):
            for stack in iterate_stacks(Replay.load_unverified(self.path)):
                if self._stop_event.is_set():
                    self.path = Path()
                    return
                self._last_stack = stack
            self.stack = self._last_stack


def iterate_stacks(replay: Replay) -> Iterator[Stack]:
    """Yield the stack at the start and after each move; only garbage requires playing the game, which is slow."""
    stack = Stack(height=replay.rules.height, clearing=replay.rules.clearing)
    yield stack
    if replay.rules.garbage_rows or replay.rules.start_garbage:
        game = Game(replay.rules, replay.seed, replay.number)
        for _ in replay.play_steps(game):
            yield game.stack
        return
    for placement in replay.placements:
        stack = stack.after_placement(placement)
        yield stack


class ReplayLoader(BackgroundTask):
    """Loads a replay from a file, or takes one that is already loaded, and builds its timeline."""

    def __init__(self, file: str, replay: Replay | None = None) -> None:
        super().__init__()
        self.file = file
        self.replay = replay
        self.timeline: ReplayTimeline | None = None
        self.progress_text = "Reading the file."
        self.start()

    def run(self) -> None:
        """Read the file, verify the replay and build its timeline."""
        with add_file_to_errors(self.file or "The replay"):
            self.replay = self.replay or Replay.load_unverified(self.file)
            for progress in build_timeline(self.replay):
                if self._stop_event.is_set():
                    return
                if isinstance(progress, ReplayTimeline):
                    self.timeline = progress
                else:
                    self.progress_text = f"Move {progress:,} of {len(self.replay.placements):,}"


class ReplayPageWriter(BackgroundTask):
    """Writes the web page of a replay, with grades if there is a review, and shows a message with its name."""

    def __init__(self, game: Replay | Path, show_message: MessageFunction, review: Review | None = None) -> None:
        super().__init__()
        self.game = game
        self.review = review
        self.show_message = show_message
        show_message("Saving the web page…")
        self.start()

    def run(self) -> None:
        """Load the replay if necessary, and write the page."""
        from tetrion.lab.replay_page import render_replay_page

        replay = Replay.load(self.game) if isinstance(self.game, Path) else self.game
        folder = get_data_folder() / "pages"
        content = render_replay_page(replay, self.review).encode()
        try:
            folder.mkdir(parents=True, exist_ok=True)
            path = find_page_path(folder, replay, content)
            write_atomically(path, content)
        except OSError as error:
            raise TetrionError(describe_save_error("The page", folder, error)) from None
        self.show_message(f"Saved {path.name} in the folder {folder.name}.", file=path)

    def _run_thread(self) -> None:
        super()._run_thread()
        if self.problem:
            self.show_message(self.problem)


def find_page_path(folder: Path, replay: Replay, content: bytes) -> Path:
    """Return the path of a page, such as modern-1-guideline-34-lines.html, with a number if another page has it."""
    player = (replay.agent or HUMAN_PLAYER).encode()[:_MAX_PLAYER_BYTES].decode("utf-8", "ignore")
    lines = format_count(int(replay.result["lines"]), "line").replace(",", "")
    name = re.sub(r"[^\w.=]+", "-", f"{player} {replay.rules.name} {lines}").strip("-.")
    paths = (folder / f"{name}{f'-{number}' if number > 1 else ''}.html" for number in count(1))
    return next(path for path in paths if not path.exists() or path.read_bytes() == content)
