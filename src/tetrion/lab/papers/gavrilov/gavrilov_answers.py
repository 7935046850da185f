"""Answers to the open questions of Gavrilov's report, and additional tables."""

from tetrion.evaluation.number_format import NO_VALUE, format_name, format_number
from tetrion.lab.papers.gavrilov.gavrilov_evolution import compute_real_time_training_days, format_days
from tetrion.lab.papers.gavrilov.gavrilov_findings import (
    ADDED_FEATURES,
    GAVRILOV_AGENT_NAMES,
    GAVRILOV_RANDOMISERS,
    format_lines_and_games,
    format_randomiser_measurement_name,
    get_real_time_games,
    read_key_rate,
    read_real_time_lines,
)
from tetrion.lab.papers.gavrilov.gavrilov_games import format_key_rate
from tetrion.lab.papers.gavrilov.gavrilov_real_time import FAST_KEY_RATES, REAL_TIME_KEY_RATES
from tetrion.lab.reproduction.measured_values import (
    compute_difference,
    compute_mean,
    compute_mean_over_seeds,
    compute_ratio,
)
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue

_HARDEST_RANDOMISERS = GAVRILOV_RANDOMISERS[-3:]
_PIECES_PER_LINE = 2.5  # ten columns, four cells per piece
_PUBLISHED_LINES = 1500  # of the trained agent

# Answers


def describe_lines_difference(ours: MeasuredValue, base: MeasuredValue) -> str:
    """Describe whether a value is more or less than a base value, by the interval of the difference."""
    low, high = compute_difference(ours, base).interval
    return "more" if low > 0 else "fewer" if high < 0 else "no difference was found"


def describe_added_features(results: MeasurementResults) -> str:
    """Describe the lines with additional features, trained with the same budget."""
    base = compute_mean_over_seeds(results["evolution"])
    lines = {
        ", ".join(map(format_name, added)): compute_mean_over_seeds(results[name])
        for name, added in ADDED_FEATURES.items()
    }
    parts = [
        f"with {added} {ours.formatted} ({describe_lines_difference(ours, base)})" for added, ours in lines.items()
    ]
    better = [added for added, ours in lines.items() if describe_lines_difference(ours, base) == "more"]
    verdict = f"these are significantly better: {'; '.join(better)}" if better else "none is significantly better"
    return (
        f"With the same recipe and budget, the four features reach {base.formatted} lines per held-out game of at most "
        f"4,000 pieces, in which 1,600 lines are possible ({base.basis}); {'; '.join(parts)}. Of these sets, {verdict}."
    )


def describe_reachable_placements(results: MeasurementResults) -> str:
    """Describe how much all reachable placements help, without and with retraining."""
    drop, reach = compute_mean(results["gavrilov"]), compute_mean(results["reach"])
    trained = compute_mean_over_seeds(results["evolution"])
    retrained = compute_mean_over_seeds(results["evolution-reach"])
    return (
        f"With all reachable placements the trained agent clears {reach.formatted} lines per game, with hard drops "
        f"only {drop.formatted} (all reachable placements: {describe_lines_difference(reach, drop)}). "
        f"Retrained with all reachable placements, the recipe reaches {retrained.formatted} lines per held-out game of "
        f"at most 4,000 pieces, with hard drops only {trained.formatted} (all reachable placements: "
        f"{describe_lines_difference(retrained, trained)}). "
        "T-spins play no role in his rules: a rotation never kicks a piece and earns no points, so only tucks remain."
    )


def describe_randomisers(results: MeasurementResults) -> str:
    """Describe how the randomiser changes the lines of the agents."""
    lines = {
        kind: compute_mean(results[format_randomiser_measurement_name("gavrilov", kind)])
        for kind in GAVRILOV_RANDOMISERS
    }
    trained = compute_ratio(lines["bag"], lines["uniform"])
    two_features = compute_ratio(
        compute_mean(results["gavrilov-2"]),
        compute_mean(results[format_randomiser_measurement_name("gavrilov-2", "uniform")]),
    )
    hardest = max(
        compute_mean(results[format_randomiser_measurement_name(agent, kind)]).value or 0
        for agent in GAVRILOV_AGENT_NAMES
        for kind in _HARDEST_RANDOMISERS
    )
    if trained.interval[0] > max(1, two_features.interval[1]):
        verdict = "the better an agent plays, the more an even distribution of pieces matters"
    elif trained.interval[0] > 1:
        verdict = "an even distribution of pieces matters"
    else:
        verdict = "an effect of an even distribution was not found"
    return (
        f"The trained agent clears {lines['bag'].formatted} lines with his bag, {lines['uniform'].formatted} with "
        f"uniform draws and {lines['nes'].formatted} with the NES console's randomiser. The bag multiplies its lines "
        f"by {trained.formatted} compared with uniform draws, and those of the agent with height and holes by "
        f"{two_features.formatted}: {verdict}. If only S and Z come, or always the worst piece, no agent clears more "
        f"than {format_number(hardest)} lines per game on average."
    )


# Tables


def make_randomiser_table(results: MeasurementResults) -> list[list[str]]:
    """Return the lines of every agent with every randomiser, one row per agent."""
    return [
        [
            agent,
            *(
                compute_mean(results[format_randomiser_measurement_name(agent, randomiser)]).formatted
                for randomiser in GAVRILOV_RANDOMISERS
            ),
        ]
        for agent in GAVRILOV_AGENT_NAMES
    ]


def make_key_rate_table(results: MeasurementResults) -> list[list[str]]:
    """Return the lines of the random player, one row per key rate."""
    players = {rate: read_key_rate(rate, results) for rate in results["key-rates"]}
    return [[format_key_rate(int(rate)), player.formatted, player.basis] for rate, player in players.items()]


def make_real_time_table(results: MeasurementResults) -> list[list[str]]:
    """Return lines and times of the trained agent in real time, one row per key rate."""
    return [
        [
            format_key_rate(rate),
            format_lines_and_games(read_real_time_lines(rate, results)),
            f"{get_real_time_games(rate, results)['seconds_per_piece']:.2f} s",
            format_hours(rate, _PUBLISHED_LINES, results),
            format_hours(rate, read_real_time_lines(rate, results).value, results),
            format_days(compute_real_time_training_days(rate, results)),
        ]
        for rate in (*REAL_TIME_KEY_RATES, *FAST_KEY_RATES)
    ]


def format_hours(rate: int, lines: float | None, results: MeasurementResults) -> str:
    """Format the hours that a number of lines takes in real time at a key rate."""
    seconds_per_line = get_real_time_games(rate, results)["seconds_per_piece"] * _PIECES_PER_LINE
    return NO_VALUE if lines is None else f"{format_number(lines * seconds_per_line / 3600, 1)} hours"
