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
from tetrion.engine.rules import VERSION

PACKAGES = ("tetrion", "numpy", "numba", "cmaes")
ROOMS = ("engine", "agents", "evaluation", "training")  # whose code decides what a run comes to
HOME = Path(tetrion.__file__).parent


@cache
def versions() -> Mapping[str, str]:
    """The versions of everything that the numbers of a run depend on."""
    packages = {name: version_of(name) for name in PACKAGES}
    python, arithmetic = platform.python_version(), arithmetic_hash()
    return {"python": python, **packages, "rules": str(VERSION), "code": code_hash(), "arithmetic": arithmetic}


def version_of(package: str) -> str:
    """The version of a package, or that there is none."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def arithmetic_hash() -> str:
    """A short hash of what this machine makes of a matrix, on which CMA-ES depends to the last bit."""
    numbers = np.sin(np.arange(400.0)).reshape(20, 20)
    values, vectors = np.linalg.eigh(numbers @ numbers.T)
    return hashlib.sha256(values.tobytes() + vectors.tobytes()).hexdigest()[:16]


@cache
def code_hash() -> str:
    """A short hash of the code that decides what a run comes to."""
    digest = hashlib.sha256()
    for path in sorted(path for room in ROOMS for path in (HOME / room).rglob("*.py")):
        digest.update(path.relative_to(HOME).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def differences(made_with: object) -> list[str]:
    """What is not as it was, in words."""
    if not isinstance(made_with, Mapping):
        return ["what it was made with is not known"]
    here = versions()
    return [
        f"{name} was {made_with.get(name)}, here is {here[name]}" for name in here if made_with.get(name) != here[name]
    ]


@cache
def commit() -> str:
    """The commit of the sources, where they are a repository; empty elsewhere."""
    if not (HOME.parent.parent / ".git").exists():
        return ""
    try:
        done = subprocess.run(
            ["git", "-C", str(HOME), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=5,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip()
