"""Anthony Medico's report: a bot of two modes, scoring and recovery, that sees the next piece; ten runs."""

from tetrion.evaluation.words import figure
from tetrion.lab.papers.medico import figures as drawn
from tetrion.lab.papers.medico import findings as found
from tetrion.lab.papers.medico.figures import MEASURES, OWN_THRESHOLD, PARAMETERS, THRESHOLDS
from tetrion.lab.papers.medico.findings import CAP, more_points_a_line, pays
from tetrion.lab.papers.medico.followed import changing, decisions, followed, without
from tetrion.lab.papers.medico.runs import FOURS, LINES, RUNS, UNLIKELY, of_ten, table_of_ours, table_of_runs, theirs
from tetrion.lab.reproduction.findings import mean
from tetrion.lab.reproduction.measuring import Calculation, Play, Training
from tetrion.lab.reproduction.paper import Claim, Drawing, Paper, Question, ResultTable
from tetrion.lab.reproduction.published import Mean, Range, Statement

TABLE, RESULTS = "“Results”, table", "“Results”"
HEURISTIC, BOT_FILE = "“Heuristic Function and Parameters”", "“Project Setup”, bot.py"

PAPER = Paper(
    name="medico",
    title="Tetris Bot Project Report: heuristic-based search for optimal Tetris piece placement",
    source="Anthony Medico, project report",
    about="A bot sees the current and the next piece and every place that a path leads to. It weighs the board by one "
    "table while there is room, so as to clear four lines at once, and by another when the board fills up.",
    rules="medico: 10×20, pieces drawn uniformly, one next piece, every reachable place, 40, 100, 300 or 1,200 points",
    measurements=[
        Play("medico", "medico", games=10_000, quick=600),
        *(
            Play(f"threshold-{value}", f"medico:threshold={value}", games=500 if value < 40 else 2000, quick=100)
            for value in THRESHOLDS
            if value != OWN_THRESHOLD
        ),
        *(
            Play(f"{measure}-{value}", changing(measure, value), games=1000, quick=60)
            for measure, values in MEASURES.items()
            for value in values
        ),
        Play("one piece", "medico:depth=1", games=10_000, quick=400),
        Play("drop", "medico", games=8000, quick=300, rules="medico:movement=drop"),
        Play("above", "medico", games=8000, quick=300, rules="medico:entry=4"),
        *(
            Play(name, f"medico:threshold={threshold}", games=games, quick=quick, rules=rules)
            for name, threshold, rules, games, quick in (
                ("recovery, above", 0, "medico:entry=4", 400, 60),
                ("recovery, above, drop", 0, "medico:entry=4,movement=drop", 400, 60),
                ("scoring, above", 200, "medico:entry=4", 10_000, 300),
                ("scoring, above, drop", 200, "medico:entry=4,movement=drop", 10_000, 300),
            )
        ),
        Play("above, drop", "medico", games=8000, quick=300, rules="medico:entry=4,movement=drop"),
        *(Play(f"without {words}", without(*names), games=3000, quick=150) for words, names in PARAMETERS.items()),
        Play("recovery, cut", "medico:threshold=0", games=400, quick=40, pieces=CAP),
        Play("dellacherie", "dellacherie:depth=2", games=100, quick=10, rules="medico", pieces=CAP),
        Training(
            "tuned",
            "medico-tuned",
            seeds=3,
            quick_changes=("generations=6", "games.count=4", "judge.games=4", "judge.final=40"),
        ),
        Calculation("followed", followed),
        Calculation("decisions", decisions),
    ],
    claims=[
        Claim("mean score of ten runs", TABLE, Mean(value=theirs("mean"), games=len(RUNS)), mean("medico", "score")),
        Claim("mean lines of ten runs", TABLE, Mean(value=float(LINES.mean()), games=len(RUNS)), mean("medico")),
        *(
            Claim(words, TABLE, Range(low=theirs(what), high=theirs(what), words=figure(theirs(what))), of_ten(what))
            for words, what in {
                "points a line, all ten runs together": "points a line",
                "the best of ten runs": "best",
                "the worst of ten runs": "worst",
                "the median of ten runs": "median",
                "normalised variance of ten runs": "normalised variance",
            }.items()
        ),
        Claim("each of the ten runs", TABLE, Statement("1,580 to 38,620 points"), found.each_run),
        Claim("average points are points a line", TABLE, Statement("91 to 131"), found.averages),
        Claim(
            "share of lines that came by fours",
            TABLE,
            Range(
                f"{100 * FOURS[0]:.0f} to {100 * FOURS[1]:.0f} %: what points and lines leave",
                low=100 * FOURS[0],
                high=100 * FOURS[1],
            ),
            found.fours,
        ),
        Claim(
            "the closer points a line are to 300, the more four-line clears",
            "“Game Rules”, scoring",
            Statement("they rise together"),
            found.more_fours,
        ),
        Claim("results vary, by the luck of the pieces", RESULTS, Statement("“vary quite a bit”"), found.luck),
        Claim("scoring mode gets the bot in trouble", RESULTS, Statement("it seems so"), found.trouble),
        Claim(
            "scoring mode works towards high scores",
            "“Introduction”",
            Statement("sets up for fours"),
            found.modes_score,
        ),
        Claim("recovery mode clears lines fast", "“Introduction”", Statement("as fast as possible"), found.modes_clear),
        Claim("the next piece is used", BOT_FILE, Statement("both pieces decide"), found.next_piece),
        Claim(
            "what looks bad at first has the next piece tucked in",
            RESULTS,
            Statement("“visual proof”"),
            found.tucked_in,
        ),
        Claim("the search space is trivial", BOT_FILE, Statement("no pruning was added"), found.trivial),
        Claim("placements differ by 1 or 2 holes", HEURISTIC, Statement("typically"), found.new_holes),
        Claim(
            "board fill makes the bot tuck pieces under others",
            HEURISTIC,
            Statement("it influences the bot to"),
            found.nudges,
            cause="the sum of heights is the filled cells and the holes, and every piece adds four cells: board fill "
            "only adds 1 to the 50 of a hole and 10 to each line",
        ),
        Claim("holes need a high weight", HEURISTIC, Statement("50"), pays("holes")),
        Claim("evenness helps", HEURISTIC, Statement("lower is better"), pays("evenness")),
        Claim(
            "board fill helps",
            HEURISTIC,
            Statement("lower is better"),
            pays("board fill"),
            cause="it says what holes and lines say already: the sum of heights is the filled cells and the holes",
        ),
        Claim(
            "the danger zone should be avoided at all costs",
            HEURISTIC,
            Statement("1,000 for a piece in it"),
            found.danger,
            cause="it changes few decisions, and those near the end of a game",
        ),
        Claim(
            "parameters with small values need high weights",
            f"{HEURISTIC}, weights",
            Statement("the larger the values, the lower the weight"),
            found.values,
        ),
        Claim(
            "a weight for each number of lines leads to four-line clears",
            HEURISTIC,
            Statement("1, 2 and 3 lines are avoided in scoring mode"),
            more_points_a_line("1, 2 and 3 lines"),
        ),
        Claim(
            "an empty last column leads to four-line clears",
            HEURISTIC,
            Statement("1,000 for each block in it"),
            more_points_a_line("last column"),
        ),
        Claim("better weights improve it", RESULTS, Statement("“certainly”"), found.tuned),
    ],
    questions=[
        Question("Scoring mode alone, recovery mode alone, or both?", RESULTS, found.modes_words),
        Question("From which fullness on does the mode change?", "“Introduction”", found.threshold_words),
        Question("What does the next piece bring?", RESULTS, found.next_words),
        Question("What do tucks bring?", "“Game Rules”, piece placement", found.tucks_words),
        Question("What do adjusted weights bring?", RESULTS, found.tuned_words),
        Question("What would other parameters bring?", RESULTS, found.parameters_words),
    ],
    figures=[
        Drawing(
            "scores",
            "The ten runs among ours",
            "How the points of games are distributed; every circle is one of the report's runs.",
            drawn.scores_drawing,
        ),
        Drawing(
            "variants",
            "Modes, next piece, tucks",
            f"Mean points a game, with one thing changed; learnt weights in games cut at {CAP:,} pieces.",
            drawn.variants_drawing,
        ),
        Drawing(
            "threshold",
            "Where modes change: points",
            "Mean points against the sum of heights from which on it plays in recovery mode.",
            drawn.threshold_drawing,
        ),
        Drawing(
            "points", "Where modes change: points a line", "The same games: what a line is worth.", drawn.points_drawing
        ),
        Drawing(
            "parameters",
            "Each parameter left out",
            "Mean points a game of the bot without one of its parameters, in both modes.",
            drawn.parameters_drawing,
        ),
    ],
    tables=[
        ResultTable(
            "The ten runs",
            "As in the report, with the share of lines that can have come by fours, given points and lines, and the "
            "share of our games that score less.",
            ("Run", "Score", "Lines", "Average points", "Lines by fours", "Ours below"),
            table_of_runs,
        ),
        ResultTable(
            "Our games beside the ten",
            "Spread is the standard deviation.",
            ("", "Score, report", "Score, ours", "Lines, report", "Lines, ours"),
            table_of_ours,
        ),
        ResultTable(
            "Variants",
            "Mean points and lines a game, points for each line, and the share of lines by fours.",
            ("Variant", "Score", "Lines", "Points a line", "Lines by fours"),
            drawn.variants_table,
        ),
        ResultTable(
            "Readings of how full the board is",
            "Recovery mode from a value on. A share is that of sets of ten of our games which are at least as far off "
            f"as the report's ten; a reading fits if both are {100 * UNLIKELY:.0f} % or more.",
            ("Reading", "Score", "Points a line", "As far off: mean", "As far off: points a line", "Fits"),
            drawn.readings_table,
        ),
        ResultTable(
            "Each parameter left out, in both modes",
            "The last column is the score as a multiple of the whole bot's.",
            ("Without", "Score", "Lines", "Points a line", "Lines by fours", "Times the score"),
            drawn.parameters_table,
        ),
        ResultTable(
            "Values and weights",
            "The mean of each parameter after a placement, and its weight in scoring mode: what is small has much.",
            ("Parameter", "Mean", "Weight"),
            drawn.values_table,
        ),
        ResultTable(
            "Weights of the report and learnt ones",
            "Learnt: the middle of all seeds, and the least and the most.",
            ("Weight", "Report", "Learnt", "Over seeds"),
            drawn.learnt_table,
        ),
    ],
    notes=[
        "The report does not say from which fullness on the mode changes: ours takes a sum of heights of 100, half of "
        "the board's cells.",
        "The danger zone is the top four rows of the middle four columns; the report says near the top centre.",
        "Weights of placements (lines, danger) add up over both pieces; those of the board are read after the second.",
    ],
)
