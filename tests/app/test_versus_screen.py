"""Versus: matches between agents and a person, driven by events."""

import itertools
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pygame
import pytest

from app.window_driver import WindowDriver
from tetrion.app.game_storage import list_replay_files
from tetrion.app.games.match_players import MatchPlayer
from tetrion.app.games.match_setup import make_match_setup, number_duplicate_names
from tetrion.app.games.versus_match import VersusMatch, describe_lead, describe_result
from tetrion.app.screens.menu_screen import MenuScreen
from tetrion.app.screens.versus_layout import compute_match_layout
from tetrion.app.screens.versus_queue import make_queue_slots
from tetrion.app.screens.versus_screen import VersusScreen
from tetrion.app.toolkit.header_footer import compute_screen_area
from tetrion.drawing.pen import Box, Pen
from tetrion.errors import TetrionError
from tetrion.replay import Replay

SHORT = "standard-10x10"
MISTAKEN = """
class Mine:
    def choose(self, position):
        if position.pieces == 2:
            raise RuntimeError("two are enough")
        return position.placements()[0]
"""


def begun(driver: WindowDriver, *players: str, rules: str = SHORT, speed: float = 30.0, **options: Any) -> VersusScreen:
    """A match that has begun."""
    screen: VersusScreen = driver.open_screen("versus", players=players, rules=rules, seed=7, speed=speed, **options)
    driver.run_until(lambda: screen.match is not None and not screen.match.waiting_message)
    return screen


def match_of(screen: VersusScreen) -> VersusMatch:
    assert screen.match is not None
    return screen.match


def pieces(screen: VersusScreen) -> list[int]:
    return [player.game.pieces for player in match_of(screen).players]


def test_choices_lead_to_a_match(driver: WindowDriver) -> None:
    screen: VersusScreen = driver.open_screen("versus")
    driver.run_until(lambda: screen.setup.validation.result)
    assert driver.window.ui.focus == "start"
    driver.click("add")
    assert screen.setup.players == ["you", "lee", "dellacherie"]
    driver.click("player 1")
    driver.type("lowest")
    driver.press("Enter")
    assert screen.setup.players[0] == "lowest"
    driver.click("remove 2")
    assert screen.setup.players == ["lowest", "dellacherie"]
    driver.run_until(lambda: screen.setup.validation.result)
    agreed = screen.setup.validation.result
    assert agreed is not None
    assert str(agreed.rules) == "gavrilov"
    driver.click("seed kind", x=0.9)
    driver.click("seed")
    driver.type("42")
    driver.run_frames()
    driver.click("start")
    driver.run_until(lambda: screen.match)
    assert match_of(screen).settings[:1] + match_of(screen).settings[2:4] == (("lowest", "dellacherie"), 42, True)


def test_a_dropped_file_is_a_player_and_a_wrong_one_is_told(driver: WindowDriver, tmp_path: Path) -> None:
    screen: VersusScreen = driver.open_screen("versus")
    path = tmp_path / "none.json"
    pygame.event.post(pygame.event.Event(pygame.DROPFILE, file=str(path)))
    driver.run_frames(2)
    assert screen.setup.players == ["you", str(path)]
    driver.run_until(lambda: screen.setup.validation.problem)
    driver.run_frames()
    assert "none.json" in screen.setup.validation.problem
    assert "start" not in driver.window.ui.focusable_names


def test_agents_place_the_same_pieces_together(driver: WindowDriver) -> None:
    screen = begun(driver, "dellacherie", "lowest", "gavrilov", "dellacherie")
    seen = []
    while min(pieces(screen)) < 4:
        driver.run_frames()
        time.sleep(0.001)
        seen.append(pieces(screen))
    assert all(max(each) - min(each) <= 1 for each in seen)
    sequences = [[made.piece for made in player.game.placements_made[:4]] for player in match_of(screen).players]
    assert all(sequence == sequences[0] for sequence in sequences)
    assert [player.name for player in match_of(screen).players][3] == "dellacherie (2)"
    driver.press("T")
    driver.run_until(lambda: any(player.candidate_placements for player in match_of(screen).players))
    for size in ((800, 700), (1920, 1080), (1000, 700)):
        driver.resize(*size)
    driver.press("Esc")
    assert isinstance(driver.screen, MenuScreen)
    assert len(list_replay_files()) == 4


def test_a_person_plays_in_real_time_and_everything_is_kept(driver: WindowDriver) -> None:
    screen = begun(driver, "dellacherie", "you", rules="gavrilov", speed=4)
    match = match_of(screen)
    person = match.players[0]
    assert person.is_human
    assert not match.settings.is_synchronised
    driver.hold("left")
    driver.run_frames(5)
    driver.release("left")
    driver.press("up", "down", "space")
    driver.run_until(lambda: person.game.pieces >= 1)
    driver.press("P")
    assert match.is_paused
    before = pieces(screen), person.game.falling_piece, person.game.frames
    driver.run_frames(60)
    driver.press("←")
    assert (pieces(screen), person.game.falling_piece, person.game.frames) == before
    driver.press("P")
    assert not match.is_paused
    driver.lose_focus()
    assert match.is_paused
    driver.press("Enter")
    assert not match.is_paused
    driver.until(lambda: pieces(screen)[1] >= 2)
    games = {player.name: player.game for player in match.players}
    driver.quit()
    kept = [Replay.load(path) for path in list_replay_files()]
    assert {replay.agent for replay in kept} == {"you", "dellacherie"}
    for replay in kept:
        assert replay.play().position == games[str(replay.agent)].position
    assert any(replay.keys for replay in kept)


