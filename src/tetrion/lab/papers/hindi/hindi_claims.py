"""All claims of Hindi et al., with those about their tables and crowds, and comparisons of our own."""

from tetrion.evaluation.number_format import format_number
from tetrion.lab.papers.hindi.hindi_comparisons import (
    check_harmony_search,
    check_reinforcement_learning,
    check_removed_features,
    check_summed_games,
)
from tetrion.lab.papers.hindi.hindi_configurations import (
    STRONG_SCORE,
    TABLE_I_AGENTS,
    TABLE_II_AGENTS,
    PublishedAgent,
)
from tetrion.lab.papers.hindi.hindi_crowds import (
    ALL_POPULATIONS,
    AVERAGE_EXPERT,
    LAST_POPULATION,
    MEAN_CROWD,
    WEIGHTED_CROWD,
    check_crowd_affects_generations,
    check_crowd_against_experts,
    check_experts_ahead,
    make_crowd_better_check,
    make_game_share_check,
)
from tetrion.lab.papers.hindi.hindi_evolution_claims import (
    FIVE_GAMES,
    HINDI_CONCLUSION_CLAIMS,
    HINDI_EVOLUTION_CLAIMS,
    HINDI_OWN_EVOLUTION_CLAIMS,
)
from tetrion.lab.papers.hindi.hindi_games import EXPERT_SELECTIONS
from tetrion.lab.papers.hindi.hindi_measurements import (
    CROWDS_TRAINING,
    FIVE_GAMES_CROWDS_TRAINING,
    SHARED_PIECES_VARIANT,
    SUMMED_GAMES_TRAININGS,
    format_variant_name,
)
from tetrion.lab.papers.hindi.hindi_populations import check_single_runs
from tetrion.lab.papers.hindi.hindi_published_agents import (
    check_height_is_most_negative,
    check_height_outweighs_lines,
    check_strongest_agent,
    compute_published_weight,
    count_negative_line_weights,
    make_best_of_generation_reader,
    make_last_generation_reader,
    make_weight_reader,
)
from tetrion.lab.papers.hindi.hindi_table_iii import (
    TABLE_III_GENERATIONS,
    make_table_iii_check,
)
from tetrion.lab.papers.hindi.hindi_training_effects import check_crossover_influence
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind, Reading
from tetrion.lab.reproduction.published_values import PublishedSample, PublishedStatement

_UNKNOWN_CAUSE = "the cause is not known"
_UNTESTED_CAUSE = "the cause was not tested"
_FITTED_GAMES = (
    "one game per candidate was chosen because it fits the scores of the tables, while section III B sums several games"
)
_WEIGHTED_CROWD = "the mean is weighted by the experts' scores, as in the abstract and section V"


def make_table_claim(row: PublishedAgent) -> Claim:
    """Return the claim that a row of Table I or II is the best of the last generation of a run."""
    readings = [
        Reading(
            f"a score is the best of {row.configuration.population} games with the published weights",
            make_best_of_generation_reader(row),
        )
    ]
    for training, configuration_name in SUMMED_GAMES_TRAININGS.values():
        if configuration_name == row.configuration.name:
            readings.append(Reading(FIVE_GAMES, make_last_generation_reader(row, training)))
    return Claim(
        f"the best score of the last generation, {row.configuration.description}",
        row.location,
        PublishedSample(value=row.score),
        make_last_generation_reader(row),
        difference_cause=_UNKNOWN_CAUSE,
        readings=readings,
        fitted_reading=_FITTED_GAMES,
    )


