"""`tetrion watch --text`: identical games to other commands, and terminal settings that are restored."""

import io
import os
import re
import signal
import sys
from contextlib import suppress
from itertools import product
from pathlib import Path

import pytest
from rich.console import Console

from tests.cli.command_runner import needs_pseudo_terminal, open_terminal, tetrion_here
from tetrion import Game, load_agent
from tetrion.cli.keyboard import open_keyboard, read_keys
from tetrion.cli.terminal_watch import (
    WatchedGame,
    WatchSession,
    WatchStatus,
    find_layout,
    render_size_message,
)
from tetrion.cli.watch_command import MAX_WATCH_SPEED, MIN_WATCH_SPEED
from tetrion.engine.batch_play import UNLIMITED
from tetrion.engine.rules import Rules

GARBAGE_RULES = "guideline:garbage_rows=2,garbage_interval=3,garbage_delay=4"
EXAMPLES = Path(__file__).parents[2] / "examples"
PAUSED_STATUS = WatchStatus(is_paused=True, speed=4, measured_speed=None, has_keyboard=True)


def get_filled_rows(game: Game) -> list[str]:
    """Return the non-empty rows of a game, top to bottom."""
    return list(reversed(game.stack.rows))


@pytest.mark.parametrize(
    ("agent", "rules", "pieces", "seed"),
    [("medico", "medico", 60, 3), ("random-keys", "gavrilov", UNLIMITED, 4), ("dellacherie", "tetrio", 60, 2)],
)
def test_without_a_terminal_only_the_final_board_is_printed(agent: str, rules: str, pieces: int, seed: int) -> None:
    """The game is that of `Game.play`, which `tetrion bench` measures."""
    game = Game(rules, seed)
    game.play(load_agent(agent), pieces)
    limit = [] if pieces == UNLIMITED else ["--pieces", str(pieces)]
    result = tetrion_here("watch", agent, "--text", "--rules", rules, "--seed", str(seed), "--paused", *limit)
    assert ("the game is played to its end" in result.stderr) == (pieces == UNLIMITED)
    *board, last = result.stdout.splitlines()
    shown_rows = [row for row in board if row != "." * 10]
    assert shown_rows == get_filled_rows(game)[-len(shown_rows) :]  # the hidden rows are not shown
    assert f"{agent}, rules {rules}, seed {seed}: {game.pieces} pieces, {game.lines} lines, {game.score:,} po" in last
    assert last.endswith("game over" if game.is_over else "per line)" if rules == "medico" else f"attack {game.attack}")


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


def render_lines(watched_game: WatchedGame, height: int = 24, *, coloured: bool = True) -> list[str]:
    """Return the lines of the panel on a terminal with 80 columns."""
    console = make_console(80, height, coloured)
    layout = find_layout(watched_game, PAUSED_STATUS, console)
    assert layout
    console.print(layout.panel)
    return [line.rstrip() for line in console.export_text().splitlines()]


@pytest.mark.parametrize("rules", ["standard", "nes", "tetrais:preview=6,start_level=9,height=28", GARBAGE_RULES])
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


def test_small_terminals_get_a_smaller_view_or_the_size_that_is_needed() -> None:
    watched_game = WatchedGame(load_agent("medico"), Game("medico"), UNLIMITED)
    for _ in range(12):
        watched_game.make_move()
    for width, height, coloured in product((20, 40, 80), (8, 15, 24), (True, False)):
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


def test_panel_shows_the_board() -> None:
    watched_game = WatchedGame(load_agent("medico"), Game("medico"), UNLIMITED)
    for _ in range(25):
        watched_game.make_move()
    game = Game("medico")
    game.play(load_agent("medico"), 25)
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


@needs_pseudo_terminal
def test_terminal_is_restored_after_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    import pty
    import termios

    master, slave = pty.openpty()
    with os.fdopen(slave, closefd=True) as terminal:
        monkeypatch.setattr(sys, "stdin", terminal)
        before, handler = termios.tcgetattr(slave), signal.getsignal(signal.SIGTERM)
        with suppress(ZeroDivisionError), open_keyboard():
            assert termios.tcgetattr(slave) != before
            os.write(master, b"n+")
            assert read_keys(5) == "n+"
            os.write(master, b"\x1b[A")
            assert read_keys(5) == ""
            os.write(master, b"\xff\xc3")
            assert read_keys(5) == "", "an invalid character is ignored"
            raise ZeroDivisionError
        assert termios.tcgetattr(slave) == before
        assert signal.getsignal(signal.SIGTERM) == handler
    os.close(master)


@needs_pseudo_terminal
def test_keys_and_ctrl_c_work_on_a_terminal() -> None:
    with open_terminal("watch", "medico", "--text", "--speed", "0.25") as terminal:
        terminal.send("", "Playing")
        terminal.send(" ", "Paused")
        terminal.send("nnn", "Paused")
        terminal.process.send_signal(signal.SIGINT)
        terminal.send("", "medico, rules medico, seed 0: 4 pieces")
        assert terminal.process.wait(20) == 130
        assert terminal.is_restored


def test_modern_games_show_hold_queue_attack_and_garbage() -> None:
    watched_game = WatchedGame(load_agent("modern-1"), Game(GARBAGE_RULES, 3), UNLIMITED)
    texts = set()
    for number in range(40):
        watched_game.make_move()
        state = watched_game.state
        position = state.position
        texts |= set(state.action)
        if number % 4:
            continue
        lines = render_lines(watched_game, coloured=False)
        text, small = "\n".join(lines), " ".join(render_lines(watched_game, height=16))
        for label, letters in (("Hold", position.hold or "–"), ("Piece", position.piece), ("Next", position.next)):
            assert label in text
            assert re.search(rf"{label} +{letters}", small)
        assert re.search(rf"Attack +{watched_game.game.attack}\b", text)
        assert re.search(rf"Combo +{max(0, position.combo - 1)}\b", text)
        assert re.search(rf"Garbage +{sum(rows for rows, _ in position.garbage)}\b", text)
        assert sum(line.startswith("┃") for line in lines) == min(20, sum(rows for rows, _ in position.garbage))
        assert " · ".join(state.action) in text
    assert {"T-spin double", "Back-to-back"} <= texts
    watched_game.close()
