"""`tetrion practice`: try placements freely in the window, with advice from an agent."""

import click

from tetrion.agents import load_agent
from tetrion.app.launcher import open_window
from tetrion.cli.boards import board_option, load_board
from tetrion.cli.shared_options import allow_code_option, refuse_empty_rules
from tetrion.engine.bitboard import MAX_ROWS
from tetrion.engine.rules import Rules


@click.command()
@click.option("--rules", callback=refuse_empty_rules, metavar="RULES", help="Rule set (default: the one played last).")
@click.option("--agent", default="", metavar="AGENT", help="Agent that gives advice (default: the one of the hints).")
@board_option
@allow_code_option("agent")
def command(rules: str | None, agent: str, board_file: str | None) -> None:
    """Try placements freely in the window.

    Nothing falls until gravity is raised. Draw cells on the board with the mouse, or start with the board in FILE, and
    ask AGENT what it would do: a name (see tetrion list agents), a weights file, the folder of a run or a Python class
    (mine.py:Mine).
    """
    parsed_rules = Rules.parse(rules) if rules else None
    loaded_agent = load_agent(agent) if agent else None
    if parsed_rules and loaded_agent:
        loaded_agent.check_rules(parsed_rules)
    board = str(load_board(board_file, parsed_rules.rows if parsed_rules else MAX_ROWS)) if board_file else ""
    open_window("practice", rules=rules or "", agent=agent, board=board)
