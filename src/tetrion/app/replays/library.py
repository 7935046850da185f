"""The games that are kept, as a list shows them: read beside the window, a little of each file, without playing it."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from queue import SimpleQueue
from typing import Any

from tetrion.app.choices import rules_words
from tetrion.app.shelf import PERSON, replay_files
from tetrion.app.task import Task
from tetrion.drawing.stack import Stack
from tetrion.engine.rules import Rules
from tetrion.errors import ReplayError, TetrionError
from tetrion.replay import LARGEST_FILE, Replay, read

BEGINNING, END = 4096, 1024  # bytes of a file in which everything about it stands but its moves
NUMBERS = ("score", "lines", "pieces", "frames")  # of a result
MOVES, RESULTS = '"placements"', '"result"'
NAMED = re.compile(r"(\d{4}-\d\d-\d\d \d\d-\d\d-\d\d)")  # a file's name begins with when its game ended


@dataclass(frozen=True)
class Head:
    """What is known of a game before it is played; `problem` says why nothing is."""

    path: Path
    date: datetime
    player: str = ""
    rules: Rules | None = None
    rules_told: str = ""
    seed: int = 0
    score: int = 0
    lines: int = 0
    pieces: int = 0
    frames: int = 0
    over: bool = False
    problem: str = ""

    @property
    def mine(self) -> bool:
        """Whether a person has played it."""
        return self.player == PERSON

    @property
    def seconds(self) -> float | None:
        """How long it lasted; None where no time passed."""
        return self.frames / self.rules.frames if self.rules and self.frames else None


def head_of(path: Path) -> Head:
    """What a file says about its game; a damaged one gives a head with a problem."""
    date = date_of(path)
    try:
        replay = read(content_of(path))
        score, lines, pieces, frames = (checked(replay.result, name) for name in NUMBERS)
    except OSError as problem:
        return Head(path, date, problem=f"It cannot be read: {problem.strerror}.")
    except TetrionError as mistake:
        return Head(path, date, problem=str(mistake))
    except (ValueError, RecursionError):
        return Head(path, date, problem="This is no replay.")
    player, over = replay.agent or PERSON, bool(replay.result["over"])
    words = rules_words(replay.rules).replace(" rules", "")
    return Head(path, date, player, replay.rules, words, replay.seed, score, lines, pieces, frames, over)


def checked(result: Mapping[str, Any], name: str) -> int:
    """A number of a result."""
    if type(result[name]) is not int or result[name] < 0:
        raise ReplayError(f'"{name}" of the result is a whole number; given {result[name]!r:.40}.')
    return int(result[name])


def content_of(path: Path) -> Any:
    """What a replay's file holds, without its moves if it is written as ours are."""
    with path.open("rb") as file:
        beginning = file.read(BEGINNING)
        size = file.seek(0, 2)
        if size > BEGINNING + END:
            file.seek(-END, 2)
            found = around(beginning.decode("utf-8-sig", "ignore"), file.read().decode("utf-8", "ignore"))
            if found is not None:
                return found
        if size > LARGEST_FILE:
            raise ReplayError(f"A replay has at most {LARGEST_FILE:,} bytes; this is longer.")
        file.seek(0)
        return json.loads(file.read().decode("utf-8-sig"))


def around(beginning: str, end: str) -> dict[str, Any] | None:
    """What stands before and after the moves; None if it is not to be found there."""
    before, found, _ = beginning.partition(MOVES)
    _, ended, after = end.rpartition(RESULTS)
    if not found or not ended:
        return None
    try:
        return {**json.loads(before + '"placements": []}'), **json.loads("{" + RESULTS + after)}
    except (ValueError, TypeError):
        return None


def date_of(path: Path) -> datetime:
    """When a game ended: as its file's name tells, or when it was written."""
    if named := NAMED.match(path.name):
        try:
            return datetime.strptime(named[1], "%Y-%m-%d %H-%M-%S")
        except ValueError:
            pass
    try:
        return datetime.fromtimestamp(path.stat().st_mtime)
    except OSError:
        return datetime.fromtimestamp(0)


class Library(Task):
    """Reads the heads of all games that are kept, the newest first, and on request the end of one."""

    def __init__(self) -> None:
        super().__init__()
        self.heads: list[Head] = []
        self.read = False  # whether all heads are
        self.ends: dict[Path, Stack | str] = {}  # what stands at the end of a game, or why it is not known
        self._known: dict[Path, Head] = {}
        self._wanted: SimpleQueue[Path | None] = SimpleQueue()
        self._asked: Path | None = None
        self.start()

    def refresh(self) -> None:
        """Look again: games may have come or gone."""
        self._wanted.put(Path())

    def want(self, path: Path) -> None:
        """Ask for the end of a game, which will be in `ends`."""
        if path != self._asked and path not in self.ends:
            self._asked = path
            self._wanted.put(path)

    def forget(self, path: Path) -> None:
        """A file is gone."""
        self._known.pop(path, None)
        self.ends.pop(path, None)
        self.heads = [head for head in self.heads if head.path != path]

    def stop(self) -> None:
        """End it."""
        super().stop()
        self._wanted.put(None)

    def work(self) -> None:
        """Read heads, then whatever is asked for; of several requests the last one counts."""
        self._read_heads()
        while (path := self._wanted.get()) is not None:
            if path == Path():
                self._read_heads()
            elif path == self._asked:
                self.ends[path] = self._end_of(path)

    def _read_heads(self) -> None:
        files, heads = replay_files(), list[Head]()
        first = not self.heads
        for path in files:
            if self._stopped.is_set():
                return
            head = self._known.get(path) or head_of(path)
            self._known[path] = head
            heads.append(head)
            if first:
                self.heads.append(head)
        self.heads, self.read = [head for head in heads if head.path in self._known], True  # not those just forgotten

    def _end_of(self, path: Path) -> Stack | str:
        try:
            with path.open("rb") as file:
                replay = read(json.loads(file.read(LARGEST_FILE).decode("utf-8-sig")))
        except OSError as problem:
            return f"It cannot be read: {problem.strerror}."
        except TetrionError as mistake:
            return str(mistake)
        except (ValueError, RecursionError):
            return "This is no replay."
        return self._stood(replay)

    def _stood(self, replay: Replay) -> Stack | str:
        stack = Stack(height=replay.rules.height)
        for placement in replay.placements:
            stack = stack.after(placement)
            if self._stopped.is_set():
                break
        return stack
