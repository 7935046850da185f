"""The process that runs a Python agent, with a time limit for each reply."""

import os
import secrets
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Callable, Mapping
from contextlib import suppress
from queue import Empty
from typing import IO, Any, TypeVar

from tetrion.agents.player import Player
from tetrion.agents.python_agent.error_messages import validate_choice
from tetrion.agents.python_agent.json_messages import (
    check_done,
    encode_message,
    parse_reply,
    placement_from_json,
    position_to_json,
)
from tetrion.agents.python_agent.reply_reader import ReplyReader, make_reply_error, quote_line
from tetrion.agents.python_agent.time_limit import TimeLimit
from tetrion.board import Placement
from tetrion.errors import AgentError, PositionError
from tetrion.game import Game
from tetrion.position import Position

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

_T = TypeVar("_T")


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
            raise PositionError(f"Expected a Position, such as game.position; given {position!r}.")
        if not self._has_begun:
            self.create_agent()

        def parse_choice(content: Any) -> Placement:
            return validate_choice(placement_from_json(content), position)

        return self._request({"position": position_to_json(position)}, self.deadline, "choosing", parse_choice)

    def _request(
        self, request: Mapping[str, Any], seconds: float, activity: str, parse_result: Callable[[Any], _T]
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

    def _read_result(self, number: int, seconds: float, activity: str, parse_result: Callable[[Any], _T]) -> _T:
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
