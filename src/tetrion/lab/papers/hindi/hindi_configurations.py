"""The configurations of Hindi et al. as recipes with changes, and the agents of their Tables I and II."""

from functools import cache
from itertools import product
from typing import NamedTuple

from tetrion.lab.reproduction.measurements import TrainingMeasurement
from tetrion.training.recipe import Recipe

ONE_GAME_RECIPE = "hindi-one-game"
LOOKAHEAD_RECIPE = "hindi-lookahead-one-game"
POPULATION_SIZES = (20, 50, 100)
DECENT_SCORE = 10_000  # points per game, a tenth of the score of their strongest agent
_RECIPES_BY_KIND = {  # recipe and changes
    "one-gene": (ONE_GAME_RECIPE, ()),
    "signed": (ONE_GAME_RECIPE, ("genetic.mutation=signed",)),
    "swap": (ONE_GAME_RECIPE, ("genetic.mutation=swap",)),
    "look": (LOOKAHEAD_RECIPE, ()),
}
_KIND_LABELS = {
    "one-gene": "",
    "signed": ", signed mutation",
    "swap": ", swap mutation",
    "look": ", with the next piece",
}


class GeneticConfiguration(NamedTuple):
    """A configuration: population size, mutation rate and elitism in percent, kind of run, and generations.

    `kind` is one of the keys of `_KIND_LABELS`.
    """

    population: int
    mutation: int
    elitism: int
    kind: str = "one-gene"
    generations: int = 25

    @property
    def name(self) -> str:
        """The measurement name."""
        return f"{self.kind}-{self.population}-{self.mutation}-{self.elitism}"

    @property
    def description(self) -> str:
        """The label in tables and sentences."""
        settings = f"population {self.population}, mutation {self.mutation} %, elitism {self.elitism} %"
        return f"{settings}{_KIND_LABELS[self.kind]}"

    @property
    def changes(self) -> tuple[str, ...]:
        """The changes of the recipe: those of the kind, and the settings in which the configuration differs."""
        recipe, changes = _RECIPES_BY_KIND[self.kind]
        settings = {
            "genetic.population": self.population,
            "genetic.mutation_rate": self.mutation / 100,
            "genetic.elitism": self.elitism / 100,
            "stop.generations": self.generations,
        }
        defaults = load_settings(recipe)
        return (*changes, *(f"{name}={value}" for name, value in settings.items() if str(value) != defaults[name]))

    def make_training(self, seeds: int, quick_seeds: int) -> TrainingMeasurement:
        """Return a training with the given number of seeds, for a full and a quick reproduction."""
        return TrainingMeasurement(
            self.name,
            _RECIPES_BY_KIND[self.kind][0],
            seed_count=seeds,
            quick_seed_count=quick_seeds,
            changes=self.changes,
            quick_changes=("validation.games=3", "validation.final_games=30") if self.kind == "look" else (),
        )


@cache
def load_settings(recipe: str) -> dict[str, str]:
    """Return the settings of a recipe in TOML notation, by the names that `--set` uses."""
    return {name: value for name, value, _ in Recipe.load(recipe).list_settings()}


class PublishedAgent(NamedTuple):
    """A row of Table I or II: the configuration, the agent with its weights, and its score."""

    location: str
    configuration: GeneticConfiguration
    agent: str
    score: int


CONFIGURATION_GRID = [GeneticConfiguration(*numbers) for numbers in product(POPULATION_SIZES, (1, 2, 5), (10, 15, 20))]
SINGLE_PIECE_COMBINATIONS = [  # those of the paper without the next piece: 5 % is only in Table II and Figure 10
    configuration for configuration in CONFIGURATION_GRID if configuration.mutation in {1, 2}
]
MAIN_CONFIGURATION = GeneticConfiguration(20, 2, 15)
SIGNED_CONFIGURATIONS = [
    GeneticConfiguration(20, mutation, elitism, "signed") for mutation, elitism in product((1, 2), (15, 20))
]
FIGURE_7_CONFIGURATION = GeneticConfiguration(20, 1, 20, "swap")
SWAP_CONFIGURATIONS = [FIGURE_7_CONFIGURATION, GeneticConfiguration(20, 1, 15, "swap")]
LOOKAHEAD_CONFIGURATIONS = [
    GeneticConfiguration(20, 2, 15, "look", 14),
    GeneticConfiguration(20, 2, 20, "look", 14),
    GeneticConfiguration(20, 5, 15, "look", 14),
    GeneticConfiguration(20, 1, 20, "look", 15),
]
HINDI_PUBLISHED_FIGURES = {  # figure number: configuration, and whether only the average is shown
    1: (GeneticConfiguration(50, 1, 10), False),
    2: (GeneticConfiguration(50, 1, 10), True),
    3: (GeneticConfiguration(100, 1, 10), False),
    4: (MAIN_CONFIGURATION, True),
    5: (SIGNED_CONFIGURATIONS[2], False),
    6: (SIGNED_CONFIGURATIONS[1], False),
    7: (FIGURE_7_CONFIGURATION, False),
    10: (LOOKAHEAD_CONFIGURATIONS[2], False),
    11: (LOOKAHEAD_CONFIGURATIONS[3], False),
}
TABLE_I_AGENTS = [
    PublishedAgent("Table I, row 1", SWAP_CONFIGURATIONS[1], "hindi-1", 73_800),
    PublishedAgent("Table I, row 2", GeneticConfiguration(20, 1, 20), "hindi-2", 26_260),
    PublishedAgent("Table I, row 3", MAIN_CONFIGURATION, "hindi-3", 103_220),
    PublishedAgent("Table I, row 4", GeneticConfiguration(100, 1, 10), "hindi-4", 69_240),
]
TABLE_II_AGENTS = [
    PublishedAgent("Table II, row 1", LOOKAHEAD_CONFIGURATIONS[0], "hindi-look-1", 103_400),
    PublishedAgent("Table II, row 2", LOOKAHEAD_CONFIGURATIONS[1], "hindi-look-2", 109_540),
    PublishedAgent("Table II, row 3", LOOKAHEAD_CONFIGURATIONS[2], "hindi-look-3", 107_660),
]
STRONG_SCORE = min(row.score for row in TABLE_I_AGENTS)  # the lowest score of what the paper calls "strong agents"
