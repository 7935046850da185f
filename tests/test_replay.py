"""Replays: what is written is played again to the bit, and what was changed is named."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tetrion import Game, Placement, Position, Replay, Rules
from tetrion.board import Board
from tetrion.engine.rules import PRESETS
from tetrion.errors import ReplayError


def by_placements(rules: str, most: int = 60) -> Game:
    game, random = Game(rules, seed=5, number=2), Random(3)
    while not game.is_over and game.pieces < most:
        game.place(random.choice(game.placements()))
    return game


def by_keys(rules: str, actions: int = 400) -> Game:
    game, random = Game(rules, seed=5), Random(3)
    for _ in range(actions):
        if game.is_over:
            break
        key = random.choice(game.rules.keys.split("+"))
        getattr(game, random.choice(["press", "key_down", "key_up"]))(key)
        game.tick(random.randrange(40))
        if not game.is_over and random.random() < 0.05:
            game.place(random.choice(game.placements()))
    return game


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("play", [by_placements, by_keys])
def test_replays_lead_to_the_same_end(rules: str, play: Any, tmp_path: Path) -> None:
    game = play(rules)
    replay = Replay.from_game(game, agent="somebody")
    replay.save(tmp_path / "game.json")
    again = Replay.load(tmp_path / "game.json")
    assert again == replay
    assert again.play().position == game.position
    assert again.play().events == (game.events if replay.key_events is not None else again.play().events)
    half = again.play(game.pieces // 2)
    assert half.placements_made == game.placements_made[: game.pieces // 2]


@pytest.mark.parametrize("rules", ["nes", "gavrilov", "becker"])
def test_a_game_of_gravity_alone(rules: str, tmp_path: Path) -> None:
    game = Game(rules, seed=1)
    game.tick(30_000)
    assert game.pieces > 1
    Replay.from_game(game).save(tmp_path / "game.json")
    assert Replay.load(tmp_path / "game.json").play().position == game.position


def test_a_replay_can_be_gone_on_with() -> None:
    game = Replay.from_game(by_placements("medico", most=10)).play(5)
    game.place(game.placements()[0])
    assert game.pieces == 6


def changed(tmp_path: Path, change: Any, play: Any = by_placements) -> Path:
    content = Replay.from_game(play("standard")).to_json()
    change(content)
    (tmp_path / "game.json").write_text(json.dumps(content), encoding="utf-8")
    return tmp_path / "game.json"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["placements"].__setitem__(3, "O 0 0 9"), "Move 4 differs"),
        (lambda c: c.__setitem__("seed", 6), "Move 1 differs|Move 2 differs"),
        (lambda c: c["result"].__setitem__("score", 10**6), "score is"),
        (lambda c: c["placements"].append("T 0 3 0"), "differs"),
        (lambda c: c["placements"].__setitem__(0, "T 0 x 0"), "as in 'T 0 3 0'"),
        (lambda c: c.__setitem__("format", 2), "A newer Tetrion may read it"),
        (lambda c: c.__setitem__("rules_version", 99), "version 99 of the rules"),
        (lambda c: c.__setitem__("rules", "standart"), "Did you mean 'standard'"),
        (lambda c: c.__setitem__("rules", 7), "Rules are written as"),
        (lambda c: c.__setitem__("seed", "5"), '"seed" is a whole number'),
        (lambda c: c.__setitem__("seed", -5), "A seed lies between"),
        (lambda c: c.pop("placements"), '"placements" is missing'),
        (lambda c: c.__setitem__("moves", []), '"moves" is unknown'),
        (lambda c: c.__setitem__("placements", "T"), "list of texts"),
        (lambda c: c.__setitem__("result", {}), '"result" has'),
        (lambda c: c["result"].__setitem__("frames", 10**12), '"result" has'),
        (lambda c: c.__setitem__("agent", 3), "name or null"),
        (lambda c: c.__setitem__("keys", ["soon press left"]), "as in '12 press left'"),
        (lambda c: c.__setitem__("keys", ["1 press jump"]), "as in '12 press left'"),
        (lambda c: c.__setitem__("keys", ["1 place somewhere"]), "Move 1 differs"),
    ],
)
def test_what_was_changed_is_named(change: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=message) as told:
        Replay.load(changed(tmp_path, change))
    assert "game.json" in str(told.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: c["placements"].append("T 0 0 0"), "nothing was placed"),
        (lambda c: c["keys"].insert(0, "9 press left"), "differs"),
        (lambda c: c["keys"].append("0 place 1 2"), "differs"),
        (lambda c: c.__setitem__("rules_version", True), "version True"),
    ],
)
def test_what_was_changed_in_a_game_by_keys_is_named(change: Any, message: str, tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match=message):
        Replay.load(changed(tmp_path, change, by_keys))


def test_placements_counted_by_another_system(tmp_path: Path) -> None:
    game = Game("gavrilov:randomiser=only-I", seed=0)
    game.place(Placement("I", 1, 0, 0))  # upright, as it enters in the tutorial
    assert game.board.heights[0] == 4
    Replay.from_game(game).save(tmp_path / "game.json")
    assert Replay.load(tmp_path / "game.json").play().board == game.board


def test_rules_with_many_decimals(tmp_path: Path) -> None:
    game = Game(Rules.from_preset("nes").with_(frames_per_second=1 / 0.0166), seed=0)
    game.advance(1.0)
    Replay.from_game(game).save(tmp_path / "game.json")
    assert Replay.load(tmp_path / "game.json").rules == game.rules


def test_a_key_that_was_left_out_is_noticed(tmp_path: Path) -> None:
    def without_half_the_keys(content: Any) -> None:
        content["keys"] = content["keys"][::2]

    with pytest.raises(ReplayError, match=r"Move \d+ differs"):
        Replay.load(changed(tmp_path, without_half_the_keys, by_keys))


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"null", b'"text"', b"[" * 100_000])
def test_files_that_are_no_replays(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "broken.json").write_bytes(content)
    with pytest.raises(ReplayError, match=r"broken\.json"):
        Replay.load(tmp_path / "broken.json")


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(ReplayError, match="No such file"):
        Replay.load(tmp_path / "missing.json")
    with pytest.raises(ReplayError, match="cannot be read"):
        Replay.load(tmp_path)
    with pytest.raises(ReplayError, match="cannot be written"):
        Replay.from_game(Game()).save(tmp_path / "no" / "folder.json")


def test_games_that_begin_elsewhere_are_not_written_down() -> None:
    with pytest.raises(ReplayError, match="made-up position"):
        Replay.from_game(Game.from_position(Position.from_board(Board(), "T")))


def test_moves_that_are_not_there() -> None:
    replay = Replay.from_game(by_placements("standard", most=3))
    for moves in (-1, 4, True, "2"):
        with pytest.raises(ReplayError, match="has 3 moves"):
            replay.play(moves)  # type: ignore[arg-type]
