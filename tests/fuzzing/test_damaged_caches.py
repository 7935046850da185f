"""Damaged caches of compiled code: a damaged file is refused and compiled again, and the game is the same.

A failure names the seed of its case; `python -m tests.fuzzing.test_damaged_caches FOLDER SEED` repeats it, where FOLDER
is any new folder.
"""

import io
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import redirect_stderr
from pathlib import Path
from random import Random

import pytest

from tests.fuzzing.cached_game import play_game
from tests.fuzzing.mutations import mutate
from tetrion.engine import code_cache
from tetrion.engine.code_cache import compute_checksum, get_cache_folder, read_code
from tetrion.game import Game

REFUSED_CASES = 500
SLOW_REFUSED_CASES = 100_000
PLAYED_CASES = 12
SLOW_PLAYED_CASES = 1000
BATCH = 250  # cases per process, which a crash would end
BENCH = ["bench", "du", "--games", "2", "--pieces", "100"]
BENCH_CASES = 20
NOTICE = "Compiling the engine"  # if that takes long
Files = Mapping[str, bytes]


def damage_files(files: Files, random: Random) -> dict[str, bytes]:
    """Return the files of a cache after one to three cases of damage; deleted files are missing."""
    damaged = dict(files)
    for _ in range(random.randint(1, 3)):
        name = random.choice(list(files))
        other = random.choice(list(files))
        content = damaged.get(name, b"")
        kind = random.choice(["mutate", "mutate", "zeros", "random", "delete", "swap", "copy", "grow", "checksum"])
        start = random.randrange(len(content) + 1)
        end = min(len(content), start + random.choice([1, 16, 64, 512, 4096]))
        if kind == "mutate":
            damaged[name] = mutate(content, random)
        elif kind == "zeros":
            damaged[name] = content[:start] + bytes(end - start) + content[end:]
        elif kind == "random":
            damaged[name] = content[:start] + random.randbytes(end - start) + content[end:]
        elif kind == "delete":
            damaged.pop(name, None)
        elif kind == "swap":
            damaged[name], damaged[other] = damaged.get(other, b""), content
        elif kind == "copy":
            damaged[name] = damaged.get(other, b"")
        elif kind == "grow":
            damaged[name] = content + random.randbytes(random.randint(1, 64))
        else:
            damaged[name] = random.randbytes(32) + content[32:]
    return damaged


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the files of compiled code in a folder; the CUDA simulator may have made a folder of its own there."""
    paths = [path for path in sorted(folder.iterdir()) if path.is_file() and path.suffix != ".lock"]
    return {path.name: path.read_bytes() for path in paths}


def write_files(folder: Path, files: Files) -> None:
    """Replace all files of a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def use_cache(folder: Path) -> Path:
    """Use a cache in a folder from now on; return the part of it that belongs to this version of the engine."""
    os.environ["TETRION_CACHE_DIR"] = str(folder)
    code_cache.get_cache_folder.cache_clear()
    return get_cache_folder()


def find_accepted_files(folder: Path, files: Files, seeds: Sequence[int]) -> list[str]:
    """Return a message for each damaged file that would be loaded, and for each intact one that would not be."""
    write_files(folder, files)
    problems = [f"intact file {name}" for name in files if read_code(folder / name) is None]
    for seed in seeds:
        for name, content in damage_files(files, Random(seed)).items():
            if content != files[name]:
                (folder / name).write_bytes(content)
                if read_code(folder / name) is not None:
                    problems.append(f"case {seed}: {name}")
    return problems


def play_with_damage(folder: Path, files: Files, expected: str, seed: int) -> str:
    """Play the small game with a damaged cache, and again with the repaired one; return what is wrong, or nothing."""
    damaged = damage_files(files, Random(seed))
    write_files(folder, damaged)
    errors = io.StringIO()
    with redirect_stderr(errors):
        result, _, loaded = play_game().partition(" loaded ")
        repaired_result = play_game()
    intact_count = sum(damaged.get(name) == content for name, content in files.items())
    if result != expected or loaded.count("1") != intact_count:
        return f"case {seed}: {result}, loaded {loaded}, {intact_count} intact files"
    if repaired_result != f"{expected} loaded [1, 1, 1, 1]":
        return f"case {seed}: {repaired_result} after the repair"
    return f"case {seed}: {errors.getvalue()}" if errors.getvalue() else ""


