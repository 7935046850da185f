"""The site: builds without warnings, loads nothing from other servers, and contains files of the package."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
EXTERNAL_RESOURCE = re.compile(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"?(https?:[^\" >]+)")


def build_site(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build the site as `make docs` does; --quiet would hide warnings."""
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder), *options]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)  # the compiled hook must not become a part of the site
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site of the docs."""
    folder = tmp_path_factory.mktemp("site")
    process = build_site(folder)
    assert process.returncode == 0, process.stderr
    assert "WARNING" not in process.stderr
    return folder


def test_broken_links_are_reported(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    links = "[a](nowhere.md) [b](#nowhere) [c](/index.md) [d](folder) [e](index.html)"
    (tmp_path / "docs" / "index.md").write_text(f"# Page\n\n{links}\n", encoding="utf-8")
    settings = f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: docs\nnav: [index.md]\nplugins: []\nhooks: []\n"
    (tmp_path / "mkdocs.yml").write_text(settings, encoding="utf-8")
    process = build_site(tmp_path / "site", "--config-file", str(tmp_path / "mkdocs.yml"))
    assert process.returncode == 1
    assert process.stderr.count("WARNING") == 5, process.stderr


def test_all_pages_are_built(site: Path) -> None:
    for page in (ROOT / "docs").rglob("*.md"):
        assert (site / page.relative_to(ROOT / "docs")).with_suffix(".html").is_file(), page


def test_no_files_of_python_are_included(site: Path) -> None:
    assert [path for path in site.rglob("*") if path.suffix in (".py", ".pyc") or path.name == "__pycache__"] == []


def test_no_external_resources_are_loaded(site: Path) -> None:
    for page in site.rglob("*.html"):
        assert EXTERNAL_RESOURCE.findall(page.read_text("utf-8")) == [], page
    for style in site.rglob("*.css"):
        assert not re.search(r"url\([\"']?https?:|@import", style.read_text("utf-8")), style


def test_public_names_are_documented(site: Path) -> None:
    import tetrion

    reference = "".join(page.read_text("utf-8") for page in (site / "api").glob("*.html"))
    for name in tetrion.__all__:
        assert f'id="tetrion.{name}"' in reference, name


def test_files_of_the_package_are_included(site: Path) -> None:
    from tetrion.drawing.palette import ACCENT, DEFAULT_PIECE_COLOURS

    assert ACCENT in (site / "assets" / "palette.css").read_text("utf-8")
    assert ACCENT in (site / "assets" / "mark.svg").read_text("utf-8")
    assert DEFAULT_PIECE_COLOURS["T"] in (site / "index.html").read_text("utf-8")
    assert (site / "assets" / "fonts" / "OFL.txt").is_file()
    assert len(list((site / "assets" / "fonts").glob("*.ttf"))) == 2
