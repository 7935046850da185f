"""Practice, driven by events: pieces moved freely, boards drawn with the mouse, agents asked; nothing is too odd."""

import pygame
import pytest

from app.driving import Driver
from tetrion.app.games.bench import Bench, Free, History
from tetrion.app.screens.practice import PracticeScreen
from tetrion.board import Board
from tetrion.drawing.boards import frame_of, place_of
from tetrion.drawing.stack import Stack
from tetrion.engine.pieces import PIECES
from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.position import Position
from tetrion.replay import Replay

WELL = Board.from_text(["#########."] * 4, height=8)


def opened(driver: Driver, board: Board | None = None, piece: str = "T", rules: str = "standard") -> PracticeScreen:
    position = Position.of(board or Board(height=4), piece, next="L" * Rules.parse(rules).preview, rules=rules)
    screen = driver.open("practice", position=position)
    assert isinstance(screen, PracticeScreen)
    return screen


def free_of(screen: PracticeScreen) -> Free:
    assert screen.free is not None
    return screen.free


def pixel(driver: Driver, screen: PracticeScreen, column: int, row: int) -> tuple[int, int]:
    fitted = screen._fitted
    x, y = place_of(driver.window.ui.pen.point(fitted.box.topleft), fitted.cell, screen.bench.rules.height, column, row)
    return x + fitted.cell // 2, y + fitted.cell // 2


def drawn(driver: Driver, screen: PracticeScreen, cells: list[tuple[int, int]], button: int = 1) -> None:
    """Press on the first cell, drag over the others, let go."""
    down, *others = [pixel(driver, screen, *cell) for cell in cells]
    driver._post(pygame.MOUSEBUTTONDOWN, pos=down, button=button)
    for place in others:
        driver._post(pygame.MOUSEMOTION, pos=place, rel=(0, 0), buttons=(1, 0, 0))
    driver._post(pygame.MOUSEBUTTONUP, pos=(others or [down])[-1], button=button)


def test_a_piece_is_moved_freely_and_dropped(driver: Driver) -> None:
    screen = opened(driver)
    start = free_of(screen).place
    driver.press("↓", "↓", "←", "↑")
    assert free_of(screen).place == (0, start[1] - 1, start[2] - 1)
    driver.press("X")
    assert free_of(screen).place[0] == 1
    driver.press("Z")
    assert free_of(screen).place[0] == 0
    driver.frames(40)
    assert free_of(screen).place[2] == start[2] - 1, "without gravity nothing falls"
    driver.press("Space")
    assert screen.bench.pieces == 1
    assert sum(row.count("T") for row in screen.bench.stack.rows) == 4


def test_a_held_arrow_repeats_until_something_is_in_the_way(driver: Driver) -> None:
    screen = opened(driver)
    driver.hold("→")
    driver.frames(40)
    driver.release("→")
    assert free_of(screen).after("right") is None
    driver.hold("↓")
    driver.frames(75)
    driver.lose_focus()
    assert free_of(screen).rests
    driver.hold("↑")
    driver.frames(75)
    driver.release("↑")
    assert free_of(screen).top == screen.bench.rules.height - 1


def test_a_place_that_no_key_of_the_game_leads_to(driver: Driver) -> None:
    cave = Board.from_text(["##########"[:9] + ".", "#.........", "#........."])
    screen = opened(driver, cave, "O")
    for row in (0, 1):
        assert screen.bench.stack.at(1, row) == "."
    free = Free(screen.bench, (0, 5, 0))
    assert screen.bench.fits(free.placement)
    screen.free = free
    driver.frames()
    driver.press("Space")
    assert screen.bench.stack.at(5, 0) == "O"


def test_gravity_lets_the_piece_fall_and_rest(driver: Driver) -> None:
    screen = opened(driver)
    driver.click("gravity", x=0.5)
    assert 8 <= screen.gravity <= 12
    assert driver.window.ui.focus == ""
    before = free_of(screen).place[2]
    driver.frames(20)
    assert free_of(screen).place[2] < before
    driver.until(lambda: screen.bench.pieces, seconds=0.1)
    assert screen.bench.pieces >= 1


