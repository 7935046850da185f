"""Options that several commands share."""

import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from typing import Any

import click

from tetrion.errors import RulesError, TetrionError
from tetrion.evaluation.gpu import DEVICES, validate_device
from tetrion.evaluation.workers import MAX_WORKERS
from tetrion.lab.figure_charts import DARK_THEME, MAX_PLOT_WIDTH, MIN_PLOT_WIDTH, THEMES


class NumberRange(click.FloatRange):
    """A range of numbers, to which NaN does not belong (in click's ranges it does)."""

    name = "number"

    def convert(self, value: Any, parameter: click.Parameter | None, context: click.Context | None) -> float:
        """Return the number that a text stands for."""
        number: float = super().convert(value, parameter, context)
        if math.isnan(number):
            self.fail(f"{value} is not a number from {self.min:g} to {self.max:g}.", parameter, context)
        return number


def refuse_empty_rules(context: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Return the given rules, or None without the option; raise a RulesError for an empty text (click callback)."""
    if value is not None and not value.strip():
        raise RulesError(
            "--rules is a rule set, such as standard; given an empty text. Give a rule set (`tetrion list rules` lists "
            "all), or omit --rules."
        )
    return value


rules_option = click.option(
    "--rules",
    callback=refuse_empty_rules,
    metavar="RULES",
    help="Rule set, with changes after a colon: standard:height=14 (default: the rules that the agents were made for).",
)
workers_option = click.option(
    "--workers", type=click.IntRange(1, MAX_WORKERS), metavar="N", help="Number of threads (default: all cores)."
)
device_option = click.option(
    "--device",
    callback=lambda _context, _parameter, value: validate_device(value),
    metavar=f"[{'|'.join(DEVICES)}]",
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
    type=NumberRange(MIN_PLOT_WIDTH, MAX_PLOT_WIDTH),
    metavar="INCHES",
    help="Width of the plots (default: 3.5, one column of a paper, for .pdf; else a page).",
)


CommandFunction = Callable[..., None]


def allow_code_option(parameter: str) -> Callable[[CommandFunction], CommandFunction]:
    """Return a decorator that adds `--allow-code` to a command; `parameter` holds its agent or its agents."""

    def decorate(function: CommandFunction) -> CommandFunction:
        @click.option(
            "--allow-code",
            is_flag=True,
            help="Run the Python file that an agent file names. It can do anything on this computer.",
        )
        @wraps(function)
        def run(*, allow_code: bool, **parameters: Any) -> None:
            given = parameters[parameter]
            allow_named_code([given] if isinstance(given, str) else given or (), allow_code=allow_code)
            function(**parameters)

        return run

    return decorate


def allow_named_code(names: Iterable[str], *, allow_code: bool) -> None:
    """Allow the Python classes that the user has named and, with `allow_code`, the modules of the agent files."""
    from tetrion.agents.agent_loading import find_code_file, split_options
    from tetrion.agents.code_consent import consent_to_path, remember_consent
    from tetrion.agents.python_agent.agent_process import is_python_agent_name

    for name in names:
        with suppress(TetrionError):  # loading the agent reports the error
            path = find_code_file(name)
            if path and is_python_agent_name(split_options(name)[0]):
                consent_to_path(path)
            elif path and allow_code:
                remember_consent(path)
