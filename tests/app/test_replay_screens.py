"""Tests of saved games: timelines, summaries, and the screens with their list, their playback and their review."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.app.drawn_texts import record_texts
from tests.app.saved_games import play_agent_game, play_random_game, play_random_keys, save_game_file, write_replay_file
from tests.app.window_driver import WindowDriver
from tetrion import Game, Replay
from tetrion.agents import load_weighted_agent
from tetrion.app.game_storage import list_replay_files
from tetrion.app.screens.replay_screen import (
    MIN_KEYFRAME_MOVES,
    ReplayPlayback,
    ReplayTimeline,
    build_timeline,
)
from tetrion.app.screens.replays_screen import load_replay_summary
from tetrion.evaluation.replay_review import format_points, review_replay
from tetrion.replay import repeat_event

GRADER = "dellacherie"


def make_timeline(game: Game) -> ReplayTimeline:
    *_, timeline = build_timeline(Replay.from_game(game))
    assert isinstance(timeline, ReplayTimeline)
    return timeline


def damage_middle(path: Path) -> None:
    """Damage the placements in a replay file."""
    text = path.read_text("utf-8")
    path.write_text(f"{text[: len(text) // 2]}not json{text[len(text) // 2 :]}", "utf-8")


def open_list(driver: WindowDriver) -> Any:
    screen = driver.open_screen("replays")
    driver.run_until(lambda: screen.library.is_done)
    driver.run_frames(2)
    return screen


def wait_for_loading(driver: WindowDriver) -> Any:
    screen: Any = driver.screen
    driver.run_until(lambda: screen.loader.is_done)
    driver.run_frames(2)
    return screen


# Timelines and playback.


@pytest.mark.parametrize("rules", ["nes", "standard"])
def test_timeline_reconstructs_every_move(rules: str) -> None:
    pieces = 3 * MIN_KEYFRAME_MOVES + 3
    game = play_agent_game(pieces=pieces) if rules == "standard" else play_random_keys(rules, 500)
    timeline = make_timeline(game)
    assert len(timeline.keyframes) > 1 or rules != "standard"
    for moves in range(timeline.move_count + 1):
        from_timeline, expected = timeline.get_full_game(moves), timeline.replay.play(moves)
        for name in ("position", "placements_made", "events", "stack"):
            assert getattr(from_timeline, name) == getattr(expected, name)
        assert sum(timeline.count_pieces(moves).values()) == moves
        assert sum(n * times for n, times in enumerate(timeline.count_clears(moves), 1)) == expected.lines


def test_real_time_playback_follows_the_frames_of_the_game() -> None:
    playback = ReplayPlayback(make_timeline(play_random_keys(actions=120)))
    replay = playback.timeline.replay
    repeated = Game(replay.rules, replay.seed)
    events = list(replay.key_events or ())
    while not playback.is_over:
        playback.update(1 / replay.rules.frames_per_second)
        repeated.tick(max(0, playback.game.frames - repeated.frames))
        while events and events[0][0] <= repeated.frames:
            repeat_event(repeated, events.pop(0))
        assert (playback.active_piece, playback.game.board) == (repeated.falling_piece, repeated.board)
    assert playback.game.position == replay.play().position


# Summaries and pages.


def test_summaries_of_damaged_files_and_of_other_programs_are_read() -> None:
    game = play_agent_game(pieces=700)
    path = save_game_file(game, "dellacherie")
    summary = load_replay_summary(path)
    assert [summary.get_number(name) for name in ("score", "lines", "pieces")] == [game.score, game.lines, game.pieces]
    assert (summary.player, summary.problem) == ("dellacherie", "")
    damage_middle(path)
    assert load_replay_summary(path) == summary, "the moves are not read"
    game = play_random_keys()
    content = json.loads(save_game_file(game, "you").read_text("utf-8"))
    path = write_replay_file("2026-01-02 03-04-05.000000 mine", json.dumps(dict(reversed(content.items()))))
    summary = load_replay_summary(path)
    assert (summary.player, summary.get_number("frames"), summary.problem) == ("you", game.frames, "")
    assert summary.date.isoformat() == "2026-01-02T03:04:05"
    for text, reason in (("", "the file is empty"), ('{"format": 1}', "missing")):
        assert reason in load_replay_summary(write_replay_file("damaged", text)).problem
    path.unlink()
    assert "cannot be read" in load_replay_summary(path).problem


# The replays screen.


def test_list_responds_to_keys_and_mouse(driver: WindowDriver) -> None:
    for seed in range(20):
        save_game_file(play_agent_game(pieces=12 + seed), "you" if seed % 2 else "dellacherie")
    screen = open_list(driver)
    assert [game.get_number("pieces") for game in screen.shown_games] == list(range(31, 11, -1))
    for keys, pieces, first_row in (
        (["↓", "↑", "↓", "↓"], 29, 0),
        (["PgDn", "PgDn"], 12, 20 - screen.visible_rows),
        (["Home"], 31, 0),
        (["End", "↑"], 13, 20 - screen.visible_rows),
    ):
        driver.press(*keys)
        assert (screen.selected.get_number("pieces"), screen.first_row) == (pieces, first_row)
    driver.run_until(lambda: screen.final_board.path == screen.selected.path and screen.final_board.stack)
    driver.turn_wheel(1)
    assert screen.first_row == 20 - screen.visible_rows - 3
    driver.click("player filter", x=0.5)
    assert [game.player for game in screen.shown_games] == ["you"] * 10
    driver.click("order", x=0.9)
    driver.run_frames()
    lines = [game.get_number("lines") for game in screen.shown_games]
    assert lines == sorted(lines, reverse=True)
    driver.click("rules")
    driver.press("↓", "Enter")
    assert (screen.chosen_rules, driver.screen) == ("standard", screen)


def test_game_is_deleted_only_after_confirmation(driver: WindowDriver) -> None:
    screen = open_list(driver)
    driver.press("↓", "Enter", "V", "Del", "S")
    assert (screen.shown_games, screen.selected, driver.screen) == ([], None, screen)
    for pieces in (3, 4, 5):
        save_game_file(play_random_game(pieces), "you")
    screen.on_return()
    driver.run_until(lambda: screen.library.is_done and screen.selected)
    for answer in ("Esc", "Enter"):
        driver.press("Del", answer)
        assert (len(list_replay_files()), screen.is_confirming_delete, driver.screen) == (3, False, screen)
    driver.press("Del")
    driver.click("overlay Delete")
    driver.run_frames()
    assert [game.get_number("pieces") for game in screen.shown_games] == [4, 3]
    assert (len(list_replay_files()), screen.selected.get_number("pieces")) == (2, 4)


def test_game_is_opened_and_saved_as_a_page(driver: WindowDriver, folders: Path) -> None:
    path = save_game_file(play_random_game(3), "you")
    open_list(driver)
    driver.press("Enter")
    assert wait_for_loading(driver).file == str(path)
    driver.press("Esc")
    driver.run_frames(30)
    for title in ("Replays", "Replay"):
        driver.click(f"game {path.name}")
        assert driver.screen.title == title
    driver.press("Esc", "S")
    driver.run_until(lambda: "Saved" in driver.window.notice)
    assert driver.window.notice == "Saved you-standard-0-lines.html in the folder pages."
    assert "</html>" in (folders / "data" / "pages" / "you-standard-0-lines.html").read_text("utf-8")


# The replay screen.


def test_replay_responds_to_keys_and_sliders(driver: WindowDriver) -> None:
    game = play_agent_game(pieces=40)
    driver.open_screen("replay", replay=Replay.from_game(game, "dellacherie"))
    playback = wait_for_loading(driver).playback
    driver.run_until(lambda: playback.moves_made == 2)
    driver.press("Space")
    assert not playback.autoplay
    driver.press("→", "→", "←")
    assert playback.moves_made == 3
    driver.press("End")
    assert (playback.moves_made, playback.game.position) == (40, game.position)
    driver.press("Home")
    assert playback.moves_made == 0
    driver.click("seek", x=0.5)
    driver.press("=", "=", "-")
    assert (playback.speed, playback.moves_made) == (3, 20)
    driver.click("speed", x=0.99)
    driver.press("←")
    assert (playback.speed, playback.moves_made) == (500, 20)
    driver.press("Space")
    driver.run_until(lambda: playback.is_over)
    driver.run_frames()
    driver.press("Space")
    assert playback.autoplay, "it starts again"
    assert playback.moves_made < 40
    driver.lose_focus()
    assert not playback.autoplay


def test_game_can_be_continued_and_reviewed(driver: WindowDriver) -> None:
    replay = Replay.from_game(play_agent_game(pieces=40), "dellacherie")
    driver.open_screen("replay", replay=replay, move=25)
    playback = wait_for_loading(driver).playback
    assert (playback.moves_made, playback.autoplay) == (25, False)
    driver.press("V")
    reviewed = wait_for_loading(driver)
    assert (reviewed.title, reviewed.loader.replay) == ("Review", replay)
    driver.press("Esc", "C")
    play_screen: Any = driver.screen
    game = play_screen.human_game.game
    assert game.placements_made[:25] == list(replay.placements[:25])
    assert game.pieces == 25


# The review screen.


def open_review(driver: WindowDriver, replay: Replay) -> Any:
    screen = driver.open_screen("review", replay=replay, agent=GRADER)
    driver.run_until(lambda: screen.grader and screen.grader.is_done)
    driver.run_frames(2)
    return screen


def read_texts(driver: WindowDriver) -> str:
    return " ".join(drawn.text for drawn in record_texts(driver))


@pytest.fixture(scope="module")
def random_replay() -> Replay:
    return Replay.from_game(play_random_game(20), "you")


def test_review_is_that_of_review_replay_also_by_another_agent(driver: WindowDriver, random_replay: Replay) -> None:
    screen, expected = open_review(driver, random_replay), review_replay(random_replay, load_weighted_agent(GRADER))
    costliest = expected.get_costliest_moves()[0]
    assert screen.grader.review.moves == expected.moves
    assert screen.grader.costliest == expected.get_costliest_moves(5)
    assert screen.move_number == costliest.number
    for size in ((800, 640), (1000, 760), (1280, 800)):
        driver.resize(*size)
        driver.run_frames(3)
        texts = read_texts(driver)
        for grade, count in expected.grade_counts.items():
            assert f"{grade.capitalize()} {count}" in texts
        assert f"Move {screen.move_number}: blunder" in texts
        assert f"{GRADER} would play at the dotted outline." in texts
        lost = format_points(costliest.points_lost or 0)
        assert f"Lost {lost} in {GRADER}'s evaluation; a random placement loses" in texts
    for agent in ("random-keys", "du"):
        driver.click("agent")
        driver.run_frames(2)
        driver.type(agent)
        driver.press("Enter")
        driver.run_until(lambda: screen.grader.agent == screen.agent != GRADER and screen.grader.is_done)
        assert agent == "du" or "not a weighted agent" in read_texts(driver)
    assert tuple(screen.grader.moves) == review_replay(random_replay, load_weighted_agent("du")).moves


def test_moves_can_be_chosen_and_the_page_saved(driver: WindowDriver, random_replay: Replay, folders: Path) -> None:
    screen = open_review(driver, random_replay)
    costliest = [move.number for move in screen.grader.costliest]
    driver.press("Home", "→", "→", "←")
    assert screen.move_number == 2
    driver.press("End", "→")
    assert screen.move_number == 20
    driver.click("costly 3")
    assert screen.move_number == costliest[2]
    driver.press("↓")
    driver.run_frames(2)
    assert screen.move_number == costliest[3]
    driver.press("Home", "N")
    assert screen.move_number == next(move.number for move in screen.grader.moves[1:] if move.has_cost)
    driver.click("chart", x=0.5)
    assert screen.move_number == 11
    driver.press("S")
    driver.run_until(lambda: "Saved" in driver.window.notice)
    assert f"Graded by {GRADER}" in (folders / "data" / "pages" / "you-standard-0-lines.html").read_text("utf-8")
    driver.press("P")
    replay_screen: Any = driver.screen
    driver.run_until(lambda: replay_screen.playback)
    assert (replay_screen.title, replay_screen.playback.moves_made) == ("Replay", 10)
