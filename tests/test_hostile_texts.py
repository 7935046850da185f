"""Hostile texts in every output: plots, terminal, JSON, CSV, pages and films."""

import csv
import io
import json
import re
import warnings
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rich.live import Live
from rich.table import Table
from rich.text import Text

from tests.hostile_texts import HOSTILE_TEXTS, find_forbidden_characters
from tetrion import Game, Replay, Rules, WeightedAgent
from tetrion.agents import as_agent
from tetrion.board import Placement
from tetrion.cli.bench_command import format_csv, measure_agents, print_results
from tetrion.cli.console_output import CleanConsole, echo, format_json, print_notice, print_table, print_wrapped
from tetrion.cli.output_files import write_text_parts
from tetrion.cli.train_command import render_progress
from tetrion.evaluation import Evaluation, evaluate
from tetrion.evaluation.game_statistics import GAME_COLUMNS
from tetrion.lab.distribution_plot import render_distribution_plot
from tetrion.lab.figure_charts import Chart, FigureSize, apply_chart_style, render_figure
from tetrion.lab.replay_page import render_replay_page
from tetrion.lab.video import render_gif, render_png
from tetrion.lab.video_frames import Recording
from tetrion.notebook_display import render_html_table
from tetrion.papers.definition import Paper
from tetrion.papers.report import render_html, render_pages
from tetrion.papers.reproduction import Reproduction
from tetrion.position import Position
from tetrion.progress import Progress

STANDARD = Rules.parse("standard")
FILE_SIGNATURES = {"pdf": b"%PDF", "svg": b"<?xml"}
every_text = pytest.mark.parametrize("text", HOSTILE_TEXTS.values(), ids=HOSTILE_TEXTS)


class NamedChooser:
    """A Python object that plays, and whose name is any text."""

    def __init__(self, name: str) -> None:
        self.name = name

    def choose(self, position: Position) -> Placement:
        return position.placements()[0]


@pytest.fixture(scope="module")
def evaluation() -> Evaluation:
    return evaluate(WeightedAgent("a", {"holes": -1.0}), STANDARD, 5, max_pieces=20)


@pytest.fixture(scope="module")
def game() -> Game:
    game = Game(STANDARD, 1)
    game.play("du", 3)
    return game


def check_plot(content: bytes, file_type: str) -> None:
    assert content.startswith(FILE_SIGNATURES[file_type])
    if file_type == "svg":
        ElementTree.fromstring(content)
        assert "<!-- $x$ -->" in content.decode()  # the name letter by letter, not as a formula


