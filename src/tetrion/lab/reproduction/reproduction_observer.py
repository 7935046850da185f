"""Whoever watches a reproduction; each of these is called when it is time, and does nothing by itself."""

from tetrion.evaluation.agent_evaluation import EvaluationProgress


class ReproductionObserver:
    """Is told how far a reproduction is."""

    def on_measurement_begin(self, paper: str, measurement: str, number: int, total: int) -> None:
        """A measurement begins, the one of that number (from 0)."""

    def on_games(self, progress: EvaluationProgress) -> None:
        """Games go on."""

    def on_seed_begin(self, number: int, total: int) -> None:
        """Training begins with the seed of that number (from 0)."""

    def on_step(self, step_count: int) -> None:
        """A generation or an episode has ended."""

    def on_finish(self, paper: str) -> None:
        """All is measured."""
