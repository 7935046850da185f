"""Compilation of the engine before the worker processes of the tests start."""

import pytest


def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the whole engine before worker processes start; a single process compiles what its tests need."""
    config = session.config
    if config.getoption("numprocesses", None) and not hasattr(config, "workerinput"):
        from tests.engine.engine_calls import compile_engine

        with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():  # show messages
            compile_engine()
