from functools import partial

import pytest
from benchmarks import pages, yardstick
from benchmarks.others.__main__ import measure_in_turns, select_programs, summarise_rates
from benchmarks.others.environments import OTHER_PROGRAMS, find_error_line
from benchmarks.others.program_players import PLAYERS, make_hard_drop_player

LANES_NAME, RANDOM_LANES_NAME = "Tetrion, SIMD", "Tetrion, SIMD, random"


def test_every_other_has_a_player_and_a_name_of_its_own() -> None:
    assert {other.player for other in OTHER_PROGRAMS} == set(PLAYERS)
    assert len({other.name for other in OTHER_PROGRAMS}) == len(OTHER_PROGRAMS)


def test_names_choose_others_and_an_unknown_one_is_told() -> None:
    assert [other.name for other in select_programs(["jumanji"])] == ["jumanji", "jumanji, one game"]
    assert select_programs([]) == list(OTHER_PROGRAMS)
    with pytest.raises(SystemExit, match="no program named chess; there are: tetris-gymnasium"):
        select_programs(["jumanji", "chess"])


def test_a_finished_game_of_hard_drops_begins_again() -> None:
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


def test_the_reason_of_a_failure_is_a_line_without_folders() -> None:
    printed = "Traceback\n  File x\n    urllib.error.URLError: <no name>\n\nerror: subprocess-exited\nnote: see\n"
    assert find_error_line(printed) == "urllib.error.URLError: <no name>"
    assert (
        find_error_line("WARNING: old\nERROR: No file '/home/me/it/setup.py' here\n")
        == "ERROR: No file 'setup.py' here"
    )
    assert find_error_line("killed\n") == "killed"
    assert find_error_line("") == "nothing was printed"


def test_rounds_are_in_turns_and_ratios_are_of_the_same_round() -> None:
    asked: list[str] = []
    rates = {LANES_NAME: [100.0, 300.0, 200.0], RANDOM_LANES_NAME: [400.0, 600.0, 200.0], "it": [10.0, 20.0, 40.0]}

    def measure(name: str) -> float:
        asked.append(name)
        return rates[name][asked.count(name) - 1]

    assert measure_in_turns({name: partial(measure, name) for name in rates}, 3) == rates
    assert asked == [*rates] * 3
    [row] = summarise_rates([{"name": "it", "does": "drops"}], rates)
    assert row == {"name": "it", "does": "drops", "pieces_per_second": 20, "decides": 10, "by_lot": 30}


def test_tables_of_others() -> None:
    ours = {"name": LANES_NAME, "does": "`du` chooses", "pieces_per_second": 3e6, "decides": 1.0, "by_lot": 2.0}
    two = {"name": "Tetrion, depth 2", "does": "`du` looks", "pieces_per_second": 1e5, "decides": 30, "by_lot": 60}
    it = {"name": "jumanji", "does": "drops", "version": "1", "pieces_per_second": 2e3, "decides": 1500, "by_lot": 3e3}
    result = {"rows": [ours, two, it], "failed": [{"name": "lost", "reason": "no name"}], "rounds": 5}
    result |= {"command": "it", "processor": "this", "date": "today"}
    assert pages.format_others(result).splitlines()[2:] == [
        f"| {LANES_NAME}: `du` chooses | 3,000,000 | 1 | – |",
        "| Tetrion, depth 2: `du` looks | 100,000 | – | – |",
        "| jumanji (1): drops | 2,000 | 1,500 | 3,000 |",
        "",
        "- lost is not measured: `no name`",
        "",
        "`it` (this, one core, today, medians of 5 rounds in turns)",
    ]
    assert pages.format_others_short(result).splitlines()[2:4] == [
        f"| {LANES_NAME}: `du` chooses | 3,000,000 | 1 |",
        "| jumanji (1): drops | 2,000 | 1,500 |",
    ]
    assert set(pages.SHORT_TABLE_PROGRAMS) <= {LANES_NAME, "C++ by hand, AVX-512"} | {
        other.name for other in OTHER_PROGRAMS
    }


def test_the_rate_that_a_program_prints_is_found() -> None:
    assert yardstick.parse_rate("simd lines=79 games=0  cpu 0.035s  5712570 pieces/s\n") == 5712570
    with pytest.raises(SystemExit, match="printed no 'N pieces/s' but: help"):
        yardstick.parse_rate("help")
