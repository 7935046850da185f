"""Anthony Medico's report: a bot of two modes, scoring and recovery, that sees the next piece; ten runs."""

from tetrion.evaluation.number_format import format_number
from tetrion.lab.papers.medico import medico_figures as drawn
from tetrion.lab.papers.medico import medico_findings as found
from tetrion.lab.papers.medico.medico_figures import (
    FULLNESS_THRESHOLDS,
    MEDICO_PARAMETERS,
    MEDICO_THRESHOLD,
    MODE_THRESHOLDS,
)
from tetrion.lab.papers.medico.medico_findings import (
    MEDICO_MAX_PIECES,
    make_parameter_gain_check,
    make_points_per_line_check,
)
from tetrion.lab.papers.medico.medico_games import (
    change_mode_selector,
    measure_decisions,
    measure_followed_games,
    remove_parameters,
)
from tetrion.lab.papers.medico.medico_published_runs import (
    MEDICO_LINES,
    MEDICO_RUNS,
    MEDICO_TETRIS_SHARES,
    UNLIKELY_SHARE,
    compute_published_statistic,
    make_our_games_table,
    make_published_runs_table,
    make_ten_game_reader,
)
from tetrion.lab.reproduction.measured_values import make_mean_reader
from tetrion.lab.reproduction.measurements import CustomMeasurement, GameMeasurement, TrainingMeasurement
from tetrion.lab.reproduction.paper_definition import Claim, OpenQuestion, Paper, PaperFigure, ResultTable
from tetrion.lab.reproduction.published_values import PublishedMean, PublishedRange, PublishedStatement

_RESULTS_TABLE_SECTION, _RESULTS_SECTION = "“Results”, table", "“Results”"
_HEURISTIC_SECTION, _BOT_FILE_SECTION = "“Heuristic Function and Parameters”", "“Project Setup”, bot.py"

