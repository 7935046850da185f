"""Reads the replies of an agent process, within limits on their length and number.

The code of the agent can write anything to the stream of the replies.
"""

import os
import threading
from contextlib import suppress
from queue import SimpleQueue
from typing import IO

from tetrion.agents.python_agent.error_messages import shorten_text
from tetrion.agents.python_agent.time_limit import TimeLimit
from tetrion.errors import AgentError

_MAX_REPLY_BYTES = 65_536  # a reply has a few hundred bytes
_MAX_UNREAD_REPLIES = 4  # a request has one reply and at most one message about compiling
_BLOCK_BYTES = 65_536


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
