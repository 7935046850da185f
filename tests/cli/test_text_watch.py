"""`tetrion watch --text`: identical games to other commands, and terminal settings that are restored."""

import io
import os
import re
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from itertools import product
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest
from rich.console import Console, ConsoleDimensions

from tests.cli.command_runner import PROGRAM, tetrion_here
from tetrion import Game, load_agent
from tetrion.agents import WeightedAgent
from tetrion.cli.keyboard import open_keyboard
from tetrion.cli.terminal_watch import (
    WatchedGame,
    WatchSession,
    WatchStatus,
    find_layout,
    print_final_state,
    render_size_message,
    run_session,
)
from tetrion.cli.watch_command import MAX_WATCH_SPEED, MIN_WATCH_SPEED
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.rules import PRESETS, Rules

GARBAGE_RULES = "guideline:garbage_rows=2,garbage_interval=3,garbage_delay=4"
EXAMPLES = Path(__file__).parents[2] / "examples"
PAUSED_STATUS = WatchStatus(is_paused=True, speed=4, measured_speed=None, has_keyboard=True)


def get_filled_rows(game: Game) -> list[str]:
    """Return the non-empty rows of a game, top to bottom."""
    return list(reversed(game.stack.rows))


def play_game(name: str, rules: str, pieces: int, seed: int = 0) -> Game:
    """Play a game of an agent until it is over or has `pieces` pieces."""
    agent, game = load_agent(name), Game(rules, seed)
    assert isinstance(agent, WeightedAgent)
    while not game.is_over and game.pieces < pieces:
        game.place(agent.choose(game.position))
    return game


def test_without_a_terminal_only_the_final_board_is_printed() -> None:
    game = play_game("medico", "medico", 60, seed=3)
    printed = tetrion_here("watch", "medico", "--text", "--pieces", "60", "--seed", "3").stdout.splitlines()
    assert printed[:-1] == ["." * 10, *get_filled_rows(game)]
    result = f"60 pieces, {game.lines} lines, {game.score:,} points ({game.score / game.lines:.0f} points per line)"
    assert printed[-1] == f"medico, rules medico, seed 3: {result}"


def test_without_a_terminal_an_unlimited_game_is_announced() -> None:
    unlimited = ("watch", "becker", "--text", "--rules", "becker:height=6")
    assert "the game is played to its end" in tetrion_here(*unlimited).stderr
    assert "--pieces N" in tetrion_here(*unlimited).stderr
    assert tetrion_here(*unlimited, "--pieces", "2").stderr == ""


def test_a_lost_game_ends() -> None:
    game = play_game("becker", "becker:height=6", UNLIMITED)
    assert game.is_over
    printed = tetrion_here("watch", "becker", "--text", "--rules", "becker:height=6").stdout.splitlines()
    assert printed[-1].endswith(
        f"{game.pieces} pieces, {game.lines} lines, {game.score} points (1 point per line), game over"
    )
    assert [row for row in printed[:-1] if row != "." * 10] == get_filled_rows(game)


def test_random_keys_play_the_game_that_bench_measures() -> None:
    agent, game = load_agent("random-keys"), Game("gavrilov", 4)
    game.play(agent)
    printed = tetrion_here("watch", "random-keys", "--text", "--seed", "4").stdout.splitlines()
    assert f"{game.pieces} pieces, {game.lines} lines, {game.score} points" in printed[-1]
    assert printed[-1].endswith("game over")
    shown_rows = [row for row in printed[:-1] if row != "." * 10]
    assert shown_rows == get_filled_rows(game)[-len(shown_rows) :]  # the hidden rows are not shown