MEDICO_PAPER = Paper(
    name="medico",
    title="Tetris Bot Project Report: heuristic-based search for optimal Tetris piece placement",
    source="Anthony Medico, project report",
    description="A bot sees the current and the next piece and every place that a path leads to. It weighs the board by one "
    "table while there is room, so as to clear four lines at once, and by another when the board fills up.",
    rules="medico: 10×20, pieces drawn uniformly, one next piece, every reachable place, 40, 100, 300 or 1,200 points",
    measurements=[
        GameMeasurement("medico", "medico", games=10_000, quick_games=600),
        *(
            GameMeasurement(
                f"threshold-{value}", f"medico:threshold={value}", games=500 if value < 40 else 2000, quick_games=100
            )
            for value in MODE_THRESHOLDS
            if value != MEDICO_THRESHOLD
        ),
        *(
            GameMeasurement(f"{measure}-{value}", change_mode_selector(measure, value), games=1000, quick_games=60)
            for measure, values in FULLNESS_THRESHOLDS.items()
            for value in values
        ),
        GameMeasurement("one piece", "medico:depth=1", games=10_000, quick_games=400),
        GameMeasurement("drop", "medico", games=8000, quick_games=300, rules="medico:movement=drop"),
        GameMeasurement("above", "medico", games=8000, quick_games=300, rules="medico:spawn_height=4"),
        *(
            GameMeasurement(name, f"medico:threshold={threshold}", games=games, quick_games=quick, rules=rules)
            for name, threshold, rules, games, quick in (
                ("recovery, above", 0, "medico:spawn_height=4", 400, 60),
                ("recovery, above, drop", 0, "medico:spawn_height=4,movement=drop", 400, 60),
                ("scoring, above", 200, "medico:spawn_height=4", 10_000, 300),
                ("scoring, above, drop", 200, "medico:spawn_height=4,movement=drop", 10_000, 300),
            )
        ),
        GameMeasurement(
            "above, drop", "medico", games=8000, quick_games=300, rules="medico:spawn_height=4,movement=drop"
        ),
        *(
            GameMeasurement(f"without {words}", remove_parameters(*names), games=3000, quick_games=150)
            for words, names in MEDICO_PARAMETERS.items()
        ),
        GameMeasurement("recovery, cut", "medico:threshold=0", games=400, quick_games=40, max_pieces=MEDICO_MAX_PIECES),
        GameMeasurement(
            "dellacherie",
            "dellacherie:depth=2",
            games=100,
            quick_games=10,
            rules="medico",
            max_pieces=MEDICO_MAX_PIECES,
        ),
        TrainingMeasurement(
            "tuned",
            "medico-tuned",
            seed_count=3,
            quick_changes=("generations=6", "games.count=4", "validation.games=4", "validation.final_games=40"),
        ),
        CustomMeasurement("followed", measure_followed_games),
        CustomMeasurement("decisions", measure_decisions),
    ],
    claims=[
        Claim(
            "mean score of ten runs",
            _RESULTS_TABLE_SECTION,
            PublishedMean(value=compute_published_statistic("mean"), game_count=len(MEDICO_RUNS)),
            make_mean_reader("medico", "score"),
        ),
        Claim(
            "mean lines of ten runs",
            _RESULTS_TABLE_SECTION,
            PublishedMean(value=float(MEDICO_LINES.mean()), game_count=len(MEDICO_RUNS)),
            make_mean_reader("medico"),
        ),
        *(
            Claim(
                words,
                _RESULTS_TABLE_SECTION,
                PublishedRange(
                    low=compute_published_statistic(what),
                    high=compute_published_statistic(what),
                    text=format_number(compute_published_statistic(what)),
                ),
                make_ten_game_reader(what),
            )
            for words, what in {
                "points a line, all ten runs together": "points a line",
                "the best of ten runs": "best",
                "the worst of ten runs": "worst",
                "the median of ten runs": "median",
                "normalised variance of ten runs": "normalised variance",
            }.items()
        ),
        Claim(
            "each of the ten runs",
            _RESULTS_TABLE_SECTION,
            PublishedStatement("1,580 to 38,620 points"),
            found.check_each_run,
        ),
        Claim(
            "average points are points a line",
            _RESULTS_TABLE_SECTION,
            PublishedStatement("91 to 131"),
            found.check_table_averages,
        ),
        Claim(
            "share of lines that came by fours",
            _RESULTS_TABLE_SECTION,
            PublishedRange(
                f"{100 * MEDICO_TETRIS_SHARES[0]:.0f} to {100 * MEDICO_TETRIS_SHARES[1]:.0f} %: what points and lines leave",
                low=100 * MEDICO_TETRIS_SHARES[0],
                high=100 * MEDICO_TETRIS_SHARES[1],
            ),
            found.compute_tetris_percentage,
        ),
        Claim(
            "the closer points a line are to 300, the more four-line clears",
            "“Game Rules”, scoring",
            PublishedStatement("they rise together"),
            found.check_points_rise_with_tetrises,
        ),
        Claim(
            "results vary, by the luck of the pieces",
            _RESULTS_SECTION,
            PublishedStatement("“vary quite a bit”"),
            found.check_luck,
        ),
        Claim(
            "scoring mode gets the bot in trouble",
            _RESULTS_SECTION,
            PublishedStatement("it seems so"),
            found.check_scoring_mode_risk,
        ),
        Claim(
            "scoring mode works towards high scores",
            "“Introduction”",
            PublishedStatement("sets up for fours"),
            found.check_scoring_mode_points,
        ),
        Claim(
            "recovery mode clears lines fast",
            "“Introduction”",
            PublishedStatement("as fast as possible"),
            found.check_recovery_mode_lines,
        ),
        Claim(
            "the next piece is used",
            _BOT_FILE_SECTION,
            PublishedStatement("both pieces decide"),
            found.check_next_piece_gain,
        ),
        Claim(
            "what looks bad at first has the next piece tucked in",
            _RESULTS_SECTION,
            PublishedStatement("“visual proof”"),
            found.check_planned_tucks,
        ),
        Claim(
            "the search space is trivial",
            _BOT_FILE_SECTION,
            PublishedStatement("no pruning was added"),
            found.check_search_size,
        ),
        Claim(
            "placements differ by 1 or 2 holes",
            _HEURISTIC_SECTION,
            PublishedStatement("typically"),
            found.check_hole_differences,
        ),
        Claim(
            "board fill makes the bot tuck pieces under others",
            _HEURISTIC_SECTION,
            PublishedStatement("it influences the bot to"),
            found.check_board_fill_tucks,
            difference_cause="the sum of heights is the filled cells and the holes, and every piece adds four cells: board fill "
            "only adds 1 to the 50 of a hole and 10 to each line",
        ),
        Claim(
            "holes need a high weight", _HEURISTIC_SECTION, PublishedStatement("50"), make_parameter_gain_check("holes")
        ),
        Claim(
            "evenness helps",
            _HEURISTIC_SECTION,
            PublishedStatement("lower is better"),
            make_parameter_gain_check("evenness"),
        ),
        Claim(
            "board fill helps",
            _HEURISTIC_SECTION,
            PublishedStatement("lower is better"),
            make_parameter_gain_check("board fill"),
            difference_cause="it says what holes and lines say already: the sum of heights is the filled cells and the holes",
        ),
        Claim(
            "the danger zone should be avoided at all costs",
            _HEURISTIC_SECTION,
            PublishedStatement("1,000 for a piece in it"),
            found.check_danger_zone,
            difference_cause="it changes few decisions, and those near the end of a game",
        ),
        Claim(
            "parameters with small values need high weights",
            f"{_HEURISTIC_SECTION}, weights",
            PublishedStatement("the larger the values, the lower the weight"),
            found.check_weights_follow_values,
        ),
        Claim(
            "a weight for each number of lines leads to four-line clears",
            _HEURISTIC_SECTION,
            PublishedStatement("1, 2 and 3 lines are avoided in scoring mode"),
            make_points_per_line_check("1, 2 and 3 lines"),
        ),
        Claim(
            "an empty last column leads to four-line clears",
            _HEURISTIC_SECTION,
            PublishedStatement("1,000 for each block in it"),
            make_points_per_line_check("last column"),
        ),
        Claim(
            "better weights improve it", _RESULTS_SECTION, PublishedStatement("“certainly”"), found.check_learnt_weights
        ),
    ],
    questions=[
        OpenQuestion("Scoring mode alone, recovery mode alone, or both?", _RESULTS_SECTION, found.describe_modes),
        OpenQuestion("From which fullness on does the mode change?", "“Introduction”", found.describe_thresholds),
        OpenQuestion("What does the next piece bring?", _RESULTS_SECTION, found.describe_next_piece),
        OpenQuestion("What do tucks bring?", "“Game Rules”, piece placement", found.describe_tucks),
        OpenQuestion("What do adjusted weights bring?", _RESULTS_SECTION, found.describe_learnt_weights),
        OpenQuestion("What would other parameters bring?", _RESULTS_SECTION, found.describe_other_parameters),
    ],
    figures=[
        PaperFigure(
            "scores",
            "The ten runs among ours",
            "How the points of games are distributed; every circle is one of the report's runs.",
            drawn.draw_score_distribution,
        ),
        PaperFigure(
            "variants",
            "Modes, next piece, tucks",
            f"Mean points a game, with one thing changed; learnt weights in games cut at {MEDICO_MAX_PIECES:,} pieces.",
            drawn.draw_variants,
        ),
        PaperFigure(
            "threshold",
            "Where modes change: points",
            "Mean points against the sum of heights from which on it plays in recovery mode.",
            drawn.draw_score_by_threshold,
        ),
        PaperFigure(
            "points",
            "Where modes change: points a line",
            "The same games: what a line is worth.",
            drawn.draw_points_per_line_by_threshold,
        ),
        PaperFigure(
            "parameters",
            "Each parameter left out",
            "Mean points a game of the bot without one of its parameters, in both modes.",
            drawn.draw_parameter_removal,
        ),
    ],
    tables=[
        ResultTable(
            "The ten runs",
            "As in the report, with the share of lines that can have come by fours, given points and lines, and the "
            "share of our games that score less.",
            ("Run", "Score", "Lines", "Average points", "Lines by fours", "Ours below"),
            make_published_runs_table,
        ),
        ResultTable(
            "Our games beside the ten",
            "Spread is the standard deviation.",
            ("", "Score, report", "Score, ours", "Lines, report", "Lines, ours"),
            make_our_games_table,
        ),
        ResultTable(
            "Variants",
            "Mean points and lines a game, points for each line, and the share of lines by fours.",
            ("Variant", "Score", "Lines", "Points a line", "Lines by fours"),
            drawn.make_variants_table,
        ),
        ResultTable(
            "Readings of how full the board is",
            "Recovery mode from a value on. A share is that of sets of ten of our games which are at least as far off "
            f"as the report's ten; a reading fits if both are {100 * UNLIKELY_SHARE:.0f} % or more.",
            ("Reading", "Score", "Points a line", "As far off: mean", "As far off: points a line", "Fits"),
            drawn.make_fullness_table,
        ),
        ResultTable(
            "Each parameter left out, in both modes",
            "The last column is the score as a multiple of the whole bot's.",
            ("Without", "Score", "Lines", "Points a line", "Lines by fours", "Times the score"),
            drawn.make_parameters_table,
        ),
        ResultTable(
            "Values and weights",
            "The mean of each parameter after a placement, and its weight in scoring mode: what is small has much.",
            ("Parameter", "Mean", "Weight"),
            drawn.make_values_table,
        ),
        ResultTable(
            "Weights of the report and learnt ones",
            "Learnt: the middle of all seeds, and the least and the most.",
            ("Weight", "Report", "Learnt", "Over seeds"),
            drawn.make_learnt_weights_table,
        ),
    ],
    notes=[
        "The report does not say from which fullness on the mode changes: ours takes a sum of heights of 100, half of "
        "the board's cells.",
        "The danger zone is the top four rows of the middle four columns; the report says near the top centre.",
        "Weights of placements (lines, danger) add up over both pieces; those of the board are read after the second.",
    ],
)
