"""Pages from the Jinja templates in the folder `templates`, which also holds their style sheets and scripts."""

import base64
import hashlib
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from tetrion.errors import TetrionError
from tetrion.extras import require
from tetrion.text_cleaning import clean_lines

if TYPE_CHECKING:
    from jinja2 import Environment

_SCRIPT_FILES = ("replay.js", "training_report.js")
_IMAGE_TYPES = {b"GIF8": "image/gif", b"\x89PNG": "image/png", b"RIFF": "image/webp", b"<?xm": "image/svg+xml"}


def render_template(name: str, **values: object) -> str:
    """Return the page that a template makes of the given values, all of which it escapes.

    Characters that a page cannot contain or show are replaced, also in scripts.
    """
    return clean_lines(make_environment().get_template(name).render(values))


@cache
def make_environment() -> "Environment":
    """Return the settings of all templates; a name that is missing among the values is an error."""
    require("jinja2", "pages")
    from jinja2 import Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=PackageLoader("tetrion.lab"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.policies["json.dumps_kwargs"] = {"separators": (",", ":"), "ensure_ascii": False}
    environment.filters["data_url"] = make_data_url
    # The only text that is inserted without escaping: style sheets, scripts and the logo of this package.
    environment.globals["embed"] = lambda name: Markup(read_template_file(name))
    environment.globals["content_policy"] = make_content_policy()
    return environment


def make_content_policy() -> str:
    """Return what browsers may load and run in a page: its styles, its embedded images and the scripts given here."""
    scripts = [f"\n{read_template_file(name)}\n" for name in _SCRIPT_FILES]  # as the element contains them
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed_scripts = " ".join(f"'sha256-{text}'" for text in hashes)
    return (
        f"default-src 'none'; base-uri 'none'; form-action 'none'; "
        f"img-src data:; style-src 'unsafe-inline'; script-src {allowed_scripts}"
    )


def read_template_file(name: str) -> str:
    """Return the text of a file in the folder of the templates, such as `page.css`."""
    return files("tetrion.lab").joinpath("templates", name).read_text("utf-8")


def make_data_url(image: bytes) -> str:
    """Return a data URL that contains the image; raise TetrionError for unknown image types."""
    media_type = next((kind for signature, kind in _IMAGE_TYPES.items() if image.startswith(signature)), None)
    if media_type is None:
        raise TetrionError(f"An image must be a GIF, PNG, WebP or SVG; this content starts with {image[:4]!r}.")
    return f"data:{media_type};base64,{base64.b64encode(image).decode()}"
