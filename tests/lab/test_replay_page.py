"""Replay pages: the data equals the engine's game, and a real browser shows it, plays it and handles keys."""

import io
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.evaluation.sample_replays import record_agent_game, record_key_game, record_random_game
from tests.lab.browser import Browser, needs_browser
from tests.lab.test_training_report import PageParser
from tetrion import Game, Placement, Replay
from tetrion.agents import load_weighted_agent
from tetrion.drawing.palette import BOARD_BACKGROUND, DEFAULT_PIECE_COLOURS, hex_to_rgb, mix_colours
from tetrion.evaluation.replay_review import Review, review_replay
from tetrion.lab.replay_page import build_page_data, render_replay_page
from tetrion.position import uses_levels

Rows = list[str]
GARBAGE_RULES = "guideline:garbage_rows=2,garbage_interval=3,garbage_delay=1"

HOSTILE_NAME = "</script><script>document.title = 'x'</script>&\"'é"


def get_engine_rows(game: Game) -> Rows:
    """Return the visible rows of a game from the top, one letter per filled cell."""
    return game.stack.to_text(game.rules.height).split("\n")


def compute_rows(data: dict[str, Any], count: int) -> Rows:
    """Return the board after `count` moves, computed from the page data alone."""
    garbage = data["details"]["garbage"] if data["details"] else {}
    rows = [list(row.replace("g", "#").replace(" ", ".")) for row in garbage.get(0, [])]
    for move, (shape, column, row, _, _, _, cleared, *_) in enumerate(data["moves"][:count], 1):
        for x, y in data["shapes"][shape]["cells"]:
            rows += [["."] * 10 for _ in range(1 + row + y - len(rows))]
            rows[row + y][column + x] = data["shapes"][shape]["piece"]
        rows = [content for number, content in enumerate(rows) if number not in cleared]
        rows = [list(risen.replace("g", "#").replace(" ", ".")) for risen in garbage.get(move, [])] + rows
    visible = ["".join(row) for row in rows][: data["height"]]
    return (visible + ["." * 10] * (data["height"] - len(visible)))[::-1]


def check_state(state: list[Any], game: Game, further_moves: list[Any]) -> None:
    hold, _, next_pieces, attack, back_to_backs, combo, garbage, due_rows = state
    position = game.position
    assert hold in (position.hold, position.piece)
    assert next_pieces in (game.next, game.next[1:])
    assert attack == game.attack
    assert (back_to_backs, combo) == (max(0, position.back_to_back - 1), max(0, position.combo - 1))
    assert garbage == [rows for rows, _ in position.garbage]
    assert due_rows == position.due_garbage
    if not further_moves:
        assert hold == position.hold


@pytest.mark.parametrize("rules", ["gavrilov", "medico", "nes", GARBAGE_RULES, "jstris:start_garbage=4"])
@pytest.mark.parametrize("play", [record_random_game, record_key_game])
def test_page_data_equals_the_engines_game(rules: str, play: Callable[[str], Replay]) -> None:
    replay = play(rules)
    game = replay.play()
    data = build_page_data(replay, game)
    for count in {0, 1, len(replay.placements) // 2, len(replay.placements)}:
        partial_game = replay.play(count)
        assert compute_rows(data, count) == get_engine_rows(partial_game)
        if partial_game.rules.is_modern:  # the piece that is placed may come from hold
            check_state(data["details"]["states"][count], partial_game, data["moves"][count:])
        else:
            assert data["queue"][count] == partial_game.piece or partial_game.is_over
        assert partial_game.lines == sum(len(move[6]) for move in data["moves"][:count])
    assert sum(move[4] for move in data["moves"]) <= game.score  # the falling piece may have earned points
    assert data["moves"][-1][5] == game.level
    assert data["over"] == game.is_over
    if replay.key_events is not None:
        pressed = [key for _, action, key in replay.key_events if action in ("press", "keydown")]
        names = [data["keys"][code] for move in data["moves"] for code in move[7]]
        assert names == pressed[: len(names)]


def test_reviewed_page_has_grades_with_words_and_better_placements() -> None:
    replay = record_random_game("standard", 20)
    review = review_replay(replay, load_weighted_agent("dellacherie"))
    data = build_page_data(replay, replay.play(), review)
    assert [grade for grade, *_ in data["grades"]] == [move.grade for move in review.moves]
    for move, (_, _, *better) in zip(review.moves, data["grades"], strict=True):
        if move.better_placement:
            shape, column, row = better
            cells = {(column + x, row + y) for x, y in data["shapes"][shape]["cells"]}
            assert cells == set(move.better_placement.cells)
        else:
            assert better == []
    page = render_replay_page(replay, review)
    for grade, count in review.grade_counts.items():
        assert f"{grade.capitalize()}</dt><dd>{count}</dd>" in page
    assert "Graded by" not in render_replay_page(replay)


def test_page_is_self_contained_and_small() -> None:
    page = render_replay_page(record_agent_game("dellacherie", "standard", 100))
    PageParser(page.encode())
    assert not re.search(r"(src|href)=[\"'](?!#|data:)", page)
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "").replace("http-equiv", "")
    empty_size = len(render_replay_page(Replay.from_game(Game())).encode())
    assert empty_size + 2000 * (len(page.encode()) - empty_size) / 100 < 200_000


