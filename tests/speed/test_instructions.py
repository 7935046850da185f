import pytest
from benchmarks import instructions, pages
from benchmarks.tetrion_workloads import ONE_BY_ONE, SIMD_LANES


def test_the_count_is_read_from_callgrinds_file() -> None:
    profile = "# callgrind format\nevents: Ir\nsummary: 7\n\nfn=(1) strcmp\n131 26309\n\ntotals: 3614389579\n"
    assert instructions.parse_total(profile) == 3614389579
    with pytest.raises(SystemExit, match="no line of totals"):
        instructions.parse_total("events: Ir\n")


def test_instructions_a_piece_are_those_that_a_longer_run_takes_more() -> None:
    assert instructions.compute_instructions_per_piece(2_728_620_759, 3_614_389_579, 100_000) == 8858


def test_what_is_counted_plays_as_many_pieces_as_asked_or_says_so() -> None:
    instructions.play_workload(ONE_BY_ONE, 20)
    with pytest.raises(SystemExit, match="SIMD: the game was over after 0 of -1 pieces"):
        instructions.play_workload(SIMD_LANES, -1)


def test_the_table_of_instructions() -> None:
    result = {"instructions_per_piece": {"lanes": 8858}, "compiled_for": "haswell", "command": "it", "date": "now"}
    assert pages.format_instructions(result).splitlines()[2:] == [
        "| lanes | 8,858 |",
        "",
        "`it` (compiled for haswell, now)",
    ]
