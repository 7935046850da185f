"""A replay's page: what it is told is the engine's game, and a real browser shows it, plays it and hears keys."""

import io
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from evaluation.sample_replays import record_agent_game, record_key_game, record_random_game
from lab.browser import BROWSER_PATH, Browser
from lab.test_training_report import PageParser
from tetrion import Game, Replay
from tetrion.board import PIECE_COLOURS
from tetrion.drawing.palette import BOARD_BACKGROUND, hex_to_rgb, mix_colours
from tetrion.engine.rules import PRESETS
from tetrion.errors import ReplayError
from tetrion.lab.replay_page import render_replay_page
from tetrion.lab.replay_page_data import build_page_data
from tetrion.position import uses_levels

Rows = list[str]
LETTERS = {colour: letter for letter, colour in PIECE_COLOURS.items()}
WRONG = "</script><script>document.title = 'x'</script>&\"'é"
needs_browser = pytest.mark.skipif(
    BROWSER_PATH is None or os.name == "nt", reason="there is no Chromium here: `apt-get install chromium`"
)


def engine_rows(game: Game) -> Rows:
    """The visible rows of a game from the top, a letter for each filled cell."""
    shown = game.colours[-game.rules.height :]
    return ["".join("." if colour is None else LETTERS[colour] for colour in row) for row in shown]


