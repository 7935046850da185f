"""Tests of saved games: which games are saved, and that the same game is saved once."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.app.saved_games import play_agent_game, play_random_game, play_random_keys, save_game_file
from tetrion import Game, Replay
from tetrion.app.game_storage import MIN_UNFINISHED_AGENT_PIECES, get_replay_folder, list_replay_files, save_game
from tetrion.app.replays.replay_library import load_replay_summary


def test_same_game_is_saved_once() -> None:
    first = save_game_file(play_agent_game(pieces=20), "dellacherie")
    content = first.read_bytes()
    assert save_game(play_agent_game(pieces=20), "dellacherie") == (first, "")
    assert list_replay_files() == [first]
    assert first.read_bytes() == content
    first.unlink()
    assert save_game_file(play_agent_game(pieces=20), "dellacherie") in list_replay_files()


@pytest.mark.parametrize(
    ("game", "player"),
    [
        (lambda: play_agent_game(pieces=20), "du"),
        (lambda: play_agent_game(pieces=20, seed=4), "dellacherie"),
        (lambda: play_agent_game(pieces=21), "dellacherie"),
        (lambda: play_agent_game(pieces=20, rules="standard:height=18"), "dellacherie"),
    ],
    ids=["player", "seed", "placements", "rules"],
)
def test_games_that_differ_are_all_saved(game: Callable[[], Game], player: str) -> None:
    save_game_file(play_agent_game(pieces=20), "dellacherie")
    save_game_file(game(), player)
    assert len(list_replay_files()) == 2


def test_same_placements_with_other_keys_are_another_game() -> None:
    games = [play_random_keys("nes", 40, 5), play_random_keys("nes", 40, 5)]
    assert not games[1].is_over
    games[1].tick(1)
    for game in games:
        save_game_file(game, "you")
    assert len(list_replay_files()) == 2


def test_unfinished_games_of_agents_need_some_pieces() -> None:
    short = play_random_game(MIN_UNFINISHED_AGENT_PIECES - 1)
    assert save_game(short, "dellacherie") == (None, "")
    assert save_game(Game("standard"), "you") == (None, "")
    assert not get_replay_folder().exists() or list_replay_files() == []
    save_game_file(short, "you")
    save_game_file(play_random_game(MIN_UNFINISHED_AGENT_PIECES), "dellacherie")
    assert len(list_replay_files()) == 2


def test_finished_games_of_agents_are_saved_however_short() -> None:
    game = play_agent_game("lowest", "standard:height=4", 100, 1)
    assert game.is_over
    assert game.pieces < MIN_UNFINISHED_AGENT_PIECES
    save_game_file(game, "lowest")


def test_files_of_earlier_versions_are_still_listed(folders: Path) -> None:
    path = get_replay_folder() / "2026-01-02 03-04-05.000000 standard-dellacherie.json"
    path.parent.mkdir(parents=True)
    Replay.from_game(play_agent_game(pieces=20), "dellacherie").save(path)
    assert list_replay_files() == [path]
    summary = load_replay_summary(path)
    assert (summary.player, summary.get_number("pieces"), summary.problem) == ("dellacherie", 20, "")
