"""A Python agent: a class with `choose(position) -> Placement`, run in a separate process with a deadline.

Tetrion and the process exchange messages, one JSON object per line. The agent's code can write anything to the stream
of the replies, so their length and number are limited.
"""

import json
import os
import secrets
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cache
from queue import Empty, SimpleQueue
from time import monotonic
from typing import IO, Any, ClassVar, TypeVar

from tetrion.agents.agent import Player
from tetrion.agents.python_agent.class_loader import (
    CLASS_PATH_FORM,
    is_file_path,
    list_class_paths,
    shorten_text,
    validate_choice,
)
from tetrion.board import Board, Placement
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, PositionError, UnknownNameError, describe_value
from tetrion.game import Game
from tetrion.position import Position
from tetrion.text_cleaning import clean_name

DEFAULT_DEADLINE = 5.0  # seconds per move
MAX_DEADLINE = 86_400.0  # seconds per move
START_TIMEOUT_SECONDS = 60.0  # for importing the class, and for creating an agent for a game
COMPILATION_SECONDS = 120.0  # extra time for compiling, per process altogether; the whole engine needs less
_COMMAND = [sys.executable, "-P", "-m", "tetrion.process_supervisor", "tetrion.agents.python_agent.subprocess_main"]
_FIRST_REQUEST = 0  # to import the class, which the process does without being asked
_EXIT_WAIT_SECONDS = 2.0  # longer than the grace periods of the process (subprocess_main, process_supervisor)
_KILL_WAIT_SECONDS = 5.0  # longer than the supervisor needs to end all processes
# In a session of its own the process does not receive Ctrl-C, and the processes that it starts are killed with it.
PROCESS_OPTIONS: dict[str, Any] = {"start_new_session": True}
if sys.platform == "win32":
    PROCESS_OPTIONS = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}
_MAX_REPLY_BYTES = 65_536  # a reply has a few hundred bytes
_MAX_UNREAD_REPLIES = 4  # a request has one reply and at most one message about compiling
_BLOCK_BYTES = 65_536
_SLICE_SECONDS = 0.1
_MIN_GAP_SECONDS = 0.5  # a slice that takes so much longer than asked for shows that this process was stopped

_T = TypeVar("_T")


# Messages.

_PLAIN_FIELDS = [field.name for field in fields(Position) if field.name not in ("board", "rules")]
REPLY_KINDS = ("result", "error", "compiling")
_PLACEMENT_TYPES = [str, int, int, int, str, str, bool]

_parse_cached_rules = cache(Rules.parse)


def encode_message(message: Mapping[str, Any]) -> bytes:
    """Encode a message as one line."""
    return json.dumps(message).encode("ascii") + b"\n"


def decode_message(line: bytes) -> dict[str, Any]:
    """Decode the message of a line; raise a `ValueError` if it is not a JSON object."""
    try:
        message = json.loads(line.decode())
    except RecursionError:
        raise ValueError("a message must not be nested deeply") from None
    if not isinstance(message, dict):
        raise ValueError("a message must be a JSON object")
    return message


def parse_reply(line: bytes, number: int) -> tuple[str, Any]:
    """Return the kind and the content of a reply to the request with a number; raise a `ValueError` for others."""
    message = decode_message(line)
    if message.pop("request", None) != number or len(message) != 1:
        raise ValueError("a reply must have the number of the request and one kind of content")
    kind, content = message.popitem()
    if kind not in REPLY_KINDS or (kind == "error" and not isinstance(content, str)):
        raise ValueError("a reply must be a result, an error or a report that the process compiles")
    return kind, content


def check_done(content: object) -> None:
    """Raise a `ValueError` if a result is not that of a request that has no other result than being done."""
    if content is not True:
        raise ValueError("the result must be true")


def position_to_json(position: Position) -> dict[str, Any]:
    """Return a position as JSON data."""
    return {
        "columns": position.board.columns,
        "height": position.board.rows,
        "rules": str(position.rules),
        **{name: getattr(position, name) for name in _PLAIN_FIELDS},
    }


def position_from_json(content: Mapping[str, Any]) -> Position:
    """Create a position from the data of `position_to_json`."""
    board = Board(tuple(content["columns"]), content["height"])
    rules = _parse_cached_rules(content["rules"])
    return Position(board, rules=rules, **{name: content[name] for name in _PLAIN_FIELDS})


def placement_to_json(placement: Placement) -> list[Any]:
    """Return a placement as JSON data."""
    location = [placement.rotation, placement.column, placement.row]
    return [placement.piece, *location, placement.system, placement.spin, placement.hold]


