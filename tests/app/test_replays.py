"""Games that were kept: their list, and each of them played again, by real events."""

import json
from pathlib import Path
from typing import Any

import pygame
import pytest

from app.driving import FRAME, Driver
from app.kept_games import by_agent, by_chance, by_keys, kept, written
from tetrion import Game, Replay
from tetrion.app.replays.library import Library, head_of
from tetrion.app.replays.loading import Loading
from tetrion.app.replays.playback import Playback
from tetrion.app.replays.reel import EVERY, Reel, wound
from tetrion.app.shelf import replay_files
from tetrion.replay import repeat


def reel_of(replay: Replay) -> Reel:
    *_, reel = wound(replay)
    assert isinstance(reel, Reel)
    return reel


def opened(driver: Driver, screen: str = "replays", **options: Any) -> Any:
    shown = driver.open(screen, **options)
    ready = (lambda: shown.library.read) if screen == "replays" else (lambda: shown.loading.done)
    driver.until(ready)
    driver.frames(2)
    return shown


def front(driver: Driver) -> Any:
    return driver.screen


# A replay on its reel.


@pytest.mark.parametrize("rules", ["nes", "gavrilov", "becker"])
def test_any_move_of_a_game_with_keys_is_had_at_once(rules: str) -> None:
    game = by_keys(rules, 500)
    reel, replay = reel_of(Replay.of(game)), Replay.of(game)
    assert reel.events == tuple(game.events)
    for moves in range(reel.moves + 1):
        mine, theirs = reel.whole(moves), replay.play(moves)
        assert (mine.position, mine.placements_made) == (theirs.position, theirs.placements_made)
        assert mine.events == theirs.events


def test_any_move_of_a_long_game_is_had_at_once() -> None:
    game = by_agent(pieces=5 * EVERY + 3)
    reel, replay = reel_of(Replay.of(game)), Replay.of(game)
    assert len(reel.notes) == 6
    for moves in (0, 1, EVERY - 1, EVERY, EVERY + 1, 3 * EVERY, reel.moves):
        mine, theirs = reel.whole(moves), replay.play(moves)
        assert (mine.position, mine.placements_made) == (theirs.position, theirs.placements_made)
        assert (reel.scores[moves], reel.lines[moves]) == (theirs.score, theirs.lines)
        assert sum(reel.counts(moves).values()) == moves
        assert sum(n * times for n, times in enumerate(reel.clears(moves), 1)) == theirs.lines
        filled = {
            (x, y) for y, row in enumerate(reel.at(moves).stack.rows) for x, cell in enumerate(row) if cell != "."
        }
        assert filled == {(x, y) for x, column in enumerate(theirs.board.columns) for y in range(28) if column >> y & 1}


def test_a_game_continued_from_a_reel_is_kept_whole() -> None:
    reel = reel_of(Replay.of(by_agent(pieces=30)))
    game = reel.whole(21)
    game.place(game.placements()[0])
    assert Replay.of(game).play().position == game.position


def test_a_copy_goes_on_apart() -> None:
    game = by_keys(actions=20)
    before, copied = game.position, game.copy()
    copied.tick(2000)
    assert copied.pieces > game.pieces
    assert (game.position, len(game.placements_made)) == (before, before.pieces)
    assert game.colours != copied.colours


def test_real_time_is_shown_frame_by_frame() -> None:
    replay = Replay.of(by_keys(actions=120))
    playback, again, events = Playback(reel_of(replay)), Game(replay.rules, replay.seed), list(replay.keys or ())
    seen = 0
    while not playback.over:
        playback.update(1 / replay.rules.frames)
        again.tick(max(0, playback.game.frames - again.frames))
        while events and events[0][0] <= again.frames:
            repeat(again, events.pop(0))
        assert (playback.active, playback.game.board) == (again.falling, again.board)
        seen += 1
    assert seen >= int(replay.result["frames"])
    assert playback.game.position == replay.play().position


def test_placements_are_seen_on_their_way() -> None:
    playback = Playback(reel_of(Replay.of(by_agent(pieces=4))))
    places = set()
    while playback.moves == 0:
        places.add(playback.active)
        playback.update(FRAME)
    assert len(places) > 2
    assert playback.reel.replay.placements[0] in places


@pytest.mark.parametrize("speed", [0.5, 8, 60, 1000])
def test_every_speed_leads_to_the_same_end(speed: float) -> None:
    game = by_agent(pieces=12)
    playback = Playback(reel_of(Replay.of(game)))
    playback.speed = speed
    for _ in range(3000):
        playback.update(FRAME)
    assert (playback.over, playback.auto, playback.game.position) == (True, False, game.position)
    assert len(playback.locks) == (12 if speed < 100 else 0)


# Heads.


