"""The evolution screen as a person uses it: started, paused, hurried, paged, left, opened again."""

import json
import shutil
import time
from pathlib import Path

import pytest

from app.window_driver import WindowDriver
from cli.command_runner import tetrion_here
from tetrion.app.evolution.evolution_session import SessionState
from tetrion.app.evolution.followed_run import FollowedRun
from tetrion.app.evolution.live_training import LiveTraining
from tetrion.app.evolution.playback_speed import UNLIMITED_SPEED
from tetrion.app.screens import evolution_screen
from tetrion.app.screens.evolution_screen import EVOLUTION_SPEEDS, EvolutionScreen
from tetrion.training.recipe import Recipe
from tetrion.training.run import META_FILE, METRICS_FILE, Run
from tetrion.training.trainer import create_run, resume, train
from training.small_recipes import files_of

TINY = (
    "population=24",
    "games.max_pieces=[60]",
    "generations=4",
    "validation.games=2",
    "validation.max_pieces=60",
    "validation.final_games=4",
)


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has come to its end."""
    folder = tmp_path_factory.mktemp("runs") / "done"
    train(Recipe.load("gavrilov", TINY), folder, workers=1)
    return folder


def opened(driver: WindowDriver, **options: object) -> EvolutionScreen:
    screen: EvolutionScreen = driver.open_screen("evolution", **options)
    if screen.session:
        driver.run_until(
            lambda: screen.session is None or screen.session.generation_player.boards is not None or screen.problem
        )
    return screen


def session_of(screen: EvolutionScreen) -> LiveTraining:
    assert isinstance(screen.session, LiveTraining)
    return screen.session


def test_started_paused_hurried_paged_and_left_in_the_middle(
    driver: WindowDriver, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = opened(driver, recipe="gavrilov", changes=TINY, out="mine")
    session = session_of(screen)
    assert session.generation == 1
    driver.press("Space")
    assert screen.playback_speed.is_paused
    time.sleep(0.2)
    move = session.make_snapshot().boards
    driver.run_frames(20)
    assert session.make_snapshot().boards is move
    driver.press("Space")
    assert not screen.playback_speed.is_paused
    driver.click("speed", x=0.02)
    assert screen.pace.speed == EVOLUTION_SPEEDS[0]
    driver.press("→", "→")  # the slider has the focus, so it is faster and no page is turned
    assert screen.pace.speed == EVOLUTION_SPEEDS[2]
    assert screen.grid.page == 0
    driver.press("+")
    assert screen.pace.speed == EVOLUTION_SPEEDS[3]
    driver.press("Tab", "→")
    assert screen.grid.page == 1
    assert list(screen.grid.shown(24)) == [20, 21, 22, 23]
    driver.press("→")
    assert screen.grid.page == 0
    driver.click("page ←")
    assert screen.grid.page == 1
    driver.resize(800, 700)
    assert screen.grid.tiles_per_page == 9
    driver.click("charts", x=0.8)
    assert screen.panels.chart == 1
    driver.resize(1920, 1080)
    assert screen.grid.tiles_per_page == 20
    driver.press("G")
    driver.until(lambda: session.step == 2)
    driver.until(lambda: screen.has_agent)
    asked: list[object] = []
    monkeypatch.setattr(
        evolution_screen, "make_screen", lambda window, name, **options: asked.append((name, options)) or screen
    )
    monkeypatch.setattr(driver.window, "open", lambda screen: None)
    driver.press("B")
    assert asked == [("watch", {"agent": "mine"})]
    driver.press("S")
    assert "mine-after-1" in driver.window.notice
    driver.press("Esc")
    assert screen.session is session
    assert session.state is SessionState.STOPPED
    assert "Training is stopped, with 1 generation of 4 kept in mine" in driver.window.notice
    for folder in ("mine", "mine-after-1"):
        resume(folder, workers=1)
        assert files_of(Path(folder)) == files_of(finished)


def test_a_run_to_its_end_and_its_generations_again(driver: WindowDriver) -> None:
    screen = opened(driver)
    assert screen.session is None
    screen.setup.recipe_cache["gavrilov"] = Recipe.load("gavrilov", TINY)
    driver.press("Enter")
    session = session_of(screen)
    assert session.folder == driver_data() / "runs" / "gavrilov-0"
    driver.press("Tab")
    screen.playback_speed.speed = UNLIMITED_SPEED
    driver.run_until(lambda: session.state is SessionState.FINISHED)
    driver.run_frames(2)
    assert screen.panels.result is not None
    _, unit, origin = screen.panels.result
    assert unit == "lines a game, in 4 held-out games"
    assert origin.startswith("from generation ")
    driver.press("Enter")  # browse
    again = screen.session
    assert isinstance(again, FollowedRun)
    driver.until(lambda: again.step == 4)
    driver.press("PgUp", "PgUp")
    driver.until(lambda: again.step == 2 and again.state is SessionState.GAMES_OVER)
    assert again.stage.boards is not None
    assert again.stage.boards.fitness.tolist() == Run(again.folder).population(1).fitness.tolist()
    driver.press("PgDn")
    driver.until(lambda: again.step == 3)
    driver.press("R")
    driver.frames(2)
    driver.press("Esc")
    assert driver.window.running


def driver_data() -> Path:
    from tetrion.app.user_folders import get_data_folder

    return get_data_folder()


def test_a_run_that_was_stopped_goes_on_from_the_screen(driver: WindowDriver, finished: Path) -> None:
    screen = opened(driver, recipe="gavrilov", changes=TINY, out="mine")
    driver.press("G")
    driver.run_until(lambda: session_of(screen).generation == 2)
    driver.press("Esc")
    screen = opened(driver, run="mine")
    assert isinstance(screen.session, FollowedRun)
    assert "Not finished" in screen.make_chips()
    for size in ((800, 700), (1000, 720), (1280, 800)):
        driver.resize(*size)
        assert driver.screen is screen
        assert "resume" in driver.window.ui.focusable_names
    driver.press("T")
    session = session_of(screen)
    screen.playback_speed.speed = UNLIMITED_SPEED
    driver.run_until(lambda: session.is_over)
    assert session.state is SessionState.FINISHED, session.message
    assert files_of(Path("mine")) == files_of(finished)


def test_a_run_of_another_version_is_gone_on_with_if_the_person_wants_it(driver: WindowDriver) -> None:
    folder = create_run(Recipe.load("gavrilov", TINY), "runs/older")
    notes = json.loads((folder / META_FILE).read_text())
    notes["versions"]["tetrion"] = "0.0.1"
    (folder / META_FILE).write_text(json.dumps(notes))
    screen = driver.open_screen("evolution")
    assert [(run.words, run.aside) for run in screen.start.known] == [("older", "0 of 4, not begun")]
    driver.click("run 0")
    driver.run_until(lambda: screen.session.state is SessionState.GAMES_OVER)
    driver.press("T")
    driver.run_until(lambda: screen.session.state is SessionState.FAILED)
    driver.run_frames(2)
    driver.click("overlay Go on all the same")
    screen.pace.speed = UNLIMITED_SPEED
    driver.run_until(lambda: screen.session.state is SessionState.FINISHED)


def test_what_cannot_be_opened_is_told_and_the_window_goes_on(
    driver: WindowDriver, finished: Path, tmp_path: Path
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(finished, damaged)
    (damaged / METRICS_FILE).write_text("nonsense")
    screen = opened(driver, run=str(damaged))
    assert screen.session is None
    assert "damaged" in screen.problem
    driver.click("overlay Back")
    assert screen.problem == ""
    assert "start" in driver.window.ui.focusable_names
    screen.setup.recipe = "gavrilow"
    driver.run_frames(2)
    assert "start" not in driver.window.ui.focusable_names  # nothing to start by a recipe that is not there
    screen = opened(driver, run=str(tmp_path / "nowhere"))
    assert screen.problem
    driver.press("Esc")
    assert screen.problem == ""
    driver.press("Esc")
    assert driver.screen is not screen


def test_closing_the_window_keeps_the_run(driver: WindowDriver) -> None:
    screen = opened(driver, recipe="gavrilov", changes=TINY, out="mine")
    driver.press("G")
    driver.run_until(lambda: session_of(screen).generation == 2)
    driver.lose_focus()  # training goes on behind other windows
    assert not screen.playback_speed.is_paused
    driver.quit()
    assert not driver.window.is_running
    assert Run("mine").meta["status"] == "stopped"
    assert Run("mine").generation_count == 1


def test_the_command_helps_before_the_window_opens(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[dict[str, object]] = []
    monkeypatch.setattr("tetrion.app.launcher.open_window", lambda screen, **options: opened.append(options))
    assert "Did you mean 'gavrilov'?" in tetrion_here("evolve", "gavrilow", expect=2).stderr
    assert "genetic.population" in tetrion_here("evolve", "gavrilov", "--set", "genetic.popluation=3", expect=2).stderr
    assert "leave out --seed" in tetrion_here("evolve", str(finished), "--seed", "3", expect=2).stderr
    assert "has no config.toml" in tetrion_here("evolve", str(finished / "population"), expect=2).stderr
    taken = tetrion_here("evolve", "gavrilov", "--out", str(finished), expect=2).stderr
    assert f"Open it: tetrion evolve {finished}" in taken
    assert opened == []
    tetrion_here("evolve", str(finished))
    tetrion_here("evolve", "gavrilov", "--seed", "7", "--set", "population=9")
    assert opened == [
        {"run": str(finished)},
        {"recipe": "gavrilov", "seed": 7, "changes": ("population=9",), "out": str(Path("runs/gavrilov-7"))},
    ]


def test_a_damaged_run_and_nobodys_home_keep_nothing_closed(driver: WindowDriver) -> None:
    Path("runs/broken").mkdir(parents=True)
    Path("runs/broken/config.toml").write_text("[", encoding="utf-8")
    screen = opened(driver)
    assert [(run.name, run.status) for run in screen.setup.runs] == [("broken", "damaged")]
    screen.setup.chosen_folder = "~nobody-of-that-name/here"
    driver.run_frames(2)
    assert driver.screen is screen


def test_a_q_learner_has_one_board_and_words(driver: WindowDriver) -> None:
    changes = (
        "episodes=4",
        "q-learning.max_pieces=30",
        "validation.final_games=3",
        "validation.every=0",
        "validation.max_pieces=50",
    )
    screen = opened(driver, recipe="tetrais-q", changes=changes, out="q")
    session = session_of(screen)
    screen.playback_speed.speed = UNLIMITED_SPEED
    driver.run_until(lambda: session.is_over)
    assert session.state is SessionState.FINISHED, session.message
    for size in ((800, 700), (1280, 800)):
        driver.resize(*size)
    assert "individuals" not in " ".join(screen.make_chips())
