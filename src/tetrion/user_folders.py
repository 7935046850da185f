"""The user's folders for settings, best scores, games and runs."""

import os
from pathlib import Path

_APP_NAME = "tetrion"
_DAMAGED_SUFFIX = "damaged"


def get_config_folder() -> Path:
    """Return the folder of the settings: `TETRION_CONFIG_DIR`, or the standard folder of the system."""
    from platformdirs import user_config_path

    override = os.environ.get("TETRION_CONFIG_DIR")
    return Path(override) if override else user_config_path(_APP_NAME, appauthor=False)


def get_data_folder() -> Path:
    """Return the folder of games, best scores and runs: `TETRION_DATA_DIR`, or the standard folder of the system."""
    from platformdirs import user_data_path

    override = os.environ.get("TETRION_DATA_DIR")
    return Path(override) if override else user_data_path(_APP_NAME, appauthor=False)


def shorten_path(folder: Path) -> str:
    """Return a path with ~ for the home folder."""
    try:
        return str(Path("~") / folder.relative_to(Path.home()))
    except (ValueError, RuntimeError):  # not in the home folder, or no home folder
        return str(folder)


def describe_save_error(subject: str, folder: Path, error: Exception) -> str:
    """Return a sentence about something that cannot be saved in a folder, such as "The settings"."""
    reason = str(getattr(error, "strerror", None) or error).rstrip(".")
    return f"{subject} cannot be saved in {shorten_path(folder)}: {reason}."


def rename_damaged_file(path: Path) -> Path | None:
    """Rename a damaged file, so that its content is not overwritten; return the new path, or None if that failed."""
    for number in range(1, 1000):
        new_path = path.with_name(f"{path.stem}.{_DAMAGED_SUFFIX}-{number}{path.suffix}")
        if not new_path.exists():
            try:
                path.rename(new_path)
            except OSError:
                return None
            return new_path
    return None
