"""A copy of a run as it is now, while the run itself goes on."""

import shutil
from pathlib import Path

from tetrion.errors import TetrionError
from tetrion.training.checkpoint import BEFORE, CHECKPOINT
from tetrion.training.run import CONFIG, Run


def save_copy(folder: Path) -> str:
    """Copy a run beside itself, by its name and how far it is; tells where, or what went wrong.

    The checkpoint is copied first and what makes the copy a run last: whatever is written meanwhile, the copy can be
    gone on with from its checkpoint.
    """
    try:
        copy = folder.with_name(f"{folder.name}-after-{Run(folder).generations}")
        if (copy / CONFIG).exists():
            return f"It is saved already: {copy}"
        copy.mkdir(parents=True, exist_ok=True)
        for name in (BEFORE, CHECKPOINT):
            if (folder / name).exists():
                shutil.copy2(folder / name, copy / name)
        shutil.copytree(
            folder, copy, dirs_exist_ok=True, ignore=shutil.ignore_patterns(BEFORE, CHECKPOINT, CONFIG, "*.part")
        )
        shutil.copy2(folder / CONFIG, copy / CONFIG)
    except (OSError, shutil.Error, TetrionError) as problem:
        return f"The run cannot be saved: {problem}"
    return f"Saved as it is now: {copy}"