_TABLE_I_CLAIMS = [
    *map(make_table_claim, TABLE_I_AGENTS),
    Claim(
        "the agent of row 3, the only one with a positive weight for lines, is the strongest",
        "section IV B, Table I",
        PublishedStatement(
            "“the strongest agent was produced by trials run with population of 20, 2 percent mutation rate, and "
            "elitism at 15 percent … this is the only positive lines cleared heuristic”"
        ),
        check_strongest_agent,
        difference_cause=_UNTESTED_CAUSE,
    ),
    Claim(
        "strong agents weight aggregate height more negatively than holes and bumpiness",
        "section IV B, Table I",
        PublishedStatement(
            "“Across these strong agents it is notable that the aggregate height heuristic was strongly negative, and "
            "bumpiness and holes were moderately negative.”",
            criterion="the weight of height is negative and below those of holes and bumpiness in more than half of "
            f"the best agents of our last generations with at least {STRONG_SCORE:,} points, the lowest score of "
            "Table I",
        ),
        check_height_is_most_negative,
        difference_cause="holes and height are one feature here (see the notes), so only the sum of their two weights "
        "affects the score",
    ),
    Claim(
        "three of four strong agents have negative weights for lines",
        "section IV B, Table I",
        PublishedSample(
            "3, because “this is the only positive lines cleared heuristic”",
            value=3,
            sample="four agents",
            decimals=0,
            criterion="within the 95 % range of the number of negative weights among four of our strong agents, one "
            "drawn for each row of Table I; strong are the best agents of our last generations with at least "
            f"{STRONG_SCORE:,} points, the lowest score of Table I",
        ),
        count_negative_line_weights,
        difference_cause=_UNKNOWN_CAUSE,
    ),
]


