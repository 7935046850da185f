"""Play, driven by events: a person's game is the engine's game, and nothing of it is lost."""

import json
from pathlib import Path

import pygame
import pytest

from app.driving import FRAME, Driver
from tetrion.app.games.playing import Playing, progress_of
from tetrion.app.screens.play import CHOOSING, GOING, OVER, PAUSED, STARTLED, PlayScreen
from tetrion.app.settings import Settings, load_settings, save_settings
from tetrion.app.shelf import BEST, load_scores, replay_files
from tetrion.board import Board
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.position import Position, has_levels
from tetrion.replay import Replay


def begun(driver: Driver, rules: str = "standard", seed: int = 7, **options: object) -> PlayScreen:
    screen = driver.open("play", rules=rules, seed=seed, start=True, **options)
    assert isinstance(screen, PlayScreen)
    assert screen.state == GOING
    return screen


def game_of(screen: PlayScreen) -> Game:
    return playing_of(screen).game


def playing_of(screen: PlayScreen) -> Playing:
    assert screen.playing is not None
    return screen.playing


def ended(driver: Driver, screen: PlayScreen) -> None:
    for _ in range(40):
        driver.press("Space")
        if screen.state == OVER:
            return
    raise AssertionError("the game does not end")


def column(screen: PlayScreen) -> int:
    falling = game_of(screen).falling
    assert falling is not None
    return falling.column


def test_a_persons_game_replays_to_the_identical_board(driver: Driver, tmp_path: Path) -> None:
    screen = begun(driver, "nes", 1834)
    keys = ["left", "up", "right", "z", "down", "right", "right"]
    for turn in range(36):
        key = keys[turn % len(keys)]
        driver.hold(key)
        driver.frames(turn % 9, seconds=FRAME * (1 + turn % 3))
        if turn % 4 == 0:
            driver.hold("down")
            driver.frames(20)
            driver.release("down")
        driver.release(key)
    game = game_of(screen)
    assert game.pieces >= 3
    Replay.of(game, "you").save(tmp_path / "game.json")
    again = Replay.load(tmp_path / "game.json").play()
    assert str(again.board) == str(game.board)
    assert (again.score, again.frames, again.falling) == (game.score, game.frames, game.falling)
    assert {"hold", "release", "press"} == {action for _, action, _ in game.events}


def test_a_held_key_repeats_as_the_rules_say(driver: Driver) -> None:
    screen = begun(driver, "standard")
    start = column(screen)
    driver.hold("left")
    assert column(screen) == start - 1
    driver.frames(8)
    assert column(screen) == start - 1, "it waits 170 ms"
    driver.frames(12)
    assert column(screen) == 0
    driver.release("left")
    driver.press("Esc")

    screen = begun(driver, "gavrilov")
    start = column(screen)
    driver.hold("left")
    driver.frames(30)
    assert column(screen) == start - 1, "a press is a step"
    driver.release("left")


def test_a_press_within_one_frame_counts(driver: Driver) -> None:
    screen = begun(driver)
    start = column(screen)
    for kind in (pygame.KEYDOWN, pygame.KEYUP, pygame.KEYDOWN, pygame.KEYUP):
        pygame.event.post(pygame.event.Event(kind, key=pygame.K_LEFT, mod=0, unicode=""))
    driver.frames()
    assert column(screen) == start - 2
    driver.frames(40)
    assert column(screen) == start - 2


def test_keys_that_the_rules_do_not_have_do_nothing(driver: Driver) -> None:
    screen = begun(driver, "nes")
    before = game_of(screen).pieces, column(screen)
    driver.press("Space")
    assert (game_of(screen).pieces, column(screen)) == before
    words = [meaning for _, meaning in screen._legend(game_of(screen).rules.keys.split("+"))]
    assert "Hard drop" not in words
    assert "Rotate back" in words


def test_own_keys_are_used_and_shown(driver: Driver) -> None:
    driver.window.choose(keys={**driver.window.settings.keys, "left": "a", "hint": "g"})
    screen = begun(driver)
    start = column(screen)
    driver.press("A")
    assert column(screen) == start - 1
    driver.press("left")
    assert column(screen) == start - 1
    assert screen._legend(["left"])[0][0][0] == "A"


def test_pause_lets_go_and_time_stands_still(driver: Driver) -> None:
    screen = begun(driver)
    driver.hold("right")
    driver.press("P")
    assert screen.state == PAUSED
    before = game_of(screen).frames, column(screen)
    driver.frames(60)
    driver.release("right")
    assert (game_of(screen).frames, column(screen)) == before
    assert game_of(screen).events[-1][1:] == ("release", "right")
    driver.press("P")
    assert screen.state == GOING
    driver.frames(30)
    assert column(screen) == before[1]
    assert game_of(screen).frames > before[0]


