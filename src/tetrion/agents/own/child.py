"""The process that a person's agent plays in: `python -m tetrion.agents.own.child file.py:Class`.

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

from tetrion.agents.own.loading import load_class, made
from tetrion.agents.own.mistakes import asked, told
from tetrion.agents.own.wire import line_of, message_of, read_position, written_placement
from tetrion.board import Board
from tetrion.engine.compiler import compiling
from tetrion.errors import AgentError
from tetrion.position import Position

FAREWELL_SECONDS = 1.0  # for what the agent still has to do when the game is over, such as closing its files
BLOCK = 65_536  # bytes


class Wire:
    """The questions and answers, taken away from the standard streams."""

    def __init__(self) -> None:
        self.questions: SimpleQueue[bytes] = SimpleQueue()
        self._source, self._sink = os.dup(0), os.dup(1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        os.dup2(2, 1)
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, message: Mapping[str, Any]) -> None:
        """Answer, unless nobody listens."""
        with suppress(OSError):
            os.write(self._sink, line_of(message))

    def _listen(self) -> None:
        """Pass on the questions; after the last one end the process, whatever the agent is doing."""
        rest = b""
        while read := os.read(self._source, BLOCK):
            *lines, rest = (rest + read).split(b"\n")
            for line in lines:
                self.questions.put(line)
        self.questions.put(b"")
        time.sleep(FAREWELL_SECONDS)
        end_at_once()


def end_at_once() -> None:
    """End this process, and those that the agent has started where they belong to a session of its own."""
    if sys.platform != "win32" and os.getsid(0) == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(0)


def prepare_engine() -> None:
    """Compile or load what an agent asks of a position, before the clock of its first move runs."""
    position = Position.of(Board(), "T")
    position.after(position.placements()[0])


def begun(kind: type, seed: int, number: int) -> object:
    """A new agent for a game, with chance beginning anew, so that a game is the same whoever played before."""
    random.seed(f"{seed} {number}")
    np.random.seed([seed & 0xFFFFFFFF, seed >> 32, number])
    return made(kind)


def serve(wire: Wire, place: str) -> None:
    """Load the class and answer until there are no more questions."""
    try:
        kind = load_class(place)
    except AgentError as mistake:
        wire.send({"error": str(mistake)})
        return
    prepare_engine()
    wire.send({"ready": True})
    agent: object = None
    while line := wire.questions.get():
        question = message_of(line)
        try:
            if "begin" in question:
                agent = begun(kind, *question["begin"])
                answer: dict[str, Any] = {"begun": True}
            else:
                answer = {"placement": written_placement(asked(agent, read_position(question["position"])))}
        except AgentError as mistake:
            answer = {"error": str(mistake)}
        wire.send(answer)


def main() -> None:
    """Answer for the place that is given."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who asks
    wire = Wire()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(line_buffering=True, errors="backslashreplace")
    with compiling(lambda name: wire.send({"compiling": name})):
        try:
            serve(wire, sys.argv[1])
        except BaseException as problem:  # such as a KeyboardInterrupt that the agent raises itself
            wire.send({"error": f"its process failed with {told(problem, set())}."})


if __name__ == "__main__":
    main()
