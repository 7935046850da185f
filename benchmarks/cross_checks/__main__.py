"""Tetrion's engine compared with other environments, move by move: python -m benchmarks.cross_checks [NAME...].

Each environment plays in a process of its own, in the virtual environment of benchmarks.others. Tetrion chooses the
moves, and after each move the results of both engines are compared. NAME is jumanji or tetris-gymnasium.
"""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from benchmarks.common import format_left_aligned_table, format_table, make_parser, make_result, save_result
from benchmarks.cross_checks.checks import (
    BOARDS,
    ENDS,
    EXTRA_ACTIONS,
    GAINS,
    LOCATIONS,
    MISSING_ACTIONS,
    MOVES,
    CheckCounts,
    ChooseFunction,
    check_key_game,
    check_placement_game,
    make_rotation_system,
    summarise_returns,
)
from benchmarks.others.environments import NotMeasuredError, OtherProgram, ProgramProcess, get_default_folder
from tetrion import Rules, evaluate
from tetrion.agents import load_weighted_agent
from tetrion.engine.rotation_systems import ROTATION_SYSTEMS
from tetrion.envs import JUMANJI_OPTIONS, JUMANJI_PIECES
from tetrion.evaluation.number_format import NO_VALUE, format_mean_interval

HOST_MODULE = "benchmarks.cross_checks.environment_hosts"
JUMANJI, TETRIS_GYMNASIUM = "jumanji", "tetris-gymnasium"
RANDOM_PLACEMENTS, RANDOM_KEYS = "random placements", "random keys"
TETRION_AGENTS = ("du", "dt10", "lowest")
TETRION_GAMES = 10_000
TIME_LIMIT = JUMANJI_PIECES  # `du` plays as many pieces in tetris-gymnasium
JUMANJI_RULES = JUMANJI_OPTIONS["rules"]
GROUPED_RULES = f"standard:spawn_height=0,preview=4,randomiser=bag,rotation={TETRIS_GYMNASIUM},game_over=entry"
KEY_RULES = f"{GROUPED_RULES},movement=timed,gravity=1,frames_per_key=1"


class CrossCheck(NamedTuple):
    """A check: the environment's package and host, what chooses the moves, the rules, and what plays a game."""

    package: str
    host: str
    actions: str
    player: str
    rules: str
    check_game: Callable[..., None]

    def run(self, games: int, folder: Path) -> dict[str, Any]:
        """Play games and return the counts as JSON data."""
        program = OtherProgram(self.package, self.actions, self.host, self.package, module=HOST_MODULE)
        process = ProgramProcess(program, folder)
        counts = CheckCounts()
        if self.package == TETRIS_GYMNASIUM:
            ROTATION_SYSTEMS[TETRIS_GYMNASIUM] = make_rotation_system(ask_host(process, "list_pieces", None))
        rules = Rules.parse(self.rules)
        for seed in range(1, games + 1):  # tetris-gymnasium does not use a seed of 0
            choose = make_choose_function(self.player, seed)
            self.check_game(partial(ask_host, process), seed, choose, rules=rules, counts=counts)
        process.close()
        facts = {"environment": self.package, "version": process.version, "actions": self.actions}
        return facts | {"player": self.player, "rules": str(rules)} | counts.to_json()


CROSS_CHECKS = (
    *(
        CrossCheck(
            *(JUMANJI, "Jumanji", "placements", player, JUMANJI_RULES),
            partial(check_placement_game, time_limit=TIME_LIMIT),
        )
        for player in ("du", "lowest", RANDOM_PLACEMENTS)
    ),
    *(
        CrossCheck(
            *(TETRIS_GYMNASIUM, "TetrisGymnasium", "keys", player, KEY_RULES),
            partial(check_key_game, max_pieces=TIME_LIMIT),
        )
        for player in ("du", RANDOM_PLACEMENTS, RANDOM_KEYS)
    ),
    CrossCheck(
        *(TETRIS_GYMNASIUM, "TetrisGymnasiumGrouped", "grouped placements", RANDOM_PLACEMENTS, GROUPED_RULES),
        partial(check_placement_game, time_limit=None),
    ),
)


def ask_host(process: ProgramProcess, method: str, argument: Any) -> Any:
    """Call a method of the host of an environment."""
    return json.loads(process.ask(json.dumps((method, argument))))


def make_choose_function(player: str, seed: int) -> ChooseFunction | None:
    """Return the function that chooses the placements of a game; None if random keys are pressed."""
    if player == RANDOM_KEYS:
        return None
    if player == RANDOM_PLACEMENTS:
        random = Random(seed)
        return lambda position: random.choice(position.placements())
    return load_weighted_agent(player).choose


def measure_agents(games: int) -> list[dict[str, Any]]:
    """Return the mean score of Tetrion's agents in Tetrion's own games of jumanji's task."""
    evaluations = [evaluate(agent, JUMANJI_RULES, games, max_pieces=TIME_LIMIT) for agent in TETRION_AGENTS]
    return [
        {"agent": evaluation.agent, "games": games} | summarise_returns(evaluation.per_game["score"])
        for evaluation in evaluations
    ]


# The tables of the documentation.

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


def main() -> None:
    """Run the checks, print their counts, and write them to a file if requested."""
    parser = make_parser(__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{JUMANJI} or {TETRIS_GYMNASIUM} (default: both)")
    parser.add_argument("--games", type=int, default=300, help="games of each check")
    parser.add_argument("--environments", type=Path, default=get_default_folder(), help="folder of the environments")
    options = parser.parse_args()
    if unknown := set(options.names) - {JUMANJI, TETRIS_GYMNASIUM}:
        parser.error(f"unknown environment {unknown.pop()!r}; available: {JUMANJI}, {TETRIS_GYMNASIUM}")
    names = options.names or [JUMANJI, TETRIS_GYMNASIUM]
    try:
        checks = [check.run(options.games, options.environments) for check in CROSS_CHECKS if check.package in names]
    except NotMeasuredError as error:
        raise SystemExit(f"An environment cannot be checked: {error}") from error
    command = " ".join(["python -m benchmarks.cross_checks", *options.names, f"--games {options.games}"])
    agents = measure_agents(TETRION_GAMES) if JUMANJI in names else []
    save_result(options.json, make_result(command, checks=checks, tetrion=agents))


if __name__ == "__main__":
    main()
