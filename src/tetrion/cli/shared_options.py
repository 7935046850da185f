"""Options that several commands share."""

import click

from tetrion.evaluation.gpu import DEVICES

rules_option = click.option(
    "--rules",
    metavar="RULES",
    help="Rule set, with changes after a colon: standard:height=14 (default: the rules that the agents were made for).",
)
workers_option = click.option(
    "--workers", type=click.IntRange(1, 1024), metavar="N", help="Number of threads (default: all cores)."
)
device_option = click.option(
    "--device",
    type=click.Choice(DEVICES),
    default="cpu",
    show_default=True,
    help="Device that plays the games: cpu, or cuda for an NVIDIA GPU. The results are identical.",
)
