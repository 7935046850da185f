"""An agent plays in the terminal: python examples/play_in_terminal.py [AGENT] [PIECES]."""

import argparse
import time
from contextlib import suppress

from rich.console import Console
from rich.live import Live
from rich.text import Text

from tetrion.agents import DataAgent, load
from tetrion.board import COLOURS
from tetrion.engine.pieces import PIECE_OF, PIECES, SHAPES
from tetrion.engine.play import PLAYING, Games, Setting, fastest, new_games
from tetrion.engine.rules import Rules

STACK, FAINT, STRONG, DIM = "#9AA3B4", "#4A5364", "#EEF1F6", "#9AA3B4"


def picture(game: Games, rules: Rules, name: str) -> Text:
    """The board as it is, the last piece in its colour where it lies whole, and the counters beside it."""
    orientation, left, bottom = (int(number) for number in game["placement"])
    last = {(left + x, bottom + y) for x, column in enumerate(SHAPES[orientation]) for y in range(4) if column >> y & 1}
    if not all(game["board"][x] >> y & 1 for x, y in last):
        last = set()  # a row of it was cleared
    beside = {2: ("agent", name), 5: ("lines", f"{game['lines']:,}"), 8: ("pieces", f"{game['pieces']:,}")}
    text = Text()
    for y in reversed(range(rules.height)):
        text.append("│", style=FAINT)
        for x in range(10):
            filled = game["board"][x] >> y & 1
            colour = COLOURS[PIECES[PIECE_OF[orientation]]] if (x, y) in last else STACK
            text.append("██" if filled else " ·", style=colour if filled else FAINT)
        label, value = beside.get(rules.height - 1 - y, ("", ""))
        text.append("│", style=FAINT).append(f"   {label:8}", style=DIM).append(f"{value}\n", style=f"bold {STRONG}")
    return text.append(f"└{'─' * 20}┘", style=FAINT)


def main() -> None:
    """Play a game, thirty pieces a second; where nobody watches, show only how it stands at the end."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agent", nargs="?", default="du", type=load)
    parser.add_argument("pieces", nargs="?", default=300, type=int)
    options = parser.parse_args()
    agent: DataAgent = options.agent
    rules, console = Rules.preset("standard"), Console()
    setting, games = Setting.of([agent.compiled()], rules, most_pieces=options.pieces), new_games(1, seed=7)
    play = fastest(setting)
    play(games, setting, 1)
    with Live(console=console, auto_refresh=False) as screen:
        while games["status"][0] == PLAYING:
            play(games, setting, 1)
            if console.is_terminal:
                screen.update(picture(games[0], rules, agent.name), refresh=True)
                time.sleep(0.03)
        screen.update(picture(games[0], rules, agent.name), refresh=True)
    if not console.is_terminal:
        console.print()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
