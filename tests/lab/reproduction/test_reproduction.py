"""A document reproduced: the same table each time, also when it was stopped in between."""

import json
from pathlib import Path

import pytest

from lab.reproduction.small_paper import SMALL_PAPER
from lab.reproduction.tiny_budget import shrink_paper
from tetrion.agents import WeightedAgent
from tetrion.errors import RunError, UnknownNameError
from tetrion.evaluation import start_threads
from tetrion.evaluation.agent_evaluation import EvaluationProgress
from tetrion.lab.papers import PAPER_NAMES, load_paper
from tetrion.lab.reproduction.markdown_report import render_markdown_table
from tetrion.lab.reproduction.measured_values import make_mean_reader
from tetrion.lab.reproduction.measurements import GameMeasurement, MeasurementContext
from tetrion.lab.reproduction.paper_definition import Claim, Paper
from tetrion.lab.reproduction.published_values import PublishedRange
from tetrion.lab.reproduction.report_files import write_report
from tetrion.lab.reproduction.reproduction import Reproduction, reproduce
from tetrion.lab.reproduction.reproduction_observer import ReproductionObserver
from tetrion.training.run_writer import lock_folder


class StopAtMeasurement(ReproductionObserver):
    """Stops when a measurement begins, and notes which have."""

    def __init__(self, until: str = "") -> None:
        self.until = until
        self.begun = list[str]()

    def on_measurement_begin(self, paper: str, measurement: str, number: int, of: int) -> None:
        self.begun.append(measurement)
        if measurement == self.until:
            raise KeyboardInterrupt


class StopDuringTraining(ReproductionObserver):
    """Stops in the midst of training."""

    def on_step(self, generations: int) -> None:
        raise KeyboardInterrupt


def reproduce_quickly(
    folder: Path, watcher: ReproductionObserver | None = None, document: Paper = SMALL_PAPER, seed: int = 1
) -> Reproduction:
    with start_threads(2) as team:
        return reproduce(document, folder, team, quick=True, seed=seed, observer=watcher)


def get_machine_independent_rows(reproduction: Reproduction) -> list[object]:
    """What must be the same on every machine."""
    return [row for row in reproduction.rows if not row.varies]


@pytest.fixture(scope="module")
def finished_reproduction(tmp_path_factory: pytest.TempPathFactory) -> tuple[Reproduction, Path]:
    folder = tmp_path_factory.mktemp("papers") / "becker"
    return reproduce_quickly(folder), folder


def test_every_row_has_a_verdict_and_a_reason(whole: tuple[Reproduction, Path]) -> None:
    rows = whole[0].rows
    assert len(rows) == len(SMALL_PAPER.claims)
    for row in rows:
        assert row.verdict in ("agrees", "differs")
        assert row.reason.endswith(".")
        assert row.where
        assert row.published
        assert row.ours


def test_same_seed_same_table(whole: tuple[Reproduction, Path], tmp_path: Path) -> None:
    assert get_machine_independent_rows(reproduce_quickly(tmp_path / "again")) == get_machine_independent_rows(whole[0])
    assert get_machine_independent_rows(reproduce_quickly(tmp_path / "other", seed=2)) != get_machine_independent_rows(
        whole[0]
    )


