"""What is found of Medico's bot: each claim of the report beside our games, and answers to what it left open."""

import math
from collections.abc import Mapping
from itertools import pairwise

from tetrion.evaluation.intervals import NORMAL
from tetrion.evaluation.words import figure, in_words
from tetrion.lab.papers.medico.figures import (
    MEASURE_WORDS,
    OWN_THRESHOLD,
    THRESHOLDS,
    WEIGHTS,
    percent_words,
    reading,
    readings,
)
from tetrion.lab.papers.medico.runs import RUNS, UNLIKELY, fits, points_a_line, share_below, variance_of_games
from tetrion.lab.reproduction.findings import (
    Found,
    difference,
    games_words,
    mean_in,
    more_or_less,
    over_seeds_in,
    ratio,
)
from tetrion.lab.reproduction.paper import Results
from tetrion.lab.reproduction.published import Ours

CAP = 5000  # pieces of a game with learnt weights
DELAY = 0.5  # seconds that the report's game waits for a move
EXPONENTIAL = 1.0  # the normalised variance of games that may end at any piece alike


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
    return Ours(100 * data["tetris_rate"], words=f"{100 * data['tetris_rate']:.0f} %", basis=games_words(data))


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
    held = sum(first <= second + 0.005 for first, second in pairwise(ordered))
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


def share_deviation(counts: Mapping[str, int], part: str, of: str) -> float:
    """How far off a share may be by the luck of so many, as a standard deviation."""
    found = share(counts, part, of)
    return math.sqrt(found * (1 - found) / max(1, counts.get(of, 0)))


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
    both, without = results["followed"]["both"], results["followed"]["unfilled"]
    spread = math.hypot(share_deviation(both, "tucks", "pieces"), share_deviation(without, "tucks", "pieces"))
    surely = found["both"] - found["unfilled"] > NORMAL * spread
    return Ours(holds=surely, words=words, basis=games(results), because="it surely tucks more so")


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


def danger(results: Results) -> Ours:
    """What the danger zone brings, and where it changes decisions."""
    counts = results["followed"]["both"]
    changed, left = share(counts, "fearless", "pieces"), share(counts, "fearless, left", "fearless")
    found = pays("danger zone")(results)
    words = f"{found.words}; it changes {100 * changed:.1f} % of the decisions"
    words += f", on average {figure(left, 0)} pieces before the end" if changed else ""
    return Ours(holds=found.holds, words=words, because=found.because)


def values(results: Results) -> Ours:
    """Whether parameters with smaller values have higher weights."""
    told = results["decisions"]["values"]
    order = sorted(WEIGHTS, key=lambda name: -told[name])
    words = "; ".join(f"{in_words(name)} {figure(told[name])} (weight {WEIGHTS[name]:,})" for name in order)
    holds = all(WEIGHTS[first] <= WEIGHTS[second] for first, second in pairwise(order))
    return Ours(holds=holds, words=words, basis="means after a placement", because="the weights rise as values fall")


def pays(words: str) -> Found:
    """What a parameter brings in points."""

    def found(results: Results) -> Ours:
        more = score(results, "medico"), score(results, f"without {words}")
        return times(*more, "the score without it", "the score is higher with it")

    return found


def more_points_a_line(words: str) -> Found:
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
    gain = {
        "more": "what scoring mode gains by worthier lines it loses by fewer of them",
        "less": "scoring mode gains more by worthier lines than it loses by fewer of them",
    }.get(more_or_less(recovery, both), "what scoring mode gains and what it loses cannot be told apart")
    counts = results["followed"]["both"]
    back, full = share(counts, "recoveries", "troubles"), counts.get("troubles", 0)
    worth = [shown_points(results, name) for name in ("medico", "threshold-0", "threshold-200")]
    return (
        f"Both modes score {both.shown}, recovery mode alone {recovery.shown} ({more_or_less(recovery, both)}) and "
        f"scoring mode alone {scoring.shown} ({more_or_less(scoring, both)}). Lines are worth {worth[0]}, {worth[1]} "
        f"and {worth[2]} points each: {gain}. In {games(results)}, the board became too full {full:,} times, "
        f"and recovery mode led back in {percent_words(back)} of them."
    )


def shown_points(results: Results, name: str) -> str:
    """Points a line."""
    return points_a_line(results[name]).shown


