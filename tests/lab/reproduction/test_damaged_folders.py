"""Damaged files in the folder of a reproduction are measured again or reported."""

import io
import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.lab.reproduction.small_paper import SMALL_PAPER
from tetrion.engine.placing import STATUS_OVER
from tetrion.engine.records import GameColumn, GameRecord, GameRecords
from tetrion.engine.rules import Rules
from tetrion.errors import RunError
from tetrion.evaluation import start_threads
from tetrion.lab.reproduction.measurements import games_to_bytes, load_games
from tetrion.lab.reproduction.report_files import write_report
from tetrion.lab.reproduction.reproduction import Reproduction, reproduce


def reproduce_small_paper(folder: Path) -> Reproduction:
    with start_threads(1) as threads:
        return reproduce(SMALL_PAPER, folder, threads, quick=True)


@pytest.fixture(scope="module")
def finished_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("papers") / "becker"
    reproduce_small_paper(folder)
    return folder


@pytest.fixture
def folder(finished_folder: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(finished_folder, tmp_path / "becker"))


def replace_by_pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


DAMAGES: dict[str, Callable[[Path], object]] = {
    "empty": lambda file: file.write_bytes(b""),
    "not JSON": lambda file: file.write_bytes(b"\xff\xfe\x00"),
    "a list": lambda file: file.write_text("[]"),
    "nested": lambda file: file.write_text('{"found":' + "[" * 100_000),
    "infinite": lambda file: file.write_text('{"found": {"a": Infinity}}'),
    "huge number": lambda file: file.write_text('{"found": 1' + "0" * 5000 + "}"),
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
        reproduce_small_paper(folder)


@every_damage
def test_damaged_measurement_is_measured_again(damage: Callable[[Path], object], folder: Path) -> None:
    file = folder / "measurements" / "counted.json"
    content = file.read_bytes()
    damage(file)
    reproduce_small_paper(folder)
    assert file.read_bytes() == content


def edit_measurement(folder: Path, name: str, found: object) -> None:
    """Replace the result of a measurement, whose settings stay the same."""
    file = folder / "measurements" / f"{name}.json"
    file.write_text(json.dumps(json.loads(file.read_text("utf-8")) | {"found": found}), encoding="utf-8")


@pytest.mark.parametrize("found", [[], None, "x", 1], ids=repr)
def test_result_of_another_type_is_measured_again(found: object, folder: Path) -> None:
    edit_measurement(folder, "counted", found)
    reproduce_small_paper(folder)
    assert json.loads((folder / "measurements" / "counted.json").read_text("utf-8"))["found"]["seed"] == 1


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("flat", {}),
        ("flat", {"lines": 5}),
        ("flat", {"lines": {"mean": "many", "ci95": [1, 2]}}),
        ("bred", {"runs": [{"metrics": {}, "result": "x"}]}),
        ("bred", {"runs": {"a": 1}}),
    ],
    ids=str,
)
def test_unexpected_result_is_reported(name: str, found: object, folder: Path) -> None:
    edit_measurement(folder, name, found)
    with pytest.raises(RunError, match=r"A measurement in .*measurements is damaged \(.*\)\. Delete that folder"):
        write_report(reproduce_small_paper(folder), folder)


def test_hostile_texts_of_a_folder_are_cleaned(folder: Path) -> None:
    file = folder / "reproduction.json"
    metadata = json.loads(file.read_text("utf-8")) | {"processor": "\ud800\x1b]0;t\x07<script>", "a\udcff": "\x9b"}
    file.write_text(json.dumps(metadata), encoding="utf-8")
    page = write_report(reproduce_small_paper(folder), folder)
    for written in (page, page.with_suffix(".md"), page.with_suffix(".json")):
        text = written.read_bytes().decode()
        assert not {"\x1b", "\x07", "\x9b"} & set(text)
        assert "<script>" not in text or written.suffix == ".json"


def make_claim(shape: str) -> bytes:
    """Return an .npy file of three games whose header claims another shape."""
    content = games_to_bytes(GameRecord.make_array(3))
    claim = content.replace(b"(3,), }" + b" " * (len(shape) - 4), shape.encode() + b", }")
    assert claim != content
    assert len(claim) == len(content)
    return claim


def make_array_file(values: object) -> bytes:
    """Return an .npy file with any values, also with Python objects."""
    content = io.BytesIO()
    np.save(content, np.asarray(values, object if isinstance(values, dict) else None), allow_pickle=True)
    return content.getvalue()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x93NUMPY",
        games_to_bytes(GameRecord.make_array(2)),
        games_to_bytes(GameRecord.make_array(4)),
        games_to_bytes(GameRecord.make_array(3))[:-1],
        games_to_bytes(GameRecord.make_array(3)) + b"\x00",
        make_claim("(1000000000000000,)"),
        make_claim("(-3, )"),
        make_array_file([1.0, 2.0, 3.0]),
        make_array_file({"a": 1}),
    ],
    ids=range(10),
)
def test_other_arrays_are_not_read_as_games(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "games.npy").write_bytes(content)
    assert load_games(tmp_path / "games.npy", 3, Rules()) is None


def make_finished_games() -> GameRecords:
    games = GameRecord.make_array(3)
    games["status"] = STATUS_OVER
    games["lines"] = [1, 2, 3]
    return games


@pytest.mark.parametrize(
    ("field", "value"), [("status", 0), ("status", 9), ("lines", -1), ("score", -1), ("board", 1), ("bag", 1)]
)
def test_games_that_cannot_occur_are_not_read(field: GameColumn, value: int, tmp_path: Path) -> None:
    games = make_finished_games()
    games[field] = value
    (tmp_path / "games.npy").write_bytes(games_to_bytes(games))
    assert load_games(tmp_path / "games.npy", 3, Rules()) is None


def test_saved_games_are_read(tmp_path: Path) -> None:
    games = make_finished_games()
    (tmp_path / "games.npy").write_bytes(games_to_bytes(games))
    loaded = load_games(tmp_path / "games.npy", 3, Rules())
    assert loaded is not None
    assert loaded.tobytes() == games.tobytes()
    assert loaded.flags.writeable
    assert load_games(tmp_path / "missing.npy", 3, Rules()) is None


@pytest.mark.parametrize("name", ["runs", "runs/bred", "runs/bred/seed-1", "measurements", "figures"])
def test_links_in_a_reproduction_are_refused(name: str, folder: Path, tmp_path: Path) -> None:
    """Runs of other recipes and versions are deleted, and files are overwritten: not those of other folders."""
    (folder / "figures").mkdir()
    for file in ("measurements/bred.json", "runs/bred/seed-1/meta.json"):  # the run is of an unknown version
        (folder / file).unlink()
    mine = tmp_path / "mine"
    shutil.move(folder / name, mine)
    (folder / name).symlink_to(mine)
    before = {path: path.stat().st_mtime_ns for path in mine.rglob("*")}
    with pytest.raises(RunError, match=f"{name} is a link. Replace it by the folder to which it leads"):
        write_report(reproduce_small_paper(folder), folder)
    assert {path: path.stat().st_mtime_ns for path in mine.rglob("*")} == before
