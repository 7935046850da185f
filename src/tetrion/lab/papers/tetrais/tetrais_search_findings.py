"""Findings about TetrAIs' lookahead, times, fall speeds and genetic agent, and about strategies with one piece."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tetrion.board import Board
from tetrion.engine.scoring import SCORING_SYSTEMS
from tetrion.evaluation.confidence_intervals import compute_difference_interval, compute_share_interval
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.lab.papers.tetrais.single_piece_strategies import SINGLE_PIECES, WELL_WIDTHS, has_balanced_columns
from tetrion.lab.papers.tetrais.tetrais_measurements import INSTANT_KEY_AGENTS, format_fall_speed_name
from tetrion.lab.papers.tetrais.tetrais_score_findings import combine_decisions, format_share_range, read_mean
from tetrion.lab.reproduction.measured_values import ValueReader, describe_games
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above

ACTION_COUNT = 40  # actions per piece in section 6.4
TIME_MARGIN = 0.1  # times vary; ratios this close to the bound do not decide
KEPT_SCORE_SHARE = 0.9  # our threshold for agents that play as well as before
MUCH_FASTER = 2.0  # our threshold for "significantly"
TIME_LIMIT = 0.1  # seconds per row at the highest speed
LONG_GAME_LINES = 10_000  # lines that the report calls almost endless (section 7)
KEY_RATES = {"ten keys per second": "", "one key per millisecond": "-at-once"}  # suffixes of the measurements
REPORT_POINTS = (40, 100, 300, 1200, 1)  # for one to four lines (section 6.3), and per piece (section 11)
REPORT_DELTA_HEIGHTS = (2, 2, 4, 4, 5, 4, 4, 4, 3, 0)  # the example of section 6.3


def check_long_games(results: MeasurementResults) -> MeasuredValue:
    """Check whether most games of the depth-limited agent exceed 10,000 lines, and whether games end nevertheless.

    Undecided if no game ended before its cap, or if the share of long games does not decide.
    """
    data = results["depth2"]
    lines = data["sample"]["lines"]
    long_games = sum(count > LONG_GAME_LINES for count in lines)
    interval = compute_share_interval(long_games, len(lines))
    ended, games = data["games"] - data["capped"], data["games"]
    return MeasuredValue(
        holds=combine_decisions([decide_above(interval, 0.5), True if ended else None]),
        text=f"{ended:,} of {format_count(games, 'game')} ended; {long_games:,} of {len(lines):,} have more than "
        f"{LONG_GAME_LINES:,} lines; {read_mean(data).formatted} lines per game",
        basis=describe_games(data),
        evidence=(
            f"{format_count(ended, 'game')} ended, so that “indefinitely” does not hold literally"
            if ended
            else "no game ended before our limit of pieces, so that the end remains open"
        )
        + f"; the 95 % interval of the share of long games is {format_share_range(interval)}",
    )


def check_time_growth(results: MeasurementResults) -> MeasuredValue:
    """Check whether each further piece multiplies the time by at most forty."""
    rates = results["thinking"]["time"]["pieces_per_second"]
    second, third = (rates[f"{depth - 1}"] / rates[f"{depth}"] for depth in (2, 3))
    interval = (1 - TIME_MARGIN) * max(second, third), (1 + TIME_MARGIN) * max(second, third)
    is_above = decide_above(interval, ACTION_COUNT)
    return MeasuredValue(
        holds=None if is_above is None else not is_above,
        text=f"{second:.0f} times for the second piece, {third:.0f} for the third",
        basis="by the pieces per second in whole games, because single calls have a fixed cost of their own that hides "
        "the growth",
        evidence=f"the larger factor is {max(second, third):.0f}",
        is_machine_dependent=True,
    )


def check_decision_time(depth: int, less_than: float, results: MeasurementResults) -> MeasuredValue:
    """Check whether a decision at a depth takes less than the given number of seconds."""
    seconds = results["thinking"]["time"]["decision"][str(depth)]
    text = f"{1e3 * seconds:.2g} ms"
    evidence = f"it takes {'less' if seconds < less_than else 'more'} than {1e3 * less_than:,.0f} ms"
    return MeasuredValue(
        holds=seconds < less_than,
        text=text,
        basis="median of single calls, each with its fixed cost",
        evidence=evidence,
        is_machine_dependent=True,
    )


def check_depth_two_too_slow(results: MeasurementResults) -> MeasuredValue:
    """Check whether a decision at depth two takes longer than one row at the highest speed."""
    ours = check_decision_time(2, TIME_LIMIT, results)
    return replace(ours, holds=not ours.holds)


def check_high_speed(results: MeasurementResults) -> MeasuredValue:
    """Check whether agents without lookahead keep their score at the highest speed, with both speeds of keys.

    Undecided if the two speeds of keys give different answers, because the report gives none.
    """
    ratios = {
        keys: {
            agent: compute_paired_ratio(
                results[f"{format_fall_speed_name(agent, 100)}{suffix}"], results[format_fall_speed_name(agent, 1000)]
            )
            for agent in INSTANT_KEY_AGENTS
            if agent != "tetrais-q"  # Q-learning as the report writes it is compared
        }
        for keys, suffix in KEY_RATES.items()
    }
    decisions = [
        combine_decisions([decide_above(ratio.interval, KEPT_SCORE_SHARE) for ratio in by_agent.values()])
        for by_agent in ratios.values()
    ]
    texts = [
        f"with {keys}: {', '.join(f'{agent} {ratio.formatted}' for agent, ratio in by_agent.items())}"
        for keys, by_agent in ratios.items()
    ]
    return MeasuredValue(
        holds=decisions[0] if len(set(decisions)) == 1 else None,
        text="; ".join(texts),
        basis="score at 100 ms per row divided by that at 1,000 ms, in the same games (up to 1,000)",
        evidence=f"{describe_key_rates(ratios)}; the report gives no key rate (its actions of section 5.1 are whole "
        "placements), so that its statement cannot be tested; without a limit on keys, only the fall costs anything",
    )


def compute_paired_ratio(first: Mapping[str, Any], second: Mapping[str, Any]) -> MeasuredValue:
    """Return the ratio of the mean scores of the same games under two rules, with its interval (delta method)."""
    scores, others = (np.array(data["sample"]["score"], float) for data in (first, second))
    ratio = float(scores.mean() / others.mean())
    low, high = compute_difference_interval(scores - ratio * others) or (0.0, 0.0)
    return MeasuredValue(ratio, (ratio + low / float(others.mean()), ratio + high / float(others.mean())))


def describe_key_rates(ratios: Mapping[str, Mapping[str, MeasuredValue]]) -> str:
    """Return the smallest ratio with each speed of keys."""
    parts = []
    for keys, by_agent in ratios.items():
        lowest = min(by_agent, key=lambda agent: by_agent[agent].value or 0)
        parts.append(f"with {keys} the smallest ratio is that of {lowest}, {by_agent[lowest].formatted}")
    return "; ".join(parts)


def check_genetic_speed(results: MeasurementResults) -> MeasuredValue:
    """Check whether a genetic agent needs much less time per piece, at depth one and at depth two.

    Undecided if the two depths give different answers, because the report does not give the depth.
    """
    rates = results["genetic-games"]["time"]
    first, second = (rates[name] / rates["by-hand"] for name in ("depth-1", "looking-ahead"))
    decisions = {ratio >= MUCH_FASTER for ratio in (first, second)}
    return MeasuredValue(
        holds=decisions.pop() if len(decisions) == 1 else None,
        text=f"{format_number(first)} times the pieces per second at depth one, {format_number(second)} at depth two",
        evidence="the report does not give the genetic agent's depth: at depth one it is faster by construction, "
        f"because it examines fewer placements; at the same depth it has {format_number(second)} times the speed",
        is_machine_dependent=True,
    )


def measure_report_delta(results: MeasurementResults) -> MeasuredValue:
    """Return our sum of height differences for the example of section 6.3; it does not depend on the results."""
    board = Board(tuple((1 << height) - 1 for height in REPORT_DELTA_HEIGHTS), 22)
    return MeasuredValue(board.measure_features()["bumpiness"], text=f"{board.measure_features()['bumpiness']}")


def measure_report_points(results: MeasurementResults) -> MeasuredValue:
    """Compare our points with those of sections 6.3 and 11; it does not depend on the results."""
    system = SCORING_SYSTEMS["tetrais"]
    return compare_copies(REPORT_POINTS, [*system.line_points, system.points_per_piece])


def compare_copies(published: Sequence[float], ours: Sequence[float]) -> MeasuredValue:
    """Return whether our copy of published constants is the same."""
    holds = list(ours) == list(published)
    text = ", ".join(format_number(number, 0) for number in ours)
    return MeasuredValue(holds=holds, text=text, evidence="they are the same" if holds else "they differ")


def make_strategy_check(kind: str) -> ValueReader:
    """Return a check whether strategies within the heights and numbers of states of Figure 2 exist."""

    def check(results: MeasurementResults) -> MeasuredValue:
        found = {width: results["single-piece"][kind][str(width)] for width in WELL_WIDTHS}
        compared = {width: data for width, data in found.items() if data["published"]}
        return MeasuredValue(
            holds=combine_decisions([data["is_within"] for data in compared.values()]),
            text="; ".join(f"width {width}: {describe_found_strategy(data)}" for width, data in compared.items()),
            basis="hard drops; heights after full rows are removed",
            evidence="; ".join(
                f"{text} for the width{'s' if len(widths) > 1 else ''} {', '.join(map(str, widths))}"
                for text, widths in group_by_outcome(compared).items()
            ),
        )

    return check


def describe_found_strategy(data: Mapping[str, Any]) -> str:
    """Return height and number of states of the strategy that was found."""
    if data["state_count"] is None:
        return "none" if data["is_within"] is False else "not found"
    return f"height {data['state_height']}, {format_count(data['state_count'], 'state')}"


def group_by_outcome(compared: Mapping[int, Mapping[str, Any]]) -> dict[str, list[int]]:
    """Return the widths of wells by the outcome of the search."""
    outcomes: dict[str, list[int]] = {}
    for width, data in compared.items():
        outcomes.setdefault(_OUTCOME_TEXTS[data["is_within"]], []).append(width)
    return outcomes


_OUTCOME_TEXTS = {
    True: "a strategy within the published height and number of states was found",
    False: "an exhaustive search shows that none exists",
    None: "the search did not end within its budget",
}


def make_no_strategy_check(kind: str) -> ValueReader:
    """Return a check whether no strategy exists in wells of odd width, by a proof and by an exhaustive search.

    Undecided if the search found none and the proof does not apply to the piece.
    """

    def check(results: MeasurementResults) -> MeasuredValue:
        found = {width: results["single-piece"][kind][str(width)] for width in WELL_WIDTHS if width % 2}
        winning = [str(width) for width, data in found.items() if data["smallest_height"] is not None]
        heights = "; ".join(
            f"width {width}: none up to height {data['searched_height']}" for width, data in found.items()
        )
        if winning:
            return MeasuredValue(
                holds=False,
                text=f"a strategy for the width {', '.join(winning)}",
                evidence="the search found a strategy",
            )
        is_proven = has_balanced_columns(SINGLE_PIECES[kind])
        return MeasuredValue(
            holds=True if is_proven else None,
            text=f"{'none, by a proof; exhaustive search: ' if is_proven else ''}{heights}",
            basis="all states up to these heights",
            evidence=_NO_STRATEGY_PROOF if is_proven else "there may be strategies above these heights",
        )

    return check


_NO_STRATEGY_PROOF = (
    "proof: in every orientation the piece has as many cells in odd columns as in even ones, but a full row of odd "
    "width has one more in odd columns; so each cleared row adds one cell to the surplus of the even columns, and an "
    "endless game, which clears rows without end, needs more than any height"
)
