"""Files that are written as a whole: whatever happens meanwhile, they hold what they held before or all of the new."""

import os
from pathlib import Path

PART_SUFFIX = ".part"


def write_atomically(path: Path, content: bytes, *, durable: bool = False) -> None:
    """Write a file as a whole; with `durable` it is on the disk itself when this returns."""
    part = get_part_path(path)
    try:
        with part.open("wb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def get_part_path(path: Path) -> Path:
    """Where a file is written until it is whole."""
    return path.with_name(f".{path.name}.{os.getpid()}{PART_SUFFIX}")
