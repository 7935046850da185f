"""What a person types. Commands load when they are called, so that `tetrion --help` answers at once."""

import sys
from importlib import import_module
from importlib.metadata import version
from io import TextIOWrapper

import click

from tetrion.errors import TetrionError, UnknownNameError

COMMANDS = {
    "bench": "Measure agents over many games.",
    "evolve": "Watch a population learn, in the window.",
    "explain": "Show what an agent thinks of a position.",
    "list": "Show what there is: agents, features, papers, recipes, rules.",
    "play": "Play a game in a window.",
    "plot": "Draw how a run of training went.",
    "record": "Record a game as a video.",
    "replay": "Show a game that was written down, or make it a page.",
    "report": "Write a page about a run of training.",
    "reproduce": "Measure what a paper says, claim by claim.",
    "review": "Grade every move of a replay against an agent.",
    "speed": "Measure how fast this machine plays.",
    "train": "Train an agent: genetic algorithms and more.",
    "versus": "Let players meet on the same pieces, in a window.",
    "watch": "Watch an agent play, in the window or the terminal.",
}


class LazyCommandGroup(click.Group):
    """The commands by name, each in a file of its own."""

    def list_commands(self, context: click.Context) -> list[str]:
        """All names."""
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """The command of that name, loaded."""
        if name not in COMMANDS:
            return None
        command: click.Command = import_module(f"tetrion.cli.{name}_command").command
        return command

    def resolve_command(
        self, context: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command, or offer the nearest one."""
        if args and args[0] not in COMMANDS and not args[0].startswith("-"):
            raise UnknownNameError("command", args[0], COMMANDS, listing="`tetrion --help` shows all.")
        return super().resolve_command(context, args)

    def format_commands(self, context: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without loading them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(COMMANDS.items()))


@click.group(
    cls=LazyCommandGroup, invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]}
)
@click.version_option(version("tetrion"), prog_name="tetrion")
@click.pass_context
def tetrion(context: click.Context) -> None:
    """Tetrion, a Tetris AI laboratory.

    Without a command its window opens.
    """
    if context.invoked_subcommand is None:
        from tetrion.app.launcher import open_window

        open_window()


def main() -> None:
    """Run a command; a person's mistake ends with one line and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")  # a "−" must not end a command where the console knows none
    try:
        tetrion()
    except TetrionError as mistake:
        click.echo(f"Error: {mistake}", err=True)
        sys.exit(2)
    except OSError as problem:
        click.echo(f"Error: {problem.strerror or problem}.", err=True)
        sys.exit(2)
