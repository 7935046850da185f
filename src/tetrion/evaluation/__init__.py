"""How we know: games in bulk and what can be said of them."""

from tetrion.evaluation.clusters import cluster
from tetrion.evaluation.comparison import Difference
from tetrion.evaluation.devices import gpu
from tetrion.evaluation.games import Standing, evaluate
from tetrion.evaluation.statistics import Evaluation, Summary
from tetrion.evaluation.workers import Workers, threads

__all__ = ["Difference", "Evaluation", "Standing", "Summary", "Workers", "cluster", "evaluate", "gpu", "threads"]