def placement_from_json(content: object) -> Placement:
    """Create a placement from the data of `placement_to_json`; raise a `ValueError` if they are invalid."""
    if not isinstance(content, list) or list(map(type, content)) != _PLACEMENT_TYPES:
        raise ValueError("a placement must be a piece, three whole numbers, a rotation system, a spin and hold")
    return Placement(*content)


# Replies within a time limit.


class TimeLimit:
    """A number of seconds for waiting, which is counted in short slices.

    No slice counts for more than its length, so that hardly any time passes while this process is stopped, such as by
    Ctrl-Z or while the computer sleeps.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.seconds_left = seconds

    def extend(self, seconds: float) -> None:
        """Allow more time."""
        self.seconds += seconds
        self.seconds_left += seconds

    def wait_for_item(self, items: "SimpleQueue[_T]") -> _T:
        """Return the next item of a queue; raise `Empty` if there is none when the time is over."""
        while True:
            pause = min(max(self.seconds_left, 0.0), _SLICE_SECONDS)
            start = monotonic()
            try:
                return items.get(timeout=pause)
            except Empty:
                if monotonic() - start > pause + _MIN_GAP_SECONDS:
                    # The item may have come meanwhile: another slice remains to receive it.
                    self.seconds_left = max(self.seconds_left, pause + _SLICE_SECONDS)
                elif self.seconds_left <= pause:
                    raise
            finally:
                self.seconds_left -= min(monotonic() - start, pause)


class ReplyReader:
    """Reads lines from the stream of the replies in a thread of its own, which ends with the stream.

    The stream is closed after a line that is too long, and after too many lines without a request.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._replies: SimpleQueue[bytes | EOFError | AgentError] = SimpleQueue()
        self._thread = threading.Thread(target=self._read_stream, args=(stream,), daemon=True)
        self._thread.start()

    def wait_for_line(self, limit: TimeLimit) -> bytes:
        """Return the next line; raise `queue.Empty` after the time limit and `EOFError` at the end of the stream."""
        line = limit.wait_for_item(self._replies)
        if isinstance(line, Exception):
            raise line
        return line

    def wait_for_end(self, seconds: float) -> None:
        """Wait for the end of the stream."""
        self._thread.join(seconds)

    def _read_stream(self, stream: IO[bytes]) -> None:
        end: EOFError | AgentError = EOFError()
        try:
            with suppress(OSError), stream:
                self._read_lines(stream.fileno())
        except AgentError as error:
            end = error
        self._replies.put(end)

    def _read_lines(self, descriptor: int) -> None:
        """Put each line into the queue; the rest after the last line end is left out."""
        rest = b""
        while block := os.read(descriptor, _BLOCK_BYTES):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                check_length(line)
                if self._replies.qsize() == _MAX_UNREAD_REPLIES:
                    raise make_reply_error(f"{_MAX_UNREAD_REPLIES} lines without a request, then {quote_line(line)}")
                self._replies.put(line)
            check_length(rest)


def check_length(line: bytes) -> None:
    """Raise an `AgentError` if a line is longer than a reply may be."""
    if len(line) > _MAX_REPLY_BYTES:
        raise make_reply_error(f"more than {_MAX_REPLY_BYTES:,} bytes, beginning with {quote_line(line)}")


def make_reply_error(description: str) -> AgentError:
    """Return the error about an invalid reply."""
    return AgentError(f"the agent process sent an invalid reply: {description}")


def quote_line(line: bytes) -> str:
    """Return the beginning of a line for an error message."""
    return shorten_text(line.decode("utf-8", "replace"))


# The process.


