"""Tests of the versus screen, driven by events: matches between agents and a human player."""

import itertools
import time
from math import inf
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pygame
import pytest

from tests.app.drawn_texts import check_texts, record_texts
from tests.app.window_driver import WindowDriver
from tetrion.agents.code_consent import consent_to_path
from tetrion.app.game_storage import MIN_UNFINISHED_AGENT_PIECES, list_replay_files
from tetrion.app.games.match_players import MatchPlayer
from tetrion.app.games.match_setup import make_match_setup
from tetrion.app.games.versus_match import VersusMatch, describe_lead, describe_result
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.screens.versus_layout import compute_match_layout
from tetrion.app.screens.versus_queue import make_queue_slots
from tetrion.app.screens.versus_screen import VersusScreen
from tetrion.app.toolkit.header_footer import compute_screen_area
from tetrion.app.toolkit.speed_slider import change_speed
from tetrion.drawing.pen import Box, Pen
from tetrion.errors import TetrionError
from tetrion.replay import Replay

SHORT_RULES = "standard-10x10"
FAILING_AGENT = """
class Mine:
    def choose(self, position):
        if position.pieces == 2:
            raise RuntimeError("two are enough")
        return position.placements()[0]
"""


def start_match(
    driver: WindowDriver, *players: str, rules: str = SHORT_RULES, speed: float = 30.0, **options: Any
) -> VersusScreen:
    """Open the versus screen and wait until the match has started."""
    screen: VersusScreen = driver.open_screen("versus", players=players, rules=rules, seed=7, speed=speed, **options)
    driver.run_until(lambda: screen.match is not None and not screen.match.waiting_message)
    return screen


def get_match(screen: VersusScreen) -> VersusMatch:
    assert screen.match is not None
    return screen.match


def count_pieces(screen: VersusScreen) -> list[int]:
    return [player.game.pieces for player in get_match(screen).players]


def test_match_starts_with_the_chosen_setup(driver: WindowDriver) -> None:
    screen: VersusScreen = driver.open_screen("versus")
    driver.run_until(lambda: screen.setup.validation.result)
    assert driver.window.ui.focus == "start"
    driver.click("add")
    assert screen.setup.players == ["you", "lee", "dellacherie"]
    driver.run_until(lambda: screen.setup.rules)
    assert screen.setup.rules == "standard:preview=1,randomiser=bag", "a further player changed the rules"
    driver.click("player 1")
    driver.type("lowest")
    driver.press("Enter")
    assert screen.setup.players[0] == "lowest"
    driver.click("remove 2")
    assert screen.setup.players == ["lowest", "dellacherie"]
    driver.click("seed mode", x=0.9)
    driver.click("seed")
    driver.type("42")
    driver.run_until(lambda: screen.setup.validation.result)
    driver.run_frames()
    driver.click("start")
    driver.run_until(lambda: screen.match)
    assert get_match(screen).settings[:1] + get_match(screen).settings[2:4] == (("lowest", "dellacherie"), 42, True)


def test_agents_of_different_rules_need_chosen_rules(driver: WindowDriver) -> None:
    screen: VersusScreen = driver.open_screen("versus", players=("lowest", "dellacherie"), rules="")
    driver.run_until(lambda: screen.setup.validation.problem)
    assert "lowest for gavrilov, dellacherie for standard" in screen.setup.validation.problem
    driver.click("player 2")
    driver.type("gavrilov")
    driver.press("Enter")
    assert screen.setup.players == ["lowest", "gavrilov"]
    driver.run_until(lambda: screen.setup.validation.result)
    assert screen.setup.validation.result
    assert str(screen.setup.validation.result.rules) == "gavrilov"


def test_dropped_file_becomes_a_player_and_a_missing_one_shows_an_error(driver: WindowDriver, tmp_path: Path) -> None:
    screen: VersusScreen = driver.open_screen("versus")
    path = tmp_path / "none.json"
    pygame.event.post(pygame.event.Event(pygame.DROPFILE, file=str(path)))
    driver.run_frames(2)
    assert screen.setup.players == ["you", str(path)]
    driver.run_until(lambda: screen.setup.validation.problem)
    driver.run_frames()
    assert "none.json" in screen.setup.validation.problem
    assert "start" not in driver.window.ui.focusable_names


