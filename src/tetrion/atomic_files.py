"""Atomic file writing: after a crash a file holds either its old or its new content."""

import os
from collections.abc import Iterable
from pathlib import Path

PART_SUFFIX = ".part"


def write_atomically(path: Path, content: bytes | Iterable[bytes], *, durable: bool = False) -> None:
    """Replace the content of a file atomically, given whole or in parts; with `durable`, return when it is on disk."""
    part = get_part_path(path)
    try:
        with part.open("wb") as file:
            file.writelines([content] if isinstance(content, bytes) else content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def get_part_path(path: Path) -> Path:
    """Return the path of the temporary file used while writing."""
    return path.with_name(f".{path.name}.{os.getpid()}{PART_SUFFIX}")
