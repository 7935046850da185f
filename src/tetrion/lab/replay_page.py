"""A replay as one HTML page: the engine plays the game here, and the page shows it in any browser."""

import json
from html import escape

from tetrion.drawing.palette import BLACK, BOARD_BACKGROUND, BOARD_OUTLINE, GRID_LINE_COLOUR, WHITE, mix_colours
from tetrion.engine.pieces import BOARD_WIDTH, PIECE_DRAWINGS
from tetrion.errors import ReplayError
from tetrion.evaluation.number_format import format_count
from tetrion.lab.html_elements import (
    LOGO_SVG,
    read_page_file,
    render_definition_list,
    render_details,
    render_element,
    render_page,
    render_text_element,
)
from tetrion.lab.replay_page_data import PAGE_CELL_SIZE, build_page_data
from tetrion.position import uses_levels
from tetrion.replay import Replay

_BOARD_FRAME_WIDTH = 4  # in the units of PAGE_CELL_SIZE
_SPEEDS, _DEFAULT_SPEED = (1, 2, 4, 8, 16, 60), 4  # moves per second
_KEY_HELP = {"Space": "play or pause", "← →": "previous or next move", "Home, End": "first or last move"}
_BUTTON_ICONS = {  # SVG paths in a square of 14 units
    "first": "M0 0h2v14H0zM14 0v14L8.5 7zM8 0v14L2.500 7z",
    "back": "M1 0h3v14H1zM13 0v14L4 7z",
    "forward": "M1 0v14l9-7zM10 0h3v14h-3z",
    "last": "M0 0v14l5.500-7zM6 0v14l5.500-7zM12 0h2v14h-2z",
}
_BUTTON_LABELS = {"first": "First move", "back": "Previous move", "forward": "Next move", "last": "Last move"}


def render_replay_page(replay: Replay) -> str:
    """Return a self-contained HTML page of a replay."""
    if not isinstance(replay, Replay):
        raise ReplayError(f"Expected a Replay, for example from Replay.load; given {replay!r}.")
    game = replay.play()
    data = json.dumps(build_page_data(replay, game), separators=(",", ":"), ensure_ascii=False)
    body = [
        render_element(
            "main", "\n".join([render_header(replay), render_player(replay), render_footer()]), class_="replay"
        ),
        render_element("script", data.replace("<", "\\u003c"), type="application/json", id="game"),
        render_element("script", "\n" + read_page_file("replay.js")),
    ]
    title = f"{get_player_name(replay)}, {replay.rules} rules: Tetrion replay"
    return render_page(title, body, read_page_file("replay.css")).decode()


def get_player_name(replay: Replay) -> str:
    """Return the agent's name, or a general name for a person."""
    return replay.agent or "A player"


def render_header(replay: Replay) -> str:
    """Return the header with the player's name, the rules and the seed."""
    chips = {"Rules": str(replay.rules), "Seed": str(replay.seed)}
    if replay.number:
        chips["Game"] = f"{replay.number:,}"
    items = "".join(
        render_element("li", f"{render_text_element('span', name)} {escape(value)}") for name, value in chips.items()
    )
    brand = render_element("p", f"{LOGO_SVG}Tetrion / Replay", class_="brand")
    return render_element(
        "header",
        brand
        + render_text_element("h1", get_player_name(replay), title=get_player_name(replay))
        + render_element("ul", items, class_="chips"),
    )


def render_player(replay: Replay) -> str:
    """Return the board, the panels next to it, and the controls."""
    rules = replay.rules
    result = replay.result
    ratio = (BOARD_WIDTH * PAGE_CELL_SIZE + 2 * _BOARD_FRAME_WIDTH) / (
        rules.height * PAGE_CELL_SIZE + 2 * _BOARD_FRAME_WIDTH
    )
    result_text = f"{format_count(int(result['lines']), 'line')}, {format_count(int(result['score']), 'point')}."
    parts = [
        render_element("div", render_counters(uses_levels(rules)), class_="numbers panel"),
        render_element("div", render_board(rules.height) + render_game_over(result_text), class_="board"),
        render_element("div", "".join(render_side_panels(replay)), class_="side"),
    ]
    player = render_element("div", "\n".join(parts), class_="player", style=f"--ratio: {ratio:.4f}")
    return player + render_element("div", render_controls(len(replay.placements)), class_="controls")


