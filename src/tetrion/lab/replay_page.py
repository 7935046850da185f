"""A replay as one page that any browser opens: the engine plays it here, and the page shows what it played."""

import json
from html import escape

from tetrion.board import BOARD_BACKGROUND, BOARD_OUTLINE, GRID_LINE_COLOUR
from tetrion.drawing.palette import BLACK, WHITE, mix_colours
from tetrion.engine.pieces import BOARD_WIDTH, PIECE_DRAWINGS
from tetrion.errors import ReplayError
from tetrion.evaluation.number_format import format_count
from tetrion.lab.html_elements import LOGO_SVG, render_definition_list, render_details, render_page, tag, text_tag
from tetrion.lab.replay_page_data import PAGE_CELL_SIZE, build_page_data
from tetrion.lab.replay_script import REPLAY_SCRIPT
from tetrion.lab.replay_style import REPLAY_STYLE
from tetrion.position import uses_levels
from tetrion.replay import Replay

_BOARD_FRAME_WIDTH = 4  # around the cells
_SPEEDS, _DEFAULT_SPEED = (1, 2, 4, 8, 16, 60), 4  # moves a second
_KEY_HELP = {"Space": "play or pause", "← →": "a move back or on", "Home, End": "the first or the last move"}
_BUTTON_ICONS = {  # of buttons, fourteen wide and high
    "first": "M0 0h2v14H0zM14 0v14L8.5 7zM8 0v14L2.500 7z",
    "back": "M1 0h3v14H1zM13 0v14L4 7z",
    "forward": "M1 0v14l9-7zM10 0h3v14h-3z",
    "last": "M0 0v14l5.500-7zM6 0v14l5.500-7zM12 0h2v14h-2z",
}
_BUTTON_LABELS = {"first": "First move", "back": "A move back", "forward": "A move on", "last": "Last move"}


def render_replay_page(replay: Replay) -> str:
    """The page of a replay; it needs no other file and no network."""
    if not isinstance(replay, Replay):
        raise ReplayError(f"A page is of a Replay, as from Replay.load; given {replay!r}.")
    game = replay.play()
    told = json.dumps(build_page_data(replay, game), separators=(",", ":"), ensure_ascii=False)
    body = [
        tag("main", "\n".join([render_header(replay), render_player(replay), render_footer()]), class_="replay"),
        tag("script", told.replace("<", "\\u003c"), type="application/json", id="game"),
        REPLAY_SCRIPT,
    ]
    return render_page(
        f"{get_player_name(replay)} under {replay.rules}: a game of Tetrion", body, REPLAY_STYLE
    ).decode()


def get_player_name(replay: Replay) -> str:
    """Who played."""
    return replay.agent or "A player"


def render_header(replay: Replay) -> str:
    """Who played, and what."""
    chips = {"Rules": str(replay.rules), "Seed": str(replay.seed)}
    if replay.number:
        chips["Game"] = f"{replay.number:,}"
    listed = "".join(tag("li", f"{text_tag('span', name)} {escape(value)}") for name, value in chips.items())
    brand = tag("p", f"{LOGO_SVG}Tetrion / Replay", class_="brand")
    return tag(
        "header",
        brand
        + text_tag("h1", get_player_name(replay), title=get_player_name(replay))
        + tag("ul", listed, class_="chips"),
    )


def render_player(replay: Replay) -> str:
    """The board, what stands beside it, and the controls."""
    rules, result = replay.rules, replay.result
    ratio = (BOARD_WIDTH * PAGE_CELL_SIZE + 2 * _BOARD_FRAME_WIDTH) / (
        rules.height * PAGE_CELL_SIZE + 2 * _BOARD_FRAME_WIDTH
    )
    over = f"{format_count(int(result['lines']), 'line')}, {format_count(int(result['score']), 'point')}."
    parts = [
        tag("div", render_counters(uses_levels(rules)), class_="numbers panel"),
        tag("div", render_board(rules.height) + render_game_over(over), class_="board"),
        tag("div", "".join(render_side_panels(replay)), class_="coming"),
    ]
    shown = tag("div", "\n".join(parts), class_="player", style=f"--ratio: {ratio:.4f}")
    return shown + tag("div", render_controls(len(replay.placements)), class_="bar")


def render_counters(show_level: bool) -> str:
    """The figures of the game, which the script fills in; the level where the rules have levels."""
    names = ("score", "lines", *(["level"] if show_level else []), "pieces")
    listed = ((name, tag("dd", "–", id=name)) for name in names)
    return tag("dl", "".join(tag("div", text_tag("dt", name.capitalize()) + figure) for name, figure in listed))


def render_side_panels(replay: Replay) -> list[str]:
    """The next pieces where the rules show some, the move, and its keys where it had some."""
    panels = []
    if replay.rules.preview:
        panels.append(tag("div", text_tag("h2", "Next") + tag("div", "", id="next"), class_="panel next"))
    panels.append(tag("div", text_tag("h2", "Move") + tag("p", "", id="told", role="status"), class_="panel move"))
    if replay.key_events is not None:
        panels.append(tag("div", text_tag("h2", "Keys") + tag("ul", "", id="keys"), class_="panel keys"))
    return panels


def render_game_over(result_text: str) -> str:
    """What covers the board at the end of a game that is over."""
    return tag(
        "div",
        tag("div", text_tag("strong", "Game over") + escape(result_text), class_="panel"),
        class_="over",
        id="over",
    )


