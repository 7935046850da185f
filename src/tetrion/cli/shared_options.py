"""Options that several commands share."""

import click

from tetrion.drawing.palette import DARK_THEME, THEMES
from tetrion.evaluation.gpu import DEVICES
from tetrion.lab.figure_charts import MAX_PLOT_WIDTH, MIN_PLOT_WIDTH

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
theme_option = click.option(
    "--theme",
    type=click.Choice(THEMES),
    default=DARK_THEME,
    show_default=True,
    help="Colours of the plots: dark, or light for papers.",
)
width_option = click.option(
    "--width",
    type=click.FloatRange(MIN_PLOT_WIDTH, MAX_PLOT_WIDTH),
    metavar="INCHES",
    help="Width of the plots (default: 3.5, one column of a paper, for .pdf; else a page).",
)
