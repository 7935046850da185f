"""`tetrion replay`: show a saved game in the window, or export it as an HTML page."""

import click

from tetrion.cli.console_output import echo
from tetrion.cli.output_files import STANDARD_OUTPUT, check_writable, write_text


@click.command()
@click.argument("file")
@click.option(
    "--html", "page", metavar="PAGE", help="Write a self-contained HTML page to PAGE (- for standard output)."
)
def command(file: str, page: str | None) -> None:
    """Show the saved game FILE in the window, or with --html export it as a self-contained HTML page."""
    if page is not None:
        write_replay_page(file, page)
        return
    from tetrion.app.launcher import open_window
    from tetrion.replay import add_file_to_errors, load_unverified_replay

    with add_file_to_errors(file):
        load_unverified_replay(file)  # report a damaged file before the window opens
    open_window("replay", file=file)


def write_replay_page(file: str, page: str) -> None:
    """Write a saved game as an HTML page and print the name of the page."""
    from tetrion.lab.replay_page import render_replay_page
    from tetrion.replay import Replay

    check_writable("--html", page)
    write_text("--html", page, render_replay_page(Replay.load(file)))
    if page != STANDARD_OUTPUT:
        echo(page)
