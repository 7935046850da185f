"""The claims of Medico's report."""

from tetrion.evaluation.number_format import format_number
from tetrion.lab.papers.medico import medico_findings, medico_parameter_findings
from tetrion.lab.papers.medico.medico_figures import MODE_THRESHOLDS
from tetrion.lab.papers.medico.medico_findings import (
    LARGE_DEVIATION_SHARE,
    REPORT_DELAY_SECONDS,
    TETRIS_SHARE_TOLERANCE,
    make_ten_runs_reader,
)
from tetrion.lab.papers.medico.medico_parameter_findings import (
    IMPORTANT_GAIN,
    make_board_fill_check,
    make_danger_zone_check,
    make_points_per_line_check,
    make_score_gain_check,
)
from tetrion.lab.papers.medico.medico_published_runs import (
    MEDICO_LINES,
    MEDICO_RUNS,
    MEDICO_TETRIS_SHARES,
    UNLIKELY_SHARE,
    compute_published_statistic,
    make_ten_game_reader,
)
from tetrion.lab.papers.medico.medico_variants import AGENT_ZONE, DANGER_ZONES, SPAWN_ZONE
from tetrion.lab.reproduction.measured_values import make_mean_reader
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind, Reading
from tetrion.lab.reproduction.published_values import (
    PublishedMean,
    PublishedSample,
    PublishedStatement,
)

RESULTS_SECTION = "“Results”"
INTRODUCTION_SECTION = "“Introduction”"
_RESULTS_TABLE_SECTION = "“Results”, table"
_PARAMETERS_SECTION = "“Heuristic Function and Parameters”"
_BOT_FILE_SECTION = "“Project Setup”, bot.py"
_COMPUTED = "computed from the table"
_HIGHER_SCORE = "the 95 % interval of the ratio of mean scores lies above 1"
_MORE_PIECES = (
    "a larger share of the pieces with the parameter than without it, in the same positions: the interval of the "
    "difference lies above 0"
)

_RUN_CLAIMS = [
    Claim(
        "mean score of the ten runs",
        _RESULTS_TABLE_SECTION,
        PublishedMean(
            f"{_COMPUTED}: {format_number(compute_published_statistic('mean'))}",
            value=compute_published_statistic("mean"),
            game_count=len(MEDICO_RUNS),
        ),
        make_ten_runs_reader(make_mean_reader("medico", "score"), "mean"),
        headline="14,304 points, the mean of ten runs",
    ),
    Claim(
        "mean lines of the ten runs",
        _RESULTS_TABLE_SECTION,
        PublishedMean(
            f"{_COMPUTED}: {format_number(MEDICO_LINES.mean())}",
            value=float(MEDICO_LINES.mean()),
            game_count=len(MEDICO_RUNS),
        ),
        make_mean_reader("medico"),
        kind=ClaimKind.OWN,
    ),
    Claim(
        "points per line of the ten runs together",
        _RESULTS_TABLE_SECTION,
        PublishedSample(
            f"{_COMPUTED}: {format_number(compute_published_statistic('points per line'), 1)}",
            value=compute_published_statistic("points per line"),
            sample="10 games",
        ),
        make_ten_runs_reader(make_ten_game_reader("points per line"), "points per line"),
    ),
    Claim(
        "distribution of the ten scores",
        _RESULTS_TABLE_SECTION,
        PublishedStatement(
            f"{_COMPUTED}: 1,580 to 38,620 points, median 6,420",
            criterion="not among the "
            f"{100 * UNLIKELY_SHARE:.0f} % of sets of ten of our games that are farthest from all our games "
            "(Kolmogorov–Smirnov distance)",
        ),
        medico_findings.check_score_distribution,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "the report's table is consistent with itself",
        _RESULTS_TABLE_SECTION,
        PublishedStatement(
            "average points from 91 to 131",
            criterion="a check of the report's numbers, not of ours: each average is score divided by lines, and each "
            "score is a sum of line clears",
        ),
        medico_findings.check_table_averages,
        kind=ClaimKind.TRANSCRIPTION,
    ),
    Claim(
        "share of lines from four-line clears",
        _RESULTS_TABLE_SECTION,
        PublishedStatement(
            f"not given; {100 * MEDICO_TETRIS_SHARES[0]:.0f} to {100 * MEDICO_TETRIS_SHARES[1]:.0f} % are possible "
            "with the points and lines of the ten runs",
            criterion="our share lies between the two ends",
        ),
        medico_findings.check_tetris_share,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "results vary with the luck of the pieces",
        RESULTS_SECTION,
        PublishedStatement(
            "“results vary quite a bit”, “it depends on the luck of the pieces”",
            criterion=f"the standard deviation of the score is more than {LARGE_DEVIATION_SHARE:g} times its mean",
        ),
        medico_findings.check_variation,
    ),
    Claim(
        "points per line and four-line clears rise together",
        "“Game Rules”, scoring",
        PublishedStatement(
            "“The closer the average points per line is to 300, the more four-line clears are happening”",
            criterion=f"of bots with {len(MODE_THRESHOLDS)} mode thresholds, ordered by points per line, none has a "
            "smaller share of lines from four-line clears than the one before, by more than "
            f"{100 * TETRIS_SHARE_TOLERANCE:g} percentage points; this follows almost from the scoring alone",
        ),
        medico_findings.check_points_rise_with_tetrises,
        kind=ClaimKind.TRANSCRIPTION,
    ),
]

