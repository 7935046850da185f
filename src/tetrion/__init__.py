"""Tetrion, a Tetris AI laboratory. Public names are loaded on first use."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tetrion.agents import Explanation, PythonAgent, WeightedAgent, load_agent, named_agents, save_agent
    from tetrion.board import Board, Placement
    from tetrion.engine.bitboard import Outcome
    from tetrion.engine.custom_features import feature
    from tetrion.engine.rules import Rules
    from tetrion.errors import TetrionError
    from tetrion.evaluation import Evaluation, SummaryStatistics, evaluate
    from tetrion.game import Game
    from tetrion.position import Position
    from tetrion.replay import Replay
    from tetrion.training import Recipe, Run, resume, train

_PUBLIC_NAME_MODULES = {
    "Board": "tetrion.board",
    "WeightedAgent": "tetrion.agents",
    "Evaluation": "tetrion.evaluation",
    "Explanation": "tetrion.agents",
    "Game": "tetrion.game",
    "Outcome": "tetrion.engine.bitboard",
    "PythonAgent": "tetrion.agents",
    "Placement": "tetrion.board",
    "Position": "tetrion.position",
    "Recipe": "tetrion.training",
    "Replay": "tetrion.replay",
    "Rules": "tetrion.engine.rules",
    "Run": "tetrion.training",
    "SummaryStatistics": "tetrion.evaluation",
    "TetrionError": "tetrion.errors",
    "evaluate": "tetrion.evaluation",
    "feature": "tetrion.engine.custom_features",
    "load_agent": "tetrion.agents",
    "resume": "tetrion.training",
    "save_agent": "tetrion.agents",
    "train": "tetrion.training",
    "named_agents": "tetrion.agents",
}

__all__ = [
    "Board",
    "Evaluation",
    "Explanation",
    "Game",
    "Outcome",
    "Placement",
    "Position",
    "PythonAgent",
    "Recipe",
    "Replay",
    "Rules",
    "Run",
    "SummaryStatistics",
    "TetrionError",
    "WeightedAgent",
    "evaluate",
    "feature",
    "load_agent",
    "named_agents",
    "resume",
    "save_agent",
    "train",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return import_module("importlib.metadata").version("tetrion")
    if name not in _PUBLIC_NAME_MODULES:
        raise AttributeError(f"module 'tetrion' has no attribute '{name}'")
    return getattr(import_module(_PUBLIC_NAME_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__
