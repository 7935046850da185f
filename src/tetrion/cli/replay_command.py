"""`tetrion replay`: a game that was written down, in the window or as a page."""

import click

from tetrion.cli.output_files import STANDARD_OUTPUT, check_writable, write_text


@click.command()
@click.argument("file")
@click.option("--html", "page", metavar="OUT", help="Write a page that any browser opens; - for the standard output.")
def command(file: str, page: str | None) -> None:
    """Show the game in FILE, a replay: in the window, or with --html as a page that needs no other file."""
    if page is not None:
        write_replay_page(file, page)
        return
    from tetrion.app.launcher import open_window
    from tetrion.replay import Replay, add_file_to_errors

    with add_file_to_errors(file):
        Replay.load_unverified(file)  # a mistake shows before a window opens
    open_window("replay", file=file)


def write_replay_page(file: str, page: str) -> None:
    """Write the page of a replay and say where it is."""
    from tetrion.lab.replay_page import render_replay_page
    from tetrion.replay import Replay

    check_writable("--html", page)
    write_text("--html", page, render_replay_page(Replay.load(file)))
    if page != STANDARD_OUTPUT:
        click.echo(page)
