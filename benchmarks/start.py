"""Start-up times of new processes: python -m benchmarks.start [--json FILE]."""

import os
import statistics
import subprocess
import sys
import tempfile
import time

from benchmarks.common import make_parser, make_result, save_result

HELP_PROGRAM = """
import sys
from contextlib import suppress
from tetrion.cli import main
sys.argv = ["tetrion", "--help"]
with suppress(SystemExit):
    main()
"""
FIRST_MOVE_PROGRAM = """
from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.engine.batch_play import EngineSettings, make_games, select_fastest_play
from tetrion.engine.rules import Rules
settings = EngineSettings.from_agents([make_engine_agent(load_weighted_agent("du"))], Rules("standard"))
select_fastest_play(settings)(make_games(1, 1), settings, 1)
"""
FIRST_GAME_PROGRAM = """
from tetrion import Game
game = Game("nes", seed=1)
game.place(game.placements()[0])
"""
FIRST_KEY_PROGRAM = FIRST_GAME_PROGRAM + 'game.press("left")'
LOOKAHEAD_PROGRAM = """
from tetrion import Board, Position, load_agent
load_agent("medico").choose(Position.from_board(Board(), "T", "L", "medico"))
"""
PRINT_TIME = "\nimport time; print(time.time())"


def measure_seconds(program: str, cache_folder: str) -> float:
    """Return the seconds from the start of a new process until the program is done."""
    environment = os.environ | {"TETRION_CACHE_DIR": cache_folder}
    start = time.time()
    command = [sys.executable, "-c", program + PRINT_TIME]
    process = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return float(process.stdout.splitlines()[-1]) - start


def main() -> None:
    """Measure in new processes, the first with an empty cache; print the results, and write them if requested."""
    options = make_parser(__doc__).parse_args()
    with tempfile.TemporaryDirectory() as cache:
        first_move = measure_seconds(FIRST_MOVE_PROGRAM, cache)
        cached_move = statistics.median(measure_seconds(FIRST_MOVE_PROGRAM, cache) for _ in range(9))
        first_game = measure_seconds(FIRST_GAME_PROGRAM, cache)
        first_key = measure_seconds(FIRST_KEY_PROGRAM, cache)
        lookahead = measure_seconds(LOOKAHEAD_PROGRAM, cache)
        cached_game = statistics.median(measure_seconds(FIRST_GAME_PROGRAM, cache) for _ in range(9))
        help_seconds = statistics.median(measure_seconds(HELP_PROGRAM, cache) for _ in range(9))
    result = make_result(
        "python -m benchmarks.start",
        seconds={
            "`tetrion --help`": round(help_seconds, 2),
            "new process to its first move, engine already compiled": round(cached_move, 2),
            "new process to its first move, including compilation": round(first_move, 1),
            "new process to the first placement in a `Game`, already compiled": round(cached_game, 2),
            "new process to the first placement in a `Game`, including compilation": round(first_game, 1),
            "new process to the first key in a `Game`, including compilation": round(first_key, 1),
            "new process to the first move with lookahead, including compilation": round(lookahead, 1),
        },
    )
    save_result(options.json, result)


if __name__ == "__main__":
    main()
