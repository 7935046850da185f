"""Atomic file writing: after a crash a file holds either its old or its new content.

A folder may come from anyone, and have links where files are expected. They are replaced, so that no file elsewhere is
changed; `data_files.refuse_link` is for links in the place of folders.
"""

import os
from collections.abc import Iterable
from pathlib import Path

PART_SUFFIX = ".part"


def write_atomically(path: Path, content: bytes | Iterable[bytes], *, durable: bool = False) -> None:
    """Replace a file atomically by its new content, given whole or in parts; a link is replaced, not followed.

    With `durable`, return when the content is on disk.
    """
    part = get_part_path(path)
    try:
        part.unlink(missing_ok=True)
        with part.open("xb") as file:  # does not follow a link
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
