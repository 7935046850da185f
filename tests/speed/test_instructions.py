import pytest

from benchmarks import instructions
from benchmarks.workloads import SCALAR, SIMD_LANES


def test_total_is_parsed_from_the_callgrind_file() -> None:
    profile = "# callgrind format\nevents: Ir\nsummary: 7\n\nfn=(1) strcmp\n131 26309\n\ntotals: 3614389579\n"
    assert instructions.parse_total(profile) == 3614389579
    with pytest.raises(SystemExit, match="no line with totals"):
        instructions.parse_total("events: Ir\n")


def test_instructions_per_piece_are_the_difference_of_two_runs() -> None:
    assert instructions.compute_instructions_per_piece(2_728_620_759, 3_614_389_579, 100_000) == 8858


def test_workload_plays_all_pieces_or_exits() -> None:
    instructions.play_workload(SCALAR, 20)
    with pytest.raises(SystemExit, match="SIMD: the game was over after 0 of -1 pieces"):
        instructions.play_workload(SIMD_LANES, -1)
