"""The option `--allow-code`, and what the user allows by naming code on the command line."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from functools import wraps
from typing import Any

import click

from tetrion.errors import TetrionError

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
