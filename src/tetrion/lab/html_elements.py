"""Small pieces of a page: every text is escaped here, and nowhere else is HTML put together from what people wrote."""

import base64
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files

from tetrion.errors import TetrionError

_IMAGE_TYPES = {b"GIF8": "image/gif", b"\x89PNG": "image/png", b"RIFF": "image/webp", b"<?xm": "image/svg+xml"}
LOGO_SVG = (
    '<svg viewBox="0 0 23 15" aria-hidden="true" fill="#5FE0BB">'
    '<path d="M0 0h7v7H0zM8 0h7v7H8zM16 0h7v7h-7zM8 8h7v7H8z"/></svg>'
)


def render_page(title: str, body: Sequence[str], extra_css: str = "") -> bytes:
    """A whole page, which asks nobody for anything."""
    style = files("tetrion.lab").joinpath("report.css").read_text("utf-8") + extra_css
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>",
        *body,
        "</body>\n</html>\n",
    ]
    return "\n".join(parts).encode()


def tag(name: str, content: str, **attributes: str) -> str:
    """An element around content that is HTML already; `class_` is its class."""
    return f"<{name}{format_attributes(attributes)}>{content}</{name}>"


def format_attributes(attributes: Mapping[str, str]) -> str:
    """Attributes of an element."""
    return "".join(f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"' for name, value in attributes.items())


def text_tag(name: str, text: str, **attributes: str) -> str:
    """An element around words."""
    return tag(name, escape(text), **attributes)


def render_section(title: str, *parts: str) -> str:
    """A part of the page with a heading; nothing if it is empty."""
    filled = [part for part in parts if part]
    return tag("section", "\n".join([text_tag("h2", title), *filled])) if filled else ""


def make_data_url(content: bytes) -> str:
    """A picture as an address that holds all of it."""
    kind = next((kind for start, kind in _IMAGE_TYPES.items() if content.startswith(start)), None)
    if kind is None:
        raise TetrionError(f"A picture is a GIF, PNG, WebP or SVG; this begins with {content[:4]!r}.")
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def render_image(content: bytes, alt_text: str, **attributes: str) -> str:
    """A picture that is part of the page."""
    return f"<img{format_attributes({'src': make_data_url(content), 'alt': alt_text, **attributes})}>"


def render_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str = "",
    row_classes: Mapping[int, str] | None = None,
) -> str:
    """A table of cells that are HTML already; the first of each row is its head, and rows may have a class."""
    top = "".join(text_tag("th", head, scope="col") for head in headers)
    body = []
    for place, (first, *others) in enumerate(rows):
        cells = tag("th", first, scope="row") + "".join(tag("td", cell) for cell in others)
        chosen = (row_classes or {}).get(place)
        body.append(tag("tr", cells, **({"class_": chosen} if chosen else {})))
    inner = (
        (text_tag("caption", caption) if caption else "") + tag("thead", tag("tr", top)) + tag("tbody", "\n".join(body))
    )
    reached = {"tabindex": "0", "role": "region", "aria_label": caption or headers[0]}  # to scroll it with keys
    return tag("div", tag("table", inner), class_="scroll", **reached)


def render_bar(value: float, max_value: float, *, is_signed: bool) -> str:
    """A number as a bar as long as its share of the largest; signed ones grow from the middle."""
    share = min(1.0, abs(value) / max_value) * (50 if is_signed else 100) if max_value else 0
    left = 0.0 if not is_signed else 50 - share if value < 0 else 50.0
    look = {"style": f"left:{left:.1f}%;width:{share:.1f}%", **({"class_": "loss"} if value < 0 else {})}
    return tag("span", tag("i", "", **look), class_="track signed" if is_signed else "track", aria_hidden="true")


def render_definition_list(definitions: Mapping[str, str], css_class: str = "facts") -> str:
    """Names and what they are, as words."""
    listed = "".join(tag("div", text_tag("dt", name) + text_tag("dd", told)) for name, told in definitions.items())
    return tag("dl", listed, class_=css_class)


def render_details(title: str, content: str) -> str:
    """What is shown to whoever opens it."""
    return tag("details", text_tag("summary", title) + content)
