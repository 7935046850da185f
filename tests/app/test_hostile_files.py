"""Damaged and hostile files in the folders of the window: only their own entry shows a problem."""

import json
import os
import shutil
from collections.abc import Callable
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tetrion.app.screens.watch_setup import parse_dropped_agent

from tests.app.saved_games import play_random_game, save_game_file, write_replay_file
from tests.app.screen_scenes import SMALL_RUN
from tests.app.window_driver import WindowDriver
from tetrion.agents import load_agent
from tetrion.app.crash_log import log_crash
from tetrion.app.game_storage import (
    BEST_SCORES_FILE,
    MAX_REPLAYS,
    get_replay_folder,
    get_runs_folder,
    load_best_scores,
    save_best_score,
    save_game,
)
from tetrion.app.replays.replay_library import find_game_date, load_replay_summary
from tetrion.app.screen import Screen
from tetrion.app.screens.evolution_screen import describe_run
from tetrion.app.toolkit.picker import Picker, PickerOption
from tetrion.app.toolkit.ui import Ui
from tetrion.app.window_settings import WindowSettings, get_settings_path, load_settings
from tetrion.drawing.pen import Box
from tetrion.errors import TetrionError
from tetrion.evaluation import evaluate
from tetrion.replay import Replay
from tetrion.training.recipe import Recipe
from tetrion.training.run import Run
from tetrion.training.run_changes import restore_learner
from tetrion.training.trainer import create_run, train
from tetrion.user_folders import get_data_folder


def write_huge_file(path: Path) -> None:
    path.touch()
    os.truncate(path, 10**10)


NESTED = "[" * 3000 + "]" * 3000
LONG_NUMBER = "9" * 5000
HOSTILE_JSON = {
    "empty": b"",
    "nested": NESTED.encode(),
    "long number": b'{"format": ' + LONG_NUMBER.encode() + b"}",
    "infinite": b'{"format": 1e999}',
    "not UTF-8": b'{"format": "\xff\xfe"}',
    "list": b"[]",
    "null": b"null",
    "lists as values": b'{"format": [], "rules": [], "result": [], "status": []}',
    "zeros": bytes(1000),
}
HOSTILE_NAMES = ["x" * 100_000, "a\0b", "a\ud800b", "\u202egnp.exe", "\n" * 100, "\x1b[31m", ""]
SPECIAL_FILES: dict[str, Callable[[Path], None]] = {
    "folder": Path.mkdir,
    "pipe": os.mkfifo,
    "endless device": lambda path: path.symlink_to("/dev/zero"),
    "link to itself": lambda path: path.symlink_to(path),
    "link to nothing": lambda path: path.symlink_to("/no/such/file"),
    "huge": write_huge_file,
}

BLOCKING_FILES = ("pipe", "endless device")  # a program that reads them waits for ever or runs out of memory