_BEHAVIOUR_CLAIMS = [
    Claim(
        "scoring mode sets up four-line clears",
        INTRODUCTION_SECTION,
        PublishedStatement(
            "“work towards high scoring by setting itself up for Tetris's”",
            criterion="more points per line with scoring mode alone than with recovery mode alone",
        ),
        medico_findings.check_scoring_mode_points,
    ),
    Claim(
        "recovery mode prioritizes clearing lines",
        INTRODUCTION_SECTION,
        PublishedStatement(
            "“if the board starts to fill up, it prioritizes clearing lines as fast as possible”",
            criterion="of the decisions in which the current piece can clear a line, a larger share clears one in "
            "recovery mode than in scoring mode",
        ),
        medico_findings.check_recovery_mode_clears,
    ),
    Claim(
        "scoring mode gets the bot into trouble",
        RESULTS_SECTION,
        PublishedStatement(
            "“It seems ‘scoring’ mode can get the bot in trouble”",
            criterion="more lines per game without scoring mode: the interval of the ratio lies above 1",
        ),
        medico_findings.check_scoring_mode_risk,
    ),
    Claim(
        "placements that look bad at first prepare for the next piece",
        RESULTS_SECTION,
        PublishedStatement(
            "“Some piece placements look like a bad placement or an error at first, but then the next piece gets "
            "tucked in with it nicely”",
            criterion="after a placement that makes a hole, the next piece is tucked into it more often than if the "
            "bot does not see the next piece",
        ),
        medico_findings.check_planned_tucks,
    ),
    Claim(
        "a search without pruning is fast enough",
        _BOT_FILE_SECTION,
        PublishedStatement(
            "“Search space was trivial, so no pruning was added”",
            criterion=f"every decision of ours takes less than the report's delay of {1000 * REPORT_DELAY_SECONDS:.0f} "
            "ms before a move",
        ),
        medico_findings.check_search_time,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "further adjusted weights improve the bot",
        RESULTS_SECTION,
        PublishedStatement(
            "“Improvements can certainly be made by either further adjust weights or add new and potentially more "
            "complex parameters”",
            criterion=f"other weights of the same parameters score more; {_HIGHER_SCORE}",
        ),
        medico_parameter_findings.check_learnt_weights,
    ),
]

