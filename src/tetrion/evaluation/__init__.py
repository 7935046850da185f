"""Evaluation of agents: many games, their statistics, and the threads, GPU or cluster that play them."""

from tetrion.evaluation.agent_evaluation import evaluate
from tetrion.evaluation.dask_cluster import connect_cluster
from tetrion.evaluation.game_statistics import Evaluation, PairedDifference, SummaryStatistics
from tetrion.evaluation.gpu import open_gpu
from tetrion.evaluation.splitting import SplittingEvaluation, evaluate_by_splitting
from tetrion.evaluation.workers import Workers, start_threads

__all__ = [
    "Evaluation",
    "PairedDifference",
    "SplittingEvaluation",
    "SummaryStatistics",
    "Workers",
    "connect_cluster",
    "evaluate",
    "evaluate_by_splitting",
    "open_gpu",
    "start_threads",
]
