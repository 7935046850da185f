"""Messages between Tetrion and the process of a Python agent: one JSON object per line."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from tetrion.board import Board, Placement
from tetrion.engine.rules import Rules
from tetrion.position import Position

POSITION_COUNTERS = ("pieces", "lines", "score", "frames")

_parse_cached_rules = cache(Rules.parse)


def encode_message(message: Mapping[str, Any]) -> bytes:
    """Encode a message as one line."""
    return json.dumps(message).encode("ascii") + b"\n"


def decode_message(line: bytes) -> dict[str, Any]:
    """Decode the message of a line; raise a `ValueError` if it is not a JSON object."""
    message = json.loads(line)
    if not isinstance(message, dict):
        raise ValueError("a message must be a JSON object")
    return message


def position_to_json(position: Position) -> dict[str, Any]:
    """Return a position as JSON data."""
    return {
        "columns": position.board.columns,
        "height": position.board.rows,
        "piece": position.piece,
        "next": position.next,
        "rules": str(position.rules),
        **{name: getattr(position, name) for name in POSITION_COUNTERS},
    }


def position_from_json(content: Mapping[str, Any]) -> Position:
    """Create a position from the data of `position_to_json`."""
    board = Board(tuple(content["columns"]), content["height"])
    counters = {name: content[name] for name in POSITION_COUNTERS}
    return Position(board, content["piece"], content["next"], _parse_cached_rules(content["rules"]), **counters)


def placement_to_json(placement: Placement) -> list[Any]:
    """Return a placement as JSON data."""
    return [placement.piece, placement.rotation, placement.column, placement.row, placement.system]


def placement_from_json(content: Sequence[Any]) -> Placement:
    """Create a placement from the data of `placement_to_json`."""
    return Placement(*content)