def read_shown_rows(browser: Browser) -> Rows:
    """Return the rows that the page draws, from the top."""
    cells = browser.evaluate(
        "[...document.querySelectorAll('#cells use')].map((use) => [Number(use.getAttribute('x')),"
        " Number(use.getAttribute('y')), (use.getAttribute('href') || '#.').slice(-1)])"
    )
    rows: dict[int, dict[int, str]] = {}
    for x, y, letter in cells:
        rows.setdefault(y, {})[x] = letter
    return ["".join(rows[y][x] for x in sorted(rows[y])) for y in sorted(rows)]


def read_counter(browser: Browser, name: str) -> str:
    return str(browser.evaluate(f"document.getElementById({name!r}).textContent"))


def open_replay(browser: Browser, replay: Replay, folder: Path, review: Review | None = None, **options: Any) -> None:
    (folder / "page.html").write_text(render_replay_page(replay, review), encoding="utf-8")
    browser.errors.clear()
    browser.open_page(folder / "page.html", **options)


@needs_browser
def test_keys_and_clicks_show_the_engines_boards(browser: Browser, tmp_path: Path) -> None:
    replay = record_agent_game("medico", "medico", 90)
    open_replay(browser, replay, tmp_path)
    move = 0

    def check(moves: int) -> None:
        game = replay.play(moves)
        assert read_shown_rows(browser) == get_engine_rows(game)
        assert read_counter(browser, "text").split("\n") == get_engine_rows(game)
        assert read_counter(browser, "progress") == f"Move {moves} of 90"
        names = ["score", "lines", *(["level"] if uses_levels(game.rules) else []), "pieces"]
        assert [read_counter(browser, name) for name in names] == [f"{getattr(game, name):,}" for name in names]
        letters = browser.evaluate("[...document.querySelectorAll('#next svg')].map((next) => next.ariaLabel).join('')")
        assert letters == game.next

    check(move)
    for direction, key, button in ((1, "ArrowRight", "#forward"), (-1, "ArrowLeft", "#back")):
        browser.press_key(key)
        browser.click(button)
        move += 2 * direction
        check(move)
    for key, button, move in (("End", "#last", 90), ("Home", "#first", 0)):
        browser.press_key(key)
        check(move)
        browser.evaluate("seek.value = 44, seek.dispatchEvent(new Event('input'))")
        check(44)
        browser.click(button)
        check(move)
    browser.click("#seek", 0.5)
    browser.press_key("ArrowRight")
    middle = browser.evaluate("Number(document.getElementById('seek').value)")
    assert abs(middle - 46) <= 1
    check(middle)
    assert browser.errors == []


@needs_browser
def test_playback_starts_pauses_and_ends(browser: Browser, tmp_path: Path) -> None:
    replay = record_random_game("gavrilov", 200)
    assert replay.result["over"]
    open_replay(browser, replay, tmp_path)
    browser.click(".segments label:last-child")
    browser.press_key("Home")
    browser.click("#play")
    browser.wait_until("document.getElementById('seek').value > 2")
    browser.press_key(" ")
    assert read_counter(browser, "play-label") == "Play"
    stopped = browser.evaluate("Number(document.getElementById('seek').value)")
    assert read_shown_rows(browser) == get_engine_rows(replay.play(stopped))
    browser.press_key(" ")
    browser.wait_until("!document.getElementById('over').hidden")
    assert read_shown_rows(browser) == get_engine_rows(replay.play())
    assert "Game over" in read_counter(browser, "over")
    assert read_counter(browser, "play-label") == "Play"
    assert browser.errors == []


@needs_browser
def test_page_shows_the_grade_of_the_next_move(browser: Browser, tmp_path: Path) -> None:
    replay = record_random_game("standard", 20)
    review = review_replay(replay, load_weighted_agent("dellacherie"))
    open_replay(browser, replay, tmp_path, review=review)
    for move in review.moves:
        assert read_counter(browser, "grade").startswith(move.grade.capitalize())
        is_outlined = browser.evaluate("document.getElementById('better').hasAttribute('d')")
        assert is_outlined == (move.better_placement is not None)
        browser.press_key("ArrowRight")
    assert browser.errors == []