def test_agents_place_the_same_pieces_at_the_same_time(driver: WindowDriver) -> None:
    screen = start_match(driver, "dellacherie", "lowest", "gavrilov", "dellacherie")
    counts = []
    while min(count_pieces(screen)) < MIN_UNFINISHED_AGENT_PIECES:
        driver.run_frames()
        time.sleep(0.001)
        counts.append(count_pieces(screen))
    assert all(max(pieces) - min(pieces) <= 1 for pieces in counts)
    sequences = [
        [placement.piece for placement in player.game.placements_made[:4]] for player in get_match(screen).players
    ]
    assert all(sequence == sequences[0] for sequence in sequences)
    assert [player.name for player in get_match(screen).players][3] == "dellacherie (2)"
    driver.press("T")
    driver.run_until(lambda: any(player.candidate_placements for player in get_match(screen).players))
    for size in ((800, 700), (1920, 1080), (1000, 700)):
        driver.resize(*size)
    driver.press("Esc")
    assert isinstance(driver.screen, MenuScreen)
    assert len(list_replay_files()) == 4


def test_human_player_plays_in_real_time_and_all_games_are_saved(driver: WindowDriver) -> None:
    screen = start_match(driver, "dellacherie", "you", rules="gavrilov", speed=4)
    match = get_match(screen)
    human = match.players[0]
    assert human.is_human
    assert not match.settings.is_synchronised
    driver.hold("left")
    driver.run_frames(5)
    driver.release("left")
    driver.press("up", "down", "space")
    driver.run_until(lambda: human.game.pieces >= 1)
    driver.press("P")
    assert match.is_paused
    before = count_pieces(screen), human.game.falling_piece, human.game.frames
    driver.run_frames(60)
    driver.press("←")
    assert (count_pieces(screen), human.game.falling_piece, human.game.frames) == before
    driver.press("P")
    assert not match.is_paused
    driver.lose_focus()
    assert match.is_paused
    driver.press("Enter")
    assert not match.is_paused
    driver.run_until(lambda: count_pieces(screen)[1] >= MIN_UNFINISHED_AGENT_PIECES)
    games = {player.name: player.game for player in match.players}
    driver.quit()
    replays = [Replay.load(path) for path in list_replay_files()]
    assert {replay.agent for replay in replays} == {"you", "dellacherie"}
    for replay in replays:
        assert replay.play().position == games[str(replay.agent)].position
    assert any(replay.key_events for replay in replays)


def test_agents_wait_for_the_human_player_at_the_same_speed(driver: WindowDriver) -> None:
    screen: VersusScreen = driver.open_screen("versus", rules="standard", speed=30)
    driver.click("timing", x=0.2)
    assert screen.setup.is_synchronised
    driver.run_until(lambda: screen.setup.validation.result)
    driver.click("start")
    driver.run_until(lambda: screen.match is not None and count_pieces(screen)[1] == 1)
    driver.run_frames(30)
    assert count_pieces(screen) == [0, 1]
    driver.press("space")
    driver.run_until(lambda: count_pieces(screen)[1] == 2)
    assert count_pieces(screen)[0] == 1


def test_failing_agent_shows_an_error_and_the_others_continue(driver: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FAILING_AGENT, encoding="utf-8")
    consent_to_path(tmp_path / "mine.py")
    screen = start_match(driver, "mine.py:Mine", "lowest", rules="standard:height=5")
    match = get_match(screen)
    driver.run_until(lambda: match.is_over)
    driver.run_frames(2)
    failing, lowest = match.players
    assert "two are enough" in failing.problem
    assert failing.game.pieces == 2 < lowest.game.pieces
    assert "overlay Next game" in driver.window.ui.focusable_names
    driver.press("N")
    assert get_match(screen) is not match
    assert get_match(screen).settings.seed == 8
    assert len(list_replay_files()) == 1, "an agent's unfinished game of two pieces is not saved"
    driver.run_frames(2)
    driver.press("P", "Esc")
    assert isinstance(driver.screen, MenuScreen)


@pytest.mark.parametrize(("speed", "text"), [(10, "10 moves per second"), (2.5, "2.5 moves per second")])
def test_match_runs_at_the_speed_that_was_asked_for(driver: WindowDriver, speed: float, text: str) -> None:
    screen = start_match(driver, "dellacherie", "lowest", speed=speed)
    driver.run_frames(3)
    assert (get_match(screen).speed, screen.setup.speed) == (speed, speed)
    assert text in check_texts(driver)


def test_speed_keys_lead_to_the_next_speeds_of_the_slider() -> None:
    assert [change_speed(speed, -1) for speed in (10, 8, 0.5, inf)] == [8, 6, 0.5, 8000]
    assert [change_speed(speed, 1) for speed in (10, 8, 0.6, inf)] == [12, 12, 1, inf]


def test_speed_slider_and_change_of_players_during_a_pause(driver: WindowDriver) -> None:
    screen = start_match(driver, "dellacherie", "lowest", speed=2)
    driver.click("speed", x=0.99)
    assert get_match(screen).speed == 30
    driver.click("Pause")
    driver.click("overlay Change players")
    assert screen.match is None
    driver.run_frames(2)
    assert screen.setup.players == ["dellacherie", "lowest"]
    assert screen.setup.speed == 30


