"""Reproductions: equal results for equal seeds, also after interruptions and damage, and their reports."""

import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lab.small_runs import SMALL_RUN_CHANGES
from tests.papers.small_paper import CLAIMS, SMALL_PAPER, make_paper, reproduce_quickly
from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.errors import RunError, TetrionError
from tetrion.evaluation import start_threads
from tetrion.papers.judging import DocumentVerdict, Verdict
from tetrion.papers.measurements import MeasurementContext
from tetrion.papers.report import render_pages, write_report
from tetrion.papers.reproduction import Reproduction
from tetrion.progress import Progress
from tetrion.training.folder_locks import lock_folder
from tetrion.training.run import META_FILE, RESULT_FILE, Run


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Reproduction, Path]:
    folder = tmp_path_factory.mktemp("papers") / "becker"
    return reproduce_quickly(folder), folder


@pytest.fixture
def folder(finished: tuple[Reproduction, Path], tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished[1], tmp_path / "becker"))


def test_verdicts_and_reasons(finished: tuple[Reproduction, Path]) -> None:
    reproduction = finished[0]
    rows = {row.name: row for row in reproduction.rows}
    assert rows["flat"].verdict == Verdict.AGREES
    assert rows["flat"].basis == "20 games"
    assert rows["low"].verdict == Verdict.OTHER_READING
    assert rows["low"].reason.endswith("it is invented; it agrees if it is a million (2,000,000).")
    assert rows["low"].published == "our criterion: 1,000,000 or more"
    assert [reading.is_fitted for reading in rows["low"].readings] == [False, True]
    assert rows["other"].verdict == Verdict.FITTED
    assert rows["other"].reason.endswith("it agrees if it was fitted (3,000,000).")
    assert rows["fitted"].verdict == Verdict.FITTED
    assert rows["fitted"].reason.endswith("but the page was chosen to fit.")
    assert rows["bred"].reason.endswith("; published under other rules (a board of another size).")
    assert rows["seed"].measured == "seed 1"
    assert [row.name for row in reproduction.rows if row.is_own] == ["seed"]
    assert list(rows["low"].central) == ["lines, low", "many", "few"]
    assert rows["flat"].central[2] == rows["flat"].measured
    assert reproduction.verdict == DocumentVerdict.IN_PART
    assert reproduction.summary == f"It clears {rows['flat'].measured} lines."
    assert reproduction.command == "tetrion reproduce becker --quick"


def test_equal_seeds_give_equal_rows(finished: tuple[Reproduction, Path], tmp_path: Path) -> None:
    assert reproduce_quickly(tmp_path / "again").rows == finished[0].rows
    assert reproduce_quickly(tmp_path / "other", seed=2).rows != finished[0].rows


