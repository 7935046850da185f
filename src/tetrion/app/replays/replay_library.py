"""The list of saved games, read in the background; only the beginning and the end of each file are read."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from tetrion.app.background_task import BackgroundTask
from tetrion.app.crash_log import describe_crash
from tetrion.app.game_storage import HUMAN_PLAYER, list_replay_files
from tetrion.app.picker_options import format_rules
from tetrion.data_files import DataFileError, open_regular_file, parse_json, read_data_file
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.replay import MAX_REPLAY_BYTES, Replay, parse_replay
from tetrion.stack import Stack

# The head and the tail of a file contain everything except the moves.
_HEAD_BYTES = 4096
_TAIL_BYTES = 1024
_PLACEMENTS_KEY = b'"placements"'
_RESULT_KEY = b'"result"'
_DATE_PATTERN = re.compile(r"(\d{4}-\d\d-\d\d \d\d-\d\d-\d\d)")  # file names begin with the time the game ended


@dataclass(frozen=True)
class ReplaySummary:
    """A saved game without its moves; `problem` is the error message if the file cannot be read."""

    path: Path
    date: datetime
    player: str = ""
    rules: Rules | None = None
    rules_text: str = ""
    seed: int = 0
    score: int = 0
    lines: int = 0
    pieces: int = 0
    frames: int = 0
    is_over: bool = False
    problem: str = ""

    @property
    def is_human(self) -> bool:
        """Whether a human player has played the game."""
        return self.player == HUMAN_PLAYER

    @property
    def seconds(self) -> float | None:
        """The duration of the game; None if it was not played in real time."""
        return self.frames / self.rules.frames_per_second if self.rules and self.frames else None


def load_replay_summary(path: Path) -> ReplaySummary:
    """Load the summary of a saved game; a damaged file gives a summary with a problem."""
    date = find_game_date(path)
    try:
        replay = parse_replay(read_replay_content(path))
        rules_text = format_rules(replay.rules).replace(" rules", "")
    except Exception as error:  # no file may take the list with it
        return ReplaySummary(path, date, problem=describe_read_error(error))
    return ReplaySummary(
        path,
        date,
        player=replay.agent or HUMAN_PLAYER,
        rules=replay.rules,
        rules_text=rules_text,
        seed=replay.seed,
        score=replay.result["score"],
        lines=replay.result["lines"],
        pieces=replay.result["pieces"],
        frames=replay.result["frames"],
        is_over=bool(replay.result["over"]),
    )


def describe_read_error(error: Exception) -> str:
    """Return why a replay file cannot be read; an unexpected error is logged."""
    if isinstance(error, TetrionError):
        return str(error)
    if isinstance(error, OSError):
        return f"The file cannot be read: {error.strerror}."
    return describe_crash(error)


def read_replay_content(path: Path) -> Any:
    """Read the JSON of a replay, without its placements if the file has the layout that Tetrion writes."""
    with open_regular_file(path) as file:
        head = file.read(_HEAD_BYTES)
        size = file.seek(0, 2)
        if size > _HEAD_BYTES + _TAIL_BYTES:
            file.seek(-_TAIL_BYTES, 2)
            content = parse_without_placements(head, file.read(_TAIL_BYTES))
            if content is not None:
                return content
    return read_whole_replay(path)


def read_whole_replay(path: Path) -> Any:
    """Read the JSON of a replay with its placements."""
    return parse_json(read_data_file(path, MAX_REPLAY_BYTES))


def parse_without_placements(head: bytes, tail: bytes) -> dict[str, Any] | None:
    """Parse a replay from the beginning and the end of its file; None if the placements are not between them."""
    before, placements_key, _ = head.partition(_PLACEMENTS_KEY)
    _, result_key, after = tail.rpartition(_RESULT_KEY)
    if not placements_key or not result_key:
        return None
    try:
        return {**parse_json(before + b'"placements": []}'), **parse_json(b"{" + _RESULT_KEY + after)}
    except (DataFileError, TypeError):
        return None


def find_game_date(path: Path) -> datetime:
    """Return when a game ended, from the name of its file or from the time it was written."""
    if match := _DATE_PATTERN.match(path.name):
        try:
            return datetime.strptime(match[1], "%Y-%m-%d %H-%M-%S")
        except ValueError:
            pass
    try:
        return datetime.fromtimestamp(path.stat().st_mtime)
    except (OSError, ValueError, OverflowError):  # no such file, or a time out of range
        return datetime.fromtimestamp(0)


class ReplayLibrary(BackgroundTask):
    """Loads the summaries of all saved games, newest first, and on request the final board of one game."""

    def __init__(self) -> None:
        super().__init__()
        self.summaries: list[ReplaySummary] = []
        self.is_loaded = False  # whether all summaries are loaded
        self.final_stacks: dict[Path, Stack | str] = {}  # the board at the end of a game, or an error message
        self._summary_cache: dict[Path, ReplaySummary] = {}
        self._requests: SimpleQueue[Path | None] = SimpleQueue()
        self._last_request: Path | None = None
        self.start()

    def refresh(self) -> None:
        """Load the list again, because games may have been added or deleted."""
        self._requests.put(Path())

    def request_final_stack(self, path: Path) -> None:
        """Request the final board of a game, which will appear in `final_stacks`."""
        if path != self._last_request and path not in self.final_stacks:
            self._last_request = path
            self._requests.put(path)

    def remove(self, path: Path) -> None:
        """Forget a game whose file was deleted."""
        self._summary_cache.pop(path, None)
        self.final_stacks.pop(path, None)
        self.summaries = [summary for summary in self.summaries if summary.path != path]

    def stop(self) -> None:
        """Ask the thread to end soon, without waiting for it."""
        super().stop()
        self._requests.put(None)

    def run(self) -> None:
        """Load the summaries, then handle requests; of several requests for a final board, only the last one counts."""
        self._load_summaries()
        while (path := self._requests.get()) is not None:
            if path == Path():
                self._load_summaries()
            elif path == self._last_request:
                self._load_final_stack(path)

    def _load_summaries(self) -> None:
        summaries = list[ReplaySummary]()
        is_first_load = not self.summaries
        for path in list_replay_files():
            if self._stop_event.is_set():
                return
            summary = self._summary_cache.get(path) or load_replay_summary(path)
            self._summary_cache[path] = summary
            summaries.append(summary)
            if is_first_load:
                self.summaries.append(summary)
        # games that were removed in the meantime are no longer in the cache
        self.summaries = [summary for summary in summaries if summary.path in self._summary_cache]
        self.is_loaded = True

    def _load_final_stack(self, path: Path) -> None:
        """Load the final board of a game, unless another one is requested in the meantime."""
        try:
            replay = parse_replay(read_whole_replay(path))
            stack = Stack(height=replay.rules.height, clearing=replay.rules.clearing)
            for stack_after_move in iterate_stacks(replay):
                stack = stack_after_move
                if self._stop_event.is_set() or path != self._last_request:
                    return
        except Exception as error:  # the boards of other games must still be loaded
            self.final_stacks[path] = describe_read_error(error)
        else:
            self.final_stacks[path] = stack


def iterate_stacks(replay: Replay) -> Iterator[Stack]:
    """Yield the stack after each move of a replay; garbage, which no placement shows, requires playing the game."""
    if replay.rules.garbage_rows or replay.rules.start_garbage:
        game = Game(replay.rules, replay.seed, replay.number)
        for _ in replay.play_steps(game):
            yield game.stack
        return
    stack = Stack(height=replay.rules.height, clearing=replay.rules.clearing)
    for placement in replay.placements:
        stack = stack.after_placement(placement)
        yield stack