def test_queue_shows_the_pieces_that_players_can_see(driver: WindowDriver) -> None:
    screen = start_match(driver, "dellacherie", "lowest", rules="gavrilov", speed=0.5)
    match = get_match(screen)
    game = match.players[0].game
    assert match.get_pieces(0, 4) == [game.piece, game.next, "", ""]
    driver.press("P")
    first, second = (player.game for player in match.players)
    placed = []
    for _ in range(6):
        placed.append(first.piece)
        first.place(first.placements()[0])
    assert match.get_pieces(0, 8) == [*placed, first.piece, first.next]
    assert make_queue_slots(match, 8)[6] == (first.piece, [0])
    assert make_queue_slots(match, 8)[0] == (second.piece, [1])
    assert make_queue_slots(match, 5)[4] == ("+6", [0])


def make_player(name: str, score: int, lines: int) -> MatchPlayer:
    game = SimpleNamespace(score=score, lines=lines)
    return cast(MatchPlayer, SimpleNamespace(name=name, is_human=name == "you", game=game, ranking_key=(score, lines)))


def make_finished_match(*players: MatchPlayer) -> VersusMatch:
    ranking = sorted(players, key=lambda player: player.ranking_key, reverse=True)
    return cast(VersusMatch, SimpleNamespace(ranking=ranking))


def test_descriptions_of_lead_and_result() -> None:
    you = make_player("you", 2560, 31)
    lee = make_player("lee", 1380, 34)
    du = make_player("du", 1380, 30)
    assert describe_lead([lee, you]) == "You lead by 1,180 points"
    assert describe_lead([lee, make_player("du", 1379, 0)]) == "lee leads by 1 point"
    assert describe_lead([lee, du]) == "Tied at 1,380 points"
    assert describe_lead([make_player("lowest", 3, 3), lee, du]) == "2 players are tied at 1,380 points"
    assert describe_result(make_finished_match(lee, you)) == ("You win by 1,180 points", ["31 lines to 34."])
    assert describe_result(make_finished_match(lee, du)) == (
        "lee wins by 4 lines",
        ["34 lines to 30, with 1,380 points each."],
    )
    equal_player = make_player("du", 1380, 34)
    assert describe_result(make_finished_match(lee, equal_player)) == (
        "Draw",
        ["lee and du have 1,380 points and 34 lines."],
    )
    assert describe_result(make_finished_match(lee, you, du))[1][1] == "You 2,560 · lee 1,380 · du 1,380"


@pytest.mark.parametrize(
    ("players", "rules", "message"),
    [
        (["you"], "", "two to four"),
        (["lee"] * 5, "", "given 5"),
        (["you", "you"], "", "Only one human player"),
        (["lee", "medico"], "", "lee for standard.*, medico for medico"),
        (["lee", "du"], "standard:randomiser=adversary", "cannot share"),
        (["lee", "du:depth=3"], "gavrilov", "gavrilov:preview=2"),
        (["you", "lee"], "standard:gravity=0,lock_keys=none", "pieces do not fall"),
    ],
)
def test_invalid_match_setups(players: list[str], rules: str, message: str) -> None:
    with pytest.raises(TetrionError, match=message):
        make_match_setup(players, rules)


@pytest.mark.parametrize("size", [(800, 700), (1000, 760), (1280, 800), (1422, 800)])
def test_match_layout_does_not_overlap(size: tuple[int, int]) -> None:
    pen = Pen(pygame.Surface(size))
    screen_area = compute_screen_area(pen)
    for players, height in itertools.product((2, 3, 4), (10, 20, 22)):
        layout = compute_match_layout(pen, screen_area, height, players)
        boxes: list[Box] = [layout.lead_bar, layout.queue, *layout.side_panels, *layout.board_headers]
        boxes += [board.box for board in layout.boards]
        assert all(screen_area.content.contains(box) for box in boxes)
        assert not any(one.colliderect(other) for one, other in itertools.combinations(boxes, 2))
        assert len({board.cell_size for board in layout.boards}) == 1


def test_modern_match_shows_the_attack(driver: WindowDriver) -> None:
    for players in (("lee", "dellacherie"), ("lee", "dellacherie", "gavrilov")):
        match = get_match(start_match(driver, *players, rules="jstris"))
        match.set_paused()
        for player in match.players:
            player.game.play("modern-1", 40)
        texts = " ".join(drawn.text for drawn in record_texts(driver)).lower()
        for player in match.players:
            assert player.attack == player.game.attack > 0
            assert f"attack {player.attack}" in texts
        driver.window.close_screen()
    assert get_match(start_match(driver, "lee", "gavrilov")).players[0].attack is None
    assert "attack" not in check_texts(driver).lower()