def test_a_head_is_read_without_the_moves() -> None:
    game = by_agent(pieces=700)
    path = kept(game, "dellacherie")
    head = head_of(path)
    assert (head.score, head.lines, head.pieces, head.over) == (game.score, game.lines, game.pieces, game.over)
    assert (head.player, head.rules, head.seed, head.problem) == ("dellacherie", game.rules, 3, "")
    text = path.read_text("utf-8")
    middle = len(text) // 2
    path.write_text(text[:middle] + "what is this" + text[middle:], "utf-8")
    assert head_of(path) == head


def test_a_head_of_another_layout_is_read_too() -> None:
    game = by_keys()
    content = json.loads(kept(game, "you").read_text("utf-8"))
    path = written("2026-01-02 03-04-05.000000 mine", json.dumps(dict(reversed(content.items()))))
    head = head_of(path)
    assert (head.mine, head.score, head.problem) == (True, game.score, "")
    assert head.seconds == game.frames / game.rules.frames
    assert f"{head.date:%Y-%m-%d %H:%M:%S}" == "2026-01-02 03:04:05"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("", "no replay"),
        ('{"format": 1, "rul', "no replay"),
        ("[]", "object"),
        ("[" * 100_000, "no replay"),
        ('{"format": 1}', "missing"),
        (None, '"score" of the result'),
    ],
)
def test_a_damaged_file_says_why(content: str | None, reason: str) -> None:
    if content is None:
        whole = json.loads(kept(by_chance(3), "you").read_text("utf-8"))
        whole["result"]["score"] = "many"
        content = json.dumps(whole)
    assert reason in head_of(written("damaged", content)).problem


def test_a_file_that_is_gone_says_so(tmp_path: Path) -> None:
    assert "cannot be read" in head_of(tmp_path / "gone.json").problem


