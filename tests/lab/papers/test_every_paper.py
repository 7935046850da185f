"""Every paper with its quick budget: each row has a verdict and a reason, and where it differs a cause."""

from pathlib import Path

import pytest

from tetrion.evaluation import start_threads
from tetrion.lab.papers import PAPER_NAMES, load_paper
from tetrion.lab.reproduction.report_files import write_report
from tetrion.lab.reproduction.reproduction import reproduce


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPER_NAMES)
def test_a_quick_reproduction(name: str, tmp_path: Path) -> None:
    with start_threads() as team:
        found = reproduce(load_paper(name), tmp_path / name, team, quick=True)
    assert found.rows
    for row in found.rows:
        assert row.measured
        assert row.reason.endswith(".")
        assert row.reason[0].isupper()
    assert all(answer for _, _, answer in found.answers)
    assert write_report(found, tmp_path / name).exists()
