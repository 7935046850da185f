"""How we know: games in bulk and what can be said of them."""

from tetrion.evaluation.games import evaluate
from tetrion.evaluation.statistics import Evaluation, Summary

__all__ = ["Evaluation", "Summary", "evaluate"]
