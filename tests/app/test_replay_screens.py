"""Games that were kept: their list, and each of them played again, by real events."""

import json
from pathlib import Path
from typing import Any

import pygame
import pytest

from app.saved_games import play_agent_game, play_random_game, play_random_keys, save_game_file, write_replay_file
from app.window_driver import FRAME_SECONDS, WindowDriver
from tetrion import Game, Replay
from tetrion.app.game_storage import list_replay_files
from tetrion.app.replays.replay_library import ReplayLibrary, load_replay_summary
from tetrion.app.replays.replay_loading import ReplayLoader
from tetrion.app.replays.replay_playback import ReplayPlayback
from tetrion.app.replays.replay_timeline import MIN_KEYFRAME_MOVES, ReplayTimeline, build_timeline
from tetrion.replay import repeat_event


def reel_of(replay: Replay) -> ReplayTimeline:
    *_, reel = build_timeline(replay)
    assert isinstance(reel, ReplayTimeline)
    return reel


def opened(driver: WindowDriver, screen: str = "replays", **options: Any) -> Any:
    shown = driver.open_screen(screen, **options)
    ready = (lambda: shown.library.read) if screen == "replays" else (lambda: shown.loading.done)
    driver.run_until(ready)
    driver.run_frames(2)
    return shown


def front(driver: WindowDriver) -> Any:
    return driver.screen


# A replay on its reel.


@pytest.mark.parametrize("rules", ["nes", "gavrilov", "becker"])
def test_any_move_of_a_game_with_keys_is_had_at_once(rules: str) -> None:
    game = play_random_keys(rules, 500)
    reel, replay = reel_of(Replay.from_game(game)), Replay.from_game(game)
    assert reel.events == tuple(game.events)
    for moves in range(reel.move_count + 1):
        mine, theirs = reel.get_full_game(moves), replay.play(moves)
        assert (mine.position, mine.placements_made) == (theirs.position, theirs.placements_made)
        assert mine.events == theirs.events


def test_any_move_of_a_long_game_is_had_at_once() -> None:
    game = play_agent_game(pieces=5 * MIN_KEYFRAME_MOVES + 3)
    reel, replay = reel_of(Replay.from_game(game)), Replay.from_game(game)
    assert len(reel.keyframes) == 6
    for moves in (
        0,
        1,
        MIN_KEYFRAME_MOVES - 1,
        MIN_KEYFRAME_MOVES,
        MIN_KEYFRAME_MOVES + 1,
        3 * MIN_KEYFRAME_MOVES,
        reel.move_count,
    ):
        mine, theirs = reel.get_full_game(moves), replay.play(moves)
        assert (mine.position, mine.placements_made) == (theirs.position, theirs.placements_made)
        assert (reel.scores[moves], reel.lines[moves]) == (theirs.score, theirs.lines)
        assert sum(reel.count_pieces(moves).values()) == moves
        assert sum(n * times for n, times in enumerate(reel.count_clears(moves), 1)) == theirs.lines
        filled = {
            (x, y)
            for y, row in enumerate(reel.get_point(moves).stack.rows)
            for x, cell in enumerate(row)
            if cell != "."
        }
        assert filled == {(x, y) for x, column in enumerate(theirs.board.columns) for y in range(28) if column >> y & 1}


def test_a_game_continued_from_a_reel_is_kept_whole() -> None:
    reel = reel_of(Replay.from_game(play_agent_game(pieces=30)))
    game = reel.get_full_game(21)
    game.place(game.placements()[0])
    assert Replay.from_game(game).play().position == game.position


def test_a_copy_goes_on_apart() -> None:
    game = play_random_keys(actions=20)
    before, copied = game.position, game.copy()
    copied.tick(2000)
    assert copied.pieces > game.pieces
    assert (game.position, len(game.placements_made)) == (before, before.pieces)
    assert game.colours != copied.colours


