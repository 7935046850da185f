"""Tests of processors with narrower vector registers: the games must be identical."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import hashlib
from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.engine.batch_play import EngineSettings, make_games
from tetrion.engine.batch_play import play_local_drops
from tetrion.engine.rules import Rules

games = make_games(30, 7)
agent = make_engine_agent(load_weighted_agent("du"))
setting = EngineSettings.from_agents([agent], Rules("standard-10x10"))
play_local_drops(games, setting, 20_000)
code = "".join(play_local_drops.dispatcher.inspect_asm().values())
print(hashlib.sha256(games.tobytes()).hexdigest(), *[name for name in ("xmm", "ymm", "zmm") if name in code])
"""


def play_in_new_process(cache: Path, **variables: str) -> list[str]:
    """Play games in a new process; return their hash, and the kinds of registers that the compiled code uses."""
    environment = os.environ | {"TETRION_CACHE_DIR": str(cache)} | variables
    command = [sys.executable, "-c", PROGRAM]
    completed = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return completed.stdout.split()


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="the registers have other names")
def test_games_are_identical_without_avx_512(tmp_path: Path) -> None:
    expected, *_ = play_in_new_process(tmp_path)
    haswell = play_in_new_process(tmp_path, NUMBA_CPU_NAME="haswell", NUMBA_CPU_FEATURES="")
    nehalem = play_in_new_process(tmp_path, NUMBA_CPU_NAME="nehalem", NUMBA_CPU_FEATURES="")
    assert haswell == [expected, "xmm", "ymm"]
    assert nehalem == [expected, "xmm"]
