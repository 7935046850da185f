"""Checkpoints: the state from which a run is resumed.

The last two states are kept in two files, so that at least one is complete at any moment.
"""

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
    """Write a state, and keep the previous one in a second file."""
    path = folder / CHECKPOINT_FILE
    partial = folder / _PARTIAL_CHECKPOINT_FILE
    write_checkpoint_file(partial, state)
    if path.exists():
        path.replace(folder / PREVIOUS_CHECKPOINT_FILE)
    partial.replace(path)


def write_checkpoint_file(path: Path, state: StateArrays) -> None:
    """Write a state to a file; equal states give equal bytes."""
    content = io.BytesIO()
    np.savez(content, **(state | {"format": np.array(CHECKPOINT_FORMAT)}))
    write_atomically(path, content.getvalue(), durable=True)


def load_checkpoint(folder: Path, step_name: str) -> StateArrays:
    """Return the last complete state; `step_name` names a training step in the error message.

    The previous state is used if the last one is damaged: resuming from it repeats the lost step exactly.
    """
    problems: list[str] = []
    for name in (CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE):
        try:
            state = read_checkpoint_file(folder / name)
        except FileNotFoundError:
            problems.append(f"{name} is missing")
        except OSError as error:
            raise RunError(f"{folder / name} cannot be read: {error.strerror or error}.") from None
        except RunError as error:
            problems.append(f"{name} {error}")
        except (ValueError, KeyError, EOFError, zipfile.BadZipFile):
            problems.append(f"{name} is damaged")
        else:
            if problems:
                (folder / CHECKPOINT_FILE).unlink(
                    missing_ok=True
                )  # an unreadable file must not replace the previous one
            return state
    raise RunError(
        f"{folder} cannot be resumed: {'; '.join(problems)}. Its finished {step_name}s are in metrics.csv and "
        "population/. To train again from the start, start a new run with its config.toml as the recipe."
    )


def read_checkpoint_file(path: Path) -> dict[str, NumpyArray]:
    """Return the arrays of a checkpoint file, read without unpickling; raise RunError if it has another format."""
    with np.load(path, allow_pickle=False) as file:
        state = {name: file[name] for name in file.files}
    if int(state.pop("format")) != CHECKPOINT_FORMAT:
        raise RunError("was written by another version of Tetrion")
    return state