def test_real_time_is_shown_frame_by_frame() -> None:
    replay = Replay.from_game(play_random_keys(actions=120))
    playback = ReplayPlayback(reel_of(replay))
    again = Game(replay.rules, replay.seed)
    events = list(replay.key_events or ())
    seen = 0
    while not playback.is_over:
        playback.update(1 / replay.rules.frames_per_second)
        again.tick(max(0, playback.game.frames - again.frames))
        while events and events[0][0] <= again.frames:
            repeat_event(again, events.pop(0))
        assert (playback.active_piece, playback.game.board) == (again.falling_piece, again.board)
        seen += 1
    assert seen >= int(replay.result["frames"])
    assert playback.game.position == replay.play().position


def test_placements_are_seen_on_their_way() -> None:
    playback = ReplayPlayback(reel_of(Replay.from_game(play_agent_game(pieces=4))))
    places = set()
    while playback.moves_made == 0:
        places.add(playback.active_piece)
        playback.update(FRAME_SECONDS)
    assert len(places) > 2
    assert playback.timeline.replay.placements[0] in places


@pytest.mark.parametrize("speed", [0.5, 8, 60, 1000])
def test_every_speed_leads_to_the_same_end(speed: float) -> None:
    game = play_agent_game(pieces=12)
    playback = ReplayPlayback(reel_of(Replay.from_game(game)))
    playback.speed = speed
    for _ in range(3000):
        playback.update(FRAME_SECONDS)
    assert (playback.is_over, playback.autoplay, playback.game.position) == (True, False, game.position)
    assert len(playback.locks) == (12 if speed < 100 else 0)


# Heads.


def test_a_head_is_read_without_the_moves() -> None:
    game = play_agent_game(pieces=700)
    path = save_game_file(game, "dellacherie")
    head = load_replay_summary(path)
    assert (head.score, head.lines, head.pieces, head.is_over) == (game.score, game.lines, game.pieces, game.is_over)
    assert (head.player, head.rules, head.seed, head.problem) == ("dellacherie", game.rules, 3, "")
    text = path.read_text("utf-8")
    middle = len(text) // 2
    path.write_text(text[:middle] + "what is this" + text[middle:], "utf-8")
    assert load_replay_summary(path) == head


def test_a_head_of_another_layout_is_read_too() -> None:
    game = play_random_keys()
    content = json.loads(save_game_file(game, "you").read_text("utf-8"))
    path = write_replay_file("2026-01-02 03-04-05.000000 mine", json.dumps(dict(reversed(content.items()))))
    head = load_replay_summary(path)
    assert (head.is_human, head.score, head.problem) == (True, game.score, "")
    assert head.seconds == game.frames / game.rules.frames_per_second
    assert f"{head.date:%Y-%m-%d %H:%M:%S}" == "2026-01-02 03:04:05"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "not a replay"),
        ('{"format": 1, "rul', "not a replay"),
        ("[]", "object"),
        ("[" * 100_000, "not a replay"),
        ('{"format": 1}', "missing"),
        (None, '"score" of the result'),
    ],
)
def test_a_damaged_file_says_why(content: str | None, reason: str) -> None:
    if content is None:
        whole = json.loads(save_game_file(play_random_game(3), "you").read_text("utf-8"))
        whole["result"]["score"] = "many"
        content = json.dumps(whole)
    assert reason in load_replay_summary(write_replay_file("damaged", content)).problem


def test_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    assert "cannot be read" in load_replay_summary(tmp_path / "gone.json").problem