def threshold_words(results: Results) -> str:
    """Where the best threshold is, and which fit the ten runs."""
    scores = {threshold: mean_in(reading(results, threshold), "score") for threshold in THRESHOLDS}
    best = max(scores, key=lambda threshold: scores[threshold].value or 0)
    verdict = more_or_less(scores[best], scores[OWN_THRESHOLD])
    fitting = {
        measure: [str(threshold) for (of, threshold), data in readings(results).items() if of == measure and fits(data)]
        for measure in MEASURE_WORDS
    }
    said = [f"{MEASURE_WORDS[measure]} from {', '.join(known)}" for measure, known in fitting.items() if known]
    listed = "; ".join(said) or "none"
    end = "recovery mode alone is the best" if best == 0 else f"the best threshold is {best}"
    return (
        f"The report does not give it. Of those tried, {end}, with {scores[best].shown} points against "
        f"{scores[OWN_THRESHOLD].shown} from {OWN_THRESHOLD} on ({verdict}). Readings that fit the ten runs, by "
        f"their mean score and their points a line: {listed}."
    )


def tucks_words(results: Results) -> str:
    """What tucks bring, and where the difference comes from."""
    tucks, drops, above, straight = (score(results, name) for name in ("medico", "drop", "above", "above, drop"))
    verdict = more_or_less(drops, tucks)
    words = f"By straight drops alone the bot scores {drops.shown} ({verdict}) and with tucks {tucks.shown}."
    words += (
        " A straight drop needs no path along the top of the board, a tuck and every other reachable place does. Where "
        f"pieces enter above the board, and every column can be reached, the bot scores {straight.shown} by straight "
        f"drops ({more_or_less(straight, above)}) and {above.shown} with tucks."
    )
    if verdict == "more" and more_or_less(straight, above) != "more":
        words += " So it is the way along the top that costs points, and not the tucks."
    return f"{words} {tucks_by_mode(results)}"


def tucks_by_mode(results: Results) -> str:
    """What tucks bring in each mode alone, and how long it stays in scoring mode with them."""
    parts = []
    for mode in ("scoring", "recovery"):
        tucks, drops = score(results, f"{mode}, above"), score(results, f"{mode}, above, drop")
        parts.append(f"in {mode} mode alone {tucks.shown} against {drops.shown} ({more_or_less(tucks, drops)})")
    stays = [share(results["followed"][name], "scoring pieces", "pieces") for name in ("above", "above, drop")]
    words = (
        f"There tucks bring {' and '.join(parts)}. With both modes the bot places {percent_words(stays[0])} of its "
        f"pieces in scoring mode with tucks and {percent_words(stays[1])} without"
    )
    return f"{words}."


def next_words(results: Results) -> str:
    """What the next piece changes."""
    both, one = score(results, "medico"), score(results, "one piece")
    other = share(results["followed"]["both"], "one piece", "pieces")
    return (
        f"With the next piece the bot scores {both.shown}, without it {one.shown} ({more_or_less(both, one)} with it). "
        f"It decides otherwise for {percent_words(other)} of the pieces."
    )


def tuned_words(results: Results) -> str:
    """What learning makes of the same parameters."""
    learnt, recovery = over_seeds_in(results["tuned"], "score"), mean_in(results["recovery, cut"], "score", played=True)
    held = [run["result"]["held_out"]["points_per_line"] or 0 for run in results["tuned"]["runs"]]
    lines = " to ".join(dict.fromkeys(figure(end) for end in (min(held), max(held))))
    return (
        f"With both tables and the threshold learnt by CMA-ES the bot scores {learnt.shown} ({learnt.basis}, games cut "
        f"at {CAP:,} pieces), with those of the report {score(results, 'medico').shown}, and with recovery mode alone, "
        f"cut alike, {recovery.shown} (learnt beside that: {more_or_less(learnt, recovery)}). With learnt weights "
        f"a line is worth {lines} points."
    )


def parameters_words(results: Results) -> str:
    """What other parameters would bring."""
    other, own = mean_in(results["dellacherie"], "score", played=True), score(results, "medico")
    data = results["dellacherie"]
    return (
        f"Dellacherie's six parameters with the next piece score {other.shown} in games cut at {CAP:,} pieces, "
        f"and the report's {own.shown} ({more_or_less(other, own)}); {data['capped']:,} of {data['games']:,} games did "
        f"not end before. They know nothing of points: a line is worth {shown_points(results, 'dellacherie')}."
    )
