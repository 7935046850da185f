"""Replays: a saved game is repeated exactly, and an error names whatever was changed in the file."""

import json
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tetrion import Game, Position, Replay
from tetrion.board import Board
from tetrion.engine.rules import PRESETS
from tetrion.errors import ReplayError, TetrionError


def play_by_placements(rules: str, max_pieces: int = 60) -> Game:
    """Play random placements until the game is over or has this number of pieces."""
    game, random = Game(rules, seed=5, number=2), Random(3)
    while not game.is_over and game.pieces < max_pieces:
        game.place(random.choice(game.placements()))
    return game


def play_by_keys(rules: str, actions: int = 400) -> Game:
    """Play random keys and sometimes a random placement."""
    game, random = Game(rules, seed=5), Random(3)
    for _ in range(actions):
        if game.is_over:
            break
        key = random.choice(game.rules.keys)
        getattr(game, random.choice(["press", "key_down", "key_up"]))(key)
        game.tick(random.randrange(40))
        if not game.is_over and random.random() < 0.05:
            game.place(random.choice(game.placements()))
    return game


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("play", [play_by_placements, play_by_keys])
def test_saved_and_loaded_replay_repeats_the_game(rules: str, play: Any, tmp_path: Path) -> None:
    game = play(rules)
    replay = Replay.from_game(game, agent="my-agent")
    replay.save(tmp_path / "game.json")
    loaded = Replay.load(tmp_path / "game.json")
    assert loaded == replay
    assert loaded.play().position == game.position
    if replay.key_events is not None:
        assert loaded.play().events == game.events
    first_half = loaded.play(game.pieces // 2)
    assert first_half.placements_made == game.placements_made[: game.pieces // 2]


def save_changed_replay(folder: Path, change: Any, play: Any = play_by_placements) -> Path:
    """Apply a change to the content of a replay and save it; return the file."""
    content = Replay.from_game(play("standard")).to_json()
    change(content)
    file = folder / "game.json"
    file.write_text(json.dumps(content), encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["placements"].__setitem__(3, "O 0 0 9"), "Move 4 differs"),
        (lambda c: c.__setitem__("seed", 6), "Move 1 differs|Move 2 differs"),
        (lambda c: c["result"].__setitem__("score", 10**6), "score is"),
        (lambda c: c["placements"].__setitem__(0, "T 0 x 0"), "such as 'T 0 3 0'"),
        (lambda c: c.__setitem__("rules_version", 99), "version 99 of the rules"),
        (lambda c: c.__setitem__("seed", "5"), '"seed" must be a whole number'),
        (lambda c: c.__setitem__("moves", []), 'unknown key "moves"'),
        (lambda c: c.__setitem__("result", {}), '"result" must have'),
        (lambda c: c.__setitem__("keys", ["soon press left"]), "such as '12 press left'"),
        (lambda c: c.__setitem__("keys", ["1 place somewhere"]), "Move 1 differs"),
    ],
)
def test_changed_replay_is_rejected(change: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=message) as error:
        Replay.load(save_changed_replay(tmp_path, change))
    assert "game.json" in str(error.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["placements"].append("T 0 0 0"), "nothing was placed"),
        (lambda c: c["keys"].append("0 place 1 2"), "differs"),
    ],
)
def test_changed_replay_of_a_game_by_keys_is_rejected(change: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=message):
        Replay.load(save_changed_replay(tmp_path, change, play_by_keys))


@pytest.mark.parametrize("content", [b"", b"[]", b"\xff\xfe", b"[" * 100_000])
def test_invalid_replay_files_are_rejected(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_bytes(content)
    with pytest.raises(ReplayError, match=r"broken\.json"):
        Replay.load(tmp_path / "broken.json")


def test_files_that_cannot_be_read_or_written(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="No such file"):
        Replay.load(tmp_path / "missing.json")
    with pytest.raises(ReplayError, match="cannot be read"):
        Replay.load(tmp_path)
    with pytest.raises(ReplayError, match="cannot be written"):
        Replay.from_game(Game()).save(tmp_path / "no" / "folder.json")


@pytest.mark.parametrize(
    ("field", "value"),
    [
        *(("rules", "nes"), ("seed", "5"), ("seed", -1), ("number", None), ("agent", 5), ("mode", None)),
        *(("placements", ["T 0 0 0"]), ("placements", ("T 0 0 0",)), ("key_events", 5), ("key_events", (5,))),
        *(("key_events", ((0, "press", "x"),)), ("result", None), ("result", {"pieces": 0})),
    ],
)
def test_fields_of_other_types_are_rejected(field: str, value: Any) -> None:
    with pytest.raises(TetrionError):
        replace(Replay.from_game(Game()), **{field: value})


def test_game_started_from_a_position_has_no_replay() -> None:
    with pytest.raises(ReplayError, match="was started from a position"):
        Replay.from_game(Game.from_position(Position.from_board(Board(), "T")))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"result": {"pieces": 0, "lines": 0, "score": 0, "frames": 10**9, "over": False}}, "up to 100,000,000"),
        ({"keys": [f"{'9' * 5000} press left"]}, "a key event must be"),
        ({"placements": [f"T 0 {'9' * 5000} 0"]}, "a placement must be"),
        ({"placements": ["T 0 ² 0"]}, "a placement must be"),
        ({"seed": 10**30}, "out of range"),
    ],
)
def test_small_files_cannot_ask_for_endless_work(changes: dict[str, Any], message: str, tmp_path: Path) -> None:
    content = Replay.from_game(Game("standard:gravity=0", seed=1)).to_json() | changes
    (tmp_path / "game.json").write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(ReplayError, match=message):
        Replay.load(tmp_path / "game.json")


def test_file_with_millions_of_values_is_refused(tmp_path: Path) -> None:
    (tmp_path / "game.json").write_bytes(b"[" + b"[]," * 5_000_000 + b"[]]")
    with pytest.raises(ReplayError, match=r"game.json .*at most 4,000,000 values"):
        Replay.load(tmp_path / "game.json")
