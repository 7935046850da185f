"""Training by Q-learning: episode after episode, the weights after each of them being the favourite."""

from collections.abc import Mapping

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.rules import Rules
from tetrion.training.fitness import GamesSettings, TrainingWorkers
from tetrion.training.learner import Learner
from tetrion.training.optimisers.optimiser import NumpyArray, StateArrays
from tetrion.training.q_learning import QLearning
from tetrion.training.recipe import Recipe
from tetrion.training.seeds import OPTIMISER_PURPOSE, derive_seed


class QLearner(Learner):
    """A Q-learner and its episodes."""

    metric_names = ("episode", "pieces", "lines", "score", "error", "alpha", "gamma", "epsilon")
    integer_metrics = frozenset(metric_names[:4])

    def __init__(self, recipe: Recipe) -> None:
        seed = derive_seed(recipe.seed, OPTIMISER_PURPOSE)
        self.algorithm = QLearning(recipe.settings, Rules.parse(recipe.rules), seed)
        super().__init__(recipe, GamesSettings(), tuple(self.algorithm.get_weights()))

    def make_agent(self, numbers: NumpyArray, name: str) -> WeightedAgent:
        """The agent with these weights."""
        return WeightedAgent(
            name, dict(zip(self.parameter_names, numbers.tolist(), strict=True)), rules=self.recipe.rules
        )

    @property
    def max_steps(self) -> int:
        """How many episodes there are at most."""
        return self.algorithm.settings.episodes

    @property
    def note(self) -> str:
        """That the weights diverged, if they did."""
        return self.algorithm.divergence_message

    def is_done(self) -> bool:
        """Whether episodes or pieces have run out, or the weights away."""
        budget = self.algorithm.settings.total_pieces
        spent = bool(budget) and sum(row[self.metric_names.index("pieces")] for row in self.metric_rows) >= budget
        return len(self.metric_rows) >= self.max_steps or spent or bool(self.note)

    def step(self, workers: TrainingWorkers) -> None:
        """Play and learn from an episode."""
        episode = self.algorithm.run_episode()
        figures = [float(getattr(episode, name)) for name in self.metric_names[1:]]
        self.record_step(
            [len(self.metric_rows) + 1, *figures], np.array(list(self.algorithm.get_weights().values())), workers
        )

    def get_state(self) -> StateArrays:
        """Everything that is needed to go on."""
        return super().get_state() | {f"learner.{key}": value for key, value in self.algorithm.get_state().items()}

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Go on from a state."""
        self.restore_history(state)
        self.algorithm.restore(
            {key.partition(".")[2]: value for key, value in state.items() if key.startswith("learner.")}
        )
