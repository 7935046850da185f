"""`tetrion watch`: an agent at play, in the window or in the terminal."""

import click

# moves a second
MIN_WATCH_SPEED = 0.25
_DEFAULT_WATCH_SPEED = 4.0
MAX_WATCH_SPEED = 512.0


@click.command()
@click.argument("agent")
@click.option("--rules", help="A rule set; the agent's own if not given.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same game.")
@click.option("--text", is_flag=True, help="Play in the terminal.")
@click.option(
    "--speed",
    type=click.FloatRange(MIN_WATCH_SPEED, MAX_WATCH_SPEED),
    help="With --text: moves a second, 4 if not given.",
)
@click.option("--pieces", type=click.IntRange(1), help="With --text: stop after so many pieces.")
def command(agent: str, rules: str | None, seed: int, text: bool, speed: float | None, pieces: int | None) -> None:
    """Watch AGENT play: in the window, or with --text in the terminal.

    AGENT is a name (tetrion list agents), a file, a run's folder or a class of yours (mine.py:Mine). In a terminal keys
    pause, step, change the speed, restart and quit; where the output goes elsewhere, the game is played to its end, or
    for --pieces, and only that end is printed.
    """
    if not text and (speed is not None or pieces is not None):
        raise click.UsageError("--speed and --pieces are for the terminal: add --text.")
    from tetrion.agents import PythonAgent, WeightedAgent, load_agent
    from tetrion.engine.batch_play import UNLIMITED
    from tetrion.engine.randomisers import validate_seed
    from tetrion.engine.rules import Rules

    player, seed = load_agent(agent), validate_seed(seed)
    home = "" if isinstance(player, PythonAgent) else player.rules
    chosen = Rules.parse(rules or home or "standard")
    if isinstance(player, WeightedAgent):
        player.get_engine_settings(chosen)  # whether enough next pieces are known for it
    if text:
        from tetrion.cli.terminal_watch import watch_in_terminal

        watch_in_terminal(player, chosen, seed, speed or _DEFAULT_WATCH_SPEED, pieces or UNLIMITED)
    else:
        from tetrion.app.launcher import open_window

        open_window("watch", agent=agent, rules=rules or "", seed=seed)
