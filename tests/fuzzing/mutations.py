"""Mutations of files: damaged bytes, hostile values in JSON and TOML, and damaged archives, all derived from a seed."""

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

HOSTILE_VALUES: list[Any] = [
    *(None, True, -1, 0, 2**31, 2**63, -(2**70), 10**400, 0.5, -0.0, 1e308),
    *("", "x", "\0", "\ud800", "\x1b]0;title\x07", "../../etc/passwd", "/dev/zero", "mine.py:Mine", "W" * 3000),
    *("$\\frac{1}$", "</script><script>"),
    *([], {}, [[]], [None], {"": None}, ["x"] * 100, [1, 2, 3], [0.5, "x", []], {"a": {"b": {"c": []}}}),
]
HOSTILE_TOKENS = [
    *(json.dumps(value).encode("ascii") for value in HOSTILE_VALUES),
    *(b"NaN", b"-Infinity", b"1e999", b"9" * 5000, b"0x" + b"f" * 3000, b"inf", b"1979-05-27T07:32:00Z"),
    *(b"[" * 3000, b"{" * 3000, b'{"a":' * 3000, b"{a=" * 3000, b"a." * 3000 + b"a = 1", b'"""', b"'''"),
    *(b"\xff\xfe\x00", b"\xed\xa0\x80", b"\xe2\x80\xae", b"\r\n", b"\0" * 100, b",", b"=", b"]", b"}"),
]
_TOKEN = re.compile(rb'"(?:[^"\\\n]|\\.)*"|[-+]?[0-9][0-9.eE+-]*|[A-Za-z_][\w-]*|[\[\]{}=,:]')
MAX_MUTATIONS = 4


def mutate(content: bytes, random: Random) -> bytes:
    """Return a damaged copy of a file, after one to four mutations."""
    mutators = _BYTE_MUTATORS + (_TEXT_MUTATORS if b"\0" not in content[:1000] else [])
    for _ in range(random.randint(1, MAX_MUTATIONS)):
        content = random.choice(mutators)(content, random)
    return content


def flip_bit(content: bytes, random: Random) -> bytes:
    """Flip one bit."""
    if not content:
        return content
    position = random.randrange(len(content))
    return content[:position] + bytes([content[position] ^ 1 << random.randrange(8)]) + content[position + 1 :]


def replace_bytes(content: bytes, random: Random) -> bytes:
    """Replace a span of bytes by random ones, by others of the file, or by nothing."""
    start, end = _choose_span(content, random)
    other_start, other_end = _choose_span(content, random)
    new = random.choice([b"", random.randbytes(random.randrange(9)), content[other_start:other_end]])
    return content[:start] + new + content[end:]


def repeat_bytes(content: bytes, random: Random) -> bytes:
    """Repeat a span of bytes, a few times or very often."""
    start, end = _choose_span(content, random)
    count = random.choice([2, 3, 10, 1000])
    return content[:end] + content[start:end][:200] * count + content[end:]


def truncate(content: bytes, random: Random) -> bytes:
    """Cut the file off, as a full disk does."""
    return content[: random.randrange(len(content) + 1)]


def overwrite_number(content: bytes, random: Random) -> bytes:
    """Overwrite two, four or eight bytes with an extreme number, as in the sizes of an archive."""
    size = random.choice([2, 4, 8])
    position = random.randrange(max(1, len(content) - size))
    number: int = random.choice([0, 1, 2 ** (8 * size) - 1, 2 ** (8 * size - 1), 10 ** (2 * size) % 2 ** (8 * size)])
    return content[:position] + number.to_bytes(size, "little") + content[position + size :]


def replace_token(content: bytes, random: Random) -> bytes:
    """Replace a number, a string, a word or a bracket by a hostile token, or insert the token anywhere."""
    tokens = [token.span() for token in _TOKEN.finditer(content[:100_000])]
    if not tokens or random.random() < 0.2:
        tokens = [(random.randrange(len(content) + 1),) * 2]
    start, end = random.choice(tokens)
    return content[:start] + random.choice(HOSTILE_TOKENS) + content[end:]


def replace_json_value(content: bytes, random: Random) -> bytes:
    """Replace, delete or add a value of valid JSON; other content gets a hostile token."""
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return replace_token(content, random)
    holder = {"": value}
    parent, key = random.choice(_list_places(holder))
    action = random.choice(["replace", "replace", "delete", "add"])
    if action == "delete" and parent is not holder:
        del parent[key]
    elif action == "add" and isinstance(parent, dict):
        parent[random.choice(["x", "features", "base", "format", "\ud800"])] = random.choice(HOSTILE_VALUES)
    else:
        parent[key] = random.choice(HOSTILE_VALUES)
    return json.dumps(holder.get("")).encode("ascii")


def _choose_span(content: bytes, random: Random) -> tuple[int, int]:
    start = random.randrange(len(content) + 1)
    return start, min(len(content), start + random.choice([1, 2, 4, 16, 64, 1000]))


def _list_places(value: Any) -> list[tuple[Any, Any]]:
    """Return every place of a parsed JSON value: the object or list, and the key or index in it."""
    places: list[tuple[Any, Any]] = []
    waiting = [value]
    while waiting and len(places) < 5000:
        parent = waiting.pop()
        keys = list(parent) if isinstance(parent, dict) else list(range(len(parent)))
        places += [(parent, key) for key in keys]
        waiting += [parent[key] for key in keys if isinstance(parent[key], dict | list)]
    return places


Mutator = Callable[[bytes, Random], bytes]
_BYTE_MUTATORS: list[Mutator] = [flip_bit, replace_bytes, replace_bytes, repeat_bytes, truncate, overwrite_number]
_TEXT_MUTATORS: list[Mutator] = [*[replace_token] * 5, *[replace_json_value] * 5]
