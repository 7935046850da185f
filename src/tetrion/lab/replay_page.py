"""A replay as one page that any browser opens: the engine plays it here, and the page shows what it played."""

import json
from html import escape

from tetrion.board import LINE, OUTLINE, WELL
from tetrion.drawing.palette import BLACK, WHITE, mixed
from tetrion.engine.pieces import DRAWINGS, WIDTH
from tetrion.errors import ReplayError
from tetrion.evaluation.words import counted
from tetrion.lab.html import MARK, facts, folded, page, tag, words
from tetrion.lab.replay_moves import CELL, described
from tetrion.lab.replay_script import SCRIPT
from tetrion.lab.replay_style import STYLE
from tetrion.position import has_levels
from tetrion.replay import Replay

FRAME = 4  # around the cells
SPEEDS, USUAL_SPEED = (1, 2, 4, 8, 16, 60), 4  # moves a second
LEGEND = {"Space": "play or pause", "← →": "a move back or on", "Home, End": "the first or the last move"}
SIGNS = {  # of buttons, fourteen wide and high
    "first": "M0 0h2v14H0zM14 0v14L8.5 7zM8 0v14L2.500 7z",
    "back": "M1 0h3v14H1zM13 0v14L4 7z",
    "forward": "M1 0v14l9-7zM10 0h3v14h-3z",
    "last": "M0 0v14l5.500-7zM6 0v14l5.500-7zM12 0h2v14h-2z",
}
LABELS = {"first": "First move", "back": "A move back", "forward": "A move on", "last": "Last move"}


def replay_page(replay: Replay) -> str:
    """The page of a replay; it needs no other file and no network."""
    if not isinstance(replay, Replay):
        raise ReplayError(f"A page is of a Replay, as from Replay.load; given {replay!r}.")
    game = replay.play()
    told = json.dumps(described(replay, game), separators=(",", ":"), ensure_ascii=False)
    body = [
        tag("main", "\n".join([head(replay), player(replay), more()]), class_="replay"),
        tag("script", told.replace("<", "\\u003c"), type="application/json", id="game"),
        SCRIPT,
    ]
    return page(f"{player_of(replay)} under {replay.rules}: a game of Tetrion", body, STYLE).decode()


def player_of(replay: Replay) -> str:
    """Who played."""
    return replay.agent or "A player"


def head(replay: Replay) -> str:
    """Who played, and what."""
    chips = {"Rules": str(replay.rules), "Seed": str(replay.seed)}
    if replay.number:
        chips["Game"] = f"{replay.number:,}"
    listed = "".join(tag("li", f"{words('span', name)} {escape(value)}") for name, value in chips.items())
    brand = tag("p", f"{MARK}Tetrion / Replay", class_="brand")
    return tag(
        "header", brand + words("h1", player_of(replay), title=player_of(replay)) + tag("ul", listed, class_="chips")
    )


def player(replay: Replay) -> str:
    """The board, what stands beside it, and the controls."""
    rules, result = replay.rules, replay.result
    ratio = (WIDTH * CELL + 2 * FRAME) / (rules.height * CELL + 2 * FRAME)
    over = f"{counted(int(result['lines']), 'line')}, {counted(int(result['score']), 'point')}."
    parts = [
        tag("div", numbers(has_levels(rules)), class_="numbers panel"),
        tag("div", board(rules.height) + ended(over), class_="board"),
        tag("div", "".join(coming(replay)), class_="coming"),
    ]
    shown = tag("div", "\n".join(parts), class_="player", style=f"--ratio: {ratio:.4f}")
    return shown + tag("div", controls(len(replay.placements)), class_="bar")


def numbers(levels: bool) -> str:
    """The figures of the game, which the script fills in; the level where the rules have levels."""
    names = ("score", "lines", *(["level"] if levels else []), "pieces")
    listed = ((name, tag("dd", "–", id=name)) for name in names)
    return tag("dl", "".join(tag("div", words("dt", name.capitalize()) + figure) for name, figure in listed))


def coming(replay: Replay) -> list[str]:
    """The next pieces where the rules show some, the move, and its keys where it had some."""
    panels = []
    if replay.rules.preview:
        panels.append(tag("div", words("h2", "Next") + tag("div", "", id="next"), class_="panel next"))
    panels.append(tag("div", words("h2", "Move") + tag("p", "", id="told", role="status"), class_="panel move"))
    if replay.keys is not None:
        panels.append(tag("div", words("h2", "Keys") + tag("ul", "", id="keys"), class_="panel keys"))
    return panels


