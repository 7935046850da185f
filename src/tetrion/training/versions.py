"""Versions of the code and libraries that a run depends on, compared when a run is resumed."""

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
HASHED_FOLDERS = ("engine", "agents", "evaluation", "training")  # folders whose code affects the result of a run
VERSION_LABELS = {"arithmetic": "linear algebra results (BLAS/LAPACK)"}  # how messages name a key of the versions
PACKAGE_FOLDER = Path(tetrion.__file__).parent


@cache
def get_versions() -> Mapping[str, str]:
    """Return the versions of everything that the numbers of a run depend on."""
    return {
        "python": platform.python_version(),
        **{name: get_version(name) for name in VERSIONED_PACKAGES},
        "rules": str(RULES_VERSION),
        "code": compute_code_hash(),
        "arithmetic": compute_arithmetic_hash(),
    }


def get_version(package: str) -> str:
    """Return the version of a package, or "not installed"."""
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def compute_arithmetic_hash() -> str:
    """Return a short hash of an eigendecomposition on this machine; CMA-ES depends on it to the last bit."""
    matrix = np.sin(np.arange(400.0)).reshape(20, 20)
    values, vectors = np.linalg.eigh(matrix @ matrix.T)
    return hashlib.sha256(values.tobytes() + vectors.tobytes()).hexdigest()[:16]


@cache
def compute_code_hash() -> str:
    """Return a short hash of the code that affects the result of a run."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in HASHED_FOLDERS for path in (PACKAGE_FOLDER / folder).rglob("*.py")):
        digest.update(path.relative_to(PACKAGE_FOLDER).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def describe_differences(run_versions: object) -> list[str]:
    """Return one phrase per difference between the versions of a run and the current ones."""
    if not isinstance(run_versions, Mapping):
        return ["the versions of the run are unknown"]
    return [
        f"{VERSION_LABELS.get(name, name)} was {run_versions.get(name)}, now {current}"
        for name, current in get_versions().items()
        if run_versions.get(name) != current
    ]


@cache
def get_commit() -> str:
    """Return the git commit of the source tree; empty if it is not a repository."""
    if not (PACKAGE_FOLDER.parent.parent / ".git").exists():
        return ""
    try:
        process = subprocess.run(
            ["git", "-C", str(PACKAGE_FOLDER), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            timeout=5,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return process.stdout.strip()