def test_agents_wait_for_a_person_who_plays_together_with_them(driver: WindowDriver) -> None:
    screen: VersusScreen = driver.open_screen("versus", rules="standard", speed=30)
    driver.click("pace", x=0.2)
    assert screen.setup.is_synchronised
    driver.run_until(lambda: screen.setup.validation.result)
    driver.click("start")
    driver.run_until(lambda: screen.match is not None and pieces(screen)[1] == 1)
    driver.run_frames(30)
    assert pieces(screen) == [0, 1]
    driver.press("space")
    driver.run_until(lambda: pieces(screen)[1] == 2)
    assert pieces(screen)[0] == 1


def test_a_mistake_is_told_and_the_others_go_on_to_a_result(driver: WindowDriver, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MISTAKEN, encoding="utf-8")
    screen = begun(driver, "mine.py:Mine", "lowest", rules="standard:height=5")
    match = match_of(screen)
    driver.run_until(lambda: match.is_over)
    driver.run_frames(2)
    mine, lowest = match.players
    assert "two are enough" in mine.problem
    assert mine.game.pieces == 2 < lowest.game.pieces
    assert "overlay Rematch" in driver.window.ui.focusable_names
    driver.press("R")
    assert match_of(screen) is not match
    assert match_of(screen).settings.seed == 8
    assert len(list_replay_files()) == 2
    driver.run_frames(2)
    driver.press("P", "Esc")
    assert isinstance(driver.screen, MenuScreen)


def test_players_can_be_changed_from_a_pause_and_speed_by_the_slider(driver: WindowDriver) -> None:
    screen = begun(driver, "dellacherie", "lowest", speed=2)
    driver.click("speed", x=0.99)
    assert match_of(screen).speed == 30
    driver.click("Pause")
    driver.click("overlay Change players")
    assert screen.match is None
    driver.run_frames(2)
    assert screen.setup.players == ["dellacherie", "lowest"]
    assert screen.setup.speed == 30


def test_the_queue_shows_what_somebody_may_see(driver: WindowDriver) -> None:
    screen = begun(driver, "dellacherie", "lowest", rules="gavrilov", speed=0.5)
    match = match_of(screen)
    game = match.players[0].game
    assert match.get_pieces(0, 4) == [game.piece, game.next, "", ""]
    driver.press("P")
    first, second = (player.game for player in match.players)
    known = []
    for _ in range(6):
        known.append(first.piece)
        first.place(first.placements()[0])
    assert match.get_pieces(0, 8) == [*known, first.piece, first.next]
    assert make_queue_slots(match, 8)[6] == (first.piece, [0])
    assert make_queue_slots(match, 8)[0] == (second.piece, [1])
    assert make_queue_slots(match, 5)[4] == ("+6", [0])


def somebody(name: str, score: int, lines: int) -> MatchPlayer:
    game = SimpleNamespace(score=score, lines=lines)
    return cast(MatchPlayer, SimpleNamespace(name=name, person=name == "you", game=game, standing=(score, lines)))


def ended(*players: MatchPlayer) -> VersusMatch:
    ranking = sorted(players, key=lambda player: player.ranking_key, reverse=True)
    return cast(VersusMatch, SimpleNamespace(ranking=ranking))


def test_who_leads_and_who_wins_in_words() -> None:
    you = somebody("you", 2560, 31)
    lee = somebody("lee", 1380, 34)
    du = somebody("du", 1380, 30)
    assert describe_lead([lee, you]) == "You lead by 1,180 points"
    assert describe_lead([lee, somebody("du", 1379, 0)]) == "lee leads by 1 point"
    assert describe_lead([lee, du]) == "Tied at 1,380 points"
    assert describe_lead([somebody("lowest", 3, 3), lee, du]) == "2 players are tied at 1,380 points"
    assert describe_result(ended(lee, you)) == ("You win by 1,180 points", ["31 lines to 34."])
    assert describe_result(ended(lee, du)) == ("lee wins by 4 lines", ["34 lines to 30, with 1,380 points each."])
    same = somebody("du", 1380, 34)
    assert describe_result(ended(lee, same)) == ("Draw", ["lee and du have 1,380 points and 34 lines."])
    assert describe_result(ended(lee, you, du))[1][1] == "You 2,560 · lee 1,380 · du 1,380"
    assert number_duplicate_names(["lee", "du", "lee"]) == ("lee", "du", "lee (2)")


@pytest.mark.parametrize(
    ("players", "rules", "told"),
    [
        (["you"], "", "two to four"),
        (["lee"] * 5, "", "given 5"),
        (["you", "you"], "", "Only one person"),
        (["lee", "du"], "standard:randomiser=adversary", "cannot share"),
        (["lee", "du:depth=3"], "gavrilov", "gavrilov:preview=2"),
        (["you", "lee"], "standard:gravity=0,lock_keys=none", "pieces do not fall"),
    ],
)
def test_who_cannot_meet(players: list[str], rules: str, told: str) -> None:
    with pytest.raises(TetrionError, match=told):
        make_match_setup(players, rules)


@pytest.mark.parametrize("size", [(800, 700), (1000, 760), (1280, 800), (1422, 800)])
def test_nothing_overlaps(size: tuple[int, int]) -> None:
    pen = Pen(pygame.Surface(size))
    room = compute_screen_area(pen)
    for players, height in itertools.product((2, 3, 4), (10, 20, 22)):
        layout = compute_match_layout(pen, room, height, players)
        boxes: list[Box] = [layout.lead_bar, layout.queue, *layout.side_panels, *layout.board_headers]
        boxes += [board.box for board in layout.boards]
        assert all(room.content.contains(box) for box in boxes)
        assert not any(one.colliderect(other) for one, other in itertools.combinations(boxes, 2))
        assert len({board.cell_size for board in layout.boards}) == 1