class AgentProcess(Player):
    """A player in its own process, with an agent of a Python class; it ends when closed and after every error.

    `deadline` is the number of seconds allowed per move.
    """

    def __init__(self, class_path: str, deadline: float) -> None:
        self.class_path = class_path
        self.deadline = deadline
        self._process = start_process(class_path)
        self._replies = ReplyReader(get_stream(self._process.stdout))
        self._compilation_seconds = COMPILATION_SECONDS
        self._is_busy = threading.Event()
        self._is_busy.set()
        self._is_ready = False
        self._has_begun = False
        self._finalizer = weakref.finalize(self, end_process, self._process, self._replies, self._is_busy)

    @property
    def is_alive(self) -> bool:
        """Whether the process is still running, so that requests can be sent."""
        return self._finalizer.alive

    @property
    def process_id(self) -> int:
        """The process id (PID); on Linux that of the supervisor, which ends after all processes of the agent."""
        return self._process.pid

    def close(self) -> None:
        """End the process, immediately if it is busy."""
        self._finalizer()

    def begin_game(self, game: Game) -> None:
        """Begin a game with a new agent; the seed and number of the game seed its random number generators."""
        self.create_agent(game.seed, game.number)

    def create_agent(self, seed: int = 0, number: int = 0) -> None:
        """Create a new agent with newly seeded random number generators."""
        request = {"begin_game": [int(seed), int(number)]}
        self._request(request, START_TIMEOUT_SECONDS, "creating the agent", check_done)
        self._has_begun = True

    def choose(self, position: Position) -> Placement:
        """Return the placement that the agent chooses; the first game begins automatically."""
        if not isinstance(position, Position):
            raise PositionError(f"Expected a Position, such as game.position; given {describe_value(position)}.")
        if not self._has_begun:
            self.create_agent()

        def parse_choice(content: object) -> Placement:
            return validate_choice(placement_from_json(content), position)

        return self._request({"position": position_to_json(position)}, self.deadline, "choosing", parse_choice)

    def _request(
        self, request: Mapping[str, Any], seconds: float, activity: str, parse_result: Callable[[object], _T]
    ) -> _T:
        """Send a request and return its result; after an error the process is ended, because its state is unknown."""
        try:
            if not self.is_alive:
                raise AgentError("the agent process has ended. Start another one.")
            if not self._is_ready:
                self._read_result(_FIRST_REQUEST, START_TIMEOUT_SECONDS, "importing the class", check_done)
                self._is_ready = True
            number = secrets.randbits(32)  # unpredictable, so that no reply can be sent before the request
            self._is_busy.set()
            with suppress(OSError, ValueError):  # the process has ended: `_read_result` reports it
                stream = get_stream(self._process.stdin)
                stream.write(encode_message({"request": number, **request}))
                stream.flush()
            return self._read_result(number, seconds, activity, parse_result)
        except AgentError as error:
            self.close()
            raise AgentError(str(error), agent=self.class_path) from None
        except BaseException:  # such as Ctrl-C while waiting for the reply
            self.close()
            raise

    def _read_result(self, number: int, seconds: float, activity: str, parse_result: Callable[[object], _T]) -> _T:
        """Return the result of a request within a time limit.

        The process reports that it compiles, which extends the limit. The agent's code can fake such reports; therefore
        the extra time of a process is limited altogether.
        """
        limit = TimeLimit(seconds)
        extra_seconds = 0.0
        while True:
            line = self._wait_for_line(limit, activity)
            try:
                kind, content = parse_reply(line, number)
                if kind == "compiling":
                    limit.extend(self._compilation_seconds)
                    extra_seconds += self._compilation_seconds
                    self._compilation_seconds = 0.0
                    continue
                self._compilation_seconds += min(extra_seconds, limit.seconds_left)
                self._is_busy.clear()
                if kind == "error":
                    raise AgentError(content)
                return parse_result(content)
            except AgentError:
                raise
            except ValueError:
                raise make_reply_error(quote_line(line)) from None

    def _wait_for_line(self, limit: TimeLimit, activity: str) -> bytes:
        try:
            return self._replies.wait_for_line(limit)
        except Empty:
            raise AgentError(describe_timeout(limit.seconds, activity, self.class_path)) from None
        except EOFError:
            self.close()
            raise AgentError(f"while {activity}, the agent process {describe_exit(self._process.wait())}.") from None


def start_process(class_path: str) -> "subprocess.Popen[bytes]":
    """Start the process of an agent, with a fixed hash seed so that sets have the same order in every process."""
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen([*_COMMAND, class_path], stdin=pipe, stdout=pipe, env=environment, **PROCESS_OPTIONS)
    except (OSError, ValueError) as error:  # such as a path that is too long or contains a null character
        raise AgentError(f"the agent process could not be started: {error}.", agent=class_path) from None


def get_stream(stream: IO[bytes] | None) -> IO[bytes]:
    """Return a stream of a process that was started with pipes."""
    if stream is None:
        raise OSError("the process has no such stream")
    return stream


