"""Training by Q-learning: one step per episode; the incumbent is the weights after the episode."""

from collections.abc import Mapping

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.rules import Rules
from tetrion.training.fitness import GamesSettings, TrainingWorkers
from tetrion.training.learner import Learner
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays
from tetrion.training.q_learning import QLearning
from tetrion.training.recipe import Recipe
from tetrion.training.seeds import SeedPurpose, derive_seed


class QLearner(Learner):
    """Learner whose steps are episodes of Q-learning."""

    metric_names = ("episode", "pieces", "lines", "score", "mean_abs_error", "alpha", "gamma", "epsilon")
    integer_metrics = frozenset(metric_names[:4])

    def __init__(self, recipe: Recipe) -> None:
        seed = derive_seed(recipe.seed, SeedPurpose.OPTIMISER)
        self.algorithm = QLearning(recipe.settings, Rules.parse(recipe.rules), seed)
        super().__init__(recipe, GamesSettings(), tuple(self.algorithm.get_weights()))

    def make_agent(self, candidate: NumpyArray, name: str) -> WeightedAgent:
        """Return the agent whose weights are the candidate's numbers."""
        weights = dict(zip(self.parameter_names, candidate.tolist(), strict=True))
        return WeightedAgent(name, weights, rules=self.recipe.rules)

    @property
    def max_steps(self) -> int:
        """Maximum number of episodes."""
        return self.algorithm.settings.episodes

    @property
    def note(self) -> str:
        """Message about diverged weights; empty if they did not diverge."""
        return self.algorithm.divergence_message

    def is_done(self) -> bool:
        """Return whether the limit of episodes or pieces has been reached, or the weights have diverged."""
        total_pieces = self.algorithm.settings.total_pieces
        pieces = sum(row[self.metric_names.index("pieces")] for row in self.metric_rows)
        has_used_pieces = bool(total_pieces) and pieces >= total_pieces
        return len(self.metric_rows) >= self.max_steps or has_used_pieces or bool(self.note)

    def step(self, workers: TrainingWorkers) -> None:
        """Play one episode and learn from it."""
        episode = self.algorithm.run_episode()
        metrics = [float(getattr(episode, name)) for name in self.metric_names[1:]]
        weights = np.array(list(self.algorithm.get_weights().values()))
        self.record_step([len(self.metric_rows) + 1, *metrics], weights, workers)

    def get_state(self) -> StateArrays:
        """Return all arrays that are needed to continue training."""
        return super().get_state() | {f"learner.{key}": value for key, value in self.algorithm.get_state().items()}

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Continue from a state returned by `get_state`."""
        self.restore_history(state)
        self.algorithm.restore(
            {key.removeprefix("learner."): value for key, value in state.items() if key.startswith("learner.")}
        )