def render_counters(show_level: bool) -> str:
    """Return the counters of the game, which the script fills in; the level only if the rules use levels."""
    names = ("score", "lines", *(["level"] if show_level else []), "pieces")
    rows = ((name, render_element("dd", "–", id=name)) for name in names)
    return render_element(
        "dl",
        "".join(render_element("div", render_text_element("dt", name.capitalize()) + value) for name, value in rows),
    )


def render_side_panels(replay: Replay) -> list[str]:
    """Return the panels for next pieces, move and keys, as far as the replay has them."""
    panels = []
    if replay.rules.preview:
        panels.append(
            render_element(
                "div", render_text_element("h2", "Next") + render_element("div", "", id="next"), class_="panel next"
            )
        )
    panels.append(
        render_element(
            "div",
            render_text_element("h2", "Move") + render_element("p", "", id="move-text", role="status"),
            class_="panel move",
        )
    )
    if replay.key_events is not None:
        panels.append(
            render_element(
                "div", render_text_element("h2", "Keys") + render_element("ul", "", id="keys"), class_="panel keys"
            )
        )
    return panels


def render_game_over(result_text: str) -> str:
    """Return the panel that covers the board when the game is over."""
    return render_element(
        "div",
        render_element("div", render_text_element("strong", "Game over") + escape(result_text), class_="panel"),
        class_="over",
        id="over",
    )


def render_board(height: int) -> str:
    """Return an empty board and the drawings of all cells, which the script places on it."""
    width = BOARD_WIDTH * PAGE_CELL_SIZE
    grid_height = height * PAGE_CELL_SIZE
    lines = "".join(f"M{x * PAGE_CELL_SIZE + 0.5} 0v{grid_height}" for x in range(1, BOARD_WIDTH))
    lines += "".join(f"M0 {y * PAGE_CELL_SIZE + 0.5}h{width}" for y in range(1, height))
    background = (
        f'<rect x="0.5" y="0.5" width="{width + 2 * _BOARD_FRAME_WIDTH - 1}" '
        f'height="{grid_height + 2 * _BOARD_FRAME_WIDTH - 1}" rx="9.5" '
        f'fill="{BOARD_BACKGROUND}" stroke="{BOARD_OUTLINE}"/>'
    )
    content = (
        f'<path d="{lines}" stroke="{GRID_LINE_COLOUR}"/><g id="cells"></g>'
        '<path id="ghost" stroke-width="2" stroke-linejoin="round" stroke-opacity="0.75" fill-opacity="0.14"/>'
        f'<g id="piece"></g><g id="cleared-rows" fill="{WHITE}" fill-opacity="0.7"></g>'
    )
    grid = (
        f'<svg x="{_BOARD_FRAME_WIDTH}" y="{_BOARD_FRAME_WIDTH}" width="{width}" height="{grid_height}">{content}</svg>'
    )
    view_box = f"0 0 {width + 2 * _BOARD_FRAME_WIDTH} {grid_height + 2 * _BOARD_FRAME_WIDTH}"
    return render_element(
        "svg",
        f"<defs>{''.join(render_svg_definitions())}</defs>{background}{grid}",
        viewBox=view_box,
        id="board",
        role="img",
    )


