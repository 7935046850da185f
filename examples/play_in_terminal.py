"""Show an agent playing in the terminal: python examples/play_in_terminal.py [AGENT] [PIECES]."""

import argparse
import time
from contextlib import suppress

from rich.console import Console
from rich.live import Live
from rich.text import Text

from tetrion.agents import WeightedAgent, load_agent
from tetrion.board import PIECE_COLOURS
from tetrion.engine.batch_play import STATUS_PLAYING, EngineSettings, make_games, select_fastest_play
from tetrion.engine.pieces import PIECE_OF_ORIENTATION, PIECES, SHAPES
from tetrion.engine.records import GameRecord
from tetrion.engine.rules import Rules

STACK_COLOUR = "#9AA3B4"
FAINT_COLOUR = "#4A5364"
VALUE_COLOUR = "#EEF1F6"
LABEL_COLOUR = "#9AA3B4"


def draw_game(game: GameRecord, rules: Rules, name: str) -> Text:
    """Draw the board with the counters next to it; the last piece is coloured if none of its rows was cleared."""
    orientation, left, bottom = (int(number) for number in game.placement)
    last_cells = {
        (left + x, bottom + y) for x, column in enumerate(SHAPES[orientation]) for y in range(4) if column >> y & 1
    }
    if not all(game.board[x] >> y & 1 for x, y in last_cells):
        last_cells = set()  # one of its rows was cleared
    counters = {2: ("agent", name), 5: ("lines", f"{game.lines:,}"), 8: ("pieces", f"{game.pieces:,}")}
    text = Text()
    for y in reversed(range(rules.height)):
        text.append("│", style=FAINT_COLOUR)
        for x in range(10):
            filled = game.board[x] >> y & 1
            colour = PIECE_COLOURS[PIECES[PIECE_OF_ORIENTATION[orientation]]] if (x, y) in last_cells else STACK_COLOUR
            text.append("██" if filled else " ·", style=colour if filled else FAINT_COLOUR)
        label, value = counters.get(rules.height - 1 - y, ("", ""))
        text.append("│", style=FAINT_COLOUR).append(f"   {label:8}", style=LABEL_COLOUR).append(
            f"{value}\n", style=f"bold {VALUE_COLOUR}"
        )
    return text.append(f"└{'─' * 20}┘", style=FAINT_COLOUR)


def main() -> None:
    """Play a game at thirty pieces per second; without a terminal, print only the final board."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("agent", nargs="?", default="du", type=load_agent, help="name or file of a weighted agent")
    parser.add_argument("pieces", nargs="?", default=300, type=int, help="number of pieces to play")
    options = parser.parse_args()
    agent: WeightedAgent = options.agent
    rules = Rules.from_preset("standard")
    console = Console()
    settings = EngineSettings.from_agents([agent.to_engine_agent()], rules, max_pieces=options.pieces)
    games = make_games(1, seed=7)
    play = select_fastest_play(settings)
    play(games, settings, 1)
    with Live(console=console, auto_refresh=False) as screen:
        while games["status"][0] == STATUS_PLAYING:
            play(games, settings, 1)
            if console.is_terminal:
                screen.update(draw_game(games[0], rules, agent.name), refresh=True)
                time.sleep(0.03)
        screen.update(draw_game(games[0], rules, agent.name), refresh=True)
    if not console.is_terminal:
        console.print()


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main()
