"""The tables of the cross-checks in the documentation."""

from typing import Any

from benchmarks.cross_checks.check_counts import (
    BOARDS,
    ENDS,
    EXTRA_ACTIONS,
    GAINS,
    LOCATIONS,
    MISSING_ACTIONS,
    MOVES,
)
from benchmarks.markdown_tables import format_left_aligned_table, format_table
from tetrion.evaluation.number_format import NO_VALUE, format_mean_interval

KINDS_PER_MOVE = (MOVES, BOARDS, GAINS, ENDS)
KINDS = (*KINDS_PER_MOVE, EXTRA_ACTIONS, MISSING_ACTIONS, LOCATIONS)


def format_cross_checks(result: Any) -> str:
    """Return the table of the differences by kind, the table of mean returns, and the command."""
    checks = result["checks"]
    rows = [
        [
            f"{check['environment']} {check['version']}, {check['actions']}: {format_player(check['player'])}",
            f"{check['games']:,}",
            f"{check['compared'][BOARDS]:,}",
            *(format_differences(check, kind) for kind in KINDS),
        ]
        for check in checks
    ]
    measured = [
        [f"{check['environment']}'s environment", *format_returns(check["player"], check)]
        for check in checks
        if check["environment"] == "jumanji"
    ]
    measured += [["Tetrion's engine", *format_returns(task["agent"], task)] for task in result["tetrion"]]
    return (
        format_table(["environment, actions: player", "games", "moves", *KINDS], rows)
        + "\nThe columns after the moves are numbers of differences.\n\n"
        + format_left_aligned_table(["games played in", "player", "games", "mean return"], measured)
        + f"\nMeasured with `{result['command']}` ({result['processor']}, {result['date']})\n"
    )


def format_player(player: str) -> str:
    """Return the name of an agent as code, or the description of another player."""
    return player if player.startswith("random") else f"`{player}`"


def format_differences(check: Any, kind: str) -> str:
    """Return how many results of a kind differ, and how many were compared unless it is one per move."""
    if kind not in check["compared"]:
        return NO_VALUE
    different = f"{check['different'][kind]:,}"
    return different if kind in KINDS_PER_MOVE else f"{different} of {check['compared'][kind]:,}"


def format_returns(player: str, measured: Any) -> list[str]:
    """Return the player, the number of games, and the mean return with its interval."""
    return [format_player(player), f"{measured['games']:,}", format_mean_interval(measured["mean"], measured["ci95"])]