def test_losing_the_focus_pauses_and_the_mouse_goes_on(driver: Driver) -> None:
    screen = begun(driver)
    driver.lose_focus()
    assert screen.state == PAUSED
    driver.frames(2)
    driver.click("overlay Continue")
    assert screen.state == GOING


def test_restart_keeps_the_game_that_was_running(driver: Driver) -> None:
    screen = begun(driver, seed=3)
    driver.press("R")
    assert not replay_files(), "nothing was placed"
    driver.press("Space", "Space", "R")
    assert game_of(screen).pieces == 0
    (kept,) = replay_files()
    assert Replay.load(kept).result["pieces"] == 2


@pytest.mark.parametrize("how", ["Esc", "close"])
def test_leaving_in_the_middle_keeps_the_game_once(driver: Driver, how: str) -> None:
    begun(driver)
    driver.press("Space", "Space", "Space")
    if how == "Esc":
        driver.press("Esc")
        assert driver.screen.title == "Menu"
    driver.quit()
    (kept,) = replay_files()
    assert Replay.load(kept).agent == "you"


def test_a_game_ends_with_its_result_and_again(driver: Driver) -> None:
    screen = begun(driver, "tetrais", 5)
    ended(driver, screen)
    driver.frames(2)
    assert screen.place == 1
    assert screen.kept in replay_files()
    score = game_of(screen).score
    assert load_scores()[0]["tetrais"][0].score == score > 0
    assert screen._result(playing_of(screen)) == [f"0 lines, {score} points", "Your best game"]
    driver.press("↓", "R")  # meant for the game, which has just ended
    assert (screen.state, driver.window.ui.focus) == (OVER, "overlay Play again")
    driver.frames(round(STARTLED / FRAME))
    driver.press("R")
    assert screen.state == GOING
    assert game_of(screen).pieces == 0
    assert screen._best() == score
    ended(driver, screen)
    driver.frames(2)
    assert screen.place == 2
    driver.click("overlay Menu")
    assert driver.screen.title == "Menu"
    assert len(load_scores()[0]["tetrais"]) == 2
    assert len(replay_files()) == 2


def test_a_damaged_file_of_best_scores_is_set_aside(driver: Driver, folders: Path) -> None:
    data = folders / "data"
    data.mkdir(parents=True, exist_ok=True)
    (data / BEST).write_text("{nonsense")
    screen = begun(driver, "tetrais")
    driver.frames(2)
    assert "damaged" in driver.window.notice
    ended(driver, screen)
    assert json.loads((data / BEST).read_text())["tetrais"]
    assert any("{nonsense" in path.read_text() for path in data.iterdir() if path.is_file())


def test_choices_by_keyboard_are_kept(driver: Driver) -> None:
    screen = driver.open("play")
    assert isinstance(screen, PlayScreen)
    assert screen.state == CHOOSING
    assert driver.window.ui.focus == "start"
    driver.click("rules")
    driver.type("nes:level=9,preview=2")
    driver.press("Enter")
    driver.frames(2)
    assert (screen.start.rules_text, screen.start.level) == ("nes:preview=2", 9)
    driver.click("level", x=0.95)
    driver.click("start")
    assert screen.state == GOING
    assert str(game_of(screen).rules) == "nes:preview=2,level=10"
    assert len(game_of(screen).next) == 2
    settings, _ = load_settings()
    assert (settings.play_rules, settings.level) == ("nes:preview=2", 10)


def test_mistaken_rules_are_told_and_cannot_start(driver: Driver) -> None:
    screen = driver.open("play", rules="nes:levle=3", start=True)
    assert isinstance(screen, PlayScreen)
    assert screen.state == CHOOSING
    assert "levle" in screen.start.mistake
    assert "start" not in driver.window.ui.names
    driver.click("rules")
    driver.type("medico")
    driver.press("Enter")
    driver.frames(2)
    assert not screen.start.mistake
    assert "start" in driver.window.ui.names


def test_a_given_seed_is_typed(driver: Driver) -> None:
    screen = driver.open("play", rules="standard")
    assert isinstance(screen, PlayScreen)
    assert screen.start.seed is None
    driver.click("pieces", x=0.8)
    driver.frames(2)
    driver.click("seed")
    driver.press("Backspace")
    for digit in "1834":
        driver.press(digit)
    driver.click("start")
    assert screen.state == GOING
    assert game_of(screen).seed == 1834


def test_settings_that_name_unknown_rules_are_no_end(driver: Driver) -> None:
    save_settings(Settings(play_rules="gone", hint_agent="gone"))
    driver.window.choose(play_rules="gone", hint_agent="gone")
    screen = driver.open("play")
    assert isinstance(screen, PlayScreen)
    assert "gone" in screen.start.mistake
    driver.press("Esc")
    assert driver.screen.title == "Menu"


