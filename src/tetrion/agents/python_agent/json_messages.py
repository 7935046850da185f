"""Messages between Tetrion and the process of a Python agent: one JSON object per line."""

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from tetrion.board import Board, Placement
from tetrion.engine.rules import Rules
from tetrion.position import Position

_COMMON_FIELDS = ("pieces", "lines", "score", "frames", "bag")
MODERN_POSITION_FIELDS = (
    *("hold", "can_hold", "combo", "back_to_back", "garbage"),
    *("attack", "sent", "garbage_height"),
)
REPLY_KINDS = ("result", "error", "compiling")
_PLACEMENT_TYPES = [str, int, int, int, str, str, bool]

_parse_cached_rules = cache(Rules.parse)


def encode_message(message: Mapping[str, Any]) -> bytes:
    """Encode a message as one line."""
    return json.dumps(message).encode("ascii") + b"\n"


def decode_message(line: bytes) -> dict[str, Any]:
    """Decode the message of a line; raise a `ValueError` if it is not a JSON object."""
    try:
        message = json.loads(line.decode())
    except RecursionError:
        raise ValueError("a message must not be nested deeply") from None
    if not isinstance(message, dict):
        raise ValueError("a message must be a JSON object")
    return message


def parse_reply(line: bytes, number: int) -> tuple[str, Any]:
    """Return the kind and the content of a reply to the request with a number; raise a `ValueError` for others."""
    message = decode_message(line)
    if message.pop("request", None) != number or len(message) != 1:
        raise ValueError("a reply must have the number of the request and one kind of content")
    kind, content = message.popitem()
    if kind not in REPLY_KINDS or (kind == "error" and not isinstance(content, str)):
        raise ValueError("a reply must be a result, an error or a report that the process compiles")
    return kind, content


def check_done(content: Any) -> None:
    """Raise a `ValueError` if a result is not that of a request that has no other result than being done."""
    if content is not True:
        raise ValueError("the result must be true")


def position_to_json(position: Position) -> dict[str, Any]:
    """Return a position as JSON data."""
    return {
        "columns": position.board.columns,
        "height": position.board.rows,
        "piece": position.piece,
        "next": position.next,
        "rules": str(position.rules),
        **{name: getattr(position, name) for name in _COMMON_FIELDS},
        **({name: getattr(position, name) for name in MODERN_POSITION_FIELDS} if position.rules.is_modern else {}),
    }


def position_from_json(content: Mapping[str, Any]) -> Position:
    """Create a position from the data of `position_to_json`."""
    board = Board(tuple(content["columns"]), content["height"])
    rules = _parse_cached_rules(content["rules"])
    fields = {name: content[name] for name in (*_COMMON_FIELDS, *(MODERN_POSITION_FIELDS if rules.is_modern else ()))}
    return Position(board, content["piece"], content["next"], rules, **fields)


def placement_to_json(placement: Placement) -> list[Any]:
    """Return a placement as JSON data."""
    location = [placement.rotation, placement.column, placement.row]
    return [placement.piece, *location, placement.system, placement.spin, placement.hold]


def placement_from_json(content: Any) -> Placement:
    """Create a placement from the data of `placement_to_json`; raise a `ValueError` if they are invalid."""
    if not isinstance(content, list) or list(map(type, content)) != _PLACEMENT_TYPES:
        raise ValueError("a placement must be a piece, three whole numbers, a rotation system, a spin and hold")
    return Placement(*content)
