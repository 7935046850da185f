"""What the site takes from the package when it is built, so that each exists once: colours, fonts, pieces, the mark."""

import re
from importlib.resources import files

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from tetrion.board import Placement
from tetrion.drawing import palette
from tetrion.lab.html_elements import LOGO_SVG

FONTS_FOLDER = files("tetrion.drawing").joinpath("fonts")
COLOUR_NAMES = (
    "BACKGROUND",
    "WELL",
    "PANEL",
    "RAISED_PANEL",
    "OUTLINE",
    "SEPARATOR",
    "STRONG_TEXT",
    "NORMAL_TEXT",
    "DIM_TEXT",
    "FAINT_TEXT",
    "ACCENT",
    "NEGATIVE",
)


def on_files(known: Files, config: MkDocsConfig) -> Files:
    """Add the files that are made of the package."""
    made: dict[str, str | bytes] = {
        "assets/palette.css": make_palette_css(),
        "assets/mark.svg": make_logo_svg(palette.ACCENT),
        "assets/favicon.svg": make_logo_svg(palette.ACCENT),
    }
    made |= {f"assets/fonts/{font.name}": font.read_bytes() for font in FONTS_FOLDER.iterdir() if font.is_file()}
    for place, content in made.items():
        known.append(File.generated(config, place, content=content))
    return known


def on_page_markdown(markdown: str, **_: object) -> str:
    """Put a drawing of the piece for `:piece-T:`."""
    return re.sub(r":piece-([IOTSZJL]):", lambda found: make_piece_svg(found[1]), markdown)


def make_palette_css() -> str:
    """Every colour of the window as a property of the page."""
    named = {name.lower().replace("_", "-"): getattr(palette, name) for name in COLOUR_NAMES}
    return ":root {\n" + "".join(f"  --tetrion-{name}: {colour};\n" for name, colour in named.items()) + "}\n"


def make_logo_svg(colour: str) -> str:
    """The project's mark as a file of its own."""
    drawn = LOGO_SVG.replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ')
    return re.sub(r'fill="[^"]*"', f'fill="{colour}"', drawn)


def make_piece_svg(letter: str) -> str:
    """A piece as it is drawn: cells of seven, and one between them."""
    cells = Placement(letter, 0, 0, 0).cells
    width, height = (max(place[axis] for place in cells) + 1 for axis in (0, 1))
    path = "".join(f"M{8 * x} {8 * (height - 1 - y)}h7v7h-7z" for x, y in cells)
    wide, high = 8 * width - 1, 8 * height - 1
    box = f'viewBox="0 0 {wide} {high}" width="{wide}" height="{high}"'
    return f'<svg {box} fill="{palette.DEFAULT_PIECE_COLOURS[letter]}" aria-hidden="true"><path d="{path}"/></svg>'
