"""Checkpoints: all that a run needs to go on, in two files, so that one of them is always whole."""

import io
import zipfile
from pathlib import Path

import numpy as np

from tetrion.atomic_files import write_atomically
from tetrion.errors import RunError
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays

CHECKPOINT_FILE = "checkpoint.npz"
PREVIOUS_CHECKPOINT_FILE = "checkpoint.before.npz"
_PARTIAL_CHECKPOINT_FILE = ".checkpoint.npz.part"
CHECKPOINT_FORMAT = 1


def write_checkpoint(folder: Path, state: StateArrays) -> None:
    """Keep a state, and the one before it in a second file."""
    content = io.BytesIO()
    np.savez(content, **(state | {"format": np.array(CHECKPOINT_FORMAT)}))
    path, coming = folder / CHECKPOINT_FILE, folder / _PARTIAL_CHECKPOINT_FILE
    write_atomically(coming, content.getvalue(), durable=True)  # so that two are whole at any moment
    if path.exists():
        path.replace(folder / PREVIOUS_CHECKPOINT_FILE)
    coming.replace(path)


def load_checkpoint(folder: Path) -> StateArrays:
    """The last state that is whole; the one before does as well, since what follows is made again just as it was."""
    problems: list[str] = []
    for name in (CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE):
        try:
            state = read_checkpoint_file(folder / name)
        except FileNotFoundError:
            problems.append(f"there is no {name}")
        except OSError as problem:
            raise RunError(f"{folder / name} cannot be read: {problem.strerror or problem}.") from None
        except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
            problems.append(f"{name} is damaged")
        else:
            if problems:
                (folder / CHECKPOINT_FILE).unlink(missing_ok=True)  # it must not take the place of the one before
            return state
    raise RunError(
        f"{folder} cannot be gone on with: {'; '.join(problems)}. Its finished generations are in metrics.csv and "
        "population/; to train again from the start, give its config.toml to `tetrion train` and another --out."
    )


def read_checkpoint_file(path: Path) -> dict[str, NumpyArray]:
    """What a checkpoint holds; nothing is ever unpickled."""
    with np.load(path, allow_pickle=False) as file:
        state = {name: file[name] for name in file.files}
    if int(state.pop("format")) != CHECKPOINT_FORMAT:
        raise ValueError("it was written by another version of Tetrion")
    return state
