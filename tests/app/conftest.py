"""Fixtures for windows without a display, with separate user folders for each test."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tetrion.agents import code_consent

if TYPE_CHECKING:
    from tests.app.window_driver import WindowDriver

os.environ["SDL_VIDEODRIVER"] = "dummy"  # before pygame is imported
os.environ["SDL_AUDIODRIVER"] = "dummy"


@pytest.fixture(autouse=True)
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Use temporary folders for settings, games and runs, without consent to any code."""
    monkeypatch.setenv("TETRION_CONFIG_DIR", str(tmp_path / "config"))
    monkeypatch.setenv("TETRION_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setattr(code_consent, "_session_digests", set())
    monkeypatch.setattr(code_consent, "_session_paths", set())
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def driver(folders: Path) -> Iterator["WindowDriver"]:
    """A window that shows its menu and is driven by events."""
    from tests.app.window_driver import WindowDriver

    window_driver = WindowDriver()
    yield window_driver
    window_driver.close()
