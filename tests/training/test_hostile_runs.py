"""Tests of run folders from strangers: every reader reports the file and what is wrong."""

import json
import os
import shutil
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.training.small_recipes import make_small_recipe, read_run_files
from tetrion.agents.run_folders import CONFIG_FILE, find_run_folders
from tetrion.atomic_files import get_part_path, write_atomically
from tetrion.cli.train_command import print_training_result
from tetrion.data_files import parse_toml
from tetrion.errors import RecipeError, RunError, TetrionError
from tetrion.lab.run_summary import describe_status, find_kept_step, format_training_time
from tetrion.lab.training_report import collect_facts, compare_crowd, describe_result
from tetrion.training import validation
from tetrion.training.checkpoint import HISTORY_FILE
from tetrion.training.recipe import Recipe
from tetrion.training.run import META_FILE, METRICS_FILE, RESULT_FILE, Run, parse_meta
from tetrion.training.run_writer import copy_run, format_resume_command
from tetrion.training.trainer import count_steps, resume, train
from tetrion.training.training_progress import TrainingProgress

NESTED = "[" * 5000 + "]" * 5000
DIGITS = "9" * 5000
DELETE = object()


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recipe = make_small_recipe("genetic", "crowd.kind=mean")
    return train(recipe, tmp_path_factory.mktemp("runs") / "run", workers=1).folder


@pytest.fixture
def folder(finished_run: Path, tmp_path: Path) -> Path:
    """Return a copy of a finished run."""
    return Path(shutil.copytree(finished_run, tmp_path / "run"))


def edit_json(path: Path, place: str, value: Any) -> None:
    """Change one value of a JSON file; `place` has its keys, separated by slashes."""
    content = json.loads(path.read_text("utf-8"))
    *parents, key = place.split("/")
    table = content
    for name in parents:
        table = table[name]
    if value is DELETE:
        del table[key]
    else:
        table[key] = value
    path.write_text(json.dumps(content), encoding="utf-8")


def test_hostile_config_raises_error(folder: Path) -> None:
    for content in (f"a = {NESTED}", f"format = {DIGITS}", "\x00", "a" * 2_000_000, ""):
        (folder / CONFIG_FILE).write_text(content, encoding="utf-8")
        with pytest.raises(RunError, match=r"config\.toml"):
            Run(folder)
        (folder / "recipe.toml").write_text(content, encoding="utf-8")
        with pytest.raises(RecipeError, match=r"recipe\.toml"):
            Recipe.load(folder / "recipe.toml")


def test_hostile_meta_fields_are_left_out(folder: Path) -> None:
    meta = json.loads((folder / META_FILE).read_text("utf-8"))
    values: list[Any] = [[], None, 5, "x" * 10**6, 1e999, {"a": {"b": 1}}]
    for name, value in product(meta, values):
        (folder / META_FILE).write_text(json.dumps(meta | {name: value}), encoding="utf-8")
        run = Run(folder)
        assert {**meta, **run.meta, name: 0} == {**meta, name: 0}, "the other fields are kept"
        assert len(str(run.meta)) < 2000
        assert describe_status(run)
        assert format_training_time(run)
        assert all(isinstance(fact, str) for fact in collect_facts(run).values())
        assert count_steps(folder) >= 0


def test_hostile_meta_and_result_files(folder: Path) -> None:
    for content in (f'{{"a": {NESTED}}}', f'{{"seed": {DIGITS}}}', "\x00", "[]"):
        (folder / META_FILE).write_text(content, encoding="utf-8")
        assert Run(folder).meta == {}
        assert count_steps(folder) == 0
        (folder / RESULT_FILE).write_text(content, encoding="utf-8")
        with pytest.raises(RunError, match=r"result\.json is damaged: "):
            assert Run(folder).result
        assert not Run(folder).is_finished
    (folder / META_FILE).unlink()
    os.mkfifo(folder / META_FILE)
    assert Run(folder).meta == {}