def render_board(height: int) -> str:
    """An empty well, and the drawings of all cells, which the script puts into it."""
    wide, high = BOARD_WIDTH * PAGE_CELL_SIZE, height * PAGE_CELL_SIZE
    lines = "".join(f"M{x * PAGE_CELL_SIZE + 0.5} 0v{high}" for x in range(1, BOARD_WIDTH))
    lines += "".join(f"M0 {y * PAGE_CELL_SIZE + 0.5}h{wide}" for y in range(1, height))
    well = (
        f'<rect x="0.5" y="0.5" width="{wide + 2 * _BOARD_FRAME_WIDTH - 1}" height="{high + 2 * _BOARD_FRAME_WIDTH - 1}" rx="9.5" '
        f'fill="{BOARD_BACKGROUND}" stroke="{BOARD_OUTLINE}"/>'
    )
    inside = (
        f'<path d="{lines}" stroke="{GRID_LINE_COLOUR}"/><g id="cells"></g>'
        '<path id="ghost" stroke-width="2" stroke-linejoin="round" stroke-opacity="0.75" fill-opacity="0.14"/>'
        f'<g id="piece"></g><g id="shine" fill="{WHITE}" fill-opacity="0.7"></g>'
    )
    shown = f'<svg x="{_BOARD_FRAME_WIDTH}" y="{_BOARD_FRAME_WIDTH}" width="{wide}" height="{high}">{inside}</svg>'
    view = f"0 0 {wide + 2 * _BOARD_FRAME_WIDTH} {high + 2 * _BOARD_FRAME_WIDTH}"
    return tag(
        "svg", f"<defs>{''.join(render_svg_definitions())}</defs>{well}{shown}", viewBox=view, id="board", role="img"
    )


def render_svg_definitions() -> list[str]:
    """A cell of every piece in each of its states, and every piece as it comes."""
    from tetrion.drawing.cells import ACTIVE_CELL, CELL_EDGE_WHITENESS, GAME_OVER_CELL, LOCKED_CELL, get_body_colour

    drawn = []
    for letter, rows in PIECE_DRAWINGS.items():
        for state in (ACTIVE_CELL, LOCKED_CELL, GAME_OVER_CELL):
            drawn.append(render_cell(f"{state}{letter}", get_body_colour(letter, state), CELL_EDGE_WHITENESS[state]))
        places = [(x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "#"]
        cells = "".join(
            f'<use href="#{ACTIVE_CELL}{letter}" x="{x * PAGE_CELL_SIZE}" y="{y * PAGE_CELL_SIZE}"/>' for x, y in places
        )
        drawn.append(tag("g", cells, id=f"next{letter}"))
    return drawn


def render_cell(element_id: str, body_colour: str, edge_brightness: float) -> str:
    """A cell: its lip below, its edge above, and its face between them."""
    from tetrion.drawing.cells import CELL_CORNER_RADIUS, CELL_LIP_HEIGHT

    side = PAGE_CELL_SIZE - 1
    lip = round(CELL_LIP_HEIGHT * PAGE_CELL_SIZE)
    radius = CELL_CORNER_RADIUS * PAGE_CELL_SIZE
    parts = [
        (0.5, side, mix_colours(body_colour, BLACK, 0.30)),
        (0.5, side - lip, mix_colours(body_colour, WHITE, edge_brightness)),
        (1.5, side - lip - 1, body_colour),
    ]
    drawn = (
        f'<rect x="0.5" y="{y}" width="{side}" height="{high}" rx="{radius:g}" fill="{colour}"/>'
        for y, high, colour in parts
    )
    return tag("g", "".join(drawn), id=element_id)


def render_controls(move_count: int) -> str:
    """Buttons, the slider of the moves, and the speed."""
    sign = '<svg viewBox="0 0 14 14" aria-hidden="true"><path id="play-sign"/></svg>'
    play = tag("button", f"{sign}<span id='play-word'>Play</span>{text_tag('kbd', 'Space')}", id="play", type="button")
    row = tag(
        "div",
        render_button("first") + render_button("back") + play + render_button("forward") + render_button("last"),
        class_="buttons",
    )
    label = tag("label", "", id="where", for_="seek")
    seek = tag("div", f'{label}<input type="range" id="seek" min="0" max="{move_count}" value="0"/>', class_="seek")
    speeds = "".join(
        f'<label><input type="radio" name="speed" value="{speed}"{" checked" if speed == _DEFAULT_SPEED else ""} '
        f'aria-label="{speed} moves a second"/>{text_tag("span", str(speed))}</label>'
        for speed in _SPEEDS
    )
    speed = tag(
        "fieldset", text_tag("legend", "Moves a second") + tag("div", speeds, class_="segments"), class_="speed"
    )
    return row + seek + speed


def render_button(name: str) -> str:
    """A button that is a sign."""
    sign = f'<svg viewBox="0 0 14 14" aria-hidden="true"><path d="{_BUTTON_ICONS[name]}"/></svg>'
    return tag("button", sign, id=name, type="button", aria_label=_BUTTON_LABELS[name], title=_BUTTON_LABELS[name])


def render_footer() -> str:
    """How to use the page, the board as text, and where the page comes from."""
    board_text = tag("pre", "", id="text", tabindex="0", aria_label="The board as text")
    without = text_tag("noscript", "The page needs JavaScript to show the game.")
    return tag(
        "div",
        without
        + render_details("Board as text", board_text)
        + render_details("Keys of this page", render_definition_list(_KEY_HELP)),
        class_="more",
    )
