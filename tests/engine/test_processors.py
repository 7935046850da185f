"""Processors with narrower registers than this one may have: the same source, the same games."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import hashlib
from tetrion.agents import data_agent
from tetrion.engine.batch_play import EngineSettings, make_games, play_local_drops
from tetrion.engine.rules import Rules

games, setting = make_games(30, 7), EngineSettings.from_agents([data_agent("du").compile()], Rules.preset("standard-10x10"))
play_local_drops(games, setting, 20_000)
code = "".join(play_local_drops.dispatcher.inspect_asm().values())
print(hashlib.sha256(games.tobytes()).hexdigest(), *[name for name in ("xmm", "ymm", "zmm") if name in code])
"""


def played(cache: Path, **environment: str) -> list[str]:
    """A hash of games that a new process plays, and the registers that its compiled code names."""
    everything = os.environ | {"TETRION_CACHE_DIR": str(cache)} | environment
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=everything, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.slow
@pytest.mark.skipif(platform.machine() not in ("x86_64", "AMD64"), reason="its registers have other names")
def test_without_avx_512_the_games_are_the_same(tmp_path: Path) -> None:
    here, *_ = played(tmp_path)
    assert played(tmp_path, NUMBA_CPU_NAME="haswell", NUMBA_CPU_FEATURES="") == [here, "xmm", "ymm"]
    assert played(tmp_path, NUMBA_CPU_NAME="nehalem", NUMBA_CPU_FEATURES="") == [here, "xmm"]