@needs_browser
@pytest.mark.parametrize("rules", ["gavrilov", GARBAGE_RULES])
def test_page_fits_small_windows_with_correct_colours(browser: Browser, rules: str, tmp_path: Path) -> None:
    replay = record_key_game(rules)
    open_replay(browser, replay, tmp_path, width=360, height=740)
    for _ in range(12):
        browser.press_key("ArrowRight")
    assert browser.evaluate("document.documentElement.scrollWidth <= innerWidth") is True
    bottoms = "[...document.querySelectorAll('.controls *, .side .panel')].map((e) => e.getBoundingClientRect().bottom)"
    assert browser.evaluate(f"{bottoms}.every((bottom) => bottom <= innerHeight)") is True
    assert browser.evaluate("document.querySelectorAll('#keys kbd').length") > 0
    image = Image.open(io.BytesIO(browser.take_screenshot())).convert("RGB")
    rows = get_engine_rows(replay.play(12))
    filled = [(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter not in ".#"]
    assert filled
    for x, y in filled:
        box = browser.evaluate(
            f"(() => {{ const b = document.querySelectorAll('#cells use')[{10 * (19 - y) + x}].getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        expected = hex_to_rgb(mix_colours(DEFAULT_PIECE_COLOURS[rows[y][x]], BOARD_BACKGROUND, 0.13))
        actual = image.getpixel((round(box[0]), round(box[1])))
        assert isinstance(actual, tuple)
        assert max(abs(a - b) for a, b in zip(actual, expected, strict=True)) <= 3
    assert browser.errors == []


@needs_browser
def test_focus_is_visible_and_names_are_escaped(browser: Browser, tmp_path: Path) -> None:
    open_replay(browser, Replay.from_game(Game(), HOSTILE_NAME), tmp_path)
    assert browser.evaluate("document.querySelector('h1').textContent") == HOSTILE_NAME
    assert browser.evaluate("document.title") != "x"
    assert browser.evaluate("document.activeElement.id") == "play"
    for key in ("ArrowRight", "End", " ", "Home"):
        browser.press_key(key)
    browser.press_key("Tab")
    assert browser.evaluate("document.activeElement.id") == "forward"
    assert "solid 2px" in browser.evaluate("getComputedStyle(document.activeElement).outline")
    assert browser.evaluate("document.getElementById('board').getAttribute('aria-label')").startswith(
        "Board after 0 of 0"
    )
    assert browser.errors == []


@needs_browser
def test_modern_games_are_shown_with_hold_garbage_and_action_texts(browser: Browser, tmp_path: Path) -> None:
    replay = record_agent_game("modern-1", GARBAGE_RULES, 60)
    data = build_page_data(replay, replay.play())
    assert data["details"]["garbage"]
    assert ("T-spin double", "Back-to-back") in data["details"]["actions"].values()
    open_replay(browser, replay, tmp_path)
    for moves in range(1, len(replay.placements) + 1):
        browser.press_key("ArrowRight")
        game = replay.play(moves)
        assert read_shown_rows(browser) == [row.replace("#", "g") for row in get_engine_rows(game)]
        assert read_counter(browser, "text").split("\n") == get_engine_rows(game)
        hold, _, next_pieces, attack, *_ = data["details"]["states"][moves]
        for name, letters in (("hold", hold), ("next", next_pieces)):
            shown = f"[...document.querySelectorAll('#{name} svg')].map((piece) => piece.ariaLabel).join('')"
            assert browser.evaluate(shown) == letters
        assert read_counter(browser, "attack") == f"{attack:,}"
        assert read_counter(browser, "action") == "\n".join(data["details"]["actions"].get(moves, ()))
        batches = browser.evaluate("document.querySelectorAll('#garbage rect').length")
        assert batches == len(game.position.garbage)
        if moves < len(replay.placements):
            check_move_text(read_counter(browser, "move-text"), replay.placements[moves])
    assert any(placement.hold for placement in replay.placements)
    assert browser.errors == []


def check_move_text(text: str, placement: Placement) -> None:
    """Check that a text counts columns and rows as a placement does, and names hold."""
    columns = [column for column, _ in placement.cells]
    first, last = min(columns), max(columns)
    shown = f"columns {first} to {last}" if first < last else f"column {first}"
    piece = f"{placement.piece} (hold)" if placement.hold else placement.piece
    assert re.match(rf"{re.escape(piece)} to {shown}, row {placement.row}[.;]", text), (text, placement)