def test_texts_of_meta_are_cleaned() -> None:
    versions = {"numpy": "1\x1b[2J", "x" * 500: "y" * 500}
    meta = parse_meta(json.dumps({"host": "a\nb", "versions": versions, "more": 1}).encode())
    assert meta["host"] == "a\ufffdb"
    assert meta["versions"]["numpy"] == "1\ufffd[2J"
    assert max(map(len, [*meta["versions"], *meta["versions"].values()])) == 100
    assert "more" not in meta


def use_result(run: Run) -> None:
    """Call what shows the result of a run."""
    result = run.result
    assert result
    print_training_result(run)
    describe_result(run, result)
    find_kept_step(run, result)
    if result["crowd"]:
        compare_crowd(result["crowd"])
    assert "held-out" in str(run.list_facts())


def test_hostile_result_is_reported_and_written_again(folder: Path) -> None:
    use_result(Run(folder))
    content = (folder / RESULT_FILE).read_bytes()
    places = (
        *("origin", "parameters/holes", "uncorrected/lines/mean", "held_out/rules", "held_out/score/ci95"),
        *("held_out/capped", "finalists", "crowd", "crowd/best expert", "note"),
    )
    for place, value in product(places, (DELETE, None, [], [1, "x"], {"a": []}, "text", -1, 10**30)):
        (folder / RESULT_FILE).write_bytes(content)
        edit_json(folder / RESULT_FILE, place, value)
        run = Run(folder)
        if run.is_finished:
            use_result(run)
            continue
        with pytest.raises(RunError, match=r"result\.json is damaged: ") as caught:
            assert run.result
        assert len(str(caught.value)) < 500
    edit_json(folder / RESULT_FILE, "origin", DELETE)
    resume(folder, workers=1)
    assert (folder / RESULT_FILE).read_bytes() == content


def test_names_of_a_result_are_cleaned(folder: Path) -> None:
    edit_json(folder / RESULT_FILE, "origin", "generation \u00b2\x1b[2J" + "x" * 10_000)
    edit_json(folder / RESULT_FILE, "finalists", {"a\nb" * 1000: 1.0})
    edit_json(folder / RESULT_FILE, "note", "n" * 100_000)
    run = Run(folder)
    use_result(run)
    assert run.result
    assert len(run.result["origin"]) == len(next(iter(run.result["finalists"]))) == 100
    assert "\x1b" not in str(run.result)
    assert len(run.result["note"]) == 1000


def replace_cell(content: bytes, cell: bytes) -> bytes:
    lines = content.split(b"\n")
    lines[2] = b",".join([*lines[2].split(b",")[:-1], cell])
    return b"\n".join(lines)


TABLE_DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "overflow": lambda content: replace_cell(content, b"1e999"),
    "cell of 10 MB": lambda content: replace_cell(content, b"1" * 10_000_000),
    "ragged": lambda content: replace_cell(content, b"1,2"),
    "NUL": lambda content: replace_cell(content, b"\x00"),
    "not text": lambda content: replace_cell(content, b"\xff\xfe"),
    "many columns": lambda content: b",".join([b"a"] * 100_000) + b"\n" + content,
    "empty": lambda content: b"",
}


@pytest.mark.parametrize("damage", TABLE_DAMAGES)
def test_hostile_tables_raise_errors(damage: str, folder: Path) -> None:
    for name, read in (
        (METRICS_FILE, lambda: Run(folder).metrics),
        ("population/generation_00002.csv", lambda: Run(folder).load_population(1)),
    ):
        before = (folder / name).read_bytes()
        (folder / name).write_bytes(TABLE_DAMAGES[damage](before))
        with pytest.raises(RunError, match=f"{name} is damaged: ") as caught:
            read()
        assert len(str(caught.value)) < 500
        (folder / name).write_bytes(before)


def test_last_line_that_is_being_written_is_ignored(folder: Path) -> None:
    content = (folder / METRICS_FILE).read_bytes()
    (folder / METRICS_FILE).write_bytes(content[:-3])
    assert Run(folder).generation_count == 4


