"""Templates, style sheets and scripts of the pages: escaping, separation, and validity in a browser."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from html import unescape
from importlib.resources import files
from pathlib import Path

import pytest
from jinja2 import UndefinedError

import tetrion
from tests.lab.browser import Browser, needs_browser
from tetrion.errors import TetrionError
from tetrion.game import Game
from tetrion.lab.page_templates import make_content_policy, make_data_url, make_environment
from tetrion.lab.replay_page import render_replay_page
from tetrion.papers.judging import Verdict
from tetrion.replay import Replay

PACKAGE = Path(tetrion.__file__).parent
FOLDER = PACKAGE / "lab" / "templates"
PAPER_FOLDER = PACKAGE / "papers" / "templates"
TEMPLATES = {path.name: path.read_text("utf-8") for folder in (FOLDER, PAPER_FOLDER) for path in folder.glob("*.jinja")}
SITE_STYLE = Path(__file__).parents[2] / "docs" / "assets" / "site.css"
STYLES = {path.name: path.read_text("utf-8") for path in [*FOLDER.glob("*.css"), SITE_STYLE]}
SCRIPTS = {path.name: path.read_text("utf-8") for path in FOLDER.glob("*.js")}


def render(source: str, **values: object) -> str:
    """Return the text of a template that may use the shared elements as `ui`."""
    template = '{% import "elements.html.jinja" as ui %}' + source
    return make_environment().from_string(template).render(values)


def test_values_are_escaped_also_within_elements() -> None:
    hostile = '<b title="x">\'&'
    escaped = "&lt;b title=&#34;x&#34;&gt;&#39;&amp;"
    assert render("{{ text }}", text=hostile) == escaped
    assert render("{{ ui.row([text, text]) }}", text=hostile).count(escaped) == 2
    assert render("{{ ui.chips({text: text}) }}", text=hostile).count(escaped) == 2
    table = render("{% call ui.table([text], text) %}{{ text }}{% endcall %}", text=hostile)
    assert table.count(escaped) == 4
    assert "<b" not in table


def test_json_data_cannot_close_its_script() -> None:
    data = {"name": "</script><!-- é & '"}
    text = render("{{ data|tojson }}", data=data)
    assert not set("<>&'") & set(text)
    assert json.loads(text) == data


def test_missing_value_is_an_error() -> None:
    with pytest.raises(UndefinedError, match="'seeed' is undefined"):
        render("{{ seeed }}", seed=1)


def test_data_urls() -> None:
    assert make_data_url(b"RIFF0000WEBP").startswith("data:image/webp")
    with pytest.raises(TetrionError, match="GIF, PNG, WebP or SVG"):
        make_data_url(b"BM00")


def test_only_files_of_the_package_are_inserted_without_escaping() -> None:
    for name, template in TEMPLATES.items():
        assert not re.search(r"\|\s*safe\b", template), name
        assert "autoescape" not in template, name
        for file_name in re.findall(r'embed\("([^"]*)"\)', template):
            assert files("tetrion.lab").joinpath("templates", file_name).is_file()
        assert template.count("embed(") == len(re.findall(r'embed\("[^"]*"\)', template)), name
    users = {path.name for path in PACKAGE.rglob("*.py") if "Markup" in path.read_text("utf-8")}
    assert users == {"page_templates.py", "report.py"}  # a page of a paper, whose values its template has escaped


def test_policy_of_pages_allows_only_the_scripts_of_the_package() -> None:
    policy = make_content_policy()
    assert policy.startswith("default-src 'none'")
    assert policy in unescape(render_replay_page(Replay.from_game(Game())))
    assert len(SCRIPTS) == policy.count("'sha256-")
    for script in SCRIPTS.values():
        checksum = base64.b64encode(hashlib.sha256(f"\n{script}\n".encode()).digest()).decode()
        assert f"'sha256-{checksum}'" in policy
    assert "script-src 'unsafe-inline'" not in policy


@needs_browser
def test_browser_runs_only_the_scripts_of_the_package(browser: Browser, tmp_path: Path) -> None:
    page = render_replay_page(Replay.from_game(Game()))
    added = "<script>document.title = 'new'</script><img src='https://example.org/x.png' onerror='document.title = 1'>"
    browser.errors.clear()
    (tmp_path / "page.html").write_text(page, encoding="utf-8")
    browser.open_page(tmp_path / "page.html")
    assert browser.errors == []
    title = browser.evaluate("document.title")
    (tmp_path / "page.html").write_text(page.replace("</main>", f"{added}</main>"), encoding="utf-8")
    browser.open_page(tmp_path / "page.html")
    assert browser.evaluate("document.title") == title
    assert len([error for error in browser.errors if "Content Security Policy" in error]) >= 2


def test_templates_contain_no_code_and_no_style() -> None:
    for name, template in TEMPLATES.items():
        for kind, content in re.findall(r"<(script|style)[^>]*>(.*?)</\1>", template, re.DOTALL):
            assert not re.sub(r"\{[{%].*?[%}]\}", "", content, flags=re.DOTALL).strip(), f"{name}: {kind}"
        assert not re.search(r"<[^>]*\son\w+\s*=|javascript:", template), name


def test_all_classes_of_the_style_sheets_are_used() -> None:
    sources = " ".join([*TEMPLATES.values(), *SCRIPTS.values()])
    used = set(re.findall(r"[\w-]+", sources)) | {verdict.css_class for verdict in Verdict}
    for name in ("page.css", "replay.css", "reproduction.css"):
        selectors = re.sub(r"/\*.*?\*/|\{[^{}]*\}", " ", STYLES[name], flags=re.DOTALL)
        assert set(re.findall(r"\.([a-zA-Z][\w-]*)", selectors)) - used == set(), name


def find_declarations(style: str) -> Iterator[tuple[str, str]]:
    """Yield the properties and values of a style sheet, except those of fonts, which are not properties of elements."""
    style = re.sub(r"/\*.*?\*/|@font-face \{[^}]*\}", "", style, flags=re.DOTALL)
    for block in re.findall(r"\{([^{}]*)\}", style):
        for declaration in filter(None, map(str.strip, block.split(";"))):
            name, _, value = declaration.partition(":")
            yield name.strip(), value.replace("!important", "").strip()


@needs_browser
def test_style_sheets_are_understood_by_a_browser(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "empty.html").write_text("<!DOCTYPE html><title>Empty</title>", encoding="utf-8")
    browser.open_page(tmp_path / "empty.html")
    for name, style in STYLES.items():
        declarations = [*find_declarations(style), ("colr", "red")]
        check = f"{json.dumps(declarations)}.filter(([name, value]) => !CSS.supports(name, value))"
        assert browser.evaluate(check) == [["colr", "red"]], name
