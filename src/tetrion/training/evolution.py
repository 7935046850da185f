"""Training with an optimiser: generation after generation, candidates play and their fitness is told."""

from collections.abc import Mapping, Sequence

import numpy as np

from tetrion.agents import DataAgent
from tetrion.engine.rules import Rules
from tetrion.training.fitness import Played, Team, play_candidates
from tetrion.training.learner import Learner, Table
from tetrion.training.optimisers import OPTIMISERS
from tetrion.training.optimisers.crowds import consensus_crowd, mean_crowd
from tetrion.training.optimisers.protocol import Numbers, Optimiser, State
from tetrion.training.recipe import Recipe
from tetrion.training.seeds import GAMES, OPTIMISER, derived

CROWDS = {"none": (), "mean": ("mean",), "consensus": ("consensus",), "both": ("mean", "consensus")}


class Evolution(Learner):
    """Candidates of an optimiser, which play the games of a recipe."""

    # the columns of Hindi et al.'s Table III, and what it took
    figures = ("generation", "most_pieces", "games", "pieces", "median", "q1", "q3", "min", "max", "mean")
    whole = frozenset(figures[:4])

    def __init__(self, recipe: Recipe, first: Numbers | None = None) -> None:
        self.design = recipe.design()
        super().__init__(recipe, recipe.games, self.design.names)
        self.optimiser: Optimiser = new_optimiser(recipe, len(self.names), first)
        self.rung = 0  # of the most pieces

    def agent(self, numbers: Numbers, name: str) -> DataAgent:
        """The agent that some numbers make."""
        return self.design.agent(numbers.tolist(), name)

    def parameters(self, numbers: Numbers) -> list[float]:
        """What some numbers come to in the agent."""
        return self.design.parameters(numbers.tolist())

    @property
    def planned(self) -> int:
        """How many generations there are at most."""
        return self.recipe.stop.generations

    def done(self) -> bool:
        """Whether generations, pieces or patience have run out."""
        stop = self.recipe.stop
        pieces = sum(row[self.figures.index("pieces")] for row in self.rows)
        return (
            len(self.rows) >= stop.generations
            or bool(stop.pieces and pieces >= stop.pieces)
            or bool(stop.patience and self.generations_without_better() >= stop.patience)
        )

    def generations_without_better(self) -> int:
        """How many generations ago the best judged favourite was."""
        judged = self.judged
        return len(judged) - 1 - int(np.nanargmax(judged)) if np.isfinite(judged).any() else 0

    def step(self, team: Team) -> Table:
        """Ask, play, tell."""
        games, number, most = self.recipe.games, len(self.rows), self.recipe.games.pieces[self.rung]
        candidates = self.optimiser.ask()
        agents = [self.agent(numbers, f"{self.recipe.name} {place}") for place, numbers in enumerate(candidates)]
        played = play_generation(agents, self.recipe, number, most, team)
        self.optimiser.tell(played.fitness)
        fitness = played.fitness
        q1, median, q3 = np.percentile(fitness, [25, 50, 75])
        spread = (median, q1, q3, fitness.min(), fitness.max(), fitness.mean())
        figures = (number + 1, most, int(played.games.sum()), played.pieces, *map(float, spread))
        self.keep(figures, self.optimiser.favourite(), team)
        if played.reached >= games.rise and self.rung + 1 < len(games.pieces):
            self.rung += 1
        return Table(np.array([self.parameters(numbers) for numbers in candidates]), fitness, played.games)

    def crowds(self) -> dict[str, Numbers]:
        """The mean and the consensus of all favourites, as far as the recipe wants them."""
        settings, free = self.recipe.crowd, self.design.free_scale
        known = np.isfinite(self.judged).all()  # else the best of a generation speaks for its favourite
        fitness = self.judged if known else np.array([row[self.figures.index("max")] for row in self.rows])
        experts = np.array(self.favourites)
        made = {
            "mean": lambda: mean_crowd(experts, normalise=free),
            "consensus": lambda: consensus_crowd(experts, fitness, settings.share, normalise=free),
        }
        return {f"crowd ({kind})": made[kind]() for kind in CROWDS[settings.kind]}

    def state(self) -> State:
        """Everything that is needed to go on."""
        optimiser = {f"optimiser.{key}": value for key, value in self.optimiser.state().items()}
        return super().state() | optimiser | {"rung": np.array(self.rung)}

    def restore(self, state: Mapping[str, Numbers]) -> None:
        """Go on from a state."""
        self.restore_history(state)
        self.rung = int(state["rung"])
        mine = {key.partition(".")[2]: value for key, value in state.items() if key.startswith("optimiser.")}
        self.optimiser.restore(mine)


def play_generation(agents: Sequence[DataAgent], recipe: Recipe, number: int, most_pieces: int, team: Team) -> Played:
    """The games of a generation, counted from 0: the same whenever they are played."""
    games = recipe.games
    seed = derived(recipe.seed, GAMES, 0 if games.deal == "fixed" else number)
    return play_candidates(agents, Rules.parse(recipe.rules), games, most_pieces, seed, team)


def new_optimiser(recipe: Recipe, dimension: int, first: Numbers | None) -> Optimiser:
    """A recipe's optimiser, which begins with a given population if there is one."""
    optimiser, seed = OPTIMISERS[recipe.learner].optimiser, derived(recipe.seed, OPTIMISER)
    given = {} if first is None else {"first": first}
    made: Optimiser = optimiser(recipe.settings, dimension, seed, **given)
    return made
