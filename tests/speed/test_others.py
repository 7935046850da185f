from functools import partial

import pytest

from benchmarks.others.__main__ import measure_in_turns, parse_rate, select_programs, summarise_rates
from benchmarks.others.environments import OTHER_PROGRAMS
from benchmarks.others.program_players import PLAYERS, make_hard_drop_player

LANES_NAME, ENVIRONMENT_NAME = "Tetrion, SIMD", "Tetrion, vector environment"


def test_all_programs_have_a_player_and_a_unique_name() -> None:
    assert {program.player for program in OTHER_PROGRAMS} == set(PLAYERS)
    assert len({program.name for program in OTHER_PROGRAMS}) == len(OTHER_PROGRAMS)


def test_programs_are_selected_by_name() -> None:
    assert [program.name for program in select_programs(["jumanji"])] == ["jumanji", "jumanji, one game"]
    assert select_programs([]) == list(OTHER_PROGRAMS)
    with pytest.raises(SystemExit, match=r"Unknown program 'chess'\. Available programs: tetris-gymnasium"):
        select_programs(["jumanji", "chess"])


def test_hard_drop_player_resets_finished_games() -> None:
    class Environment:
        games, pieces = 0, 0

        def reset(self) -> None:
            self.games += 1

        def step(self, key: int) -> tuple[None, int, bool]:
            self.pieces += 1
            return None, key, self.pieces % 10 == 0

    environment = Environment()
    play = make_hard_drop_player(environment, 2)
    assert play() + play() == environment.pieces == 100
    assert environment.games == 1 + 10


def test_rounds_alternate_and_ratios_are_per_round() -> None:
    calls: list[str] = []
    rates = {LANES_NAME: [100.0, 300.0, 200.0], ENVIRONMENT_NAME: [400.0, 600.0, 200.0], "it": [10.0, 20.0, 40.0]}

    def measure(name: str) -> float:
        calls.append(name)
        return rates[name][calls.count(name) - 1]

    assert measure_in_turns({name: partial(measure, name) for name in rates}, 3) == rates
    assert calls == [*rates] * 3
    [row] = summarise_rates([{"name": "it", "description": "drops"}], rates)
    assert row == {
        "name": "it",
        "description": "drops",
        "pieces_per_second": 20,
        "ratio_agent": 10,
        "ratio_environment": 30,
    }


def test_rate_is_parsed_from_the_program_output() -> None:
    assert parse_rate("simd lines=79 games=0  cpu 0.035s  5712570 pieces/s\n") == 5712570
    with pytest.raises(SystemExit, match="Expected 'N pieces/s' in the output of the program; given: help"):
        parse_rate("help")
