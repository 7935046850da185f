"""Findings about TetrAIs' lookahead, times, fall speeds and genetic agent, and about strategies with one piece."""

from collections.abc import Mapping
from typing import Any

from tetrion.board import Board
from tetrion.evaluation.number_format import format_count, format_number
from tetrion.lab.papers.tetrais.single_piece_strategies import WELL_WIDTHS
from tetrion.lab.papers.tetrais.tetrais_measurements import INSTANT_KEY_AGENTS, format_fall_speed_name
from tetrion.lab.papers.tetrais.tetrais_score_findings import combine_decisions
from tetrion.lab.reproduction.measured_values import ValueReader, compute_mean, compute_ratio, describe_games
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue, decide_above

ACTION_COUNT = 40  # actions per piece in section 6.4
TIME_MARGIN = 0.1  # times vary; ratios this close to the bound do not decide
KEPT_SCORE_SHARE = 0.9  # our threshold for agents that play as well as before
MUCH_FASTER = 2.0  # our threshold for "significantly"
TIME_LIMIT = 0.1  # seconds per row at the highest speed
REPORT_DELTA_HEIGHTS = (2, 2, 4, 4, 5, 4, 4, 4, 3, 0)  # the example of section 6.3


def check_endless(results: MeasurementResults) -> MeasuredValue:
    """Check that no game of the depth-limited agent ended before its cap."""
    data = results["depth2"]
    ended, games = data["games"] - data["capped"], data["games"]
    text = f"{ended:,} of {format_count(games, 'game')} ended; {compute_mean(data).formatted} lines per game"
    evidence = f"{ended:,} of our games ended" if ended else "none of our games ended"
    return MeasuredValue(holds=not ended, text=text, basis=describe_games(data), evidence=evidence)


def check_games_end(results: MeasurementResults) -> MeasuredValue:
    """Check whether some games of the depth-limited agent have ended; undecided if all were capped."""
    ours = check_endless(results)
    evidence = "all games were capped" if ours.holds else ours.evidence
    return MeasuredValue(holds=None if ours.holds else True, text=ours.text, basis=ours.basis, evidence=evidence)


def check_time_growth(results: MeasurementResults) -> MeasuredValue:
    """Check whether each further piece multiplies the time by at most forty."""
    rates = results["thinking"]["time"]["pieces_per_second"]
    second, third = (rates[f"{depth - 1}"] / rates[f"{depth}"] for depth in (2, 3))
    interval = (1 - TIME_MARGIN) * max(second, third), (1 + TIME_MARGIN) * max(second, third)
    is_above = decide_above(interval, ACTION_COUNT)
    return MeasuredValue(
        holds=None if is_above is None else not is_above,
        text=f"{second:.0f} times for the second piece, {third:.0f} for the third",
        evidence=f"the larger factor is {max(second, third):.0f}",
        is_machine_dependent=True,
    )


def check_decision_time(depth: int, less_than: float, results: MeasurementResults) -> MeasuredValue:
    """Check whether a decision at a depth takes less than the given number of seconds."""
    seconds = results["thinking"]["time"]["decision"][str(depth)]
    text = f"{1e3 * seconds:.2g} ms per decision"
    evidence = f"it takes {'less' if seconds < less_than else 'more'} than {1e3 * less_than:g} ms"
    return MeasuredValue(holds=seconds < less_than, text=text, evidence=evidence, is_machine_dependent=True)


def check_depth_two_too_slow(results: MeasurementResults) -> MeasuredValue:
    """Check whether a decision at depth two takes longer than one row at the highest speed."""
    ours = check_decision_time(2, TIME_LIMIT, results)
    return MeasuredValue(holds=not ours.holds, text=ours.text, evidence=ours.evidence, is_machine_dependent=True)


def make_high_speed_check(suffix: str, keys: str) -> ValueReader:
    """Return a check whether agents without lookahead keep their score at the highest speed, with a speed of keys."""

    def check(results: MeasurementResults) -> MeasuredValue:
        ratios = {}
        for agent in INSTANT_KEY_AGENTS:
            if agent != "tetrais-q":  # Q-learning as the report writes it is compared
                slow, fast = (
                    compute_mean(results[name], "score", uncorrected=True)
                    for name in (format_fall_speed_name(agent, 1000), f"{format_fall_speed_name(agent, 100)}{suffix}")
                )
                ratios[agent] = compute_ratio(fast, slow)
        decisions = [decide_above(ratio.interval, KEPT_SCORE_SHARE) for ratio in ratios.values()]
        lowest = min(ratios, key=lambda agent: ratios[agent].value or 0)
        return MeasuredValue(
            holds=combine_decisions(decisions),
            text="; ".join(f"{agent} {ratio.formatted} times" for agent, ratio in ratios.items()),
            basis=f"the score at 100 ms per row compared with 1,000 ms, with {keys}",
            evidence=f"the smallest ratio is that of {lowest}, {ratios[lowest].formatted}",
        )

    return check


def make_genetic_speed_check(name: str, basis: str) -> ValueReader:
    """Return a check whether a genetic agent needs much less time per piece than the depth-limited one."""

    def check(results: MeasurementResults) -> MeasuredValue:
        rates = results["genetic-games"]["time"]
        ratio = rates[name] / rates["by-hand"]
        return MeasuredValue(
            holds=ratio >= MUCH_FASTER,
            text=f"{format_number(ratio)} times the pieces per second",
            basis=basis,
            evidence=f"it places {format_number(ratio)} times as many pieces per second",
            is_machine_dependent=True,
        )

    return check


def measure_report_delta(results: MeasurementResults) -> MeasuredValue:
    """Return our sum of height differences for the example of section 6.3; it does not depend on the results."""
    board = Board(tuple((1 << height) - 1 for height in REPORT_DELTA_HEIGHTS), 22)
    return MeasuredValue(board.measure_features()["bumpiness"], text=f"{board.measure_features()['bumpiness']}")


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
    """Return a check whether an exhaustive search finds no strategy in wells of odd width."""

    def check(results: MeasurementResults) -> MeasuredValue:
        found = {width: results["single-piece"][kind][str(width)] for width in WELL_WIDTHS if width % 2}
        winning = [str(width) for width, data in found.items() if data["smallest_height"] is not None]
        heights = "; ".join(
            f"width {width}: none up to height {data['searched_height']}" for width, data in found.items()
        )
        proof = _NO_STRATEGY_PROOFS.get(kind, "")
        return MeasuredValue(
            holds=not winning,
            text=f"a strategy for the width {', '.join(winning)}" if winning else heights,
            basis="all states up to these heights",
            evidence="a strategy was found" if winning else f"every sequence grows above these heights{proof}",
        )

    return check


_NO_STRATEGY_PROOFS = {
    "Square": ", and above any height, because squares fill a row by twos and never one of odd width"
}
