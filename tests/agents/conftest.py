"""A folder with the agent classes of `example_agents`."""

from pathlib import Path

import pytest

from tests.agents.example_agents import AGENT_SOURCE, HELPER_SOURCE


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "mine.py").write_text(AGENT_SOURCE, encoding="utf-8")
    (tmp_path / "helper.py").write_text(HELPER_SOURCE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path
