"""Anthony Medico's report: a bot of two modes, scoring and recovery, that sees the next piece; ten runs."""

import math
from collections.abc import Mapping
from typing import Any

from tetrion.evaluation.words import figure
from tetrion.lab.papers import medico_figures as drawn
from tetrion.lab.papers.findings import difference, mean, mean_in, over_seeds_in, ratio
from tetrion.lab.papers.medico_figures import (
    MEASURE_WORDS,
    MEASURES,
    OWN_THRESHOLD,
    PARAMETERS,
    THRESHOLDS,
    percent_words,
    reading,
    readings,
)
from tetrion.lab.papers.medico_followed import changing, decisions, followed, without
from tetrion.lab.papers.medico_runs import (
    FOURS,
    RUNS,
    UNLIKELY,
    fits,
    of_ten,
    points_a_line,
    share_below,
    table_of_ours,
    table_of_runs,
    theirs,
    variance_of_games,
)
from tetrion.lab.papers.measuring import Calculation, Play, Training
from tetrion.lab.papers.paper import Claim, Drawing, Paper, Question, Results, ResultTable
from tetrion.lab.papers.published import Mean, Ours, Range, Statement

CAP = 5000  # pieces of a game with learnt weights
DELAY = 0.5  # seconds that the report's game waits for a move
EXPONENTIAL = 1.0  # the normalised variance of games that may end at any piece alike
TABLE, RESULTS = "“Results”, table", "“Results”"
HEURISTIC, BOT_FILE = "“Heuristic Function and Parameters”", "“Project Setup”, bot.py"


def compared(first: Ours, second: Ours) -> str:
    """Whether one is more than the other, in words."""
    low, high = ratio(first, second).interval
    return "more" if low > 1 else "less" if high < 1 else "no difference that these games can show"


def times(first: Ours, second: Ours, words: str, because: str) -> Ours:
    """How many times another a figure is, which holds if that is surely more than once."""
    found = ratio(first, second)
    return Ours(holds=found.interval[0] > 1, words=f"{found.shown} times {words}", because=because)


def score(results: Results, name: str) -> Ours:
    """The mean score of a measurement."""
    return mean_in(results[name], "score")


# The ten runs.


def each_run(results: Results) -> Ours:
    """Whether each of the ten runs lies where games of ours do; a chance in twenty that one of ten does not."""
    below = [share_below(results["medico"], run.score) for run in RUNS]
    room = UNLIKELY / len(RUNS) / 2
    words = f"{percent_words(min(below))} to {percent_words(max(below))} of our games score less than one of them"
    because = f"none is among the {100 * room:.2g} % of our games at either end"
    return Ours(holds=all(room <= share <= 1 - room for share in below), words=words, because=because)