@pytest.mark.parametrize(("file_type", "width"), [("svg", None), ("pdf", 3.5)])
def test_distribution_plot(file_type: str, width: float | None, evaluation: Evaluation) -> None:
    evaluations = [replace(evaluation, agent=text) for text in HOSTILE_TEXTS.values()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # such as those about characters that the font does not have
        check_plot(render_distribution_plot(evaluations, file_type, width=width), file_type)


@pytest.mark.parametrize("file_type", ["svg", "pdf"])
def test_chart(file_type: str) -> None:
    values = np.geomspace(1, 1e5, 30)
    with warnings.catch_warnings(), apply_chart_style():
        warnings.simplefilter("error", RuntimeWarning)
        chart = Chart(FigureSize(880, 480), "".join(HOSTILE_TEXTS.values()), r"$\frac{", "$ ".join(HOSTILE_TEXTS))
        chart.choose_scale(values)
        for number, text in enumerate(HOSTILE_TEXTS.values()):
            chart.draw_line(text[:20], values * number, "#88aaff")
            chart.annotate_step(number + 1, text[:20])
        check_plot(render_figure(chart.finish(), file_type), file_type)


@every_text
def test_printed_texts(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    echo(text)
    print_notice(text, text)
    print_wrapped(text, "  ")
    print_table([text, "b"], [[text, text]])
    output = capsys.readouterr()
    assert find_forbidden_characters(output.out + output.err) == []
    (output.out + output.err).encode()


@every_text
def test_live_displays_of_a_terminal(text: str) -> None:
    file = io.StringIO()
    console = CleanConsole(file=file, force_terminal=True, width=120, height=40, color_system=None)
    table = Table.grid()
    table.add_row(Text(text, "bold"), text.replace("[", ""))
    with Live(table, console=console, screen=True, auto_refresh=False) as live:
        live.update(render_progress(Progress(task=text, details=(text,))), refresh=True)
    shown = re.sub(r"\x1b\[\??\d*(;\d+)?[A-Za-z]", "", file.getvalue())  # the control sequences of the display itself
    assert find_forbidden_characters(shown.replace("\r", "")) == []


@every_text
def test_names_of_objects_in_results(text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    agents = [as_agent(NamedChooser(text)), as_agent(NamedChooser(text))]
    results, *_ = measure_agents(agents, lambda agent: evaluate(agent, STANDARD, 2, max_pieces=3))
    print_results(results)
    assert find_forbidden_characters(capsys.readouterr().out) == []
    write_text_parts("--csv", str(tmp_path / "games.csv"), format_csv(results))
    rows = list(csv.reader(io.StringIO((tmp_path / "games.csv").read_bytes().decode())))
    assert rows[0] == list(GAME_COLUMNS)
    assert [len(row) for row in rows] == [len(GAME_COLUMNS)] * 5
    assert len(rows[1][0]) <= 100
    if text in ("=1+1", "$x$"):  # values are data: spreadsheets are not guessed at
        assert rows[1][0] == text
    json_text = format_json([result.to_json() for result in results])
    assert find_forbidden_characters("".join(result["agent"] for result in json.loads(json_text))) == []


def test_json_has_no_surrogates_and_is_stable() -> None:
    content = {"a\ud800": ["é\udcff", ("\x1b", 1.5, None, True)], "b": {"é": 2**60}}
    assert json.loads(format_json(content)) == {"a�": ["é�", ["�", 1.5, None, True]], "b": {"é": 2**60}}
    assert format_json({"a": ["é"]}) == '{\n  "a": [\n    "\\u00e9"\n  ]\n}\n'


class ScriptCounter(HTMLParser):
    """Counts the scripts of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.count += tag == "script"


def count_scripts(page: str) -> int:
    counter = ScriptCounter()
    counter.feed(page)
    return counter.count


@every_text
def test_replay_page(text: str, game: Game) -> None:
    page = render_replay_page(Replay.from_game(game, text))
    assert find_forbidden_characters(page) == []
    assert count_scripts(page) == count_scripts(render_replay_page(Replay.from_game(game, "du")))
    page.encode()


@every_text
def test_pages_of_a_reproduction(text: str, tmp_path: Path) -> None:
    paper = Paper("mine", "A paper", "A source", "A description.", "standard", [], [])
    pages = render_pages(Reproduction(paper, 1, False, {}, {"processor": text, "date": text}))
    assert find_forbidden_characters("".join(pages)) == []
    page = render_html(Reproduction(paper, 1, False, {}, {"processor": text, "date": text}), pages, tmp_path)
    assert find_forbidden_characters(page) == []
    assert count_scripts(page) == 0


@every_text
def test_notebook_tables(text: str) -> None:
    table = render_html_table(text, [text], [[text]], note=text)
    assert find_forbidden_characters(table) == []
    assert "<script" not in table


@every_text
def test_films(text: str) -> None:
    recording = Recording(as_agent(NamedChooser(text)), STANDARD, 1, 1)
    assert Image.open(io.BytesIO(render_png(recording, (240, 260)))).size == (240, 260)
    if text == HOSTILE_TEXTS["long"]:
        assert Image.open(io.BytesIO(render_gif(recording, (240, 260)))).size == (240, 260)