def test_weights_files_and_python_classes_play(tmp_path: Path) -> None:
    assert "20 pieces" in tetrion_here("watch", str(EXAMPLES / "cautious.json"), "--text", "--pieces", "20").stdout
    agent = f"{EXAMPLES / 'python_agent.py'}:Careful"
    assert "Careful, rules standard, seed 0: 6 pieces" in tetrion_here("watch", agent, "--text", "--pieces", "6").stdout
    (tmp_path / "broken.py").write_text("class Broken:\n    def choose(self, position):\n        return 1 / 0\n")
    done = tetrion_here("watch", f"{tmp_path / 'broken.py'}:Broken", "--text", expect=2)
    assert "choose raised ZeroDivisionError" in done.stderr
    assert "broken.py, line 3" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["dux", "--text"], "Did you mean 'du'"),
        (["du", "--text", "--rules", "nez"], "Did you mean 'nes'"),
        (["du", "--text", "--seed", "-1"], "A seed must be"),
        (["medico", "--text", "--rules", "standard"], "Use standard:preview=1"),
        (["du", "--text", "--speed", "0"], "--speed"),
        (["du", "--text", "--pieces", "0"], "--pieces"),
        (["du", "--pieces", "5"], "add --text"),
    ],
)
def test_mistakes_are_explained(arguments: list[str], message: str) -> None:
    assert message in tetrion_here("watch", *arguments, expect=2).stderr


def test_window_opens_without_text() -> None:
    opened: list[tuple[object, ...]] = []
    launcher = ModuleType("tetrion.app.launcher")
    launcher.__dict__["open_window"] = lambda screen, **options: opened.append((screen, options))
    with patch.dict(sys.modules, {"tetrion.app": ModuleType("tetrion.app"), "tetrion.app.launcher": launcher}):
        tetrion_here("watch", "du", "--rules", "nes", "--seed", "7")
        tetrion_here("watch", "du", "--auto")
        tetrion_here("watch", "du", "--paused")
    assert opened == [
        ("watch", {"agent": "du", "rules": "nes", "seed": 7, "auto": True}),
        ("watch", {"agent": "du", "rules": "", "seed": None, "auto": True}),
        ("watch", {"agent": "du", "rules": "", "seed": None, "auto": False}),
    ]


def test_paused_has_no_effect_without_a_keyboard() -> None:
    printed = tetrion_here("watch", "du", "--text", "--paused", "--pieces", "20").stdout
    assert "du, rules standard, seed 0: 20 pieces" in printed


def test_text_imports_no_graphics_library() -> None:
    program = (
        "import sys; from tetrion.cli.watch_command import command; "
        "command(['du', '--text', '--pieces', '3'], standalone_mode=False); "
        "print([name for name in ('pygame', 'matplotlib') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def render_lines(
    watched_game: WatchedGame, status: WatchStatus = PAUSED_STATUS, height: int = 24, *, coloured: bool = True
) -> list[str]:
    """Return the lines of the panel on a terminal with 80 columns."""
    console = Console(
        width=80,
        height=height,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor" if coloured else None,
        record=True,
    )
    layout = find_layout(watched_game, status, console)
    assert layout
    console.print(layout.panel)
    return [line.rstrip() for line in console.export_text().splitlines()]


@pytest.mark.parametrize("rules", [*PRESETS, "tetrais:preview=6,start_level=9,scoring=nes,height=28", GARBAGE_RULES])
def test_panel_fits_the_terminal(rules: str) -> None:
    watched_game = WatchedGame(load_agent("dellacherie"), Game(rules), UNLIMITED)
    for _ in range(12):
        watched_game.make_move()
    for height in (24, 16):
        lines = render_lines(watched_game, height=height)
        assert len(lines) <= height
        assert max(map(len, lines)) <= 80
        counter = "Back-to-back" if Rules.parse(rules).is_modern else "Points per line"
        assert {"dellacherie", "Score", counter, "Paused, 4 moves per second"} <= {
            part.strip() for line in lines for part in line.replace("│", "  ").split("  ")
        }
    watched_game.close()


def make_console(width: int, height: int, coloured: bool) -> Console:
    """Return a console that behaves like a terminal of this size and records what is printed."""
    return Console(
        width=width,
        height=height,
        file=io.StringIO(),
        force_terminal=True,
        color_system="truecolor" if coloured else None,
        record=True,
    )


