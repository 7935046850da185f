"""Compilation of the engine before the worker processes of the tests start, and a folder for the user's settings."""

import os
import shutil
import tempfile

import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Keep the settings and consents of the user who runs the tests out of them."""
    folder = os.environ["TETRION_CONFIG_DIR"] = tempfile.mkdtemp(prefix="tetrion-tests-")
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the whole engine before worker processes start; a single process compiles what its tests need."""
    config = session.config
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        from tests.engine.engine_calls import compile_engine

        with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():  # show messages
            compile_engine()
