"""Gabe Becker's slides: a static evaluation with four sigmoid curves that clears 20 to 30 lines per game."""

from functools import partial

from tetrion.evaluation.number_format import format_name
from tetrion.lab.papers.becker import becker_figures, becker_findings
from tetrion.lab.papers.becker.becker_findings import (
    BEST_GAME_SERIES,
    CURVE_TOLERANCE,
    DEFAULT_SERIES_LENGTH,
    KEPT_LINES_SHARE,
    SLIDE_BEST_GAME,
    SLIDE_EVALUATION_SECONDS,
    SLIDE_LINES_RANGE,
    SOME_LINES,
    make_best_game_reader,
)
from tetrion.lab.papers.becker.becker_games import (
    BECKER_BEFORE_CLEARING,
    BECKER_CODE_READING,
    BECKER_FAST_FALL,
    BECKER_FAST_FALL_THINKING,
    BECKER_READINGS,
    DECISION_TIMES_MS,
    DEFAULT_GAME_END,
    ROW_TIMES_MS,
    RULE_INTERPRETATIONS,
    SLIDE_DECISION_TIME_MS,
    make_variants,
    measure_decisions,
    measure_distributions,
)
from tetrion.lab.reproduction.measured_values import make_mean_reader
from tetrion.lab.reproduction.measurements import CustomMeasurement, GameMeasurement, TrainingMeasurement
from tetrion.lab.reproduction.paper_definition import (
    Claim,
    ClaimKind,
    OpenQuestion,
    Paper,
    PaperFigure,
    Reading,
    ResultTable,
)
from tetrion.lab.reproduction.published_values import (
    PublishedOrdering,
    PublishedRange,
    PublishedSample,
    PublishedStatement,
)

_RESULTS_SLIDE = "slide “It's pretty good!”"
_FUNCTION_SLIDE = "slide “The function”"
_THREADS_SLIDE = "slide “Multithreading”"
_SAME_TIME_FACTOR = 10  # times within this factor are of the same order of magnitude
_FAST_FALL_DESCRIPTION = BECKER_READINGS[BECKER_FAST_FALL].description
_CURVE_WORDINGS = {  # the slide's title and its wording
    "holes": ("Holes", "“0 holes - 1”, “8 holes - 0.5”, “20 holes - basically 0”"),
    "aggregate_height": (
        "Aggregate height",
        "“0 aggregate height - 1”, “100 aggregate height - 0.5”, “200 aggregate height - basically 0”",
    ),
    "bumpiness": ("Bumpiness", "“0 bumpiness - 1”, “8 bumpiness - 0.5”, “20 bumpiness - basically 0”"),
    "max_height": ("Max height", "“0 max height - 1”, “8 max height - ~0.5”, “20 max height - 0”"),
}

