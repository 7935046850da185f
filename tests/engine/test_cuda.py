"""The GPU's games, played by CUDA's simulator in plain Python, against those of lanes."""

import os
import subprocess
import sys

PROGRAM = """
import numpy as np
from tetrion.agents import data_agent
from tetrion.engine.cuda import play_on_gpu
from tetrion.engine.features import FEATURES
from tetrion.engine.play import UNLIMITED, new_games, play_on_lanes, Setting
from tetrion.engine.rules import Rules

empty = np.empty


def as_bad_as_a_gpu(shape, *kind, **more):
    "Local memory holds anything."
    array = empty(shape, *kind, **more)
    array.view(np.uint8).fill(120)
    return array


random = np.random.default_rng(2)
every = {name: float(random.normal()) / feature.largest for name, feature in FEATURES.items()}
table = {"holes": [0.0, -1.0, -3.0], "max_height_change": list(np.linspace(1, -1, 57)), "aggregate_height": -0.01}
agents = [(every, True), (every, False), (table, True), data_agent("du").compiled()]
for rules in ("standard-10x10", "standard:height=6,randomiser=bag", "gavrilov:height=6", "hindi:randomiser=nes"):
    setting = Setting.of(agents, Rules.parse(rules), most_pieces=25)
    here, there = new_games(8, 1), new_games(8, 1)
    here["agent"] = there["agent"] = np.arange(8) % 4
    play_on_lanes(here, setting, UNLIMITED)
    with np.errstate(over="ignore"):
        np.empty = as_bad_as_a_gpu
        play_on_gpu(there, setting, 10)
        played = play_on_gpu(there, setting, UNLIMITED)
        np.empty = empty
    assert played > 0
    assert here.tobytes() == there.tobytes(), (here, there)
print("identical", int(here["pieces"].sum()))
"""


def test_simulated_gpu_plays_identical_games() -> None:
    environment = os.environ | {"NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("identical")


def test_without_a_gpu_the_message_says_what_is_missing() -> None:
    program = """
from tetrion.engine.cuda import play_on_gpu
from tetrion.engine.play import new_games, Setting
from tetrion.engine.rules import Rules
from tetrion.errors import DeviceError
try:
    play_on_gpu(new_games(1, 1), Setting.of([({"holes": -1.0}, True)], Rules.preset("standard")), 1)
except DeviceError as error:
    print(error)
"""
    environment = os.environ | {"CUDA_VISIBLE_DEVICES": ""}
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert "No GPU that CUDA can use was found" in done.stdout, done.stderr
