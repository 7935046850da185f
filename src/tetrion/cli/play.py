"""`tetrion play`: a person plays, in a window."""

import click

from tetrion.app.start import open_window
from tetrion.engine.randomisers import checked_seed
from tetrion.engine.rules import WHOLE, Rules
from tetrion.errors import RulesError
from tetrion.position import has_levels

LEVELS = WHOLE["level"]


@click.command()
@click.option("--rules", default="", metavar="RULES", help="A rule set; if not given, the one of the last time.")
@click.option("--level", type=click.IntRange(*LEVELS), help="The level to start at, where the rules have levels.")
@click.option("--seed", type=int, help="Same seed, same pieces; any if not given.")
def command(rules: str, level: int | None, seed: int | None) -> None:
    """Play a game."""
    if rules and not has_levels(Rules.parse(rules)) and level:
        raise RulesError(f"{rules} has no levels. Leave --level out, or take rules that have some, such as nes.")
    seed = None if seed is None else checked_seed(seed)
    open_window("play", rules=rules, level=level, seed=seed, start=True)
