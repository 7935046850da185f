"""Measurements for Hindi et al.: all their configurations, their agents, and their open questions."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from tetrion.agents import WeightedAgent
from tetrion.agents.named.hindi_agents import HINDI_FEATURES
from tetrion.lab.papers.hindi.hindi_configurations import (
    CONFIGURATION_GRID,
    FIGURE_7_CONFIGURATION,
    LOOKAHEAD_CONFIGURATIONS,
    MAIN_CONFIGURATION,
    ONE_GAME_RECIPE,
    SIGNED_CONFIGURATIONS,
    SWAP_CONFIGURATIONS,
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
)
from tetrion.lab.papers.hindi.hindi_games import (
    HINDI_MAX_PIECES,
    HINDI_RULES_NAME,
    measure_expert_selections,
    measure_first_generations,
    measure_pieces_placed_effect,
    measure_published_agents,
    measure_single_agent_sums,
    measure_weight_removal,
)
from tetrion.lab.reproduction.measurements import (
    CustomMeasurement,
    GameMeasurement,
    Measurement,
    MeasurementContext,
    TrainingMeasurement,
    summarise_games,
)
from tetrion.training.recipe_settings import format_toml_value

_COMPARED_CONFIGURATION_NAMES = ("one-gene-20-1-10", "one-gene-20-1-20", "one-gene-50-1-10", "one-gene-100-1-10")
_SEED_COUNT = 16  # default number of seeds per configuration
_TABLE_SEED_COUNT = 40  # of the configurations of Tables I and II: a 95 % range of runs needs at least 39
_QUICK_CROWD_CHANGES = ("validation.final_games=30",)  # every expert of a crowd plays these games
_SEED_COUNTS_BY_NAME = {  # in a full and in a quick reproduction
    **dict.fromkeys(_COMPARED_CONFIGURATION_NAMES, (_SEED_COUNT, 3)),
    **dict.fromkeys((row.configuration.name for row in TABLE_I_AGENTS), (_TABLE_SEED_COUNT, 3)),
    **dict.fromkeys((row.configuration.name for row in TABLE_II_AGENTS), (_TABLE_SEED_COUNT, 3)),
    MAIN_CONFIGURATION.name: (200, 8),
}
CROWDS_RECIPE = "hindi-crowds-one-game"
CROWDS_TRAINING = "crowds"
WEIGHTED_CROWDS_TRAINING = "crowds-by-score"
WITHOUT_CROWDS_TRAINING = "without-crowds"
SHARED_PIECES_VARIANT = "with the same pieces for a whole generation"
TABLE_III_VARIANTS = {  # interpretations that may explain the low end of Table III
    "without elitism": "genetic.elitism=0.0",
    "with the signed mutation": "genetic.mutation=signed",
    "with the swap mutation": "genetic.mutation=swap",
    SHARED_PIECES_VARIANT: "games.piece_seed=generation",
}
TRAINED_GAME_COUNT = 5  # summed games per candidate in the recipes with several games
FIVE_GAMES_TRAINING = "five-games"
FIVE_GAMES_CROWDS_TRAINING = "five-games-crowds"
FIVE_GAMES_LOOKAHEAD_TRAINING = "five-games-lookahead"
SUMMED_GAMES_TRAININGS = {  # recipe with the sum of five games: its training, and the one with one game per candidate
    "hindi": (FIVE_GAMES_TRAINING, MAIN_CONFIGURATION.name),
    "hindi-crowds": (FIVE_GAMES_CROWDS_TRAINING, CROWDS_TRAINING),
    "hindi-lookahead": (FIVE_GAMES_LOOKAHEAD_TRAINING, LOOKAHEAD_CONFIGURATIONS[0].name),
}
FITNESS_VARIANTS = {  # measure of fitness and limit of a game: recipe changes
    "points, 500 pieces": ("games.fitness=score", f"games.max_pieces=[{HINDI_MAX_PIECES}]"),
    "points, no limit": ("games.fitness=score", "games.max_pieces=[0]"),
    "length, 500 pieces": ("games.fitness=survival", f"games.max_pieces=[{HINDI_MAX_PIECES}]"),
    "length, no limit": ("games.fitness=survival", "games.max_pieces=[0]"),
}
_FEATURE_ORDER = (  # features in the order in which they are added
    *("aggregate_height", "holes", "bumpiness", "full_rows"),  # theirs
    "max_height",  # of Demaine, Hohenberger and Liben-Nowell; proposed by the paper as the next feature
    *("landing_height", "eroded_cells", "row_transitions", "column_transitions", "wells"),  # Dellacherie's
    *("hole_depth", "rows_with_holes", "diversity"),  # Thiery and Scherrer's, Gabillon's
    *(f"height_{column}" for column in range(1, 11)),  # Bertsekas and Ioffe's
)
FEATURE_COUNTS = (2, 3, 4, 5, 6, 8, 10, 13, 23)
FEATURE_REMOVAL_TRAININGS = {feature: f"without-{feature}" for feature in HINDI_FEATURES}
_OTHER_CROSSOVERS = ("uniform", "one-point")
_SAME_GAMES_CHANGES = (  # recipe changes that give another learner the games of theirs
    "rules=hindi",
    "agent.measured=before",
    "games.fitness=score",
    "games.sum_games=true",
    f"games.max_pieces=[{HINDI_MAX_PIECES}]",
    "games.piece_seed=candidate",
    "stop.generations=25",
    "validation.every=1",
    f"validation.max_pieces={HINDI_MAX_PIECES}",
    "games.count=1",
    "validation.games=10",
    "validation.final_games=100",
)


def format_features_change(names: Sequence[str]) -> str:
    """Return the recipe change that sets the features of the agent."""
    return f"agent.features={format_toml_value(tuple(names))}"


def measure_longest_playing_agent(context: MeasurementContext) -> dict[str, Any]:
    """Measure the longest-playing agent trained for length, without and with the next piece."""
    training = make_fitness_training("length, no limit")
    seeds, changes = training.get_plan(context.is_quick)
    numbers = range(context.seed, context.seed + seeds)
    runs = [context.train(training.recipe, training.name, seed, changes) for seed in numbers]
    results = [run.result for run in runs if run.result]
    weights = max(results, key=lambda result: float(result["uncorrected"]["pieces"]["mean"]))["parameters"]
    single, lookahead = (
        WeightedAgent("well-formed", weights, "before", rules=HINDI_RULES_NAME, depth=depth) for depth in (1, 2)
    )
    games, lookahead_games, cap = (200, 8, 20_000) if context.is_quick else (2000, 64, 100_000)
    return {
        "numbers": weights,
        "alone": summarise_games(context.play(single, HINDI_RULES_NAME, games)),
        "ahead": summarise_games(context.play(lookahead, HINDI_RULES_NAME, lookahead_games, cap)) | {"cap": cap},
    }


def make_crowds_training() -> TrainingMeasurement:
    """Return the training of Table III."""
    return TrainingMeasurement(CROWDS_TRAINING, CROWDS_RECIPE, 60, 5, quick_changes=_QUICK_CROWD_CHANGES)


def format_variant_name(variant: str) -> str:
    """Return the measurement name of a variant of Table III."""
    return f"crowds-{variant.replace(' ', '-')}"


def make_fitness_training(variant: str) -> TrainingMeasurement:
    """Return the training with a kind of fitness; validation games have no limit."""
    return TrainingMeasurement(
        format_fitness_training_name(variant),
        ONE_GAME_RECIPE,
        60,
        4,
        ("validation.max_pieces=0", *FITNESS_VARIANTS[variant]),
    )


def format_fitness_training_name(variant: str) -> str:
    """Return the measurement name of the training with a kind of fitness."""
    return f"limit-{variant.replace(', ', '-').replace(' ', '-')}"


def format_feature_count_name(learner: str, count: int) -> str:
    """Return the measurement name of a learner with the given number of features."""
    return f"{learner}-{count}-features"


def make_feature_count_trainings() -> list[TrainingMeasurement]:
    """Return trainings with different numbers of features, by their algorithm and by the cross-entropy method."""
    recipes = {
        "genetic": (
            ONE_GAME_RECIPE,
            ("genetic.population=50", "genetic.mutation_rate=0.01", "genetic.elitism=0.1"),
        ),
        "entropy": ("cross-entropy", (*_SAME_GAMES_CHANGES, "cross-entropy.population=50")),
    }
    return [
        TrainingMeasurement(
            format_feature_count_name(learner, count),
            recipe,
            seed_count=24,
            quick_seed_count=3,
            changes=(*changes, format_features_change(_FEATURE_ORDER[:count])),
            quick_changes=("stop.generations=12",),
        )
        for count in FEATURE_COUNTS
        for learner, (recipe, changes) in recipes.items()
    ]


HINDI_MEASUREMENTS: list[Measurement] = [
    CustomMeasurement("published", measure_published_agents),
    CustomMeasurement("published-sums", measure_single_agent_sums),
    CustomMeasurement("first-generations", measure_first_generations),
    CustomMeasurement("weights-set-to-zero", measure_weight_removal),
    *(
        configuration.make_training(*_SEED_COUNTS_BY_NAME.get(configuration.name, (_SEED_COUNT, 1)))
        for configuration in CONFIGURATION_GRID
    ),
    *(configuration.make_training(_SEED_COUNT, 3) for configuration in SIGNED_CONFIGURATIONS),
    FIGURE_7_CONFIGURATION.make_training(200, 5),
    SWAP_CONFIGURATIONS[1].make_training(*_SEED_COUNTS_BY_NAME[SWAP_CONFIGURATIONS[1].name]),
    *(
        configuration.make_training(*_SEED_COUNTS_BY_NAME.get(configuration.name, (_SEED_COUNT, 3)))
        for configuration in LOOKAHEAD_CONFIGURATIONS
    ),
    TrainingMeasurement("luck", ONE_GAME_RECIPE, 12, 3, ("games.count=20",)),
    *(
        TrainingMeasurement(
            training,
            recipe,
            seed_count=20 if recipe == "hindi-crowds" else _TABLE_SEED_COUNT,
            quick_seed_count=3 if recipe == "hindi" else 1,
            quick_changes=("validation.games=3", *_QUICK_CROWD_CHANGES),
        )
        for recipe, (training, _) in SUMMED_GAMES_TRAININGS.items()
    ),
    make_crowds_training(),
    TrainingMeasurement(
        WEIGHTED_CROWDS_TRAINING, CROWDS_RECIPE, 60, 3, ("crowd.weighting=score",), _QUICK_CROWD_CHANGES
    ),
    TrainingMeasurement(WITHOUT_CROWDS_TRAINING, CROWDS_RECIPE, 3, 1, ("crowd.kind=none",)),
    *(
        TrainingMeasurement(
            format_variant_name(variant),
            CROWDS_RECIPE,
            30,
            2,
            ("validation.every=5", "crowd.kind=none", change),
        )
        for variant, change in TABLE_III_VARIANTS.items()
    ),
    CustomMeasurement("choices", partial(measure_expert_selections, training=make_crowds_training()), version=2),
    *map(make_fitness_training, FITNESS_VARIANTS),
    CustomMeasurement("well-formed", measure_longest_playing_agent),
    *make_feature_count_trainings(),
    CustomMeasurement("pieces-placed", measure_pieces_placed_effect),
    *(
        TrainingMeasurement(
            name,
            ONE_GAME_RECIPE,
            40,
            3,
            (format_features_change([other for other in HINDI_FEATURES if other != feature]),),
        )
        for feature, name in FEATURE_REMOVAL_TRAININGS.items()
    ),
    *(
        TrainingMeasurement(f"crossover-{name}", ONE_GAME_RECIPE, 60, 3, (f"genetic.crossover={name}",))
        for name in _OTHER_CROSSOVERS
    ),
    TrainingMeasurement(
        "harmony",
        "harmony",
        40,
        3,
        (
            *_SAME_GAMES_CHANGES,
            format_features_change(HINDI_FEATURES),
            "harmony.initial_range=1",
            "harmony.bandwidth=0.1",
        ),
    ),
    GameMeasurement(
        "reinforcement", "tetrais-q", games=4000, quick_games=400, rules=HINDI_RULES_NAME, max_pieces=HINDI_MAX_PIECES
    ),
    *(GameMeasurement(f"endless-{row.agent}", row.agent, games=1000, quick_games=100) for row in TABLE_I_AGENTS),
    *(
        GameMeasurement(f"endless-{row.agent}", row.agent, games=100, quick_games=10, quick_max_pieces=20_000)
        for row in TABLE_II_AGENTS
    ),
]
