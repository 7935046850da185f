"""Checks of folders for new runs, and copies of runs that are still being trained."""

import os
import shutil
from pathlib import Path

from tetrion.agents.run_folders import CONFIG_FILE, find_free_folder
from tetrion.app.window_words import translate_to_window
from tetrion.errors import TetrionError
from tetrion.training.checkpoint import CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE
from tetrion.training.run import Run
from tetrion.training.trainer import check_new_folder
from tetrion.user_folders import shorten_path


def find_folder_problem(folder: Path) -> str:
    """Return why a new run cannot be created in a folder, in the words of the window, or "" if it can."""
    try:
        check_new_folder(folder)
        parent = next(path for path in (folder.absolute(), *folder.absolute().parents) if path.exists())
    except TetrionError as error:
        return translate_to_window(str(error).replace(str(folder), "This", 1))
    except OSError as error:
        return f"This folder cannot be used: {error.strerror or error}. Choose another folder."
    if not parent.is_dir():
        return f"{shorten_path(parent)} is a file. Choose another folder."
    if not os.access(parent, os.W_OK | os.X_OK):
        return f"{shorten_path(parent)} is read-only. Choose another folder."
    return ""


def save_run_copy(folder: Path) -> tuple[str, Path | None]:
    """Copy a run to a folder next to it, named after its number of generations.

    Return a message for the window, and the folder of the copy, or None if it cannot be saved.

    The checkpoint is copied first and the configuration last, so that the copy can be resumed from its checkpoint
    even if the run is written to at the same time.
    """
    try:
        run = Run(folder)
        copy = folder.with_name(f"{folder.name}-after-{run.generation_count}")
        if (copy / CONFIG_FILE).exists():
            return f"This {run.step_name} is already saved as {shorten_path(copy)}.", copy
        copy = find_free_folder(copy.parent, copy.name)  # an existing one may have links to other files
        copy.mkdir()
        for name in (PREVIOUS_CHECKPOINT_FILE, CHECKPOINT_FILE):
            if (folder / name).exists():
                shutil.copy2(folder / name, copy / name, follow_symlinks=False)
        shutil.copytree(
            folder,
            copy,
            symlinks=True,  # a link may lead to a device that never ends
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns(PREVIOUS_CHECKPOINT_FILE, CHECKPOINT_FILE, CONFIG_FILE, "*.part"),
        )
        shutil.copy2(folder / CONFIG_FILE, copy / CONFIG_FILE, follow_symlinks=False)
    except (OSError, shutil.Error, TetrionError) as error:
        return f"The run cannot be saved: {error}", None
    return f"The run is saved as {shorten_path(copy)}.", copy
