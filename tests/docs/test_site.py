"""The site builds without a warning, asks nobody for anything, and has what the package lends it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LOADED = re.compile(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"?(https?:[^\" >]+)")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it; broken links and anchors are warnings, and warnings end it."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout + done.stderr == ""
    return folder


def test_every_page_is_built(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs")).with_suffix(".html").is_file(), page


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert LOADED.findall(page.read_text("utf-8")) == [], page
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?https?:|@import", style.read_text("utf-8")), style


def test_public_names_are_documented(site: Path) -> None:
    import tetrion

    reference = "".join(page.read_text("utf-8") for page in (site / "api").glob("*.html"))
    for name in tetrion.__all__:
        assert f'id="tetrion.{name}"' in reference, name


def test_what_the_package_lends(site: Path) -> None:
    from tetrion.drawing.palette import ACCENT, PIECES

    assert ACCENT in (site / "assets" / "palette.css").read_text("utf-8")
    assert ACCENT in (site / "assets" / "mark.svg").read_text("utf-8")
    assert PIECES["T"] in (site / "index.html").read_text("utf-8")
    assert (site / "assets" / "fonts" / "OFL.txt").is_file()
    assert len(list((site / "assets" / "fonts").glob("*.ttf"))) == 2