def test_pieces_are_chosen_by_click_number_and_letter(driver: Driver) -> None:
    screen = opened(driver, rules="gavrilov")
    driver.click("piece O")
    assert screen.bench.piece == "O"
    driver.click("next I")
    assert screen.bench.next == "I"
    for number, letter in enumerate(PIECES, 1):
        driver.press(str(number))
        assert screen.bench.piece == letter
    driver.press("S")
    assert screen.bench.piece == "S"
    driver.press("Z")
    assert screen.bench.piece == "S", "the key turns the piece back"
    driver.press("Space")
    assert screen.bench.piece == "I"


def test_the_mouse_draws_and_erases_and_steps_are_taken_back(driver: Driver) -> None:
    screen = opened(driver)
    drawn(driver, screen, [(0, 0), (5, 0), (5, 3)])
    assert screen.bench.board == Board.from_text([".....#....", ".....#....", ".....#....", "######...."])
    drawn(driver, screen, [(1, 0), (3, 0)], button=3)
    assert screen.bench.stack.rows[0] == "#...##...."
    driver.press("Z", mod=pygame.KMOD_CTRL)
    assert screen.bench.stack.rows[0] == "######...."
    driver.press("Z", mod=pygame.KMOD_CTRL)
    assert not screen.bench.stack.rows
    driver.press("Z", mod=pygame.KMOD_CTRL)
    driver.press("Y", mod=pygame.KMOD_CTRL)
    assert screen.bench.stack.rows[0] == "######...."
    driver.frames(2)
    driver.click("clear")
    assert not screen.bench.stack.rows
    driver.frames(2)
    driver.click("undo")
    assert screen.bench.stack.rows[0] == "######...."


def test_a_full_row_is_refused_in_words(driver: Driver) -> None:
    screen = opened(driver)
    drawn(driver, screen, [(0, 0), (9, 0)])
    assert screen.bench.stack.rows == ("#########.",)
    assert "leave a gap" in driver.window.notice


def test_the_piece_stays_out_of_what_is_drawn(driver: Driver) -> None:
    screen = opened(driver)
    cell = free_of(screen).placement.cells[0]
    drawn(driver, screen, [cell])
    assert not screen.bench.stack.rows
    assert free_of(screen)


def test_the_mouse_outside_of_the_board_draws_nothing(driver: Driver) -> None:
    screen = opened(driver)
    x, y = pixel(driver, screen, 0, 0)
    driver.click_at(((x - screen._fitted.cell) / driver.window.ui.pen.scale, y))
    assert not screen.bench.stack.rows
    assert screen.bench.pieces == 0
    assert frame_of(screen._fitted.cell) > 0


def test_an_agent_is_asked_and_its_choice_is_placed(driver: Driver) -> None:
    screen = opened(driver, WELL, "I")
    driver.press("A")
    driver.until(lambda: screen.asking.advice(screen.bench))
    advice = screen.asking.advice(screen.bench)
    assert advice is not None
    assert {column for column, _ in advice.cells} == {9}
    decision = screen.asking.adviser.decision
    assert decision is not None
    assert decision.explanation is not None
    assert len(decision.explanation.candidates) == 5
    driver.frames(2)
    driver.press("P")
    assert (screen.bench.lines, screen.bench.stack.rows) == (4, ())
    assert screen.asking.advice(screen.bench) is None


def test_an_agent_plays_some_moves_and_all_are_taken_back(driver: Driver) -> None:
    screen = opened(driver)
    screen.asking.moves = 3
    driver.frames(2)
    driver.click("let it play")
    driver.until(lambda: screen.bench.pieces == 3, seconds=0.1)
    driver.frames(10, seconds=0.1)
    assert screen.bench.pieces == 3
    for _ in range(3):
        driver.press("Z", mod=pygame.KMOD_CTRL)
    assert not screen.bench.stack.rows


def test_mistakes_of_agents_and_rules_are_told(driver: Driver) -> None:
    screen = driver.open("practice", rules="nonsense", agent="dellachery")
    assert isinstance(screen, PracticeScreen)
    assert "nonsense" in driver.window.notice
    assert screen.bench.rules == Rules.parse("standard")
    driver.press("A")
    driver.until(lambda: screen.asking.adviser.problem)
    assert "dellacherie" in screen.asking.status(screen.bench)[0]
    driver.click("agent")
    driver.type("dellacherie:depth=2")
    driver.press("Enter")
    driver.frames(2)
    driver.press("A")
    driver.until(lambda: screen.asking.adviser.problem)
    assert "depth=2" in screen.asking.adviser.problem
    driver.click("rules")
    driver.type("standard:height=99")
    driver.press("Enter")
    assert screen.bench.rules == Rules.parse("standard")
    assert "height" in driver.window.notice


