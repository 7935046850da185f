"""Tests of damaged and hostile checkpoints: the previous one is used, and nothing is allocated."""

import io
import os
import random
import struct
import tracemalloc
import zipfile
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from tests.training.small_recipes import make_small_recipe, make_stopped_run, read_run_files
from tetrion.errors import RunError
from tetrion.training.checkpoint import (
    CHECKPOINT_FILE,
    CHECKPOINT_FILES,
    HISTORY_COPY_FILE,
    HISTORY_FILE,
    HISTORY_FILES,
    PREVIOUS_CHECKPOINT_FILE,
    encode_checkpoint,
    encode_recipe,
    read_checkpoint_file,
    restore_learner,
)
from tetrion.training.learner import Learner
from tetrion.training.optimisers.optimiser import NumpyArray, restore_generator, save_generator
from tetrion.training.run import METRICS_FILE, Run
from tetrion.training.trainer import resume, train

MAX_BYTES = 20_000_000  # of memory that reading a hostile checkpoint may take


@pytest.fixture(scope="module")
def finished_files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of the uninterrupted run."""
    return read_run_files(train(make_small_recipe(), tmp_path_factory.mktemp("runs") / "run", workers=1).folder)


@pytest.fixture
def stopped_run(tmp_path: Path) -> Path:
    """Return the folder of the same run, stopped after three generations."""
    return make_stopped_run(tmp_path / "run")


def describe_state(learner: Learner) -> tuple[object, ...]:
    """Return everything that training continues from, in a form that can be compared."""
    state = {name: array.tolist() for name, array in learner.get_state().items()}
    return str(state), str(learner.metric_rows), str([incumbent.tolist() for incumbent in learner.incumbents])


def flip_bits(folder: Path, name: str, bits: Iterable[int]) -> None:
    """Flip one bit of a file after another; each time, one of the two checkpoints must be restored."""
    run = Run(folder)
    content = (folder / name).read_bytes()
    newer = describe_state(restore_learner(run, run.recipe).learner)
    (folder / CHECKPOINT_FILE).rename(folder / "newer")
    older = describe_state(restore_learner(run, run.recipe).learner)
    (folder / "newer").rename(folder / CHECKPOINT_FILE)
    assert newer != older
    for bit in bits:
        damaged = bytearray(content)
        damaged[bit // 8] ^= 1 << bit % 8
        (folder / name).write_bytes(damaged)
        learner, is_from_last_checkpoint = restore_learner(run, run.recipe)
        assert describe_state(learner) == (newer if is_from_last_checkpoint else older), f"bit {bit} of {name}"
    (folder / name).write_bytes(content)


def choose_bits(path: Path, count: int) -> list[int]:
    return random.Random(0).sample(range(path.stat().st_size * 8), count)


@pytest.mark.parametrize("name", [CHECKPOINT_FILE, PREVIOUS_CHECKPOINT_FILE, *HISTORY_FILES])
def test_run_with_any_flipped_bit_is_restored(name: str, stopped_run: Path) -> None:
    flip_bits(stopped_run, name, choose_bits(stopped_run / name, 40))


@pytest.mark.slow
def test_run_with_every_flipped_bit_is_restored(stopped_run: Path) -> None:
    for name in (CHECKPOINT_FILE, *HISTORY_FILES):
        flip_bits(stopped_run, name, range((stopped_run / name).stat().st_size * 8))


@pytest.mark.parametrize(
    ("name", "damage"),
    [
        *((name, "flip") for name in (*CHECKPOINT_FILES, *HISTORY_FILES, METRICS_FILE)),
        (CHECKPOINT_FILE, "cut"),
        (CHECKPOINT_FILE, "delete"),
        (HISTORY_FILE, "cut"),
        (HISTORY_FILE, "delete"),
        (HISTORY_FILE, "extend"),
        (METRICS_FILE, "delete"),
    ],
)
def test_run_with_one_damaged_file_is_resumed_bit_identically(
    name: str, damage: str, stopped_run: Path, finished_files: dict[str, bytes]
) -> None:
    path = stopped_run / name
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    if damage == "flip":
        path.write_bytes(content)
    elif damage == "cut":
        os.truncate(path, len(content) - 1)
    elif damage == "extend":  # a process that was killed while it appended
        path.write_bytes(path.read_bytes() + b"12")
    else:
        path.unlink()
    resume(stopped_run, workers=1)
    assert read_run_files(stopped_run) == finished_files


def test_readable_checkpoint_that_does_not_fit_is_replaced_by_the_previous_one(
    stopped_run: Path, finished_files: dict[str, bytes]
) -> None:
    state = read_checkpoint_file(stopped_run / CHECKPOINT_FILE)
    state["optimiser.population"] = state["optimiser.population"][:2]
    (stopped_run / CHECKPOINT_FILE).write_bytes(encode_checkpoint(state))
    resume(stopped_run, workers=1)
    assert read_run_files(stopped_run) == finished_files


def test_damaged_history_raises_error(stopped_run: Path) -> None:
    for name in HISTORY_FILES:
        (stopped_run / name).write_bytes(b"")
    with pytest.raises(RunError, match=f"{HISTORY_FILE} and {HISTORY_COPY_FILE} are missing or damaged"):
        resume(stopped_run, workers=1)


def make_archive(arrays: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    """Return an archive with these members."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", compression) as archive:
        for name, array in arrays.items():
            archive.writestr(f"{name}.npy", array)
    return content.getvalue()


def make_array(shape: str, kind: str = "<f8", data: bytes = b"") -> bytes:
    """Return an .npy file with any header."""
    header = f"{{'descr': {kind!r}, 'fortran_order': False, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + data


