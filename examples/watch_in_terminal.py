"""Show an agent playing in the terminal: python examples/watch_in_terminal.py [AGENT] [PIECES]."""

import argparse
import time
from contextlib import suppress

from rich.console import Console
from rich.live import Live
from rich.text import Text

from tetrion import Agent, Game, load_agent

COLOURS = dict(zip("IOTSZJL", ("cyan", "yellow", "magenta", "green", "red", "blue", "bright_yellow"), strict=True))


def draw_game(game: Game, agent: Agent) -> Text:
    """Draw the board with the counters next to it."""
    counters = {2: ("agent", agent.name), 5: ("lines", f"{game.lines:,}"), 8: ("pieces", f"{game.pieces:,}")}
    text = Text()
    for row in reversed(range(game.rules.height)):
        text.append("│", style="dim")
        for column in range(10):
            letter = game.stack.get_cell(column, row)
            text.append("██" if letter != "." else " ·", style=COLOURS.get(letter, "dim"))
        label, value = counters.get(game.rules.height - 1 - row, ("", ""))
        text.append("│", style="dim").append(f"   {label:8}", style="dim").append(f"{value}\n", style="bold")
    return text.append(f"└{'─' * 20}┘", style="dim")


def main() -> None:
    """Play a game at thirty pieces per second; without a terminal, print only the final board."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agent", nargs="?", default="du", type=load_agent, help="name, file or class of an agent")
    parser.add_argument("pieces", nargs="?", default=300, type=int, help="number of pieces to play")
    options = parser.parse_args()
    game = Game(options.agent.rules or "standard", seed=7)
    console = Console()
    with Live(console=console, auto_refresh=False) as screen:
        while not game.is_over and game.pieces < options.pieces:
            game.play(options.agent, 1)
            if console.is_terminal:
                screen.update(draw_game(game, options.agent), refresh=True)
                time.sleep(0.03)
        screen.update(draw_game(game, options.agent), refresh=True)
    if not console.is_terminal:
        console.print()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
