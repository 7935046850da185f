"""Tests of loading the engine in parts: a screen opens as soon as the parts that it needs are loaded."""

import time
from typing import Any

import pytest

from tetrion.app import engine_loading
from tetrion.app.engine_loading import ENGINE_PARTS, EngineLoader, EnginePart, compile_for_agents, get_screen_parts
from tetrion.engine.batch_play import play_with_lookahead
from tetrion.engine.compiler import CompiledFunction


@pytest.fixture
def order(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Replace the parts of the engine by calls that record their order, and start no other process."""
    recorded: list[str] = []

    def make_part(name: str, function: CompiledFunction[Any, Any]) -> EnginePart:
        return EnginePart(lambda: recorded.append(name), function)

    for name, part in list(ENGINE_PARTS.items()):
        monkeypatch.setitem(ENGINE_PARTS, name, make_part(name, part.function))
    monkeypatch.setattr(engine_loading, "compile_agents_in_other_process", lambda: None)
    return recorded


def test_parts_that_play_needs_are_loaded_first(order: list[str]) -> None:
    loader = EngineLoader()
    loader.wait()
    assert order == list(ENGINE_PARTS)
    assert tuple(order[:2]) == get_screen_parts("play")
    assert loader.is_ready_for("menu")
    assert loader.compute_share("watch") == 1
    loader.loaded_parts = set(get_screen_parts("play"))
    assert [loader.is_ready_for(screen) for screen in ("play", "settings", "watch")] == [True, True, False]
    assert 0 < loader.compute_share("watch") < 1


def test_requested_screen_comes_first(order: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def request_watch() -> None:
        while not loaders:
            pass
        loaders[0].load_first_for("watch")

    loaders: list[EngineLoader] = []
    monkeypatch.setitem(ENGINE_PARTS, "pieces", EnginePart(request_watch, ENGINE_PARTS["pieces"].function))
    monkeypatch.setattr(time, "sleep", lambda seconds: order.append("the agent of the screen"))
    loaders.append(EngineLoader())
    loaders[0].wait()
    assert order == ["placements", "locking", "key paths", "the agent of the screen", "movement"]


def test_failed_part_is_reported(order: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise OSError("disk full")

    monkeypatch.setitem(ENGINE_PARTS, "locking", EnginePart(fail, ENGINE_PARTS["locking"].function))
    loader = EngineLoader()
    loader.wait()
    assert loader.problem.startswith("The engine cannot be loaded: OSError('disk full').")
    assert loader.is_ready_for("play")
    assert not loader.is_ready_for("menu")


def test_program_of_the_second_process_compiles_what_agents_need() -> None:
    compile_for_agents()
    assert play_with_lookahead.is_cached or play_with_lookahead.dispatcher.signatures