def save_array(array: NumpyArray) -> bytes:
    content = io.BytesIO()
    np.save(content, array)
    return content.getvalue()


FORMAT = save_array(np.array(1))
HOSTILE_CHECKPOINTS = {
    "shape of 10^15": make_archive({"format": FORMAT, "rows": make_array("(1000000000000000,)")}),
    "shape without data": make_archive({"format": FORMAT, "rows": make_array("(1000000000, 1000000)")}),
    "negative shape": make_archive({"format": FORMAT, "rows": make_array("(-2, -4)", data=b"0" * 64)}),
    "nested shape": make_archive({"format": FORMAT, "rows": make_array("(" * 400 + ")" * 400)}),
    "empty texts": make_archive({"format": FORMAT, "rows": make_array("(1000000000000,)", "<U0")}),
    "long header": make_archive({"format": FORMAT, "rows": make_array("(" + "1," * 20_000 + ")")}),
    "objects": make_archive({"format": FORMAT, "rows": make_array("(1,)", "|O", b"cos\nsystem\n(S'true'\ntR.")}),
    "plain array": save_array(np.zeros((3, 4))),
    "zip bomb": make_archive({"format": FORMAT, "rows": save_array(np.zeros(10_000_000))}, zipfile.ZIP_DEFLATED),
    "many arrays": make_archive({"format": FORMAT} | {f"a{number}": FORMAT for number in range(300)}),
    "format of many numbers": make_archive({"format": save_array(np.zeros(5))}),
    "format as text": make_archive({"format": save_array(np.array("one"))}),
    "no format": make_archive({"rows": FORMAT}),
    "no arrays": make_archive({}),
    "no archive": b"hello",
    "empty": b"",
}


@pytest.mark.parametrize("name", HOSTILE_CHECKPOINTS)
def test_hostile_checkpoint_is_damaged_and_takes_no_memory(name: str, tmp_path: Path) -> None:
    (tmp_path / CHECKPOINT_FILE).write_bytes(HOSTILE_CHECKPOINTS[name])
    tracemalloc.start()
    try:
        with pytest.raises(RunError, match=r"^is damaged$"):
            read_checkpoint_file(tmp_path / CHECKPOINT_FILE)
        assert tracemalloc.get_traced_memory()[1] < MAX_BYTES
    finally:
        tracemalloc.stop()


def test_checkpoint_that_is_no_regular_file_or_too_large_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RunError, match="cannot be read: the file cannot be read: it is not a regular file"):
        read_checkpoint_file(tmp_path / "pipe")
    with (tmp_path / "large").open("wb") as file:
        file.truncate(300_000_000)
    with pytest.raises(RunError, match="at most 256,000,000 bytes"):
        read_checkpoint_file(tmp_path / "large")


@pytest.mark.parametrize(
    ("learner", "name", "array"),
    [
        ("genetic", "optimiser.generation", np.array(-1)),
        ("genetic", "optimiser.population", np.full((6, 4), np.nan)),
        ("genetic", "optimiser.generator", np.array("{}")),
        ("genetic", "optimiser.generator", np.array("[" * 100_000)),
        ("genetic", "rung", np.array(7)),
        ("genetic", "rung", np.array("one")),
        ("genetic", "unknown", np.array(1)),
        ("genetic", "history.steps", np.array(10**15)),
        ("genetic", "history.steps", np.array(-1)),
        ("genetic", "history.sha256", np.zeros(3, np.uint8)),
        ("genetic", "recipe", np.frombuffer(b"[" * 100_000, np.uint8)),
        ("cma", "optimiser._popsize", np.array(10**12)),
        ("cma", "optimiser._C", np.full((4, 4), np.inf)),
        ("q-learning", "learner.weights", np.zeros(2)),
        ("q-learning", "learner.games_seed", np.array(-5)),
        ("q-learning", "learner.number", np.array(1.5)),
    ],
)
def test_invalid_arrays_with_a_valid_checksum_are_rejected(
    learner: str, name: str, array: NumpyArray, tmp_path: Path
) -> None:
    run = Run(make_stopped_run(tmp_path / "run", learner))
    state = read_checkpoint_file(run.folder / CHECKPOINT_FILE)
    for file_name in CHECKPOINT_FILES:
        (run.folder / file_name).write_bytes(encode_checkpoint(state | encode_recipe(run.recipe) | {name: array}))
    with pytest.raises(RunError, match=r"cannot be resumed: checkpoint\.npz (cannot be restored|is damaged)"):
        resume(run.folder, workers=1)


def test_equal_states_give_equal_bytes() -> None:
    state = {"a": np.arange(3.0), "b": np.array("text")}
    assert encode_checkpoint(state) == encode_checkpoint(dict(state))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "null",
        "[]",
        '{"bit_generator": "MT19937", "state": {"state": 1, "inc": 1}, "has_uint32": 0, "uinteger": 0}',
        '{"bit_generator": "PCG64", "state": {"state": -1, "inc": 1}, "has_uint32": 0, "uinteger": 0}',
        '{"bit_generator": "PCG64", "state": {"state": 1, "inc": 1.5}, "has_uint32": 0, "uinteger": 0}',
        '{"bit_generator": "PCG64", "state": {"state": 1, "inc": 1}, "has_uint32": 2, "uinteger": 0}',
        '{"bit_generator": "PCG64", "state": {"state": 1, "inc": 1}, "has_uint32": 0, "uinteger": 0, "more": 1}',
    ],
)
def test_invalid_state_of_a_generator_is_rejected(text: str) -> None:
    generator = np.random.default_rng(1)
    before = save_generator(generator)
    with pytest.raises(RunError, match="random generator is damaged"):
        restore_generator(generator, np.array(text))
    assert save_generator(generator) == before
