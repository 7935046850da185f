"""How we know: games in bulk and what can be said of them."""

from tetrion.evaluation.comparison import Difference
from tetrion.evaluation.games import Standing, evaluate
from tetrion.evaluation.statistics import Evaluation, Summary

__all__ = ["Difference", "Evaluation", "Standing", "Summary", "evaluate"]
