"""Training with an optimiser, which receives the fitness of the candidates of each generation from their games."""

from collections.abc import Mapping, Sequence

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.engine.rules import Rules
from tetrion.training.fitness import GenerationFitness, TrainingWorkers, play_candidates
from tetrion.training.learner import GenerationTable, Learner
from tetrion.training.optimisers import OPTIMISERS
from tetrion.training.optimisers.genetic_algorithm import GeneticAlgorithm
from tetrion.training.optimisers.optimiser import NumpyArray, Optimiser, StateArrays
from tetrion.training.optimisers.wisdom_of_crowds import make_consensus_crowd, make_mean_crowd
from tetrion.training.recipe import Recipe
from tetrion.training.seeds import SeedPurpose, derive_seed

CROWD_KINDS = {"none": (), "mean": ("mean",), "consensus": ("consensus",), "both": ("mean", "consensus")}


class EvolutionaryLearner(Learner):
    """Learner whose candidates are proposed by an optimiser and play the games of a recipe."""

    # The statistics of Hindi et al., Table III, and the games and pieces played.
    metric_names = ("generation", "max_pieces", "games", "pieces", "median", "q1", "q3", "min", "max", "mean")
    integer_metrics = frozenset(metric_names[:4])

    def __init__(self, recipe: Recipe, first_population: NumpyArray | None = None) -> None:
        self.design = recipe.make_design()
        super().__init__(recipe, recipe.games, self.design.parameter_names)
        self.optimiser: Optimiser = make_optimiser(recipe, len(self.parameter_names), first_population)
        self.max_pieces_index = 0  # index into games.max_pieces

    def make_agent(self, candidate: NumpyArray, name: str) -> WeightedAgent:
        """Return the agent of a candidate."""
        return self.design.make_agent(candidate.tolist(), name)

    def compute_parameters(self, candidate: NumpyArray) -> list[float]:
        """Return the agent's parameters for a candidate."""
        return self.design.compute_parameters(candidate.tolist())

    @property
    def max_steps(self) -> int:
        """Maximum number of generations."""
        return self.recipe.stop.generations

    def is_done(self) -> bool:
        """Return whether the limit of generations, pieces or patience has been reached."""
        stop = self.recipe.stop
        pieces = sum(row[self.metric_names.index("pieces")] for row in self.metric_rows)
        return (
            len(self.metric_rows) >= stop.generations
            or bool(stop.total_pieces and pieces >= stop.total_pieces)
            or bool(stop.patience and self.count_generations_without_improvement() >= stop.patience)
        )

    def count_generations_without_improvement(self) -> int:
        """Return the number of generations since the best validation score."""
        scores = self.validation_scores
        return len(scores) - 1 - int(np.nanargmax(scores)) if np.isfinite(scores).any() else 0

    def step(self, workers: TrainingWorkers) -> GenerationTable:
        """Train for one generation: ask the optimiser for candidates, play their games, tell it their fitness."""
        games = self.recipe.games
        number = len(self.metric_rows)
        max_pieces = games.max_pieces[self.max_pieces_index]
        candidates = self.optimiser.ask()
        agents = [
            self.make_agent(candidate, f"{self.recipe.name} {index}") for index, candidate in enumerate(candidates)
        ]
        played = play_generation(agents, self.recipe, number, max_pieces, workers)
        fitness = played.fitness
        self.optimiser.tell(fitness)
        q1, median, q3 = np.percentile(fitness, [25, 50, 75])
        statistics = (median, q1, q3, fitness.min(), fitness.max(), fitness.mean())
        metrics = (number + 1, max_pieces, int(played.game_counts.sum()), played.total_pieces, *map(float, statistics))
        self.record_step(metrics, self.optimiser.get_incumbent(), workers)
        if played.capped_share >= games.raise_share and self.max_pieces_index + 1 < len(games.max_pieces):
            self.max_pieces_index += 1
        parameters = np.array([self.compute_parameters(candidate) for candidate in candidates])
        return GenerationTable(parameters, fitness, played.game_counts)

    def make_crowds(self) -> dict[str, NumpyArray]:
        """Return the crowds that `crowd.kind` selects: the mean, the consensus, both or none, of all incumbents."""
        settings = self.recipe.crowd
        normalise = self.design.is_scale_free
        fitness = self.validation_scores
        if not np.isfinite(fitness).all():  # not all have a score: use the best fitness of each generation instead
            fitness = np.array([row[self.metric_names.index("max")] for row in self.metric_rows])
        experts = np.array(self.incumbents)
        make_crowd = {
            "mean": lambda: make_mean_crowd(experts, normalise=normalise),
            "consensus": lambda: make_consensus_crowd(experts, fitness, settings.agreement, normalise=normalise),
        }
        return {f"crowd ({kind})": make_crowd[kind]() for kind in CROWD_KINDS[settings.kind]}

    def get_state(self) -> StateArrays:
        """Return all arrays that are needed to continue training."""
        optimiser = {f"optimiser.{key}": value for key, value in self.optimiser.get_state().items()}
        return super().get_state() | optimiser | {"rung": np.array(self.max_pieces_index)}  # stored name

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Continue from a state returned by `get_state`."""
        self.restore_history(state)
        self.max_pieces_index = int(state["rung"])
        self.optimiser.restore(
            {key.removeprefix("optimiser."): value for key, value in state.items() if key.startswith("optimiser.")}
        )


def play_generation(
    agents: Sequence[WeightedAgent], recipe: Recipe, number: int, max_pieces: int, workers: TrainingWorkers
) -> GenerationFitness:
    """Play the games of a generation; `number` counts from 0 and determines the piece sequences."""
    games = recipe.games
    seed = derive_seed(recipe.seed, SeedPurpose.TRAINING, 0 if games.piece_seed == "fixed" else number)
    return play_candidates(agents, Rules.parse(recipe.rules), games, max_pieces=max_pieces, seed=seed, workers=workers)


def make_optimiser(recipe: Recipe, dimension: int, first_population: NumpyArray | None) -> Optimiser:
    """Return the optimiser of a recipe; a genetic algorithm may begin with a given first population."""
    seed = derive_seed(recipe.seed, SeedPurpose.OPTIMISER)
    if first_population is not None:
        return GeneticAlgorithm(recipe.settings, dimension, seed, first_population=first_population)
    return OPTIMISERS[recipe.learner].make_optimiser(recipe.settings, dimension, seed)
