"""Positions and placements as plain data, one JSON object a line, between Tetrion and a person's agent."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from tetrion.board import Board, Placement
from tetrion.engine.rules import Rules
from tetrion.position import Position

COUNTERS = ("pieces", "lines", "score", "frames")

rules_of = cache(Rules.parse)


def line_of(message: Mapping[str, Any]) -> bytes:
    """A message as a line."""
    return json.dumps(message).encode("ascii") + b"\n"


def message_of(line: bytes) -> dict[str, Any]:
    """The message of a line; `ValueError` if it is none."""
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError("a message is an object")
    return message


def written_position(position: Position) -> dict[str, Any]:
    """All of a position."""
    return {
        "columns": position.board.columns,
        "height": position.board.height,
        "piece": position.piece,
        "next": position.next,
        "rules": str(position.rules),
        **{name: getattr(position, name) for name in COUNTERS},
    }


def read_position(content: Mapping[str, Any]) -> Position:
    """The position that was written."""
    board = Board(tuple(content["columns"]), content["height"])
    counters = {name: content[name] for name in COUNTERS}
    return Position(board, content["piece"], content["next"], rules_of(content["rules"]), **counters)


def written_placement(placement: Placement) -> list[Any]:
    """All of a placement."""
    return [placement.piece, placement.rotation, placement.column, placement.row, placement.system]


def read_placement(content: Sequence[Any]) -> Placement:
    """The placement that was written."""
    return Placement(*content)
