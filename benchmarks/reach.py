"""How many floods a second find every reachable place, on one core: python -m benchmarks.reach [--json FILE].

Boards come from the middle of games, with the seven pieces in turn. The yardstick is a plain search, a place and a key
at a time, compiled too.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

from tetrion.agents import load_weighted_agent
from tetrion.engine.batch_play import EngineSettings, GameRecords, make_games, play_any_movement
from tetrion.engine.compiler import compile_entry
from tetrion.engine.key_paths import encode_state
from tetrion.engine.piece_motion import KEY_DROP, MOVEMENT_ROWS, apply_key, get_spawn_state, is_free, is_resting
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import SIMD_SCRATCH_DTYPE
from tetrion.engine.reachable_placements import find_reachable, find_reachable_in_time
from tetrion.engine.rules import Rules
from tetrion.engine.scalar_or_simd import Array
from tetrion.evaluation.machine import get_processor_name

BOARD_COUNT, RUN_COUNT = 2_000, 5


@compile_entry(seconds=5)
def flood_boards(games: GameRecords, rules: Array, times: int) -> None:
    """Flood every board, as often as wanted."""
    scratch = np.zeros(1, SIMD_SCRATCH_DTYPE)[0]
    for _ in range(times):
        for game in games:
            find_reachable(game.board, rules[0], int(game.queue[0]), scratch.flood)


@compile_entry(seconds=5)
def flood_boards_timed(games: GameRecords, rules: Array, times: int, interval: int) -> None:
    """Flood every board in time, as often as wanted."""
    scratch = np.zeros(1, SIMD_SCRATCH_DTYPE)[0]
    for _ in range(times):
        for game in games:
            find_reachable_in_time(game.board, rules[0], int(game.queue[0]), interval, scratch.flood, -1, 0, 0)


@compile_entry(seconds=5)
def search_boards(games: GameRecords, rules: Array, times: int) -> int:
    """Search every board place by place, as often as wanted; tells how many places to rest there are."""
    seen = np.zeros(4 * BOARD_WIDTH * MOVEMENT_ROWS, np.bool_)
    waiting = np.zeros((4 * BOARD_WIDTH * MOVEMENT_ROWS, 3), np.int64)
    found = 0
    for _ in range(times):
        for game in games:
            piece, board = int(game.queue[0]), game.board
            start = get_spawn_state(rules[0], piece)
            if not is_free(board, rules[0].orientation[piece, 0], start[1], start[2]):
                continue
            seen[:] = False
            waiting[0, 0], waiting[0, 1], waiting[0, 2] = start
            seen[encode_state(start[0], start[1], start[2])] = True
            count, done = 1, 0
            while done < count:
                place = (waiting[done, 0], waiting[done, 1], waiting[done, 2])
                done += 1
                found += is_resting(board, rules[0], piece, place)
                for key in range(KEY_DROP):
                    other = apply_key(board, rules[0], piece, place, key)
                    number = encode_state(other[0], other[1], other[2])
                    if not seen[number]:
                        seen[number] = True
                        waiting[count, 0], waiting[count, 1], waiting[count, 2] = other
                        count += 1
    return found


def make_boards(rules: Rules) -> GameRecords:
    """Boards from the middle of games of an agent that leaves gaps."""
    games = make_games(BOARD_COUNT, seed=1)
    play_any_movement(
        games, EngineSettings.from_agents([load_weighted_agent("lee").compile()], rules, max_pieces=100), 2**62
    )
    games["status"], games["pieces"] = 0, 0
    games = games[(games["board"] > 0).any(axis=1)]
    games["queue"][:, 0] = np.arange(len(games)) % 7
    return games


def measure_rate(work: Callable[[], Any], floods: int) -> float:
    """Floods a second."""
    start = time.perf_counter()
    work()
    return floods / (time.perf_counter() - start)


def main() -> None:
    """Measure in alternation, and print or write the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json")
    options = parser.parse_args()
    medico, nes = Rules.from_preset("medico"), Rules.from_preset("nes")
    games = make_boards(medico)
    free_rules = medico.to_record()
    timed_rules = nes.to_record()
    ways: dict[str, Callable[[int], Any]] = {
        "a plain search, place by place": lambda times: search_boards(games, free_rules, times),
        "`reach`": lambda times: flood_boards(games, free_rules, times),
        "`timed`, 18 frames a row": lambda times: flood_boards_timed(games, timed_rules, times, 18),
    }
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        way(0)
    for _ in range(RUN_COUNT):
        for name, way in ways.items():
            times = 20 if name == "`reach`" else 2
            rates[name].append(measure_rate(lambda way=way, times=times: way(times), times * len(games)))  # type: ignore[misc]
    result = {
        "command": "python -m benchmarks.reach",
        "date": datetime.now(UTC).date().isoformat(),
        "processor": get_processor_name(),
        "runs": RUN_COUNT,
        "boards": len(games),
        "mean_height": round(float(np.mean([max(int(c).bit_length() for c in b) for b in games["board"]])), 1),
        "floods_per_second": {name: round(statistics.median(found)) for name, found in rates.items()},
    }
    text = json.dumps(result, indent=2, ensure_ascii=False)
    print(text)
    if options.json:
        Path(options.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
