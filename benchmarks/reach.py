"""Speed of finding reachable placements, in boards per second on one core: python -m benchmarks.reach [--json FILE].

The boards are from the middle of games, with the seven pieces in turn. For comparison, a plain breadth-first search,
one state and one key at a time, is compiled too.
"""

import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, Never

import numpy as np

from benchmarks.common import make_parser, make_result, save_result
from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.engine.batch_play import EngineSettings, make_games, play_any_movement
from tetrion.engine.compiler import compile_entry_with_memory
from tetrion.engine.key_paths import encode_state
from tetrion.engine.piece_motion import (
    KEY_DROP,
    MOVEMENT_ROWS,
    PieceOnBoard,
    PieceState,
    apply_key,
    get_spawn_state,
    is_free,
    is_resting,
)
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import SimdScratch
from tetrion.engine.reachable_placements import NO_GOAL, find_reachable, find_reachable_in_time
from tetrion.engine.records import GameRecords, Int64Array, Record, Records, RulesRecords
from tetrion.engine.rules import Rules, make_rules_record
from tetrion.engine.spins import SpinScratch, find_spin_placements

BOARD_COUNT, RUN_COUNT = 2_000, 5
HALF_TURN_RULES = "perft:rotation=srs+,keys=left+right+rotate+back+half+down+drop,half_turn_kicks=tetrio"
STATE_COUNT = 4 * BOARD_WIDTH * MOVEMENT_ROWS


class PlainSearchScratch(Record[Never]):
    """Working memory of the plain search."""

    visited: Annotated[Int64Array, STATE_COUNT]  # by encoded state: 1 if it is in the queue
    queue: Annotated[Int64Array, (STATE_COUNT, 3)]


@compile_entry_with_memory(SimdScratch.dtype, seconds=5)
def flood_boards(memory: Records[SimdScratch], games: GameRecords, rules: RulesRecords, times: int) -> None:
    """Find the reachable placements of all boards by flooding, `times` times."""
    for _ in range(times):
        for game in games:
            find_reachable(game.board, rules[0], int(game.queue[0]), memory[0].flood)


@compile_entry_with_memory(SpinScratch.dtype, seconds=5)
def flood_boards_with_spins(memory: Records[SpinScratch], games: GameRecords, rules: RulesRecords, times: int) -> None:
    """Find the placements of all boards by kind of spin, `times` times."""
    for _ in range(times):
        for game in games:
            find_spin_placements(game.board, rules[0], int(game.queue[0]), 0, memory[0])


@compile_entry_with_memory(SimdScratch.dtype, seconds=5)
def flood_boards_timed(
    memory: Records[SimdScratch], games: GameRecords, rules: RulesRecords, times: int, interval: int
) -> None:
    """Find the placements reachable under gravity by flooding, `times` times."""
    for _ in range(times):
        for game in games:
            piece_on_board = PieceOnBoard(game.board, rules[0], int(game.queue[0]))
            find_reachable_in_time(piece_on_board, interval, memory[0].flood, NO_GOAL)


@compile_entry_with_memory(PlainSearchScratch.dtype, seconds=5)
def search_boards(memory: Records[PlainSearchScratch], games: GameRecords, rules: RulesRecords, times: int) -> int:
    """Search all boards state by state, `times` times; return the number of resting states found."""
    visited, queue = memory[0].visited, memory[0].queue
    resting_count = 0
    for _ in range(times):
        for game in games:
            piece, board = int(game.queue[0]), game.board
            start = get_spawn_state(rules[0], piece)
            if not is_free(board, rules[0].orientation_of_state[piece, 0], start[1], start[2]):
                continue
            visited[:] = 0
            queue[0, 0], queue[0, 1], queue[0, 2] = start
            visited[encode_state(start)] = 1
            count, done = 1, 0
            while done < count:
                state = PieceState(queue[done, 0], queue[done, 1], queue[done, 2])
                done += 1
                resting_count += is_resting(board, rules[0], piece, state)
                for key in range(KEY_DROP):
                    next_state = apply_key(board, rules[0], piece, state, key)
                    code = encode_state(next_state)
                    if not visited[code]:
                        visited[code] = 1
                        queue[count, 0], queue[count, 1], queue[count, 2] = next_state
                        count += 1
    return resting_count


def make_boards(rules: Rules) -> GameRecords:
    """Return boards from the middle of games of an agent that leaves holes."""
    games = make_games(BOARD_COUNT, seed=1)
    play_any_movement(
        games, EngineSettings.from_agents([make_engine_agent(load_weighted_agent("lee"))], rules, max_pieces=100), 2**62
    )
    games["status"], games["pieces"] = 0, 0
    games = games[(games["board"] > 0).any(axis=1)]
    games["queue"][:, 0] = np.arange(len(games)) % 7
    return games


def measure_rate(function: Callable[[], Any], board_count: int) -> float:
    """Return boards per second."""
    start = time.perf_counter()
    function()
    return board_count / (time.perf_counter() - start)


def main() -> None:
    """Measure in alternation, print the medians, and write them to a file if requested."""
    options = make_parser(__doc__).parse_args()
    medico, nes = Rules("medico"), Rules("nes")
    games = make_boards(medico)
    free_rules = make_rules_record(medico)
    timed_rules = make_rules_record(nes)
    kick_rules = make_rules_record(Rules("perft"))
    spin_rules = make_rules_record(Rules.parse("perft:spins=t"))
    all_spin_rules = make_rules_record(Rules.parse("perft:spins=all"))
    half_turn_rules = make_rules_record(Rules.parse(HALF_TURN_RULES))
    methods: dict[str, Callable[[int], Any]] = {
        "plain search, one state at a time": lambda times: search_boards(games, free_rules, times),
        "`reach`": lambda times: flood_boards(games, free_rules, times),
        "`reach`, SRS kicks": lambda times: flood_boards(games, kick_rules, times),
        "`reach`, SRS+ kicks and half turns": lambda times: flood_boards(games, half_turn_rules, times),
        "`reach`, SRS kicks, T-spins told apart": lambda times: flood_boards_with_spins(games, spin_rules, times),
        "`reach`, SRS kicks, spins of all pieces told apart": lambda times: flood_boards_with_spins(
            games, all_spin_rules, times
        ),
        "`timed`, 18 frames per row": lambda times: flood_boards_timed(games, timed_rules, times, 18),
    }
    rates: dict[str, list[float]] = {name: [] for name in methods}
    for method in methods.values():
        method(0)
    for _ in range(RUN_COUNT):
        for name, method in methods.items():
            times = 20 if name.startswith("`reach`") else 2
            rates[name].append(measure_rate(partial(method, times), times * len(games)))
    result = make_result(
        "python -m benchmarks.reach",
        runs=RUN_COUNT,
        boards=len(games),
        mean_height=round(float(np.mean([max(int(c).bit_length() for c in b) for b in games["board"]])), 1),
        floods_per_second={name: round(statistics.median(values)) for name, values in rates.items()},
    )
    save_result(options.json, result)


if __name__ == "__main__":
    main()
