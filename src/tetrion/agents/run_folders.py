"""Folders of training runs: how they are recognised and named, and messages about folders that are not a single run."""

from pathlib import Path

from tetrion.data_files import refuse_link
from tetrion.notebook_display import format_count
from tetrion.text_cleaning import join_command

CONFIG_FILE = "config.toml"
BEST_AGENT_FILE = "best.json"
SEED_FOLDER_PREFIX = "seed-"  # name of a run in a folder of several seeds, followed by the seed
_DEMO_RUN = Path("runs/demo")  # made by the Makefile, from this recipe
_DEMO_RECIPE = "gavrilov-plus"


def is_run_folder(folder: Path) -> bool:
    """Return whether a folder is a run."""
    return (folder / CONFIG_FILE).is_file()


def find_free_folder(parent: Path, name: str) -> Path:
    """Return a path in `parent` that does not exist yet: `name`, or `name` with a number."""
    number = 1
    folder = parent / name
    while folder.exists() or folder.is_symlink():
        number += 1
        folder = parent / f"{name}-{number}"
    return folder


def find_run_folders(folder: Path) -> list[Path]:
    """Return the run folders in a folder: one per seed if it holds runs of several seeds, else the folder itself.

    Commands write into these folders, so a link to a run elsewhere is refused.
    """
    if is_run_folder(folder) or not folder.is_dir():
        return [folder]
    seed_folders = [
        path
        for path in folder.glob(f"{SEED_FOLDER_PREFIX}*")
        if is_run_folder(path) and path.name.removeprefix(SEED_FOLDER_PREFIX).isdecimal()
    ]
    for path in seed_folders:
        refuse_link(path)
    return sorted(seed_folders, key=lambda path: int(path.name.removeprefix(SEED_FOLDER_PREFIX))) or [folder]


def describe_seed_folders(folder: Path) -> str:
    """Say that a folder contains the runs of several seeds where a single run is needed; empty if it does not."""
    folders = find_run_folders(folder)
    if folders == [folder]:
        return ""
    seeds = format_count(len(folders), "seed")
    return f"{folder} contains the runs of {seeds}. Give one of them, such as {folders[0]}."


def describe_missing_run(folder: Path) -> str:
    """Say that the folder of a training run does not exist, and which command makes it."""
    recipe = _DEMO_RECIPE if folder == _DEMO_RUN else "RECIPE"
    command = join_command("tetrion", "train", recipe, "--out", str(folder))
    return f"No such folder: {folder}. `{command}` makes it."
