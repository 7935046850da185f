"""Training with an optimiser, which receives the fitness of the candidates of each generation from their games."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.agents.weighted_agent import get_agent_settings
from tetrion.engine.rules import Rules
from tetrion.errors import RunError
from tetrion.evaluation.number_format import format_number
from tetrion.training.fitness import GenerationFitness, SeedPurpose, TrainingWorkers, derive_seed, play_candidates
from tetrion.training.learner import GenerationTable, Learner, register_learner
from tetrion.training.optimisers.cma_es import CmaEs, CmaSettings
from tetrion.training.optimisers.cross_entropy import CrossEntropy, CrossEntropySettings
from tetrion.training.optimisers.genetic_algorithm import GeneticAlgorithm, GeneticSettings
from tetrion.training.optimisers.harmony_search import HarmonySearch, HarmonySettings
from tetrion.training.optimisers.optimiser import NumpyArray, Optimiser, StateArrays, check_state
from tetrion.training.optimisers.wisdom_of_crowds import make_consensus_crowd, make_mean_crowd
from tetrion.training.recipe import Recipe

CROWD_KINDS = {"none": (), "mean": ("mean",), "consensus": ("consensus",), "both": ("mean", "consensus")}


class EvolutionaryLearner(Learner):
    """Learner whose candidates are proposed by an optimiser and play the games of a recipe."""

    # The statistics of Hindi et al., Table III, and the games and pieces played.
    metric_names = ("max_pieces", "games", "pieces", "median", "q1", "q3", "min", "max", "mean")
    integer_metrics = frozenset(metric_names[:3])
    curves: ClassVar[Mapping[str, str]] = {"Best": "max", "Mean": "mean"}
    has_population = True
    optimiser_type: ClassVar[type[Any]]
    """Makes the optimiser from the settings of the learner, the number of parameters and a seed."""

    def __init__(self, recipe: Recipe) -> None:
        super().__init__(recipe)
        self.design = recipe.make_design()
        self.parameter_names = self.design.parameter_names
        seed = derive_seed(recipe.seed, SeedPurpose.OPTIMISER)
        self.optimiser: Optimiser = self.optimiser_type(recipe.settings, len(self.parameter_names), seed)
        self.max_pieces_index = 0  # index into games.max_pieces

    @classmethod
    def check_recipe(cls, recipe: Recipe) -> None:
        """Raise an error if the agent, the rules, the games and the optimiser do not fit together."""
        super().check_recipe(recipe)
        design = recipe.make_design()
        agent = design.make_agent([0.5] * len(design.parameter_names), recipe.name)
        get_agent_settings(agent, Rules.parse(recipe.rules))
        recipe.games.check(cls.count_candidates(recipe))
        cls.optimiser_type(recipe.settings, len(design.parameter_names), 0)

    @classmethod
    def count_candidates(cls, recipe: Recipe) -> int:
        """Return the number of candidates of a generation; 1 if the settings have no such number."""
        return int(getattr(recipe.settings, "population", 1))

    def describe_metrics(self, row: Mapping[str, float]) -> list[str]:
        """Return the best and the mean fitness of a generation, and its quartiles."""
        quartiles = f"quartiles {format_number(row['q1'])} to {format_number(row['q3'])}"
        return [*super().describe_metrics(row), quartiles]

    def make_agent(self, candidate: NumpyArray, name: str) -> WeightedAgent:
        """Return the agent of a candidate."""
        return self.design.make_agent(candidate.tolist(), name)

    def make_agent_from_parameters(self, parameters: NumpyArray, name: str) -> WeightedAgent:
        """Return the agent with these parameters, as stored in the files of a run."""
        return self.design.make_agent_from_parameters(parameters.tolist(), name)

    def compute_parameters(self, candidate: NumpyArray) -> list[float]:
        """Return the agent's parameters for a candidate."""
        return self.design.compute_parameters(candidate.tolist())

    def has_reached_limit(self) -> bool:
        """Return whether the limit of generations, pieces or patience has been reached."""
        stop = self.recipe.stop
        return (
            super().has_reached_limit()
            or bool(stop.total_pieces and self.total_pieces >= stop.total_pieces)
            or bool(stop.patience and self.count_generations_without_improvement() >= stop.patience)
        )

    def count_generations_without_improvement(self) -> int:
        """Return the number of generations since the best validation score."""
        return 0 if self.best_step is None else len(self.metric_rows) - 1 - self.best_step

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
        metrics = (max_pieces, int(played.game_counts.sum()), played.total_pieces, *map(float, statistics))
        self.record_step(metrics, self.optimiser.get_incumbent(), workers)
        if played.capped_share >= games.raise_share and self.max_pieces_index + 1 < len(games.max_pieces):
            self.max_pieces_index += 1
        parameters = np.array([self.compute_parameters(candidate) for candidate in candidates])
        return GenerationTable(parameters, fitness, played.game_counts)

    @property
    def game_limit(self) -> float:
        """The largest of the piece limits that apply one after another."""
        return self.recipe.games.max_pieces[-1] or np.inf

    def count_crowd_evaluations(self) -> int:
        """Return the number of experts in the final games, and of experts and crowds in the held-out games."""
        crowd_count = len(CROWD_KINDS[self.recipe.crowd.kind])
        steps = len(self.metric_rows) if self.is_done() else self.recipe.planned_steps
        return 2 * steps + crowd_count if crowd_count else 0

    def make_crowds(self) -> dict[str, NumpyArray]:
        """Return the crowds that `crowd.kind` selects: the mean, the consensus, both or none, of all incumbents.

        The mean is a weighted one, and named so, if `crowd.weighting` is "score".
        """
        settings = self.recipe.crowd
        normalise = self.design.is_scale_free
        best_scores = np.array(self.get_column("max"))
        fitness = self.validation_scores
        if not np.isfinite(fitness).all():  # not all have a score: use the best fitness of each generation instead
            fitness = best_scores
        experts = np.array(self.incumbents)
        is_weighted = settings.weighting == "score"
        crowds = {}
        if "mean" in CROWD_KINDS[settings.kind]:
            name = "crowd (weighted mean)" if is_weighted else "crowd (mean)"
            crowds[name] = make_mean_crowd(experts, best_scores if is_weighted else None, normalise=normalise)
        if "consensus" in CROWD_KINDS[settings.kind]:
            crowds["crowd (consensus)"] = make_consensus_crowd(
                experts, fitness, settings.agreement, normalise=normalise
            )
        return crowds

    def get_state(self) -> StateArrays:
        """Return all arrays that are needed to continue training."""
        optimiser = {f"optimiser.{key}": value for key, value in self.optimiser.get_state().items()}
        return super().get_state() | optimiser | {"rung": np.array(self.max_pieces_index)}  # stored name

    def restore(self, state: Mapping[str, NumpyArray]) -> None:
        """Continue from a state returned by `get_state`."""
        super().restore(state)
        rung = {"rung": np.array(self.max_pieces_index)}
        self.max_pieces_index = int(check_state("the learner", rung, {"rung": state["rung"]})["rung"])
        if not 0 <= self.max_pieces_index < len(self.recipe.games.max_pieces):
            raise RunError(f"The state has an invalid index of games.max_pieces: {self.max_pieces_index}.")
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


@register_learner("genetic")
class GeneticLearner(EvolutionaryLearner):
    """Learner with a genetic algorithm."""

    settings_type = GeneticSettings
    optimiser_type = GeneticAlgorithm


@register_learner("cross-entropy")
class CrossEntropyLearner(EvolutionaryLearner):
    """Learner with the cross-entropy method."""

    settings_type = CrossEntropySettings
    optimiser_type = CrossEntropy


@register_learner("cma")
class CmaLearner(EvolutionaryLearner):
    """Learner with CMA-ES."""

    settings_type = CmaSettings
    optimiser_type = CmaEs
    machine_dependence = "the results of CMA-ES, which depend on the rounding of the processor"


@register_learner("harmony")
class HarmonyLearner(EvolutionaryLearner):
    """Learner with harmony search."""

    settings_type = HarmonySettings
    optimiser_type = HarmonySearch

    @classmethod
    def count_candidates(cls, recipe: Recipe) -> int:
        """Return the number of harmonies that are evaluated in a generation: the memory and the new ones."""
        return int(recipe.settings.memory_size + recipe.settings.improvisations)
