"""The claims of Hindi et al. about evolution: generations, populations, mutations and the next piece."""

from tetrion.lab.papers.hindi.hindi_configurations import DECENT_SCORE
from tetrion.lab.papers.hindi.hindi_evolution import (
    check_first_generations,
    check_fluctuations,
    check_late_improvement,
    check_most_improve,
    check_signed_mutation_improves,
    check_signed_mutation_strength,
    check_signed_mutation_trend,
    check_spikes,
    check_steadiest_configuration,
    check_success,
    check_success_with_five_games,
    make_figures_drop_check,
)
from tetrion.lab.papers.hindi.hindi_populations import make_population_check
from tetrion.lab.papers.hindi.hindi_published_agents import check_lookahead_agents, check_scores_are_sums
from tetrion.lab.papers.hindi.hindi_statistics import get_held_out_means, get_last_best_scores
from tetrion.lab.papers.hindi.hindi_table_iii import PUBLISHED_DROP_COUNTS
from tetrion.lab.papers.hindi.hindi_training_effects import (
    check_lookahead_average,
    check_lookahead_average_of_five_games,
    check_lookahead_average_of_same_generation,
    check_lookahead_scores,
    check_lookahead_scores_of_five_games,
    check_lookahead_time,
    check_settings_influence,
)
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind, Reading
from tetrion.lab.reproduction.published_values import PublishedStatement

