from functools import partial

import pytest

from benchmarks import pages
from benchmarks.others.__main__ import make_tetrion_rows, measure_in_turns, parse_rate, select_programs, summarise_rates
from benchmarks.others.environments import OTHER_PROGRAMS, find_error_line
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


def test_error_line_has_no_folders() -> None:
    output = "Traceback\n  File x\n    urllib.error.URLError: <no name>\n\nerror: subprocess-exited\nnote: see\n"
    assert find_error_line(output) == "urllib.error.URLError: <no name>"
    assert (
        find_error_line("WARNING: old\nERROR: No file '/home/me/it/setup.py' here\n")
        == "ERROR: No file 'setup.py' here"
    )
    assert find_error_line("killed\n") == "killed"
    assert find_error_line("") == "nothing was printed"


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


def test_tables_of_programs() -> None:
    tetrion = {
        "name": LANES_NAME,
        "description": "`du` chooses",
        "pieces_per_second": 3e6,
        "ratio_agent": 1.0,
        "ratio_environment": 2.0,
    }
    depth_two = {
        "name": "Tetrion, depth 2",
        "description": "`du` with depth 2",
        "pieces_per_second": 1e5,
        "ratio_agent": 30,
        "ratio_environment": 60,
    }
    jumanji = {
        "name": "jumanji",
        "description": "drops",
        "version": "1",
        "pieces_per_second": 2e3,
        "ratio_agent": 1500,
        "ratio_environment": 3e3,
    }
    result = {"rows": [tetrion, depth_two, jumanji], "failed": [{"name": "lost", "reason": "no name"}], "rounds": 5}
    result |= {"command": "it", "processor": "this", "date": "today"}
    assert pages.format_others(result).splitlines()[2:] == [
        f"| {LANES_NAME}: `du` chooses | 3,000,000 | 1 | – |",
        "| Tetrion, depth 2: `du` with depth 2 | 100,000 | – | – |",
        "| jumanji (1): drops | 2,000 | 1,500 | 3,000 |",
        "",
        "- lost could not be measured: `no name`",
        "",
        "A factor is the median of the ratios of the 5 rounds, not the ratio of the medians.",
        "",
        "Measured with `it` (this, one core, today, median of 5 alternating rounds)",
    ]
    assert pages.format_others_short(result).splitlines()[2:4] == [
        f"| {LANES_NAME}: `du` chooses | 3,000,000 | 1 |",
        "| jumanji (1): drops | 2,000 | 1,500 |",
    ]
    tetrion_rows = {row["name"] for row, _ in make_tetrion_rows(1)}
    assert set(pages.SHORT_TABLE_PROGRAMS) <= tetrion_rows | {"C++, hand-written AVX-512"} | {
        other.name for other in OTHER_PROGRAMS
    }


def test_rate_is_parsed_from_the_program_output() -> None:
    assert parse_rate("simd lines=79 games=0  cpu 0.035s  5712570 pieces/s\n") == 5712570
    with pytest.raises(SystemExit, match="Expected 'N pieces/s' in the output of the program; given: help"):
        parse_rate("help")
