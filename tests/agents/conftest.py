"""A folder with a person's classes in it."""

from pathlib import Path

import pytest

from agents.example_agents import AGENTS, HELPER


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(AGENTS, encoding="utf-8")
    (tmp_path / "helper.py").write_text(HELPER, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path
