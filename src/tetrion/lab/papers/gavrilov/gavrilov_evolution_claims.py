"""The claims of Gavrilov's report about the evolution of the weights, and where its text allows other readings."""

from functools import partial

from tetrion.lab.papers.gavrilov import gavrilov_evolution
from tetrion.lab.papers.gavrilov.gavrilov_findings import (
    GAVRILOV_FEATURE_LABELS,
    GAVRILOV_FEATURE_NAMES,
    GAVRILOV_TRAINED_WEIGHTS,
)
from tetrion.lab.papers.gavrilov.gavrilov_real_time import REAL_TIME_KEY_RATES
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind, Reading
from tetrion.lab.reproduction.published_values import PublishedRange, PublishedSample, PublishedStatement

_ONE_RUN = "one run"
_NORMAL_START = "the first weights come from a normal distribution, as in the text (Section 5.6.5)"
_BEST_TWO = "both parents come from one tournament, as in the text (Section 5.6.7)"

GAVRILOV_EVOLUTION_CLAIMS = [
    Claim(
        "the first generation plays badly",
        "Section 9.1, Figure 67",
        PublishedStatement(
            "“did not produce satisfying results”",
            criterion=f"fewer than {gavrilov_evolution.POOR_SHARE:.0%} of the possible lines".replace("%", " %"),
        ),
        gavrilov_evolution.check_first_generation_poor,
    ),
    Claim(
        "the candidates reach the maximum of 850 moves",
        "Section 9.1",
        PublishedStatement(
            "“At generation 4, the agents achieved the maximum possible score in 850 moves”",
            criterion=f"half of the candidates clear at least {gavrilov_evolution.FULL_GAME_LINES} of 340 lines by "
            "generation 4, in most seeds",
        ),
        partial(gavrilov_evolution.check_reached_by_generation, "median", 4),
        difference_cause="his run was faster than most of ours",
        readings=[
            Reading(
                "the best candidate is meant instead of half of them",
                partial(gavrilov_evolution.check_reached_by_generation, "max", 4),
            ),
            Reading(
                _NORMAL_START,
                partial(gavrilov_evolution.check_reached_by_generation, "median", 4, name="normal-start"),
            ),
            Reading(_BEST_TWO, partial(gavrilov_evolution.check_reached_by_generation, "median", 4, name="best-two")),
        ],
    ),
    Claim(
        "mean lines of generation 8, of at most 460",
        "Section 9.1, Figure 69",
        PublishedSample("“an average of 450 lines every game in just 8 generations”", 450, _ONE_RUN),
        partial(gavrilov_evolution.compute_mean_at_generation, 8),
        difference_cause="the cause is not known",
        readings=[
            Reading(_NORMAL_START, partial(gavrilov_evolution.compute_mean_at_generation, 8, name="normal-start")),
            Reading(_BEST_TWO, partial(gavrilov_evolution.compute_mean_at_generation, 8, name="best-two")),
        ],
    ),
    Claim(
        "performance rises",
        "Sections 9.1 and 9.3",
        PublishedStatement(
            "“considerable gains in performance”, “gradually increased”",
            criterion="the mean rises from each of generations 0, 4, 8 and 14 to the next, and more than "
            f"{gavrilov_evolution.CONSIDERABLE_FACTOR} times in all",
        ),
        gavrilov_evolution.check_mean_rises,
    ),
    Claim(
        "fitness fluctuates less later",
        "Section 9.1, Figure 68",
        PublishedStatement(
            "“The plot got more stable as the generations progressed”",
            criterion="the interquartile range of a generation becomes smaller, relative to its mean",
        ),
        gavrilov_evolution.check_spread_narrows,
    ),
    Claim(
        "no further gain after generation 14",
        "Section 9.1",
        PublishedStatement(
            "“there was no need for continuing the evolution process”",
            criterion=f"less than {gavrilov_evolution.NO_GAIN_SHARE:.0%} more lines by generation 29".replace(
                "%", " %"
            ),
        ),
        gavrilov_evolution.check_no_gain_after_stop,
    ),
    *(
        Claim(
            f"final weight of {GAVRILOV_FEATURE_LABELS[name]}",
            "Section 9.2",
            PublishedSample(value=GAVRILOV_TRAINED_WEIGHTS[name], sample=_ONE_RUN, decimals=2),
            partial(gavrilov_evolution.compute_final_weight, name),
            difference_cause="the cause is not known",
        )
        for name in GAVRILOV_FEATURE_NAMES
    ),
    Claim(
        "the weight of height stays positive",
        "Section 9.1",
        PublishedStatement("“still retained a positive value”", criterion="in most seeds"),
        gavrilov_evolution.check_height_positive,
    ),
    Claim(
        "the weight of height stays stable",
        "Section 9.1",
        PublishedStatement("“remained relatively stable”", criterion="it changes least of the four weights"),
        partial(gavrilov_evolution.check_steadiest_weight, "piece_top"),
    ),
    Claim(
        "change of the weight of holes from generation 0 to 14",
        "Section 9.1",
        PublishedSample("“significant changes”: from −3 to −9.32, a change of −6.32", -9.32 + 3, _ONE_RUN, decimals=2),
        partial(gavrilov_evolution.compute_weight_change, "holes"),
        difference_cause="the cause is not known",
    ),
    Claim(
        "the weight of bumpiness settles at generation 3",
        "Section 9.1",
        PublishedStatement(
            "“substantial changes only until generation 3”",
            criterion="after it, it changes less than half as much per generation",
        ),
        partial(gavrilov_evolution.check_weight_settles, "bumpiness"),
    ),
    Claim(
        "time for half of the 30 generations, in real time",
        "Section 11.3",
        PublishedRange("“approximately 2-3 days”", low=2, high=3),
        partial(gavrilov_evolution.compute_real_time_training_days, 60),
        difference_cause="the wait of three rows before the first key alone takes 0.36 s per piece at the highest "
        "falling speed (Sections 4.15 and 7.2), about as long as 2–3 days allow for a whole piece; whether his "
        "training ran faster than this is not stated",
        readings=[
            Reading(
                f"the agents press {rate} keys per second instead of 60",
                partial(gavrilov_evolution.compute_real_time_training_days, rate),
            )
            for rate in REAL_TIME_KEY_RATES[:-1]
        ],
    ),
]

GAVRILOV_OWN_COMPARISONS = [
    Claim(
        "signs of the four weights",
        "Section 9.2",
        PublishedStatement("+, −, −, +", criterion="the same sign in most seeds, for each weight"),
        gavrilov_evolution.check_weight_signs,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "holes have the largest weight",
        "Section 9.2",
        PublishedStatement("the largest of the four", criterion="in most seeds"),
        partial(gavrilov_evolution.check_largest_weight, "holes"),
        kind=ClaimKind.OWN,
    ),
    Claim(
        "order of the weights by size",
        "Section 9.2",
        PublishedStatement("holes, clearing, bumpiness, height", criterion="in most seeds"),
        gavrilov_evolution.check_weight_order,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "time for half of the 30 generations, if games are only computed",
        "Section 11.3",
        PublishedRange("“approximately 2-3 days”", low=2, high=3),
        gavrilov_evolution.compute_training_days,
        difference_cause="his games were displayed in real time",
        kind=ClaimKind.OWN,
    ),
]