def test_the_end_of_a_damaged_game_is_no_crash() -> None:
    path = save_game_file(play_agent_game(pieces=700), "dellacherie")
    text = path.read_text("utf-8")
    path.write_text(text[: len(text) // 2] + "!" + text[len(text) // 2 :], "utf-8")
    library = ReplayLibrary()
    library.request_final_stack(path)
    library.stop()
    library._thread.join(10)
    assert library.final_stacks[path] == "This file is not a replay."
    assert not library.problem


# The list.


def test_the_list_by_keys_and_mouse(driver: WindowDriver) -> None:
    for seed in range(20):
        save_game_file(play_random_game(2 + seed), "you" if seed % 2 else "dellacherie")
    screen = opened(driver)
    assert [head.pieces for head in screen.shown] == list(range(21, 1, -1))
    driver.run_until(lambda: screen.selected.path in screen.library.ends)
    driver.press("↓", "↓")
    assert screen.selected.pieces == 19
    driver.press("PgDn", "PgDn")
    assert (screen.selected.pieces, screen.first) == (2, 20 - screen._rows)
    driver.press("Home")
    assert (screen.selected.pieces, screen.first) == (21, 0)
    driver._post_event(pygame.MOUSEWHEEL, x=0, y=-1)
    driver.run_frames()
    assert screen.first == 3
    driver.press("End", "↑")
    assert screen.selected.pieces == 3
    driver.click("who", x=0.5)
    assert [head.mine for head in screen.shown] == [True] * 10
    driver.click("order", x=0.9)
    driver.run_frames()
    assert [head.lines for head in screen.shown] == sorted((head.lines for head in screen.shown), reverse=True)
    driver.click("rules")
    driver.press("Esc", "Enter")
    driver.run_frames(2)
    assert screen.rules.is_open
    assert front(driver) is screen
    driver.press("↓", "Enter")
    driver.run_frames(2)
    assert (screen.chosen_rules, screen.rules.is_open) == ("standard", False)
    for size in ((800, 700), (1920, 1080)):
        driver.resize(*size)
        assert front(driver) is screen


def test_a_game_is_deleted_only_after_a_question(driver: WindowDriver) -> None:
    for pieces in (3, 4, 5):
        save_game_file(play_random_game(pieces), "you")
    screen = opened(driver)
    driver.press("Del", "Esc")
    driver.run_frames(2)
    assert (len(list_replay_files()), screen.asking, driver.screen) == (3, False, screen)
    driver.press("Del", "Enter")
    driver.run_frames(2)
    assert (len(list_replay_files()), screen.asking) == (3, False)
    driver.press("Del")
    driver.run_frames()
    driver.click("overlay Delete")
    driver.run_frames(2)
    assert [head.pieces for head in screen.shown] == [4, 3]
    assert len(list_replay_files()) == 2
    assert screen.selected.pieces == 4


def test_no_games_and_none_that_fits(driver: WindowDriver) -> None:
    screen = opened(driver)
    assert (screen.shown, screen.selected) == ([], None)
    driver.press("↓", "Enter", "V", "Del", "S")
    assert front(driver) is screen
    save_game_file(play_random_game(3), "you")
    screen.resume()
    driver.run_until(lambda: screen.shown)
    driver.click("who", x=0.9)
    driver.run_frames(2)
    assert screen.shown == []
    driver.press("Esc")
    assert front(driver) is not screen


def test_damaged_games_are_listed_and_cannot_be_played(driver: WindowDriver) -> None:
    save_game_file(play_random_game(3), "you")
    write_replay_file("2020-01-01 00-00-00.000000 old", "{")
    screen = opened(driver)
    driver.press("End")
    driver.run_frames(2)
    assert screen.selected.problem
    driver.press("Enter", "V", "S")
    assert front(driver) is screen


def test_enter_plays_and_a_double_click_too(driver: WindowDriver) -> None:
    path = save_game_file(play_random_game(3), "you")
    screen = opened(driver)
    driver.press("Enter")
    assert (driver.screen.title, getattr(driver.screen, "file", "")) == ("Replay", str(path))
    driver.press("Esc")
    assert front(driver) is screen
    driver.run_frames(30)
    driver.click(f"game {path.name}")
    assert front(driver) is screen
    driver.click(f"game {path.name}")
    assert driver.screen.title == "Replay"


def test_a_page_is_saved_from_the_list(driver: WindowDriver, folders: Path) -> None:
    path = save_game_file(play_random_game(3), "you")
    opened(driver)
    driver.press("S")
    driver.run_until(lambda: "saved" in driver.window.notice)
    page = folders / "data" / "pages" / f"{path.stem}.html"
    assert str(page) in driver.window.notice
    assert "</html>" in page.read_text("utf-8")


def test_a_dropped_file_opens(driver: WindowDriver, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    Replay.from_game(play_random_game(4), "you").save(file)
    opened(driver)
    driver._post_event(pygame.DROPFILE, file=str(file))
    driver.run_frames(2)
    screen: Any = driver.screen
    driver.run_until(lambda: screen.loading.done)
    assert (screen.title, len(screen.replay.placements)) == ("Replay", 4)


# A game played again.


def test_a_replay_by_its_keys(driver: WindowDriver) -> None:
    game = play_agent_game(pieces=40)
    screen = opened(driver, "replay", replay=Replay.from_game(game, "dellacherie"))
    playback = screen.playback
    assert playback.autoplay
    driver.run_until(lambda: playback.moves == 2)
    driver.press("Space")
    assert not playback.autoplay
    driver.press("→", "→", "←")
    assert playback.moves == 3
    driver.press("End")
    assert (playback.moves, playback.game.position) == (40, game.position)
    driver.press("Home")
    assert playback.moves == 0
    driver.click("seek", x=0.5)
    assert playback.moves == 20
    driver.press("=", "=", "-")
    assert playback.speed == 3
    driver.click("speed", x=0.99)
    assert playback.speed == 1000
    driver.press("←")
    assert (playback.speed, playback.moves) == (500, 20)
    driver.press("Space")
    driver.run_until(lambda: playback.over)
    driver.run_frames()
    assert not playback.autoplay
    driver.press("Space")
    assert playback.autoplay
    assert playback.moves < 40
    driver.lose_focus()
    assert not playback.autoplay
    for size in ((800, 700), (1920, 1080)):
        driver.resize(*size)
        assert front(driver) is screen
    driver.quit()
    assert not driver.window.is_running


def test_a_replay_in_real_time_on_screen(driver: WindowDriver) -> None:
    game = play_random_keys(actions=120)
    screen = opened(driver, "replay", file=str(save_game_file(game, "you")))
    playback = screen.playback
    driver.run_until(lambda: playback.keys)
    driver.press("→")
    assert (playback.moves, playback.autoplay, playback.game.falling is not None) == (1, False, True)
    driver.press("Space")
    driver.run_until(lambda: playback.over, seconds=0.2)
    assert playback.game.position == game.position


def test_a_game_is_continued_from_where_it_is(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    replay = Replay.from_game(play_agent_game(pieces=40), "dellacherie")
    screen = opened(driver, "replay", replay=replay, move=25)
    went: list[tuple[str, Any]] = []
    monkeypatch.setattr(driver.window, "open_screen_by_name", lambda name, **options: went.append((name, options)))
    assert not screen.playback.autoplay
    driver.press("C", "V")
    (name, options), (second, reviewed) = went
    assert (name, options["game"].position, options["game"].events) == (
        "play",
        replay.play(25).position,
        replay.play(25).events,
    )
    assert (second, reviewed["replay"]) == ("review", replay)


@pytest.mark.parametrize("content", [None, "{", '{"format": 1}'])
def test_what_is_wrong_with_a_file_is_told(driver: WindowDriver, tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "wrong.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    screen = opened(driver, "replay", file=str(file))
    assert "wrong.json" in screen.loading.problem
    driver.press("Space", "→")
    driver.run_frames(2)
    assert front(driver) is not screen or not screen.playback
    if front(driver) is screen:
        driver.press("Esc")
    assert front(driver) is not screen


def test_a_move_that_comes_out_differently_is_named(tmp_path: Path) -> None:
    file = tmp_path / "changed.json"
    Replay.from_game(play_random_game(4), "you").save(file)
    content = json.loads(file.read_text("utf-8"))
    content["placements"] = content["placements"][::-1]
    file.write_text(json.dumps(content), "utf-8")
    loading = ReplayLoader(str(file))
    loading._thread.join(20)
    assert "Move 1 differs" in loading.problem
    assert loading.timeline is None
