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
