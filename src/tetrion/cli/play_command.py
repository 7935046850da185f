"""`tetrion play`: play a game, in the window or in the terminal."""

import click

from tetrion.app.games.human_rules import DEFAULT_PLAY_RULES, MODES, PLAY_PRESETS
from tetrion.app.launcher import open_window
from tetrion.cli.shared_options import refuse_empty_rules
from tetrion.engine.randomisers import validate_seed
from tetrion.engine.rules import INTEGER_FIELDS, Rules
from tetrion.errors import RulesError, UnknownNameError
from tetrion.position import uses_levels
from tetrion.registry import find_name


@click.command(context_settings={"allow_extra_args": True})
@click.pass_context
@click.option(
    "--rules",
    callback=refuse_empty_rules,
    metavar="RULES",
    help=f"Rule set, such as {', '.join(PLAY_PRESETS[:-1])} or {PLAY_PRESETS[-1]} (default: the one played last, at "
    f"first {DEFAULT_PLAY_RULES}). `tetrion list rules` lists all.",
)
@click.option("--mode", metavar="MODE", help=f"Goal: {', '.join(MODES)} (default: the mode played last).")
@click.option(
    "--level",
    type=click.IntRange(*INTEGER_FIELDS["start_level"]),
    metavar="N",
    help="Start level, for rules with levels.",
)
@click.option("--seed", type=int, metavar="N", help="Seed of the piece sequence (default: random).")
@click.option("--text", is_flag=True, help="Play in the terminal, for example over SSH.")
def command(
    context: click.Context, *, rules: str | None, mode: str | None, level: int | None, seed: int | None, text: bool
) -> None:
    """Play a game in the window, or with --text in the terminal.

    Both have the same rules, keys, replays and best scores. In the terminal, ? shows the keys.
    """
    if context.args:
        word = context.args[0]
        option = "--mode" if word.lower() in MODES else "--rules"
        raise click.UsageError(f"Only options were expected; given '{word}'. Did you mean {option} {word}?")
    mode = mode and find_name(mode, MODES)
    if mode is not None and mode not in MODES:
        raise UnknownNameError("mode", mode, MODES)
    if rules:
        parsed_rules = Rules.parse(rules)
        if level and not uses_levels(parsed_rules):
            raise RulesError(f"The rules {rules} have no levels. Omit --level, or use rules with levels, such as nes.")
        MODES[mode or "marathon"].apply_to(parsed_rules)
    seed = None if seed is None else validate_seed(seed)
    if text:
        from tetrion.cli.terminal_play import play_in_terminal

        play_in_terminal(rules, mode, level, seed)
    else:
        open_window("play", rules=rules or "", mode=mode or "", level=level, seed=seed, start=True)