_UNTESTED_CAUSE = "the cause was not tested"
FIVE_GAMES = "a score is the sum of five games (section III B: “a set number of times”)"
_DROPS = "is at least once less than half of the previous one"
HINDI_EVOLUTION_CLAIMS = [
    Claim(
        "the scores in the tables are sums of several games",
        "section III B, Tables I and II",
        PublishedStatement(
            "“calls the runGame function a set number of times, returning the aggregate sum of the returned values”",
            criterion="agrees if the sum of 2, 3 or 5 games fits more scores of Tables I and II than a single game "
            "under every way of reading a score; differs if under none of them such a sum fits half of the scores; "
            "otherwise undecided",
        ),
        check_scores_are_sums,
    ),
    Claim(
        "the genetic algorithm evolves a Tetris-playing agent",
        "section V",
        PublishedStatement(
            "“Overall the genetic algorithm was successful in evolving a Tetris-playing agent.”",
            criterion="in more than half of the runs, the agent scores more per held-out game than the best of the "
            "run's first generation per validation game; neither was used for training, and an agent with the same "
            "weights does not count",
        ),
        check_success,
        difference_cause=_UNTESTED_CAUSE,
        readings=[Reading(FIVE_GAMES, check_success_with_five_games)],
    ),
    Claim(
        "most first generations have a few decent agents",
        "section III C",
        PublishedStatement(
            "“most randomly generated initial populations were able to produce a few decent Tetris playing agent”",
            criterion=f"at least three agents with at least {DECENT_SCORE:,} points, in more than half of the "
            "populations of 20, of 50 and of 100; the paper used all three sizes, so all must hold",
        ),
        check_first_generations,
        difference_cause="a larger population has more random agents, so the share depends on its size, which the "
        "sentence does not give; it introduces the swap mutation, which the paper ran with a population of 20",
    ),
    Claim(
        "high scores spike and drop in most graphs",
        "section IV B",
        PublishedStatement(
            "“the spiking and dropping of high scores, which is present in most of the evolution graphs”",
            criterion=f"in more than half of the runs, the average of a generation, which all graphs show, {_DROPS}",
        ),
        check_spikes,
        difference_cause=f"in Table III, their only run with numbers, the average halves "
        f"{PUBLISHED_DROP_COUNTS['mean']} times and the best score {PUBLISHED_DROP_COUNTS['max']} times; the cause was "
        "not tested for the other graphs",
        readings=[
            Reading(
                "“high scores” are the best scores of generations, which no graph shows",
                make_figures_drop_check("max"),
                criterion=f"in more than half of the runs, the best score of a generation {_DROPS}",
            ),
        ],
    ),
    Claim(
        "larger populations have no positive effect",
        "section IV B",
        PublishedStatement(
            "“increasing the size of the population did not seem to have a positive effect on the performance of the "
            "Tetris agent from a fitness standpoint, higher scores were recorded for smaller populations sizes”",
            criterion="the best training score of the last generation is not more than 10 % higher with 50 or with 100 "
            "than with 20, with the same mutation rates and elitisms",
        ),
        make_population_check(get_last_best_scores, "points, best of the last generation"),
        difference_cause="a larger population also has more games of which the best is taken, but the reading with "
        "held-out games, which excludes this, is judged separately; pairs of single runs, as in the paper, are in our "
        "own comparisons",
        readings=[
            Reading(
                "performance is measured in held-out games",
                make_population_check(get_held_out_means, "points per held-out game"),
                criterion="agents score not more than 10 % more in held-out games with 50 or with 100 than with 20, "
                "with the same mutation rates and elitisms",
            )
        ],
    ),
    Claim(
        "population 20, mutation 2 % and elitism 15 % improve most steadily",
        "section IV B, Figure 4",
        PublishedStatement(
            "“the best example of an exponential curve and steady improvement over time”",
            criterion="the highest mean rank correlation of generation and average score of the 18 combinations of "
            "population 20, 50 or 100, mutation 1 or 2 % and elitism 10, 15 or 20 %",
        ),
        check_steadiest_configuration,
        difference_cause=_UNTESTED_CAUSE,
    ),
    Claim(
        "most of the other combinations improve over time",
        "section IV B",
        PublishedStatement(
            "“most of the other combinations experimented with tended to improve over time”",
            criterion="the average of the last five generations is above that of the first five in significantly more "
            "than half of the runs, for more than half of the other 17 combinations",
        ),
        check_most_improve,
        difference_cause=_UNTESTED_CAUSE,
    ),
    Claim(
        "every trial with signed mutations trends stronger",
        "section IV B, Figures 5 and 6",
        PublishedStatement(
            "“Each trial using this modified mutation produced subsequent generations that trended stronger overall”",
            criterion="the average of the last five generations is above that of the first five in every run",
        ),
        check_signed_mutation_improves,
        difference_cause=_UNTESTED_CAUSE,
    ),
    Claim(
        "with signed mutations, 1 % and elitism 20 % give stronger agents than 2 % and 15 %",
        "section IV B, Figures 5 and 6",
        PublishedStatement(
            "“The trial using a 1 percent mutation rate and 20 percent elitism produced stronger agents”"
        ),
        check_signed_mutation_strength,
        difference_cause=_UNTESTED_CAUSE,
    ),
    Claim(
        "with signed mutations, 2 % and elitism 15 % improve more distinctly than 1 % and 20 %",
        "section IV B, Figures 5 and 6",
        PublishedStatement(
            "“a distinct trend of improvement” against “a more stagnant evolution pattern”",
            criterion="a higher rank correlation of generation and average score",
        ),
        check_signed_mutation_trend,
        difference_cause=_UNTESTED_CAUSE,
    ),
    Claim(
        "with swap mutations, a run with abysmal first generations climbs late and ends with a decent agent",
        "section IV B, Figure 7",
        PublishedStatement(
            "“the first generations were abysmal; however, between generations 9 and 11, the heuristic scores began to "
            "climb steadily … and in the end a decent agent was produced”",
            criterion="in more than 5 % of our runs, no average of generations 1 to 8 exceeds a quarter of the mean of "
            f"the last five, and the agent scores at least {DECENT_SCORE:,} points per held-out game",
        ),
        check_late_improvement,
        difference_cause=_UNTESTED_CAUSE,
    ),
]
HINDI_CONCLUSION_CLAIMS = [
    Claim(
        "the next piece improves the average fitness",
        "section IV B, Figures 10 and 11",
        PublishedStatement(
            "“positively impacted the overall average fitness of the Tetris agents produced”",
            criterion="the average score of the last generation is higher with it",
        ),
        check_lookahead_average,
        difference_cause=_UNTESTED_CAUSE,
        readings=[
            Reading(
                "runs with and without it are compared after the same number of generations",
                check_lookahead_average_of_same_generation,
                criterion="the average score is higher with it in the generation that is its last",
            ),
            Reading(FIVE_GAMES, check_lookahead_average_of_five_games),
        ],
    ),
    Claim(
        "the next piece gives markedly better scores",
        "section V",
        PublishedStatement(
            "“markedly better scores when compared to a single piece analysis”",
            criterion="agents score at least a quarter more in held-out games",
        ),
        check_lookahead_scores,
        difference_cause=_UNTESTED_CAUSE,
        readings=[
            Reading(FIVE_GAMES, check_lookahead_scores_of_five_games),
            Reading(
                "the published agents of Tables I and II are compared",
                check_lookahead_agents,
                criterion="the agents of Table II score at least a quarter more in our games than those of Table I",
            ),
        ],
    ),
    Claim(
        "the next piece makes runs significantly slower",
        "section IV B",
        PublishedStatement(
            "“14 generations due to the significantly slower run time when using this algorithm”",
            criterion="a generation takes at least twice as long",
        ),
        check_lookahead_time,
        difference_cause=_UNTESTED_CAUSE,
    ),
    Claim(
        "mutation rate, population and elitism play a major role",
        "section V",
        PublishedStatement(
            "“these factors play a major role in the generation of heuristics values”",
            criterion="together they explain more than half of the variance of the scores of runs with the 18 "
            "combinations without the next piece; scores stand in for “heuristics values”",
        ),
        check_settings_influence,
        difference_cause=_UNTESTED_CAUSE,
    ),
]
HINDI_OWN_EVOLUTION_CLAIMS = [
    Claim(
        "fluctuations of the average shrink with more games per candidate",
        "section IV B",
        PublishedStatement(
            "not compared; “This variability in difficulty of play sequences could explain the spiking and dropping of "
            "high scores” is not tested: spikes, averages below half of the previous one, hardly occur in our runs "
            "with pieces drawn for each candidate, and these smaller changes do not explain them",
            criterion="the average of a generation changes less between generations, in the second half of runs, if "
            "each candidate plays twenty games",
        ),
        check_fluctuations,
        kind=ClaimKind.OWN,
    ),
]
