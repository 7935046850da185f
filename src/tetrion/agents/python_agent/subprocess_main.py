"""The process that runs a Python agent, started by `tetrion.process_supervisor` with the path of the class.

It replies to each request with one JSON object per line and exits when its input is closed. Output of the agent goes to
standard error and its standard input is empty, so that it does not interfere with requests and replies by accident.
"""

import os
import random
import signal
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from io import TextIOWrapper
from queue import SimpleQueue
from typing import Any

import numpy as np

from tetrion.agents.python_agent.agent_process import (
    decode_message,
    encode_message,
    placement_to_json,
    position_from_json,
)
from tetrion.agents.python_agent.class_loader import call_choose, describe_exception, load_class, make_agent
from tetrion.board import Board
from tetrion.engine.numba_internals import report_compilation
from tetrion.errors import AgentError
from tetrion.position import Position

_EXIT_GRACE_SECONDS = 1.0  # for the agent's own clean-up, such as closing its files
_READ_BLOCK_BYTES = 65_536


class MessageChannel:
    """The streams for requests and replies, separated from the standard streams that the agent sees."""

    def __init__(self) -> None:
        self._requests: SimpleQueue[bytes] = SimpleQueue()
        self._number = 0  # of the current request; importing the class needs no request
        self._can_report = True  # whether the current request has neither a reply nor a report about compiling
        self._lock = threading.RLock()
        self._input = os.dup(0)
        self._output = os.dup(1)
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.close(empty)
        os.dup2(2, 1)
        threading.Thread(target=self._read_requests, daemon=True).start()

    def wait_for_request(self) -> dict[str, Any] | None:
        """Return the next request, or None when the input is closed."""
        line = self._requests.get()
        if not line:
            return None
        request = decode_message(line)
        with self._lock:
            self._number = request["request"]
            self._can_report = True
        return request

    def reply(self, kind: str, content: object) -> None:
        """Send the reply to the current request."""
        with self._lock:
            self._can_report = False
            self._send({"request": self._number, kind: content})

    def report_compilation(self) -> None:
        """Send that the process compiles, once per request; do nothing while there is no request."""
        with self._lock:
            if self._can_report:
                self._can_report = False
                self._send({"request": self._number, "compiling": True})

    def _send(self, message: Mapping[str, Any]) -> None:
        """Send a message; do nothing if the parent process has closed the stream."""
        line = encode_message(message)
        with suppress(OSError):
            while line:  # a signal may interrupt the system call
                line = line[os.write(self._output, line) :]

    def _read_requests(self) -> None:
        """Put requests into the queue; at the end of the input, end the process even if the agent is busy."""
        incomplete_line = b""
        while block := os.read(self._input, _READ_BLOCK_BYTES):
            *lines, incomplete_line = (incomplete_line + block).split(b"\n")
            for line in lines:
                self._requests.put(line)
        self._requests.put(b"")
        time.sleep(_EXIT_GRACE_SECONDS)
        kill_process_group()


def kill_process_group() -> None:
    """End this process and, if it has its own session, the processes that the agent has started."""
    if sys.platform != "win32" and os.getsid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def prepare_engine() -> None:
    """Compile or load the engine functions behind `Position`.

    Compilation then does not count against the time limit of the first move.
    """
    position = Position.from_board(Board(), "T")
    position.after(position.placements()[0])


def make_seeded_agent(agent_class: type, seed: int, number: int) -> object:
    """Seed the random number generators and create an agent, so that a game does not depend on earlier games."""
    random.seed(f"{seed} {number}")
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32, number])
    return make_agent(agent_class)


def serve(channel: MessageChannel, class_path: str) -> None:
    """Load the class and reply to requests until the input is closed."""
    try:
        agent_class = load_class(class_path)
    except AgentError as error:
        channel.reply("error", str(error))
        return
    prepare_engine()
    channel.reply("result", True)
    agent: Any = None
    while request := channel.wait_for_request():
        try:
            if "begin_game" in request:
                agent = make_seeded_agent(agent_class, *request["begin_game"])
                result: object = True
            else:
                result = placement_to_json(call_choose(agent, position_from_json(request["position"])))
        except AgentError as error:
            channel.reply("error", str(error))
        else:
            channel.reply("result", result)


def main() -> None:
    """Run the agent class whose path is the first command-line argument until the input is closed."""
    channel = MessageChannel()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")
    with report_compilation(lambda name: channel.report_compilation()):
        try:
            serve(channel, sys.argv[1])
        except BaseException as error:  # such as a KeyboardInterrupt raised by the agent
            channel.reply("error", f"the agent process failed with {describe_exception(error, set())}.")
