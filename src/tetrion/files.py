"""Files that are written as a whole: whatever happens meanwhile, they hold what they held before or all of the new."""

import os
from pathlib import Path

PART = ".part"


def write_whole(path: Path, content: bytes, *, durable: bool = False) -> None:
    """Write a file as a whole; with `durable` it is on the disk itself when this returns."""
    part = part_of(path)
    try:
        with part.open("wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def part_of(path: Path) -> Path:
    """Where a file is written until it is whole."""
    return path.with_name(f".{path.name}.{os.getpid()}{PART}")
