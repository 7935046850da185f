"""Answers to the open questions of Gavrilov's report, and additional tables."""

import numpy as np

from tetrion.evaluation.number_format import format_duration, format_name, format_number
from tetrion.lab.papers.gavrilov.gavrilov_evolution import get_training_pieces
from tetrion.lab.papers.gavrilov.gavrilov_findings import (
    ADDED_FEATURES,
    GAVRILOV_AGENT_NAMES,
    GAVRILOV_RANDOMISERS,
    format_randomiser_measurement_name,
)
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
    return [[rate, compute_mean(data).formatted] for rate, data in results["key-rates"].items()]


def make_real_time_table(results: MeasurementResults) -> list[list[str]]:
    """Return lines and times of the trained agent in real time, one row per key rate."""
    training_pieces = float(np.median(get_training_pieces(results)))
    return [
        make_real_time_row(
            rate,
            compute_mean(data["lines"]),
            data["seconds_per_piece"],
            data["training_seconds_per_piece"] * training_pieces / 86_400,
        )
        for rate, data in results["real-time"].items()
    ]


def make_real_time_row(rate: str, lines: MeasuredValue, seconds_per_piece: float, training_days: float) -> list[str]:
    """Return a row of the table of real-time games: lines per game, and the time of pieces, games and the training."""
    game_seconds = None if lines.value is None else lines.value * _PIECES_PER_LINE * seconds_per_piece
    return [
        rate,
        lines.formatted,
        f"{seconds_per_piece:.2f} s",
        format_duration(_PUBLISHED_LINES * _PIECES_PER_LINE * seconds_per_piece),
        "–" if game_seconds is None else format_duration(game_seconds),
        f"{format_number(training_days, 1)} days",
    ]
