"""`tetrion watch --text`: the same games as everywhere, on a terminal that is left as it was."""

import io
import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest
from rich.console import Console

from cli.command_runner import PROGRAM, tetrion, tetrion_here
from tetrion import Game, load_agent
from tetrion.agents import RandomKeysAgent, WeightedAgent
from tetrion.board import PIECE_COLOURS
from tetrion.cli.keyboard import open_keyboard
from tetrion.cli.stepped_game import SteppedGame
from tetrion.cli.terminal_watch import WatchSession
from tetrion.cli.watch_command import MAX_WATCH_SPEED, MIN_WATCH_SPEED
from tetrion.cli.watch_panel import WatchStatus, render_watch_panel
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.rules import PRESETS, Rules

EXAMPLES = Path(__file__).parents[2] / "examples"
LETTERS = {colour: letter for letter, colour in PIECE_COLOURS.items()}
STILL = WatchStatus(is_paused=True, speed=4, measured_speed=None, has_keyboard=True)


def rows_of(game: Game) -> list[str]:
    """The rows of a game that has pieces, from the highest down."""
    rows = ["".join("." if colour is None else LETTERS[colour] for colour in row) for row in game.colours]
    return [row for row in rows if row != "." * 10]


def played(name: str, rules: str, pieces: int, seed: int = 0) -> Game:
    agent, game = load_agent(name), Game(rules, seed)
    assert isinstance(agent, WeightedAgent)
    while not game.is_over and game.pieces < pieces:
        game.place(agent.choose(game.position))
    return game


def test_where_there_is_no_terminal_only_the_end_is_printed() -> None:
    game = played("medico", "medico", 60, seed=3)
    printed = tetrion_here("watch", "medico", "--text", "--pieces", "60", "--seed", "3").stdout.splitlines()
    assert printed[:-1] == ["." * 10, *rows_of(game)]
    told = f"60 pieces, {game.lines} lines, {game.score:,} points, {game.score / game.lines:.0f} a line"
    assert printed[-1] == f"medico under medico, seed 3: {told}"


def test_a_game_that_is_lost_ends_by_itself() -> None:
    game = played("becker", "becker:height=6", UNLIMITED)
    assert game.is_over
    printed = tetrion_here("watch", "becker", "--text", "--rules", "becker:height=6").stdout.splitlines()
    assert printed[-1].endswith(f"{game.pieces} pieces, {game.lines} lines, {game.score} points, 1 a line, game over")
    assert [row for row in printed[:-1] if row != "." * 10] == rows_of(game)


def test_random_keys_play_the_game_that_is_measured() -> None:
    agent, game = load_agent("random-keys"), Game("gavrilov", 4)
    assert isinstance(agent, RandomKeysAgent)
    agent.play(game, UNLIMITED, UNLIMITED)
    printed = tetrion_here("watch", "random-keys", "--text", "--seed", "4").stdout.splitlines()
    assert f"{game.pieces} pieces, {game.lines} lines, {game.score} points" in printed[-1]
    assert printed[-1].endswith("game over")
    seen = [row for row in printed[:-1] if row != "." * 10]
    assert seen == rows_of(game)[-len(seen) :]  # the hidden rows are not shown


def test_files_and_classes_play(tmp_path: Path) -> None:
    assert "20 pieces" in tetrion_here("watch", str(EXAMPLES / "cautious.json"), "--text", "--pieces", "20").stdout
    own = f"{EXAMPLES / 'python_agent.py'}:Careful"
    assert "Careful under standard, seed 0: 6 pieces" in tetrion_here("watch", own, "--text", "--pieces", "6").stdout
    (tmp_path / "broken.py").write_text("class Broken:\n    def choose(self, position):\n        return 1 / 0\n")
    done = tetrion_here("watch", f"{tmp_path / 'broken.py'}:Broken", "--text", expect=2)
    assert "choose raised ZeroDivisionError" in done.stderr
    assert "broken.py, line 3" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dux", "--text"], "Did you mean 'du'"),
        (["du", "--text", "--rules", "nez"], "Did you mean 'nes'"),
        (["du", "--text", "--seed", "-1"], "A seed lies between"),
        (["medico", "--text", "--rules", "standard"], "Use standard:preview=1"),
        (["du", "--text", "--speed", "0"], "--speed"),
        (["du", "--text", "--pieces", "0"], "--pieces"),
        (["du", "--pieces", "5"], "add --text"),
    ],
)
def test_mistakes(arguments: list[str], message: str) -> None:
    assert message in tetrion_here("watch", *arguments, expect=2).stderr


def test_without_text_the_window_opens() -> None:
    opened: list[tuple[object, ...]] = []
    start = ModuleType("tetrion.app.launcher")
    start.__dict__["open_window"] = lambda screen, **options: opened.append((screen, options))
    with patch.dict(sys.modules, {"tetrion.app": ModuleType("tetrion.app"), "tetrion.app.launcher": start}):
        tetrion_here("watch", "du", "--rules", "nes", "--seed", "7")
    assert opened == [("watch", {"agent": "du", "rules": "nes", "seed": 7})]


