"""Pictures and a replay for README and docs, from real games and a real run: python -m benchmarks.picture."""

import tempfile
from pathlib import Path

from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.cli.record_command import command as record_command
from tetrion.cli.replay_command import write_replay_page
from tetrion.drawing.palette import BOARD_BACKGROUND, BOARD_OUTLINE
from tetrion.engine.batch_play import EngineSettings, make_games, play_drops_simd
from tetrion.engine.rules import Rules
from tetrion.game import Game
from tetrion.lab.training_plots import make_run_plots
from tetrion.notebook_display import SVG_CELL_SIZE, draw_svg_cells
from tetrion.replay import Replay
from tetrion.training import train

DOCS = Path(__file__).parents[1] / "docs"
PICTURES_FOLDER = DOCS / "pictures"
REPLAYS_FOLDER = DOCS / "replays"
BACKGROUND_COLOUR = "#0E1116"
TITLE_COLOUR = "#EEF1F6"
CAPTION_COLOUR = "#9AA3B4"
MARGIN = 24
GAP = 40
PIECE_COUNT = 180
SEED = 12
FONT_ATTRIBUTE = "font-family='Source Sans Pro, Helvetica, Arial, sans-serif'"


def play_game(name: str, rules: Rules) -> Game:
    """Return an agent's game after PIECE_COUNT pieces."""
    games = make_games(1, SEED)
    agent = make_engine_agent(load_weighted_agent(name))
    settings = EngineSettings.from_agents([agent], rules, max_pieces=PIECE_COUNT)
    game = Game(rules, SEED)
    while play_drops_simd(games, settings, 1):
        orientation, column, row = games["placement"][0].tolist()
        game.place(next(p for p in game.placements() if (p.orientation, p.column, p.row) == (orientation, column, row)))
    return game


def draw_box(x: float, y: float, size: tuple[float, float], radius: float, fill: str, *, attributes: str = "") -> str:
    """Return a rounded rectangle as SVG."""
    width, height = size
    geometry = f"x='{x:g}' y='{y:g}' width='{width:g}' height='{height:g}' rx='{radius:g}'"
    return f"<rect {geometry} fill='{fill}' {attributes}/>\n"


def draw_text(x: float, y: float, size: int, fill: str, text: str, *, weight: int = 400) -> str:
    """Return a line of text as SVG."""
    font = f"font-size='{size}' font-weight='{weight}' {FONT_ATTRIBUTE}"
    return f"<text x='{x:g}' y='{y:g}' fill='{fill}' {font}>{text}</text>\n"


def write_training_plots() -> None:
    """Plot the candidates of a run and the weights of its incumbents."""
    with tempfile.TemporaryDirectory() as folder:
        plots = {plot.name: plot for plot in make_run_plots(train("gavrilov-plus", Path(folder) / "run", seed=0))}
        for name in ("individuals", "weights"):
            (PICTURES_FOLDER / f"{name}.svg").write_bytes(plots[name].render("svg"))


def write_replay() -> None:
    """Save a complete game of medico as a replay and an HTML page."""
    agent = load_weighted_agent("medico")
    game = Game("medico", SEED)
    while not game.is_over:
        game.place(agent.choose(game.position))
    Replay.from_game(game, agent.name).save(REPLAYS_FOLDER / "medico.json")
    write_replay_page(str(REPLAYS_FOLDER / "medico.json"), str(REPLAYS_FOLDER / "medico.html"))


def write_video() -> None:
    """Record the moving picture of README and of the front page."""
    options = ["--rules", "guideline", "--seed", "3", "--pieces", "24", "--thinking", "--size", "720x440"]
    out = str(PICTURES_FOLDER / "watch.gif")
    record_command(["modern-1:depth=4,beam=50", *options, "--out", out], standalone_mode=False)


def write_boards_picture() -> None:
    """Draw the boards of three agents after the same pieces."""
    rules = Rules("standard")
    names = ("lee", "dellacherie", "du")
    width = 2 * MARGIN + len(names) * 10 * SVG_CELL_SIZE + (len(names) - 1) * GAP
    height = 2 * MARGIN + rules.height * SVG_CELL_SIZE + 64
    parts = [f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' width='{width}'>\n"]
    parts.append(draw_box(0, 0, (width, height), 12, BACKGROUND_COLOUR))
    for number, name in enumerate(names):
        game = play_game(name, rules)
        x = MARGIN + number * (10 * SVG_CELL_SIZE + GAP)
        parts.append(draw_text(x, MARGIN + 12, 17, TITLE_COLOUR, name, weight=600))
        parts.append(draw_text(x, MARGIN + 34, 14, CAPTION_COLOUR, f"{game.lines} lines after {game.pieces} pieces"))
        cells = draw_svg_cells(game.stack.rows, rules.rows)
        board_size = (10 * SVG_CELL_SIZE + 8, rules.height * SVG_CELL_SIZE + 8)
        stroke = f"stroke='{BOARD_OUTLINE}'"
        parts.append(draw_box(x - 4, MARGIN + 52, board_size, 10, BOARD_BACKGROUND, attributes=stroke))
        parts.append(f"<g transform='translate({x} {MARGIN + 56})'>{cells}</g>\n")
    (PICTURES_FOLDER / "boards.svg").write_text("".join(parts) + "</svg>\n", encoding="utf-8")


if __name__ == "__main__":
    write_boards_picture()
    write_replay()
    write_training_plots()
    write_video()
