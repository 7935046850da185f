"""The games that are kept, as a list shows them: read beside the window, a little of each file, without playing it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from tetrion.app.background_task import BackgroundTask
from tetrion.app.game_storage import HUMAN_PLAYER, list_replay_files
from tetrion.app.picker_options import format_rules
from tetrion.drawing.stack import Stack
from tetrion.engine.rules import Rules
from tetrion.errors import ReplayError, TetrionError
from tetrion.replay import MAX_REPLAY_BYTES, Replay, parse_replay

_HEAD_BYTES, _TAIL_BYTES = 4096, 1024  # bytes of a file in which everything about it stands but its moves
_RESULT_FIELDS = ("score", "lines", "pieces", "frames")  # of a result
_PLACEMENTS_KEY, _RESULT_KEY = '"placements"', '"result"'
_DATE_PATTERN = re.compile(r"(\d{4}-\d\d-\d\d \d\d-\d\d-\d\d)")  # a file's name begins with when its game ended


@dataclass(frozen=True)
class ReplaySummary:
    """What is known of a game before it is played; `problem` says why nothing is."""

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
        """Whether a person has played it."""
        return self.player == HUMAN_PLAYER

    @property
    def seconds(self) -> float | None:
        """How long it lasted; None where no time passed."""
        return self.frames / self.rules.frames_per_second if self.rules and self.frames else None


def load_replay_summary(path: Path) -> ReplaySummary:
    """What a file says about its game; a damaged one gives a head with a problem."""
    date = find_game_date(path)
    try:
        replay = parse_replay(read_replay_content(path))
        score, lines, pieces, frames = (validate_result_number(replay.result, name) for name in _RESULT_FIELDS)
    except OSError as problem:
        return ReplaySummary(path, date, problem=f"It cannot be read: {problem.strerror}.")
    except TetrionError as mistake:
        return ReplaySummary(path, date, problem=str(mistake))
    except (ValueError, RecursionError):
        return ReplaySummary(path, date, problem="This is no replay.")
    player, over = replay.agent or HUMAN_PLAYER, bool(replay.result["over"])
    words = format_rules(replay.rules).replace(" rules", "")
    return ReplaySummary(path, date, player, replay.rules, words, replay.seed, score, lines, pieces, frames, over)


def validate_result_number(result: Mapping[str, Any], name: str) -> int:
    """A number of a result."""
    if type(result[name]) is not int or result[name] < 0:
        raise ReplayError(f'"{name}" of the result is a whole number; given {result[name]!r:.40}.')
    return int(result[name])


def read_replay_content(path: Path) -> Any:
    """What a replay's file holds, without its moves if it is written as ours are."""
    with path.open("rb") as file:
        beginning = file.read(_HEAD_BYTES)
        size = file.seek(0, 2)
        if size > _HEAD_BYTES + _TAIL_BYTES:
            file.seek(-_TAIL_BYTES, 2)
            found = parse_without_placements(
                beginning.decode("utf-8-sig", "ignore"), file.read().decode("utf-8", "ignore")
            )
            if found is not None:
                return found
        if size > MAX_REPLAY_BYTES:
            raise ReplayError(f"A replay has at most {MAX_REPLAY_BYTES:,} bytes; this is longer.")
        file.seek(0)
        return json.loads(file.read().decode("utf-8-sig"))


def parse_without_placements(beginning: str, end: str) -> dict[str, Any] | None:
    """What stands before and after the moves; None if it is not to be found there."""
    before, found, _ = beginning.partition(_PLACEMENTS_KEY)
    _, ended, after = end.rpartition(_RESULT_KEY)
    if not found or not ended:
        return None
    try:
        return {**json.loads(before + '"placements": []}'), **json.loads("{" + _RESULT_KEY + after)}
    except (ValueError, TypeError):
        return None


def find_game_date(path: Path) -> datetime:
    """When a game ended: as its file's name tells, or when it was written."""
    if named := _DATE_PATTERN.match(path.name):
        try:
            return datetime.strptime(named[1], "%Y-%m-%d %H-%M-%S")
        except ValueError:
            pass
    try:
        return datetime.fromtimestamp(path.stat().st_mtime)
    except OSError:
        return datetime.fromtimestamp(0)


class ReplayLibrary(BackgroundTask):
    """Reads the heads of all games that are kept, the newest first, and on request the end of one."""

    def __init__(self) -> None:
        super().__init__()
        self.summaries: list[ReplaySummary] = []
        self.is_loaded = False  # whether all heads are
        self.final_stacks: dict[Path, Stack | str] = {}  # what stands at the end of a game, or why it is not known
        self._summary_cache: dict[Path, ReplaySummary] = {}
        self._requests: SimpleQueue[Path | None] = SimpleQueue()
        self._last_request: Path | None = None
        self.start()

    def refresh(self) -> None:
        """Look again: games may have come or gone."""
        self._requests.put(Path())

    def request_final_stack(self, path: Path) -> None:
        """Ask for the end of a game, which will be in `ends`."""
        if path != self._last_request and path not in self.final_stacks:
            self._last_request = path
            self._requests.put(path)

    def remove(self, path: Path) -> None:
        """A file is gone."""
        self._summary_cache.pop(path, None)
        self.final_stacks.pop(path, None)
        self.summaries = [head for head in self.summaries if head.path != path]

    def stop(self) -> None:
        """End it."""
        super().stop()
        self._requests.put(None)

    def run(self) -> None:
        """Read heads, then whatever is asked for; of several requests the last one counts."""
        self._load_summaries()
        while (path := self._requests.get()) is not None:
            if path == Path():
                self._load_summaries()
            elif path == self._last_request:
                self.final_stacks[path] = self._load_final_stack(path)

    def _load_summaries(self) -> None:
        files, heads = list_replay_files(), list[ReplaySummary]()
        first = not self.summaries
        for path in files:
            if self._stop_event.is_set():
                return
            head = self._summary_cache.get(path) or load_replay_summary(path)
            self._summary_cache[path] = head
            heads.append(head)
            if first:
                self.summaries.append(head)
        # not those just forgotten
        self.summaries = [head for head in heads if head.path in self._summary_cache]
        self.is_loaded = True

    def _load_final_stack(self, path: Path) -> Stack | str:
        try:
            with path.open("rb") as file:
                replay = parse_replay(json.loads(file.read(MAX_REPLAY_BYTES).decode("utf-8-sig")))
        except OSError as problem:
            return f"It cannot be read: {problem.strerror}."
        except TetrionError as mistake:
            return str(mistake)
        except (ValueError, RecursionError):
            return "This is no replay."
        return self._replay_to_end(replay)

    def _replay_to_end(self, replay: Replay) -> Stack | str:
        stack = Stack(height=replay.rules.height)
        for placement in replay.placements:
            stack = stack.after_placement(placement)
            if self._stop_event.is_set():
                break
        return stack