BECKER_PAPER = Paper(
    name="becker",
    label="Becker",
    title="Tetris game playing AI using static evaluation function",
    source="Gabe Becker, slides",
    description="Four curves of board features, each between 0 and 1, are weighted and summed. The placement with the "
    "highest sum is turned into key presses; the decision is made in a second thread while the piece falls.",
    rules="becker: 10×20, pieces drawn uniformly, no next piece",
    measurements=[
        GameMeasurement(BECKER_CODE_READING, "becker", games=20_000, quick_games=2000),
        GameMeasurement(BECKER_BEFORE_CLEARING, "becker:measured=before", games=20_000, quick_games=2000),
        TrainingMeasurement(
            "tuned", "becker-tuned", seed_count=5, quick_changes=("generations=15", "validation.final_games=100")
        ),
        *(
            GameMeasurement(
                f"thinking-{time}",
                "becker",
                games=20_000,
                quick_games=2000 if time <= SLIDE_DECISION_TIME_MS else 500,
                rules=f"becker:movement=timed,thinking_frames={time}",
            )
            for time in DECISION_TIMES_MS
        ),
        *(
            GameMeasurement(
                f"falling-{fall}",
                "becker",
                games=20_000,
                quick_games=500,
                rules=f"becker:movement=timed,gravity={fall}",
            )
            for fall in ROW_TIMES_MS[1:]
        ),
        GameMeasurement(
            BECKER_FAST_FALL_THINKING,
            "becker",
            games=20_000,
            quick_games=500,
            rules=f"{BECKER_READINGS[BECKER_FAST_FALL].rules},thinking_frames={SLIDE_DECISION_TIME_MS}",
        ),
        *(
            GameMeasurement(label, "becker", games=20_000, quick_games=1000, rules=rules)
            for label, rules in RULE_INTERPRETATIONS.items()
        ),
        *(GameMeasurement(name, agent, games=20_000, quick_games=1000) for name, agent in make_variants().items()),
        CustomMeasurement("decisions", measure_decisions, version=3),
        CustomMeasurement("distributions", measure_distributions),
    ],
    claims=[
        Claim(
            "lines per game",
            _RESULTS_SLIDE,
            PublishedRange(
                "“~23 lines per game”, “better approximation: 20-30 lines per game”",
                low=SLIDE_LINES_RANGE[0],
                high=SLIDE_LINES_RANGE[1],
                criterion="the 95 % interval of the mean overlaps 20 to 30, the “better approximation”; ~23 is not "
                "compared separately",
            ),
            make_mean_reader(BECKER_CODE_READING),
            difference_cause="the cause is not known; the slides give neither the end of the game (ours: "
            f"{DEFAULT_GAME_END}; the table of interpretations has two others) nor the speeds of falling and of key "
            "presses (the table has six)",
            readings=[Reading(_FAST_FALL_DESCRIPTION, becker_findings.compute_lines_of_fast_fall)],
            headline="about 23 (20 to 30) lines per game",
        ),
        Claim(
            "the best game",
            _RESULTS_SLIDE,
            PublishedSample(
                "“Highest amount achieved: 90”, of a number of games that is not given",
                value=SLIDE_BEST_GAME,
                decimals=0,
                criterion="90 lies within the 95 % range of the best of as many of our games, by default "
                f"{DEFAULT_SERIES_LENGTH}",
            ),
            becker_findings.compute_best_game,
            difference_cause="the cause is not known; the slides do not give the number of games",
            readings=[
                Reading(_FAST_FALL_DESCRIPTION, make_best_game_reader(BECKER_FAST_FALL)),
                *(
                    Reading(f"the number of games was {number}", make_best_game_reader(BECKER_CODE_READING, number))
                    for number in BEST_GAME_SERIES
                    if number != DEFAULT_SERIES_LENGTH
                ),
            ],
        ),
        Claim(
            "the AI usually clears some lines",
            _RESULTS_SLIDE,
            PublishedStatement(
                "“the AI can make decisions usually clear some lines”",
                criterion=f"more than half of the games clear at least {SOME_LINES} lines",
            ),
            becker_findings.check_usually_clears_lines,
        ),
        Claim(
            "time per evaluation",
            _THREADS_SLIDE,
            PublishedRange(
                f"“Approximately {SLIDE_EVALUATION_SECONDS:g} seconds per evaluation”",
                low=SLIDE_EVALUATION_SECONDS / _SAME_TIME_FACTOR,
                high=SLIDE_EVALUATION_SECONDS * _SAME_TIME_FACTOR,
                criterion="our time per board is of the same order of magnitude, within a factor of "
                f"{_SAME_TIME_FACTOR}",
            ),
            becker_findings.compute_evaluation_seconds,
            difference_cause="the slides' program is written in Python, ours is compiled, and the machines differ; the "
            "cause was not tested",
            kind=ClaimKind.OWN,
        ),
        Claim(
            "a second thread for the decision is probably not needed",
            _THREADS_SLIDE,
            PublishedStatement(
                "“In retrospect, probably not needed (evaluation function is lightning fast)”",
                criterion=f"if no key is pressed for {SLIDE_DECISION_TIME_MS} ms per decision while the piece falls, "
                f"at least {100 * KEPT_LINES_SHARE:g} % of the lines of decisions without delay are cleared: the "
                f"interval of the ratio lies above {KEPT_LINES_SHARE}",
            ),
            becker_findings.check_thread_need,
            readings=[Reading(_FAST_FALL_DESCRIPTION, becker_findings.check_thread_need_of_fast_fall)],
        ),
        Claim(
            "machine learning gives a better agent",
            _RESULTS_SLIDE,
            PublishedOrdering(
                "“Using machine learning to change the values of weights and functions is definitely the way to make "
                "a proper Tetris AI”",
                criterion="learnt weights, slopes and midpoints of the same curves clear more lines per game than "
                "those of the slides",
            ),
            becker_findings.compute_learning_gain,
        ),
        *(
            Claim(
                f"the curve of {format_name(feature)}",
                f"slide “{title}”",
                PublishedStatement(wording, criterion=f"our curve is within {CURVE_TOLERANCE} of these points"),
                partial(becker_findings.check_curve_points, feature),
                kind=ClaimKind.TRANSCRIPTION,
            )
            for feature, (title, wording) in _CURVE_WORDINGS.items()
        ),
        Claim(
            "the weights",
            _FUNCTION_SLIDE,
            PublishedStatement("“0 < w_i < 1 and Σ w_i = 1”"),
            becker_findings.check_weight_sum,
            kind=ClaimKind.TRANSCRIPTION,
        ),
        Claim(
            "the evaluation of a board",
            _FUNCTION_SLIDE,
            PublishedStatement("“E is between 0 and 1”"),
            becker_findings.check_evaluation_range,
            kind=ClaimKind.TRANSCRIPTION,
        ),
    ],
    questions=[
        OpenQuestion(
            "How well do the same functions play with learnt parameters?",
            _RESULTS_SLIDE,
            becker_findings.describe_learning_gain,
        ),
        OpenQuestion(
            "Which parameters does learning change most?", _RESULTS_SLIDE, becker_findings.describe_parameter_changes
        ),
        OpenQuestion("What limits the slides' function?", _RESULTS_SLIDE, becker_findings.describe_limits),
        OpenQuestion(
            "How long may a decision take while the piece falls?",
            _THREADS_SLIDE,
            becker_findings.describe_thinking_time,
        ),
    ],
    figures=[
        PaperFigure(
            "curves",
            "The four curves",
            "The curves of the slides as implemented in our agent. The curves of bumpiness and holes are identical, so "
            "one hides the other.",
            becker_figures.draw_curves,
        ),
        PaperFigure(
            "games",
            "Lines per game",
            "Distribution of lines over the first thousand games of each variant. Evaluating boards before full rows "
            "are removed contradicts the slides' code.",
            becker_figures.draw_lines_distribution,
        ),
        PaperFigure(
            "learnt",
            "Hand-chosen and learnt parameters",
            "The slides' range, our games, and the curves with learnt parameters. Evaluating boards before full rows "
            "are removed contradicts the slides' code.",
            becker_figures.draw_learnt_lines,
        ),
        PaperFigure(
            "variants",
            "Variants with one change",
            "The slides' function without one of its curves, and with other single changes.",
            becker_figures.draw_variants,
        ),
        PaperFigure(
            "thinking",
            "Deciding while the piece falls",
            "The piece falls one row per half second; no key is pressed during a decision.",
            becker_figures.draw_thinking_times,
        ),
    ],
    tables=[
        ResultTable(
            "Interpretations of what the slides leave open",
            "Lines per game, and whether their interval overlaps the slides' 20 to 30. Evaluating boards before full "
            "rows are removed contradicts the slides' code, which removes them first, so it is no reading of the "
            "slides. They do not give the end of the game, nor the speeds of falling and of key presses.",
            ("Interpretation", "Lines", "Fits"),
            becker_figures.make_interpretations_table,
        ),
        ResultTable(
            "The best of several games",
            "The slides do not give the number of games whose best one cleared 90 lines. Median and 95 % range of the "
            "best of several of our games, and whether the range contains 90. Evaluating boards before full rows are "
            "removed contradicts the slides' code.",
            ("Reading", "Games", "Best game", "95 % range", "Fits"),
            becker_figures.make_best_games_table,
        ),
        ResultTable(
            "The slides' parameters and the learnt ones",
            "Learnt: the median of all seeds, and the range over seeds. The last column is the median divided by the "
            "slides' value. The parameters that changed most come first.",
            ("Parameter", "Slides", "Learnt", "Range over seeds", "Ratio"),
            becker_figures.make_learnt_parameters_table,
        ),
    ],
    notes=[
        "The default reading of every claim is that of the slides' code: full rows are removed before a board is "
        "evaluated. Our agent drops pieces straight down without pressing keys.",
        "Comparisons with people (“a slightly less-than-average Tetris player”, “better than a first-time human "
        "Tetris player”, “way faster than the average human”) were not tested: no people were measured.",
    ],
    implemented="The evaluation function with its four curves and weights is the agent `becker`, under the rules "
    "`becker`; `tetrion train becker-tuned` learns its weights, slopes and midpoints.",
    deviations="Our agent drops pieces straight down without pressing keys (`becker:movement=timed` presses them). The "
    "slides give neither the speed of the game nor its end nor the spawn position; ours are listed with the rules.",
)
