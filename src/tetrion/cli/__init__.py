"""The `tetrion` command line. Each command is imported when it is called, so that `tetrion --help` is fast."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper
from typing import Any

import click

from tetrion.errors import TetrionError, UnknownNameError
from tetrion.extras import LIBRARIES, MissingLibraryError
from tetrion.interrupts import EXIT_STOPPED as EXIT_STOPPED, exit_at_once_on_interrupt, report_stop
from tetrion.text_cleaning import UNENCODABLE_AS_ASCII, clean_message

EXIT_FAILED = 2  # a mistake in the input, or a result that could not be produced
_ERROR_PREFIX = "Error: "  # the same as click's
COMMANDS = {
    "bench": "Measure agents over many games.",
    "evolve": "Train and watch the population in the window.",
    "explain": "Show how an agent evaluates a position.",
    "list": "List agents, features, papers, recipes or rules.",
    "play": "Play a game, in the window or in the terminal.",
    "perft": "Count the sequences of placements of a queue of pieces.",
    "plot": "Plot a training run.",
    "practice": "Try placements freely in the window, with advice from an agent.",
    "record": "Record a game as a video.",
    "replay": "Show a saved game, or export it as an HTML page.",
    "report": "Write an HTML report about a training run.",
    "reproduce": "Reproduce the results of a paper, claim by claim.",
    "review": "Grade every move of a saved game.",
    "speed": "Measure the playing speed of this machine.",
    "train": "Train an agent, for example with a genetic algorithm.",
    "versus": "Compare players on the same pieces, in the window.",
    "watch": "Watch an agent play, in the window or in the terminal.",
}
_EXAMPLES = {  # complete arguments of the commands that need some, shown where one is missing
    "bench": "lee",
    "evolve": "gavrilov",
    "explain": "becker --piece T",
    "perft": "IOLJSZT --depth 5",
    "plot": "runs/gavrilov-0",
    "record": "medico --out game.mp4",
    "replay": "game.json",
    "report": "runs/gavrilov-0",
    "reproduce": "becker --quick",
    "review": "game.json",
    "watch": "medico",
}


class SuggestingGroup(click.Group):
    """A group that suggests the most similar name for an unknown one."""

    kind = "list"  # of the names
    listing = ""  # a further sentence for the end of the message

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command to run."""
        names = self.list_commands(context)
        if args and args[0] not in names and not args[0].startswith("-"):
            raise UnknownNameError(self.kind, args[0], names, listing=self.listing)
        return super().resolve_command(context, args)


class LazyCommandGroup(SuggestingGroup):
    """The group of all commands; the module of a command is imported when the command is used."""

    kind = "command"
    listing = "`tetrion --help` lists all commands."

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import and return a command, or None if there is none with that name."""
        if name not in COMMANDS:
            return None
        with exit_at_once_on_interrupt():
            command: click.Command = import_module(f"tetrion.cli.{name}_command").command
        return command

    def parse_args(self, context: click.Context, args: list[str]) -> list[str]:
        """Parse the options before the command; `help bench` is the same as `bench --help`."""
        return super().parse_args(context, [*args[1:], "--help"] if args[:1] == ["help"] else args)

    def make_context(
        self, info_name: str | None, args: list[str], parent: click.Context | None = None, **extra: Any
    ) -> click.Context:
        """Parse the options before the command."""
        with end_on_interrupt(), wrap_usage_errors():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, context: click.Context) -> object:
        """Run the command; Ctrl-C that the command does not handle itself ends with one line and its exit code."""
        with end_on_interrupt(), wrap_usage_errors():
            return super().invoke(context)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyCommandGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(version("tetrion"), prog_name="tetrion")
@click.pass_context
def tetrion(context: click.Context) -> None:
    """Tetrion, a Tetris AI laboratory.

    Without a command, the window opens.
    """
    if context.invoked_subcommand is None:
        from tetrion.app.launcher import open_window

        open_window()


def main() -> None:
    """Run the command line; a user error prints one line and ends with exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=UNENCODABLE_AS_ASCII)  # a console may be unable to show "−"
    try:
        tetrion()
    except TetrionError as error:
        from tetrion.cli.console_output import translate_to_options

        print_error(translate_to_options(str(error)))
        sys.exit(EXIT_FAILED)
    except ModuleNotFoundError as error:
        library = str(error.name).partition(".")[0]
        if library not in LIBRARIES:
            raise
        print_error(str(MissingLibraryError(library, "this command")))
        sys.exit(EXIT_FAILED)
    except OSError as error:
        print_error(describe_system_error(error))
        sys.exit(EXIT_FAILED)


def print_error(message: str) -> None:
    """Print the message of an error to standard error."""
    from tetrion.cli.console_output import print_notice

    print_notice(f"{_ERROR_PREFIX}{message}")


@contextmanager
def end_on_interrupt() -> Iterator[None]:
    """End the program after Ctrl-C with one line and its exit code."""
    try:
        yield
    except KeyboardInterrupt:
        report_stop()
        raise SystemExit(EXIT_STOPPED) from None


@contextmanager
def wrap_usage_errors() -> Iterator[None]:
    """Raise errors of the arguments with a message that is cleaned and fits the terminal."""
    try:
        yield
    except click.exceptions.NoArgsIsHelpError:
        raise
    except click.UsageError as error:
        from tetrion.cli.console_output import name_program, wrap_notice

        command = error.ctx.info_name if error.ctx else None
        is_missing = isinstance(error, click.MissingParameter) and command in _EXAMPLES
        example = f" For example: tetrion {command} {_EXAMPLES[str(command)]}" if is_missing else ""
        message = name_program(clean_message(error.format_message()) + example)
        message = wrap_notice(f"{_ERROR_PREFIX}{message}").removeprefix(_ERROR_PREFIX)
        raise click.UsageError(message, error.ctx) from None


def describe_system_error(error: OSError) -> str:
    """Return a sentence about an error of the operating system, with the file that it concerns."""
    reason = error.strerror or str(error) or type(error).__name__
    files = [os.fsdecode(file) for file in (error.filename, error.filename2) if isinstance(file, str | bytes)]
    return f"{' → '.join(files)}: {reason}." if files else f"{reason}."
