"""`tetrion versus`: two players on the same pieces, in the window."""

import click

from tetrion.app.game_storage import HUMAN_PLAYER
from tetrion.app.games.human_rules import DEFAULT_PLAY_RULES
from tetrion.app.launcher import open_window
from tetrion.cli.shared_options import NumberRange, allow_code_option, rules_option
from tetrion.engine.randomisers import validate_seed
from tetrion.extras import require

_MIN_MOVES_PER_SECOND = 0.5
_MAX_MOVES_PER_SECOND = 30.0


@click.command()
@click.argument("players", nargs=-1, metavar="PLAYER PLAYER")
@rules_option
@click.option("--seed", type=int, metavar="N", help="Seed of the piece sequence (default: random).")
@click.option(
    "--speed",
    type=NumberRange(_MIN_MOVES_PER_SECOND, _MAX_MOVES_PER_SECOND),
    metavar="RATE",
    help="Moves per second of the agents (default: 4, or 1 with a human player).",
)
@allow_code_option("players")
def command(players: tuple[str, ...], rules: str | None, seed: int | None, speed: float | None) -> None:
    """Let two players play the same pieces side by side.

    PLAYER is an agent (a name from tetrion list agents, a weights file, a Python class or the folder of a run), or the
    word "you" for a human player: tetrion versus you lee. Without --rules, a match of a human player has the guideline
    rules, and other matches have those that both agents were made for.
    """
    require("pygame", "the window")
    from tetrion.app.games.match import make_match_setup  # needs pygame

    if HUMAN_PLAYER in players:
        rules = rules or DEFAULT_PLAY_RULES
    seed = None if seed is None else validate_seed(seed)
    make_match_setup(players, rules or "")
    open_window("versus", players=players, rules=rules or "", seed=seed, speed=speed)