def end_process(process: "subprocess.Popen[bytes]", replies: ReplyReader, is_busy: threading.Event) -> None:
    """End the process and all processes that it has started; an idle process first gets time to exit by itself."""
    with suppress(OSError):
        get_stream(process.stdin).close()
    if not is_busy.is_set():
        replies.wait_for_end(_EXIT_WAIT_SECONDS)
    if sys.platform == "linux":
        process.terminate()  # the supervisor ends all processes
        with suppress(subprocess.TimeoutExpired):
            process.wait(_KILL_WAIT_SECONDS)
        process.kill()
    elif sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def describe_exit(code: int) -> str:
    """Describe how a process ended, given its exit code."""
    if code >= 0:
        return f"ended with exit code {code}. The agent's code must not exit"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return f"was ended by signal {name}"


def describe_timeout(seconds: float, activity: str, class_path: str) -> str:
    """Describe that an activity of an agent exceeded its time limit, and what to do."""
    remedy = "Make this step faster."
    if activity == "choosing":
        remedy = f"Make choose faster or raise the limit: {class_path}:deadline={max(1, round(2 * seconds))}."
    limit = f"{seconds:g} second{'s'[: seconds != 1]}"
    return f"{activity} took more than {limit}, so the agent process was ended. {remedy}"


# The agent.


@dataclass
class ProcessHolder:
    """The process that `PythonAgent.choose` starts and reuses."""

    process: AgentProcess | None = None
    lock: threading.Lock = field(default_factory=threading.Lock)


@dataclass(frozen=True)
class PythonAgent:
    """An agent written as a Python class, given by its path such as `mine.py:Mine`; `deadline` is in seconds per move.

    `start_player` starts a process for playing games. `choose` starts a process when needed and reuses it; a position
    in which no piece has been placed begins a new game.

    >>> import tetrion
    >>> agent = tetrion.PythonAgent("examples/python_agent.py:Careful")
    >>> tetrion.evaluate(agent, "standard-10x10", games=2, seed=1, max_pieces=20).pieces.max
    20
    """

    option_types: ClassVar = {"deadline": float}
    rules: ClassVar[str] = ""  # a class plays under any rules

    class_path: str
    deadline: float = DEFAULT_DEADLINE
    _process_holder: ProcessHolder = field(default_factory=ProcessHolder, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        source, _, name = self.class_path.rpartition(":") if isinstance(self.class_path, str) else ("", "", "")
        has_source = source and (is_file_path(source) or all(part.isidentifier() for part in source.split(".")))
        if not has_source or not name.isidentifier():
            found = list_class_paths(str(self.class_path))
            hint = f". Give {' or '.join(found[:3])}." if found else ", as in mine.py:Mine."
            raise AgentError(f"{CLASS_PATH_FORM}{hint}", agent=str(self.class_path))
        is_number = isinstance(self.deadline, int | float) and not isinstance(self.deadline, bool)
        if not is_number or not 0 < self.deadline <= MAX_DEADLINE:
            raise AgentError(
                f"deadline must be a number of seconds above 0 and up to {MAX_DEADLINE:,.0f}; given "
                f"{describe_value(self.deadline)}.",
                agent=self.class_path,
            )

    def with_options(self, **options: Any) -> "PythonAgent":
        """Return a copy with other options, such as `deadline=2`."""
        for name in options:
            if name not in self.option_types:
                raise UnknownNameError("option of a Python agent", name, self.option_types)
        return replace(self, **options)

    @property
    def name(self) -> str:
        """The name of the class."""
        return clean_name(self.class_path.rpartition(":")[2])

    def check_rules(self, rules: Rules) -> None:
        """Do nothing: a class plays under any rules."""

    def start_player(self) -> AgentProcess:
        """Start a process for playing, for a `with` block; errors in the class are raised by its first request."""
        return AgentProcess(self.class_path, self.deadline)

    def choose(self, position: Position) -> Placement:
        """Return the placement that the agent chooses; after an error the next call starts a new process."""
        with self._process_holder.lock:
            process = self._process_holder.process
            if process is None or not process.is_alive:
                process = self._process_holder.process = self.start_player()
            elif isinstance(position, Position) and position.pieces == 0:
                process.create_agent()
            return process.choose(position)

    def close(self) -> None:
        """End the process that `choose` uses; without this call it ends with the program."""
        with self._process_holder.lock:
            if self._process_holder.process is not None:
                self._process_holder.process.close()

    def __reduce__(self) -> tuple[type, tuple[str, float]]:
        return type(self), (self.class_path, self.deadline)


def is_python_agent_name(text: str) -> bool:
    """Return whether a text without options is a class path rather than a named agent or an agent file."""
    source, colon, name = text.rpartition(":")
    return name.lower().endswith(".py") or bool(colon and (name.isidentifier() or source.lower().endswith(".py")))
