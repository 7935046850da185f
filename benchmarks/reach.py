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

from tetrion.agents import data_agent
from tetrion.engine.choose import SIXTEEN
from tetrion.engine.compiler import entry
from tetrion.engine.motion import DROP, SKY, entrance, free, moved, rests
from tetrion.engine.pieces import WIDTH
from tetrion.engine.play import Games, Setting, new_games, play_any
from tetrion.engine.reach import reach, reach_in_time
from tetrion.engine.routes import number_of
from tetrion.engine.rules import Rules
from tetrion.engine.words import Array
from tetrion.evaluation.machine import processor

BOARDS, RUNS = 2_000, 5


@entry(seconds=5)
def flood(games: Games, rules: Array, times: int) -> None:
    """Flood every board, as often as wanted."""
    scratch = np.zeros(1, SIXTEEN)[0]
    for _ in range(times):
        for game in games:
            reach(game.board, rules[0], int(game.queue[0]), scratch.room)


@entry(seconds=5)
def flood_in_time(games: Games, rules: Array, times: int, interval: int) -> None:
    """Flood every board in time, as often as wanted."""
    scratch = np.zeros(1, SIXTEEN)[0]
    for _ in range(times):
        for game in games:
            reach_in_time(game.board, rules[0], int(game.queue[0]), interval, scratch.room, -1, 0, 0)


@entry(seconds=5)
def search(games: Games, rules: Array, times: int) -> int:
    """Search every board place by place, as often as wanted; tells how many places to rest there are."""
    seen, waiting, found = np.zeros(4 * WIDTH * SKY, np.bool_), np.zeros((4 * WIDTH * SKY, 3), np.int64), 0
    for _ in range(times):
        for game in games:
            piece, board = int(game.queue[0]), game.board
            start = entrance(rules[0], piece)
            if not free(board, rules[0].orientation[piece, 0], start[1], start[2]):
                continue
            seen[:] = False
            waiting[0, 0], waiting[0, 1], waiting[0, 2] = start
            seen[number_of(start[0], start[1], start[2])] = True
            count, done = 1, 0
            while done < count:
                place = (waiting[done, 0], waiting[done, 1], waiting[done, 2])
                done += 1
                found += rests(board, rules[0], piece, place)
                for key in range(DROP):
                    other = moved(board, rules[0], piece, place, key)
                    number = number_of(other[0], other[1], other[2])
                    if not seen[number]:
                        seen[number] = True
                        waiting[count, 0], waiting[count, 1], waiting[count, 2] = other
                        count += 1
    return found


def boards(rules: Rules) -> Games:
    """Boards from the middle of games of an agent that leaves gaps."""
    games = new_games(BOARDS, seed=1)
    play_any(games, Setting.of([data_agent("lee").compiled()], rules, most_pieces=100), 2**62)
    games["status"], games["pieces"] = 0, 0
    games = games[(games["board"] > 0).any(axis=1)]
    games["queue"][:, 0] = np.arange(len(games)) % 7
    return games


def rate(work: Callable[[], Any], floods: int) -> float:
    """Floods a second."""
    start = time.perf_counter()
    work()
    return floods / (time.perf_counter() - start)


def main() -> None:
    """Measure in alternation, and print or write the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json")
    options = parser.parse_args()
    medico, nes = Rules.preset("medico"), Rules.preset("nes")
    games, free_rules, timed_rules = boards(medico), medico.compiled(), nes.compiled()
    ways: dict[str, Callable[[int], Any]] = {
        "a plain search, place by place": lambda times: search(games, free_rules, times),
        "`reach`": lambda times: flood(games, free_rules, times),
        "`timed`, 18 frames a row": lambda times: flood_in_time(games, timed_rules, times, 18),
    }
    rates: dict[str, list[float]] = {name: [] for name in ways}
    for way in ways.values():
        way(0)
    for _ in range(RUNS):
        for name, way in ways.items():
            times = 20 if name == "`reach`" else 2
            rates[name].append(rate(lambda way=way, times=times: way(times), times * len(games)))  # type: ignore[misc]
    result = {
        "command": "python -m benchmarks.reach",
        "date": datetime.now(UTC).date().isoformat(),
        "processor": processor(),
        "runs": RUNS,
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
