"""Games between two aggregate heights."""

import numpy as np
import pytest

from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.engine.agent_records import EngineAgent
from tetrion.engine.batch_play import (
    NO_LOWER_HEIGHT,
    UNLIMITED,
    EngineSettings,
    make_games,
    play_drops_between_heights,
    play_local_drops_between_heights,
    play_with_lookahead_between_heights,
    select_fastest_play,
)
from tetrion.engine.compiler import CompiledFunction
from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.engine.records import GameRecords
from tetrion.engine.rules import Rules

DU = make_engine_agent(load_weighted_agent("du"))
PlayFunction = CompiledFunction[[GameRecords, EngineSettings, int], int]


def measure_heights(games: GameRecords) -> np.ndarray:
    """Return the aggregate heights, counted cell by cell."""
    return np.array([sum(int(column).bit_length() for column in game.board) for game in games])


def play_piece_by_piece(games: GameRecords, settings: EngineSettings) -> None:
    """Play games without height limits, one piece at a time, and cap them at the limits of the settings."""
    without_limits = settings._replace(lower_height=NO_LOWER_HEIGHT, upper_height=UNLIMITED)
    play = select_fastest_play(without_limits)
    for index in range(len(games)):
        game = games[index : index + 1]
        while game["status"][0] == STATUS_PLAYING:
            play(game, without_limits, 1)
            height = measure_heights(game)[0]
            is_outside = height <= settings.lower_height or height >= settings.upper_height
            if game["status"][0] == STATUS_PLAYING and is_outside:
                game["status"] = STATUS_CAPPED


@pytest.mark.parametrize(
    ("agent", "play"),
    [
        (DU, play_local_drops_between_heights),
        (EngineAgent({"landing_height": -1.0, "holes": -4.0, "bumpiness": -1.0}), play_drops_between_heights),
        pytest.param(DU._replace(depth=2), play_with_lookahead_between_heights, marks=pytest.mark.slow),
    ],
)
def test_games_are_capped_at_the_first_piece_that_reaches_a_limit(agent: EngineAgent, play: PlayFunction) -> None:
    """Games are played up to a limit, then down to another one or until they end, as without limits."""
    settings = EngineSettings.from_agents([agent], Rules.parse("standard:height=6,preview=1,randomiser=bag"))
    games, expected = make_games(12, 3), make_games(12, 3)
    for lower, upper in ((NO_LOWER_HEIGHT, 25), (15, UNLIMITED), (NO_LOWER_HEIGHT, 35), (15, 45)):
        between = settings._replace(lower_height=lower, upper_height=upper)
        assert select_fastest_play(between) is play
        for records in (games, expected):
            records["status"][records["status"] == STATUS_CAPPED] = STATUS_PLAYING
        play(games, between, UNLIMITED)
        play_piece_by_piece(expected, between)
        assert games.tobytes() == expected.tobytes()
        living = games[games["status"] != STATUS_OVER]
        heights = measure_heights(living)
        assert ((heights <= lower) | (heights >= upper)).all()
    assert len(living)
