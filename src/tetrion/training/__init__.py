"""Training of agents: game-independent optimisers, recipes, and runs that can be stopped and resumed."""

from tetrion.training.evolutionary_learner import EvolutionaryLearner
from tetrion.training.learner import LEARNERS, Learner, register_learner
from tetrion.training.q_learning import QLearner
from tetrion.training.recipe import RECIPES, Recipe
from tetrion.training.run import Run
from tetrion.training.td_learning import TdLearner
from tetrion.training.trainer import resume, resume_runs, train
from tetrion.training.training_progress import TrainingProgress

__all__ = [
    "LEARNERS",
    "RECIPES",
    "EvolutionaryLearner",
    "Learner",
    "QLearner",
    "Recipe",
    "Run",
    "TdLearner",
    "TrainingProgress",
    "register_learner",
    "resume",
    "resume_runs",
    "train",
]
