"""Atomic file writing: after a crash a file holds either its old or its new content.

A folder may come from anyone, and have links where files and folders are expected. No file elsewhere is changed through
them: a link in the place of a file is replaced, and one in the place of a folder is refused.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from tetrion.errors import RunError

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


def refuse_link(folder: Path) -> None:
    """Raise RunError if a folder in which files are written or deleted is a link to another one."""
    if folder.is_symlink():
        raise RunError(f"{folder} is a link. Replace it by the folder to which it leads.")
