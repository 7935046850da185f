"""Small pieces of a page: every text is escaped here, and nowhere else is HTML put together from what people wrote."""

import base64
from collections.abc import Mapping, Sequence
from html import escape
from importlib.resources import files

from tetrion.errors import TetrionError

KINDS = {b"GIF8": "image/gif", b"\x89PNG": "image/png", b"RIFF": "image/webp", b"<?xm": "image/svg+xml"}
MARK = (
    '<svg viewBox="0 0 23 15" aria-hidden="true" fill="#5FE0BB">'
    '<path d="M0 0h7v7H0zM8 0h7v7H8zM16 0h7v7h-7zM8 8h7v7H8z"/></svg>'
)


def page(title: str, body: Sequence[str], more_style: str = "") -> bytes:
    """A whole page, which asks nobody for anything."""
    style = files("tetrion.lab").joinpath("report.css").read_text("utf-8") + more_style
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
    return f"<{name}{written(attributes)}>{content}</{name}>"


def written(attributes: Mapping[str, str]) -> str:
    """Attributes of an element."""
    return "".join(f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"' for name, value in attributes.items())


def words(name: str, content: str, **attributes: str) -> str:
    """An element around words."""
    return tag(name, escape(content), **attributes)


def section(title: str, *parts: str) -> str:
    """A part of the page with a heading; nothing if it is empty."""
    filled = [part for part in parts if part]
    return tag("section", "\n".join([words("h2", title), *filled])) if filled else ""


def source(content: bytes) -> str:
    """A picture as an address that holds all of it."""
    kind = next((kind for start, kind in KINDS.items() if content.startswith(start)), None)
    if kind is None:
        raise TetrionError(f"A picture is a GIF, PNG, WebP or SVG; this begins with {content[:4]!r}.")
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def image(content: bytes, alternative: str, **attributes: str) -> str:
    """A picture that is part of the page."""
    return f"<img{written({'src': source(content), 'alt': alternative, **attributes})}>"


def table(
    heads: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "", classes: Mapping[int, str] | None = None
) -> str:
    """A table of cells that are HTML already; the first of each row is its head, and rows may have a class."""
    top = "".join(words("th", head, scope="col") for head in heads)
    body = []
    for place, (first, *others) in enumerate(rows):
        cells = tag("th", first, scope="row") + "".join(tag("td", cell) for cell in others)
        chosen = (classes or {}).get(place)
        body.append(tag("tr", cells, **({"class_": chosen} if chosen else {})))
    inner = (
        (words("caption", caption) if caption else "") + tag("thead", tag("tr", top)) + tag("tbody", "\n".join(body))
    )
    reached = {"tabindex": "0", "role": "region", "aria_label": caption or heads[0]}  # to scroll it with keys
    return tag("div", tag("table", inner), class_="scroll", **reached)


def bar(number: float, most: float, *, signed: bool) -> str:
    """A number as a bar as long as its share of the largest; signed ones grow from the middle."""
    share = min(1.0, abs(number) / most) * (50 if signed else 100) if most else 0
    left = 0.0 if not signed else 50 - share if number < 0 else 50.0
    look = {"style": f"left:{left:.1f}%;width:{share:.1f}%", **({"class_": "loss"} if number < 0 else {})}
    return tag("span", tag("i", "", **look), class_="track signed" if signed else "track", aria_hidden="true")


def facts(pairs: Mapping[str, str], kind: str = "facts") -> str:
    """Names and what they are, as words."""
    listed = "".join(tag("div", words("dt", name) + words("dd", told)) for name, told in pairs.items())
    return tag("dl", listed, class_=kind)


def folded(title: str, content: str) -> str:
    """What is shown to whoever opens it."""
    return tag("details", words("summary", title) + content)
