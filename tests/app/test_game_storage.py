"""Saved games, each of which is saved once, and lists of best results."""

import json

from tests.app.saved_games import play_agent_game, play_random_game, play_random_keys, save_game_file
from tetrion import Game, Replay, Rules
from tetrion.app.game_storage import (
    BEST_SCORES_FILE,
    MIN_UNFINISHED_AGENT_PIECES,
    get_replay_folder,
    list_replay_files,
    load_best_scores,
    save_best_score,
    save_game,
    select_best_scores,
)
from tetrion.app.games.human_rules import MARATHON, MODES
from tetrion.app.screens.replays_screen import load_replay_summary
from tetrion.user_folders import get_data_folder


def test_same_game_is_saved_once_and_games_that_differ_are_all_saved() -> None:
    first = save_game_file(play_agent_game(pieces=20), "dellacherie")
    content = first.read_bytes()
    assert save_game(play_agent_game(pieces=20), "dellacherie") == (first, "")
    assert list_replay_files() == [first]
    assert first.read_bytes() == content
    save_game_file(play_agent_game(pieces=20), "du")
    for other in (
        play_agent_game(pieces=20, seed=4),
        play_agent_game(pieces=21),
        play_agent_game(pieces=20, rules="standard:height=18"),
    ):
        save_game_file(other, "dellacherie")
    for ticks in range(2):  # the same placements with other keys are another game
        game = play_random_keys("nes", 40, 5)
        game.tick(ticks)
        save_game_file(game, "you")
    assert len(list_replay_files()) == 7


def test_unfinished_games_of_agents_need_some_pieces() -> None:
    short = play_random_game(MIN_UNFINISHED_AGENT_PIECES - 1)
    assert save_game(short, "dellacherie") == (None, "")
    assert save_game(Game("standard"), "you") == (None, "")
    assert list_replay_files() == []
    finished = play_agent_game("lowest", "standard:height=4", 100, 1)
    assert finished.is_over
    assert finished.pieces < MIN_UNFINISHED_AGENT_PIECES
    save_game_file(finished, "lowest")
    save_game_file(short, "you")
    save_game_file(play_random_game(MIN_UNFINISHED_AGENT_PIECES), "dellacherie")
    assert len(list_replay_files()) == 3


def list_scores(rules: str, mode: str = "marathon") -> list[int]:
    scores, message = load_best_scores()
    assert not message
    return [entry.score for entry in select_best_scores(scores, Rules.parse(rules), MODES[mode])]


def play_lines(rules: str, lines: int) -> Game:
    """Return a game with a number of lines, cleared by a player that looks for them."""
    game = Game(rules, 1)
    while game.lines < lines:
        game.play("dellacherie", 1)
    return game


def test_best_scores_do_not_depend_on_the_handling_but_on_the_mode() -> None:
    for rules, lines in (("standard:das=100,arr=10", 0), ("standard", 5), ("standard:das=90", 4), ("nes:das=8", 2)):
        for mode in (MARATHON, MODES["sprint"]):
            save_best_score(play_lines(rules, lines), mode)
    assert list_scores("standard:arr=20") == [5, 4, 0]
    assert list_scores("standard", "sprint") == [0, 5, 4], "all times are the same, so the earlier game is ahead"
    assert list_scores("nes:das=8") == [80]
    assert list_scores("standard", "blitz") == list_scores("nes") == []


def test_games_and_scores_of_earlier_versions_are_read() -> None:
    path = get_replay_folder() / "2026-01-02 03-04-05.000000 standard-dellacherie.json"
    path.parent.mkdir(parents=True)
    Replay.from_game(play_agent_game(pieces=20), "dellacherie").save(path)
    assert list_replay_files() == [path]
    summary = load_replay_summary(path)
    assert (summary.player, summary.get_number("pieces"), summary.problem) == ("dellacherie", 20, "")
    entry = {"score": 7, "lines": 7, "pieces": 30, "date": "2026-01-01"}
    lists = {"standard:repeat_delay=100": [entry], "standard": [{**entry, "score": 9}], "unknown rules": [entry]}
    (get_data_folder() / BEST_SCORES_FILE).write_text(json.dumps(lists), encoding="utf-8")
    assert list_scores("standard") == [9, 7]
    save_best_score(play_lines("standard", 8))
    assert list_scores("standard") == [9, 8, 7]
    assert "unknown rules" in load_best_scores()[0]
