"""Tests that names and messages from files are limited and cleaned where they enter."""

import io
import json
import time
from pathlib import Path

import pytest

import tetrion
from tetrion.agents import WeightedAgent
from tetrion.errors import TetrionError, UnknownNameError
from tetrion.text_cleaning import (
    MAX_NAME_LENGTH,
    UNENCODABLE_AS_ASCII,
    clean_name,
    join_command,
    make_printable,
    number_duplicate_names,
)

HOSTILE_NAMES = {
    "long": "W" * 100_000,
    "null": "a\0b",
    "surrogate": "a\ud800b",
    "escape": "\x1b]0;title\x07",
    "line": "a\nb\r\tc",
    "direction": "a\u202eb",
    "separator": "a\u2028b",
    "invisible": "\u200b",
    "mixed": "\ud800\0" * 20_000,
}


def is_clean(text: str) -> bool:
    """Return whether a text can be shown everywhere."""
    return 0 < len(text) <= MAX_NAME_LENGTH and text.isprintable() and text.encode().decode() == text


@pytest.mark.parametrize("name", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES)
def test_names_are_cleaned_for_every_format(name: str, tmp_path: Path) -> None:
    assert is_clean(clean_name(name))
    agent = WeightedAgent(name, {"holes": -1}, source=name, family=name)
    assert is_clean(agent.name)
    assert len(agent.source) <= 1000
    assert agent.source.isprintable()
    path = tmp_path / "agent.json"
    modes = {"a": {"weights": {"holes": -1}}, name: {"weights": {"holes": -2}}}
    content = {"format": 1, "kind": "modes", "name": name, "modes": modes, "selector": "holes", "threshold": 1}
    path.write_text(json.dumps(content), encoding="utf-8")
    loaded = tetrion.load_agent(path)
    assert isinstance(loaded, WeightedAgent)
    assert loaded.name == agent.name
    assert loaded.second_mode is not None
    assert all(map(is_clean, loaded.second_mode.names))
    game = tetrion.Game("standard-10x10", seed=1)
    game.place(game.placements()[0])
    replay = tetrion.Replay.from_game(game, "x")
    (tmp_path / "game.json").write_text(json.dumps(replay.to_json() | {"agent": name}), encoding="utf-8")
    assert is_clean(tetrion.Replay.load(tmp_path / "game.json").agent or "")

    class Named:
        def __init__(self, name: str) -> None:
            self.name = name

        def choose(self, position: tetrion.Position) -> tetrion.Placement:
            return position.placements()[0]

    assert is_clean(tetrion.evaluate(Named(name), "standard-10x10", games=3, max_pieces=2).agent)


@pytest.mark.parametrize("name", HOSTILE_NAMES.values(), ids=HOSTILE_NAMES)
def test_messages_are_cleaned(name: str) -> None:
    start = time.process_time()
    for error in (TetrionError(f"before {name} after"), UnknownNameError("agent", name, ["du", "lee"])):
        text = str(error)
        assert len(text) < 2100
        assert text.replace("\n", "").isprintable()
        text.encode()
    assert time.process_time() - start < 0.5
    assert str(TetrionError(f"before {name} after")).endswith(" after")


def test_duplicate_names_get_numbers() -> None:
    assert number_duplicate_names(["lee", "du", "lee", "lee"]) == ["lee", "du", "lee (2)", "lee (3)"]
    assert number_duplicate_names(["a", "a (2)", "a", "a (2)"]) == ["a", "a (2)", "a (3)", "a (2) (2)"]


def test_signs_have_an_ascii_form_where_the_output_cannot_encode_them(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "−5 ± 1 → 2 ×".encode("cp1252", UNENCODABLE_AS_ASCII).decode("cp1252") == "-5 ± 1 -> 2 ×"
    assert "−☃".encode("ascii", UNENCODABLE_AS_ASCII) == b"-?"
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(io.BytesIO(), "cp1252"))
    assert make_printable("mean −1") == "mean -1"


def test_commands_are_quoted_for_the_shells_of_the_system(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("tetrion", "report", "my runs\\a")
    monkeypatch.setattr("sys.platform", "linux")
    assert join_command(*words) == "tetrion report 'my runs\\a'"
    monkeypatch.setattr("sys.platform", "win32")
    assert join_command(*words) == 'tetrion report "my runs\\a"'
    assert join_command("tetrion", "report", "runs\\a") == "tetrion report runs\\a"
