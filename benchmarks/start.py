"""How long a person waits: python -m benchmarks.start [--json FILE]."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from tetrion.evaluation.machine import get_processor_name

HELP_PROGRAM = """
import sys
from contextlib import suppress
from tetrion.cli import main
sys.argv = ["tetrion", "--help"]
with suppress(SystemExit):
    main()
"""
FIRST_MOVE_PROGRAM = """
from tetrion.agents import data_agent
from tetrion.engine.batch_play import EngineSettings, select_fastest_play, make_games
from tetrion.engine.rules import Rules
setting = EngineSettings.from_agents([data_agent("du").compile()], Rules.preset("standard"))
select_fastest_play(setting)(make_games(1, 1), setting, 1)
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


def measure_seconds(program: str, cache: str) -> float:
    """From the start of a new process until the program is done."""
    environment, start = os.environ | {"TETRION_CACHE_DIR": cache}, time.time()
    command = [sys.executable, "-c", program + PRINT_TIME]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return float(done.stdout.splitlines()[-1]) - start


def main() -> None:
    """Measure in new processes, the first compile in an empty cache, and print or write the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as cache:
        first = measure_seconds(FIRST_MOVE_PROGRAM, cache)
        again = statistics.median(measure_seconds(FIRST_MOVE_PROGRAM, cache) for _ in range(9))
        first_game = measure_seconds(FIRST_GAME_PROGRAM, cache)
        first_key = measure_seconds(FIRST_KEY_PROGRAM, cache)
        ahead = measure_seconds(LOOKAHEAD_PROGRAM, cache)
        game_again = statistics.median(measure_seconds(FIRST_GAME_PROGRAM, cache) for _ in range(9))
        asked = statistics.median(measure_seconds(HELP_PROGRAM, cache) for _ in range(9))
    result = {
        "command": "python -m benchmarks.start",
        "date": datetime.now(UTC).date().isoformat(),
        "processor": get_processor_name(),
        "seconds": {
            "`tetrion --help`": round(asked, 2),
            "a new process until its first move, engine compiled before": round(again, 2),
            "the same, engine compiled now": round(first, 1),
            "a new process until a `Game`'s first move, engine compiled before": round(game_again, 2),
            "the same, what it needs compiled now": round(first_game, 1),
            "the same until its first key, what that needs compiled now": round(first_key, 1),
            "a new process until an agent has looked ahead, what that needs compiled now": round(ahead, 1),
        },
    }
    print(json.dumps(result, indent=2, ensure_ascii=False))
    if options.json:
        text = json.dumps(result, indent=2, ensure_ascii=False)
        Path(options.json).write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
