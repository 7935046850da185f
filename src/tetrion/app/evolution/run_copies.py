"""Folders of runs: their names, and a copy of one as it is now while the run itself goes on."""

import shutil
from pathlib import Path

from tetrion.errors import TetrionError
from tetrion.training.checkpoint import CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE
from tetrion.training.run import CONFIG_FILE, Run


def shorten_path(folder: Path) -> str:
    """A folder as people write it, with ~ for their home."""
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except (ValueError, RuntimeError):  # elsewhere, or nobody's home
        return str(folder)


def find_free_folder(parent: Path, name: str) -> Path:
    """A folder of that name, or with a number behind it, which is not there yet."""
    number, folder = 1, parent / name
    while folder.exists():
        number += 1
        folder = parent / f"{name}-{number}"
    return folder


def save_run_copy(folder: Path) -> str:
    """Copy a run beside itself, by its name and how far it is; tells where, or what went wrong.

    The checkpoint is copied first and what makes the copy a run last: whatever is written meanwhile, the copy can be
    gone on with from its checkpoint.
    """
    try:
        copy = folder.with_name(f"{folder.name}-after-{Run(folder).generation_count}")
        if (copy / CONFIG_FILE).exists():
            return f"It is saved already: {shorten_path(copy)}"
        copy.mkdir(parents=True, exist_ok=True)
        for name in (PREVIOUS_CHECKPOINT_FILE, CHECKPOINT_FILE):
            if (folder / name).exists():
                shutil.copy2(folder / name, copy / name)
        shutil.copytree(
            folder,
            copy,
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns(PREVIOUS_CHECKPOINT_FILE, CHECKPOINT_FILE, CONFIG_FILE, "*.part"),
        )
        shutil.copy2(folder / CONFIG_FILE, copy / CONFIG_FILE)
    except (OSError, shutil.Error, TetrionError) as problem:
        return f"The run cannot be saved: {problem}"
    return f"Saved as it is now: {shorten_path(copy)}"