_PARAMETER_CLAIMS = [
    Claim(
        "placements differ by few holes",
        f"{_PARAMETERS_SECTION}, number of holes",
        PublishedStatement(
            "“different piece placements typically only differ by 1 or 2 new holes (unless really bad move)”",
            criterion="on average over decisions, more than half of the placements leave at most two holes more than "
            "the best one",
        ),
        medico_parameter_findings.check_hole_differences,
    ),
    Claim(
        "holes need a high weight",
        f"{_PARAMETERS_SECTION}, number of holes",
        PublishedStatement(
            "“Generally needs a high weight value”",
            criterion=f"a higher score with the report's 50 than with 1; {_HIGHER_SCORE}",
        ),
        make_score_gain_check("low weight of holes", "the score with a weight of 1"),
    ),
    Claim(
        "the parameter holes prevents new holes",
        f"{_PARAMETERS_SECTION}, number of holes",
        PublishedStatement(
            "“Influences bot to not create new holes”",
            criterion="a smaller share of the pieces makes new holes with the parameter than without it",
        ),
        medico_parameter_findings.check_new_holes,
    ),
    Claim(
        "the parameter evenness keeps the board even",
        f"{_PARAMETERS_SECTION}, board evenness",
        PublishedStatement(
            "“Influences bot to keep board even”",
            criterion="a smaller mean sum of height differences with the parameter than without it",
        ),
        medico_parameter_findings.check_evenness,
    ),
    Claim(
        "the parameter evenness makes the bot use empty space lower on the board",
        f"{_PARAMETERS_SECTION}, board evenness",
        PublishedStatement(
            "“make use of empty space lower on the board, instead of building up certain columns higher than others”",
            criterion="on average, fewer cells above the columns and below the level of the highest one with the "
            "parameter than without it",
        ),
        medico_parameter_findings.check_low_space,
    ),
    Claim(
        "board fill makes the bot nudge pieces under others",
        f"{_PARAMETERS_SECTION}, board fill",
        PublishedStatement("“Influences bot to nudge pieces under other pieces if possible”", criterion=_MORE_PIECES),
        make_board_fill_check("tucks", "pieces", "the pieces are placed below filled cells"),
    ),
    Claim(
        "board fill makes the bot use flatter orientations",
        f"{_PARAMETERS_SECTION}, board fill",
        PublishedStatement("“Influences bot … to use a flatter orientation”", criterion=_MORE_PIECES),
        make_board_fill_check("flat", "orientable", "the pieces other than O are wider than high"),
    ),
    Claim(
        "lines need high weights",
        f"{_PARAMETERS_SECTION}, lines cleared",
        PublishedStatement(
            "“Always a value between zero and four so needs high weight values”",
            criterion=f"a higher score than with all weights of lines divided by 100; {_HIGHER_SCORE}",
        ),
        make_score_gain_check("low weights of lines", "the score with a hundredth of these weights"),
    ),
    Claim(
        "avoiding 1, 2 and 3 lines in scoring mode builds up to four-line clears",
        f"{_PARAMETERS_SECTION}, lines cleared",
        PublishedStatement(
            "“to facilitate scoring mode, where you would want to avoid 1, 2, or 3 line clears to allow building up to "
            "a four-line clear”",
            criterion="more points per line than with the weight 0 for 1, 2 and 3 lines in scoring mode; recovery mode "
            "is unchanged",
        ),
        make_points_per_line_check("scoring mode without 1, 2 and 3 lines"),
    ),
    Claim(
        "points per line if scoring mode rewards 1, 2 and 3 lines as recovery mode does",
        f"{_PARAMETERS_SECTION}, lines cleared",
        PublishedStatement(
            "not compared", criterion="more points per line with the report's weights; recovery mode is unchanged"
        ),
        make_points_per_line_check("scoring mode with recovery rewards"),
        kind=ClaimKind.OWN,
    ),
    Claim(
        "an empty last column leaves space for four-line clears",
        f"{_PARAMETERS_SECTION}, last column",
        PublishedStatement(
            "“leave the last column empty, which leaves space for dropping in an ‘I’ piece for a Tetris”",
            criterion="more points per line than without the parameter, which recovery mode does not use anyway",
        ),
        make_points_per_line_check("without last column"),
    ),
    Claim(
        "the danger zone should be avoided",
        f"{_PARAMETERS_SECTION}, danger zone",
        PublishedStatement(
            "“I high value is given for a move placed near the top center of the board, which is where the following "
            "new piece appears”, “should be avoided at all costs”",
            criterion=f"the interval of the ratio of mean scores, with and without it, lies above {IMPORTANT_GAIN:g}",
        ),
        medico_parameter_findings.check_spawn_zone,
        difference_cause="the cause is not known",
        readings=[
            Reading(AGENT_ZONE, medico_parameter_findings.check_zone_of_agent),
            *(Reading(label, make_danger_zone_check(label)) for label in DANGER_ZONES if label != SPAWN_ZONE),
        ],
    ),
    Claim(
        "parameters with higher values have lower weights",
        f"{_PARAMETERS_SECTION}, weights",
        PublishedStatement(
            "“Some parameters naturally produced higher values and generally didn't need a high weight, while others "
            "produced small values and needed high weights”",
            criterion="of the four parameters that count cells or height differences, none has both a smaller mean "
            "value and a lower weight in scoring mode than another; danger (0 or 1, weight 1,000) and the four weights "
            "for lines are left out",
        ),
        medico_parameter_findings.check_weights_follow_values,
    ),
]

MEDICO_CLAIMS = [*_RUN_CLAIMS, *_BEHAVIOUR_CLAIMS, *_PARAMETER_CLAIMS]
