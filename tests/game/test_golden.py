"""Whole games stored as readable files. `python tests/game/test_golden.py` rewrites them.

They change only when the behaviour of the rules changes, which requires a new RULES_VERSION.
"""

from pathlib import Path

import pytest

from tetrion import Game, Placement
from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.board import get_orientations
from tetrion.engine.batch_play import EngineSettings, make_games, select_fastest_play
from tetrion.engine.pieces import PIECE_OF_ORIENTATION, PIECES
from tetrion.engine.rules import PRESETS, Rules

FOLDER = Path(__file__).parents[1] / "golden"
AGENT = "lee"
SEED = 7
MOVES = 120
RULES = [
    *(name for name in PRESETS if not Rules(name).is_modern),
    "nes:start_level=19,movement=timed",
    "standard:randomiser=adversary",
    "gavrilov:movement=timed,frames_per_key=300",
]


def get_path(rules: str) -> Path:
    return FOLDER / (rules.replace(":", "-").replace("=", "-").replace(",", "-") + ".txt")


def play_agent(rules: Rules) -> list[Placement]:
    """Return the placements that the engine chooses for the agent."""
    settings = EngineSettings.from_agents([make_engine_agent(load_weighted_agent(AGENT))], rules, max_pieces=MOVES)
    games = make_games(1, SEED)
    placements = []
    while select_fastest_play(settings)(games, settings, 1):
        number, column, row = games["placement"][0].tolist()
        piece = PIECES[PIECE_OF_ORIENTATION[number]]
        rotation = get_orientations(rules.rotation)[piece].index(number)
        placements.append(Placement(piece, rotation, column, row, rules.rotation))
    return placements


def format_game(rules: str) -> str:
    """Return the game as text: one line per move with all counters, then the end of the game."""
    game = Game(rules, SEED)
    lines = [
        f"rules {rules}",
        f"seed {SEED}",
        f"agent {AGENT}",
        "",
        "move piece rotation column row  lines score level frames",
    ]
    for number, placement in enumerate(play_agent(game.rules), 1):
        assert placement.piece == game.piece
        game.place(placement)
        where = f"{number:4} {placement.piece:5} {placement.rotation:8} {placement.column:6} {placement.row:3}"
        lines.append(f"{where}  {game.lines:5} {game.score:5} {game.level:5} {game.frames:6}")
    ending = f"over: {game.piece} has no placement" if game.is_over else f"next piece: {game.piece}"
    return "\n".join([*lines, "", ending, "", str(game.board), ""])


@pytest.mark.parametrize("rules", RULES)
def test_golden_games(rules: str) -> None:
    assert format_game(rules) == get_path(rules).read_text(encoding="utf-8")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for name in RULES:
        get_path(name).write_text(format_game(name), encoding="utf-8")
