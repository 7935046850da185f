"""`tetrion play`: a person plays, in a window."""

import click

from tetrion.app.launcher import open_window
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.rules import INTEGER_FIELDS, Rules
from tetrion.errors import RulesError
from tetrion.position import uses_levels

_LEVEL_RANGE = INTEGER_FIELDS["level"]


@click.command()
@click.option("--rules", default="", metavar="RULES", help="A rule set; if not given, the one of the last time.")
@click.option("--level", type=click.IntRange(*_LEVEL_RANGE), help="The level to start at, where the rules have levels.")
@click.option("--seed", type=int, help="Same seed, same pieces; any if not given.")
def command(rules: str, level: int | None, seed: int | None) -> None:
    """Play a game."""
    if rules and not uses_levels(Rules.parse(rules)) and level:
        raise RulesError(f"{rules} has no levels. Leave --level out, or take rules that have some, such as nes.")
    seed = None if seed is None else validate_seed(seed)
    open_window("play", rules=rules, level=level, seed=seed, start=True)