_CROWD_CLAIMS = [
    Claim(
        "median, quartiles, minimum, maximum and average of the scores of 26 generations",
        "Table III",
        PublishedStatement(
            "six columns of 26 values; the average is "
            + ", ".join(f"{TABLE_III_GENERATIONS[number - 1][-1]:,} in generation {number}" for number in (1, 13, 26)),
            criterion="the number of the 156 values within the 95 % range of our runs is not among the lowest 5 % of "
            "the same numbers for each of our runs relative to the others",
        ),
        make_table_iii_check(CROWDS_TRAINING),
        difference_cause="the cause is not known; the tables of columns and of variants show how our runs end",
        readings=[
            Reading(FIVE_GAMES, make_table_iii_check(FIVE_GAMES_CROWDS_TRAINING)),
            Reading(
                "all candidates of a generation play the same pieces",
                make_table_iii_check(format_variant_name(SHARED_PIECES_VARIANT)),
            ),
        ],
        fitted_reading=_FITTED_GAMES,
    ),
    Claim(
        "the crowd is better than the average agent of the genetic algorithm",
        "section IV B, Figure 12",
        PublishedStatement(
            "“performed better than the average agent that utilized the genetic algorithm approach alone”",
            criterion="the mean score of crowds is above the average score of the last generation of their runs",
        ),
        make_crowd_better_check(LAST_POPULATION),
        difference_cause=_UNTESTED_CAUSE,
        readings=[
            Reading(_WEIGHTED_CROWD, make_crowd_better_check(LAST_POPULATION, WEIGHTED_CROWD)),
            Reading(
                "the average agent is that of all generations",
                make_crowd_better_check(ALL_POPULATIONS),
                criterion="the mean score of crowds is above the average score of all generations of their runs",
            ),
            Reading(
                FIVE_GAMES, make_crowd_better_check(LAST_POPULATION, MEAN_CROWD, training=FIVE_GAMES_CROWDS_TRAINING)
            ),
        ],
    ),
    Claim(
        "the crowd is better than the average of its experts",
        "abstract and section V; the crowd of section III C",
        PublishedStatement(
            "“served to improve upon the overall average of the expert solutions presented to it by taking the "
            "weighted average of the fittest solutions”; “found to improve on the average solution produced by any of "
            "the genetic algorithms solutions used to produce it”",
            criterion="the mean score of crowds is above the mean score of their experts, for the plain average that "
            "section III C describes",
        ),
        check_crowd_against_experts,
        difference_cause=_UNTESTED_CAUSE,
        readings=[
            Reading(_WEIGHTED_CROWD, make_crowd_better_check(AVERAGE_EXPERT, WEIGHTED_CROWD)),
            Reading(
                FIVE_GAMES, make_crowd_better_check(AVERAGE_EXPERT, MEAN_CROWD, training=FIVE_GAMES_CROWDS_TRAINING)
            ),
        ],
        headline="the crowd improves on its average expert",
    ),
    Claim(
        "the crowd makes growth within the generations more stable",
        "section IV B",
        PublishedStatement("“the implementation of crowds allowed for a more stable growth within the generations”"),
        check_crowd_affects_generations,
        difference_cause="the crowd is formed “at the end of processing generations” (section III C)",
    ),
    Claim(
        "crowds consistently lead to strong games",
        "section IV B",
        PublishedStatement(
            "“final heuristics that consistently led to a strong simulated game”",
            criterion=f"more than nine of ten games have at least {STRONG_SCORE:,} points, the lowest score of Table I",
        ),
        make_game_share_check("strong"),
        difference_cause=_UNTESTED_CAUSE,
        readings=[Reading(_WEIGHTED_CROWD, make_game_share_check("strong", EXPERT_SELECTIONS[3]))],
    ),
    Claim(
        "the games of crowds frequently surpass 100,000 points",
        "section IV B",
        PublishedStatement(
            "“with final game scores frequently surpassing 100,000”", criterion="more than a quarter of the games"
        ),
        make_game_share_check("high"),
        difference_cause=_UNTESTED_CAUSE,
        readings=[Reading(_WEIGHTED_CROWD, make_game_share_check("high", EXPERT_SELECTIONS[3]))],
    ),
]
_OWN_CLAIMS = [
    Claim(
        "a single run with a population of 20 ends with a higher best score than one with 100 in most pairs of runs",
        "section IV B",
        PublishedStatement("not compared; “higher scores were recorded for smaller populations sizes” in single runs"),
        check_single_runs,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "mean weight of bumpiness of the best agents of the last generations",
        "section IV B, Table I",
        PublishedSample(
            f"not given as such; mean of Table I: {format_number(compute_published_weight('bumpiness'), 2)}",
            value=compute_published_weight("bumpiness"),
            sample="four agents",
            decimals=2,
        ),
        make_weight_reader("bumpiness"),
        kind=ClaimKind.OWN,
    ),
    Claim(
        "mean sum of the weights of holes and aggregate height of the best agents of the last generations",
        "section IV B, Table I",
        PublishedSample(
            "not given as such; mean of Table I: "
            f"{format_number(compute_published_weight('holes', 'aggregate_height'), 2)}",
            value=compute_published_weight("holes", "aggregate_height"),
            sample="four agents",
            decimals=2,
        ),
        make_weight_reader("holes", "aggregate_height"),
        kind=ClaimKind.OWN,
    ),
    Claim(
        "setting the weight for height to 0 changes the score at least twice as much as setting that for lines to 0",
        "section IV B, Table I",
        PublishedStatement(
            "not compared: “minimizing aggregate height of a Tetris game has a far greater impact on a Tetris players "
            "performance than working to maximize lines cleared” is inferred from the weights. Holes and height are "
            "one feature here, so setting one weight to 0 does not remove it, and the statement itself is not tested"
        ),
        check_height_outweighs_lines,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "the averaging crossover finds stronger agents than uniform and one-point crossover",
        "section V",
        PublishedStatement(
            "not compared; “This was due in large part to the crossover method which took the weighted average for "
            "each constant” is about improvement over time, which a comparison with other crossovers does not test"
        ),
        check_crossover_influence,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "the genetic algorithm scores as much as harmony search with the same features, games and number of candidates",
        "section IV",
        PublishedStatement(
            "not compared: “not directly comparable to the other methods”; comparable “in that it was able to create "
            "an agent that played the game with some level of efficiency”"
        ),
        check_harmony_search,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "the genetic algorithm scores more than Q-learning with our additions (agent tetrais-q) in the same games",
        "section IV",
        PublishedStatement(
            "not compared: “not directly comparable to the other methods”; “it outperformed the reinforcement learning "
            "approach in its efficiency” refers to another learner"
        ),
        check_reinforcement_learning,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "the sum of five games finds stronger agents than one game",
        "section III B",
        PublishedStatement("not compared; section III B sums several games"),
        check_summed_games,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "training without aggregate height finds weaker agents than training without full rows",
        "section IV B",
        PublishedStatement("not compared; the paper infers the impact of height from the weights of Table I"),
        check_removed_features,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "in most runs, the best expert is better than the crowd",
        "section IV B",
        PublishedStatement(
            "not counted, because one such case suffices: “there are cases in which the genetic algorithm alone "
            "produced higher-scoring agents”"
        ),
        check_experts_ahead,
        kind=ClaimKind.OWN,
    ),
]
HINDI_CLAIMS = [
    *HINDI_EVOLUTION_CLAIMS,
    *_TABLE_I_CLAIMS,
    *map(make_table_claim, TABLE_II_AGENTS),
    *_CROWD_CLAIMS,
    *HINDI_CONCLUSION_CLAIMS,
    *HINDI_OWN_EVOLUTION_CLAIMS,
    *_OWN_CLAIMS,
]