def test_the_hint_comes_for_each_piece(driver: Driver) -> None:
    screen = begun(driver)
    assert screen.hint is None
    driver.press("H")
    driver.until(lambda: screen.hint)
    first = screen.hint
    assert first in game_of(screen).placements()
    driver.press("Space")
    driver.until(lambda: screen.hint)
    assert screen.hint is not first
    assert screen.hint in game_of(screen).placements()
    driver.click("hint")
    assert screen.hint is None


def test_a_hint_by_nobody_is_told_and_the_game_goes_on(driver: Driver) -> None:
    driver.window.choose(hint_agent="dellachery")
    screen = begun(driver)
    driver.press("H")
    driver.until(lambda: screen.hinting.problem)
    assert "dellacherie" in screen.hinting.problem
    pieces = game_of(screen).pieces
    driver.press("Space")
    assert game_of(screen).pieces == pieces + 1


def test_a_replays_game_goes_on(driver: Driver) -> None:
    game = Game("standard", 3)
    for _ in range(5):
        game.place(game.placements()[0])
    replay = Replay.of(game, "somebody")
    screen = driver.open("play", game=replay.play(3))
    assert isinstance(screen, PlayScreen)
    assert screen.state == GOING
    assert game_of(screen).pieces == 3
    driver.press("Space")
    driver.press("Esc")
    (kept,) = replay_files()
    assert Replay.load(kept).placements[:3] == replay.placements[:3]
    assert "standard" not in load_scores()[0], "the others' points are not the person's"


def test_a_replays_game_without_a_move_is_not_kept_again(driver: Driver) -> None:
    game = Game("nes", 3)
    game.hold("left")
    game.place(game.placements()[0])
    screen = driver.open("play", game=game)
    assert isinstance(screen, PlayScreen)
    assert screen.state == GOING
    start = column(screen)
    driver.frames(60)
    assert column(screen) == start, "nobody holds the key any more"
    driver.press("Esc")
    assert not replay_files()


def test_a_position_is_played_from(driver: Driver) -> None:
    board = Board.from_text(["#########."])
    screen = driver.open("play", game=Game.from_position(Position.of(board, "I", next="L", rules="gavrilov")))
    assert isinstance(screen, PlayScreen)
    assert screen.state == GOING
    assert str(game_of(screen).board) == str(Board(board.columns, 24))
    assert game_of(screen).piece == "I"


def test_full_rows_move_and_the_next_piece_does_not_wait(driver: Driver) -> None:
    board = Board.from_text(["#########."])
    screen = driver.open("play", game=Game.from_position(Position.of(board, "I", next="", rules="standard")))
    assert isinstance(screen, PlayScreen)
    assert screen.state == GOING
    driver.press("up")
    driver.hold("right")
    driver.frames(40)
    driver.release("right")
    driver.press("Space")
    assert playing_of(screen).moving.clearing
    assert game_of(screen).falling is not None
    assert game_of(screen).lines == 1
    start = column(screen)
    driver.press("left")
    assert column(screen) == start - 1
    driver.frames(30)
    assert not playing_of(screen).moving.clearing


def test_any_size_and_state_is_drawn(driver: Driver) -> None:
    for size in ((800, 700), (1000, 760), (1920, 1080), (640, 480), (1300, 480)):
        driver.open("play", rules="nes")
        driver.resize(*size)
        assert {"rules", "level", "pieces", "hint agent", "start", "practice"} <= set(driver.window.ui.names)
        driver.press("Esc")
        screen = begun(driver, "standard:height=10,preview=6")
        driver.press("P")
        driver.frames(2)
        assert driver.window.ui.focus == "overlay Continue"
        driver.press("P", "Space", "Esc")
        assert playing_of(screen).kept
        assert driver.screen.title == "Menu"


def test_a_piece_that_moves_aside_and_drops_within_one_frame(driver: Driver) -> None:
    screen = begun(driver, "gavrilov")
    for key in (pygame.K_LEFT, pygame.K_SPACE):
        pygame.event.post(pygame.event.Event(pygame.KEYDOWN, key=key, mod=0, unicode=""))
        pygame.event.post(pygame.event.Event(pygame.KEYUP, key=key, mod=0))
    driver.frames(3)
    assert driver.screen is screen
    assert game_of(screen).falling == game_of(screen).ghost


def test_the_way_to_the_next_level() -> None:
    nes = Rules.parse("nes")
    assert progress_of(nes, 34) == (4, 4, 10)
    assert progress_of(Rules.parse("nes:level=18"), 0) == (19, 0, 130)
    assert progress_of(Rules.parse("gavrilov"), 5) is None
    assert [has_levels(Rules.parse(name)) for name in ("nes", "tetrais", "gavrilov", "standard")] == [1, 1, 0, 0]
