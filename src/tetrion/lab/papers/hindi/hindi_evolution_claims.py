"""The claims of Hindi et al. about evolution: generations, populations, mutations, the next piece and the crossover."""

from tetrion.lab.papers.hindi.hindi_configurations import DECENT_SCORE
from tetrion.lab.papers.hindi.hindi_evolution import (
    check_best_score_drops,
    check_first_generations,
    check_larger_populations,
    check_late_improvement,
    check_luck_explains_swings,
    check_most_improve,
    check_signed_mutation_improves,
    check_signed_mutation_strength,
    check_signed_mutation_trend,
    check_steadiest_configuration,
    check_success,
    make_drop_check,
)
from tetrion.lab.papers.hindi.hindi_measurements import SHARED_PIECES_VARIANT, format_variant_name
from tetrion.lab.papers.hindi.hindi_published_agents import check_lookahead_agents, check_scores_are_sums
from tetrion.lab.papers.hindi.hindi_table_iii import PUBLISHED_DROP_COUNT
from tetrion.lab.papers.hindi.hindi_training_effects import (
    check_crossover_influence,
    check_lookahead_average,
    check_lookahead_scores,
    check_settings_influence,
)
from tetrion.lab.reproduction.paper_definition import Claim, Reading
from tetrion.lab.reproduction.published_values import PublishedStatement

_UNTESTED_CAUSE = "the cause was not tested"
HINDI_EVOLUTION_CLAIMS = [
    Claim(
        "the scores in the tables are sums of several games",
        "section III B, Tables I and II",
        PublishedStatement(
            "“calls the runGame function a set number of times, returning the aggregate sum of the returned values”",
            criterion="the sum of 2, 3 or 5 games fits more scores of Tables I and II than a single game",
        ),
        check_scores_are_sums,
        difference_cause="all seven scores are possible in a single game of 500 pieces",
    ),
    Claim(
        "the genetic algorithm evolves a Tetris-playing agent",
        "section V",
        PublishedStatement(
            "“Overall the genetic algorithm was successful in evolving a Tetris-playing agent.”",
            criterion=f"the agent of a run scores at least {DECENT_SCORE:,} points per held-out game in more than half "
            "of the runs",
        ),
        check_success,
        difference_cause=_UNTESTED_CAUSE,
    ),
    Claim(
        "most first generations have a few decent agents",
        "section III C",
        PublishedStatement(
            "“most randomly generated initial populations were able to produce a few decent Tetris playing agent”",
            criterion=f"at least three agents with at least {DECENT_SCORE:,} points, in more than half of the "
            "populations of 20, 50 and 100 together",
        ),
        check_first_generations,
        difference_cause="the share depends on the size of the population",
    ),
    Claim(
        "high scores spike and drop in most graphs",
        "section IV B",
        PublishedStatement(
            "“the spiking and dropping of high scores, which is present in most of the evolution graphs”",
            criterion="in more than half of the runs, the best score of a generation is at least once less than half "
            "of the previous one",
        ),
        check_best_score_drops,
        difference_cause=f"in Table III, their only run with numbers, it halves {PUBLISHED_DROP_COUNT} times; the "
        "table of variants shows how often it does in ours with other settings",
        readings=[
            Reading(
                "all candidates of a generation play the same pieces",
                make_drop_check(format_variant_name(SHARED_PIECES_VARIANT)),
            )
        ],
    ),
    Claim(
        "easy and difficult sequences of pieces can explain the spikes",
        "section IV B",
        PublishedStatement(
            "“This variability in difficulty of play sequences could explain the spiking and dropping of high scores”",
            criterion="the best score changes less between generations if each candidate plays twenty games",
        ),
        check_luck_explains_swings,
        difference_cause=_UNTESTED_CAUSE,
    ),
    Claim(
        "larger populations have no positive effect",
        "section IV B",
        PublishedStatement(
            "“increasing the size of the population did not seem to have a positive effect on the performance of the "
            "Tetris agent from a fitness standpoint”",
            criterion="agents of populations of 100 score no more in held-out games than those of 20",
        ),
        check_larger_populations,
        difference_cause="the paper shows one run of each population size and ours are means over seeds; whether "
        "chance explains theirs was not tested",
    ),
    Claim(
        "population 20, mutation 2 % and elitism 15 % improve most steadily",
        "section IV B, Figure 4",
        PublishedStatement(
            "“the best example of an exponential curve and steady improvement over time”",
            criterion="the highest mean rank correlation of generation and average score of 27 combinations",
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
            "than half of the runs, for more than half of the other 26 combinations",
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
        readings=[Reading("the published agents of Tables I and II are compared", check_lookahead_agents)],
    ),
    Claim(
        "agents improve over time because of the averaging crossover",
        "section V",
        PublishedStatement(
            "“This was due in large part to the crossover method which took the weighted average for each constant”",
            criterion="agents score more in held-out games than with uniform and with one-point crossover",
        ),
        check_crossover_influence,
        difference_cause=_UNTESTED_CAUSE,
    ),
    Claim(
        "mutation rate, population and elitism play a major role",
        "section V",
        PublishedStatement(
            "“these factors play a major role in the generation of heuristics values”",
            criterion="together they explain more than half of the variance of the results of runs",
        ),
        check_settings_influence,
        difference_cause=_UNTESTED_CAUSE,
    ),
]
