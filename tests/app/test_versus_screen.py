"""The versus screen, driven by events: its setup, and matches of agents and of a person."""

from pathlib import Path
from typing import Any

from tests.app.drawn_texts import check_texts, record_texts
from tests.app.window_driver import WindowDriver
from tetrion.agents.code_consent import consent_to_path
from tetrion.app.game_storage import MIN_UNFINISHED_AGENT_PIECES, list_replay_files
from tetrion.app.games.human_rules import DEFAULT_PLAY_RULES
from tetrion.app.games.match import Match
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.screens.review_screen import ReviewScreen
from tetrion.replay import Replay

LEE_RULES = "standard:preview=1,randomiser=bag"
FAILING_AGENT = "class Mine:\n    def choose(self, position):\n        raise RuntimeError('no idea')\n"


def open_setup(driver: WindowDriver, *players: str) -> Any:
    """Open the setup, choose players, and wait until they are checked."""
    screen = driver.open_screen("versus")
    for name, player in zip(("player 1", "player 2"), players, strict=False):
        choose(driver, name, player)
    wait_for_check(driver, screen)
    return screen


def choose(driver: WindowDriver, picker: str, text: str) -> None:
    """Choose a text in a picker."""
    driver.click(picker)
    driver.run_frames(2)
    driver.type(text)
    driver.press("Enter")
    driver.run_frames(2)


def wait_for_check(driver: WindowDriver, screen: Any) -> None:
    driver.run_frames(2)
    driver.run_until(lambda: screen.setup.validation.is_done)
    driver.run_frames(2)


def start_match(driver: WindowDriver, *players: str, rules: str, speed: float = 30.0) -> tuple[Any, Match]:
    """Start a match by the options of the command and wait until its agents are loaded."""
    screen = driver.open_screen("versus", players=players, rules=rules, seed=7, speed=speed)
    driver.run_until(lambda: screen.match and not screen.match.waiting_message and screen.match.countdown <= 0)
    driver.run_frames(10)  # the fade from the menu
    return screen, screen.match


def count_pieces(match: Match) -> list[int]:
    return [player.game.pieces for player in match.players]


def read_texts(driver: WindowDriver) -> str:
    """Return the texts of a frame, also those that an overlay covers."""
    return " ".join(drawn.text for drawn in record_texts(driver))


def list_overlay_buttons(driver: WindowDriver) -> list[str]:
    driver.run_frames(2)
    names = driver.window.ui.focusable_names
    return [name.removeprefix("overlay ") for name in names if name.startswith("overlay ")]


# The setup.


def test_match_starts_with_the_choices_by_enter(driver: WindowDriver) -> None:
    screen = open_setup(driver, "lowest")
    driver.click("seed mode", x=0.9)
    choose(driver, "rules", "gavrilov")
    driver.click("seed")
    driver.type("42")
    wait_for_check(driver, screen)
    driver.press("Enter")
    settings = screen.match.settings
    assert (settings.players, settings.seed, settings.is_synchronised) == (("lowest", "lee"), 42, True)
    assert str(settings.setup.rules) == "gavrilov"


def test_problems_are_explained_until_a_dropped_file_becomes_a_player(driver: WindowDriver, tmp_path: Path) -> None:
    screen = driver.open_screen("versus", players=("dellacherie", "none.json"))
    wait_for_check(driver, screen)
    assert "none.json" in check_texts(driver)
    choose(driver, "player 2", "lee")
    wait_for_check(driver, screen)
    for size in ((800, 640), (1280, 800)):
        driver.resize(*size)
        driver.run_frames(10)
        text = check_texts(driver)
        assert f"The agents were made for different rules: dellacherie for standard, lee for {LEE_RULES}." in text
        assert "start" not in driver.window.ui.focusable_names
    file = tmp_path / "mine.json"
    file.write_text('{"format": 1, "kind": "linear", "weights": {"holes": -4}}', encoding="utf-8")
    driver.window.ui.request_focus("player 2")
    driver.run_frames(2)
    driver.drop(file)
    wait_for_check(driver, screen)
    assert screen.setup.choices.players == ("dellacherie", str(file))
    assert "start" in driver.window.ui.focusable_names
    assert screen.match is None, "a match starts by itself only with the given players"


def test_speed_is_low_if_a_person_plays_and_choices_are_kept_for_the_session(driver: WindowDriver) -> None:
    screen = open_setup(driver)
    assert "1 move per second" in check_texts(driver)
    choose(driver, "player 1", "dellacherie")
    assert "4 moves per second" in check_texts(driver)
    choose(driver, "rules", "standard-10x10")
    driver.click("speed", x=0.99)
    driver.click("timing", x=0.9)
    wait_for_check(driver, screen)
    driver.press("Esc")
    again = open_setup(driver)
    choices = again.setup.choices
    assert (choices.players, choices.rules) == (("dellacherie", "lee"), "standard-10x10")
    assert (choices.speed, choices.is_synchronised) == (30, False)
    assert again.match is None, "remembered players do not start a match"
    driver.press("Esc")
    given = driver.open_screen("versus", players=("you", "lee"), rules="", seed=1)
    driver.run_until(lambda: given.match)
    assert (given.match.speed, str(given.match.rules)) == (1, DEFAULT_PLAY_RULES)