@pytest.mark.parametrize("coloured", [True, False])
def test_small_terminals_get_a_smaller_view_or_the_size_that_is_needed(coloured: bool) -> None:
    watched_game = WatchedGame(load_agent("medico"), Game("medico"), UNLIMITED)
    for _ in range(12):
        watched_game.make_move()
    for width, height in product((20, 40, 60, 80, 120), (8, 15, 24, 40)):
        console = make_console(width, height, coloured)
        layout = find_layout(watched_game, PAUSED_STATUS, console)
        console.print(layout.panel if layout else render_size_message(watched_game, PAUSED_STATUS, console))
        lines = [line.rstrip() for line in console.export_text().splitlines()]
        text = " ".join(lines)
        assert max(map(len, lines)) <= width
        if layout:
            assert len(lines) <= height
            assert "Points per line" in text
            continue
        size = re.search(r"too small: (\d+) columns × (\d+) rows\. The game needs (\d+) × (\d+)\. Enlarge", text)
        assert size, text
        assert (int(size[1]), int(size[2])) == (width, height)
        assert find_layout(watched_game, PAUSED_STATUS, make_console(int(size[3]), int(size[4]), coloured))
    watched_game.close()


def test_the_game_waits_until_the_terminal_is_large_enough() -> None:
    session = WatchSession(WatchedGame(load_agent("du"), Game(), UNLIMITED), 512)
    sizes = iter([(40, 15)] * 5 + [(80, 24)] * 5)
    pieces = list[int]()
    console = make_console(40, 15, coloured=True)

    def read_keys(seconds: float) -> str:
        pieces.append(session.game.state.position.pieces)
        size = next(sizes, None)
        if size is None:
            return "q"
        console.size = ConsoleDimensions(*size)
        return ""

    with patch("tetrion.cli.terminal_watch.has_keyboard", return_value=True):
        run_session(session, console, read_keys)
    assert pieces[4] == 0
    assert pieces[-1] > 0
    session.game.close()


def test_panel_shows_the_board() -> None:
    watched_game = WatchedGame(load_agent("medico"), Game("medico"), UNLIMITED)
    for _ in range(25):
        watched_game.make_move()
    game = play_game("medico", "medico", 25)
    letters = render_lines(watched_game, coloured=False)
    assert [line[1:21:2] for line in letters[:20]][-len(get_filled_rows(game)) :] == [
        row.replace(".", " ") for row in get_filled_rows(game)
    ]
    blocks = [line[1:21:2] for line in render_lines(watched_game)[:20]]
    assert [["█" if letter != " " else " " for letter in line[1:21:2]] for line in letters[:20]] == [
        list(line) for line in blocks
    ]
    assert any(line.endswith(f"Score      {game.score:>12,}"[-12:]) for line in letters)
    assert "Mode" in "".join(letters)
    watched_game.close()


def test_time_makes_moves_and_keys_control_the_game() -> None:
    session = WatchSession(WatchedGame(load_agent("du"), Game(), 30), 4)

    def count_pieces() -> int:
        return session.game.state.position.pieces

    session.advance(0.0)
    assert count_pieces() == 1
    session.advance(1.0)
    assert count_pieces() == 5
    session.handle_key(" ")
    session.advance(1.0)
    assert count_pieces() == 5
    session.handle_key("n")
    assert (count_pieces(), session.is_paused) == (6, True)
    session.handle_key(" ")
    session.handle_key("+")
    session.advance(0.5)
    assert count_pieces() == 10
    assert session.status.measured_speed == pytest.approx(9 / 1.5)
    for key, speed in (("+", MAX_WATCH_SPEED), ("-", MIN_WATCH_SPEED)):
        for _ in range(20):
            session.handle_key(key)
        assert session.speed == speed
    session.handle_key("r")
    assert count_pieces() == 0
    for _ in range(40):
        session.handle_key("N")
    assert (count_pieces(), session.game.is_finished) == (30, True)
    session.handle_key("x")
    assert not session.has_quit
    session.handle_key("q")
    assert session.has_quit
    session.game.close()


needs_pseudo_terminal = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")


