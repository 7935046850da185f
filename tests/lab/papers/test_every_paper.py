"""Test of the quick reproduction of every paper: each row has a verdict and a reason."""

from pathlib import Path

import pytest

from tetrion.evaluation import start_threads
from tetrion.lab.papers import PAPER_NAMES, load_paper
from tetrion.lab.reproduction.report_files import write_report
from tetrion.lab.reproduction.reproduction import reproduce


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPER_NAMES)
def test_quick_reproduction_gives_complete_report(name: str, tmp_path: Path) -> None:
    with start_threads() as workers:
        reproduction = reproduce(load_paper(name), tmp_path / name, workers, quick=True)
    assert reproduction.rows
    for row in reproduction.rows:
        assert row.measured
        assert row.reason.endswith(".")
        assert row.reason[0].isupper()
    assert all(answer for _, _, answer in reproduction.answers)
    assert write_report(reproduction, tmp_path / name).exists()
