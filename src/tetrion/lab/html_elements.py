"""HTML elements of the reports; all text is escaped here."""

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
    """Return a self-contained HTML page; `extra_css` is appended to the shared style sheet."""
    style = read_page_file("page.css") + extra_css
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)}</title>\n<style>\n{style}</style>\n</head>\n<body>",
        *body,
        "</body>\n</html>\n",
    ]
    return "\n".join(parts).encode()


def read_page_file(name: str) -> str:
    """Return the text of a style sheet or script in the lab folder, such as `page.css`."""
    return files("tetrion.lab").joinpath(name).read_text("utf-8")


def render_element(name: str, content: str, **attributes: str) -> str:
    """Return an element around content that is already HTML; `class_` sets its class."""
    return f"<{name}{format_attributes(attributes)}>{content}</{name}>"


def format_attributes(attributes: Mapping[str, str]) -> str:
    """Return the attributes of an element as HTML, each with a leading space."""
    return "".join(f' {name.rstrip("_").replace("_", "-")}="{escape(value)}"' for name, value in attributes.items())


def render_text_element(name: str, text: str, **attributes: str) -> str:
    """Return an element around plain text, which is escaped."""
    return render_element(name, escape(text), **attributes)


def render_section(title: str, *parts: str) -> str:
    """Return a section with a heading, or an empty string if all parts are empty."""
    filled = [part for part in parts if part]
    return render_element("section", "\n".join([render_text_element("h2", title), *filled])) if filled else ""


def make_data_url(content: bytes) -> str:
    """Return a data URL that contains the image; raise TetrionError for unknown image types."""
    media_type = next(
        (media_type for signature, media_type in _IMAGE_TYPES.items() if content.startswith(signature)), None
    )
    if media_type is None:
        raise TetrionError(f"An image must be a GIF, PNG, WebP or SVG; this content starts with {content[:4]!r}.")
    return f"data:{media_type};base64,{base64.b64encode(content).decode()}"


def render_image(content: bytes, alt_text: str, **attributes: str) -> str:
    """Return an image element with embedded content."""
    return f"<img{format_attributes({'src': make_data_url(content), 'alt': alt_text, **attributes})}>"


def render_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    caption: str = "",
    row_classes: Mapping[int, str] | None = None,
) -> str:
    """Return a table; cells are HTML and the first cell of each row is its header.

    `row_classes` maps row numbers from 0 to CSS classes.
    """
    header = "".join(render_text_element("th", text, scope="col") for text in headers)
    body = []
    for number, (first, *others) in enumerate(rows):
        cells = render_element("th", first, scope="row") + "".join(render_element("td", cell) for cell in others)
        row_class = (row_classes or {}).get(number)
        body.append(render_element("tr", cells, **({"class_": row_class} if row_class else {})))
    inner = (
        (render_text_element("caption", caption) if caption else "")
        + render_element("thead", render_element("tr", header))
        + render_element("tbody", "\n".join(body))
    )
    # A focusable region can be scrolled with the keyboard.
    attributes = {"tabindex": "0", "role": "region", "aria_label": caption or headers[0]}
    return render_element("div", render_element("table", inner), class_="scroll", **attributes)


def render_bar(value: float, max_value: float, *, is_signed: bool) -> str:
    """Return a bar whose length is the share of `max_value`; signed bars start in the middle."""
    share = min(1.0, abs(value) / max_value) * (50 if is_signed else 100) if max_value else 0
    left = 0.0 if not is_signed else 50 - share if value < 0 else 50.0
    attributes = {"style": f"left:{left:.1f}%;width:{share:.1f}%", **({"class_": "loss"} if value < 0 else {})}
    return render_element(
        "span",
        render_element("i", "", **attributes),
        class_="track signed" if is_signed else "track",
        aria_hidden="true",
    )


def render_definition_list(definitions: Mapping[str, str], css_class: str = "facts") -> str:
    """Return a definition list of plain texts."""
    items = "".join(
        render_element("div", render_text_element("dt", name) + render_text_element("dd", definition))
        for name, definition in definitions.items()
    )
    return render_element("dl", items, class_=css_class)


def render_details(title: str, content: str) -> str:
    """Return a collapsible section; `content` is HTML."""
    return render_element("details", render_text_element("summary", title) + content)
