"""Training of agents: game-independent optimisers, recipes, and runs that can be stopped and resumed."""

from tetrion.training.recipe import Recipe
from tetrion.training.run import Run
from tetrion.training.trainer import TrainingObserver, resume, train

__all__ = ["Recipe", "Run", "TrainingObserver", "resume", "train"]
