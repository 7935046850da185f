"""Tests of reading data files from anyone: limits on size, nesting, numbers and kinds of files."""

import os
import time
from pathlib import Path

import pytest

from tetrion.data_files import DataFileError, parse_json, parse_toml, read_data_file


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b'{"a":' * 100_000, "nested too deeply"),
        (b"9" * 5000, "not valid JSON"),
        (b'{"a": [1, {"b": -9223372036854775809}]}', "out of range"),
        (b"1e999", "finite"),
        (b"[NaN]", "finite"),
        (b"\xff\xfe", "not valid JSON"),
        (b"", "the file is empty"),
        (b"[" + b"[]," * 1_000_000 + b"1]", "at most 1,000,000 values"),
    ],
)
def test_refused_json(content: bytes, message: str) -> None:
    with pytest.raises(DataFileError, match=message):
        parse_json(content)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"x=" + b"[" * 3000, "nested too deeply"),
        (b".".join([b"a"] * 30) + b"=1", "nested more than 20 levels"),
        (b"a." * 100_000 + b"a=1", "at most 32 parts"),
        (b"[" + b"a." * 100_000 + b"a]", "at most 32 parts"),
        (b"x=0x" + b"f" * 5000, "out of range"),
        (b"x=inf", "finite"),
        (b"\xff", "not valid TOML"),
        (b'"' * 900_000, "not valid TOML"),
    ],
)
def test_refused_toml(content: bytes, message: str) -> None:
    start = time.process_time()
    with pytest.raises(DataFileError, match=message):
        parse_toml(content)
    assert time.process_time() - start < 2


def test_ordinary_content_is_read() -> None:
    assert parse_json(b'\xef\xbb\xbf{"a": [1, -2.5, "x,[{", null, true]}') == {"a": [1, -2.5, "x,[{", None, True]}
    assert parse_toml(b'a.b.c = [0.1, 0.2]\ns = "a.b.c.d, e.f"') == {
        "a": {"b": {"c": [0.1, 0.2]}},
        "s": "a.b.c.d, e.f",
    }
    values = ", ".join(["0.25"] * 10_000)
    assert len(parse_toml(f"table = [{values}]".encode())["table"]) == 10_000


def test_file_limits(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"12345")
    assert read_data_file(file, 5) == b"12345"
    with pytest.raises(DataFileError, match="at most 4 bytes; this file is larger"):
        read_data_file(file, 4)
    with pytest.raises(FileNotFoundError):
        read_data_file(tmp_path / "none")
    for path in (tmp_path, Path("a\0b")):
        with pytest.raises(DataFileError, match="cannot be read"):
            read_data_file(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no pipes in its file system")
def test_pipes_and_devices_are_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "endless").symlink_to("/dev/zero")
    for name in ("pipe", "endless"):
        with pytest.raises(DataFileError, match="not a regular file"):
            read_data_file(tmp_path / name)