def averages(results: Results) -> Ours:
    """Whether the table's own numbers fit together."""
    whole = sum(run.score // run.lines == run.average for run in RUNS)
    possible = sum(bool(run.fours) for run in RUNS)
    words = f"{whole} of {len(RUNS)} averages are score over lines, rounded down; {possible} runs are sums of clears"
    return Ours(holds=whole == possible == len(RUNS), words=words, because="every line of the table adds up")


def fours(results: Results) -> Ours:
    """The share of lines that came by fours, in percent."""
    data = results["medico"]
    return Ours(100 * data["tetris_rate"], basis="percent of all lines")


def luck(results: Results) -> Ours:
    """How much games vary, beside games that may end at any piece alike."""
    found = variance_of_games(results["medico"])
    words = f"normalised variance {found.shown}; {figure(EXPONENTIAL, 0)} where every piece may be the last alike"
    return Ours(holds=found.interval[0] > EXPONENTIAL / 2, words=words, basis=found.basis, because="a game says little")


def more_fours(results: Results) -> Ours:
    """Whether more points a line mean more lines by fours, over all thresholds."""
    games = [reading(results, threshold) for threshold in THRESHOLDS]
    pairs = [(data["points_per_line"] or 0, data["tetris_rate"] or 0) for data in games]
    ordered = [one for _, one in sorted(pairs)]
    words = f"from {percent_words(ordered[0])} of the lines at {figure(min(pairs)[0])} points a line to "
    words += f"{percent_words(ordered[-1])} at {figure(max(pairs)[0])}"
    held = sum(first <= second + 0.005 for first, second in zip(ordered, ordered[1:], strict=False))
    basis = f"{len(pairs)} thresholds"
    return Ours(holds=held == len(ordered) - 1, words=words, basis=basis, because="they rise together")


# The two modes and the next piece.


def trouble(results: Results) -> Ours:
    """How much longer games last without scoring mode."""
    because = "without scoring mode games last longer"
    return times(mean_in(results["threshold-0"]), mean_in(results["medico"]), "the lines without scoring mode", because)


def by_mode(results: Results, part: str, over: str) -> dict[str, float]:
    """A ratio of counts in each mode, from the games that were followed."""
    counts = results["followed"]["both"]
    return {
        mode: counts.get(f"{mode} {part}", 0) / max(1, counts.get(f"{mode} {over}", 0))
        for mode in ("scoring", "recovery")
    }


def modes_score(results: Results) -> Ours:
    """Points a line in each mode."""
    found = by_mode(results, "points", "lines")
    words = f"{figure(found['scoring'])} points a line in scoring mode, {figure(found['recovery'])} in recovery mode"
    because = "its lines are worth more there"
    return Ours(holds=found["scoring"] > found["recovery"], words=words, basis=games(results), because=because)


def modes_clear(results: Results) -> Ours:
    """Lines a piece in each mode."""
    found = by_mode(results, "lines", "pieces")
    words = f"{figure(found['recovery'])} lines a piece in recovery mode, {figure(found['scoring'])} in scoring mode"
    because = "it clears more with every piece"
    return Ours(holds=found["recovery"] > found["scoring"], words=words, basis=games(results), because=because)


def games(results: Results) -> str:
    """How many games were followed."""
    return f"{results['followed']['games']:,} games, piece by piece"


def next_piece(results: Results) -> Ours:
    """What the next piece brings."""
    return times(score(results, "medico"), score(results, "one piece"), "the score without it", "it plays better so")


def share(counts: Mapping[str, int], part: str, of: str) -> float:
    """A share of counts."""
    return counts.get(part, 0) / max(1, counts.get(of, 0))


def tucked_in(results: Results) -> Ours:
    """How often the next piece is tucked into a hole that a placement has just made."""
    both, one = results["followed"]["both"], results["followed"]["one"]
    seen, unseen = share(both, "filled", "covering"), share(one, "filled", "covering")
    words = (
        f"of the placements that make a hole {percent_words(seen)} have it filled by the next piece's tuck, "
        f"{percent_words(unseen)} where the next piece is not seen"
    )
    return Ours(holds=seen > 2 * unseen, words=words, basis=games(results), because="it is planned, not chance")


def nudges(results: Results) -> Ours:
    """Whether board fill makes the bot tuck."""
    found = {name: share(results["followed"][name], "tucks", "pieces") for name in ("both", "unfilled", "unholed")}
    words = "; ".join(
        f"{100 * found[name]:.1f} % of the pieces are tucked {said}"
        for name, said in (("both", "with all parameters"), ("unfilled", "without it"), ("unholed", "without holes"))
    )
    return Ours(holds=found["both"] > found["unfilled"], words=words, basis=games(results), because="it tucks more so")


def trivial(results: Results) -> Ours:
    """How large the search is, and how long it takes."""
    found = results["decisions"]
    seconds = found["time"]
    words = (
        f"{figure(found['placements'], 0)} placements and {figure(found['leaves'], 0)} boards a decision, at most "
        f"{figure(found['most'], 0)}; {figure(1e6 * seconds['decision'], 0)} µs"
    )
    because = f"the slowest of them takes less than the {1000 * DELAY:.0f} ms that the game waits for a move"
    basis = f"{found['looked']:,} decisions looked at"
    return Ours(holds=seconds["slowest"] < DELAY, words=words, basis=basis, because=because, varies=True)


# The parameters.


def new_holes(results: Results) -> Ours:
    """How far placements are apart in holes."""
    differences = {int(more): count for more, count in results["decisions"]["differences"].items()}
    near = sum(count for more, count in differences.items() if more <= 2) / sum(differences.values())
    words = f"{percent_words(near)} of all placements leave at most two holes more than the best of their piece"
    basis = f"{results['decisions']['looked']:,} decisions"
    return Ours(holds=near > 0.5, words=words, basis=basis, because="most do")


def pays(words: str) -> Any:
    """What a parameter brings in points."""

    def found(results: Results) -> Ours:
        more = score(results, "medico"), score(results, f"without {words}")
        return times(*more, "the score without it", "the score is higher with it")

    return found


def more_points_a_line(words: str) -> Any:
    """What a parameter brings in points a line."""

    def found(results: Results) -> Ours:
        gain = difference(points_a_line(results["medico"]), points_a_line(results[f"without {words}"]))
        shown = f"{gain.shown} points a line more with it"
        return Ours(holds=gain.interval[0] > 0, words=shown, because="lines are worth more with it")

    return found


def tuned(results: Results) -> Ours:
    """What learnt weights bring."""
    learnt = over_seeds_in(results["tuned"], "score")
    found = times(learnt, score(results, "medico"), "the score", "the whole interval is above 1")
    basis = f"{learnt.basis}, games cut at {CAP:,} pieces"
    return Ours(holds=found.holds, words=found.words, basis=basis, because=found.because)


# What the report left open.


def modes_words(results: Results) -> str:
    """Scoring alone, recovery alone, both."""
    both, recovery, scoring = (score(results, name) for name in ("medico", "threshold-0", "threshold-200"))
    counts = results["followed"]["both"]
    back = share(counts, "recoveries", "troubles")
    return (
        f"Both modes score {both.shown}, recovery mode alone {recovery.shown} ({compared(recovery, both)}) and scoring "
        f"mode alone {scoring.shown} ({compared(scoring, both)}). Lines are worth {shown_points(results, 'medico')}, "
        f"{shown_points(results, 'threshold-0')} and {shown_points(results, 'threshold-200')} points each, so what "
        f"scoring mode earns a line it {'loses' if compared(recovery, both) == 'more' else 'does not lose'} in lines. "
        f"Of the {counts.get('troubles', 0):,} times that a board became too full, recovery mode led back "
        f"{percent_words(back)}."
    )


def shown_points(results: Results, name: str) -> str:
    """Points a line."""
    return points_a_line(results[name]).shown


def threshold_words(results: Results) -> str:
    """Where the best threshold is, and which fit the ten runs."""
    scores = {threshold: mean_in(reading(results, threshold), "score") for threshold in THRESHOLDS}
    best = max(scores, key=lambda threshold: scores[threshold].value or 0)
    known = compared(scores[best], scores[OWN_THRESHOLD])
    fitting = [
        f"{MEASURE_WORDS[measure]} from {threshold}"
        for (measure, threshold), data in readings(results).items()
        if fits(data)
    ]
    listed = "; ".join(fitting) if fitting else "none"
    end = "recovery mode alone is the best" if best == 0 else f"the best threshold is {best}"
    return (
        f"The report does not give it. Of those tried, {end}, with {scores[best].shown} points against "
        f"{scores[OWN_THRESHOLD].shown} from {OWN_THRESHOLD} on ({known}). Readings that fit the ten runs, by their mean "
        f"score and their points a line: {listed}."
    )


def tucks_words(results: Results) -> str:
    """What tucks bring, and where the difference comes from."""
    tucks, drops, above, straight = (score(results, name) for name in ("medico", "drop", "above", "above, drop"))
    verdict = compared(drops, tucks)
    words = f"By straight drops alone the bot scores {drops.shown}, with tucks {tucks.shown}: {verdict}."
    words += (
        " A straight drop needs no path along the top of the board, a tuck and every other reachable place does. Where "
        f"pieces enter above the board, and every column can be reached, the bot scores {above.shown} with tucks and "
        f"{straight.shown} by straight drops: {compared(straight, above)}."
    )
    first, second = ratio(drops, tucks).value or 1, ratio(straight, above).value or 1
    if verdict == "more" and second < first:
        kept = max(0.0, math.log(second) / math.log(first))
        words += f" So about {percent_words(1 - kept)} of the difference is the way along the top, and not the tucks."
    lines = difference(points_a_line(results["above"]), points_a_line(results["above, drop"]))
    if lines.interval[0] > 0:
        words += f" With tucks a line is worth {lines.shown} points more: it stays longer in scoring mode."
    return words


def next_words(results: Results) -> str:
    """What the next piece changes."""
    both, one = score(results, "medico"), score(results, "one piece")
    other = share(results["followed"]["both"], "other", "pieces")
    return (
        f"With the next piece the bot scores {both.shown}, without it {one.shown} ({compared(both, one)} with it). It "
        f"decides otherwise for {percent_words(other)} of the pieces."
    )


def tuned_words(results: Results) -> str:
    """What learning makes of the same parameters."""
    learnt, recovery = over_seeds_in(results["tuned"], "score"), mean_in(results["recovery, cut"], "score", played=True)
    held = [run["result"]["held_out"]["points_per_line"] or 0 for run in results["tuned"]["runs"]]
    lines = " to ".join(dict.fromkeys(figure(end) for end in (min(held), max(held))))
    return (
        f"With both tables and the threshold learnt by CMA-ES the bot scores {learnt.shown} ({learnt.basis}, games cut "
        f"at {CAP:,} pieces), with those of the report {score(results, 'medico').shown}, and with recovery mode alone, cut "
        f"alike, {recovery.shown}. A line is worth {lines} points then."
    )


def parameters_words(results: Results) -> str:
    """What other parameters would bring."""
    other, own = mean_in(results["dellacherie"], "score", played=True), score(results, "medico")
    data = results["dellacherie"]
    return (
        f"Dellacherie's six parameters with the next piece score {other.shown} in games cut at {CAP:,} pieces "
        f"({compared(other, own)} than the report's {own.shown}); {data['capped']:,} of {data['games']:,} games did not "
        f"end before. They know nothing of points: a line is worth {shown_points(results, 'dellacherie')}."
    )


PAPER = Paper(
    name="medico",
    title="Tetris Bot Project Report: heuristic-based search for optimal Tetris piece placement",
    source="Anthony Medico, project report",
    about="A bot sees the current and the next piece and every place that a path leads to. It weighs the board by one "
    "table while there is room, so as to clear four lines at once, and by another when the board fills up.",
    rules="medico: 10×20, pieces drawn uniformly, one next piece, every reachable place, 40, 100, 300 or 1,200 points",
    measurements=[
        Play("medico", "medico", games=20_000, quick=400),
        *(
            Play(f"threshold-{value}", f"medico:threshold={value}", games=2000 if value < 40 else 5000, quick=100)
            for value in THRESHOLDS
            if value != OWN_THRESHOLD
        ),
        *(
            Play(f"{measure}-{value}", changing(measure, value), games=2000, quick=60)
            for measure, values in MEASURES.items()
            for value in values
        ),
        Play("one piece", "medico:depth=1", games=20_000, quick=400),
        Play("drop", "medico", games=20_000, quick=300, rules="medico:movement=drop"),
        Play("above", "medico", games=20_000, quick=300, rules="medico:entry=4"),
        Play("above, drop", "medico", games=20_000, quick=300, rules="medico:entry=4,movement=drop"),
        *(Play(f"without {words}", without(*names), games=10_000, quick=150) for words, names in PARAMETERS.items()),
        Play("recovery, cut", "medico:threshold=0", games=1000, quick=40, pieces=CAP),
        Play("dellacherie", "dellacherie:depth=2", games=300, quick=10, rules="medico", pieces=CAP),
        Training(
            "tuned",
            "medico-tuned",
            seeds=5,
            quick_changes=("generations=6", "games.count=4", "judge.games=4", "judge.final=40"),
        ),
        Calculation("followed", followed),
        Calculation("decisions", decisions),
    ],
    claims=[
        Claim("mean score of ten runs", TABLE, Mean(value=theirs("mean"), games=len(RUNS)), mean("medico", "score")),
        Claim("mean lines of ten runs", TABLE, Mean(value=130.2, games=len(RUNS)), mean("medico")),
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
        Claim("each of the ten runs", TABLE, Statement("1,580 to 38,620 points"), each_run),
        Claim("average points are points a line", TABLE, Statement("91 to 131"), averages),
        Claim(
            "share of lines that came by fours",
            TABLE,
            Range(
                f"{100 * FOURS[0]:.0f} to {100 * FOURS[1]:.0f} %: what points and lines leave",
                low=100 * FOURS[0],
                high=100 * FOURS[1],
            ),
            fours,
        ),
        Claim(
            "the closer points a line are to 300, the more four-line clears",
            "“Game Rules”, scoring",
            Statement("they rise together"),
            more_fours,
        ),
        Claim("results vary, by the luck of the pieces", RESULTS, Statement("“vary quite a bit”"), luck),
        Claim("scoring mode gets the bot in trouble", RESULTS, Statement("it seems so"), trouble),
        Claim("scoring mode works towards high scores", "“Introduction”", Statement("sets up for fours"), modes_score),
        Claim("recovery mode clears lines fast", "“Introduction”", Statement("as fast as possible"), modes_clear),
        Claim("the next piece is used", BOT_FILE, Statement("both pieces decide"), next_piece),
        Claim("what looks bad at first has the next piece tucked in", RESULTS, Statement("“visual proof”"), tucked_in),
        Claim("the search space is trivial", BOT_FILE, Statement("no pruning was added"), trivial),
        Claim("placements differ by 1 or 2 holes", HEURISTIC, Statement("typically"), new_holes),
        Claim(
            "board fill makes the bot tuck pieces under others",
            HEURISTIC,
            Statement("it influences the bot to"),
            nudges,
            cause="it is the weight of holes that makes it tuck: filling a hole earns 50, a lower column 1",
        ),
        Claim("holes need a high weight", HEURISTIC, Statement("50"), pays("holes")),
        Claim("evenness helps", HEURISTIC, Statement("lower is better"), pays("evenness")),
        Claim("board fill helps", HEURISTIC, Statement("lower is better"), pays("board fill")),
        Claim("danger zone avoided at all costs", HEURISTIC, Statement("1,000"), pays("danger zone")),
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
        Claim("better weights improve it", RESULTS, Statement("“certainly”"), tuned),
    ],
    questions=[
        Question("Scoring mode alone, recovery mode alone, or both?", RESULTS, modes_words),
        Question("From which fullness on does the mode change?", "“Introduction”", threshold_words),
        Question("What does the next piece bring?", RESULTS, next_words),
        Question("What do tucks bring?", "“Game Rules”, piece placement", tucks_words),
        Question("What do adjusted weights bring?", RESULTS, tuned_words),
        Question("What would other parameters bring?", RESULTS, parameters_words),
    ],
    figures=[
        Drawing("scores", "The ten runs among ours", "Points of our games, and the report's.", drawn.scores_drawing),
        Drawing("variants", "Modes, next piece, tucks", "Mean points of each variant.", drawn.variants_drawing),
        Drawing("threshold", "Where modes change: points", "The earlier, the better.", drawn.threshold_drawing),
        Drawing("points", "Where modes change: points a line", "The later, the more fours.", drawn.points_drawing),
        Drawing("parameters", "Each parameter left out", "Mean points without it.", drawn.parameters_drawing),
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
            "Recovery mode from a value on. A share is that of sets of ten of our games which are at least as far off as "
            f"the report's ten; a reading fits if both are {100 * UNLIKELY:.0f} % or more.",
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
            "The mean of each parameter after a placement, and its weight in scoring mode: what is small has a high one.",
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
