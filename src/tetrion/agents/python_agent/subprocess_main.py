"""The process that a person's agent plays in: `python -m tetrion.agents.python_agent.subprocess_main file.py:Class`.

It answers one JSON object a line, and ends when nobody asks any more. What the agent prints goes to the standard error,
and its standard input is empty, so that it cannot meddle with the questions and answers.
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

from tetrion.agents.python_agent.class_loader import load_class, make_agent
from tetrion.agents.python_agent.error_messages import call_choose, describe_exception
from tetrion.agents.python_agent.json_messages import (
    decode_message,
    encode_message,
    placement_to_json,
    position_from_json,
)
from tetrion.board import Board
from tetrion.engine.compiler import report_compilation
from tetrion.errors import AgentError
from tetrion.position import Position

_EXIT_GRACE_SECONDS = 1.0  # for what the agent still has to do when the game is over, such as closing its files
_READ_BLOCK_BYTES = 65_536  # bytes


class MessageChannel:
    """The questions and answers, taken away from the standard streams."""

    def __init__(self) -> None:
        self.requests: SimpleQueue[bytes] = SimpleQueue()
        self._input = os.dup(0)
        self._output = os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        threading.Thread(target=self._read_requests, daemon=True).start()

    def send(self, message: Mapping[str, Any]) -> None:
        """Answer, unless nobody listens."""
        with suppress(OSError):
            os.write(self._output, encode_message(message))

    def _read_requests(self) -> None:
        """Pass on the questions; after the last one end the process, whatever the agent is doing."""
        rest = b""
        while read := os.read(self._input, _READ_BLOCK_BYTES):
            *lines, rest = (rest + read).split(b"\n")
            for line in lines:
                self.requests.put(line)
        self.requests.put(b"")
        time.sleep(_EXIT_GRACE_SECONDS)
        kill_process_group()


def kill_process_group() -> None:
    """End this process, and those that the agent has started where they belong to a session of its own."""
    if sys.platform != "win32" and os.getsid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def prepare_engine() -> None:
    """Compile or load what an agent asks of a position, before the clock of its first move runs."""
    position = Position.from_board(Board(), "T")
    position.after(position.placements()[0])


def make_seeded_agent(kind: type, seed: int, number: int) -> object:
    """A new agent for a game, with chance beginning anew, so that a game is the same whoever played before."""
    random.seed(f"{seed} {number}")
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32, number])
    return make_agent(kind)


def serve(channel: MessageChannel, class_path: str) -> None:
    """Load the class and answer until there are no more questions."""
    try:
        kind = load_class(class_path)
    except AgentError as mistake:
        channel.send({"error": str(mistake)})
        return
    prepare_engine()
    channel.send({"ready": True})
    agent: object = None
    while line := channel.requests.get():
        question = decode_message(line)
        try:
            if "begin" in question:
                agent = make_seeded_agent(kind, *question["begin"])
                answer: dict[str, Any] = {"begun": True}
            else:
                answer = {"placement": placement_to_json(call_choose(agent, position_from_json(question["position"])))}
        except AgentError as mistake:
            answer = {"error": str(mistake)}
        channel.send(answer)


def main() -> None:
    """Answer for the place that is given."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who asks
    wire = MessageChannel()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")
    with report_compilation(lambda name: wire.send({"compiling": name})):
        try:
            serve(wire, sys.argv[1])
        except BaseException as problem:  # such as a KeyboardInterrupt that the agent raises itself
            wire.send({"error": f"its process failed with {describe_exception(problem, set())}."})


if __name__ == "__main__":
    main()
