"""The claims of Gavrilov's report about the evolution of the weights, and where its text allows other readings."""

from functools import partial

from tetrion.lab.papers.gavrilov import gavrilov_evolution
from tetrion.lab.papers.gavrilov.gavrilov_findings import (
    GAVRILOV_FEATURE_LABELS,
    GAVRILOV_FEATURE_NAMES,
    GAVRILOV_TRAINED_WEIGHTS,
)
from tetrion.lab.papers.gavrilov.gavrilov_games import format_key_rate
from tetrion.lab.papers.gavrilov.gavrilov_real_time import FAST_KEY_RATES, REAL_TIME_KEY_RATES
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
            criterion=f"half of the candidates clear at least {gavrilov_evolution.FULL_GAME_LINES} of 340 lines; the "
            "first such generation of a single run, compared with the 95 % range over seeds",
        ),
        partial(gavrilov_evolution.check_first_generation, "median", 4),
        difference_cause="the cause is not known",
        readings=[
            Reading(
                "the best candidate is meant instead of half of them",
                partial(gavrilov_evolution.check_first_generation, "max", 4),
            ),
            Reading(
                _NORMAL_START,
                partial(gavrilov_evolution.check_first_generation, "median", 4, name="normal-start"),
            ),
            Reading(_BEST_TWO, partial(gavrilov_evolution.check_first_generation, "median", 4, name="best-two")),
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
            criterion="the mean lines, as a share of the lines that the limit of moves allows, rise from each of "
            f"generations 0, 4, 8 and 14 to the next, and more than {gavrilov_evolution.CONSIDERABLE_FACTOR} times in "
            "all",
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
            criterion="the mean lines of a generation, in games of at most 1,150 moves (850 until half of a "
            f"generation reaches them), rise by less than {100 * gavrilov_evolution.NO_GAIN_SHARE:g} % by generation "
            "29; the limit of moves bounds what a gain could show",
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
        PublishedStatement(
            "“remained relatively stable”",
            criterion="it changes less per generation than the weight of holes, which “experienced significant "
            "changes”, in most seeds",
        ),
        partial(gavrilov_evolution.check_steadier_weight, "piece_top", "holes"),
        difference_cause="the cause is not known",
    ),
    Claim(
        "height has a smaller weight than the others",
        "Section 9.1",
        PublishedStatement(
            "“the AI deemed this parameter as less critical”",
            criterion="its weight is smaller in size than the mean of the other three, in most seeds",
        ),
        partial(gavrilov_evolution.check_smaller_weight, "piece_top", ("holes", "bumpiness", "lines")),
    ),
    Claim(
        "holes have the largest weight",
        "Section 9.1",
        PublishedStatement(
            "“This suggests that the AI considered the holes parameter as the most crucial of all features”",
            criterion="the largest weight of the four in size, in most seeds",
        ),
        partial(gavrilov_evolution.check_largest_weight, "holes"),
    ),
    Claim(
        "bumpiness has a smaller weight than holes",
        "Section 9.1",
        PublishedStatement(
            "“influential, though not as much as the holes parameter”",
            criterion="a smaller weight in size than that of holes, in most seeds",
        ),
        partial(gavrilov_evolution.check_smaller_weight, "bumpiness", ("holes",)),
    ),
    Claim(
        "clearing has a larger weight than height",
        "Section 9.1",
        PublishedStatement(
            "“The AI considered this parameter important for the agent's performance as well”",
            criterion="a larger weight in size than that of height, which it deemed “less critical”, in most seeds",
        ),
        partial(gavrilov_evolution.check_smaller_weight, "piece_top", ("lines",)),
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
        PublishedRange(
            "“approximately 2-3 days to train only half of the intended generations”",
            low=2,
            high=3,
            criterion=f"of seeds with at least {gavrilov_evolution.SUCCESSFUL_LINES} mean lines in generation 8, as in "
            "his run (450), because runs that learn later play shorter games",
        ),
        partial(gavrilov_evolution.compute_real_time_training_days, 60),
        difference_cause="the cause is not known. The report gives no keys per second, and its code sets no limit "
        "(`clock.tick()` without argument, Figure 19; `pyautogui.PAUSE = 0`, Appendix), but from 200 keys per second "
        "on, more keys save no time (other readings): a piece falls three rows before the first key (Figure 45), and "
        "only the next row of its fall locks it (Figure 20). These four rows take 1.48 s at the start of a game and "
        "0.48 s at the highest falling speed (Section 4.15), while 2–3 days allow 0.28 to 0.43 s per piece. Section "
        "6.1 calls it critical to be able to change the falling speed; whether the training used a higher one is not "
        "stated, and was not tested",
        readings=[
            Reading(
                f"the agents press {format_key_rate(rate)} keys per second instead of {format_key_rate(60)}",
                partial(gavrilov_evolution.compute_real_time_training_days, rate),
            )
            for rate in (*REAL_TIME_KEY_RATES[:-1], *FAST_KEY_RATES)
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
        "time for half of the 30 generations, if games are only computed",
        "Section 11.3",
        PublishedRange("“approximately 2-3 days”", low=2, high=3),
        gavrilov_evolution.compute_training_days,
        difference_cause="his games were displayed in real time",
        kind=ClaimKind.OWN,
    ),
]