def play_batch(folder: Path, seeds: Sequence[int]) -> None:
    """Print the seed of each case before it is played, and its problem; a crash is found by the last printed seed."""
    cache = use_cache(folder)
    expected = play_game().partition(" loaded ")[0]
    files = read_files(cache)
    assert len(files) == 4
    for seed in seeds:
        print("case", seed, flush=True)
        if problem := play_with_damage(cache, files, expected, seed):
            print("problem", problem, flush=True)


def find_wrong_games(folder: Path, seeds: Sequence[int]) -> list[str]:
    """Play cases in processes of their own; return the problems, and the case in which a process has crashed."""
    problems = []
    for first in range(0, len(seeds), BATCH):
        part = seeds[first : first + BATCH]
        arguments = [str(folder / str(first)), *map(str, part)]
        command = [sys.executable, "-m", "tests.fuzzing.test_damaged_caches", *arguments]
        process = subprocess.run(command, capture_output=True, text=True)
        lines = process.stdout.splitlines()
        problems += [line for line in lines if line.startswith("problem")]
        if process.returncode or process.stderr or sum(line.startswith("case") for line in lines) != len(part):
            problems.append(f"exit code {process.returncode} after {lines[-1:]}: {process.stderr[-1000:]}")
    return problems


@pytest.fixture
def real_files() -> dict[str, bytes]:
    """Return the files of compiled code of the small game, and of the first piece of a real one."""
    play_game()
    Game("standard").place(Game("standard").placements()[0])
    files = read_files(get_cache_folder())
    functions = ("draw_column", "drop_cell", "compute_score", "sample_actions", "prepare_next_piece", "place_piece")
    return {name: content for name, content in files.items() if name.split(".")[1].split("-")[0] in functions}


def test_damaged_files_are_refused(real_files: Files, tmp_path: Path) -> None:
    assert len(real_files) >= 6
    assert find_accepted_files(tmp_path, real_files, range(REFUSED_CASES)) == []


@pytest.mark.slow
def test_many_damaged_files_are_refused(real_files: Files, tmp_path: Path) -> None:
    assert find_accepted_files(tmp_path, real_files, range(1000, 1000 + SLOW_REFUSED_CASES)) == []


def test_games_with_a_damaged_cache_are_the_same(tmp_path: Path) -> None:
    assert find_wrong_games(tmp_path, range(PLAYED_CASES)) == []


@pytest.mark.slow
def test_many_games_with_a_damaged_cache_are_the_same(tmp_path: Path) -> None:
    assert find_wrong_games(tmp_path, range(1000, 1000 + SLOW_PLAYED_CASES)) == []


@pytest.mark.slow
def test_measurements_with_a_damaged_cache_are_the_same(tmp_path: Path) -> None:
    """Damage the large file of a real agent's game, which takes longer to compile."""
    environment = os.environ | {"TETRION_CACHE_DIR": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "tetrion", *BENCH, "--csv", str(tmp_path / "games.csv")]
    subprocess.run(command, env=environment, capture_output=True, check=True)
    expected = (tmp_path / "games.csv").read_bytes()
    (file,) = (tmp_path / "cache").glob("*/*.play_local_drops-*")
    original = file.read_bytes()
    for seed in range(BENCH_CASES):
        content = damage_files({file.name: original}, Random(seed)).get(file.name, b"")
        file.write_bytes(content)
        process = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert process.returncode == 0, seed
        assert not process.stderr or (content != original and process.stderr.startswith(NOTICE)), seed
        assert (tmp_path / "games.csv").read_bytes() == expected, seed


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Use an empty cache during a test."""
    monkeypatch.setenv("TETRION_CACHE_DIR", "")  # restored after the test
    yield use_cache(tmp_path / "cache")
    get_cache_folder.cache_clear()


def test_problems_are_found(cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Check the harness itself: damaged files that are accepted, intact ones that are not, and other results."""
    name = "module.function-0"
    content = b"compiled code"
    files = {name: compute_checksum(name, content) + content}
    assert find_accepted_files(tmp_path, files, range(20)) == []
    assert find_accepted_files(tmp_path, {name: content}, []) == [f"intact file {name}"]
    result = play_game().partition(" loaded ")[0]
    files = read_files(cache)
    assert play_with_damage(cache, files, result, 0) == ""
    assert play_with_damage(cache, files, "another result", 0) != ""
    monkeypatch.setattr(code_cache, "compute_checksum", lambda file_name, code: bytes(code)[:0])
    monkeypatch.setattr(code_cache, "_CHECKSUM_SIZE", 0)
    assert len(find_accepted_files(tmp_path, files, range(20))) >= 15, "without a checksum"


if __name__ == "__main__":
    play_batch(Path(sys.argv[1]), [int(seed) for seed in sys.argv[2:]])
