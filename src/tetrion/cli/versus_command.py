"""`tetrion versus`: two to four players on the same pieces, in a window."""

import click

from tetrion.app.games.match_setup import make_match_setup
from tetrion.app.launcher import open_window
from tetrion.engine.randomisers import validate_seed

_MIN_MOVES_PER_SECOND, _MAX_MOVES_PER_SECOND = 0.5, 30.0  # moves a second


@click.command()
@click.argument("players", nargs=-1, metavar="PLAYER...")
@click.option("--rules", default="", metavar="RULES", help="A rule set; if not given, the first agent's own.")
@click.option("--seed", type=int, help="Same seed, same pieces; any if not given.")
@click.option(
    "--speed",
    type=click.FloatRange(_MIN_MOVES_PER_SECOND, _MAX_MOVES_PER_SECOND),
    help="Moves a second of the agents; 4 if not given.",
)
def command(players: tuple[str, ...], rules: str, seed: int | None, speed: float | None) -> None:
    """Let two to four players play side by side on the same pieces.

    PLAYER is an agent as for other commands (a name, a file, a class, a run's folder), or the word you: tetrion versus
    you lee.
    """
    make_match_setup(players, rules)
    seed = None if seed is None else validate_seed(seed)
    open_window("versus", players=players, rules=rules, seed=seed, speed=speed)
