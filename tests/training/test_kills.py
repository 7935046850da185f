"""Runs that are killed at many seeded moments and resumed end with the same files as uninterrupted runs."""

import os
import random
import signal
import sys
import threading
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.training.small_recipes import get_length_setting, make_small_recipe, read_run_files
from tests.training.test_runs import LEARNER_NAMES
from tetrion.training.learner import LEARNERS
from tetrion.training.trainer import count_steps, create_run, resume, train
from tetrion.training.training_progress import TrainingProgress

STEPS = 30
FILE_EVENTS = ("open", "os.rename", "os.remove", "os.truncate")


def kill_this_process() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def train_until_killed(folder: Path, changes: list[str], file_operation: int, step: int, pause: float) -> None:
    """Resume a run until a file operation in its folder, or until `pause` seconds after a step if it is 0."""
    count = 0

    def count_operations(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        if event in FILE_EVENTS and str(folder) in str(arguments[0]):
            count += 1
            if count == file_operation:
                kill_this_process()

    def observe(progress: TrainingProgress) -> None:
        if not file_operation and progress.done == step:
            threading.Timer(pause, kill_this_process).start()

    sys.addaudithook(count_operations)
    resume(folder, changes=changes, workers=1, on_progress=observe)


@pytest.mark.parametrize(
    ("learner", "kills"),
    [("genetic", 3), ("td", 1), *(pytest.param(name, 20, marks=pytest.mark.slow) for name in LEARNER_NAMES)],
)
def test_killed_run_is_resumed_bit_identically(learner: str, kills: int, tmp_path: Path) -> None:
    """Some of the runs are finished, and are killed while they become longer."""
    changes = [f"{get_length_setting(learner)}={STEPS}"]
    recipe = make_small_recipe(learner, *changes)
    expected = read_run_files(train(recipe, tmp_path / "uninterrupted", workers=1).folder)
    context = get_context("forkserver")
    context.set_forkserver_preload(["tetrion.training.trainer"])
    generator = random.Random(learner)
    for number in range(kills):
        if number % 4 == 2 and not LEARNERS[learner].length_dependence:
            folder = train(make_small_recipe(learner), tmp_path / str(number), workers=1).folder
        else:
            folder = create_run(recipe, tmp_path / str(number))
        file_operation = generator.randrange(1, STEPS * 8) if number % 2 else 0
        step = max(count_steps(folder), generator.randrange(STEPS - 2))
        pause = generator.random() / 50  # seconds
        training = context.Process(target=train_until_killed, args=(folder, changes, file_operation, step, pause))
        training.start()
        training.join(120)
        assert training.exitcode == -signal.SIGKILL, "training ended before it was killed"
        resume(folder, changes=changes, workers=1)
        assert read_run_files(folder) == expected, (
            f"killed at file operation {file_operation}, or {pause:.4f} s after step {step}"
        )
