"""Tetrion, a Tetris AI laboratory: the public names, each loaded when it is first used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tetrion.agents import DataAgent, Explanation, OwnAgent, load, save, zoo
    from tetrion.board import Board, Placement
    from tetrion.engine.board import Outcome
    from tetrion.engine.own import feature
    from tetrion.engine.rules import Rules
    from tetrion.errors import TetrionError
    from tetrion.evaluation import Evaluation, Summary, evaluate
    from tetrion.game import Game
    from tetrion.position import Position
    from tetrion.replay import Replay
    from tetrion.training import Recipe, Run, resume, train

HOMES = {
    "Board": "tetrion.board",
    "DataAgent": "tetrion.agents",
    "Evaluation": "tetrion.evaluation",
    "Explanation": "tetrion.agents",
    "Game": "tetrion.game",
    "Outcome": "tetrion.engine.board",
    "OwnAgent": "tetrion.agents",
    "Placement": "tetrion.board",
    "Position": "tetrion.position",
    "Recipe": "tetrion.training",
    "Replay": "tetrion.replay",
    "Rules": "tetrion.engine.rules",
    "Run": "tetrion.training",
    "Summary": "tetrion.evaluation",
    "TetrionError": "tetrion.errors",
    "evaluate": "tetrion.evaluation",
    "feature": "tetrion.engine.own",
    "load": "tetrion.agents",
    "resume": "tetrion.training",
    "save": "tetrion.agents",
    "train": "tetrion.training",
    "zoo": "tetrion.agents",
}

__all__ = [
    "Board",
    "DataAgent",
    "Evaluation",
    "Explanation",
    "Game",
    "Outcome",
    "OwnAgent",
    "Placement",
    "Position",
    "Recipe",
    "Replay",
    "Rules",
    "Run",
    "Summary",
    "TetrionError",
    "evaluate",
    "feature",
    "load",
    "resume",
    "save",
    "train",
    "zoo",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("tetrion")
    if name not in HOMES:
        raise AttributeError(f"module 'tetrion' has no attribute '{name}'")
    return getattr(import_module(HOMES[name]), name)


def __dir__() -> list[str]:
    return __all__
