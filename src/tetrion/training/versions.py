"""What a run was made with, so that it is not gone on with by something else unnoticed."""

import hashlib
import os
import platform
import subprocess
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np

import tetrion
from tetrion.engine.rules import RULES_VERSION

VERSIONED_PACKAGES = ("tetrion", "numpy", "numba", "cmaes")
HASHED_FOLDERS = ("engine", "agents", "evaluation", "training")  # whose code decides what a run comes to
PACKAGE_FOLDER = Path(tetrion.__file__).parent


@cache
def get_versions() -> Mapping[str, str]:
    """The versions of everything that the numbers of a run depend on."""
    packages = {name: get_version(name) for name in VERSIONED_PACKAGES}
    python, arithmetic = platform.python_version(), compute_arithmetic_hash()
    return {
        "python": python,
        **packages,
        "rules": str(RULES_VERSION),
        "code": compute_code_hash(),
        "arithmetic": arithmetic,
    }


def get_version(package: str) -> str:
    """The version of a package, or that there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def compute_arithmetic_hash() -> str:
    """A short hash of what this machine makes of a matrix, on which CMA-ES depends to the last bit."""
    numbers = np.sin(np.arange(400.0)).reshape(20, 20)
    values, vectors = np.linalg.eigh(numbers @ numbers.T)
    return hashlib.sha256(values.tobytes() + vectors.tobytes()).hexdigest()[:16]


@cache
def compute_code_hash() -> str:
    """A short hash of the code that decides what a run comes to."""
    digest = hashlib.sha256()
    for path in sorted(path for room in HASHED_FOLDERS for path in (PACKAGE_FOLDER / room).rglob("*.py")):
        digest.update(path.relative_to(PACKAGE_FOLDER).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def describe_differences(made_with: object) -> list[str]:
    """What is not as it was, in words."""
    if not isinstance(made_with, Mapping):
        return ["what it was made with is not known"]
    here = get_versions()
    return [
        f"{name} was {made_with.get(name)}, here is {here[name]}" for name in here if made_with.get(name) != here[name]
    ]


@cache
def get_commit() -> str:
    """The commit of the sources, where they are a repository; empty elsewhere."""
    if not (PACKAGE_FOLDER.parent.parent / ".git").exists():
        return ""
    try:
        done = subprocess.run(
            ["git", "-C", str(PACKAGE_FOLDER), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=5,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
