"""Anthony Medico's report: a bot with a scoring mode and a recovery mode that sees the next piece; ten runs."""

from tetrion.lab.papers.medico import medico_answers, medico_figures
from tetrion.lab.papers.medico.medico_claims import INTRODUCTION_SECTION, MEDICO_CLAIMS, RESULTS_SECTION
from tetrion.lab.papers.medico.medico_figures import FULLNESS_THRESHOLDS, MEDICO_PARAMETERS, MODE_THRESHOLDS
from tetrion.lab.papers.medico.medico_games import measure_decisions, measure_followed_games
from tetrion.lab.papers.medico.medico_parameter_findings import BOARD_FILL_QUESTION
from tetrion.lab.papers.medico.medico_published_runs import (
    UNLIKELY_SHARE,
    make_our_games_table,
    make_published_runs_table,
)
from tetrion.lab.papers.medico.medico_variants import (
    CHANGED_WEIGHTS,
    MEDICO_MAX_PIECES,
    MEDICO_THRESHOLD,
    MEDICO_TRAINING,
    change_mode_selector,
    measure_danger_zones,
    measure_learnt_weights,
    remove_parameters,
)
from tetrion.lab.reproduction.measurements import CustomMeasurement, GameMeasurement
from tetrion.lab.reproduction.paper_definition import OpenQuestion, Paper, PaperFigure, ResultTable

MEDICO_PAPER = Paper(
    name="medico",
    label="Medico",
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
                f"threshold-{value}",
                f"medico:threshold={value}",
                games=500 if value < 40 else 2000,
                quick_games=50 if value < 40 else 100,
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
        GameMeasurement("drop", "medico", games=8000, quick_games=150, rules="medico:movement=drop"),
        GameMeasurement("above", "medico", games=8000, quick_games=150, rules="medico:spawn_height=4"),
        *(
            GameMeasurement(name, f"medico:threshold={threshold}", games=games, quick_games=quick, rules=rules)
            for name, threshold, rules, games, quick in (
                ("recovery, above", 0, "medico:spawn_height=4", 400, 30),
                ("recovery, above, drop", 0, "medico:spawn_height=4,movement=drop", 400, 30),
                ("scoring, above", 200, "medico:spawn_height=4", 10_000, 300),
                ("scoring, above, drop", 200, "medico:spawn_height=4,movement=drop", 10_000, 300),
            )
        ),
        GameMeasurement(
            "above, drop", "medico", games=8000, quick_games=150, rules="medico:spawn_height=4,movement=drop"
        ),
        *(
            GameMeasurement(f"without {label}", remove_parameters(*features), games=3000, quick_games=150)
            for label, features in MEDICO_PARAMETERS.items()
        ),
        *(GameMeasurement(name, agent, games=3000, quick_games=150) for name, agent in CHANGED_WEIGHTS.items()),
        GameMeasurement("recovery, cut", "medico:threshold=0", games=400, quick_games=25, max_pieces=MEDICO_MAX_PIECES),
        GameMeasurement(
            "dellacherie",
            "dellacherie:depth=2",
            games=100,
            quick_games=10,
            rules="medico",
            max_pieces=MEDICO_MAX_PIECES,
        ),
        MEDICO_TRAINING,
        CustomMeasurement("learnt weights", measure_learnt_weights),
        CustomMeasurement("zones", measure_danger_zones),
        CustomMeasurement("followed", measure_followed_games, version=3),
        CustomMeasurement("decisions", measure_decisions, version=3),
    ],
    claims=MEDICO_CLAIMS,
    questions=[
        OpenQuestion(
            "Scoring mode alone, recovery mode alone, or both?", RESULTS_SECTION, medico_answers.describe_modes
        ),
        OpenQuestion(
            "At which fill level does the mode change?", INTRODUCTION_SECTION, medico_answers.describe_thresholds
        ),
        OpenQuestion("How much does the next piece help?", RESULTS_SECTION, medico_answers.describe_next_piece),
        OpenQuestion("How much do tucks help?", "“Game Rules”, piece placement", medico_answers.describe_tucks),
        OpenQuestion(
            BOARD_FILL_QUESTION,
            "“Heuristic Function and Parameters”, board fill",
            medico_answers.describe_board_fill,
        ),
        OpenQuestion("How much do better weights help?", RESULTS_SECTION, medico_answers.describe_learnt_weights),
        OpenQuestion(
            "How much would other parameters help?", RESULTS_SECTION, medico_answers.describe_other_parameters
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
            "Changed weights",
            "Bots with some weights changed; all others are those of the report.",
            ("Change", "Score", "Lines", "Points per line", "Lines from tetrises"),
            medico_figures.make_changed_weights_table,
        ),
        ResultTable(
            "Interpretations of the danger zone",
            "The report: “a move placed near the top center of the board, which is where the following new piece "
            "appears”. The claim uses the cells where pieces spawn; our agent uses four rows. The ratio is that of the "
            "score to the score without a danger zone; an interpretation fits if the mean score and the points per "
            f"line of the ten runs both have a p-value of {100 * UNLIKELY_SHARE:.0f} % or more.",
            ("Zone", "Score", "Lines", "Points per line", "Lines from tetrises", "Score ratio", "Fits"),
            medico_figures.make_danger_zones_table,
        ),
        ResultTable(
            "Values and weights",
            "The mean of each parameter after a placement in scoring mode, and its weight in scoring mode: small "
            "values have large weights.",
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
        "The report does not give the fill level at which the mode changes. Our agent uses a sum of heights of 100, "
        "half of the board's cells; its first version already did, before other values were tested. The table of "
        "interpretations shows which others fit the ten runs.",
        "The report's danger zone is “near the top center of the board, which is where the following new piece "
        "appears”: the claim on it uses the cells where pieces spawn, the top two rows of the middle four columns. Our "
        "agent, which plays all other games, uses the top four rows of these columns.",
        "Terms for placements (lines, danger) are summed over both pieces; terms for the board are evaluated after the "
        "second piece.",
        "The ten runs are one sample of ten games, whose statistics are not independent of each other: only the mean "
        "score and the points per line are counted.",
        "“Lower is better” and “higher is better” define the sign of a weight and were not tested.",
        "“the bot doesn't play well in general” was not tested: the report does not say what playing well is.",
    ],
    implemented="The bot with its two modes is the agent `medico`, under the rules `medico` with one next piece and "
    "all reachable placements; `tetrion train medico-tuned` learns the weights of both modes and the threshold.",
    deviations="The report gives neither the fill level at which the mode changes (ours: a sum of heights of 100, "
    "`medico:threshold=80` selects another) nor the size of the danger zone, “near the top center of the board, which "
    "is where the following new piece appears”: our agent uses the top four rows of the middle four columns, twice the "
    "rows in which pieces spawn.",
)
