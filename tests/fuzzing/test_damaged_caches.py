"""Damaged caches of compiled code: a damaged file is refused and compiled again, and the game is the same.

A failure names the seed of its case; `python -m tests.fuzzing.test_damaged_caches FOLDER SEED END` repeats it, where
FOLDER is any new folder.
"""

import io
import os
import shutil
import sys
from collections.abc import Mapping
from contextlib import redirect_stderr
from functools import partial
from pathlib import Path
from random import Random

from tests.fuzzing.cached_game import play_game
from tests.fuzzing.child_processes import PROBLEM, list_problems, parametrise_cases, print_outcomes, run_cases
from tests.fuzzing.mutations import mutate
from tetrion.engine import code_cache
from tetrion.engine.code_cache import get_cache_folder, read_code

FUNCTIONS = ("drop_cell", "compute_score", "sample_actions")
Files = Mapping[str, bytes]


def damage_files(files: Files, random: Random) -> dict[str, bytes]:
    """Return the files of a cache after one to three cases of damage; deleted files are missing."""
    damaged = dict(files)
    for _ in range(random.randint(1, 3)):
        name = random.choice(list(files))
        other = random.choice(list(files))
        content = damaged.get(name, b"")
        kind = random.choice(["mutate", "mutate", "zeros", "delete", "swap", "grow", "checksum"])
        start = random.randrange(len(content) + 1)
        end = min(len(content), start + random.choice([1, 16, 64, 512, 4096]))
        if kind == "mutate":
            damaged[name] = mutate(content, random)
        elif kind == "zeros":
            damaged[name] = content[:start] + bytes(end - start) + content[end:]
        elif kind == "delete":
            damaged.pop(name, None)
        elif kind == "swap":
            damaged[name], damaged[other] = damaged.get(other, b""), content
        elif kind == "grow":
            damaged[name] = content + random.randbytes(random.randint(1, 64))
        else:
            damaged[name] = random.randbytes(32) + content[32:]
    return damaged


def read_files(folder: Path) -> dict[str, bytes]:
    """Return the files of compiled code of the small game."""
    paths = [path for path in sorted(folder.iterdir()) if path.is_file() and path.suffix != ".lock"]
    return {path.name: path.read_bytes() for path in paths if path.name.split(".")[1].split("-")[0] in FUNCTIONS}


def write_files(folder: Path, files: Files) -> None:
    """Replace all files of a folder."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


@parametrise_cases(500, 100_000)
def test_damaged_files_are_refused(cases: range, tmp_path: Path) -> None:
    play_game()
    files = read_files(get_cache_folder())
    assert len(files) >= len(FUNCTIONS)
    write_files(tmp_path, files)
    assert None not in [read_code(tmp_path / name) for name in files]
    for seed in cases:
        for name, content in damage_files(files, Random(seed)).items():
            if content != files[name]:
                (tmp_path / name).write_bytes(content)
                assert read_code(tmp_path / name) is None, f"case {seed}: {name}"


@parametrise_cases(6, 1000)
def test_games_with_a_damaged_cache_are_the_same(cases: range, tmp_path: Path) -> None:
    assert list_problems(run_cases("tests.fuzzing.test_damaged_caches", cases, str(tmp_path))) == []


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
        return f"{PROBLEM} case {seed}: {result}, loaded {loaded}, {intact_count} intact files"
    if repaired_result != f"{expected} loaded [1, 1, 1]":
        return f"{PROBLEM} case {seed}: {repaired_result} after the repair"
    return f"{PROBLEM} case {seed}: {errors.getvalue()}" if errors.getvalue() else ""


def main() -> None:
    """Play the cases of the command line with a cache in its folder."""
    os.environ["TETRION_CACHE_DIR"] = sys.argv[1]
    code_cache.get_cache_folder.cache_clear()
    expected = play_game().partition(" loaded ")[0]
    files = read_files(get_cache_folder())
    print_outcomes(partial(play_with_damage, get_cache_folder(), files, expected))


if __name__ == "__main__":
    main()
