"""The pictures of README and docs, from real games and a real run, and a replay: python -m benchmarks.picture."""

import tempfile
from pathlib import Path

from tetrion.agents import data_agent
from tetrion.board import OUTLINE, SIDE, WELL, well
from tetrion.cli.replay import write_page
from tetrion.engine.play import Setting, new_games, play_on_lanes
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.lab.training_plots import plots_of
from tetrion.replay import Replay
from tetrion.training import train

DOCS = Path(__file__).parents[1] / "docs"
FOLDER, REPLAYS = DOCS / "pictures", DOCS / "replays"
GROUND, STRONG, DIM = "#0E1116", "#EEF1F6", "#9AA3B4"
MARGIN, GAP, PIECES_PLAYED, SEED = 24, 40, 180, 12
FONT = "font-family='Source Sans Pro, Helvetica, Arial, sans-serif'"


def played(name: str, rules: Rules) -> Game:
    """A game after a while."""
    games, setting = new_games(1, SEED), Setting.of([data_agent(name).compiled()], rules, most_pieces=PIECES_PLAYED)
    game = Game(rules, SEED)
    while play_on_lanes(games, setting, 1):
        orientation, column, row = games["placement"][0].tolist()
        game.place(next(p for p in game.placements() if (p.orientation, p.column, p.row) == (orientation, column, row)))
    return game


def box(x: float, y: float, width: float, height: float, radius: float, fill: str, more: str = "") -> str:
    """A rounded rectangle."""
    return f"<rect x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}' rx='{radius:g}' fill='{fill}' {more}/>\n"


def text(x: float, y: float, size: int, fill: str, words: str, weight: int = 400) -> str:
    """A line of text."""
    return f"<text x='{x:g}' y='{y:g}' font-size='{size}' font-weight='{weight}' fill='{fill}' {FONT}>{words}</text>\n"


def evolution() -> None:
    """Draw every individual of a run and the weights of its favourites."""
    with tempfile.TemporaryDirectory() as folder:
        plots = {plot.name: plot for plot in plots_of(train("gavrilov-plus", Path(folder) / "run", seed=0))}
        for name in ("individuals", "weights"):
            (FOLDER / f"{name}.svg").write_bytes(plots[name].content("svg"))


def replay() -> None:
    """Write down a whole game of medico's, and its page."""
    agent, game = data_agent("medico"), Game("medico", SEED)
    while not game.over:
        game.place(agent.choose(game.position))
    Replay.of(game, agent.name).save(REPLAYS / "medico.json")
    write_page(str(REPLAYS / "medico.json"), str(REPLAYS / "medico.html"))


def boards() -> None:
    """Draw three agents after the same pieces."""
    rules, names = Rules.preset("standard"), ("lee", "dellacherie", "du")
    width = 2 * MARGIN + len(names) * 10 * SIDE + (len(names) - 1) * GAP
    height = 2 * MARGIN + rules.height * SIDE + 64
    parts = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}'>\n"]
    parts.append(box(0, 0, width, height, 12, GROUND))
    for place, name in enumerate(names):
        game = played(name, rules)
        x = MARGIN + place * (10 * SIDE + GAP)
        parts.append(text(x, MARGIN + 12, 17, STRONG, name, 600))
        parts.append(text(x, MARGIN + 34, 14, DIM, f"{game.lines} lines after {game.pieces} pieces"))
        shown = well(game.colours)
        parts.append(box(x - 4, MARGIN + 52, 10 * SIDE + 8, rules.height * SIDE + 8, 10, WELL, f"stroke='{OUTLINE}'"))
        parts.append(f"<g transform='translate({x} {MARGIN + 56})'>{shown}</g>\n")
    (FOLDER / "boards.svg").write_text("".join(parts) + "</svg>\n", encoding="utf-8")


if __name__ == "__main__":
    boards()
    replay()
    evolution()
