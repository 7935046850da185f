"""Matches without a window: who can play, the shared pieces, and the result in words."""

import time
from collections.abc import Callable

import pygame

from tetrion.app.game_storage import MIN_UNFINISHED_AGENT_PIECES, list_replay_files
from tetrion.app.games.human_rules import HumanControls
from tetrion.app.games.match import Match, MatchSettings, make_match_setup
from tetrion.app.window_settings import WindowSettings


def start_match(*players: str, rules: str, is_synchronised: bool = True, speed: float = 30.0) -> Match:
    """Start a match with the seed 7 and wait until its agents are loaded."""
    pygame.init()
    settings = MatchSettings(players, make_match_setup(players, rules), 7, is_synchronised, speed)
    match = Match(settings, HumanControls(WindowSettings().keys), play_sound=lambda name: None)
    run_until(match, lambda: not match.waiting_message)
    return match


def run_until(match: Match, condition: Callable[[], object]) -> None:
    """Update a match until a condition is true."""
    end = time.monotonic() + 300
    while not condition():
        assert time.monotonic() < end
        assert match.update(1 / 60) == []
        time.sleep(0.001)


def test_agents_place_the_same_pieces_together() -> None:
    match = start_match("dellacherie", "dellacherie", rules="standard-10x10")
    assert [player.name for player in match.players] == ["dellacherie", "dellacherie (2)"]
    differences = set()

    def have_enough_pieces() -> bool:
        counts = [player.game.pieces for player in match.players]
        differences.add(max(counts) - min(counts))
        return min(counts) >= MIN_UNFINISHED_AGENT_PIECES

    run_until(match, have_enough_pieces)
    assert differences <= {0, 1}
    first, second = ([each.piece for each in player.game.placements_made[:8]] for player in match.players)
    assert first == second
    assert match.close() == []
    assert len(list_replay_files()) == 2


def test_queue_has_the_pieces_that_a_player_can_see() -> None:
    match = start_match("lowest", "you", rules="gavrilov", is_synchronised=False)
    person, agent = match.players
    assert person is match.person, "the person is the first player"
    run_until(match, lambda: agent.game.pieces == 6)
    placed = "".join(placement.piece for placement in agent.game.placements_made)
    visible = placed + agent.game.piece + agent.game.next
    assert placed.startswith(person.game.piece + person.game.next)
    assert match.list_queue(9) == [(letter, {0: [0], 6: [1]}.get(n, [])) for n, letter in enumerate([*visible, ""])]
    assert match.list_queue(3) == [(visible[0], [0]), (visible[1], []), ("+6", [1])]
    match.close()