def test_a_tower_to_the_top_is_no_end(driver: Driver) -> None:
    for rules in ("standard", "tetrais", "nes", "gavrilov"):
        tower_to_the_top(driver, rules)


def tower_to_the_top(driver: Driver, rules: str) -> None:
    rows = Rules.parse(rules).height
    tower = Board(tuple([(1 << rows) - 1] * 9 + [0]), rows)
    screen = opened(driver, tower, "O", rules)
    driver.frames(2)
    assert screen._warning()
    driver.press("Space", "←", "↓", "↑", "X", "Z", "3")
    screen.gravity = 20
    driver.frames(5, seconds=0.2)
    driver.press("A")
    driver.until(lambda: screen.asking.adviser.problem or not screen.asking.adviser.thinking)
    driver.frames(2)
    driver.click("clear")
    screen.gravity = 0
    driver.frames()
    assert screen.free is not None
    assert not screen._warning()
    driver.press("Esc")
    assert driver.screen.title == "Menu"


def test_any_size_is_drawn(driver: Driver) -> None:
    screen = opened(driver, WELL, "I", "gavrilov:height=10,preview=3")
    for size in ((800, 700), (1000, 760), (1920, 1080), (640, 480), (1300, 480)):
        driver.resize(*size)
        assert {"piece I", "next L", "gravity", "rules", "agent", "ask", "moves"} <= set(driver.window.ui.names)
        assert screen._fitted.cell > 5


def test_other_rules_keep_what_fits(driver: Driver) -> None:
    screen = opened(driver, WELL, "I", "standard")
    driver.click("rules")
    driver.type("nes:height=8,preview=2")
    driver.press("Enter")
    driver.frames(2)
    assert screen.bench.stack == Stack.of(WELL, 8)
    assert (screen.bench.piece, len(screen.bench.next)) == ("I", 2)


@pytest.mark.parametrize("rules", PRESETS)
def test_pieces_move_as_in_the_game(rules: str) -> None:
    """A piece that the bench moves by the game's keys is where the game has it."""
    for piece in PIECES:
        game = Game.from_position(Position.of(Board(height=4), piece, rules=f"{rules}:gravity=0,lock=gravity"))
        entered = game.falling
        assert entered is not None
        bench = Bench(game.rules, Stack(height=game.rules.height), piece, "")
        free = Free(bench, (0, entered.column, entered.row))
        for key in ("rotate", "left", "left", "rotate", "right", "rotate", "left", "rotate"):
            game.press(key)
            free = free.after(key) or free
            assert free.placement == game.falling


def test_a_bench_refuses_what_sticks_out_and_knows_its_steps() -> None:
    bench = Bench.empty(Rules.parse("standard"), 3)
    high = Free(bench, (0, 0, 19)).placement
    with pytest.raises(TetrionError, match="stick out"):
        bench.placed(high, 0)
    history = History(bench)
    history.take(bench)
    assert not history.can_undo
    history.take(bench.filled(0, 0, True))
    assert history.undo()
    assert not history.undo()
    assert history.now == bench
    assert history.redo()
    assert bench.filled(3, 5, False) == bench, "an empty cell stays one"


def test_practice_is_a_choice_inside_play(driver: Driver) -> None:
    driver.open("play", rules="medico")
    driver.click("practice")
    driver.frames(2)
    assert isinstance(driver.screen, PracticeScreen)
    assert driver.screen.bench.rules.name == "medico"
    driver.press("Esc")
    assert driver.screen.title == "Play"


def test_what_the_agent_plays_is_what_the_game_plays() -> None:
    game = Game("standard", 4)
    bench = Bench.of(game.position)
    for _ in range(30):
        placement = game.placements()[-1]
        game.place(placement)
        bench, _ = bench.placed(placement, 0)
        assert bench.board == game.board
        assert bench.lines == game.lines
        bench = Bench(bench.rules, bench.stack, game.piece, "", bench.lines, bench.pieces)
        if game.over:
            break
    assert Replay.of(game).placements