def test_finalists_that_do_not_fit_in_memory_together_play_in_batches(
    finished_run: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(validation, "MAX_GAMES_AT_ONCE", 9)  # two agents with four games
    run = train(make_small_recipe("genetic", "crowd.kind=mean"), tmp_path / "run", workers=1)
    assert read_run_files(run.folder) == read_run_files(finished_run)


@pytest.mark.parametrize("setting", ["genetic.population", "agent.features", "games.max_pieces", "format"])
def test_messages_about_settings_are_short(setting: str) -> None:
    values = ["x" * 10**6, 10**5000, list(range(10**5)), [["x" * 10**5]], ["holes"] * 5000, NESTED]
    section, _, key = setting.rpartition(".")
    content = parse_toml(make_small_recipe().to_toml().encode())
    for value in values:
        with pytest.raises(TetrionError) as caught:
            Recipe.from_mapping(content | ({section: content[section] | {key: value}} if section else {key: value}), "")
        assert len(str(caught.value)) < 1000


def test_recipe_does_not_choose_another_folder() -> None:
    recipe = make_small_recipe()
    assert recipe.replace(name="../../etc/x:y=1").folder_name == "etc-x-y=1"
    assert recipe.replace(name="..").folder_name == "run"
    assert format_resume_command(Path("x:lr=1")) == "tetrion train --resume x:lr=1"


def test_message_after_the_folder_was_deleted_is_true(tmp_path: Path) -> None:
    def delete(progress: TrainingProgress) -> None:
        if progress.done == 2:
            shutil.rmtree(tmp_path / "run", ignore_errors=True)

    with pytest.raises(RunError, match=r"No such file.* It was moved, deleted or damaged during training") as caught:
        train(make_small_recipe(), tmp_path / "run", workers=1, on_progress=delete)
    assert "saved" not in str(caught.value)


def test_folder_of_an_odd_seed_is_not_a_seed(folder: Path) -> None:
    shutil.copytree(folder, folder.parent / "seeds" / "seed-²")
    shutil.copytree(folder, folder.parent / "seeds" / "seed-3")
    assert [path.name for path in find_run_folders(folder.parent / "seeds")] == ["seed-3"]


def test_links_in_a_run_do_not_lead_to_changes_of_other_files(folder: Path, tmp_path: Path) -> None:
    other = Path(shutil.copytree(folder / "population", tmp_path / "other"))
    target = tmp_path / "mine.bin"
    target.write_bytes((folder / HISTORY_FILE).read_bytes())
    (folder / RESULT_FILE).unlink()
    (folder / HISTORY_FILE).unlink()
    (folder / HISTORY_FILE).symlink_to(target)
    before = target.read_bytes()
    resume(folder, workers=1, generations=6)
    assert target.read_bytes() == before
    assert not (folder / HISTORY_FILE).is_symlink()
    shutil.rmtree(folder / "population")
    (folder / "population").symlink_to(other)
    with pytest.raises(RunError, match="population is a link"):
        resume(folder, workers=1, generations=7)
    assert len(list(other.iterdir())) == 5


def test_link_in_the_place_of_a_temporary_file_is_not_followed(tmp_path: Path) -> None:
    """The name of a temporary file can be guessed."""
    target = tmp_path / "mine.txt"
    target.write_text("mine", encoding="utf-8")
    get_part_path(tmp_path / "file").symlink_to(target)
    write_atomically(tmp_path / "file", b"content")
    assert target.read_text("utf-8") == "mine"
    assert (tmp_path / "file").read_bytes() == b"content"


def test_copy_of_a_run_is_written_to_a_new_folder(folder: Path, tmp_path: Path) -> None:
    """A folder that already has the name of the copy may have links to other files."""
    target = tmp_path / "mine.csv"
    target.write_text("mine", encoding="utf-8")
    copy = folder.with_name(f"{folder.name}-after-5")
    copy.mkdir()
    (copy / METRICS_FILE).symlink_to(target)
    saved = copy_run(folder)
    assert saved == folder.with_name(f"{folder.name}-after-5-2")
    assert read_run_files(saved) == read_run_files(folder)
    assert target.read_text("utf-8") == "mine"
