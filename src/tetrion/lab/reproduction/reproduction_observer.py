"""Callbacks for the progress of a reproduction."""

from tetrion.evaluation.agent_evaluation import EvaluationProgress


class ReproductionObserver:
    """Receives the progress of a reproduction; all methods do nothing by default."""

    def on_measurement_begin(self, paper: str, measurement: str, number: int, total: int) -> None:
        """Called when a measurement begins; `number` counts from 0."""

    def on_games(self, progress: EvaluationProgress) -> None:
        """Called at intervals while games are played."""

    def on_seed_begin(self, number: int, total: int) -> None:
        """Called when training of a seed begins; `number` counts from 0."""

    def on_step(self, step_count: int) -> None:
        """Called after a generation or an episode."""

    def on_finish(self, paper: str) -> None:
        """Called when all measurements are done."""
