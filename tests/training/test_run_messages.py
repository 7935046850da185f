"""Tests of what a run tells Python users: how to resume after Ctrl-C, and which generations it has."""

import re
from pathlib import Path
from typing import Any

import pytest

from tests.training.small_recipes import interrupt_after_three, make_small_recipe
from tetrion.errors import RunError
from tetrion.training.run import Run
from tetrion.training.trainer import create_run, train


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Return a finished run of five generations."""
    return train(make_small_recipe(), tmp_path_factory.mktemp("runs") / "run", workers=1)


def test_interrupt_says_how_to_resume(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt) as raised:
        train(make_small_recipe(), tmp_path / "run", workers=1, on_progress=interrupt_after_three)
    folder = str(tmp_path / "run")
    assert raised.value.__notes__ == [f"3 finished generations are saved. Resume with `tetrion.resume({folder!r})`."]


@pytest.mark.parametrize("number", [-1, 5, 99, "1", 1.0, True])
def test_generations_that_do_not_exist_are_rejected(number: Any, run: Run) -> None:
    with pytest.raises(RunError, match=r"whole number from 0 \(the first one\) to 4; given " + re.escape(repr(number))):
        run.load_population(number)


def test_runs_without_populations_say_so(tmp_path: Path) -> None:
    run = Run(create_run(make_small_recipe("q-learning"), tmp_path / "run"))
    with pytest.raises(RunError, match="has no populations: q-learning trains a single agent"):
        run.load_population(0)
    with pytest.raises(RunError, match="has no finished generation yet"):
        Run(create_run(make_small_recipe(), tmp_path / "new")).load_population(0)
