"""Reproductions: equal tables for equal seeds, also after interruptions."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.lab.reproduction.small_paper import SMALL_PAPER
from tests.lab.reproduction.tiny_budget import shrink_paper
from tests.lab.small_runs import SMALL_RUN_CHANGES
from tetrion.agents import WeightedAgent
from tetrion.agents.run_folders import CONFIG_FILE
from tetrion.engine.batch_play import EngineSettings
from tetrion.engine.records import GameRecords
from tetrion.errors import RunError, UnknownNameError
from tetrion.evaluation import start_threads
from tetrion.evaluation.worker_tasks import GamesObserver
from tetrion.evaluation.workers import ThreadWorkers
from tetrion.lab.page_templates import render_template
from tetrion.lab.papers import PAPER_NAMES, load_paper
from tetrion.lab.reproduction.measured_values import make_mean_reader
from tetrion.lab.reproduction.measurements import GameMeasurement, MeasurementContext
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind, Paper, ResultTable
from tetrion.lab.reproduction.published_values import PublishedRange, Verdict
from tetrion.lab.reproduction.report_files import collect_claim_tables, collect_report_values, write_report
from tetrion.lab.reproduction.reproduction import (
    ClaimRow,
    Reproduction,
    count_verdicts,
    describe_verdicts,
    reproduce,
)
from tetrion.progress import Observer, Progress
from tetrion.training.folder_locks import lock_folder
from tetrion.training.run import META_FILE, RESULT_FILE, Run


def ignore_progress(progress: Progress) -> None:
    """Do nothing."""


def reproduce_quickly(
    folder: Path, on_progress: Observer[Progress] = ignore_progress, paper: Paper = SMALL_PAPER, seed: int = 1
) -> Reproduction:
    with start_threads(2) as threads:
        return reproduce(paper, folder, threads, quick=True, seed=seed, on_progress=on_progress)


def get_machine_independent_rows(reproduction: Reproduction) -> list[object]:
    """Return the rows that are equal on all machines."""
    return [row for row in reproduction.rows if not row.is_machine_dependent]


@pytest.fixture(scope="module")
def finished_reproduction(tmp_path_factory: pytest.TempPathFactory) -> tuple[Reproduction, Path]:
    folder = tmp_path_factory.mktemp("papers") / "becker"
    return reproduce_quickly(folder), folder


def test_all_rows_have_a_verdict_and_a_reason(finished_reproduction: tuple[Reproduction, Path]) -> None:
    rows = finished_reproduction[0].rows
    assert len(rows) == len(SMALL_PAPER.claims)
    for row in rows:
        assert row.verdict in Verdict
        assert row.reason.endswith(".")
        assert row.location
        assert row.published
        assert row.measured


def test_verdicts_under_readings(finished_reproduction: tuple[Reproduction, Path]) -> None:
    rows = {row.claim: row for row in finished_reproduction[0].rows}
    assert rows["lines, flat"].verdict == Verdict.AGREES
    assert rows["lines, low"].verdict == Verdict.CHOSEN_READING
    assert rows["lines, low"].reason.endswith("it is invented; it agrees if it is a million (2,000,000).")
    assert rows["lines, low"].published == "1,000,000 to 10,000,000"
    assert [reading.published for reading in rows["lines, low"].readings] == [
        "1,000,000 to 10,000,000; our criterion: another"
    ]
    assert ClaimRow.from_json(rows["lines, low"].to_json()) == rows["lines, low"]
    assert rows["lines, flat, fitted"].verdict == Verdict.CHOSEN_READING
    assert rows["lines, flat, fitted"].reason.endswith("but the page was chosen to fit.")


def test_only_claims_of_the_document_are_counted(finished_reproduction: tuple[Reproduction, Path]) -> None:
    rows = finished_reproduction[0].rows
    assert sum(count_verdicts(rows).values()) == len(SMALL_PAPER.claims) - 1
    assert describe_verdicts(rows).startswith("Of 5 claims, 2 agree, ")
    assert describe_verdicts(rows).endswith(" and 2 agree only under a chosen reading.")
    titles = [table.title for table in collect_claim_tables(rows)]
    assert titles == ["Claims", "Other readings", "Checks of our transcription"]


def test_study_of_our_own_has_no_claims_to_count(finished_reproduction: tuple[Reproduction, Path]) -> None:
    reproduction = finished_reproduction[0]
    claims = [replace(claim, kind=ClaimKind.OWN) for claim in SMALL_PAPER.claims]
    study = replace(reproduction, paper=replace(SMALL_PAPER, claims=claims))
    assert describe_verdicts(study.rows) == "This is a study of our own, so it has no claims of a document to count."
    own = collect_claim_tables(study.rows)[-1]
    assert own.title == "Our own comparisons"
    assert own.description.startswith(describe_verdicts(study.rows))
    values = collect_report_values(study) | {"figures": []}
    for template in ("reproduction.md.jinja", "reproduction.html.jinja"):
        page = render_template(template, **values)
        assert "Of 0 claims" not in page
        assert "Open questions of the document" not in page
    assert "## Questions" in render_template("reproduction.md.jinja", **values)
    assert collect_report_values(reproduction)["questions_title"] == "Open questions of the document"


def test_rows_are_restored_from_json(finished_reproduction: tuple[Reproduction, Path]) -> None:
    for row in finished_reproduction[0].rows:
        assert ClaimRow.from_json(json.loads(json.dumps(row.to_json()))) == row


def test_equal_seeds_give_equal_tables(finished_reproduction: tuple[Reproduction, Path], tmp_path: Path) -> None:
    assert get_machine_independent_rows(reproduce_quickly(tmp_path / "again")) == get_machine_independent_rows(
        finished_reproduction[0]
    )
    assert get_machine_independent_rows(reproduce_quickly(tmp_path / "other", seed=2)) != get_machine_independent_rows(
        finished_reproduction[0]
    )


@pytest.mark.parametrize("stop_at", [measurement.name for measurement in SMALL_PAPER.measurements[1:]])
def test_interrupted_reproduction_is_resumed(
    stop_at: str, finished_reproduction: tuple[Reproduction, Path], tmp_path: Path
) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.task.endswith(f"  {stop_at}"):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce_quickly(tmp_path / "becker", interrupt)
    saved = {file.name: file.read_bytes() for file in (tmp_path / "becker" / "measurements").iterdir()}
    assert saved
    assert get_machine_independent_rows(reproduce_quickly(tmp_path / "becker")) == get_machine_independent_rows(
        finished_reproduction[0]
    )
    for name, content in saved.items():
        assert (tmp_path / "becker" / "measurements" / name).read_bytes() == content, "measured twice"


def test_interrupted_training_is_resumed(finished_reproduction: tuple[Reproduction, Path], tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.unit == "generation":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reproduce_quickly(tmp_path / "becker", interrupt)
    assert not (tmp_path / "becker" / "measurements" / "bred.json").exists()
    assert get_machine_independent_rows(reproduce_quickly(tmp_path / "becker")) == get_machine_independent_rows(
        finished_reproduction[0]
    )


def test_damaged_measurement_is_repeated(finished_reproduction: tuple[Reproduction, Path], tmp_path: Path) -> None:
    reproduce_quickly(tmp_path / "becker")
    (tmp_path / "becker" / "measurements" / "flat.json").write_text('{"format": 1, "by"', encoding="utf-8")
    assert get_machine_independent_rows(reproduce_quickly(tmp_path / "becker")) == get_machine_independent_rows(
        finished_reproduction[0]
    )


def test_other_contents_of_the_folder_are_not_overwritten(
    finished_reproduction: tuple[Reproduction, Path], tmp_path: Path
) -> None:
    with pytest.raises(RunError, match=r"becker, quick, seed 1; given becker, quick, seed 2\. Choose another `folder`"):
        reproduce_quickly(finished_reproduction[1], seed=2)
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(RunError, match="not empty and is not a reproduction"):
        reproduce_quickly(tmp_path)


def test_folder_in_use_is_rejected(finished_reproduction: tuple[Reproduction, Path]) -> None:
    with lock_folder(finished_reproduction[1]), pytest.raises(RunError, match="in use by another process"):
        reproduce_quickly(finished_reproduction[1])


def test_report_files(finished_reproduction: tuple[Reproduction, Path]) -> None:
    reproduction, folder = finished_reproduction
    assert write_report(reproduction, folder) == folder / "report.html"
    page, markdown = ((folder / name).read_text(encoding="utf-8") for name in ("report.html", "report.md"))
    content = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert [row["verdict"] for row in content["rows"]] == [row.verdict for row in reproduction.rows]
    assert page.count("<svg") == 1  # the logo; figures are data URLs
    assert page.count("data:image/svg+xml") == 2 * len(SMALL_PAPER.figures)
    for figure in SMALL_PAPER.figures:
        assert f"figures/becker-{figure.name}.svg" in markdown
        assert (folder / "figures" / f"becker-{figure.name}.svg").read_bytes().startswith(b"<?xml")
    for row in reproduction.rows:
        assert row.claim in markdown
        assert row.reason.replace("|", "\\|") in markdown
    assert "`tetrion reproduce becker --quick`" in markdown


def test_batches_contain_the_same_games(tmp_path: Path) -> None:
    agent = WeightedAgent("a", {"holes": -4.0, "lines": 1.0}, rules="standard")
    with start_threads(2) as threads:
        context = MeasurementContext(tmp_path, 1, False, threads)
        single = context.play(agent, None, 50)
        batched = context.play(agent, None, 50, batch_count=4, name="a")
        assert len(list(tmp_path.iterdir())) == 4
        assert batched.per_game.tobytes() == single.per_game.tobytes()
        again = context.play(agent, None, 50, batch_count=4, name="a")
        assert again.per_game.tobytes() == single.per_game.tobytes()
        other = context.play(WeightedAgent("a", {"holes": -1.0}, rules="standard"), None, 50, batch_count=4, name="a")
        assert other.per_game.tobytes() != single.per_game.tobytes(), "batches of another agent were reused"


def test_batches_are_reused_after_an_interruption(tmp_path: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.done >= 30:
            raise KeyboardInterrupt

    measurement = GameMeasurement(
        "a", WeightedAgent("a", {"holes": -4.0, "lines": 1.0}, rules="standard"), 40, 40, batch_count=4
    )
    claim = Claim("lines", "here", PublishedRange(low=0, high=10**6), make_mean_reader("a"))
    paper = Paper("small", "A small paper", "Invented", "Nothing.", "standard", [measurement], [claim])

    def run_reproduction(on_progress: Observer[Progress] = ignore_progress) -> Reproduction:
        with start_threads(1) as threads:
            return reproduce(paper, tmp_path / "small", threads, on_progress=on_progress)

    with pytest.raises(KeyboardInterrupt):
        run_reproduction(interrupt)
    assert list((tmp_path / "small" / "measurements").glob("*.npy"))
    assert run_reproduction().rows[0].verdict == Verdict.AGREES
    assert [file.name for file in (tmp_path / "small" / "measurements").iterdir()] == ["a.json"]


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


def test_reasons_mention_causes_and_other_rules(finished_reproduction: tuple[Reproduction, Path]) -> None:
    assert finished_reproduction[0].rows[1].reason.startswith("Our value is below the published range: it is invented;")
    assert finished_reproduction[0].rows[4].reason.endswith("; published under other rules (a board of another size).")


def test_real_paper_with_a_tiny_budget(tmp_path: Path) -> None:
    reproduction = reproduce_quickly(tmp_path / "becker", paper=shrink_paper(load_paper("becker")))
    assert len(reproduction.rows) == len(reproduction.paper.claims)
    assert all(row.reason and row.measured for row in reproduction.rows)
    assert write_report(reproduction, tmp_path / "becker").stat().st_size > 10_000


def test_names_of_papers_measurements_and_figures() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'becker'"):
        load_paper("beker")
    for name in PAPER_NAMES:
        paper = load_paper(name)
        assert paper.name == name
        names = [measurement.name for measurement in paper.measurements]
        assert len(set(names)) == len(names)
        assert len({figure.name for figure in paper.figures}) == len(paper.figures)


class CountingWorkers(ThreadWorkers):
    """Threads that count their games."""

    game_count = 0

    def play(self, games: GameRecords, settings: EngineSettings, on_progress: GamesObserver | None = None) -> bool:
        self.game_count += len(games)
        return super().play(games, settings, on_progress)


def test_only_long_games_are_played_on_the_gpu(tmp_path: Path) -> None:
    agent = WeightedAgent("a", {"holes": -4.0, "lines": 1.0}, rules="standard")
    with start_threads(1) as threads, CountingWorkers(1) as gpu:
        context = MeasurementContext(tmp_path, 1, False, threads, gpu=gpu)
        short = GameMeasurement("a", agent, 20, 20).measure(context)
        assert gpu.game_count == 0
        long = GameMeasurement("a", agent, 20, 20, is_long=True).measure(context)
        assert gpu.game_count == 20
    assert {**short, "time": None} == {**long, "time": None}


def test_damaged_batch_is_repeated(tmp_path: Path) -> None:
    agent = WeightedAgent("a", {"holes": -4.0, "lines": 1.0}, rules="standard")
    with start_threads(1) as threads:
        context = MeasurementContext(tmp_path, 1, False, threads)
        complete = context.play(agent, None, 40, batch_count=2, name="a")
        first, second = sorted(tmp_path.iterdir())
        first.write_bytes(first.read_bytes()[:200])
        second.write_bytes(b"")
        assert context.play(agent, None, 40, batch_count=2, name="a").per_game.tobytes() == complete.per_game.tobytes()


def test_texts_of_a_paper_are_escaped(finished_reproduction: tuple[Reproduction, Path], tmp_path: Path) -> None:
    hostile = "<i title='x'>1 | 2\n& 3</i>"
    table = ResultTable(hostile, hostile, ("a|b", "c"), lambda results: [["x", hostile]])
    paper = replace(SMALL_PAPER, title=hostile, notes=[hostile], tables=[table])
    page = write_report(replace(finished_reproduction[0], paper=paper), tmp_path)
    assert "<i " not in page.read_text(encoding="utf-8")
    cells = "| a\\|b | c |\n| --- | --- |\n| x | &lt;i title='x'>1 \\| 2 &amp; 3&lt;/i> |\n"
    assert cells in (tmp_path / "report.md").read_text(encoding="utf-8")
