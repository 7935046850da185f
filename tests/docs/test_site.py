"""The site builds without a warning, asks nobody for anything, and has what the package lends it."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXTERNAL_RESOURCE = re.compile(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"?(https?:[^\" >]+)")


def build_site(folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    """A site, built as `make docs` builds it; --quiet would let warnings pass."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder), *more]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site of the docs."""
    folder = tmp_path_factory.mktemp("site")
    done = build_site(folder)
    assert done.returncode == 0, done.stderr
    assert "WARNING" not in done.stderr
    return folder


def test_broken_links_are_found(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    links = "[a](nowhere.md) [b](#nowhere) [c](/index.md) [d](folder) [e](index.html)"
    (tmp_path / "docs" / "index.md").write_text(f"# Page\n\n{links}\n", encoding="utf-8")
    settings = f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: docs\nnav: [index.md]\nplugins: []\nhooks: []\n"
    (tmp_path / "mkdocs.yml").write_text(settings, encoding="utf-8")
    done = build_site(tmp_path / "site", "--config-file", str(tmp_path / "mkdocs.yml"))
    assert done.returncode == 1
    assert done.stderr.count("WARNING") == 5, done.stderr


def test_every_page_is_built(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs")).with_suffix(".html").is_file(), page


def test_nothing_is_fetched_from_elsewhere(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert EXTERNAL_RESOURCE.findall(page.read_text("utf-8")) == [], page
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?https?:|@import", style.read_text("utf-8")), style


def test_public_names_are_documented(site: Path) -> None:
    import tetrion

    reference = "".join(page.read_text("utf-8") for page in (site / "api").glob("*.html"))
    for name in tetrion.__all__:
        assert f'id="tetrion.{name}"' in reference, name


def test_what_the_package_lends(site: Path) -> None:
    from tetrion.drawing.palette import ACCENT, DEFAULT_PIECE_COLOURS

    assert ACCENT in (site / "assets" / "palette.css").read_text("utf-8")
    assert ACCENT in (site / "assets" / "mark.svg").read_text("utf-8")
    assert DEFAULT_PIECE_COLOURS["T"] in (site / "index.html").read_text("utf-8")
    assert (site / "assets" / "fonts" / "OFL.txt").is_file()
    assert len(list((site / "assets" / "fonts").glob("*.ttf"))) == 2