def rows_after(told: dict[str, Any], count: int) -> Rows:
    """The board after so many moves, from what the page is told alone."""
    rows: list[list[str]] = []
    for shape, column, row, _, _, _, cleared, *_ in told["moves"][:count]:
        for x, y in told["shapes"][shape]["cells"]:
            rows += [["."] * 10 for _ in range(1 + row + y - len(rows))]
            rows[row + y][column + x] = told["shapes"][shape]["letter"]
        rows = [content for number, content in enumerate(rows) if number not in cleared]
    visible = ["".join(row) for row in rows][: told["height"]]
    return (visible + ["." * 10] * (told["height"] - len(visible)))[::-1]


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("play", [record_random_game, record_key_game])
def test_the_page_is_told_the_game_that_the_engine_played(rules: str, play: Callable[[str], Replay]) -> None:
    replay = play(rules)
    game = replay.play()
    told = build_page_data(replay, game)
    for count in {0, 1, len(replay.placements) // 2, len(replay.placements)}:
        there = replay.play(count)
        assert rows_after(told, count) == engine_rows(there)
        assert told["queue"][count] == there.piece or there.is_over
        assert there.lines == sum(len(move[6]) for move in told["moves"][:count])
    assert sum(move[4] for move in told["moves"]) <= game.score  # a piece that still falls may have earned points
    assert told["moves"][-1][5] == game.level
    assert told["over"] == game.is_over
    if replay.key_events is not None:
        pressed = [what for _, action, what in replay.key_events if action in ("press", "keydown")]
        names = [told["keys"][sign] for move in told["moves"] for sign in move[7]]
        assert names == pressed[: len(names)]


def test_rows_that_are_cleared_are_in_it() -> None:
    replay = record_agent_game("dellacherie", "standard", 120)
    told = build_page_data(replay, replay.play())
    assert any(len(move[6]) > 1 for move in told["moves"])
    for count in range(0, 121, 10):
        assert rows_after(told, count) == engine_rows(replay.play(count))


def test_the_page_stands_alone_and_is_small() -> None:
    page = render_replay_page(record_agent_game("dellacherie", "standard", 400))
    PageParser(page.encode())
    assert not re.search(r"(src|href)=[\"'](?!#|data:)", page)
    assert "http" not in page.replace("http://www.w3.org/2000/svg", "")
    frame = len(render_replay_page(Replay.from_game(Game())).encode())
    assert frame + 2000 * (len(page.encode()) - frame) / 400 < 200_000


def test_names_are_escaped() -> None:
    page = render_replay_page(Replay.from_game(Game(), WRONG))
    assert WRONG not in page
    assert page.count("</script>") == 2


def test_only_replays_have_pages() -> None:
    with pytest.raises(ReplayError, match="A page is of a Replay"):
        render_replay_page("game.json")  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with Browser(tmp_path_factory.mktemp("browser"), BROWSER_PATH or "") as opened:
        yield opened


def read_shown_rows(browser: Browser) -> Rows:
    """The rows that are drawn, from the top."""
    seen = browser.evaluate(
        "[...document.querySelectorAll('#cells use')].map((use) => [Number(use.getAttribute('x')),"
        " Number(use.getAttribute('y')), (use.getAttribute('href') || '#.').slice(-1)])"
    )
    rows: dict[int, dict[int, str]] = {}
    for x, y, letter in seen:
        rows.setdefault(y, {})[x] = letter
    return ["".join(rows[y][x] for x in sorted(rows[y])) for y in sorted(rows)]


def read_counter(browser: Browser, name: str) -> str:
    return str(browser.evaluate(f"document.getElementById({name!r}).textContent"))


def open_replay(browser: Browser, replay: Replay, folder: Path, **how: Any) -> None:
    (folder / "page.html").write_text(render_replay_page(replay), encoding="utf-8")
    browser.errors.clear()
    browser.open_page(folder / "page.html", **how)


@needs_browser
def test_keys_and_clicks_lead_to_the_engines_boards(browser: Browser, tmp_path: Path) -> None:
    replay = record_agent_game("medico", "medico", 90)
    open_replay(browser, replay, tmp_path)
    place = 0

    def check(moves: int) -> None:
        game = replay.play(moves)
        assert read_shown_rows(browser) == engine_rows(game)
        assert read_counter(browser, "text").split("\n") == engine_rows(game)
        assert read_counter(browser, "where") == f"Move {moves} of 90"
        names = ["score", "lines", *(["level"] if uses_levels(game.rules) else []), "pieces"]
        assert [read_counter(browser, name) for name in names] == [f"{getattr(game, name):,}" for name in names]
        letters = browser.evaluate("[...document.querySelectorAll('#next svg')].map((next) => next.ariaLabel).join('')")
        assert letters == game.next

    check(place)
    for way, key, button in ((1, "ArrowRight", "#forward"), (-1, "ArrowLeft", "#back")):
        for _ in range(3):
            browser.press_key(key)
            browser.click(button)
            place += 2 * way
            check(place)
    for key, button, place in (("End", "#last", 90), ("Home", "#first", 0)):
        browser.press_key(key)
        check(place)
        browser.evaluate("(() => { const seek = document.getElementById('seek'); seek.value = 44; seek.oninput(); })()")
        check(44)
        browser.click(button)
        check(place)
    browser.click("#seek", 0.5)
    browser.press_key("ArrowRight")
    middle = browser.evaluate("Number(document.getElementById('seek').value)")
    assert abs(middle - 46) <= 1
    check(middle)
    assert browser.errors == []


@needs_browser
def test_it_plays_pauses_and_ends(browser: Browser, tmp_path: Path) -> None:
    replay = record_random_game("gavrilov", 200)
    assert replay.result["over"]
    open_replay(browser, replay, tmp_path)
    browser.click(".segments label:last-child")
    browser.press_key("Home")
    browser.click("#play")
    browser.wait_until("document.getElementById('seek').value > 2")
    browser.press_key(" ")
    assert read_counter(browser, "play-word") == "Play"
    stopped = browser.evaluate("Number(document.getElementById('seek').value)")
    assert read_shown_rows(browser) == engine_rows(replay.play(stopped))
    browser.press_key(" ")
    browser.wait_until("!document.getElementById('over').hidden")
    assert read_shown_rows(browser) == engine_rows(replay.play())
    assert "Game over" in read_counter(browser, "over")
    assert read_counter(browser, "play-word") == "Play"
    browser.press_key(" ")  # from the beginning again
    browser.wait_until("document.getElementById('seek').value < 5")
    assert browser.errors == []


@needs_browser
@pytest.mark.parametrize("calm", [False, True])
def test_a_piece_lies_for_a_while_unless_motion_is_unwanted(browser: Browser, calm: bool, tmp_path: Path) -> None:
    replay = record_agent_game("dellacherie", "standard", 40)
    open_replay(browser, replay, tmp_path, calm=calm)
    browser.click(".segments label:nth-child(4)")
    browser.evaluate(
        "window.ghosts = []; new MutationObserver(() => ghosts.push(document.getElementById('ghost')"
        ".hasAttribute('d'))).observe(document.getElementById('ghost'), { attributes: true }); 0"
    )
    browser.click("#play")
    browser.wait_until("document.getElementById('seek').value > 2")
    browser.press_key(" ")
    assert browser.evaluate("ghosts.includes(false)") == (not calm)
    assert browser.errors == []


@needs_browser
@pytest.mark.parametrize(("width", "height"), [(360, 740), (800, 700), (1280, 800)])
def test_it_fits_every_window_and_looks_as_it_should(browser: Browser, width: int, height: int, tmp_path: Path) -> None:
    replay = record_key_game("gavrilov")
    open_replay(browser, replay, tmp_path, width=width, height=height)
    for _ in range(12):
        browser.press_key("ArrowRight")
    inside = "document.documentElement.scrollWidth <= innerWidth"
    controls = "[...document.querySelectorAll('.bar *')].every((e) => e.getBoundingClientRect().bottom <= innerHeight)"
    assert browser.evaluate(inside) is True
    assert browser.evaluate(controls) is True
    assert browser.evaluate("document.querySelectorAll('#keys kbd').length") > 0
    picture = Image.open(io.BytesIO(browser.take_screenshot())).convert("RGB")
    rows = engine_rows(replay.play(12))
    filled = [(x, y) for y, row in enumerate(rows) for x, letter in enumerate(row) if letter != "."]
    assert filled
    for x, y in filled:
        box = browser.evaluate(
            f"(() => {{ const b = document.querySelectorAll('#cells use')[{10 * (19 - y) + x}].getBoundingClientRect();"
            " return [b.x + b.width / 2, b.y + b.height / 2]; })()"
        )
        wanted = hex_to_rgb(mix_colours(PIECE_COLOURS[rows[y][x]], BOARD_BACKGROUND, 0.13))
        seen = picture.getpixel((round(box[0]), round(box[1])))
        assert isinstance(seen, tuple)
        assert max(abs(a - b) for a, b in zip(seen, wanted, strict=True)) <= 3
    assert browser.errors == []


@needs_browser
def test_focus_is_seen_and_names_stay_words(browser: Browser, tmp_path: Path) -> None:
    open_replay(browser, Replay.from_game(Game(), WRONG), tmp_path)
    assert browser.evaluate("document.querySelector('h1').textContent") == WRONG
    assert browser.evaluate("document.title") != "x"
    assert browser.evaluate("document.activeElement.id") == "play"
    for key in ("ArrowRight", "End", " ", "Home"):
        browser.press_key(key)
    browser.press_key("Tab")
    assert browser.evaluate("document.activeElement.id") == "forward"
    outline = browser.evaluate("getComputedStyle(document.activeElement).outline")
    assert "rgb(95, 224, 187) solid 2px" in outline
    assert browser.evaluate("document.getElementById('board').getAttribute('aria-label')").startswith(
        "Board after 0 of 0"
    )
    assert browser.errors == []


@needs_browser
def test_errors_of_a_page_are_noticed(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "broken.html").write_text("<script>nothing.here()</script>", encoding="utf-8")
    browser.errors.clear()
    browser.open_page(tmp_path / "broken.html")
    assert "nothing is not defined" in "".join(browser.errors)
