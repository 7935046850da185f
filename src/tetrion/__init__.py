"""Tetrion, a Tetris AI laboratory. Public names are loaded on first use."""

import sys
from importlib import import_module

TYPE_CHECKING = False  # `typing` is not imported, so that the command line can handle Ctrl-C as early as possible
if TYPE_CHECKING:
    from typing import Any

    from tetrion.agents import (
        Agent as Agent,
        Decision as Decision,
        Explanation as Explanation,
        Player as Player,
        PythonAgent as PythonAgent,
        WeightedAgent as WeightedAgent,
        check_agent as check_agent,
        load_agent as load_agent,
        named_agents as named_agents,
        save_agent as save_agent,
    )
    from tetrion.board import Board as Board, Placement as Placement
    from tetrion.engine.bitboard import Outcome as Outcome
    from tetrion.engine.custom_features import feature as feature
    from tetrion.engine.features import FEATURES as FEATURES
    from tetrion.engine.rules import Rules as Rules
    from tetrion.errors import TetrionError as TetrionError
    from tetrion.evaluation import (
        Evaluation as Evaluation,
        SummaryStatistics as SummaryStatistics,
        evaluate as evaluate,
    )
    from tetrion.game import Game as Game
    from tetrion.position import Position as Position
    from tetrion.replay import Replay as Replay
    from tetrion.training import (
        Recipe as Recipe,
        Run as Run,
        list_recipes as list_recipes,
        resume as resume,
        train as train,
    )

_PUBLIC_NAMES = {  # module -> names; the imports above give their types to editors and type checkers
    "tetrion.agents": (
        "Agent",
        "Decision",
        "Explanation",
        "Player",
        "PythonAgent",
        "WeightedAgent",
        "check_agent",
        "load_agent",
        "named_agents",
        "save_agent",
    ),
    "tetrion.board": ("Board", "Placement"),
    "tetrion.engine.bitboard": ("Outcome",),
    "tetrion.engine.custom_features": ("feature",),
    "tetrion.engine.features": ("FEATURES",),
    "tetrion.engine.rules": ("Rules",),
    "tetrion.errors": ("TetrionError",),
    "tetrion.evaluation": ("Evaluation", "SummaryStatistics", "evaluate"),
    "tetrion.game": ("Game",),
    "tetrion.position": ("Position",),
    "tetrion.replay": ("Replay",),
    "tetrion.training": ("Recipe", "Run", "list_recipes", "resume", "train"),
}
_MODULES = {name: module for module, names in _PUBLIC_NAMES.items() for name in names}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> "Any":
    if name == "__version__":
        return import_module("importlib.metadata").version("tetrion")
    if name not in _MODULES:
        raise AttributeError(f"module 'tetrion' has no attribute '{name}'")
    return getattr(import_module(_MODULES[name]), name)


def __dir__() -> list[str]:
    return __all__


# A program that uses Gymnasium, of a version with these modes, gets the environments. Otherwise `import tetrion` loads
# nothing, and `import tetrion.envs` registers them.
if hasattr(getattr(sys.modules.get("gymnasium"), "vector", None), "AutoresetMode"):
    import_module("tetrion.envs")
