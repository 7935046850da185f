"""Positions and placements as plain data, one JSON object a line, between Tetrion and a person's agent."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from tetrion.board import Board, Placement
from tetrion.engine.rules import Rules
from tetrion.position import Position

POSITION_COUNTERS = ("pieces", "lines", "score", "frames")

parse_rules = cache(Rules.parse)


def encode_message(message: Mapping[str, Any]) -> bytes:
    """A message as a line."""
    return json.dumps(message).encode("ascii") + b"\n"


def decode_message(line: bytes) -> dict[str, Any]:
    """The message of a line; `ValueError` if it is none."""
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError("a message is an object")
    return message


def position_to_json(position: Position) -> dict[str, Any]:
    """All of a position."""
    return {
        "columns": position.board.columns,
        "height": position.board.rows,
        "piece": position.piece,
        "next": position.next,
        "rules": str(position.rules),
        **{name: getattr(position, name) for name in POSITION_COUNTERS},
    }


def position_from_json(content: Mapping[str, Any]) -> Position:
    """The position that was written."""
    board = Board(tuple(content["columns"]), content["height"])
    counters = {name: content[name] for name in POSITION_COUNTERS}
    return Position(board, content["piece"], content["next"], parse_rules(content["rules"]), **counters)


def placement_to_json(placement: Placement) -> list[Any]:
    """All of a placement."""
    return [placement.piece, placement.rotation, placement.column, placement.row, placement.system]


def placement_from_json(content: Sequence[Any]) -> Placement:
    """The placement that was written."""
    return Placement(*content)
