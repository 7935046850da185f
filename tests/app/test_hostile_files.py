"""Damaged and hostile files in the folders of the window: only their own entry shows a problem."""

import json
import os
import shutil
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.app.saved_games import play_random_game, save_game_file
from tests.app.screen_scenes import SMALL_RUN
from tests.app.window_driver import WindowDriver
from tetrion.app.game_storage import (
    BEST_SCORES_FILE,
    get_replay_folder,
    get_runs_folder,
    load_best_scores,
    save_best_score,
    save_game,
)
from tetrion.app.screens.evolution_screen import describe_run
from tetrion.app.screens.replays_screen import load_replay_summary
from tetrion.app.screens.watch_screen import parse_dropped_agent
from tetrion.app.window_settings import WindowSettings, get_settings_path, load_settings
from tetrion.training.recipe import Recipe
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


def write_file(path: Path, kind: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    if kind in SPECIAL_FILES:
        SPECIAL_FILES[kind](path)
    else:
        path.write_bytes(HOSTILE_JSON[kind])


def check_open(driver: WindowDriver, screen: object) -> None:
    """Check that a screen has neither crashed nor been closed."""
    assert driver.screen is screen, driver.window.notice


def test_hostile_replays_are_listed_with_their_problems(driver: WindowDriver) -> None:
    good = json.loads(save_game_file(play_random_game(10), "you").read_text("utf-8"))
    contents = dict(HOSTILE_JSON)
    values: list[object] = [None, [], "x" * 5000, -1]
    changes = [{key: value} for key in good for value in values] + [{"agent": name} for name in HOSTILE_NAMES]
    for placement in ("I 99999999 0 0", "I 0 99999999999 0", f"I 0 0 {10**20}", "O 0 9 0"):
        changes.append({"placements": [placement]})
    contents |= {f"changed {number}": json.dumps(good | change).encode() for number, change in enumerate(changes)}
    for kind, value in (("nested", NESTED), ("with a number", LONG_NUMBER), ("text", "x" * 10_000)):
        contents[f"long, {kind}"] = f'{{"format": {value}, "placements": [], "result": 1}}'.encode()
    for name, content in contents.items():
        (get_replay_folder() / f"{name}.json").write_bytes(content)
    for name in SPECIAL_FILES:
        write_file(get_replay_folder() / f"{name}.json", name)
    (get_replay_folder() / os.fsdecode(b"not UTF-8 \xff\xfe.json")).write_bytes(b"{")
    os.utime(get_replay_folder() / "empty.json", (2**40, 2**40))  # a date out of range

    screen = driver.open_screen("replays")
    driver.run_until(lambda: screen.library.is_done)
    assert len(screen.library.summaries) == len(contents) + len(SPECIAL_FILES) + 2
    assert not screen.library.problem
    for _ in screen.library.summaries:
        driver.press("↓")
        driver.run_frames(2)
    for key in ("Del", "Esc", "Home"):
        driver.press(key)
        driver.run_frames(2)
    check_open(driver, screen)


def test_games_are_saved_whatever_the_name_of_the_player() -> None:
    for name in ("漢" * 300, "a\ud800b", "/../" * 100, "x" * 1000):
        path, message = save_game(play_random_game(10), name)
        assert path is not None, message
        assert path.parent == get_replay_folder()
        assert not load_replay_summary(path).problem


@pytest.mark.parametrize("name", [*HOSTILE_JSON, *SPECIAL_FILES])
def test_hostile_settings_and_scores_are_reported(name: str) -> None:
    for path in (get_settings_path(), get_data_folder() / BEST_SCORES_FILE):
        write_file(path, name)
    settings, message = load_settings()
    assert settings == WindowSettings()
    assert message or name in ("lists as values", "infinite", "long number", "link to nothing")
    scores, message = load_best_scores()
    assert not any(scores.values())
    assert message or name in ("lists as values", "link to nothing")
    if name in SPECIAL_FILES and not name.startswith("link"):  # a link that leads nowhere is replaced
        rank, message = save_best_score(play_random_game(10))
        assert (rank, bool(message)) == (0, True)


def damage_json(path: Path, **changes: Any) -> None:
    content = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps(content | changes), encoding="utf-8")


def test_damaged_runs_leave_the_list_usable(driver: WindowDriver, tmp_path: Path) -> None:
    def copy_run(name: str) -> Path:
        return Path(shutil.copytree(tmp_path / "done", get_runs_folder() / name))

    train(Recipe.load("gavrilov", SMALL_RUN), tmp_path / "done", workers=1)
    damage_json(copy_run("status") / "meta.json", status=[])
    damage_json(copy_run("seconds") / "meta.json", seconds=2**62)
    nested = copy_run("nested")
    (nested / "meta.json").write_text(NESTED)
    (nested / "config.toml").write_text(f"a = {NESTED}")
    (copy_run("number") / "config.toml").write_text(f"population = {LONG_NUMBER}")
    (copy_run("rows") / "metrics.csv").write_text("generation\n" + "x," * 10_000)
    results: list[dict[str, Any]] = [{"origin": []}, {"held_out": {}}, {"uncorrected": {"lines": []}}, {"finalists": 3}]
    for number, changes in enumerate([*results, {"parameters": None}]):
        damage_json(copy_run(f"result {number}") / "result.json", **changes)
    header, *rows = (tmp_path / "done" / "metrics.csv").read_text("utf-8").splitlines()
    for value in ("nan", "inf", "-1e308", "1e-320", "", "x"):
        changed = [",".join([row.split(",")[0], *[value] * header.count(",")]) for row in rows]
        (copy_run(f"value {value}") / "metrics.csv").write_text("\n".join([header, *changed]) + "\n", encoding="utf-8")
    (get_runs_folder() / os.fsdecode(b"not UTF-8 \xff")).mkdir()
    (get_runs_folder() / os.fsdecode(b"not UTF-8 \xff") / "config.toml").write_text("x")
    names = [path.relative_to(tmp_path / "done") for path in (tmp_path / "done").rglob("*") if path.is_file()]
    for number, name in enumerate(names):
        path = copy_run(f"special {number}") / name
        path.unlink()
        write_file(path, ("pipe", "endless device")[number % 2])  # reading them would wait for ever or take all memory
    create_run(Recipe.load("gavrilov", SMALL_RUN), get_runs_folder() / "good")

    screen = driver.open_screen("evolution")
    statuses = {folder.name: describe_run(folder) for folder in screen.setup.run_list.folders}
    assert len(statuses) >= len(list(get_runs_folder().iterdir())) - 2, "without `config.toml`, it is no run"
    assert statuses["good"] == "0 of 2 generations, not started"
    for folder in get_runs_folder().iterdir():
        screen.follow_run(folder)
        driver.run_frames(3)
        check_open(driver, screen)
        screen.dismiss_problem()


@pytest.mark.parametrize("kind", SPECIAL_FILES)
def test_special_files_can_be_dropped(driver: WindowDriver, tmp_path: Path, kind: str) -> None:
    for name in ("agent.py", "agent.json"):
        path = tmp_path / name
        write_file(path, kind)
        screen = driver.open_screen("watch", agent=parse_dropped_agent(str(path)))
        driver.run_until(partial(find_watch_problem, screen))
        check_open(driver, screen)
        driver.window.close_screen()
    screen = driver.open_screen("replay", file=str(tmp_path / "agent.json"))
    driver.run_until(lambda: screen.loader.is_done)
    driver.run_frames(3)
    check_open(driver, screen)
    assert screen.loader.problem


def find_watch_problem(screen: Any) -> object:
    return screen.problem or (screen.agent_game and screen.agent_game.problem)
