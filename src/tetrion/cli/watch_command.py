"""`tetrion watch`: watch an agent play, in the window or in the terminal."""

import click

from tetrion.cli.shared_options import NumberRange, allow_code_option, rules_option

# moves per second
MIN_WATCH_SPEED = 0.25
_DEFAULT_WATCH_SPEED = 4.0
MAX_WATCH_SPEED = 512.0


@click.command()
@click.argument("agent")
@rules_option
@click.option(
    "--seed",
    type=int,
    metavar="N",
    help="Seed of the game (default: 0 with --text; in the window, the seed after the last one that was watched).",
)
@click.option("--auto/--paused", default=True, help="Play at once (default), or begin paused and move with Space or N.")
@click.option("--text", is_flag=True, help="Show the game in the terminal.")
@click.option(
    "--speed",
    type=NumberRange(MIN_WATCH_SPEED, MAX_WATCH_SPEED),
    metavar="RATE",
    help="With --text: moves per second (default: 4).",
)
@click.option("--pieces", type=click.IntRange(1), metavar="N", help="With --text: stop after N pieces.")
@allow_code_option("agent")
def command(
    *,
    agent: str,
    rules: str | None,
    seed: int | None,
    auto: bool,
    text: bool,
    speed: float | None,
    pieces: int | None,
) -> None:
    """Watch AGENT play in the window, or with --text in the terminal.

    AGENT is a name (see tetrion list agents), a weights file, the folder of a run or a Python class (mine.py:Mine). In
    the terminal, keys pause, step, change the speed, restart and quit. If the output is not a terminal, the game is
    played to its end (or to --pieces), also with --paused, and only the final board is printed.
    """
    if not text and (speed is not None or pieces is not None):
        raise click.UsageError("--speed and --pieces need --text: add --text, or omit them.")
    from tetrion.agents import choose_rules, load_agent
    from tetrion.agents.compiled_parts import plan_stepped_games
    from tetrion.engine.batch_play import UNLIMITED
    from tetrion.engine.randomisers import validate_seed
    from tetrion.errors import AgentError

    loaded_agent = load_agent(agent)
    chosen_rules = choose_rules([loaded_agent], rules)
    try:
        loaded_agent.check_rules(chosen_rules)
    except AgentError as error:
        if not rules or not loaded_agent.rules:
            raise
        raise AgentError(f"{error} Omit --rules for those of {loaded_agent.name}: {loaded_agent.rules}.") from None
    validate_seed(seed or 0)
    if text:
        from tetrion.cli.terminal_watch import watch_in_terminal
        from tetrion.game import Game

        plan_stepped_games([loaded_agent], chosen_rules)
        game = Game(chosen_rules, seed or 0)
        watch_in_terminal(
            loaded_agent, game, speed or _DEFAULT_WATCH_SPEED, max_pieces=pieces or UNLIMITED, is_paused=not auto
        )
    else:
        from tetrion.app.launcher import open_window

        open_window("watch", agent=agent, rules=rules or "", seed=seed, auto=auto)