def test_text_needs_nothing_to_draw_with() -> None:
    program = (
        "import sys; from tetrion.cli.watch_command import command; "
        "command(['du', '--text', '--pieces', '3'], standalone_mode=False); "
        "print([name for name in ('pygame', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def shown(course: SteppedGame, state: WatchStatus = STILL, height: int = 24, *, colours: bool = True) -> list[str]:
    """The lines of the panel on a terminal of eighty columns."""
    console = Console(
        width=80,
        height=height,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor" if colours else None,
        record=True,
    )
    console.print(render_watch_panel(course, state, console))
    return [line.rstrip() for line in console.export_text().splitlines()]


@pytest.mark.parametrize("rules", [*PRESETS, "tetrais:preview=6,start_level=9,scoring=nes,height=28"])
def test_the_panel_fits_into_every_terminal(rules: str) -> None:
    course = SteppedGame(load_agent("dellacherie"), Rules.parse(rules), 0)
    for _ in range(12):
        course.make_move()
    for height in (24, 16):
        lines = shown(course, height=height)
        assert len(lines) <= height
        assert max(map(len, lines)) <= 80
        assert {"dellacherie", "Score", "Points a line", "Paused, 4 moves a second"} <= {
            part.strip() for line in lines for part in line.replace("│", "  ").split("  ")
        }
    course.close()


def test_the_panel_shows_the_board() -> None:
    course = SteppedGame(load_agent("medico"), Rules.from_preset("medico"), 0)
    for _ in range(25):
        course.make_move()
    game = played("medico", "medico", 25)
    letters = shown(course, colours=False)
    assert [line[1:21:2] for line in letters[:20]][-len(rows_of(game)) :] == [
        row.replace(".", " ") for row in rows_of(game)
    ]
    blocks = [line[1:21:2] for line in shown(course)[:20]]
    assert [["█" if letter != " " else " " for letter in line[1:21:2]] for line in letters[:20]] == [
        list(line) for line in blocks
    ]
    assert any(line.endswith(f"Score      {game.score:>12,}"[-12:]) for line in letters)
    assert "Mode" in "".join(letters)
    course.close()


def test_the_clock_makes_moves_and_keys_are_heard() -> None:
    watching = WatchSession(SteppedGame(load_agent("du"), Rules.from_preset("standard"), 0, 30), 4)

    def pieces() -> int:
        return watching.game.state.position.pieces

    watching.advance(0.0)
    assert pieces() == 1
    watching.advance(1.0)
    assert pieces() == 5
    watching.handle_key(" ")
    watching.advance(1.0)
    assert pieces() == 5
    watching.handle_key("n")
    assert (pieces(), watching.is_paused) == (6, True)
    watching.handle_key(" ")
    watching.handle_key("+")
    watching.advance(0.5)
    assert pieces() == 10
    assert watching.status.measured_speed == pytest.approx(9 / 1.5)
    for key, speed in (("+", MAX_WATCH_SPEED), ("-", MIN_WATCH_SPEED)):
        for _ in range(20):
            watching.handle_key(key)
        assert watching.speed == speed
    watching.handle_key("r")
    assert pieces() == 0
    for _ in range(40):
        watching.handle_key("N")
    assert (pieces(), watching.game.is_finished) == (30, True)
    watching.handle_key("x")
    assert not watching.has_quit
    watching.handle_key("q")
    assert watching.has_quit
    watching.course.close()


on_terminals = pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is Unix's")


@on_terminals
def test_the_terminal_is_restored_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import pty
    import termios

    master, slave = pty.openpty()
    with os.fdopen(slave, closefd=True) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        before, handler = termios.tcgetattr(slave), signal.getsignal(signal.SIGTERM)
        with suppress(ZeroDivisionError), open_keyboard() as read:
            assert termios.tcgetattr(slave) != before
            os.write(master, b"n+")
            assert read(5) == "n+"
            os.write(master, b"\x1b[A")
            assert read(5) == ""
            raise ZeroDivisionError
        assert termios.tcgetattr(slave) == before
        assert signal.getsignal(signal.SIGTERM) == handler
    os.close(master)


@on_terminals
def test_on_a_terminal_it_is_played_with_keys_and_ends_properly() -> None:
    import fcntl
    import pty
    import struct
    import termios

    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    before = termios.tcgetattr(slave)
    environment = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES", "NO_COLOR")}
    process = subprocess.Popen(
        [*PROGRAM, "watch", "medico", "--text", "--speed", "0.25"],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=environment | {"TERM": "xterm-256color"},
        start_new_session=True,
    )
    seen = b""

    def until(words: bytes, times: int = 1) -> None:
        nonlocal seen
        end = time.monotonic() + 120  # the engine may have to be compiled
        while seen.count(words) < times:
            assert time.monotonic() < end, seen[-2000:]
            if select.select([master], [], [], 1)[0]:
                seen += os.read(master, 65536)

    try:
        until(b"Playing")
        os.write(master, b" ")
        until(b"Paused")
        pictures = seen.count(b"Paused")
        os.write(master, b"nnn")
        until(b"Paused", pictures + 1)
        process.send_signal(signal.SIGINT)
        until(b"medico under medico, seed 0: 4 pieces")
        assert process.wait(20) == 130
    finally:
        process.kill()
        process.wait()
    assert termios.tcgetattr(slave) == before
    assert seen.count(b"\x1b[?1049h") == seen.count(b"\x1b[?1049l") == 1
    assert seen.rfind(b"\x1b[?25h") > seen.rfind(b"\x1b[?25l")
    os.close(master)
    os.close(slave)


def test_help_says_what_there_is() -> None:
    printed = tetrion("watch", "--help").stdout
    assert "--text" in printed
    assert "restart" in printed