def test_the_end_of_a_damaged_game_is_no_crash() -> None:
    path = kept(by_agent(pieces=700), "dellacherie")
    text = path.read_text("utf-8")
    path.write_text(text[: len(text) // 2] + "!" + text[len(text) // 2 :], "utf-8")
    library = Library()
    library.want(path)
    library.stop()
    library._thread.join(10)
    assert library.ends[path] == "This is no replay."
    assert not library.problem


# The list.


def test_the_list_by_keys_and_mouse(driver: Driver) -> None:
    for seed in range(20):
        kept(by_chance(2 + seed), "you" if seed % 2 else "dellacherie")
    screen = opened(driver)
    assert [head.pieces for head in screen.shown] == list(range(21, 1, -1))
    driver.until(lambda: screen.selected.path in screen.library.ends)
    driver.press("↓", "↓")
    assert screen.selected.pieces == 19
    driver.press("PgDn", "PgDn")
    assert (screen.selected.pieces, screen.first) == (2, 20 - screen._rows)
    driver.press("Home")
    assert (screen.selected.pieces, screen.first) == (21, 0)
    driver._post(pygame.MOUSEWHEEL, x=0, y=-1)
    driver.frames()
    assert screen.first == 3
    driver.press("End", "↑")
    assert screen.selected.pieces == 3
    driver.click("who", x=0.5)
    assert [head.mine for head in screen.shown] == [True] * 10
    driver.click("order", x=0.9)
    driver.frames()
    assert [head.lines for head in screen.shown] == sorted((head.lines for head in screen.shown), reverse=True)
    driver.click("rules")
    driver.press("Esc", "Enter")
    driver.frames(2)
    assert screen.rules.is_open
    assert front(driver) is screen
    driver.press("↓", "Enter")
    driver.frames(2)
    assert (screen.chosen_rules, screen.rules.is_open) == ("standard", False)
    for size in ((800, 700), (1920, 1080)):
        driver.resize(*size)
        assert front(driver) is screen


def test_a_game_is_deleted_only_after_a_question(driver: Driver) -> None:
    for pieces in (3, 4, 5):
        kept(by_chance(pieces), "you")
    screen = opened(driver)
    driver.press("Del", "Esc")
    driver.frames(2)
    assert (len(replay_files()), screen.asking, driver.screen) == (3, False, screen)
    driver.press("Del", "Enter")
    driver.frames(2)
    assert (len(replay_files()), screen.asking) == (3, False)
    driver.press("Del")
    driver.frames()
    driver.click("overlay Delete")
    driver.frames(2)
    assert [head.pieces for head in screen.shown] == [4, 3]
    assert len(replay_files()) == 2
    assert screen.selected.pieces == 4


def test_no_games_and_none_that_fits(driver: Driver) -> None:
    screen = opened(driver)
    assert (screen.shown, screen.selected) == ([], None)
    driver.press("↓", "Enter", "V", "Del", "S")
    assert front(driver) is screen
    kept(by_chance(3), "you")
    screen.resume()
    driver.until(lambda: screen.shown)
    driver.click("who", x=0.9)
    driver.frames(2)
    assert screen.shown == []
    driver.press("Esc")
    assert front(driver) is not screen


def test_damaged_games_are_listed_and_cannot_be_played(driver: Driver) -> None:
    kept(by_chance(3), "you")
    written("2020-01-01 00-00-00.000000 old", "{")
    screen = opened(driver)
    driver.press("End")
    driver.frames(2)
    assert screen.selected.problem
    driver.press("Enter", "V", "S")
    assert front(driver) is screen


def test_enter_plays_and_a_double_click_too(driver: Driver) -> None:
    path = kept(by_chance(3), "you")
    screen = opened(driver)
    driver.press("Enter")
    assert (driver.screen.title, getattr(driver.screen, "file", "")) == ("Replay", str(path))
    driver.press("Esc")
    assert front(driver) is screen
    driver.frames(30)
    driver.click(f"game {path.name}")
    assert front(driver) is screen
    driver.click(f"game {path.name}")
    assert driver.screen.title == "Replay"


def test_a_page_is_saved_from_the_list(driver: Driver, folders: Path) -> None:
    path = kept(by_chance(3), "you")
    opened(driver)
    driver.press("S")
    driver.until(lambda: "saved" in driver.window.notice)
    page = folders / "data" / "pages" / f"{path.stem}.html"
    assert str(page) in driver.window.notice
    assert "</html>" in page.read_text("utf-8")


def test_a_dropped_file_opens(driver: Driver, tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    Replay.of(by_chance(4), "you").save(file)
    opened(driver)
    driver._post(pygame.DROPFILE, file=str(file))
    driver.frames(2)
    screen: Any = driver.screen
    driver.until(lambda: screen.loading.done)
    assert (screen.title, len(screen.replay.placements)) == ("Replay", 4)


# A game played again.


def test_a_replay_by_its_keys(driver: Driver) -> None:
    game = by_agent(pieces=40)
    screen = opened(driver, "replay", replay=Replay.of(game, "dellacherie"))
    playback = screen.playback
    assert playback.auto
    driver.until(lambda: playback.moves == 2)
    driver.press("Space")
    assert not playback.auto
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
    driver.until(lambda: playback.over)
    driver.frames()
    assert not playback.auto
    driver.press("Space")
    assert playback.auto
    assert playback.moves < 40
    driver.lose_focus()
    assert not playback.auto
    for size in ((800, 700), (1920, 1080)):
        driver.resize(*size)
        assert front(driver) is screen
    driver.quit()
    assert not driver.window.running


def test_a_replay_in_real_time_on_screen(driver: Driver) -> None:
    game = by_keys(actions=120)
    screen = opened(driver, "replay", file=str(kept(game, "you")))
    playback = screen.playback
    driver.until(lambda: playback.keys)
    driver.press("→")
    assert (playback.moves, playback.auto, playback.game.falling is not None) == (1, False, True)
    driver.press("Space")
    driver.until(lambda: playback.over, seconds=0.2)
    assert playback.game.position == game.position


def test_a_game_is_continued_from_where_it_is(driver: Driver, monkeypatch: pytest.MonkeyPatch) -> None:
    replay = Replay.of(by_agent(pieces=40), "dellacherie")
    screen = opened(driver, "replay", replay=replay, move=25)
    went: list[tuple[str, Any]] = []
    monkeypatch.setattr(driver.window, "go", lambda name, **options: went.append((name, options)))
    assert not screen.playback.auto
    driver.press("C", "V")
    (name, options), (second, reviewed) = went
    assert (name, options["game"].position, options["game"].events) == (
        "play",
        replay.play(25).position,
        replay.play(25).events,
    )
    assert (second, reviewed["replay"]) == ("review", replay)


@pytest.mark.parametrize("content", [None, "{", '{"format": 1}'])
def test_what_is_wrong_with_a_file_is_told(driver: Driver, tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "wrong.json"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    screen = opened(driver, "replay", file=str(file))
    assert "wrong.json" in screen.loading.problem
    driver.press("Space", "→")
    driver.frames(2)
    assert front(driver) is not screen or not screen.playback
    if front(driver) is screen:
        driver.press("Esc")
    assert front(driver) is not screen


def test_a_move_that_comes_out_differently_is_named(tmp_path: Path) -> None:
    file = tmp_path / "changed.json"
    Replay.of(by_chance(4), "you").save(file)
    content = json.loads(file.read_text("utf-8"))
    content["placements"] = content["placements"][::-1]
    file.write_text(json.dumps(content), "utf-8")
    loading = Loading(str(file))
    loading._thread.join(20)
    assert "Move 1 differs" in loading.problem
    assert loading.reel is None
