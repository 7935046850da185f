"""Whole games pinned as files that can be read: python tests/game/test_golden.py writes them anew.

They change only with the rules' behaviour, which then needs another version.
"""

from pathlib import Path

import pytest

from tetrion import Game, Placement
from tetrion.agents import load_weighted_agent
from tetrion.board import get_orientations
from tetrion.engine.batch_play import EngineSettings, make_games, select_fastest_play
from tetrion.engine.pieces import PIECE_OF_ORIENTATION, PIECES
from tetrion.engine.rules import PRESETS, Rules

FOLDER = Path(__file__).parents[1] / "golden"
AGENT = "lee"
SEED = 7
MOVES = 120
KINDS = [
    *PRESETS,
    "nes:start_level=19,movement=timed",
    "standard:randomiser=adversary",
    "gavrilov:movement=timed,frames_per_key=300",
]


def file_of(rules: str) -> Path:
    return FOLDER / (rules.replace(":", "-").replace("=", "-").replace(",", "-") + ".txt")


def placements(rules: Rules) -> list[Placement]:
    """What the agent does in the engine, piece by piece."""
    setting, games = (
        EngineSettings.from_agents([load_weighted_agent(AGENT).compile()], rules, max_pieces=MOVES),
        make_games(1, SEED),
    )
    made = []
    while select_fastest_play(setting)(games, setting, 1):
        number, column, row = games["placement"][0].tolist()
        piece = PIECES[PIECE_OF_ORIENTATION[number]]
        made.append(
            Placement(piece, get_orientations(rules.rotation)[piece].index(number), column, row, rules.rotation)
        )
    return made


def written(rules: str) -> str:
    """The game as a text: a move a line, with all counters after it, and how it ends."""
    game = Game(rules, SEED)
    lines = [
        f"rules {rules}",
        f"seed {SEED}",
        f"agent {AGENT}",
        "",
        "move piece rotation column row  lines score level frames",
    ]
    for number, placement in enumerate(placements(game.rules), 1):
        assert placement.piece == game.piece
        game.place(placement)
        where = f"{number:4} {placement.piece:5} {placement.rotation:8} {placement.column:6} {placement.row:3}"
        lines.append(f"{where}  {game.lines:5} {game.score:5} {game.level:5} {game.frames:6}")
    ending = f"over: {game.piece} has no place" if game.is_over else f"goes on with {game.piece}"
    return "\n".join([*lines, "", ending, "", str(game.board), ""])


@pytest.mark.parametrize("rules", KINDS)
def test_golden_games(rules: str) -> None:
    assert written(rules) == file_of(rules).read_text(encoding="utf-8")


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for kind in KINDS:
        file_of(kind).write_text(written(kind), encoding="utf-8")
