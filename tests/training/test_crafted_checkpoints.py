"""Checkpoints with valid checksums that training has not written: everything is checked before it is used."""

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.training.small_recipes import make_small_recipe, make_stopped_run
from tetrion.agents import as_agent
from tetrion.engine.batch_play import is_valid_game, make_games
from tetrion.engine.records import GameColumn, GameRecord
from tetrion.engine.rules import Rules, make_rules_record
from tetrion.errors import RunError
from tetrion.evaluation import start_threads
from tetrion.evaluation.agent_games import AgentGames, GameLimits
from tetrion.training.checkpoint import CHECKPOINT_FILE, CHECKPOINT_FILES, encode_checkpoint, read_checkpoint_file
from tetrion.training.evolutionary_learner import CmaLearner
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays
from tetrion.training.run import Run
from tetrion.training.trainer import resume, train


def change_checkpoint(folder: Path, arrays: StateArrays) -> None:
    """Write arrays into the checkpoint of a run, with a valid checksum, and remove the previous checkpoint."""
    state = read_checkpoint_file(folder / CHECKPOINT_FILE)
    for name in CHECKPOINT_FILES:
        (folder / name).unlink(missing_ok=True)
    (folder / CHECKPOINT_FILE).write_bytes(encode_checkpoint(state | arrays))


def change_games(folder: Path, field: GameColumn, value: object) -> None:
    """Set a field of all games of TD learning."""
    games = read_checkpoint_file(folder / CHECKPOINT_FILE)["learner.games"].copy()
    games.view(GameRecord.dtype)[field] = value
    change_checkpoint(folder, {"learner.games": games})


@pytest.mark.parametrize(
    ("rules", "field", "value"),
    [
        ("standard:height=8", "board", 1),
        ("standard:height=8", "board", [1 << 8, *[0] * 9]),
        ("standard:height=8", "board", [-1, *[0] * 9]),
        ("standard:randomiser=nes-counts", "bag", 7),
        ("standard:randomiser=nes", "bag", 8 << 16),
        ("standard:randomiser=nes-8988", "bag", -1),
        ("standard:randomiser=bag", "bag", 128),
        ("standard:height=8", "bag", 1),
        ("standard:height=8", "queue", 7),
        ("standard:height=8", "known", -1),
        ("standard:height=8", "agent", 1),
        ("standard:height=8", "status", 1),
        ("standard:height=8", "pieces", 2**62),
        ("standard:height=8", "score", -1),
    ],
)
def test_games_that_cannot_occur_are_refused(rules: str, field: GameColumn, value: object, tmp_path: Path) -> None:
    """Compiled code would use these numbers as indices, or count up to them."""
    folder = make_stopped_run(tmp_path / "run", "td", f"rules={rules}")
    change_games(folder, field, value)
    with pytest.raises(RunError, match=r"/run cannot be resumed: checkpoint\.npz .*'games' has an invalid game"):
        resume(folder, workers=1)


@pytest.mark.parametrize(
    "rules",
    [
        *("standard:preview=3", "medico", "nes:movement=drop", "standard:height=28,game_over=top-row"),
        *(f"standard:randomiser={name}" for name in ("bag", "nes", "nes-8988", "nes-counts", "script-TIJ")),
    ],
)
def test_played_games_can_occur(rules: str) -> None:
    parsed = Rules.parse(rules)
    record = make_rules_record(parsed)[0]
    assert is_valid_game(make_games(3, 1), record).all()
    with start_threads(1) as workers:
        agent_games = AgentGames(as_agent("dellacherie"), parsed, 1, workers, GameLimits(300))
        games, _ = agent_games.play(0, 20, lambda games: None)
    assert is_valid_game(games, record).all()
    assert games["pieces"].all()


@pytest.mark.parametrize(
    ("name", "view", "value"),
    [
        ("tables", np.int32, 2**15),
        ("best_tables", np.int32, -(2**31)),
        ("weights", np.int64, 2**62),
        ("step_sums", np.int64, -(2**63)),
        ("step_sizes", np.int64, 2**63 - 1),
    ],
)
def test_tables_out_of_range_are_refused(name: str, view: type, value: int, tmp_path: Path) -> None:
    folder = make_stopped_run(tmp_path / "run", "td")
    array = read_checkpoint_file(folder / CHECKPOINT_FILE)[f"learner.{name}"].copy()
    array.view(view)[3] = value
    change_checkpoint(folder, {f"learner.{name}": array})
    with pytest.raises(RunError, match=f"TD learning is damaged: '{name}' has an invalid number"):
        resume(folder, workers=1)


