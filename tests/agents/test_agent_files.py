"""Agent files: valid contents, and error messages for invalid ones."""

import json
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from tetrion.agents import WeightedAgent, load_agent
from tetrion.agents.agent_files import agent_from_json
from tetrion.errors import AgentError, TetrionError

MINIMAL = {"format": 1, "kind": "linear", "weights": {"holes": -4, "lines": 1}}


def test_minimal_file_as_json_and_toml(tmp_path: Path) -> None:
    json_file, toml_file = tmp_path / "mine.json", tmp_path / "mine.toml"
    json_file.write_text(json.dumps(MINIMAL), encoding="utf-8")
    toml_file.write_text('format = 1\nkind = "linear"\n[weights]\nholes = -4\nlines = 1\n', encoding="utf-8")
    assert load_agent(json_file) == load_agent(str(toml_file)) == WeightedAgent("mine", {"holes": -4, "lines": 1})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": 2}, '"format" must be 1; given 2'),
        ({"kind": "liner"}, "Did you mean 'linear'"),
        ({"weights": {"hole": 1}}, "Did you mean 'holes'"),
        ({"weights": {"holes": "1"}}, "must be a number"),
        ({"weights": {}}, "at least one feature"),
        ({"tables": {"lines": [1, 2]}}, 'only for agents of kind "table"'),
        ({"kind": "table", "tables": {"holes": [1, 2]}}, "not both"),
    ],
)
def test_error_names_the_file_and_the_problem(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(MINIMAL | change), encoding="utf-8")
    with pytest.raises(TetrionError, match=message) as raised:
        load_agent(path)
    assert str(path) in str(raised.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"{", "not valid JSON"),
        (b'{"format": 1, "kind": "linear", "weights": {"holes": 1e999}}', "finite"),
        (b"[" * 100_000, "not valid JSON"),
        (b'{"format": 1, "kind": "linear", "weights": {"holes": 1' + b"0" * 400 + b"}}", "out of range"),
        (b" " * 5_000_001, "at most 5,000,000 bytes; this file is larger"),
    ],
)
def test_invalid_file_content(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "invalid.json"
    path.write_bytes(content)
    with pytest.raises(TetrionError, match=message):
        load_agent(path)


def test_missing_file_or_name(tmp_path: Path) -> None:
    with pytest.raises(TetrionError, match="no such file"):
        load_agent(tmp_path / "none.json")
    with pytest.raises(TetrionError, match="Did you mean 'dellacherie'"):
        load_agent("delacherie")
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(TetrionError, match="not a regular file"):
        load_agent(tmp_path / "folder.json")
    for name in ("", "x" * 300, tmp_path, "mine"):
        with pytest.raises(TetrionError, match="Unknown agent"):
            load_agent(name)
    for value in (None, 7):
        with pytest.raises(TetrionError, match="given as a string or a path"):
            load_agent(value)  # type: ignore[arg-type]


def test_a_path_is_not_a_misspelled_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "dux").write_text("a file without a suffix", encoding="utf-8")
    forms = "An agent file ends in .json or .toml"
    messages = {
        "runs/demo": "No such folder: runs/demo. `tetrion train gavrilov-plus --out runs/demo` makes it.",
        "runs/mine": "No such folder: runs/mine. `tetrion train RECIPE --out runs/mine` makes it.",
        "my runs/first": "No such folder: my runs/first. `tetrion train RECIPE --out 'my runs/first'` makes it.",
        "random.txt": f"No such file: random.txt. {forms}",
        "dux": f"dux is not an agent. {forms}",
    }
    for name, message in messages.items():
        with pytest.raises(AgentError) as caught:
            load_agent(name)
        assert str(caught.value).startswith(message)
        assert "Did you mean" not in str(caught.value)


def test_other_files_of_tetrion_are_named(tmp_path: Path) -> None:
    files = {
        "game.json": ('{"format": 1, "rules_version": 1, "placements": []}', "this is a saved game, not an agent"),
        "mine.toml": ('format = 1\nlearner = "cma"', "this is a recipe, not an agent"),
        "config.toml": ('format = 1\nlearner = "cma"', f"Give the folder of the run: {tmp_path}."),
    }
    for name, (content, message) in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
        with pytest.raises(AgentError) as caught:
            load_agent(tmp_path / name)
        assert str(caught.value).startswith(f"{tmp_path / name}: ")
        assert message in str(caught.value)
    with pytest.raises(AgentError, match=r"`tetrion replay .*game\.json` shows it"):
        load_agent(tmp_path / "game.json")


json_values = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text() | st.integers(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(["holes", "lines", "format", "kind", "x"]), inner),
)


@settings(suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.sampled_from(["format", "kind", "weights", "tables", "measured", "name"]), json_values))
def test_random_content_raises_only_tetrion_errors(content: dict[str, Any]) -> None:
    for candidate in (content, MINIMAL | content):
        with suppress(TetrionError):
            agent_from_json(candidate, "x")


def test_folder_of_a_run_may_contain_a_colon(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    folder = Path("x:lr=1")
    folder.mkdir()
    (folder / "best.json").write_text(json.dumps(MINIMAL), encoding="utf-8")
    assert load_agent("x:lr=1").name == "x:lr=1"
    deeper = load_agent("x:lr=1:depth=2")
    assert isinstance(deeper, WeightedAgent)
    assert deeper.depth == 2
