"""Tests of the size of the feature registry: features beyond the first mask are measured and played like all others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKS = Path(__file__).with_name("extended_registry_checks.py")
QUICK_CHECKS = ("120_features", "simd")


def run_checks(expression: str, cache: Path) -> None:
    """Run tests with a full registry in a process of their own, whose engine is compiled into a cache of its own."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(CHECKS), "-k", expression]
    completed = subprocess.run(
        command, env=os.environ | {"TETRION_CACHE_DIR": str(cache)}, capture_output=True, text=True
    )
    assert completed.returncode == 0, completed.stdout[-4000:]


def test_full_registry(tmp_path: Path) -> None:
    """The registry has room for 120 features; copies of features play like the originals."""
    run_checks(" or ".join(QUICK_CHECKS), tmp_path)


@pytest.mark.slow
def test_full_registry_in_all_ways_to_play(tmp_path: Path) -> None:
    run_checks(" and ".join(f"not {name}" for name in QUICK_CHECKS), tmp_path)