def fill(value: object) -> Callable[[NumpyArray], NumpyArray]:
    return lambda array: np.full_like(array, value)


@pytest.mark.parametrize(
    ("learner", "name", "change"),
    [
        ("q-learning", "learner.weights", fill(1e308)),
        ("q-learning", "learner.weights", lambda array: array[:2]),
        ("q-learning", "learner.number", fill(10**7)),
        ("q-learning", "learner.number", lambda array: np.array(1.5)),
        ("q-learning", "learner.games_seed", fill(-5)),
        ("cma", "optimiser._d_sigma", fill(0.0)),
        ("cma", "optimiser._sigma", fill(-1.0)),
        ("cma", "optimiser._C", fill(0.0)),
        ("cma", "optimiser._popsize", fill(10**12)),
        ("cross-entropy", "optimiser.variance", fill(-1.0)),
        ("genetic", "optimiser.population", fill(1e65)),
        ("genetic", "optimiser.population", fill(np.nan)),
        ("genetic", "optimiser.generation", fill(2**63 - 1)),
        ("genetic", "optimiser.generator", lambda array: np.array("[" * 100_000)),
        ("genetic", "optimiser.generator", lambda array: np.array(str(array).replace('"inc": ', '"inc": -'))),
        ("genetic", "rung", lambda array: np.array("one")),
        ("genetic", "unknown", lambda array: np.array(1)),
        ("genetic", "history.steps", fill(10**15)),
        ("genetic", "history.sha256", lambda array: np.zeros(3, np.uint8)),
        ("genetic", "recipe", lambda array: np.frombuffer(b"[" * 100_000, np.uint8)),
        ("harmony", "optimiser.memory", fill(-1e300)),
        ("td", "learner.weights", lambda array: array[:-8]),
        ("td", "learner.tables", lambda array: array.astype(np.int64)),
        ("td", "learner.games", fill(120)),
    ],
)
def test_arrays_that_a_learner_cannot_have_are_refused(
    learner: str, name: str, change: Callable[[NumpyArray], NumpyArray], tmp_path: Path
) -> None:
    folder = make_stopped_run(tmp_path / "run", learner)
    state = read_checkpoint_file(folder / CHECKPOINT_FILE)
    change_checkpoint(folder, {name: change(state.get(name, np.array(0)))})
    with pytest.raises(RunError, match=r"/run cannot be resumed: checkpoint\.npz (cannot be restored|is damaged)"):
        resume(folder, workers=1)


def test_floats_of_another_type_are_converted(tmp_path: Path) -> None:
    folder = make_stopped_run(tmp_path / "run", "cma")
    covariance = read_checkpoint_file(folder / CHECKPOINT_FILE)["optimiser._C"]
    change_checkpoint(folder, {"optimiser._C": covariance.astype("<f4")})
    assert resume(folder, workers=1).is_finished


def test_calculations_that_fail_are_explained_only_in_a_resumed_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a new run they are mistakes of the program, which must not be hidden."""
    folder = make_stopped_run(tmp_path / "run", "cma")

    def fail(learner: CmaLearner, workers: object) -> None:
        raise OverflowError("too large")

    monkeypatch.setattr(CmaLearner, "step", fail)
    with pytest.raises(RunError, match=r"/run cannot be trained further: .*invalid numbers \(OverflowError: too large"):
        resume(folder, workers=1)
    with pytest.raises(OverflowError, match="too large"):
        train(make_small_recipe("cma"), tmp_path / "new", workers=1)
    assert Run(tmp_path / "new").meta["status"] == "stopped"


@pytest.mark.parametrize(("column", "value"), [(1, -1.0), (2, 0.5), (9, 1e200), (11, np.inf)])
def test_numbers_of_a_history_are_checked(column: int, value: float, tmp_path: Path) -> None:
    """The columns are: whole numbers, the quartiles, the mean, the incumbent in two forms."""
    folder = make_stopped_run(tmp_path / "run", "genetic")
    run = Run(folder)
    learner = run.recipe.learner_type(run.recipe)
    width = len(learner.columns) + len(learner.parameter_names)
    steps = np.frombuffer((folder / "history.bin").read_bytes()).reshape(-1, width).copy()
    steps[1, column] = value
    (folder / "history.bin").write_bytes(steps.tobytes())
    checksum = np.frombuffer(hashlib.sha256(steps.tobytes()).digest(), np.uint8)
    change_checkpoint(folder, {"history.sha256": checksum})
    with pytest.raises(RunError, match=r"the history has invalid numbers|must have whole numbers"):
        resume(folder, workers=1)