@pytest.mark.parametrize("until", [measurement.name for measurement in SMALL_PAPER.measurements[1:]])
def test_a_stopped_reproduction_goes_on(until: str, whole: tuple[Reproduction, Path], tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        reproduce_quickly(tmp_path / "becker", StopAtMeasurement(until))
    kept = {file.name: file.read_bytes() for file in (tmp_path / "becker" / "measurements").iterdir()}
    assert kept
    assert get_machine_independent_rows(reproduce_quickly(tmp_path / "becker")) == get_machine_independent_rows(
        whole[0]
    )
    for name, content in kept.items():
        assert (tmp_path / "becker" / "measurements" / name).read_bytes() == content, "measured twice"


def test_stopped_training_goes_on(whole: tuple[Reproduction, Path], tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        reproduce_quickly(tmp_path / "becker", StopDuringTraining())
    assert not (tmp_path / "becker" / "measurements" / "bred.json").exists()
    assert get_machine_independent_rows(reproduce_quickly(tmp_path / "becker")) == get_machine_independent_rows(
        whole[0]
    )


def test_a_damaged_measurement_is_taken_again(whole: tuple[Reproduction, Path], tmp_path: Path) -> None:
    reproduce_quickly(tmp_path / "becker")
    (tmp_path / "becker" / "measurements" / "flat.json").write_text('{"format": 1, "by"', encoding="utf-8")
    assert get_machine_independent_rows(reproduce_quickly(tmp_path / "becker")) == get_machine_independent_rows(
        whole[0]
    )


def test_another_reproduction_is_not_written_over(whole: tuple[Reproduction, Path], tmp_path: Path) -> None:
    with pytest.raises(RunError, match=r"becker, quick, seed 1; given becker, quick, seed 2\. Give another --out"):
        reproduce_quickly(whole[1], seed=2)
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    with pytest.raises(RunError, match="not empty and no reproduction"):
        reproduce_quickly(tmp_path)


def test_two_at_a_time_in_one_folder(whole: tuple[Reproduction, Path]) -> None:
    with lock_folder(whole[1]), pytest.raises(RunError, match="in use by another process"):
        reproduce_quickly(whole[1])


def test_the_report(whole: tuple[Reproduction, Path]) -> None:
    found, folder = whole
    assert write_report(found, folder) == folder / "report.html"
    page, text = ((folder / name).read_text(encoding="utf-8") for name in ("report.html", "report.md"))
    told = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    assert [row["verdict"] for row in told["rows"]] == [row.verdict for row in found.rows]
    assert page.count("<svg") == 1  # the mark; figures are addresses
    assert page.count("data:image/svg+xml") == 2 * len(SMALL_PAPER.figures)
    for drawing in SMALL_PAPER.figures:
        assert f"figures/becker-{drawing.name}.svg" in text
        assert (folder / "figures" / f"becker-{drawing.name}.svg").read_bytes().startswith(b"<?xml")
    for row in found.rows:
        assert row.claim in text
        assert row.reason.replace("|", "\\|") in text
    assert "`tetrion reproduce becker --quick`" in text


def test_games_in_batches_are_the_same_games(tmp_path: Path) -> None:
    agent = WeightedAgent("a", {"holes": -4.0, "lines": 1.0}, rules="standard")
    with start_threads(2) as team:
        laboratory = MeasurementContext(tmp_path, 1, False, team, ReproductionObserver())
        at_once = laboratory.play(agent, None, 50)
        in_parts = laboratory.play(agent, None, 50, batch_count=4, name="a")
        assert len(list(tmp_path.iterdir())) == 4
        assert in_parts.per_game.tobytes() == at_once.per_game.tobytes()
        again = laboratory.play(agent, None, 50, batch_count=4, name="a")
        assert again.per_game.tobytes() == at_once.per_game.tobytes()
        other = laboratory.play(
            WeightedAgent("a", {"holes": -1.0}, rules="standard"), None, 50, batch_count=4, name="a"
        )
        assert other.per_game.tobytes() != at_once.per_game.tobytes(), "the parts of another agent were taken"


def test_batches_are_kept_when_somebody_stops(tmp_path: Path) -> None:
    class Stopper(ReproductionObserver):
        def plays(self, standing: EvaluationProgress) -> None:
            if standing.games_done >= 30:
                raise KeyboardInterrupt

    play = GameMeasurement(
        "a", WeightedAgent("a", {"holes": -4.0, "lines": 1.0}, rules="standard"), 40, 40, batch_count=4
    )
    claim = Claim("lines", "here", PublishedRange(low=0, high=10**6), make_mean_reader("a"))
    small = Paper("small", "A small paper", "Nobody", "Nothing.", "standard", [play], [claim])

    def full(watcher: ReproductionObserver | None = None) -> Reproduction:
        with start_threads(1) as team:
            return reproduce(small, tmp_path / "small", team, observer=watcher)

    with pytest.raises(KeyboardInterrupt):
        full(Stopper())
    assert list((tmp_path / "small" / "measurements").glob("*.npy"))
    assert full().rows[0].agrees
    assert [file.name for file in (tmp_path / "small" / "measurements").iterdir()] == ["a.json"]


def test_figures_under_other_rules_say_so(whole: tuple[Reproduction, Path]) -> None:
    assert whole[0].rows[1].reason == "Ours is below the published range: it is made up."
    assert whole[0].rows[2].reason.endswith("; published under other rules (a board of another size).")


def test_a_real_paper_with_a_tiny_budget(tmp_path: Path) -> None:
    found = reproduce_quickly(tmp_path / "becker", document=shrink_paper(load_paper("becker")))
    assert len(found.rows) == len(found.paper.claims)
    assert all(row.reason and row.ours for row in found.rows)
    assert write_report(found, tmp_path / "becker").stat().st_size > 10_000


def test_names() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'becker'"):
        load_paper("beker")
    for name in PAPER_NAMES:
        known = load_paper(name)
        assert known.name == name
        measured = [measurement.name for measurement in known.measurements]
        assert len(set(measured)) == len(measured)
        assert len({drawing.name for drawing in known.figures}) == len(known.figures)


def test_a_damaged_batch_is_played_again(tmp_path: Path) -> None:
    agent = WeightedAgent("a", {"holes": -4.0, "lines": 1.0}, rules="standard")
    with start_threads(1) as team:
        laboratory = MeasurementContext(tmp_path, 1, False, team, ReproductionObserver())
        whole = laboratory.play(agent, None, 40, batch_count=2, name="a")
        first, second = sorted(tmp_path.iterdir())
        first.write_bytes(first.read_bytes()[:200])
        second.write_bytes(b"")
        assert laboratory.play(agent, None, 40, batch_count=2, name="a").per_game.tobytes() == whole.per_game.tobytes()


def test_cells_of_markdown_stay_in_their_cell() -> None:
    rows = render_markdown_table(("a|b", "c"), [["x | y", "1 < 2\n& 3"]]).splitlines()
    assert rows == ["| a\\|b | c |", "| --- | --- |", "| x \\| y | 1 &lt; 2 &amp; 3 |"]
