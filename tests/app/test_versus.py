"""Versus: matches between agents and a person, driven by events."""

import itertools
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pygame
import pytest

from app.driving import Driver
from tetrion.app.games.match import Match, lead_words, result_words
from tetrion.app.games.meeting import called, checked_match
from tetrion.app.games.players import Player
from tetrion.app.screens.menu import MenuScreen
from tetrion.app.screens.versus import VersusScreen
from tetrion.app.screens.versus_layout import layout_of
from tetrion.app.screens.versus_queue import slots_of
from tetrion.app.shelf import replay_files
from tetrion.app.toolkit.chrome import room_of
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


def begun(driver: Driver, *players: str, rules: str = SHORT, speed: float = 30.0, **options: Any) -> VersusScreen:
    """A match that has begun."""
    screen: VersusScreen = driver.open("versus", players=players, rules=rules, seed=7, speed=speed, **options)
    driver.until(lambda: screen.match is not None and not screen.match.waits_for)
    return screen


def match_of(screen: VersusScreen) -> Match:
    assert screen.match is not None
    return screen.match


def pieces(screen: VersusScreen) -> list[int]:
    return [player.game.pieces for player in match_of(screen).players]


def test_choices_lead_to_a_match(driver: Driver) -> None:
    screen: VersusScreen = driver.open("versus")
    driver.until(lambda: screen.setup.checking.agreed)
    assert driver.window.ui.focus == "start"
    driver.click("add")
    assert screen.setup.players == ["you", "lee", "dellacherie"]
    driver.click("player 1")
    driver.type("lowest")
    driver.press("Enter")
    assert screen.setup.players[0] == "lowest"
    driver.click("remove 2")
    assert screen.setup.players == ["lowest", "dellacherie"]
    driver.until(lambda: screen.setup.checking.agreed)
    agreed = screen.setup.checking.agreed
    assert agreed is not None
    assert str(agreed.rules) == "gavrilov"
    driver.click("seed kind", x=0.9)
    driver.click("seed")
    driver.type("42")
    driver.frames()
    driver.click("start")
    driver.until(lambda: screen.match)
    assert match_of(screen).terms[:1] + match_of(screen).terms[2:4] == (("lowest", "dellacherie"), 42, True)


def test_a_dropped_file_is_a_player_and_a_wrong_one_is_told(driver: Driver, tmp_path: Path) -> None:
    screen: VersusScreen = driver.open("versus")
    path = tmp_path / "none.json"
    pygame.event.post(pygame.event.Event(pygame.DROPFILE, file=str(path)))
    driver.frames(2)
    assert screen.setup.players == ["you", str(path)]
    driver.until(lambda: screen.setup.checking.problem)
    driver.frames()
    assert "none.json" in screen.setup.checking.problem
    assert "start" not in driver.window.ui.names


def test_agents_place_the_same_pieces_together(driver: Driver) -> None:
    screen = begun(driver, "dellacherie", "lowest", "gavrilov", "dellacherie")
    seen = []
    while min(pieces(screen)) < 4:
        driver.frames()
        time.sleep(0.001)
        seen.append(pieces(screen))
    assert all(max(each) - min(each) <= 1 for each in seen)
    sequences = [[made.piece for made in player.game.placements_made[:4]] for player in match_of(screen).players]
    assert all(sequence == sequences[0] for sequence in sequences)
    assert [player.name for player in match_of(screen).players][3] == "dellacherie (2)"
    driver.press("T")
    driver.until(lambda: any(player.considered for player in match_of(screen).players))
    for size in ((800, 700), (1920, 1080), (1000, 700)):
        driver.resize(*size)
    driver.press("Esc")
    assert isinstance(driver.screen, MenuScreen)
    assert len(replay_files()) == 4


def test_a_person_plays_in_real_time_and_everything_is_kept(driver: Driver) -> None:
    screen = begun(driver, "dellacherie", "you", rules="gavrilov", speed=4)
    match = match_of(screen)
    person = match.players[0]
    assert person.person
    assert not match.terms.together
    driver.hold("left")
    driver.frames(5)
    driver.release("left")
    driver.press("up", "down", "space")
    driver.until(lambda: person.game.pieces >= 1)
    driver.press("P")
    assert match.paused
    before = pieces(screen), person.game.falling, person.game.frames
    driver.frames(60)
    driver.press("←")
    assert (pieces(screen), person.game.falling, person.game.frames) == before
    driver.press("P")
    assert not match.paused
    driver.lose_focus()
    assert match.paused
    driver.press("Enter")
    assert not match.paused
    driver.until(lambda: pieces(screen)[1] >= 2)
    games = {player.name: player.game for player in match.players}
    driver.quit()
    kept = [Replay.load(path) for path in replay_files()]
    assert {replay.agent for replay in kept} == {"you", "dellacherie"}
    for replay in kept:
        assert replay.play().position == games[str(replay.agent)].position
    assert any(replay.keys for replay in kept)


