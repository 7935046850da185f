"""`tetrion reproduce`."""

from pathlib import Path
from unittest.mock import patch

import pytest

from tests.cli.command_runner import tetrion_here
from tests.papers.small_paper import SMALL_PAPER
from tetrion.cli.console_output import _FILE_WIDTH
from tetrion.papers import PAPERS


@pytest.fixture(autouse=True)
def _small_papers() -> object:
    with patch("tetrion.cli.reproduce_command.PAPERS", {**PAPERS, "becker": SMALL_PAPER}) as patched:
        yield patched


def test_table_is_printed_and_page_is_written(tmp_path: Path) -> None:
    result = tetrion_here("reproduce", "becker", "--quick", "--out", str(tmp_path))
    assert "\nThe document holds in part\n  It clears " in result.stdout
    for text in ("Central results", "published", "measured", "verdict", "reason", "lines, low", "Other readings"):
        assert text in result.stdout
    assert result.stdout.rstrip().endswith(str(tmp_path / "becker" / "report.html"))
    for width in (None, 40, 80):  # narrow terminals show one block per row
        with (
            patch("tetrion.cli.console_output._FILE_WIDTH", width or _FILE_WIDTH),
            patch("tetrion.cli.reproduce_command.write_report", return_value=Path("report.html")),
        ):
            printed = tetrion_here("reproduce", "becker", "--quick", "--out", str(tmp_path)).stdout
        if width is None:
            assert printed == result.stdout.replace(str(tmp_path / "becker" / "report.html"), "report.html")
        else:
            assert max(map(len, printed.splitlines())) <= width
    assert "\nlines, low\n  published  our criterion: 1,000,000 or more\n  measured " in printed
    assert "  verdict    agrees only when fitted\n  reason     Our value is below the published range;" in printed


def test_ctrl_c_prints_how_to_resume(tmp_path: Path) -> None:
    with patch("tetrion.cli.reproduce_command.reproduce", side_effect=KeyboardInterrupt):
        result = tetrion_here("reproduce", "becker", "--quick", "--out", str(tmp_path), expect=130)
    assert result.stderr == "Stopped. The measurements so far are saved; the same command resumes.\n"


def test_mistakes_are_explained(tmp_path: Path) -> None:
    with patch("tetrion.cli.reproduce_command.PAPERS", PAPERS):
        assert "Did you mean 'medico'?" in tetrion_here("reproduce", "medicco", expect=2).stderr

    with patch("tetrion.cli.reproduce_command.write_report"):
        tetrion_here("reproduce", "becker", "--quick", "--out", str(tmp_path))
    other = tetrion_here("reproduce", "becker", "--out", str(tmp_path), expect=2)
    assert "contains another reproduction: becker, quick, seed 1; given becker, full, seed 1" in other.stderr
    file = tmp_path / "file"
    file.write_text("content", encoding="utf-8")
    assert (
        "cannot be written: Not a directory. Choose another --out"
        in tetrion_here("reproduce", "becker", "--out", str(file), expect=2).stderr
    )


def test_linked_folder_of_a_paper_is_refused(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "becker").symlink_to(tmp_path / "mine")
    result = tetrion_here("reproduce", "becker", "--quick", "--out", str(tmp_path), expect=2)
    assert "becker is a link. Replace it by the folder to which it leads." in result.stderr
    assert not list((tmp_path / "mine").iterdir())
