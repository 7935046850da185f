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
    WEIGHTED_CROWD,
    check_crowd_affects_generations,
    check_experts_ahead,
    make_crowd_better_check,
    make_game_share_check,
)
from tetrion.lab.papers.hindi.hindi_evolution_claims import HINDI_CONCLUSION_CLAIMS, HINDI_EVOLUTION_CLAIMS
from tetrion.lab.papers.hindi.hindi_games import EXPERT_SELECTIONS
from tetrion.lab.papers.hindi.hindi_measurements import (
    CROWDS_TRAINING,
    SUMMED_GAMES_TRAININGS,
    TABLE_III_VARIANTS,
    format_variant_name,
)
from tetrion.lab.papers.hindi.hindi_published_agents import (
    check_height_outweighs_lines,
    check_negative_line_weights,
    check_strongest_agent,
    compute_published_weight,
    make_best_of_generation_reader,
    make_last_generation_reader,
    make_weight_reader,
)
from tetrion.lab.papers.hindi.hindi_table_iii import (
    TABLE_III_COLUMNS,
    get_published_column,
    make_curve_check,
)
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind, Reading
from tetrion.lab.reproduction.published_values import PublishedSample, PublishedStatement

_UNKNOWN_CAUSE = "the cause is not known"
_UNTESTED_CAUSE = "the cause was not tested"
_FITTED_GAMES = (
    "one game per candidate was chosen because it fits the scores of the tables, while section III B sums several games"
)
_FIVE_GAMES = "a score is the sum of five games (section III B: “a set number of times”)"
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
            readings.append(Reading(_FIVE_GAMES, make_last_generation_reader(row, training)))
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
        "mean weight of bumpiness of the best agents of the last generations",
        "section IV B, Table I",
        PublishedSample(
            f"mean of Table I: {format_number(compute_published_weight('bumpiness'), 2)}; “bumpiness and holes were "
            "moderately negative”",
            value=compute_published_weight("bumpiness"),
            sample="four agents",
            decimals=2,
        ),
        make_weight_reader("bumpiness"),
        difference_cause=_UNKNOWN_CAUSE,
    ),
    Claim(
        "mean sum of the weights of holes and aggregate height of the best agents of the last generations",
        "section IV B, Table I",
        PublishedSample(
            f"mean of Table I: {format_number(compute_published_weight('holes', 'aggregate_height'), 2)}; “the "
            "aggregate height heuristic was strongly negative, and bumpiness and holes were moderately negative”",
            value=compute_published_weight("holes", "aggregate_height"),
            sample="four agents",
            decimals=2,
        ),
        make_weight_reader("holes", "aggregate_height"),
        difference_cause=_UNKNOWN_CAUSE,
    ),
    Claim(
        "most strong agents have negative weights for lines",
        "section IV B, Table I",
        PublishedStatement(
            "“It was unexpected to see strong agents produced with negative lines cleared values”: three of four",
            criterion=f"more than half of the best agents of our last generations with at least {STRONG_SCORE:,} "
            "points, the lowest score of Table I",
        ),
        check_negative_line_weights,
        difference_cause=_UNKNOWN_CAUSE,
    ),
    Claim(
        "aggregate height has a far greater impact than lines cleared",
        "section IV B",
        PublishedStatement(
            "“minimizing aggregate height of a Tetris game has a far greater impact on a Tetris players performance "
            "than working to maximize lines cleared”",
            criterion="in the agents of Table I, setting the weight for height to 0 changes the score at least twice "
            "as much as setting that for lines to 0",
        ),
        check_height_outweighs_lines,
        difference_cause=_UNTESTED_CAUSE,
    ),
]


def make_table_iii_claim(metric: str, label: str) -> Claim:
    """Return the claim that a column of Table III is that of a run; other settings are readings of the average."""
    column = get_published_column(metric)
    values = [f"{format_number(column[number - 1], 0)} in generation {number}" for number in (1, 13, 26)]
    readings = []
    if metric == "mean":
        variants = {f"runs are {variant}": format_variant_name(variant) for variant in TABLE_III_VARIANTS}
        variants[_FIVE_GAMES] = SUMMED_GAMES_TRAININGS["hindi-crowds"][0]
        readings = [Reading(text, make_curve_check(metric, training)) for text, training in variants.items()]
    return Claim(
        f"{label.lower()} of the scores of a generation, 26 generations",
        "Table III",
        PublishedStatement(
            ", ".join(values),
            criterion="the number of values within the 95 % range of our runs is not among the lowest 5 % of the same "
            "numbers for each of our runs relative to the others",
        ),
        make_curve_check(metric, CROWDS_TRAINING),
        difference_cause="the cause is not known; the table of variants shows how our runs end with other settings",
        readings=readings,
        fitted_reading=_FITTED_GAMES,
    )


_CROWD_CLAIMS = [
    *(make_table_iii_claim(metric, label) for metric, label in TABLE_III_COLUMNS.items()),
    Claim(
        "the crowd is better than the average agent of the genetic algorithm",
        "section IV B, Figure 12",
        PublishedStatement(
            "“performed better than the average agent that utilized the genetic algorithm approach alone”",
            criterion="the mean score of crowds is above the average score of the last generations",
        ),
        make_crowd_better_check(LAST_POPULATION),
        difference_cause=_UNTESTED_CAUSE,
        readings=[
            Reading(_WEIGHTED_CROWD, make_crowd_better_check(LAST_POPULATION, WEIGHTED_CROWD)),
            Reading("the average agent is that of all generations", make_crowd_better_check(ALL_POPULATIONS)),
        ],
    ),
    Claim(
        "the crowd is better than the average of its experts",
        "abstract and section V",
        PublishedStatement(
            "“found to improve on the average solution produced by any of the genetic algorithms solutions used to "
            "produce it”"
        ),
        make_crowd_better_check(AVERAGE_EXPERT),
        difference_cause=_UNTESTED_CAUSE,
        readings=[Reading(_WEIGHTED_CROWD, make_crowd_better_check(AVERAGE_EXPERT, WEIGHTED_CROWD))],
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
            "“with final game scores frequently surpassing 100,000”", criterion="more than half of the games"
        ),
        make_game_share_check("high"),
        difference_cause=_UNTESTED_CAUSE,
        readings=[Reading(_WEIGHTED_CROWD, make_game_share_check("high", EXPERT_SELECTIONS[3]))],
    ),
]
_OWN_CLAIMS = [
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
        "the genetic algorithm scores more than the Q-learning of TetrAIs in the same games",
        "section IV",
        PublishedStatement(
            "not compared: “not directly comparable to the other methods”; “it outperformed the reinforcement learning "
            "approach in its efficiency” refers to another learner on another board"
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
    *_OWN_CLAIMS,
]
