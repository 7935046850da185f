"""`tetrion play --text`: keys, the game that they play, what is drawn, and terminals that are restored."""

import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.command_runner import needs_pseudo_terminal, open_terminal, tetrion_here
from tetrion import Game, Replay, Rules
from tetrion.app.game_storage import list_replay_files, load_best_scores
from tetrion.app.games.human_rules import MODES
from tetrion.app.games.played_game import COUNTDOWN_SECONDS
from tetrion.app.window_settings import DEFAULT_KEYS, WindowSettings, load_settings
from tetrion.cli import terminal_play
from tetrion.cli.keyboard import ASK_FOR_RELEASES, REPORT_RELEASES, KeyDecoder, TerminalKeyEvent
from tetrion.cli.terminal_play import CellStyles, PlaySession, SessionSetup, TextScreen, print_last_game
from tetrion.errors import TetrionError

FRAME = 1 / 60
ERASE_SCREEN = "\x1b[2J"


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
    assert decoder.decode("C\x1b", 0.05) == [TerminalKeyEvent("right")]
    assert decoder.decode("", 0.2) == [TerminalKeyEvent("escape")]
    assert decoder.decode("\x1b" + 200 * "[", 1.0)[0] == TerminalKeyEvent("[")


def test_kitty_protocol_reports_repeats_and_releases() -> None:
    decoder = KeyDecoder()
    assert not decoder.offers_releases
    assert decoder.decode("\x1b[?0u", 0.0) == []
    assert decoder.offers_releases
    assert decoder.decode("\x1b[1;1:1D\x1b[1;1:2D\x1b[1;1:3D\x1b[99;5u", 0.0) == [
        TerminalKeyEvent("left"),
        TerminalKeyEvent("left", is_repeat=True),
        TerminalKeyEvent("left", is_pressed=False),
        TerminalKeyEvent("c", has_ctrl=True),
    ]


def test_a_paste_cannot_keep_a_sequence_open() -> None:
    """What is kept of a sequence is searched again with each further part, so that its length must be limited."""
    decoder = KeyDecoder()
    events = [event for part in ["\x1b[", *[1000 * " "] * 5, "C"] for event in decoder.decode(part, 0.0)]
    assert len(events) > 4000
    assert events[-1] == TerminalKeyEvent("c")


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
        self.screen = TextScreen(is_ascii=False)
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

    def hold(self, typed: str, seconds: float) -> None:
        """Hold a key on a terminal without releases: it sends its characters, after a delay again and again."""
        self.type(typed)
        end = self.now + seconds
        self.wait(0.4)
        while self.now < end:
            self.type(typed)
            self.wait(FRAME)

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


@pytest.mark.parametrize("rules", ["nes:start_level=5", "tetrio:garbage_rows=1"])
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
    assert {key for _, _, key in game.events} == set(game.rules.keys) - {"half"}
    assert play_events(game).position == game.position
    assert player.session.saved_file
    replay = Replay.load(player.session.saved_file)
    assert (replay.agent, replay.play().position) == ("you", game.position)
    assert load_best_scores()[0][rules][0][:3] == (game.score, game.lines, game.pieces)
    assert {"Game over", "Your best game", "R play again"} <= {line.strip(" │") for line in read_box(player.draw())}


def read_box(lines: list[str]) -> list[str]:
    """Return the texts of the box in front of the board."""
    first = next(number for number, line in enumerate(lines) if "┌" in line)
    left = lines[first].index("┌")
    texts = [line[left + 1 :].partition("│")[0].strip() for line in lines[first + 1 :]]
    return texts[: next(number for number, line in enumerate(lines[first + 1 :]) if line[left : left + 1] == "└")]


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
    # The guideline repeats thirty times per second, the NES ten times; with arr=0, held keys do not repeat.
    for rules, seconds, least, most in (("guideline", 0.55, 5, 20), ("nes", 1.0, 7, 10), ("gavrilov:arr=0", 1.0, 0, 2)):
        player = Player(rules)
        player.hold("\x1b[C", seconds)
        assert least <= sum(kind == "keydown" for _, kind, _ in player.game.events) <= most


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
    for pause, resume in (("q", "\r"), ("\x1b[O", "P")):
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


def test_a_game_without_a_piece_is_not_reported(capsys: pytest.CaptureFixture[str]) -> None:
    player = Player()
    player.type(" ")
    player.type("r")
    assert player.session.saved_file
    print_last_game(player.session)
    assert capsys.readouterr().out == ""
    player.type(" ")
    player.session.save()
    print_last_game(player.session)
    assert "seed 5: 1 piece" in capsys.readouterr().out


def test_a_sprint_has_a_time_and_a_cheese_race_its_rows() -> None:
    player = Player("guideline", "sprint")
    player.type("   ")
    assert read_box(player.draw()) == ["Ready"]
    assert (player.game.pieces, player.game.frames) == (0, 0)
    player.wait(COUNTDOWN_SECONDS + 61.2)
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


@pytest.mark.parametrize("rules", ["standard", "nes", "guideline", "tetrio:garbage_rows=2", "medico:height=14"])
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


@pytest.mark.parametrize("colours", [None, "standard", "truecolor"])
def test_frames_draw_only_what_has_changed(colours: str | None) -> None:
    """The shown text after many small changes equals that of a terminal that starts empty; moves need few bytes."""
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
    for is_ascii in (False, True):
        player.screen, player.output = TextScreen(is_ascii), ""
        assert (player.draw() == shown) != is_ascii
    assert "".join(player.draw()).isascii()


# Terminals.


@needs_pseudo_terminal
def test_a_game_on_a_terminal_is_saved_when_the_player_leaves() -> None:
    with open_terminal("play", "--text", "--rules", "guideline", "--seed", "5") as terminal:
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
        assert "Marathon, rules guideline, seed 5: 1 piece, 0 lines, " in terminal.output
    (saved_file,) = list_replay_files()
    game = Game("guideline", 5)
    game.press("drop")
    assert list(Replay.load(saved_file).placements) == game.placements_made


@needs_pseudo_terminal
def test_ctrl_z_and_a_closed_connection_restore_the_terminal() -> None:
    with open_terminal("play", "--text", "--rules", "nes", "--seed", "5") as terminal:
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
    program = (
        "import sys, tetrion.cli.terminal_play, tetrion.cli.terminal_watch; "
        "print({'pygame', 'PIL', 'matplotlib'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "set()\n"
