"""Training by Q-learning: one step per episode; the incumbent is the weights after the episode."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.rules import Rules
from tetrion.errors import RecipeError
from tetrion.evaluation.number_format import format_count
from tetrion.training.fitness import TrainingWorkers
from tetrion.training.learner import Learner, register_learner
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays
from tetrion.training.q_learning import QLearning, QLearningSettings
from tetrion.training.recipe import Recipe
from tetrion.training.seeds import SeedPurpose, derive_seed


@register_learner("q-learning")
class QLearner(Learner):
    """Learner whose steps are episodes of Q-learning."""

    settings_type = QLearningSettings
    section_names = ("validation",)
    step_name = "episode"
    metric_names = ("pieces", "lines", "score", "mean_abs_error", "alpha", "gamma", "epsilon")
    integer_metrics = frozenset(metric_names[:3])
    curves: ClassVar[Mapping[str, str]] = {"Lines": "lines"}
    runs_in_python = True
    end_settings = ("q-learning.episodes", "q-learning.total_pieces")  # the rates have numbers of episodes of their own

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.algorithm = QLearning(recipe.settings, self.rules, derive_seed(recipe.seed, SeedPurpose.OPTIMISER))
        self.parameter_names = tuple(self.algorithm.get_weights())

    @classmethod
    def check_recipe(cls, recipe: Recipe) -> None:
        """Raise an error if the rules have placements that the learner does not make: with hold or spins."""
        super().check_recipe(recipe)
        rules = Rules.parse(recipe.rules)
        if rules.hold or rules.spins != "none":
            raise RecipeError(
                f"The learner q-learning does not support hold and spins; given the rules {recipe.rules}. Use other "
                "rules, such as standard, or another learner, such as cma."
            )

    @classmethod
    def get_planned_steps(cls, recipe: Recipe) -> int:
        """Return the maximum number of episodes."""
        return int(recipe.settings.episodes)

    def make_agent(self, candidate: NumpyArray, name: str) -> WeightedAgent:
        """Return the agent whose weights are the candidate's numbers."""
        weights = dict(zip(self.parameter_names, candidate.tolist(), strict=True))
        return WeightedAgent(name, weights, rules=self.recipe.rules)

    @property
    def note(self) -> str:
        """Message about diverged weights; empty if they did not diverge."""
        return self.algorithm.divergence_message

    def describe_metrics(self, row: Mapping[str, float]) -> list[str]:
        """Return the lines and pieces of an episode."""
        return [format_count(int(row["lines"]), "line"), format_count(int(row["pieces"]), "piece")]

    def is_done(self) -> bool:
        """Return whether the limit of episodes or pieces has been reached, or the weights have diverged."""
        return super().is_done() or bool(self.note)

    def has_reached_limit(self) -> bool:
        """Return whether the limit of episodes or pieces has been reached."""
        total_pieces = self.algorithm.settings.total_pieces
        has_used_pieces = bool(total_pieces) and self.total_pieces >= total_pieces
        return super().has_reached_limit() or has_used_pieces

    def step(self, workers: TrainingWorkers) -> None:
        """Play one episode and learn from it."""
        episode = self.algorithm.run_episode(workers.workers.show_game)
        metrics = [float(getattr(episode, name)) for name in self.metric_names]
        self.record_step(metrics, np.array(list(self.algorithm.get_weights().values())), workers)

    def get_state(self) -> StateArrays:
        """Return all arrays that are needed to continue training."""
        return super().get_state() | {f"learner.{key}": value for key, value in self.algorithm.get_state().items()}

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Continue from a state returned by `get_state`."""
        super().restore(state)
        self.algorithm.restore(
            {key.removeprefix("learner."): value for key, value in state.items() if key.startswith("learner.")}
        )
