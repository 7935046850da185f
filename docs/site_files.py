"""Files that the site takes from the package when it is built: colours, fonts, piece drawings and the logo."""

import re
from importlib.resources import files

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from tetrion.board import Placement
from tetrion.drawing import palette
from tetrion.lab.page_templates import read_template_file

FONTS_FOLDER = files("tetrion.drawing").joinpath("fonts")
COLOUR_NAMES = (
    "BACKGROUND",
    "BOARD_BACKGROUND",
    "PANEL",
    "RAISED_PANEL",
    "BOARD_OUTLINE",
    "SEPARATOR",
    "STRONG_TEXT",
    "NORMAL_TEXT",
    "DIM_TEXT",
    "FAINT_TEXT",
    "ACCENT",
    "NEGATIVE",
)


def on_files(files_of_site: Files, config: MkDocsConfig) -> Files:
    """Add the files made from the package (MkDocs hook)."""
    generated: dict[str, str | bytes] = {
        "assets/palette.css": make_palette_css(),
        "assets/mark.svg": read_template_file("logo.svg"),
        "assets/favicon.svg": read_template_file("logo.svg"),
    }
    generated |= {f"assets/fonts/{font.name}": font.read_bytes() for font in FONTS_FOLDER.iterdir() if font.is_file()}
    for path, content in generated.items():
        files_of_site.append(File.generated(config, path, content=content))
    return files_of_site


def on_page_markdown(markdown: str, **_: object) -> str:
    """Replace `:piece-T:` by a drawing of the piece (MkDocs hook)."""
    return re.sub(r":piece-([IOTSZJL]):", lambda match: make_piece_svg(match[1]), markdown)


def make_palette_css() -> str:
    """Return the colours of the window as CSS properties."""
    colours = {name.lower().replace("_", "-"): getattr(palette, name) for name in COLOUR_NAMES}
    return ":root {\n" + "".join(f"  --tetrion-{name}: {colour};\n" for name, colour in colours.items()) + "}\n"


def make_piece_svg(letter: str) -> str:
    """Return the drawing of a piece: cells of 7 units with gaps of 1."""
    cells = Placement(letter, 0, 0, 0).cells
    width, height = (max(cell[axis] for cell in cells) + 1 for axis in (0, 1))
    path = "".join(f"M{8 * x} {8 * (height - 1 - y)}h7v7h-7z" for x, y in cells)
    svg_width, svg_height = 8 * width - 1, 8 * height - 1
    box = f'viewBox="0 0 {svg_width} {svg_height}" width="{svg_width}" height="{svg_height}"'
    return f'<svg {box} fill="{palette.DEFAULT_PIECE_COLOURS[letter]}" aria-hidden="true"><path d="{path}"/></svg>'
