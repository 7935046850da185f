"""`tetrion list`: what there is."""

import click

from tetrion.agents import load, published
from tetrion.cli.output import print_table
from tetrion.engine.features import FEATURES
from tetrion.engine.randomisers import NAMED, PATTERNS
from tetrion.engine.rules import PRESETS, Rules


@click.group()
def command() -> None:
    """Show what there is."""


@command.command()
def features() -> None:
    """Every feature: name, values, meaning, source."""
    rows = [[f.name, f"{f.smallest} to {f.largest}".replace("-", "−"), f.meaning, f.source] for f in FEATURES.values()]
    print_table(["feature", "values", "meaning", "source"], rows)


@command.command()
def agents() -> None:
    """The published agents: name, source, features."""
    known = [load(name) for name in published()]
    print_table(["agent", "source", "features"], [[a.name, a.source, ", ".join(a.weights)] for a in known])


@command.command()
def rules() -> None:
    """The named rule sets, and the randomisers that any of them can be given."""
    known = [Rules.preset(name) for name in PRESETS]
    print_table(["rules", "height", "randomiser"], [[r.name, f"10×{r.height}", r.randomiser] for r in known])
    click.echo("\nAny rule can be changed, as in standard:height=14,randomiser=bag. Randomisers: " + ", ".join(NAMED))
    click.echo("and " + "; ".join(f"{name}, {meaning}" for name, meaning in PATTERNS.items()) + ".")
