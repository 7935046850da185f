"""Training by Q-learning: episode after episode, the weights after each of them being the favourite."""

from collections.abc import Mapping

import numpy as np

from tetrion.agents import DataAgent
from tetrion.engine.rules import Rules
from tetrion.training.fitness import GamesSettings, Team
from tetrion.training.learner import Learner
from tetrion.training.optimisers.protocol import Numbers, State
from tetrion.training.qlearning import QLearning
from tetrion.training.recipe import Recipe
from tetrion.training.seeds import OPTIMISER, derived


class QTraining(Learner):
    """A Q-learner and its episodes."""

    figures = ("episode", "pieces", "lines", "score", "error", "alpha", "gamma", "epsilon")
    whole = frozenset(figures[:4])

    def __init__(self, recipe: Recipe) -> None:
        seed = derived(recipe.seed, OPTIMISER)
        self.learner = QLearning(recipe.settings, Rules.parse(recipe.rules), seed)
        super().__init__(recipe, GamesSettings(), tuple(self.learner.weights()))

    def agent(self, numbers: Numbers, name: str) -> DataAgent:
        """The agent with these weights."""
        return DataAgent(name, dict(zip(self.names, numbers.tolist(), strict=True)), rules=self.recipe.rules)

    @property
    def planned(self) -> int:
        """How many episodes there are at most."""
        return self.learner.settings.episodes

    @property
    def note(self) -> str:
        """That the weights diverged, if they did."""
        return self.learner.diverged

    def done(self) -> bool:
        """Whether episodes or pieces have run out, or the weights away."""
        budget = self.learner.settings.budget
        spent = bool(budget) and sum(row[self.figures.index("pieces")] for row in self.rows) >= budget
        return len(self.rows) >= self.planned or spent or bool(self.note)

    def step(self, team: Team) -> None:
        """Play and learn from an episode."""
        episode = self.learner.episode()
        figures = [float(getattr(episode, name)) for name in self.figures[1:]]
        self.keep([len(self.rows) + 1, *figures], np.array(list(self.learner.weights().values())), team)

    def state(self) -> State:
        """Everything that is needed to go on."""
        return super().state() | {f"learner.{key}": value for key, value in self.learner.state().items()}

    def restore(self, state: Mapping[str, Numbers]) -> None:
        """Go on from a state."""
        self.restore_history(state)
        self.learner.restore(
            {key.partition(".")[2]: value for key, value in state.items() if key.startswith("learner.")}
        )
