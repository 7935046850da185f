"""What is found of Medico's bot: each claim of the report beside our games, and answers to what it left open."""

import math
from collections.abc import Mapping
from itertools import pairwise

from tetrion.evaluation.confidence_intervals import NORMAL_QUANTILE
from tetrion.evaluation.number_format import format_name, format_number
from tetrion.lab.papers.medico.medico_figures import (
    COMPARED_SCORING_WEIGHTS,
    FULLNESS_LABELS,
    MEDICO_THRESHOLD,
    MODE_THRESHOLDS,
    format_whole_percent,
    get_fullness_data,
    get_threshold_data,
)
from tetrion.lab.papers.medico.medico_published_runs import (
    MEDICO_RUNS,
    UNLIKELY_SHARE,
    compute_normalised_variance,
    compute_points_per_line,
    compute_share_below,
    fits_published_runs,
)
from tetrion.lab.reproduction.measured_values import (
    ValueReader,
    compute_difference,
    compute_mean,
    compute_mean_over_seeds,
    compute_ratio,
    describe_difference,
    describe_games,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

MEDICO_MAX_PIECES = 5000  # pieces of a game with learnt weights
_MOVE_DELAY_SECONDS = 0.5  # seconds that the report's game waits for a move
_EXPONENTIAL_VARIANCE = 1.0  # the normalised variance of games that may end at any piece alike


def check_ratio_above_one(first: MeasuredValue, second: MeasuredValue, words: str, because: str) -> MeasuredValue:
    """How many times another a figure is, which holds if that is surely more than once."""
    found = compute_ratio(first, second)
    return MeasuredValue(holds=found.interval[0] > 1, text=f"{found.formatted} times {words}", evidence=because)


def compute_mean_score(results: MeasurementResults, name: str) -> MeasuredValue:
    """The mean score of a measurement."""
    return compute_mean(results[name], "score")


# The ten runs.


def check_each_run(results: MeasurementResults) -> MeasuredValue:
    """Whether each of the ten runs lies where games of ours do; a chance in twenty that one of ten does not."""
    below = [compute_share_below(results["medico"], run.score) for run in MEDICO_RUNS]
    room = UNLIKELY_SHARE / len(MEDICO_RUNS) / 2
    words = f"{format_whole_percent(min(below))} to {format_whole_percent(max(below))} of our games score less than one of them"
    because = f"none is among the {100 * room:.2g} % of our games at either end"
    return MeasuredValue(holds=all(room <= share <= 1 - room for share in below), text=words, evidence=because)


def check_table_averages(results: MeasurementResults) -> MeasuredValue:
    """Whether the table's own numbers fit together."""
    whole = sum(run.score // run.lines == run.points_per_line for run in MEDICO_RUNS)
    possible = sum(bool(run.possible_tetrises) for run in MEDICO_RUNS)
    words = (
        f"{whole} of {len(MEDICO_RUNS)} averages are score over lines, rounded down; {possible} runs are sums of clears"
    )
    return MeasuredValue(
        holds=whole == possible == len(MEDICO_RUNS), text=words, evidence="every line of the table adds up"
    )


def compute_tetris_percentage(results: MeasurementResults) -> MeasuredValue:
    """The share of lines that came by fours, in percent."""
    data = results["medico"]
    return MeasuredValue(
        100 * data["tetris_rate"], text=f"{100 * data['tetris_rate']:.0f} %", basis=describe_games(data)
    )


def check_luck(results: MeasurementResults) -> MeasuredValue:
    """How much games vary, beside games that may end at any piece alike."""
    found = compute_normalised_variance(results["medico"])
    words = f"normalised variance {found.formatted}; {format_number(_EXPONENTIAL_VARIANCE, 0)} where every piece may be the last alike"
    return MeasuredValue(
        holds=found.interval[0] > _EXPONENTIAL_VARIANCE / 2,
        text=words,
        basis=found.basis,
        evidence="a game says little",
    )


def check_points_rise_with_tetrises(results: MeasurementResults) -> MeasuredValue:
    """Whether more points a line mean more lines by fours, over all thresholds."""
    games = [get_threshold_data(results, threshold) for threshold in MODE_THRESHOLDS]
    pairs = [(data["points_per_line"] or 0, data["tetris_rate"] or 0) for data in games]
    ordered = [one for _, one in sorted(pairs)]
    words = f"from {format_whole_percent(ordered[0])} of the lines at {format_number(min(pairs)[0])} points a line to "
    words += f"{format_whole_percent(ordered[-1])} at {format_number(max(pairs)[0])}"
    held = sum(first <= second + 0.005 for first, second in pairwise(ordered))
    basis = f"{len(pairs)} thresholds"
    return MeasuredValue(holds=held == len(ordered) - 1, text=words, basis=basis, evidence="they rise together")


# The two modes and the next piece.


def check_scoring_mode_risk(results: MeasurementResults) -> MeasuredValue:
    """How much longer games last without scoring mode."""
    because = "without scoring mode games last longer"
    return check_ratio_above_one(
        compute_mean(results["threshold-0"]), compute_mean(results["medico"]), "the lines without scoring mode", because
    )


def compute_ratio_by_mode(results: MeasurementResults, numerator: str, denominator: str) -> dict[str, float]:
    """A ratio of counts in each mode, from the games that were followed."""
    counts = results["followed"]["both"]
    return {
        mode: counts.get(f"{mode} {numerator}", 0) / max(1, counts.get(f"{mode} {denominator}", 0))
        for mode in ("scoring", "recovery")
    }


def check_scoring_mode_points(results: MeasurementResults) -> MeasuredValue:
    """Points a line in each mode."""
    found = compute_ratio_by_mode(results, "points", "lines")
    words = f"{format_number(found['scoring'])} points a line in scoring mode, {format_number(found['recovery'])} in recovery mode"
    because = "its lines are worth more there"
    return MeasuredValue(
        holds=found["scoring"] > found["recovery"], text=words, basis=format_followed_games(results), evidence=because
    )


def check_recovery_mode_lines(results: MeasurementResults) -> MeasuredValue:
    """Lines a piece in each mode."""
    found = compute_ratio_by_mode(results, "lines", "pieces")
    words = f"{format_number(found['recovery'])} lines a piece in recovery mode, {format_number(found['scoring'])} in scoring mode"
    because = "it clears more with every piece"
    return MeasuredValue(
        holds=found["recovery"] > found["scoring"], text=words, basis=format_followed_games(results), evidence=because
    )


def format_followed_games(results: MeasurementResults) -> str:
    """How many games were followed."""
    return f"{results['followed']['games']:,} games, piece by piece"


def check_next_piece_gain(results: MeasurementResults) -> MeasuredValue:
    """What the next piece brings."""
    return check_ratio_above_one(
        compute_mean_score(results, "medico"),
        compute_mean_score(results, "one piece"),
        "the score without it",
        "it plays better so",
    )


def compute_share(counts: Mapping[str, int], part: str, total: str) -> float:
    """A share of counts."""
    return counts.get(part, 0) / max(1, counts.get(total, 0))


def compute_share_deviation(counts: Mapping[str, int], part: str, total: str) -> float:
    """How far off a share may be by the luck of so many, as a standard deviation."""
    found = compute_share(counts, part, total)
    return math.sqrt(found * (1 - found) / max(1, counts.get(total, 0)))


def check_planned_tucks(results: MeasurementResults) -> MeasuredValue:
    """How often the next piece is tucked into a hole that a placement has just made."""
    both, one = results["followed"]["both"], results["followed"]["one"]
    seen, unseen = compute_share(both, "filled", "covering"), compute_share(one, "filled", "covering")
    words = (
        f"of the placements that make a hole {format_whole_percent(seen)} have it filled by the next piece's tuck, "
        f"{format_whole_percent(unseen)} where the next piece is not seen"
    )
    return MeasuredValue(
        holds=seen > 2 * unseen, text=words, basis=format_followed_games(results), evidence="it is planned, not chance"
    )


def check_board_fill_tucks(results: MeasurementResults) -> MeasuredValue:
    """Whether board fill makes the bot tuck."""
    found = {
        name: compute_share(results["followed"][name], "tucks", "pieces") for name in ("both", "unfilled", "unholed")
    }
    words = "; ".join(
        f"{100 * found[name]:.1f} % of the pieces are tucked {said}"
        for name, said in (("both", "with all parameters"), ("unfilled", "without it"), ("unholed", "without holes"))
    )
    both, without = results["followed"]["both"], results["followed"]["unfilled"]
    spread = math.hypot(
        compute_share_deviation(both, "tucks", "pieces"), compute_share_deviation(without, "tucks", "pieces")
    )
    surely = found["both"] - found["unfilled"] > NORMAL_QUANTILE * spread
    return MeasuredValue(
        holds=surely, text=words, basis=format_followed_games(results), evidence="it surely tucks more so"
    )


def check_search_size(results: MeasurementResults) -> MeasuredValue:
    """How large the search is, and how long it takes."""
    found = results["decisions"]
    seconds = found["time"]
    words = (
        f"{format_number(found['placements'], 0)} placements and {format_number(found['leaves'], 0)} boards a decision, at most "
        f"{format_number(found['most'], 0)}; {format_number(1e6 * seconds['decision'], 0)} µs"
    )
    because = (
        f"the slowest of them takes less than the {1000 * _MOVE_DELAY_SECONDS:.0f} ms that the game waits for a move"
    )
    basis = f"{found['looked']:,} decisions looked at"
    return MeasuredValue(
        holds=seconds["slowest"] < _MOVE_DELAY_SECONDS,
        text=words,
        basis=basis,
        evidence=because,
        is_machine_dependent=True,
    )


# The parameters.


def check_hole_differences(results: MeasurementResults) -> MeasuredValue:
    """How far placements are apart in holes."""
    differences = {int(more): count for more, count in results["decisions"]["differences"].items()}
    near = sum(count for more, count in differences.items() if more <= 2) / sum(differences.values())
    words = f"{format_whole_percent(near)} of all placements leave at most two holes more than the best of their piece"
    basis = f"{results['decisions']['looked']:,} decisions"
    return MeasuredValue(holds=near > 0.5, text=words, basis=basis, evidence="most do")


def check_danger_zone(results: MeasurementResults) -> MeasuredValue:
    """What the danger zone brings, and where it changes decisions."""
    counts = results["followed"]["both"]
    changed, left = compute_share(counts, "fearless", "pieces"), compute_share(counts, "fearless, left", "fearless")
    found = make_parameter_gain_check("danger zone")(results)
    words = f"{found.text}; it changes {100 * changed:.1f} % of the decisions"
    words += f", on average {format_number(left, 0)} pieces before the end" if changed else ""
    return MeasuredValue(holds=found.holds, text=words, evidence=found.evidence)


def check_weights_follow_values(results: MeasurementResults) -> MeasuredValue:
    """Whether parameters with smaller values have higher weights."""
    told = results["decisions"]["values"]
    order = sorted(COMPARED_SCORING_WEIGHTS, key=lambda name: -told[name])
    words = "; ".join(
        f"{format_name(name)} {format_number(told[name])} (weight {COMPARED_SCORING_WEIGHTS[name]:,})" for name in order
    )
    holds = all(
        COMPARED_SCORING_WEIGHTS[first] <= COMPARED_SCORING_WEIGHTS[second] for first, second in pairwise(order)
    )
    return MeasuredValue(
        holds=holds, text=words, basis="means after a placement", evidence="the weights rise as values fall"
    )


def make_parameter_gain_check(words: str) -> ValueReader:
    """What a parameter brings in points."""

    def found(results: MeasurementResults) -> MeasuredValue:
        more = compute_mean_score(results, "medico"), compute_mean_score(results, f"without {words}")
        return check_ratio_above_one(*more, "the score without it", "the score is higher with it")

    return found


def make_points_per_line_check(words: str) -> ValueReader:
    """What a parameter brings in points a line."""

    def found(results: MeasurementResults) -> MeasuredValue:
        gain = compute_difference(
            compute_points_per_line(results["medico"]), compute_points_per_line(results[f"without {words}"])
        )
        shown = f"{gain.formatted} points a line more with it"
        return MeasuredValue(holds=gain.interval[0] > 0, text=shown, evidence="lines are worth more with it")

    return found


def check_learnt_weights(results: MeasurementResults) -> MeasuredValue:
    """What learnt weights bring."""
    learnt = compute_mean_over_seeds(results["tuned"], "score")
    found = check_ratio_above_one(
        learnt, compute_mean_score(results, "medico"), "the score", "the whole interval is above 1"
    )
    basis = f"{learnt.basis}, games cut at {MEDICO_MAX_PIECES:,} pieces"
    return MeasuredValue(holds=found.holds, text=found.text, basis=basis, evidence=found.evidence)


# What the report left open.


def describe_modes(results: MeasurementResults) -> str:
    """Scoring alone, recovery alone, both."""
    both, recovery, scoring = (compute_mean_score(results, name) for name in ("medico", "threshold-0", "threshold-200"))
    gain = {
        "more": "what scoring mode gains by worthier lines it loses by fewer of them",
        "less": "scoring mode gains more by worthier lines than it loses by fewer of them",
    }.get(describe_difference(recovery, both), "what scoring mode gains and what it loses cannot be told apart")
    counts = results["followed"]["both"]
    back, full = compute_share(counts, "recoveries", "troubles"), counts.get("troubles", 0)
    worth = [format_points_per_line(results, name) for name in ("medico", "threshold-0", "threshold-200")]
    return (
        f"Both modes score {both.formatted}, recovery mode alone {recovery.formatted} ({describe_difference(recovery, both)}) and "
        f"scoring mode alone {scoring.formatted} ({describe_difference(scoring, both)}). Lines are worth {worth[0]}, {worth[1]} "
        f"and {worth[2]} points each: {gain}. In {format_followed_games(results)}, the board became too full {full:,} times, "
        f"and recovery mode led back in {format_whole_percent(back)} of them."
    )


def format_points_per_line(results: MeasurementResults, name: str) -> str:
    """Points a line."""
    return compute_points_per_line(results[name]).formatted


def describe_thresholds(results: MeasurementResults) -> str:
    """Where the best threshold is, and which fit the ten runs."""
    scores = {threshold: compute_mean(get_threshold_data(results, threshold), "score") for threshold in MODE_THRESHOLDS}
    best = max(scores, key=lambda threshold: scores[threshold].value or 0)
    verdict = describe_difference(scores[best], scores[MEDICO_THRESHOLD])
    fitting = {
        measure: [
            str(threshold)
            for (of, threshold), data in get_fullness_data(results).items()
            if of == measure and fits_published_runs(data)
        ]
        for measure in FULLNESS_LABELS
    }
    said = [f"{FULLNESS_LABELS[measure]} from {', '.join(known)}" for measure, known in fitting.items() if known]
    listed = "; ".join(said) or "none"
    end = "recovery mode alone is the best" if best == 0 else f"the best threshold is {best}"
    return (
        f"The report does not give it. Of those tried, {end}, with {scores[best].formatted} points against "
        f"{scores[MEDICO_THRESHOLD].formatted} from {MEDICO_THRESHOLD} on ({verdict}). Readings that fit the ten runs, by "
        f"their mean score and their points a line: {listed}."
    )


def describe_tucks(results: MeasurementResults) -> str:
    """What tucks bring, and where the difference comes from."""
    tucks, drops, above, straight = (
        compute_mean_score(results, name) for name in ("medico", "drop", "above", "above, drop")
    )
    verdict = describe_difference(drops, tucks)
    words = f"By straight drops alone the bot scores {drops.formatted} ({verdict}) and with tucks {tucks.formatted}."
    words += (
        " A straight drop needs no path along the top of the board, a tuck and every other reachable place does. Where "
        f"pieces enter above the board, and every column can be reached, the bot scores {straight.formatted} by straight "
        f"drops ({describe_difference(straight, above)}) and {above.formatted} with tucks."
    )
    if verdict == "more" and describe_difference(straight, above) != "more":
        words += " So it is the way along the top that costs points, and not the tucks."
    return f"{words} {describe_tucks_by_mode(results)}"


def describe_tucks_by_mode(results: MeasurementResults) -> str:
    """What tucks bring in each mode alone, and how long it stays in scoring mode with them."""
    parts = []
    for mode in ("scoring", "recovery"):
        tucks, drops = (
            compute_mean_score(results, f"{mode}, above"),
            compute_mean_score(results, f"{mode}, above, drop"),
        )
        parts.append(
            f"in {mode} mode alone {tucks.formatted} against {drops.formatted} ({describe_difference(tucks, drops)})"
        )
    stays = [compute_share(results["followed"][name], "scoring pieces", "pieces") for name in ("above", "above, drop")]
    words = (
        f"There tucks bring {' and '.join(parts)}. With both modes the bot places {format_whole_percent(stays[0])} of its "
        f"pieces in scoring mode with tucks and {format_whole_percent(stays[1])} without"
    )
    return f"{words}."


def describe_next_piece(results: MeasurementResults) -> str:
    """What the next piece changes."""
    both, one = compute_mean_score(results, "medico"), compute_mean_score(results, "one piece")
    other = compute_share(results["followed"]["both"], "one piece", "pieces")
    return (
        f"With the next piece the bot scores {both.formatted}, without it {one.formatted} ({describe_difference(both, one)} with it). "
        f"It decides otherwise for {format_whole_percent(other)} of the pieces."
    )


def describe_learnt_weights(results: MeasurementResults) -> str:
    """What learning makes of the same parameters."""
    learnt, recovery = (
        compute_mean_over_seeds(results["tuned"], "score"),
        compute_mean(results["recovery, cut"], "score", uncorrected=True),
    )
    held = [run["result"]["held_out"]["points_per_line"] or 0 for run in results["tuned"]["runs"]]
    lines = " to ".join(dict.fromkeys(format_number(end) for end in (min(held), max(held))))
    return (
        f"With both tables and the threshold learnt by CMA-ES the bot scores {learnt.formatted} ({learnt.basis}, games cut "
        f"at {MEDICO_MAX_PIECES:,} pieces), with those of the report {compute_mean_score(results, 'medico').formatted}, and with recovery mode alone, "
        f"cut alike, {recovery.formatted} (learnt beside that: {describe_difference(learnt, recovery)}). With learnt weights "
        f"a line is worth {lines} points."
    )


def describe_other_parameters(results: MeasurementResults) -> str:
    """What other parameters would bring."""
    other, own = compute_mean(results["dellacherie"], "score", uncorrected=True), compute_mean_score(results, "medico")
    data = results["dellacherie"]
    return (
        f"Dellacherie's six parameters with the next piece score {other.formatted} in games cut at {MEDICO_MAX_PIECES:,} pieces, "
        f"and the report's {own.formatted} ({describe_difference(other, own)}); {data['capped']:,} of {data['games']:,} games did "
        f"not end before. They know nothing of points: a line is worth {format_points_per_line(results, 'dellacherie')}."
    )