def test_agents_wait_for_a_person_who_plays_together_with_them(driver: Driver) -> None:
    screen: VersusScreen = driver.open("versus", rules="standard", speed=30)
    driver.click("pace", x=0.2)
    assert screen.setup.together
    driver.until(lambda: screen.setup.checking.agreed)
    driver.click("start")
    driver.until(lambda: screen.match is not None and pieces(screen)[1] == 1)
    driver.frames(30)
    assert pieces(screen) == [0, 1]
    driver.press("space")
    driver.until(lambda: pieces(screen)[1] == 2)
    assert pieces(screen)[0] == 1


def test_a_mistake_is_told_and_the_others_go_on_to_a_result(driver: Driver, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MISTAKEN, encoding="utf-8")
    screen = begun(driver, "mine.py:Mine", "lowest", rules="standard:height=5")
    match = match_of(screen)
    driver.until(lambda: match.over)
    driver.frames(2)
    mine, lowest = match.players
    assert "two are enough" in mine.problem
    assert mine.game.pieces == 2 < lowest.game.pieces
    assert "overlay Rematch" in driver.window.ui.names
    driver.press("R")
    assert match_of(screen) is not match
    assert match_of(screen).terms.seed == 8
    assert len(replay_files()) == 2
    driver.frames(2)
    driver.press("P", "Esc")
    assert isinstance(driver.screen, MenuScreen)


def test_players_can_be_changed_from_a_pause_and_speed_by_the_slider(driver: Driver) -> None:
    screen = begun(driver, "dellacherie", "lowest", speed=2)
    driver.click("speed", x=0.99)
    assert match_of(screen).speed == 30
    driver.click("Pause")
    driver.click("overlay Change players")
    assert screen.match is None
    driver.frames(2)
    assert screen.setup.players == ["dellacherie", "lowest"]
    assert screen.setup.speed == 30


def test_the_queue_shows_what_somebody_may_see(driver: Driver) -> None:
    screen = begun(driver, "dellacherie", "lowest", rules="gavrilov", speed=0.5)
    match = match_of(screen)
    game = match.players[0].game
    assert match.pieces(0, 4) == [game.piece, game.next, "", ""]
    driver.press("P")
    first, second = (player.game for player in match.players)
    known = []
    for _ in range(6):
        known.append(first.piece)
        first.place(first.placements()[0])
    assert match.pieces(0, 8) == [*known, first.piece, first.next]
    assert slots_of(match, 8)[6] == (first.piece, [0])
    assert slots_of(match, 8)[0] == (second.piece, [1])
    assert slots_of(match, 5)[4] == ("+6", [0])


def somebody(name: str, score: int, lines: int) -> Player:
    game = SimpleNamespace(score=score, lines=lines)
    return cast(Player, SimpleNamespace(name=name, person=name == "you", game=game, standing=(score, lines)))


def ended(*players: Player) -> Match:
    ranking = sorted(players, key=lambda player: player.standing, reverse=True)
    return cast(Match, SimpleNamespace(ranking=ranking))


def test_who_leads_and_who_wins_in_words() -> None:
    you, lee, du = somebody("you", 2560, 31), somebody("lee", 1380, 34), somebody("du", 1380, 30)
    assert lead_words([lee, you]) == "You lead by 1,180 points"
    assert lead_words([lee, somebody("du", 1379, 0)]) == "lee leads by 1 point"
    assert lead_words([lee, du]) == "Level at 1,380 points"
    assert lead_words([somebody("lowest", 3, 3), lee, du]) == "2 are level at 1,380 points"
    assert result_words(ended(lee, you)) == ("You win by 1,180 points", ["31 lines to 34."])
    assert result_words(ended(lee, du)) == ("lee wins by 4 lines", ["34 lines to 30, with 1,380 points each."])
    same = somebody("du", 1380, 34)
    assert result_words(ended(lee, same)) == ("A draw", ["lee and du have 1,380 points and 34 lines."])
    assert result_words(ended(lee, you, du))[1][1] == "You 2,560 · lee 1,380 · du 1,380"
    assert called(["lee", "du", "lee"]) == ("lee", "du", "lee (2)")


@pytest.mark.parametrize(
    ("players", "rules", "told"),
    [
        (["you"], "", "two to four"),
        (["lee"] * 5, "", "given 5"),
        (["you", "you"], "", "one keyboard"),
        (["lee", "du"], "standard:randomiser=adversary", "cannot share"),
        (["lee", "du:depth=3"], "gavrilov", "gavrilov:preview=2"),
        (["you", "lee"], "standard:gravity=0,lock_keys=none", "nothing falls"),
    ],
)
def test_who_cannot_meet(players: list[str], rules: str, told: str) -> None:
    with pytest.raises(TetrionError, match=told):
        checked_match(players, rules)


@pytest.mark.parametrize("size", [(800, 700), (1000, 760), (1280, 800), (1422, 800)])
def test_nothing_overlaps(size: tuple[int, int]) -> None:
    pen = Pen(pygame.Surface(size))
    room = room_of(pen)
    for players, height in itertools.product((2, 3, 4), (10, 20, 22)):
        layout = layout_of(pen, room, height, players)
        boxes: list[Box] = [layout.lead, layout.queue, *layout.sides, *layout.heads]
        boxes += [board.box for board in layout.boards]
        assert all(room.content.contains(box) for box in boxes)
        assert not any(one.colliderect(other) for one, other in itertools.combinations(boxes, 2))
        assert len({board.cell for board in layout.boards}) == 1