@needs_pseudo_terminal
def test_terminal_is_restored_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
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
            os.write(master, b"\xff\xc3")
            assert read(5) == "", "an invalid character is ignored"
            raise ZeroDivisionError
        assert termios.tcgetattr(slave) == before
        assert signal.getsignal(signal.SIGTERM) == handler
    os.close(master)


@needs_pseudo_terminal
def test_keys_and_ctrl_c_work_on_a_terminal() -> None:
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
    output = b""

    def wait_for(text: bytes, times: int = 1) -> None:
        nonlocal output
        deadline = time.monotonic() + 120  # the engine may have to be compiled
        while output.count(text) < times:
            assert time.monotonic() < deadline, output[-2000:]
            if select.select([master], [], [], 1)[0]:
                output += os.read(master, 65536)

    try:
        wait_for(b"Playing")
        os.write(master, b" ")
        wait_for(b"Paused")
        frames = output.count(b"Paused")
        os.write(master, b"nnn")
        wait_for(b"Paused", frames + 1)
        process.send_signal(signal.SIGINT)
        wait_for(b"medico, rules medico, seed 0: 4 pieces")
        assert process.wait(20) == 130
    finally:
        process.kill()
        process.wait()
    assert termios.tcgetattr(slave) == before
    assert output.count(b"\x1b[?1049h") == output.count(b"\x1b[?1049l") == 1
    assert output.rfind(b"\x1b[?25h") > output.rfind(b"\x1b[?25l")
    os.close(master)
    os.close(slave)


def test_help_lists_options_and_keys() -> None:
    printed = tetrion_here("watch", "--help").stdout
    assert "--text" in printed
    assert "restart" in printed


def test_modern_games_show_hold_queue_attack_and_garbage() -> None:
    watched_game = WatchedGame(load_agent("modern-1"), Game(GARBAGE_RULES, 3), UNLIMITED)
    texts = set()
    for _ in range(40):
        watched_game.make_move()
        state = watched_game.state
        position = state.position
        lines = render_lines(watched_game, coloured=False)
        text = "\n".join(lines)
        for label, letters in (("Hold", position.hold or "–"), ("Piece", position.piece), ("Next", position.next)):
            assert label in text
            if position.pieces % 8 == 0:
                small = " ".join(render_lines(watched_game, height=16))
                assert re.search(rf"{label} +{letters}", small)
        assert re.search(rf"Attack +{watched_game.game.attack}\b", text)
        assert re.search(rf"Combo +{max(0, position.combo - 1)}\b", text)
        assert re.search(rf"Garbage +{sum(rows for rows, _ in position.garbage)}\b", text)
        assert sum(line.startswith("┃") for line in lines) == min(20, sum(rows for rows, _ in position.garbage))
        assert " · ".join(state.action) in text
        texts |= set(state.action)
    assert {"T-spin double", "Back-to-back"} <= texts
    watched_game.close()


def test_action_text_stays_for_some_moves() -> None:
    watched_game = WatchedGame(load_agent("modern-1"), Game("guideline", 3), UNLIMITED)
    shown = []
    for _ in range(40):
        watched_game.make_move()
        shown.append(watched_game.state.action)
    first = next(number for number, action in enumerate(shown) if action)
    assert shown[first + 1] == shown[first]
    assert () in shown[first:]
    watched_game.close()


def test_result_is_wrapped_between_words(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name, value in {"TTY_COMPATIBLE": "1", "TERM": "dumb", "COLUMNS": "60", "LINES": "24"}.items():
        monkeypatch.setenv(name, value)
    watched_game = WatchedGame(load_agent("modern-1"), Game("guideline", 3), 0)
    print_final_state(watched_game)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    assert " ".join(lines[-4:]).endswith("0 pieces, 0 lines, 0 points, attack 0")
    watched_game.close()


def test_final_state_of_a_modern_game_has_the_attack() -> None:
    game = play_game("dellacherie", "tetrio", 60, seed=2)
    printed = tetrion_here("watch", "dellacherie", "--text", "--rules", "tetrio", "--pieces", "60", "--seed", "2")
    assert f", attack {game.attack}" in printed.stdout.splitlines()[-1]
