"""A person's agent at play in a process of its own, which is given so much time and no more."""

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
from typing import IO, Any, Self

from tetrion.agents.python_agent.error_messages import shorten_text, validate_choice
from tetrion.agents.python_agent.json_messages import (
    decode_message,
    encode_message,
    placement_from_json,
    position_to_json,
)
from tetrion.board import Placement
from tetrion.errors import AgentError, PositionError, TetrionError
from tetrion.position import Position

START_TIMEOUT_SECONDS = 60.0  # to import the class, to compile, and to make an agent for a game
_EXIT_WAIT_SECONDS = 2.0  # longer than the process gives itself
PROCESS_OPTIONS: dict[str, Any] = {"start_new_session": True}  # Ctrl-C is not for it, and what it starts ends with it
if sys.platform == "win32":
    PROCESS_OPTIONS = {"creationflags": subprocess.CREATE_NEW_PROCESS_GROUP}


class AgentProcess:
    """A running process that plays by a person's class; it ends with the `with` block, and after every mistake."""

    def __init__(self, place: str, deadline: float) -> None:
        self.class_path = place
        self.deadline = deadline
        self._process = start_process(place)
        self._replies: SimpleQueue[bytes] = SimpleQueue()
        self._is_busy = threading.Event()
        self._is_busy.set()
        self._is_ready = self._has_begun = False
        listener = threading.Thread(target=forward_replies, args=(self._process.stdout, self._replies), daemon=True)
        listener.start()
        self._finalizer = weakref.finalize(self, end_process, self._process, listener, self._is_busy)

    @property
    def is_alive(self) -> bool:
        """Whether it can still be asked."""
        return self._finalizer.alive

    @property
    def process_id(self) -> int:
        """The number that the system knows it by."""
        return self._process.pid

    def close(self) -> None:
        """End the process, at once if it is thinking."""
        self._finalizer()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, problem: BaseException | None, where: object) -> None:
        self.close()

    def begin_game(self, seed: int = 0, number: int = 0) -> None:
        """Begin game so and so of a seed with a new agent; chance in it begins anew too."""
        self._request({"begin": [int(seed), int(number)]}, START_TIMEOUT_SECONDS, "making an agent for a game")
        self._has_begun = True

    def choose(self, position: Position) -> Placement:
        """The agent's choice, one of the position's placements; the first game begins by itself."""
        if not isinstance(position, Position):
            raise PositionError(f"An agent chooses in a Position; given {position!r}.")
        if not self._has_begun:
            self.begin_game()
        answer = self._request({"position": position_to_json(position)}, self.deadline, "choosing")
        try:
            return validate_choice(placement_from_json(answer["placement"]), position)
        except TetrionError as mistake:
            self.close()
            raise AgentError(f"{self.class_path}: {mistake}") from None
        except (KeyError, TypeError):  # somebody else has written into the answers
            self.close()
            raise AgentError(f"{self.class_path}: its process spoke nonsense: {shorten_text(answer)}") from None

    def _request(self, question: Mapping[str, Any], seconds: float, doing: str) -> dict[str, Any]:
        """The answer to a question; without a proper one the process ends, for its state is no longer known."""
        try:
            if not self.is_alive:
                raise AgentError("its process has ended. Start another one.")
            if not self._is_ready:
                self._read_reply(START_TIMEOUT_SECONDS, "importing the class")
                self._is_ready = True
            self._is_busy.set()
            with suppress(OSError, ValueError):  # if it has ended, that is the answer
                stream = get_input_stream(self._process)
                stream.write(encode_message(question))
                stream.flush()
            return self._read_reply(seconds, doing)
        except AgentError as mistake:
            self.close()
            raise AgentError(f"{self.class_path}: {mistake}") from None
        except BaseException:  # such as Ctrl-C while the answer is awaited
            self.close()
            raise

    def _read_reply(self, seconds: float, doing: str) -> dict[str, Any]:
        """The next answer within so many seconds; compiling is granted as many as the start."""
        begun, granted = monotonic(), seconds
        while True:
            try:
                line = self._replies.get(timeout=max(begun + granted - monotonic(), 0.0))
            except Empty:
                raise AgentError(describe_timeout(granted, doing, self.class_path)) from None
            if not line:
                self.close()
                raise AgentError(f"while {doing}, its process {describe_exit(self._process.wait())}.")
            try:
                message = decode_message(line)
            except ValueError:
                raise AgentError(f"its process spoke nonsense: {shorten_text(line)}") from None
            if "compiling" in message:
                granted = max(seconds, START_TIMEOUT_SECONDS)
                continue
            self._is_busy.clear()
            if "error" in message:
                raise AgentError(message["error"])
            return message


def start_process(place: str) -> subprocess.Popen[bytes]:
    """The process, on its way; texts are hashed alike in all of them, so that sets have the same order."""
    command = [sys.executable, "-P", "-m", "tetrion.agents.python_agent.subprocess_main", place]
    pipe, environment = subprocess.PIPE, {**os.environ, "PYTHONHASHSEED": "0"}
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, env=environment, **PROCESS_OPTIONS)


def get_input_stream(process: "subprocess.Popen[bytes]") -> IO[bytes]:
    """The stream of the questions."""
    if process.stdin is None:
        raise OSError("the process has no standard input")
    return process.stdin


def forward_replies(stream: IO[bytes], answers: "SimpleQueue[bytes]") -> None:
    """Pass on the answers, and an empty one when there will be no more."""
    with suppress(OSError, ValueError), stream:
        for line in stream:
            answers.put(line)
    answers.put(b"")


def end_process(process: "subprocess.Popen[bytes]", listener: threading.Thread, busy: threading.Event) -> None:
    """End the process and all that it has started: by asking if it has nothing to do, and then by force."""
    with suppress(OSError):
        get_input_stream(process).close()
    if not busy.is_set():
        listener.join(_EXIT_WAIT_SECONDS)
    if sys.platform == "win32":
        process.kill()
    else:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def describe_exit(code: int) -> str:
    """How a process ended, by its exit code."""
    if code >= 0:
        return f"ended by itself with exit code {code}. Let choose give back a placement instead"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = str(-code)
    return f"was ended by the signal {name}"


def describe_timeout(seconds: float, doing: str, place: str) -> str:
    """What is said of an agent that takes too long."""
    remedy = "Do less there."
    if doing == "choosing":
        remedy = f"Think less, or allow more: {place}:deadline={max(1, round(2 * seconds))}."
    return f"{doing} took more than {seconds:g} seconds, and was ended. {remedy}"
