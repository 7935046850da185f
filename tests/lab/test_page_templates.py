"""Templates, style sheets and scripts of the pages: escaping, separation, and validity in a browser."""

import base64
import hashlib
import re
from html import unescape
from importlib.resources import files
from pathlib import Path

import tetrion
from tests.lab.browser import Browser, needs_browser
from tetrion.game import Game
from tetrion.lab.page_templates import make_content_policy, make_environment
from tetrion.lab.replay_page import render_replay_page
from tetrion.replay import Replay

PACKAGE = Path(tetrion.__file__).parent
FOLDER = PACKAGE / "lab" / "templates"
PAPER_FOLDER = PACKAGE / "papers" / "templates"
TEMPLATES = {path.name: path.read_text("utf-8") for folder in (FOLDER, PAPER_FOLDER) for path in folder.glob("*.jinja")}
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