def write_special_file(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    SPECIAL_FILES[kind](path)


def check_open(driver: WindowDriver, screen: object) -> None:
    """Check that a screen has neither crashed nor been closed."""
    assert driver.screen is screen, driver.window.notice


# Replays.


def write_hostile_replays() -> int:
    """Write many hostile replays and return their number."""
    good = json.loads(save_game_file(play_random_game(10), "you").read_text("utf-8"))
    contents = dict(HOSTILE_JSON)
    for number, name in enumerate(HOSTILE_NAMES):
        contents[f"name {number}"] = json.dumps(good | {"agent": name}).encode()
    for key in good:
        values: list[object] = [None, [], {}, "x" * 5000, -1, 2**70, True]
        for number, value in enumerate(values):
            contents[f"{key} {number}"] = json.dumps(good | {key: value}).encode()
    for number, placement in enumerate(
        ("I 99999999 0 0", "I 0 99999999999 0", "I 0 0 99999999999999999999", "O 0 9 0")
    ):
        contents[f"placement {number}"] = json.dumps(good | {"placements": [placement]}).encode()
    contents["long, nested"] = b'{"format": ' + NESTED.encode() + b', "placements": [], "result": 1}'
    contents["long, with a number"] = b'{"a": ' + b"9" * 6000 + b', "placements": [], "result": 1}'
    for name, content in contents.items():
        (get_replay_folder() / f"{name}.json").write_bytes(content)
    for name in SPECIAL_FILES:
        write_special_file(get_replay_folder() / f"{name}.json", name)
    (get_replay_folder() / os.fsdecode(b"not UTF-8 \xff\xfe.json")).write_bytes(b"{")
    return len(contents) + len(SPECIAL_FILES) + 1


def test_hostile_replays_are_listed_with_their_problems(driver: WindowDriver) -> None:
    count = write_hostile_replays()
    screen = driver.open_screen("replays")
    driver.run_until(lambda: screen.library.is_done)
    assert len(screen.library.summaries) == count + 1
    assert not screen.library.problem
    assert sum(not summary.problem for summary in screen.library.summaries) >= 1
    for _ in range(count + 1):
        driver.press("↓")
        driver.run_frames(2)
    for key in ("Del", "Esc", "Home"):
        driver.press(key)
        driver.run_frames(2)
    check_open(driver, screen)
    good = next(summary for summary in screen.library.summaries if summary.pieces == 10 and not summary.problem)
    screen.selected = good
    driver.run_until(lambda: screen.final_board.path == good.path and screen.final_board.is_done)
    assert screen.final_board.stack is not None


def test_date_of_a_file_out_of_range_is_the_first_date(tmp_path: Path) -> None:
    path = tmp_path / "9999-99-99 99-99-99.json"
    path.touch()
    os.utime(path, (2**40, 2**40))
    assert isinstance(find_game_date(path), datetime)


def test_name_of_a_player_does_not_matter_for_saving() -> None:
    for name in ("漢" * 300, "a\ud800b", "/../" * 100, "x" * 1000):
        path, message = save_game(play_random_game(10), name)
        assert path is not None, message
        assert path.parent == get_replay_folder()
        assert not load_replay_summary(path).problem


def test_folder_among_the_replays_does_not_prevent_saving(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tetrion.app.game_storage.MAX_REPLAYS", 1)
    assert MAX_REPLAYS > 1
    write_special_file(get_replay_folder() / "1.json", "folder")
    path, message = save_game(play_random_game(10), "you")
    assert (path is not None, message) == (True, "")


# Settings and best scores.


@pytest.mark.parametrize("name", HOSTILE_JSON)
def test_hostile_settings_and_scores_are_reported(name: str) -> None:
    for path in (get_settings_path(), get_data_folder() / BEST_SCORES_FILE):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(HOSTILE_JSON[name])
    settings, message = load_settings()
    assert settings == WindowSettings()
    assert message or name in ("lists as values", "infinite", "long number") or "damaged" in message
    scores, message = load_best_scores()
    assert not any(scores.values())
    assert message or name == "lists as values"


@pytest.mark.parametrize("kind", SPECIAL_FILES)
def test_special_files_as_settings_and_scores_are_reported(kind: str) -> None:
    write_special_file(get_settings_path(), kind)
    write_special_file(get_data_folder() / BEST_SCORES_FILE, kind)
    settings, message = load_settings()
    assert settings == WindowSettings()
    assert bool(message) == (kind != "link to nothing")
    assert load_best_scores()[0] == {}
    if not kind.startswith("link"):  # a link that leads nowhere is replaced
        rank, message = save_best_score(play_random_game(10))
        assert (rank, bool(message)) == (0, True)


# Runs.


@pytest.fixture(scope="module")
def finished_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs") / "done"
    train(Recipe.load("gavrilov", SMALL_RUN), folder, workers=1)
    return folder


def damage_json(path: Path, **changes: Any) -> None:
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(content | changes), encoding="utf-8")


def test_hostile_runs_leave_the_list_usable(driver: WindowDriver, finished_run: Path) -> None:
    folders = [get_runs_folder() / name for name in ("status", "nested", "number", "toml", "rows")]
    for folder in folders:
        shutil.copytree(finished_run, folder)
    damage_json(folders[0] / "meta.json", status=[])
    (folders[1] / "meta.json").write_text(NESTED)
    (folders[1] / "config.toml").write_text(f"a = {NESTED}")
    damage_json(folders[2] / "meta.json", seconds=2**62)
    (folders[3] / "config.toml").write_text(f"population = {LONG_NUMBER}")
    (folders[4] / "metrics.csv").write_text("generation\n" + "x," * 10_000)
    (get_runs_folder() / os.fsdecode(b"not UTF-8 \xff")).mkdir()
    (get_runs_folder() / os.fsdecode(b"not UTF-8 \xff") / "config.toml").write_text("x")
    create_run(Recipe.load("gavrilov", SMALL_RUN), get_runs_folder() / "good")
    screen = driver.open_screen("evolution")
    statuses = {folder.name: describe_run(folder) for folder in screen.setup.run_list.folders}
    assert len(statuses) == len(folders) + 2
    assert statuses["good"] == "0 of 2 generations, not started"
    driver.run_frames(3)
    for folder in screen.setup.run_list.folders:
        screen.follow_run(folder)
        driver.run_frames(3)
        check_open(driver, screen)
        screen.dismiss_problem()


@pytest.mark.parametrize(
    "changes",
    [{"origin": []}, {"held_out": {}}, {"uncorrected": {"lines": []}}, {"finalists": 3}, {"parameters": None}],
)
def test_damaged_result_is_a_message(driver: WindowDriver, finished_run: Path, changes: dict[str, Any]) -> None:
    folder = get_runs_folder() / "damaged"
    shutil.copytree(finished_run, folder)
    damage_json(folder / "result.json", **changes)
    screen = driver.open_screen("evolution", run=str(folder))
    driver.run_until(lambda: screen.problem or screen.panels.result or not screen.session.is_finished)
    driver.run_frames(30)
    check_open(driver, screen)


@pytest.mark.parametrize("cell", ["nan", "inf", "-inf", "1e308", "-1e308", "1e-320", "", "x"])
def test_unusual_numbers_in_the_metrics_are_drawn_or_refused(
    driver: WindowDriver, finished_run: Path, cell: str
) -> None:
    folder = get_runs_folder() / "numbers"
    shutil.copytree(finished_run, folder)
    header, *rows = (folder / "metrics.csv").read_text("utf-8").splitlines()
    changed = [",".join([row.split(",")[0], *[cell] * header.count(",")]) for row in rows]
    (folder / "metrics.csv").write_text("\n".join([header, *changed]) + "\n", encoding="utf-8")
    screen = driver.open_screen("evolution", run=str(folder))
    driver.run_frames(30)
    check_open(driver, screen)


@pytest.mark.parametrize("kind", BLOCKING_FILES)
def test_special_files_in_runs_leave_the_list_usable(driver: WindowDriver, finished_run: Path, kind: str) -> None:
    """A pipe or a device in place of any file of a run is a message, not an endless wait."""
    names = [path.relative_to(finished_run) for path in finished_run.rglob("*") if path.is_file()]
    for number, name in enumerate(names):
        folder = get_runs_folder() / f"run {number}"
        shutil.copytree(finished_run, folder)
        (folder / name).unlink()
        write_special_file(folder / name, kind)
    screen = driver.open_screen("evolution")
    assert len(screen.setup.run_list.folders) >= len(names) - 1
    for number in range(len(names)):
        screen.follow_run(get_runs_folder() / f"run {number}")
        driver.run_frames(5)
        check_open(driver, screen)
        screen.dismiss_problem()


def read_run(folder: Path) -> None:
    """Read all files of a run, and its checkpoint."""
    run = Run(folder)
    assert run.result
    assert len(run.incumbents) == run.generation_count
    load_agent(str(folder))
    restore_learner(run, run.recipe)


@pytest.mark.parametrize("kind", BLOCKING_FILES)
@pytest.mark.parametrize("stem", ["best", "checkpoint", "config", "metrics", "result"])
def test_special_files_in_runs_raise_errors(finished_run: Path, tmp_path: Path, stem: str, kind: str) -> None:
    folder = tmp_path / "run"
    shutil.copytree(finished_run, folder)
    read_run(folder)
    for path in folder.glob(f"{stem}.*"):  # among them the checkpoint before the last one, which could replace it
        path.unlink()
        write_special_file(path, kind)
    with pytest.raises(TetrionError):
        read_run(folder)


@pytest.mark.parametrize("kind", BLOCKING_FILES)
@pytest.mark.parametrize(
    ("name", "read"),
    [
        ("agent.json", load_agent),
        ("agent.py", lambda path: evaluate(f"{path}:Mine", games=1)),
        ("recipe.toml", Recipe.load),
        ("game.json", Replay.load),
    ],
)
def test_special_files_raise_errors(name: str, read: Callable[[str], object], tmp_path: Path, kind: str) -> None:
    """A pipe or a device in place of an agent, a recipe or a replay is refused at once."""
    path = tmp_path / name
    write_special_file(path, kind)
    with pytest.raises(TetrionError, match="not a regular file"):
        read(str(path))


# Other files.


def find_watch_problem(screen: Any) -> object:
    return screen.problem or (screen.agent_game and screen.agent_game.problem)


@pytest.mark.parametrize("kind", SPECIAL_FILES)
def test_special_files_can_be_dropped(driver: WindowDriver, tmp_path: Path, kind: str) -> None:
    for name in ("agent.py", "agent.json", "agent.toml"):
        path = tmp_path / name
        write_special_file(path, kind)
        screen = driver.open_screen("watch", agent=parse_dropped_agent(str(path)))
        driver.run_until(partial(find_watch_problem, screen))
        check_open(driver, screen)
        driver.window.close_screen()
    screen = driver.open_screen("replay", file=str(tmp_path / "agent.json"))
    driver.run_until(lambda: screen.loader.is_done)
    driver.run_frames(3)
    check_open(driver, screen)
    assert screen.loader.problem


@pytest.mark.parametrize("name", HOSTILE_NAMES)
def test_names_of_agents_are_drawn(driver: WindowDriver, tmp_path: Path, name: str) -> None:
    path = tmp_path / "mine.json"
    path.write_text(json.dumps({"format": 1, "kind": "linear", "name": name, "weights": {"holes": -4}}))
    screen = driver.open_screen("watch", agent=str(path), rules="standard")
    driver.run_until(lambda: screen.problem or screen.agent_game.decision or screen.agent_game.problem)
    driver.run_frames(5)
    check_open(driver, screen)
    driver.window.close_screen()
    match = driver.open_screen("versus", players=("lee", str(path)), rules="standard", seed=1)
    driver.run_until(lambda: match.setup.validation.problem or (match.match and not match.match.waiting_message))
    driver.run_frames(5)
    check_open(driver, match)


# Errors of the program.


class FailingMenu(Screen):
    title = "Failing"

    def draw(self, ui: Ui) -> None:
        raise ValueError("a\0b \ud800" + "x" * 100_000)


def test_error_with_a_hostile_text_is_shown_and_logged(driver: WindowDriver) -> None:
    driver.window.open_screen(FailingMenu(driver.window))
    driver.run_frames(5)
    assert driver.screen.title == "Menu"
    assert driver.window.notice.startswith("Failing crashed")
    assert log_crash(ValueError("x" * 10**7)).stat().st_size < 100_000


def test_screen_that_cannot_be_opened_leaves_the_menu(driver: WindowDriver, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise TypeError("no such screen")

    monkeypatch.setattr("tetrion.app.launcher.make_screen", fail)
    driver.window.open_screen_by_name("settings")
    driver.run_frames(3)
    assert driver.screen.title == "Menu"
    assert "Settings crashed" in driver.window.notice


def test_error_in_the_menu_ends_the_window_only_if_it_repeats(
    driver: WindowDriver, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(ui: Ui) -> None:
        raise ValueError("menu")

    with monkeypatch.context() as patch:
        patch.setattr(driver.screen, "draw", fail)
        driver.run_frames(1)
    driver.run_frames(100)
    assert "menu" in driver.window.notice
    monkeypatch.setattr(driver.screen, "draw", fail)
    driver.run_frames(1)
    with pytest.raises(ValueError, match="menu"):
        driver.run_frames(1)


# Many entries.


def test_work_per_frame_does_not_depend_on_the_number_of_options(driver: WindowDriver) -> None:
    options = [PickerOption(f"runs/run-{number}", "trained run") for number in range(10_000)]
    picker = Picker("agent", free_text_hint="a file")
    picker.open("")
    ui = driver.window.ui
    measured: list[str] = []
    ui.begin_frame(ui.pen, [], 0.1)
    picker.draw(ui, Box(0, 0, 200, 40), "")
    picker.draw_list(ui, lambda: options)
    ui.end_frame()
    measure_text = type(ui.pen).measure_text

    def record(pen: Any, text: str, *arguments: Any) -> int:
        measured.append(text)
        return measure_text(pen, text, *arguments)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(ui.pen), "measure_text", record)
        ui.begin_frame(ui.pen, [], 0.1)
        picker.draw(ui, Box(0, 0, 200, 40), "")
        picker.draw_list(ui, lambda: options)
        ui.end_frame()
    assert len(measured) < 100


def test_long_file_of_text_is_no_replay() -> None:
    assert load_replay_summary(write_replay_file("long", "x" * 10_000)).problem