# Matches of agents.


def test_match_of_agents_is_paused_changed_and_left(driver: WindowDriver) -> None:
    screen, match = start_match(driver, "dellacherie", "lowest", rules="standard", speed=10)
    driver.click("speed", x=0.99)
    driver.run_until(lambda: min(count_pieces(match)) >= MIN_UNFINISHED_AGENT_PIECES)
    driver.press("P")
    assert list_overlay_buttons(driver) == ["Continue", "Restart", "Change players", "Menu"]
    assert "Leaving saves the games in Replays." in read_texts(driver)
    driver.press("Esc")
    assert not match.is_paused
    driver.press("N")
    assert (screen.match.settings.seed, screen.match.speed) == (8, 30)
    assert len(list_replay_files()) == 2
    driver.run_until(lambda: screen.match.is_running)
    driver.click("Pause")
    driver.run_frames(2)
    driver.click("overlay Change players")
    driver.run_frames(2)
    assert (screen.setup.choices.players, screen.setup.choices.speed) == (("dellacherie", "lowest"), 30)
    driver.press("Enter", "Esc")
    assert isinstance(driver.screen, MenuScreen), "Esc leads from a match of agents to the menu"


def test_failing_agent_loses_with_its_error_and_the_match_can_continue(driver: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FAILING_AGENT, encoding="utf-8")
    consent_to_path(tmp_path / "mine.py")
    _, match = start_match(driver, "mine.py:Mine", "dellacherie", rules="standard:height=8")
    driver.run_until(lambda: match.has_result)
    assert list_overlay_buttons(driver) == ["Next game", "Restart", "Keep watching", "Change players", "Menu"]
    assert "dellacherie wins by" in read_texts(driver)
    driver.run_frames(200)
    assert not driver.screen.is_moving
    pieces = count_pieces(match)
    driver.click("overlay Keep watching")
    driver.run_until(lambda: count_pieces(match)[1] > pieces[1])
    text = read_texts(driver)
    for part in ("dellacherie has already won", "no idea"):
        assert part in text


# Matches of a person.


def test_person_plays_in_real_time_and_all_games_are_saved(driver: WindowDriver) -> None:
    _, match = start_match(driver, "dellacherie", "you", rules="gavrilov", speed=4)
    person = match.players[0]
    assert person is match.person
    driver.press("left", "up", "down", "space")
    driver.run_until(lambda: person.game.pieces >= 1)
    for pause_key, resume_key in (("P", "P"), ("Esc", "Esc"), ("P", "Enter")):
        driver.press(pause_key)
        before = count_pieces(match), person.game.falling_piece, person.game.frames
        driver.run_frames(30)
        driver.press("←")
        assert (count_pieces(match), person.game.falling_piece, person.game.frames) == before
        driver.press(resume_key)
        assert not match.is_paused
    driver.run_until(lambda: count_pieces(match)[1] >= MIN_UNFINISHED_AGENT_PIECES)
    driver.lose_focus()
    assert match.is_paused
    driver.run_frames(2)
    driver.press("Q")
    assert isinstance(driver.screen, MenuScreen)
    replays = {replay.agent: replay for replay in map(Replay.load, list_replay_files())}
    assert set(replays) == {"you", "dellacherie"}
    assert replays["you"].key_events
    for player in match.players:
        assert replays[player.name].play().position == player.game.position


def test_agents_wait_for_the_person_at_the_same_speed(driver: WindowDriver) -> None:
    screen = open_setup(driver)
    driver.click("timing", x=0.2)
    driver.click("speed", x=0.99)
    driver.click("start")
    driver.run_until(lambda: screen.match and count_pieces(screen.match)[1] == 1)
    match = screen.match
    driver.run_frames(30)
    assert count_pieces(match) == [0, 1]
    driver.press("space")
    driver.run_until(lambda: count_pieces(match)[1] == 2)
    assert count_pieces(match)[0] == 1


def test_end_of_a_person_ignores_keys_of_the_game_and_offers_a_review(driver: WindowDriver) -> None:
    screen, match = start_match(driver, "you", "dellacherie", rules="standard:gravity=20", speed=0.5)
    driver.press("P")
    assert "Review" not in list_overlay_buttons(driver)
    driver.press("P")
    driver.hold("down")
    driver.run_until(lambda: match.has_result)
    driver.press("up")
    driver.run_frames(60)
    driver.hold("down")  # as a system sends it while a key is held
    driver.run_frames(60)
    assert driver.window.ui.focus == "overlay Next game"
    driver.release("down")
    driver.press("down")
    assert driver.window.ui.focus == "overlay Restart"
    assert not match.is_over
    assert "You are out" in read_texts(driver)
    assert "Keep watching" in list_overlay_buttons(driver)
    driver.click("overlay Review")
    driver.run_until(lambda: isinstance(driver.screen, ReviewScreen))
    assert driver.screen.file == str(match.players[0].saved_file)  # type: ignore[attr-defined]
    driver.press("Esc")
    assert driver.screen is screen
