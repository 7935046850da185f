"""Tetrion, a Tetris AI laboratory. Public names are loaded on first use."""

import sys
from importlib import import_module

# False, without the import of `typing`, so that the command line can handle Ctrl-C as early as possible. Type checkers
# know the name; editors that do not (jedi) read the imports below, because this is not the constant False.
TYPE_CHECKING = bool()  # noqa: UP018
if TYPE_CHECKING:
    from typing import Any

    from tetrion.agents import (
        AGENTS as AGENTS,
        Agent as Agent,
        Candidate as Candidate,
        Decision as Decision,
        Explanation as Explanation,
        Player as Player,
        PythonAgent as PythonAgent,
        SecondMode as SecondMode,
        WeightedAgent as WeightedAgent,
        check_agent as check_agent,
        load_agent as load_agent,
        save_agent as save_agent,
    )
    from tetrion.board import Board as Board, Placement as Placement
    from tetrion.engine.bitboard import Outcome as Outcome
    from tetrion.engine.custom_features import feature as feature
    from tetrion.engine.features import FEATURES as FEATURES
    from tetrion.engine.rules import PRESETS as PRESETS, Rules as Rules
    from tetrion.errors import TetrionError as TetrionError
    from tetrion.evaluation import (
        Evaluation as Evaluation,
        PairedDifference as PairedDifference,
        SplittingEvaluation as SplittingEvaluation,
        SummaryStatistics as SummaryStatistics,
        connect_cluster as connect_cluster,
        evaluate as evaluate,
        evaluate_by_splitting as evaluate_by_splitting,
    )
    from tetrion.evaluation.replay_review import Review as Review, review_replay as review_replay
    from tetrion.game import Game as Game
    from tetrion.papers import PAPERS as PAPERS
    from tetrion.position import Position as Position
    from tetrion.progress import Progress as Progress
    from tetrion.registry import Registry as Registry
    from tetrion.replay import Replay as Replay
    from tetrion.training import (
        LEARNERS as LEARNERS,
        RECIPES as RECIPES,
        Recipe as Recipe,
        Run as Run,
        resume as resume,
        train as train,
    )

_PUBLIC_NAMES = {  # module -> names; the imports above give their types to editors and type checkers
    "tetrion.agents": (
        "AGENTS Agent Candidate Decision Explanation Player PythonAgent SecondMode WeightedAgent "
        "check_agent load_agent save_agent"
    ),
    "tetrion.board": "Board Placement",
    "tetrion.engine.bitboard": "Outcome",
    "tetrion.engine.custom_features": "feature",
    "tetrion.engine.features": "FEATURES",
    "tetrion.engine.rules": "PRESETS Rules",
    "tetrion.errors": "TetrionError",
    "tetrion.evaluation": (
        "Evaluation PairedDifference SplittingEvaluation SummaryStatistics connect_cluster evaluate "
        "evaluate_by_splitting"
    ),
    "tetrion.evaluation.replay_review": "Review review_replay",
    "tetrion.game": "Game",
    "tetrion.papers": "PAPERS",
    "tetrion.position": "Position",
    "tetrion.progress": "Progress",
    "tetrion.registry": "Registry",
    "tetrion.replay": "Replay",
    "tetrion.training": "LEARNERS RECIPES Recipe Run resume train",
}
_MODULES = {name: module for module, names in _PUBLIC_NAMES.items() for name in names.split()}
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
