"""Locks of run folders: only one process at a time creates, changes or trains a run."""

import os
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import reduction
from pathlib import Path
from typing import Any

from tetrion.errors import RunError


class FolderLocks:
    """Locks of folders, which are released when this process and all child processes that received them have ended.

    A child process receives them as an argument while it is spawned, so that the folders are locked without a gap.
    """

    def __init__(self, handles: Iterable[Any] = ()) -> None:
        self.handles: list[int] = [handle if isinstance(handle, int) else handle.detach() for handle in handles]

    def __reduce__(self) -> tuple[Any, ...]:
        return FolderLocks, ([reduction.DupFd(handle) for handle in self.handles],)

    def add(self, folder: Path) -> None:
        """Lock a folder; raise RunError if another process has locked it, or has removed it meanwhile."""
        if sys.platform == "win32":  # folders cannot be opened there
            return
        try:
            handle = os.open(folder, os.O_RDONLY)
            self.handles.append(handle)
            is_locked = try_lock(handle) and os.path.samestat(os.fstat(handle), folder.stat())
        except OSError as error:
            raise RunError(f"{folder} cannot be locked: {error.strerror or error}.") from None
        if not is_locked:
            raise RunError(f"{folder} is in use by another process. Wait until it has finished.")

    def release(self) -> None:
        """Release the locks of this process."""
        while self.handles:
            os.close(self.handles.pop())


def try_lock(handle: int) -> bool:
    """Lock an open folder; return False if another process has locked it, True also on file systems without locks."""
    import fcntl

    with suppress(OSError):
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


@contextmanager
def lock_folders(folders: Iterable[Path]) -> Iterator[FolderLocks]:
    """Lock folders against other processes; without effect on systems and file systems that have no such locks."""
    locks = FolderLocks()
    try:
        for folder in folders:  # one after another: a folder that is made only now is locked before the next is made
            locks.add(folder)
        yield locks
    finally:
        locks.release()


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder against other processes; without effect on systems and file systems that have no such locks."""
    with lock_folders([folder]):
        yield


def is_folder_locked(folder: Path) -> bool:
    """Return whether another process holds the lock of a folder, such as that of a run that is being trained."""
    try:
        with lock_folder(folder):
            return False
    except RunError:
        return True
