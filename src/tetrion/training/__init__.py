"""How agents learn: optimisers that know nothing of Tetris, recipes, and runs that are never lost."""

from tetrion.training.recipe import Recipe
from tetrion.training.run import Run
from tetrion.training.trainer import TrainingObserver, resume, train

__all__ = ["Recipe", "Run", "TrainingObserver", "resume", "train"]
