"""Where the window keeps what belongs to a person: settings, best scores, games, runs."""

import os
from pathlib import Path

_APP_NAME = "tetrion"
_DAMAGED_SUFFIX = "damaged"


def get_config_folder() -> Path:
    """Where settings are: `TETRION_CONFIG_DIR`, or the system's place for them."""
    from platformdirs import user_config_path

    given = os.environ.get("TETRION_CONFIG_DIR")
    return Path(given) if given else user_config_path(_APP_NAME, appauthor=False)


def get_data_folder() -> Path:
    """Where games, best scores and runs are: `TETRION_DATA_DIR`, or the system's place for them."""
    from platformdirs import user_data_path

    given = os.environ.get("TETRION_DATA_DIR")
    return Path(given) if given else user_data_path(_APP_NAME, appauthor=False)


def rename_damaged_file(path: Path) -> Path | None:
    """Give a damaged file another name, so that nothing in it is lost; None if that cannot be done."""
    for number in range(1, 1000):
        other = path.with_name(f"{path.stem}.{_DAMAGED_SUFFIX}-{number}{path.suffix}")
        if not other.exists():
            try:
                path.rename(other)
            except OSError:
                return None
            return other
    return None
