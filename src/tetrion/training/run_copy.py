"""Copies of runs, also of runs that are being trained."""

import shutil
from pathlib import Path

from tetrion.agents.run_folders import CONFIG_FILE, find_free_folder
from tetrion.errors import RunError
from tetrion.training.checkpoint import CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE
from tetrion.training.run import Run


def copy_run(folder: Path) -> Path:
    """Copy a run to a folder next to it, named after its number of generations, and return that folder.

    A copy that exists already is not made again. The checkpoint is copied first and the configuration last, so that the
    copy can be resumed from its checkpoint even if the run is written to at the same time.
    """
    copy = folder.with_name(f"{folder.name}-after-{Run(folder).generation_count}")
    if (copy / CONFIG_FILE).exists():
        return copy
    copy = find_free_folder(copy.parent, copy.name)  # an existing one may have links to other files
    ignored = shutil.ignore_patterns(PREVIOUS_CHECKPOINT_FILE, CHECKPOINT_FILE, CONFIG_FILE, "*.part")
    try:
        copy.mkdir()
        for name in (PREVIOUS_CHECKPOINT_FILE, CHECKPOINT_FILE):
            if (folder / name).exists():
                shutil.copy2(folder / name, copy / name, follow_symlinks=False)
        # Links stay links: one may lead to a device that never ends.
        shutil.copytree(folder, copy, symlinks=True, dirs_exist_ok=True, ignore=ignored)
        shutil.copy2(folder / CONFIG_FILE, copy / CONFIG_FILE, follow_symlinks=False)
    except (OSError, shutil.Error) as error:
        raise RunError(f"{folder} cannot be copied to {copy}: {error}") from None
    return copy
