"""Hostile input for `tetrion play --text`: sequences, sizes and settings; the terminal gets only known sequences.

A failure names the seed of its case; `python -m tests.fuzzing.test_terminal_input SEED` repeats it.
"""

import re
import sys
import tempfile
from pathlib import Path
from random import Random

import pytest

from tests.hostile_texts import HOSTILE_TEXTS
from tetrion import Replay, Rules
from tetrion.app.games.human_rules import MODES
from tetrion.app.window_settings import DEFAULT_KEYS, WindowSettings
from tetrion.cli.keyboard import KeyDecoder
from tetrion.cli.terminal_play import CellStyles, PlaySession, SessionSetup, TextScreen

CASES = 25
SLOW_CASES = 5000
SEQUENCES = (
    *(
        "\x1b[A",
        "\x1b[B",
        "\x1b[C",
        "\x1b[D",
        "\x1bOP",
        "\x1b[200~",
        "\x1b[O",
        "\x1b[?15u",
        "\x1b[97;5u",
        "\x1b[122;5:1u",
    ),
    *(
        "\x1b[32;1:3u",
        "\x1b[;;;;;u",
        "\x1b[:::u",
        "\x1b[99999999999999999999u",
        "\x1b[1114112u",
        "\x1b[55296u",
        "\x1b[27u",
    ),
    *(
        "\x1b[1;99999999C",
        "\x1b[<0;1;1M",
        "\x1b]52;c;aGk=\x07",
        "\x1bP1$r0m\x1b\\",
        "\x1b[1092::97;1:1u",
        "\x1b[",
        "\x1bO",
    ),
    *("\x1b", "\x9b", "\x00", "\x7f", "\r", "\t", " ", "?", "p", "r", "x", "z", "c", "é", "я", "😀", "\u202e"),
)
RULES = ("nes", "guideline", "tetrio:garbage_rows=1", "gavrilov", "guideline:height=4", "standard:movement=timed")
SIZES = ((80, 24), (66, 22), (66, 23), (200, 60), (1, 1), (0, 0), (10, 200), (500, 3))
# What may be written: the sequences of the frame, of positions and styles, and printable characters.
KNOWN_OUTPUT = re.compile(
    r"\x1b\[(?:\?2026[hl]|[0-9]+;[0-9]+H|[0-9;]*m|2J)|[^\x00-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e]"
)


def make_settings(random: Random) -> WindowSettings:
    """Return settings in which some keys have hostile names."""
    keys = dict(DEFAULT_KEYS)
    for action in random.sample(sorted(keys), random.choice([0, 1, 3])):
        keys[action] = (random.choice([*HOSTILE_TEXTS.values(), "W" * 30]),)
    return WindowSettings(keys=keys, marks=random.random() < 0.5, ghost=random.random() < 0.5)


def find_problem(seed: int) -> str:
    """Play a game with random input; return what the terminal must not get, or nothing."""
    random = Random(seed)
    mode = random.choice(list(MODES.values()))
    rules = Rules("guideline") if mode.start_garbage else Rules.parse(random.choice(RULES))
    styles = CellStyles(
        random.choice([None, "standard", "256", "truecolor"]), "tetrion", has_marks=random.random() < 0.5
    )
    session = PlaySession(SessionSetup(rules, mode, 5, make_settings(random), styles))
    session.message = random.choice(list(HOSTILE_TEXTS.values()))
    screen, decoder, now = TextScreen(is_ascii=random.random() < 0.3), KeyDecoder(), 1.0
    for _ in range(random.choice([3, 30])):
        typed = "".join(random.choices(SEQUENCES, k=random.randint(0, 12)))
        now += random.choice([0.0, 0.01, 0.3, 5.0])
        session.has_releases = random.random() < 0.5
        for event in decoder.decode(typed, now):
            session.handle_event(event, now)
        session.advance(random.choice([0.0, 1 / 60, 0.25]), now)
        session.draw(screen, *random.choice(SIZES))
        if unknown := KNOWN_OUTPUT.sub("", screen.render_changes()):
            return f"case {seed}: {unknown!r}"
        if session.has_quit:
            break
    session.save()
    if session.saved_file:
        Replay.load(session.saved_file)
    return ""


@pytest.fixture(autouse=True)
def _folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TETRION_DATA_DIR", str(tmp_path))


def test_hostile_input() -> None:
    """Check a sample of the cases."""
    assert list(filter(None, map(find_problem, range(CASES)))) == []


@pytest.mark.slow
def test_much_hostile_input() -> None:
    """Check thousands of cases."""
    assert list(filter(None, map(find_problem, range(1000, 1000 + SLOW_CASES)))) == []


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setenv("TETRION_DATA_DIR", folder)
        print(find_problem(int(sys.argv[1])) or "no problem")
