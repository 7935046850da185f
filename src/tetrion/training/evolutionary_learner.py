"""Training with an optimiser: generation after generation, candidates play and their fitness is told."""

from collections.abc import Mapping, Sequence

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.rules import Rules
from tetrion.training.fitness import GenerationFitness, TrainingWorkers, play_candidates
from tetrion.training.learner import GenerationTable, Learner
from tetrion.training.optimisers import OPTIMISERS
from tetrion.training.optimisers.optimiser import NumpyArray, Optimiser, StateArrays
from tetrion.training.optimisers.wisdom_of_crowds import make_consensus_crowd, make_mean_crowd
from tetrion.training.recipe import Recipe
from tetrion.training.seeds import OPTIMISER_PURPOSE, TRAINING_PURPOSE, derive_seed

CROWD_KINDS = {"none": (), "mean": ("mean",), "consensus": ("consensus",), "both": ("mean", "consensus")}


class EvolutionaryLearner(Learner):
    """Candidates of an optimiser, which play the games of a recipe."""

    # the columns of Hindi et al.'s Table III, and what it took
    metric_names = ("generation", "most_pieces", "games", "pieces", "median", "q1", "q3", "min", "max", "mean")
    integer_metrics = frozenset(metric_names[:4])

    def __init__(self, recipe: Recipe, first_population: NumpyArray | None = None) -> None:
        self.design = recipe.make_design()
        super().__init__(recipe, recipe.games, self.design.parameter_names)
        self.optimiser: Optimiser = make_optimiser(recipe, len(self.parameter_names), first_population)
        self.max_pieces_index = 0  # of the most pieces

    def make_agent(self, numbers: NumpyArray, name: str) -> WeightedAgent:
        """The agent that some numbers make."""
        return self.design.make_agent(numbers.tolist(), name)

    def compute_parameters(self, numbers: NumpyArray) -> list[float]:
        """What some numbers come to in the agent."""
        return self.design.compute_parameters(numbers.tolist())

    @property
    def max_steps(self) -> int:
        """How many generations there are at most."""
        return self.recipe.stop.generations

    def is_done(self) -> bool:
        """Whether generations, pieces or patience have run out."""
        stop = self.recipe.stop
        pieces = sum(row[self.metric_names.index("pieces")] for row in self.metric_rows)
        return (
            len(self.metric_rows) >= stop.generations
            or bool(stop.total_pieces and pieces >= stop.total_pieces)
            or bool(stop.patience and self.count_generations_without_improvement() >= stop.patience)
        )

    def count_generations_without_improvement(self) -> int:
        """How many generations ago the best judged favourite was."""
        judged = self.validation_scores
        return len(judged) - 1 - int(np.nanargmax(judged)) if np.isfinite(judged).any() else 0

    def step(self, workers: TrainingWorkers) -> GenerationTable:
        """Ask, play, tell."""
        games = self.recipe.games
        number = len(self.metric_rows)
        most = self.recipe.games.max_pieces[self.max_pieces_index]
        candidates = self.optimiser.ask()
        agents = [self.make_agent(numbers, f"{self.recipe.name} {place}") for place, numbers in enumerate(candidates)]
        played = play_generation(agents, self.recipe, number, most, workers)
        self.optimiser.tell(played.fitness)
        fitness = played.fitness
        q1, median, q3 = np.percentile(fitness, [25, 50, 75])
        spread = (median, q1, q3, fitness.min(), fitness.max(), fitness.mean())
        figures = (number + 1, most, int(played.game_counts.sum()), played.total_pieces, *map(float, spread))
        self.record_step(figures, self.optimiser.get_incumbent(), workers)
        if played.capped_share >= games.raise_share and self.max_pieces_index + 1 < len(games.max_pieces):
            self.max_pieces_index += 1
        return GenerationTable(
            np.array([self.compute_parameters(numbers) for numbers in candidates]), fitness, played.game_counts
        )

    def make_crowds(self) -> dict[str, NumpyArray]:
        """The mean and the consensus of all favourites, as far as the recipe wants them."""
        settings, free = self.recipe.crowd, self.design.is_scale_free
        known = np.isfinite(self.validation_scores).all()  # else the best of a generation speaks for its favourite
        fitness = (
            self.validation_scores
            if known
            else np.array([row[self.metric_names.index("max")] for row in self.metric_rows])
        )
        experts = np.array(self.incumbents)
        made = {
            "mean": lambda: make_mean_crowd(experts, normalise=free),
            "consensus": lambda: make_consensus_crowd(experts, fitness, settings.agreement, normalise=free),
        }
        return {f"crowd ({kind})": made[kind]() for kind in CROWD_KINDS[settings.kind]}

    def get_state(self) -> StateArrays:
        """Everything that is needed to go on."""
        optimiser = {f"optimiser.{key}": value for key, value in self.optimiser.get_state().items()}
        return super().get_state() | optimiser | {"rung": np.array(self.max_pieces_index)}

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Go on from a state."""
        self.restore_history(state)
        self.max_pieces_index = int(state["rung"])
        mine = {key.partition(".")[2]: value for key, value in state.items() if key.startswith("optimiser.")}
        self.optimiser.restore(mine)


def play_generation(
    agents: Sequence[WeightedAgent], recipe: Recipe, number: int, max_pieces: int, workers: TrainingWorkers
) -> GenerationFitness:
    """The games of a generation, counted from 0: the same whenever they are played."""
    games = recipe.games
    seed = derive_seed(recipe.seed, TRAINING_PURPOSE, 0 if games.piece_seed == "fixed" else number)
    return play_candidates(agents, Rules.parse(recipe.rules), games, max_pieces, seed, workers)


def make_optimiser(recipe: Recipe, dimension: int, first_population: NumpyArray | None) -> Optimiser:
    """A recipe's optimiser, which begins with a given population if there is one."""
    optimiser, seed = OPTIMISERS[recipe.learner].make_optimiser, derive_seed(recipe.seed, OPTIMISER_PURPOSE)
    given = {} if first_population is None else {"first": first_population}
    made: Optimiser = optimiser(recipe.settings, dimension, seed, **given)
    return made