def render_svg_definitions() -> list[str]:
    """Return drawings of each piece's cells in all states, and of each piece in its spawn orientation."""
    from tetrion.drawing.cells import ACTIVE_CELL, CELL_EDGE_WHITENESS, GAME_OVER_CELL, LOCKED_CELL, get_body_colour

    drawings = []
    for letter, rows in PIECE_DRAWINGS.items():
        for state in (ACTIVE_CELL, LOCKED_CELL, GAME_OVER_CELL):
            drawings.append(render_cell(f"{state}{letter}", get_body_colour(letter, state), CELL_EDGE_WHITENESS[state]))
        filled = [(x, y) for y, row in enumerate(rows) for x, symbol in enumerate(row) if symbol == "#"]
        cells = "".join(
            f'<use href="#{ACTIVE_CELL}{letter}" x="{x * PAGE_CELL_SIZE}" y="{y * PAGE_CELL_SIZE}"/>' for x, y in filled
        )
        drawings.append(render_element("g", cells, id=f"next{letter}"))
    return drawings


def render_cell(element_id: str, body_colour: str, edge_brightness: float) -> str:
    """Return the drawing of a cell: its lower lip, its upper edge and its face."""
    from tetrion.drawing.cells import CELL_CORNER_RADIUS, CELL_LIP_HEIGHT

    side = PAGE_CELL_SIZE - 1
    lip = round(CELL_LIP_HEIGHT * PAGE_CELL_SIZE)
    radius = CELL_CORNER_RADIUS * PAGE_CELL_SIZE
    parts = [
        (0.5, side, mix_colours(body_colour, BLACK, 0.30)),
        (0.5, side - lip, mix_colours(body_colour, WHITE, edge_brightness)),
        (1.5, side - lip - 1, body_colour),
    ]
    rectangles = (
        f'<rect x="0.5" y="{y}" width="{side}" height="{height}" rx="{radius:g}" fill="{colour}"/>'
        for y, height, colour in parts
    )
    return render_element("g", "".join(rectangles), id=element_id)


def render_controls(move_count: int) -> str:
    """Return the buttons, the slider and the speed selection."""
    icon = '<svg viewBox="0 0 14 14" aria-hidden="true"><path id="play-icon"/></svg>'
    play = render_element(
        "button",
        f"{icon}<span id='play-label'>Play</span>{render_text_element('kbd', 'Space')}",
        id="play",
        type="button",
    )
    buttons = render_element(
        "div",
        render_button("first") + render_button("back") + play + render_button("forward") + render_button("last"),
        class_="buttons",
    )
    label = render_element("label", "", id="progress", for_="seek")
    seek = render_element(
        "div", f'{label}<input type="range" id="seek" min="0" max="{move_count}" value="0"/>', class_="seek"
    )
    speeds = "".join(
        f'<label><input type="radio" name="speed" value="{speed}"{" checked" if speed == _DEFAULT_SPEED else ""} '
        f'aria-label="{speed} moves per second"/>{render_text_element("span", str(speed))}</label>'
        for speed in _SPEEDS
    )
    speed = render_element(
        "fieldset",
        render_text_element("legend", "Moves per second") + render_element("div", speeds, class_="segments"),
        class_="speed",
    )
    return buttons + seek + speed


def render_button(name: str) -> str:
    """Return a button with an icon."""
    icon = f'<svg viewBox="0 0 14 14" aria-hidden="true"><path d="{_BUTTON_ICONS[name]}"/></svg>'
    return render_element(
        "button", icon, id=name, type="button", aria_label=_BUTTON_LABELS[name], title=_BUTTON_LABELS[name]
    )


def render_footer() -> str:
    """Return the board as text and the list of keyboard shortcuts."""
    board_text = render_element("pre", "", id="text", tabindex="0", aria_label="The board as text")
    no_script = render_text_element("noscript", "This page needs JavaScript to show the game.")
    return render_element(
        "div",
        no_script
        + render_details("Board as text", board_text)
        + render_details("Keyboard shortcuts", render_definition_list(_KEY_HELP)),
        class_="footer",
    )
