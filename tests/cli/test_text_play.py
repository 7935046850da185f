"""`tetrion play --text`: keys, the game that they play, what is drawn, and terminals that are restored."""

import json
import os
import re
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.command_runner import PROGRAM, tetrion_here
from tetrion import PRESETS, Game, Replay, Rules
from tetrion.app.game_storage import list_replay_files, load_best_scores
from tetrion.app.games.human_rules import MODES
from tetrion.app.window_settings import DEFAULT_KEYS, WindowSettings, load_settings
from tetrion.cli import terminal_play
from tetrion.cli.keyboard import ASK_FOR_RELEASES, END_REPORTS, REPORT_RELEASES, KeyDecoder, KeyEvent
from tetrion.cli.terminal_play import CellStyles, PlaySession, Screen, SessionSetup
from tetrion.errors import TetrionError

FRAME = 1 / 60
ERASE_SCREEN = "\x1b[2J"
needs_pseudo_terminal = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")


@pytest.fixture(autouse=True)
def data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The folder of the games that are saved in a test."""
    monkeypatch.setenv("TETRION_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("TETRION_CONFIG_DIR", str(tmp_path / "config"))
    return tmp_path / "data"


# Keys.


@pytest.mark.parametrize(
    ("typed", "names"),
    [
        ("aQ ?\r\t\x7fß", "a, q, space, ?, return, tab, backspace, ß"),
        ("\x1b[A\x1b[B\x1b[C\x1b[D\x1bOA\x1b[1;2D\x1b[5~\x1b[15~", "up, down, right, left, up, left, page up, f5"),
        ("\x1b[?62;4c\x1b[200~\x1b[<0;3;4M\x1b[99999999999u\x1b[55296u\x00\x1bOz", ""),
        ("\x1b[O", "focus lost"),
        ("\x1b[47:63;2u\x1b[120:88;2u\x1b[1103::122u\x1b[57399u\x1b[57441u\x1b[57442u", "?, x, z, [0], left shift"),
    ],
)
def test_keys_have_the_names_of_the_settings(typed: str, names: str) -> None:
    assert ", ".join(event.name for event in KeyDecoder().decode(typed, 0.0)) == names


def test_sequences_arrive_in_parts_and_a_lone_escape_is_a_key() -> None:
    decoder = KeyDecoder()
    assert decoder.decode("\x1b", 0.0) == decoder.decode("", 0.02) == decoder.decode("[", 0.03) == []
    assert decoder.decode("1;2", 0.04) == []
    assert decoder.decode("C\x1b", 0.05) == [KeyEvent("right")]
    assert decoder.decode("", 0.2) == [KeyEvent("escape")]
    assert decoder.decode("\x1b" + 200 * "[", 1.0)[0] == KeyEvent("[")


def test_kitty_protocol_reports_repeats_and_releases() -> None:
    decoder = KeyDecoder()
    assert not decoder.offers_releases
    assert decoder.decode("\x1b[?0u", 0.0) == []
    assert decoder.offers_releases
    assert decoder.decode("\x1b[1;1:1D\x1b[1;1:2D\x1b[1;1:3D\x1b[99;5u", 0.0) == [
        KeyEvent("left"),
        KeyEvent("left", is_repeat=True),
        KeyEvent("left", is_pressed=False),
        KeyEvent("c", has_ctrl=True),
    ]


def test_a_paste_cannot_keep_a_sequence_open() -> None:
    """What is kept of a sequence is searched again with each further part, so that its length must be limited."""
    decoder = KeyDecoder()
    events = [event for part in ["\x1b[", *[1000 * " "] * 5, "C"] for event in decoder.decode(part, 0.0)]
    assert len(events) > 4000
    assert events[-1] == KeyEvent("c")


# Games.


class Player:
    """A session, and a clock that only moves when it is told to."""

    def __init__(
        self, rules: str = "guideline", mode: str = "marathon", seed: int = 5, colours: str | None = None
    ) -> None:
        styles = CellStyles(colours, "tetrion", has_marks=False)
        self.session = PlaySession(SessionSetup(Rules.parse(rules), MODES[mode], 5, WindowSettings(), styles))
        self.decoder = KeyDecoder()
        self.now = 100.0
        self.screen = Screen(is_ascii=False)
        self.output = ""

    @property
    def game(self) -> Game:
        """The current game."""
        return self.session.played.game

    def type(self, typed: str) -> None:
        """Send characters, and let a frame pass."""
        for event in self.decoder.decode(typed, self.now):
            self.session.handle_event(event, self.now)
        self.wait(FRAME)

    def wait(self, seconds: float) -> None:
        """Let time pass, frame by frame."""
        for _ in range(round(seconds / FRAME)):
            self.now += FRAME
            self.session.advance(FRAME, self.now)

    def hold(self, typed: str, seconds: float, delay: float = 0.4, interval: float = 2 * FRAME) -> None:
        """Hold a key on a terminal without releases: it sends its characters, after a delay again and again."""
        self.type(typed)
        end = self.now + seconds
        self.wait(delay)
        while self.now < end:
            self.type(typed)
            self.wait(interval - FRAME)

    def draw(self, columns: int = 80, lines: int = 24) -> list[str]:
        """Return the lines of a terminal of this size after everything that was drawn, without styles."""
        self.session.draw(self.screen, columns, lines)
        self.output += self.screen.render_changes()
        return draw_text(self.output, columns, lines)


def draw_text(output: str, columns: int, lines: int) -> list[str]:
    """Return what a terminal shows after an output, without styles; its last size must be this one."""
    cells, line, column = [[" "] * columns for _ in range(lines)], 0, 0
    for match in re.finditer(r"\x1b\[([<-?]?[\d;]*)([@-~])|(.)", output[output.rfind(ERASE_SCREEN) :]):
        parameters, final, character = match.groups()
        if character:
            cells[line][column] = character
            column += 1
        elif final == "H":
            line, column = (int(number) - 1 for number in parameters.split(";"))
    return ["".join(row).rstrip() for row in cells]


def play_events(game: Game) -> Game:
    """Return a new game with the same keys at the same frames, given to the engine."""
    other = Game(game.rules, game.seed)
    actions = {"press": other.press, "keydown": other.key_down, "keyup": other.key_up}
    for frame, name, key in game.events:
        other.tick(frame - other.frames)
        actions[name](key)
    other.tick(game.frames - other.frames)
    return other


@pytest.mark.parametrize("rules", ["guideline", "nes:start_level=5", "gavrilov", "tetrio:garbage_rows=1"])
def test_typed_keys_play_a_whole_game(rules: str) -> None:
    """The saved replay, and the same keys given to the engine, lead to the same game."""
    player = Player(rules)
    keys = ["\x1b[D", "\x1b[C", "x", "z", "\x1b[B", " ", "c", "\x1b[A"]
    for number in range(4000):
        player.type(keys[number * number % 31 % len(keys)])
        player.wait(0.1 * (number % 3))
        if player.session.played.is_finished:
            break
    game = player.game
    assert game.is_over
    assert {key for _, _, key in game.events} == set(rules_keys(game))
    assert play_events(game).position == game.position
    assert player.session.saved_file
    replay = Replay.load(player.session.saved_file)
    assert (replay.agent, replay.play().position) == ("you", game.position)
    assert load_best_scores()[0][rules][0][:3] == (game.score, game.lines, game.pieces)
    assert {"Game over", "Your best game", "R play again"} <= {line.strip(" │") for line in read_box(player.draw())}


def rules_keys(game: Game) -> list[str]:
    """Return the keys of the rules that the test uses."""
    return [key for key in game.rules.keys if key != "half"]


def read_box(lines: list[str]) -> list[str]:
    """Return the texts of the box in front of the board."""
    first = next(number for number, line in enumerate(lines) if "┌" in line)
    left = lines[first].index("┌")
    texts = [line[left + 1 :].partition("│")[0].strip() for line in lines[first + 1 :]]
    return texts[: next(number for number, line in enumerate(lines[first + 1 :]) if line[left : left + 1] == "└")]


def test_characters_move_a_piece_as_keys_of_the_engine_do() -> None:
    player, game = Player(), Game("guideline", 5)
    for typed, key in [("\x1b[D", "left"), ("\x1b[D", "left"), ("z", "back"), ("\x1b[B", "down"), (" ", "drop")] * 3:
        player.type(typed)
        player.wait(4 * FRAME)
        game.tick(1)
        game.key_down(key)
        game.key_up(key)
        game.tick(4)
    assert (player.game.placements_made, player.game.score) == (game.placements_made, game.score)
    assert game.pieces == 3


def test_held_keys_repeat_as_the_terminal_repeats_them() -> None:
    """Moves, but not faster than the rules, and soft drops are repeated; hard drops, hold and rotations act once."""
    player = Player()
    player.hold("\x1b[D", 0.8)
    column = player.game.falling_piece.column if player.game.falling_piece else -1
    assert column == 0
    player.hold(" ", 1.5)
    player.wait(0.3)
    assert player.game.pieces == 1
    for _ in range(3):
        player.type(" ")
        player.wait(0.3)
    assert player.game.pieces == 4, "single presses are not held"
    player.hold("c", 1.0)
    player.wait(0.3)
    assert player.game.events[-1][2] == "hold"
    assert [key for _, kind, key in player.game.events if kind != "keyup"].count("hold") == 1

    fast = Player()
    fast.hold("\x1b[C", 0.55, interval=2 * FRAME)
    assert sum(kind == "keydown" for _, kind, _ in fast.game.events) >= 5, (
        "the guideline repeats thirty times per second"
    )

    slow = Player("nes")
    slow.hold("\x1b[C", 1.0)
    moves = sum(kind == "keydown" for _, kind, _ in slow.game.events)
    assert 2 + 0.5 / 0.1 <= moves <= 4 + 0.6 / 0.1, "the NES repeats ten times per second"

    fixed = Player("gavrilov:arr=0")
    fixed.hold("\x1b[D", 1.0)
    assert sum(kind == "keydown" for _, kind, _ in fixed.game.events) <= 2, "with arr=0, held keys do not repeat"


def test_soft_drop_ends_soon_after_the_last_repetition() -> None:
    player = Player()
    player.type("\x1b[B")
    row = get_row(player)
    assert [event[1:] for event in player.game.events] == [("keydown", "down"), ("keyup", "down")]
    player.wait(0.3)
    player.hold("\x1b[B", 0.7)
    assert player.game.events[-1][1:] == ("keydown", "down")
    player.wait(0.2)
    assert player.game.events[-1][1:] == ("keyup", "down")
    assert get_row(player) < row - 5


def get_row(player: Player) -> int:
    """Return the row of the falling piece."""
    assert player.game.falling_piece
    return player.game.falling_piece.row


def test_reported_releases_hold_keys_for_as_long_as_they_are_down() -> None:
    player = Player()
    player.session.has_releases = True
    player.type("\x1b[1;1:1D")
    player.type("\x1b[1;1:2D")
    player.wait(0.5)
    assert [event[1:] for event in player.game.events] == [("keydown", "left")]
    player.type("\x1b[1;1:3D\x1b[1;1:1B")
    assert [event[1:] for event in player.game.events][1:] == [("keyup", "left"), ("keydown", "down")]
    player.type("\x1b[112;1:1u")
    assert player.game.events[-1][1:] == ("keyup", "down"), "a pause releases all keys"
    with pytest.raises(KeyboardInterrupt):
        player.type("\x1b[99;5u")
    player.type("\x1b[122;5u")
    assert player.session.wants_suspension


def test_pause_help_restart_and_leaving() -> None:
    player = Player()
    player.type(" ")
    player.wait(1)
    for pause, resume in (("p", "p"), ("q", "\r"), ("\x1b[O", "P")):
        player.type(pause)
        frames = player.game.frames
        player.wait(1)
        player.type(" \x1b[D")
        assert (player.game.frames, player.game.pieces) == (frames, 1), "keys have no effect in a pause"
        assert read_box(player.draw())[0] == "Paused"
        player.type(resume)
        player.wait(1)
        assert player.game.frames > frames
        assert "Paused" not in "".join(player.draw())
    player.type("?")
    help_lines = read_box(player.draw())
    assert "↑ X    rotate" in help_lines
    assert "Z      rotate back" in help_lines, "terminals do not send Ctrl alone"
    player.type("x")
    assert read_box(player.draw())[0] == "Paused"
    first = player.game
    player.type("r")
    assert (player.game.pieces, player.game.seed, player.session.is_running) == (0, first.seed, True)
    assert len(list_replay_files()) == 1
    player.type("q")
    assert not player.session.has_quit
    player.type("q")
    assert player.session.has_quit


def test_keys_directly_after_the_end_have_no_effect() -> None:
    player = Player("guideline", "blitz")
    player.wait(119.9)
    while not player.session.played.is_finished:
        player.type("\x1b[D")
    for _ in range(5):
        player.type("r")
        player.wait(0.3)
    assert player.session.played.is_finished
    player.wait(0.6)
    assert read_box(player.draw())[0] in ("Finished", "Game over")
    player.type("r")
    assert not player.session.played.is_finished


def test_a_sprint_has_a_time_and_a_cheese_race_its_rows() -> None:
    player = Player("guideline", "sprint")
    player.wait(61.2)
    lines = "\n".join(player.draw())
    assert re.search(r"Time +1:01\.\d ", lines)
    assert "40 lines left" in lines
    race = Player("jstris", "cheese").draw()
    assert "10 rows of garbage" in "\n".join(race)
    assert sum("##" in line for line in race) == 10


# Drawing.


def test_board_shows_the_stack_the_piece_and_the_ghost() -> None:
    player = Player("nes")
    player.hold("\x1b[B", 2.0)
    while not player.game.falling_piece or get_row(player) < 15:
        player.wait(FRAME)
    lines = player.draw()
    floor = next(number for number, line in enumerate(lines) if "└" in line)
    left = lines[floor].index("└")
    board = [line[left + 1 : left + 21] for line in lines[floor - 20 : floor]]
    game = player.game
    for row, line in enumerate(reversed(board)):
        for column in range(10):
            cell, letter = line[2 * column : 2 * column + 2], game.stack.get_cell(column, row)
            if letter != ".":
                assert cell == 2 * letter
    assert game.falling_piece
    assert "".join(board).count(2 * game.falling_piece.piece) >= 4
    assert "".join(board).count("[]") == 4
    assert f"Level{game.level:>15}" in "\n".join(lines)


@pytest.mark.parametrize("rules", [*PRESETS, "tetrio:garbage_rows=2", "medico:height=14"])
def test_every_size_shows_the_game_or_the_size_that_it_needs(rules: str) -> None:
    player = Player(rules)
    width, height = player.session.needed_size
    assert width <= 80
    assert height <= 24
    too_small = [(width - 1, height), (width, height - 1), (1, 1), (0, 0)]
    for columns, lines in [(width, height), (80, 24), (120, 40), *too_small]:
        text = "\n".join(player.draw(columns, lines))
        if columns >= width and lines >= height:
            assert "Marathon" in text
            assert "? help" in text
        elif columns > 50:
            assert f"needs {width} × {height}" in text.replace("\n", " ")


@pytest.mark.parametrize("colours", [None, "standard", "256", "truecolor"])
def test_frames_draw_only_what_has_changed(colours: str | None) -> None:
    """The shown text after many small changes is that of a terminal that is drawn anew; moves need few bytes."""
    player = Player(colours=colours)
    sizes = []
    for typed in ("", "\x1b[D", "\x1b[D", "x", " ", "c", "\x1b[C", " "):
        player.type(typed)
        before = len(player.output)
        shown = player.draw()
        sizes.append(len(player.output) - before)
    assert max(sizes[1:4]) < 400
    assert player.screen.render_changes() == ""
    codes = {"standard": ";10", "256": "48;5;", "truecolor": "48;2;"}
    assert {name for name, code in codes.items() if code in player.output} == {colours} - {None}
    player.screen, player.output = Screen(is_ascii=False), ""
    assert player.draw() == shown


def test_terminals_without_unicode_get_ascii() -> None:
    player = Player()
    player.screen = Screen(is_ascii=True)
    player.type("?")
    assert "".join(player.draw()).isascii()


# Terminals.


class Terminal:
    """`tetrion play --text` in a process on a pseudo-terminal."""

    def __init__(self, *arguments: str, lines: int = 24, columns: int = 80) -> None:
        import pty
        import termios

        self.master, self.slave = pty.openpty()
        self.resize(columns, lines)
        self.settings = termios.tcgetattr(self.slave)
        environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLORTERM")}
        self.process = subprocess.Popen(
            [*PROGRAM, "play", "--text", *arguments],
            stdin=self.slave,
            stdout=self.slave,
            stderr=self.slave,
            env=environment | {"TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"},
            process_group=0,
        )
        self.output = ""

    def resize(self, columns: int, lines: int) -> None:
        """Change the size of the terminal."""
        import fcntl
        import termios

        fcntl.ioctl(self.slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def send(self, typed: str, expected: str) -> None:
        """Send characters and wait until the program writes a text."""
        start = len(self.output)
        os.write(self.master, typed.encode())
        deadline = time.monotonic() + 120  # the engine may have to be compiled
        while expected not in self.output[start:]:
            assert time.monotonic() < deadline, self.output[-3000:]
            if select.select([self.master], [], [], 1)[0]:
                self.output += os.read(self.master, 65536).decode(errors="replace")

    @property
    def is_restored(self) -> bool:
        """Whether the terminal has its settings, its cursor and its first screen again."""
        import termios

        counts = [self.output.count(f"\x1b[?{mode}") for mode in ("1049h", "1049l", "25l", "25h", "1004h", "1004l")]
        same_settings = termios.tcgetattr(self.slave) == self.settings
        same_reports = self.output.count(REPORT_RELEASES) == self.output.count(END_REPORTS)
        return same_settings and same_reports and counts[::2] == counts[1::2]


@pytest.fixture
def terminals() -> Iterator[type[Terminal]]:
    """The class of terminals, whose processes are ended after the test."""
    started: list[Terminal] = []

    class RegisteredTerminal(Terminal):
        def __init__(self, *arguments: str) -> None:
            super().__init__(*arguments)
            started.append(self)

    yield RegisteredTerminal
    for terminal in started:
        terminal.process.kill()
        terminal.process.wait()
        os.close(terminal.slave)
        os.close(terminal.master)


@needs_pseudo_terminal
def test_a_game_on_a_terminal_is_saved_when_the_player_leaves(terminals: type[Terminal]) -> None:
    terminal = terminals("--rules", "guideline", "--seed", "5")
    terminal.send("", "? help")
    assert not terminal.is_restored
    terminal.send(" ", "\x1b[?2026l")  # the end of a frame
    terminal.send("p", "Paused")
    terminal.resize(60, 20)
    terminal.send("", "needs 66 × 22")
    terminal.resize(65535, 65535)  # is not drawn completely, which would take gigabytes
    terminal.send("", "Paused")
    terminal.resize(100, 30)
    terminal.send("", "Paused")
    terminal.send("q", "grades its moves")
    assert terminal.process.wait(20) == 0
    assert terminal.is_restored
    (saved_file,) = list_replay_files()
    game = Game("guideline", 5)
    game.press("drop")
    assert list(Replay.load(saved_file).placements) == game.placements_made
    assert "Marathon, rules guideline, seed 5: 1 piece, 0 lines, " in terminal.output


@needs_pseudo_terminal
def test_ctrl_z_and_a_closed_connection_restore_the_terminal(terminals: type[Terminal]) -> None:
    terminal = terminals("--rules", "nes", "--seed", "5")
    terminal.send("", ASK_FOR_RELEASES)
    terminal.send("\x1b[?0u", REPORT_RELEASES)
    terminal.process.send_signal(signal.SIGTSTP)
    terminal.send("", "\x1b[?1049l")
    os.waitid(os.P_PID, terminal.process.pid, os.WSTOPPED)
    assert terminal.is_restored
    terminal.process.send_signal(signal.SIGCONT)
    terminal.send("", ASK_FOR_RELEASES)
    terminal.send("\x1b[?0u", "Paused")
    terminal.process.send_signal(signal.SIGHUP)
    terminal.send("", "\x1b[?1049l")
    assert terminal.process.wait(20) == 128 + signal.SIGHUP
    assert terminal.is_restored


def test_closed_output_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal_play, "has_keyboard", lambda: True)
    monkeypatch.setattr(sys, "stdout", None)
    with pytest.raises(TetrionError, match="standard input or output is not a terminal"):
        terminal_play.play_in_terminal(None, None, None, None)


def test_names_of_keys_cannot_control_the_terminal(tmp_path: Path) -> None:
    """Names from the settings file are refused if a font could not show them, and every text is cleaned."""
    content = {"keys": {"left": ["\x1b]0;title\x07"]}, "play_rules": "no-such-rules", "ghost": False}
    (tmp_path / "config").mkdir()
    (tmp_path / "config" / "settings.json").write_text(json.dumps(content), encoding="utf-8")
    settings, message = load_settings(knows_keys=False)
    assert settings == WindowSettings(ghost=False)
    assert message == "Invalid settings: keys, play_rules. Their defaults are used."
    player = Player()
    player.session.message = "\x1b]0;title\x07 in a path"
    player.session.pause()
    assert any("in a path" in line for line in player.draw())
    assert "\x1b]" not in player.output


def test_long_names_of_keys_have_space_in_a_narrow_terminal() -> None:
    player = Player()
    settings = WindowSettings(keys=DEFAULT_KEYS | dict.fromkeys(("left", "right", "rotate"), (30 * "W",)))
    player.session.setup = player.session.setup._replace(settings=settings)
    assert player.draw(*player.session.needed_size)[-1].endswith("? help")


def test_without_a_terminal_a_message_says_what_to_do() -> None:
    message = tetrion_here("play", "--text", expect=2).stderr
    assert "standard input or output is not a terminal. Run it directly" in message
    assert "tetrion watch AGENT --text" in message


def test_text_needs_no_graphics_library() -> None:
    program = "import sys, tetrion.cli.terminal_play; print({'pygame', 'PIL'} & set(sys.modules))"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "set()\n"