def ended(told: str) -> str:
    """What covers the board at the end of a game that is over."""
    return tag("div", tag("div", words("strong", "Game over") + escape(told), class_="panel"), class_="over", id="over")


def board(height: int) -> str:
    """An empty well, and the drawings of all cells, which the script puts into it."""
    wide, high = WIDTH * CELL, height * CELL
    lines = "".join(f"M{x * CELL + 0.5} 0v{high}" for x in range(1, WIDTH))
    lines += "".join(f"M0 {y * CELL + 0.5}h{wide}" for y in range(1, height))
    well = (
        f'<rect x="0.5" y="0.5" width="{wide + 2 * FRAME - 1}" height="{high + 2 * FRAME - 1}" rx="9.5" '
        f'fill="{WELL}" stroke="{OUTLINE}"/>'
    )
    inside = (
        f'<path d="{lines}" stroke="{LINE}"/><g id="cells"></g>'
        '<path id="ghost" stroke-width="2" stroke-linejoin="round" stroke-opacity="0.75" fill-opacity="0.14"/>'
        f'<g id="piece"></g><g id="shine" fill="{WHITE}" fill-opacity="0.7"></g>'
    )
    shown = f'<svg x="{FRAME}" y="{FRAME}" width="{wide}" height="{high}">{inside}</svg>'
    view = f"0 0 {wide + 2 * FRAME} {high + 2 * FRAME}"
    return tag("svg", f"<defs>{''.join(drawings())}</defs>{well}{shown}", viewBox=view, id="board", role="img")


def drawings() -> list[str]:
    """A cell of every piece in each of its states, and every piece as it comes."""
    from tetrion.drawing.cells import ACTIVE, EDGES, ENDED, LOCKED, body_colour

    drawn = []
    for letter, rows in DRAWINGS.items():
        for state in (ACTIVE, LOCKED, ENDED):
            drawn.append(cell(f"{state}{letter}", body_colour(letter, state), EDGES[state]))
        places = [(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "#"]
        cells = "".join(f'<use href="#{ACTIVE}{letter}" x="{x * CELL}" y="{y * CELL}"/>' for x, y in places)
        drawn.append(tag("g", cells, id=f"next{letter}"))
    return drawn


def cell(name: str, body: str, edge: float) -> str:
    """A cell: its lip below, its edge above, and its face between them."""
    from tetrion.drawing.cells import LIP, ROUND

    side, lip, radius = CELL - 1, round(LIP * CELL), ROUND * CELL
    parts = [
        (0.5, side, mixed(body, BLACK, 0.30)),
        (0.5, side - lip, mixed(body, WHITE, edge)),
        (1.5, side - lip - 1, body),
    ]
    drawn = (
        f'<rect x="0.5" y="{y}" width="{side}" height="{high}" rx="{radius:g}" fill="{colour}"/>'
        for y, high, colour in parts
    )
    return tag("g", "".join(drawn), id=name)


def controls(moves: int) -> str:
    """Buttons, the slider of the moves, and the speed."""
    sign = '<svg viewBox="0 0 14 14" aria-hidden="true"><path id="play-sign"/></svg>'
    play = tag("button", f"{sign}<span id='play-word'>Play</span>{words('kbd', 'Space')}", id="play", type="button")
    row = tag("div", button("first") + button("back") + play + button("forward") + button("last"), class_="buttons")
    label = tag("label", "", id="where", for_="seek")
    seek = tag("div", f'{label}<input type="range" id="seek" min="0" max="{moves}" value="0"/>', class_="seek")
    speeds = "".join(
        f'<label><input type="radio" name="speed" value="{speed}"{" checked" if speed == USUAL_SPEED else ""} '
        f'aria-label="{speed} moves a second"/>{words("span", str(speed))}</label>'
        for speed in SPEEDS
    )
    speed = tag("fieldset", words("legend", "Moves a second") + tag("div", speeds, class_="segments"), class_="speed")
    return row + seek + speed


def button(name: str) -> str:
    """A button that is a sign."""
    sign = f'<svg viewBox="0 0 14 14" aria-hidden="true"><path d="{SIGNS[name]}"/></svg>'
    return tag("button", sign, id=name, type="button", aria_label=LABELS[name], title=LABELS[name])


def more() -> str:
    """How to use the page, the board as text, and where the page comes from."""
    board_text = tag("pre", "", id="text", tabindex="0", aria_label="The board as text")
    without = words("noscript", "The page needs JavaScript to show the game.")
    return tag(
        "div",
        without + folded("Board as text", board_text) + folded("Keys of this page", facts(LEGEND)),
        class_="more",
    )
