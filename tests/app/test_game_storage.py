"""Saved games, each of which is saved once, and lists of best results."""

from tests.app.saved_games import play_agent_game, play_random_keys, save_game_file
from tetrion import Game, Rules
from tetrion.app.game_storage import (
    list_replay_files,
    load_best_scores,
    save_best_score,
    save_game,
    select_best_scores,
)
from tetrion.app.games.human_rules import MARATHON, MODES


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
