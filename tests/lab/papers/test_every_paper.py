"""Every paper with its quick budget: each row has a verdict and a reason, and where it differs a cause."""

from pathlib import Path

import pytest

from tetrion.evaluation import threads
from tetrion.lab.papers import PAPERS, paper
from tetrion.lab.reproduction.reproducing import reproduce
from tetrion.lab.reproduction.writing import write_report


@pytest.mark.slow
@pytest.mark.parametrize("name", PAPERS)
def test_a_quick_reproduction(name: str, tmp_path: Path) -> None:
    with threads() as team:
        found = reproduce(paper(name), tmp_path / name, team, quick=True)
    assert found.rows
    for row in found.rows:
        assert row.ours
        assert row.reason.endswith(".")
        assert row.reason[0].isupper()
    assert all(answer for _, _, answer in found.answers)
    assert write_report(found, tmp_path / name).exists()
