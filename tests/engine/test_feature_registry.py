"""Tests of the size of the feature registry: features beyond the first mask are measured and played like all others."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

CHECKS = Path(__file__).with_name("extended_registry_checks.py")


@pytest.mark.slow  # compiles the engine with 120 features into a cache of its own
def test_full_registry(tmp_path: Path) -> None:
    """Copies of features that fill the registry are measured and play like the originals."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(CHECKS)]
    environment = os.environ | {"TETRION_CACHE_DIR": str(tmp_path)}
    completed = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert completed.returncode == 0, completed.stdout[-4000:]