@pytest.mark.parametrize("stop_at", ["low", "bred"])
def test_interrupted_reproduction_is_resumed(stop_at: str, finished: tuple[Reproduction, Path], tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.task.endswith(f"  {stop_at}"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce_quickly(tmp_path / "becker", interrupt)
    saved = {file: file.read_bytes() for file in (tmp_path / "becker" / "measurements").iterdir()}
    assert saved
    assert reproduce_quickly(tmp_path / "becker").rows == finished[0].rows
    assert all(file.read_bytes() == content for file, content in saved.items()), "measured twice"


def test_other_contents_of_the_folder_are_not_overwritten(finished: tuple[Reproduction, Path], tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"becker, quick, seed 1; given becker, quick, seed 2\. Choose another `folder`"):
        reproduce_quickly(finished[1], seed=2)
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(RunError, match="not empty and is not a reproduction"):
        reproduce_quickly(tmp_path)
    with lock_folder(finished[1]), pytest.raises(RunError, match="in use by another process"):
        reproduce_quickly(finished[1])


def test_library_of_the_report_is_missed_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(TetrionError, match=r'Matplotlib is needed.*pip install "tetrion\[plots\]"'):
        reproduce_quickly(tmp_path / "becker")
    assert not (tmp_path / "becker").exists()


def test_report_files(finished: tuple[Reproduction, Path]) -> None:
    reproduction, folder = finished
    assert write_report(reproduction, folder) == folder / "report.html"
    html, page, results = ((folder / name).read_text("utf-8") for name in ("report.html", "report.md", "results.md"))
    assert "**The document holds in part.** It clears" in page
    assert "| lines, low | many | few | <strong" in page
    assert "`tetrion reproduce becker --quick`" in page
    assert "figures/becker-lines.svg" in results
    assert (folder / "figures" / "becker-lines.svg").read_bytes().startswith(b"<?xml")
    assert "the seed \\| a bar" in results
    for row in reproduction.rows:
        assert row.reason.replace("|", "\\|") in results
    assert html.count("data:image/svg+xml") == 1
    assert html.count("<table>") == page.count("| --- |\n") + results.count("| --- |\n")
    assert "becker-results.md" not in html


def test_pages_are_written_again_from_saved_values(finished: tuple[Reproduction, Path]) -> None:
    reproduction, folder = finished
    write_report(reproduction, folder)
    content = json.loads((folder / "report.json").read_text("utf-8"))
    saved = Reproduction.from_json(SMALL_PAPER, content)
    assert saved.rows == reproduction.rows
    assert render_pages(saved) == render_pages(reproduction)
    other = make_paper(CLAIMS.replace("measured = 'number(5)'", "").replace('"number(5)"', '"bred.score"'))
    with pytest.raises(RunError, match=r"no saved value of 'bred\.score'"):
        Reproduction.from_json(other, content).rows  # noqa: B018


def test_runs_of_several_seeds_are_reused_resumed_or_replaced(tmp_path: Path) -> None:
    def train(generations: int) -> list[list[bytes]]:
        with start_threads(2) as threads:
            context = MeasurementContext(tmp_path / "measurements", 1, True, threads)
            changes = (*SMALL_RUN_CHANGES, f"generations={generations}")
            runs = context.train_seeds("gavrilov", "some", [4, 5], changes)
            assert [run.generation_count for run in runs] == [generations] * 2
            return [[(run.folder / name).read_bytes() for name in (META_FILE, RESULT_FILE)] for run in runs]

    folder = tmp_path / "runs" / "some" / "seed-4"
    first = train(2)
    meta = json.loads((folder / META_FILE).read_text("utf-8"))
    meta["versions"]["numpy"] = "1.0"
    (folder / META_FILE).write_text(json.dumps(meta), encoding="utf-8")
    assert train(2)[1] == first[1], "a finished run is reused"
    assert Run(folder).meta["versions"]["numpy"] == "1.0", "even of other versions"
    (folder / RESULT_FILE).unlink()
    assert train(2)[0][1] == first[0][1]
    assert Run(folder).meta["versions"]["numpy"] != "1.0", "an unfinished run of other versions is trained again"
    assert train(3)[0][1] != first[0][1], "a run of another recipe is replaced"
    (folder / CONFIG_FILE).write_text("format = 7\n", encoding="utf-8")
    with pytest.raises(RunError, match="format must be 1; given 7"):
        train(3)


# Damaged files


def replace_by_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda file: file.write_bytes(b""),
    "cut": lambda file: file.write_text('{"format": 1, "by"'),
    "nested": lambda file: file.write_text('{"found":' + "[" * 100_000),
    "pipe": replace_by_pipe,
}
needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
every_damage = pytest.mark.parametrize(
    "damage",
    [pytest.param(damage, id=name, marks=[needs_pipes] * (name == "pipe")) for name, damage in DAMAGES.items()],
)


@every_damage
def test_damaged_metadata_is_reported(damage: Callable[[Path], object], folder: Path) -> None:
    damage(folder / "reproduction.json")
    with pytest.raises(RunError, match=r"reproduction\.json is damaged\. Choose another `folder`, or delete this one"):
        reproduce_quickly(folder)


@every_damage
def test_damaged_measurement_is_measured_again(damage: Callable[[Path], object], folder: Path) -> None:
    file = folder / "measurements" / "counted.json"
    content = file.read_bytes()
    damage(file)
    reproduce_quickly(folder)
    assert file.read_bytes() == content


def edit_measurement(folder: Path, name: str, found: object) -> None:
    """Replace the result of a measurement, whose settings stay the same."""
    file = folder / "measurements" / f"{name}.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"found": found}), encoding="utf-8")


@pytest.mark.parametrize("found", [[], None], ids=repr)
def test_result_of_another_type_is_measured_again(found: object, folder: Path) -> None:
    edit_measurement(folder, "counted", found)
    reproduce_quickly(folder)
    assert json.loads((folder / "measurements" / "counted.json").read_text("utf-8"))["found"]["seed"] == 1


def test_hostile_texts_of_a_folder_are_cleaned(folder: Path) -> None:
    file = folder / "reproduction.json"
    metadata = json.loads(file.read_text("utf-8")) | {"processor": "\ud800\x1b]0;t\x07<script>", "a\udcff": "\x9b"}
    file.write_text(json.dumps(metadata), encoding="utf-8")
    page = write_report(reproduce_quickly(folder), folder)
    for written in (page, page.with_suffix(".md"), page.with_name("results.md"), page.with_suffix(".json")):
        text = written.read_bytes().decode()
        assert not {"\x1b", "\x07", "\x9b"} & set(text)
        assert "<script>" not in text or written.suffix == ".json"


@pytest.mark.parametrize("name", ["runs/bred", "measurements", "figures"])
def test_links_in_a_reproduction_are_refused(name: str, folder: Path, tmp_path: Path) -> None:
    """Runs of other recipes and versions are deleted, and files are overwritten: not those of other folders."""
    (folder / "figures").mkdir(exist_ok=True)
    for file in ("measurements/bred.json", "runs/bred/seed-1/meta.json"):  # the run is of an unknown version
        (folder / file).unlink()
    mine = tmp_path / "mine"
    shutil.move(folder / name, mine)
    (folder / name).symlink_to(mine)
    before = {path: path.stat().st_mtime_ns for path in mine.rglob("*")}
    with pytest.raises(RunError, match=f"{name} is a link. Replace it by the folder to which it leads"):
        write_report(reproduce_quickly(folder), folder)
    assert {path: path.stat().st_mtime_ns for path in mine.rglob("*")} == before
