"""Anthony Medico's report: a bot with a scoring mode and a recovery mode that sees the next piece; ten runs."""

from tetrion.evaluation.number_format import format_number
from tetrion.lab.papers.medico import medico_figures, medico_findings
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
    description="A bot sees the current and the next piece and all reachable placements. It evaluates the board with "
    "one weight table while the board is low, to clear four lines at once, and with another when the board fills up.",
    rules="medico: 10×20, pieces drawn uniformly, one next piece, all reachable placements, 40, 100, 300 or 1,200 "
    "points",
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
            GameMeasurement(f"without {label}", remove_parameters(*features), games=3000, quick_games=150)
            for label, features in MEDICO_PARAMETERS.items()
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
                statement,
                _RESULTS_TABLE_SECTION,
                PublishedRange(
                    low=compute_published_statistic(statistic),
                    high=compute_published_statistic(statistic),
                    text=format_number(compute_published_statistic(statistic)),
                ),
                make_ten_game_reader(statistic),
            )
            for statement, statistic in {
                "points per line, all ten runs together": "points per line",
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
            medico_findings.check_each_run,
        ),
        Claim(
            "average points are points per line",
            _RESULTS_TABLE_SECTION,
            PublishedStatement("91 to 131"),
            medico_findings.check_table_averages,
        ),
        Claim(
            "share of lines from tetrises",
            _RESULTS_TABLE_SECTION,
            PublishedRange(
                f"{100 * MEDICO_TETRIS_SHARES[0]:.0f} to {100 * MEDICO_TETRIS_SHARES[1]:.0f} %, the range that the "
                "points and lines allow",
                low=100 * MEDICO_TETRIS_SHARES[0],
                high=100 * MEDICO_TETRIS_SHARES[1],
            ),
            medico_findings.compute_tetris_percentage,
        ),
        Claim(
            "the closer the points per line are to 300, the more four-line clears",
            "“Game Rules”, scoring",
            PublishedStatement("they rise together"),
            medico_findings.check_points_rise_with_tetrises,
        ),
        Claim(
            "results vary with the luck of the pieces",
            _RESULTS_SECTION,
            PublishedStatement("“vary quite a bit”"),
            medico_findings.check_luck,
        ),
        Claim(
            "scoring mode gets the bot into trouble",
            _RESULTS_SECTION,
            PublishedStatement("it seems so"),
            medico_findings.check_scoring_mode_risk,
        ),
        Claim(
            "scoring mode works towards high scores",
            "“Introduction”",
            PublishedStatement("sets up tetrises"),
            medico_findings.check_scoring_mode_points,
        ),
        Claim(
            "recovery mode clears lines fast",
            "“Introduction”",
            PublishedStatement("as fast as possible"),
            medico_findings.check_recovery_mode_lines,
        ),
        Claim(
            "the next piece is used",
            _BOT_FILE_SECTION,
            PublishedStatement("both pieces decide"),
            medico_findings.check_next_piece_gain,
        ),
        Claim(
            "placements that look bad at first allow the next piece to be tucked in",
            _RESULTS_SECTION,
            PublishedStatement("“visual proof”"),
            medico_findings.check_planned_tucks,
        ),
        Claim(
            "the search space is trivial",
            _BOT_FILE_SECTION,
            PublishedStatement("no pruning was added"),
            medico_findings.check_search_size,
        ),
        Claim(
            "placements differ by 1 or 2 holes",
            _HEURISTIC_SECTION,
            PublishedStatement("typically"),
            medico_findings.check_hole_differences,
        ),
        Claim(
            "board fill makes the bot tuck pieces under others",
            _HEURISTIC_SECTION,
            PublishedStatement("it influences the bot to do so"),
            medico_findings.check_board_fill_tucks,
            difference_cause="the sum of heights is the number of filled cells plus the holes, and every piece adds "
            "four cells: board fill only adds 1 to the penalty of 50 for a hole and 10 points to each line",
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
            difference_cause="it repeats the information of holes and lines: the sum of heights is the number of "
            "filled cells plus the holes",
        ),
        Claim(
            "the danger zone should be avoided at all costs",
            _HEURISTIC_SECTION,
            PublishedStatement("1,000 for a piece in it"),
            medico_findings.check_danger_zone,
            difference_cause="it changes only few decisions, near the end of a game",
        ),
        Claim(
            "parameters with small values need high weights",
            f"{_HEURISTIC_SECTION}, weights",
            PublishedStatement("the larger the values, the lower the weight"),
            medico_findings.check_weights_follow_values,
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
            "better weights improve it",
            _RESULTS_SECTION,
            PublishedStatement("“certainly”"),
            medico_findings.check_learnt_weights,
        ),
    ],
    questions=[
        OpenQuestion(
            "Scoring mode alone, recovery mode alone, or both?", _RESULTS_SECTION, medico_findings.describe_modes
        ),
        OpenQuestion(
            "At which fill level does the mode change?", "“Introduction”", medico_findings.describe_thresholds
        ),
        OpenQuestion("How much does the next piece help?", _RESULTS_SECTION, medico_findings.describe_next_piece),
        OpenQuestion("How much do tucks help?", "“Game Rules”, piece placement", medico_findings.describe_tucks),
        OpenQuestion("How much do better weights help?", _RESULTS_SECTION, medico_findings.describe_learnt_weights),
        OpenQuestion(
            "How much would other parameters help?", _RESULTS_SECTION, medico_findings.describe_other_parameters
        ),
    ],
    figures=[
        PaperFigure(
            "scores",
            "The ten runs compared with our games",
            "Distribution of points per game; each circle is one of the report's runs.",
            medico_figures.draw_score_distribution,
        ),
        PaperFigure(
            "variants",
            "Modes, next piece, tucks",
            "Mean points per game of variants with one change; learnt weights in games capped at "
            f"{MEDICO_MAX_PIECES:,} pieces.",
            medico_figures.draw_variants,
        ),
        PaperFigure(
            "threshold",
            "Mode threshold: points",
            "Mean points per game against the sum of heights at which recovery mode begins.",
            medico_figures.draw_score_by_threshold,
        ),
        PaperFigure(
            "points",
            "Mode threshold: points per line",
            "Points per line in the games of the previous figure.",
            medico_figures.draw_points_per_line_by_threshold,
        ),
        PaperFigure(
            "parameters",
            "One parameter removed",
            "Mean points per game of the bot without one of its parameters, in both modes.",
            medico_figures.draw_parameter_removal,
        ),
    ],
    tables=[
        ResultTable(
            "The ten runs",
            "As in the report, with the possible share of lines from tetrises, given points and lines, and the share "
            "of our games that score less.",
            ("Run", "Score", "Lines", "Average points", "Lines from tetrises", "Our games below"),
            make_published_runs_table,
        ),
        ResultTable(
            "Our games and the ten runs",
            "Statistics over games of the report and of our reproduction.",
            ("", "Score, report", "Score, ours", "Lines, report", "Lines, ours"),
            make_our_games_table,
        ),
        ResultTable(
            "Variants",
            "Mean points and lines per game, points per line, and the share of lines from tetrises.",
            ("Variant", "Score", "Lines", "Points per line", "Lines from tetrises"),
            medico_figures.make_variants_table,
        ),
        ResultTable(
            "Interpretations of the fill level",
            "Recovery mode begins at the given value. The p-values are the shares of sets of ten of our games that "
            "are at least as extreme as the report's ten; an interpretation fits if both are "
            f"{100 * UNLIKELY_SHARE:.0f} % or more.",
            ("Interpretation", "Score", "Points per line", "p-value: mean", "p-value: points per line", "Fits"),
            medico_figures.make_fullness_table,
        ),
        ResultTable(
            "One parameter removed, in both modes",
            "The last column is the score divided by that of the complete bot.",
            ("Without", "Score", "Lines", "Points per line", "Lines from tetrises", "Score ratio"),
            medico_figures.make_parameters_table,
        ),
        ResultTable(
            "Values and weights",
            "The mean of each parameter after a placement, and its weight in scoring mode: small values have large "
            "weights.",
            ("Parameter", "Mean", "Weight"),
            medico_figures.make_values_table,
        ),
        ResultTable(
            "Weights of the report and learnt weights",
            "Learnt: the median of all seeds, and the range over seeds.",
            ("Weight", "Report", "Learnt", "Range over seeds"),
            medico_figures.make_learnt_weights_table,
        ),
    ],
    notes=[
        "The report does not give the fill level at which the mode changes: our agent uses a sum of heights of 100, "
        "half of the board's cells.",
        "The danger zone is the top four rows of the middle four columns; the report only says near the top centre.",
        "Terms for placements (lines, danger) are summed over both pieces; terms for the board are evaluated after the "
        "second piece.",
    ],
)
