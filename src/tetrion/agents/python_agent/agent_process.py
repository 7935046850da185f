"""The process that runs a Python agent, with a time limit for each reply."""

import os
import signal
import subprocess
import sys
import threading
import weakref
from collections.abc import Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from time import monotonic
from typing import IO, Any

from tetrion.agents.player import Player
from tetrion.agents.python_agent.error_messages import shorten_text, validate_choice
from tetrion.agents.python_agent.json_messages import (
    decode_message,
    encode_message,
    placement_from_json,
    position_to_json,
)
from tetrion.board import Placement
from tetrion.errors import AgentError, PositionError, TetrionError
from tetrion.game import Game
from tetrion.position import Position

START_TIMEOUT_SECONDS = 60.0  # for importing the class, for compiling, and for creating an agent for a game
_EXIT_WAIT_SECONDS = 2.0  # longer than the exit grace period of the process (subprocess_main)
# In a session of its own the process does not receive Ctrl-C, and the processes that it starts are killed with it.
PROCESS_OPTIONS: dict[str, Any] = {"start_new_session": True}
if sys.platform == "win32":
    PROCESS_OPTIONS = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}


class AgentProcess(Player):
    """A player in its own process, with an agent of a Python class; it ends when closed and after every error.

    `deadline` is the number of seconds allowed per move.
    """

    def __init__(self, class_path: str, deadline: float) -> None:
        self.class_path = class_path
        self.deadline = deadline
        self._process = start_process(class_path)
        self._replies: SimpleQueue[bytes] = SimpleQueue()
        self._is_busy = threading.Event()
        self._is_busy.set()
        self._is_ready = False
        self._has_begun = False
        listener = threading.Thread(target=forward_replies, args=(self._process.stdout, self._replies), daemon=True)
        listener.start()
        self._finalizer = weakref.finalize(self, end_process, self._process, listener, self._is_busy)

    @property
    def is_alive(self) -> bool:
        """Whether the process is still running, so that requests can be sent."""
        return self._finalizer.alive

    @property
    def process_id(self) -> int:
        """The process id (PID)."""
        return self._process.pid

    def close(self) -> None:
        """End the process, immediately if it is busy."""
        self._finalizer()

    def begin_game(self, game: Game) -> None:
        """Begin a game with a new agent; the seed and number of the game seed its random number generators."""
        self.create_agent(game.seed, game.number)

    def create_agent(self, seed: int = 0, number: int = 0) -> None:
        """Create a new agent with newly seeded random number generators."""
        self._request({"begin_game": [int(seed), int(number)]}, START_TIMEOUT_SECONDS, "creating the agent")
        self._has_begun = True

    def choose(self, position: Position) -> Placement:
        """Return the placement that the agent chooses; the first game begins automatically."""
        if not isinstance(position, Position):
            raise PositionError(f"Expected a Position, such as game.position; given {position!r}.")
        if not self._has_begun:
            self.create_agent()
        reply = self._request({"position": position_to_json(position)}, self.deadline, "choosing")
        try:
            return validate_choice(placement_from_json(reply["placement"]), position)
        except TetrionError as error:
            self.close()
            raise AgentError(str(error), agent=self.class_path) from None
        except (KeyError, TypeError):  # the agent's code has written to the reply stream
            self.close()
            raise AgentError(
                f"the agent process sent an invalid reply: {shorten_text(reply)}", agent=self.class_path
            ) from None

    def _request(self, request: Mapping[str, Any], seconds: float, activity: str) -> dict[str, Any]:
        """Send a request and return the reply; after an error the process is ended, because its state is unknown."""
        try:
            if not self.is_alive:
                raise AgentError("the agent process has ended. Start another one.")
            if not self._is_ready:
                self._read_reply(START_TIMEOUT_SECONDS, "importing the class")
                self._is_ready = True
            self._is_busy.set()
            with suppress(OSError, ValueError):  # the process has ended: `_read_reply` reports it
                stream = get_input_stream(self._process)
                stream.write(encode_message(request))
                stream.flush()
            return self._read_reply(seconds, activity)
        except AgentError as error:
            self.close()
            raise AgentError(str(error), agent=self.class_path) from None
        except BaseException:  # such as Ctrl-C while waiting for the reply
            self.close()
            raise

    def _read_reply(self, seconds: float, activity: str) -> dict[str, Any]:
        """Return the next reply within a time limit, which is raised to the start limit if the process compiles."""
        start = monotonic()
        limit = seconds
        while True:
            try:
                line = self._replies.get(timeout=max(start + limit - monotonic(), 0.0))
            except Empty:
                raise AgentError(describe_timeout(limit, activity, self.class_path)) from None
            if not line:
                self.close()
                raise AgentError(f"while {activity}, the agent process {describe_exit(self._process.wait())}.")
            try:
                message = decode_message(line)
            except ValueError:
                raise AgentError(f"the agent process sent an invalid reply: {shorten_text(line)}") from None
            if "compiling" in message:
                limit = max(seconds, START_TIMEOUT_SECONDS)
                continue
            self._is_busy.clear()
            if "error" in message:
                raise AgentError(message["error"])
            return message


def start_process(class_path: str) -> subprocess.Popen[bytes]:
    """Start the process of an agent, with a fixed hash seed so that sets have the same order in every process."""
    command = [sys.executable, "-P", "-m", "tetrion.agents.python_agent.subprocess_main", class_path]
    environment = {**os.environ, "PYTHONHASHSEED": "0"}
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, **PROCESS_OPTIONS)


def get_input_stream(process: "subprocess.Popen[bytes]") -> IO[bytes]:
    """Return the stream that requests are written to."""
    if process.stdin is None:
        raise OSError("the process has no standard input")
    return process.stdin


def forward_replies(stream: IO[bytes], replies: "SimpleQueue[bytes]") -> None:
    """Put each line of a stream into a queue, and an empty line at the end of the stream."""
    with suppress(OSError, ValueError), stream:
        for line in stream:
            replies.put(line)
    replies.put(b"")


def end_process(process: "subprocess.Popen[bytes]", listener: threading.Thread, is_busy: threading.Event) -> None:
    """End the process and all processes that it has started; an idle process first gets time to exit by itself."""
    with suppress(OSError):
        get_input_stream(process).close()
    if not is_busy.is_set():
        listener.join(_EXIT_WAIT_SECONDS)
    if sys.platform == "win32":
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
    return f"{activity} took more than {seconds:g} seconds, so the agent process was ended. {remedy}"
