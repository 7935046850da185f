"""The evolution screen as a person uses it: started, paused, hurried, paged, left, opened again."""

import json
import shutil
import time
from pathlib import Path

import pytest

from app.driving import Driver
from cli.running import tetrion_here
from tetrion.app.evolution.attached import Attached
from tetrion.app.evolution.evolving import Evolving
from tetrion.app.evolution.pace import FASTEST
from tetrion.app.evolution.session import State
from tetrion.app.screens import evolution
from tetrion.app.screens.evolution import SPEEDS, EvolutionScreen
from tetrion.training.recipe import Recipe
from tetrion.training.run import META, METRICS, Run
from tetrion.training.trainer import begin, resume, train
from training.small import files_of

TINY = ("population=24", "games.pieces=[60]", "generations=4", "judge.games=2", "judge.pieces=60", "judge.final=4")


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run that has come to its end."""
    folder = tmp_path_factory.mktemp("runs") / "done"
    train(Recipe.load("gavrilov", TINY), folder, workers=1)
    return folder


def opened(driver: Driver, **options: object) -> EvolutionScreen:
    screen: EvolutionScreen = driver.open("evolution", **options)
    if screen.session:
        driver.until(lambda: screen.session is None or screen.session.stage.boards is not None or screen.problem)
    return screen


def session_of(screen: EvolutionScreen) -> Evolving:
    assert isinstance(screen.session, Evolving)
    return screen.session


def test_started_paused_hurried_paged_and_left_in_the_middle(
    driver: Driver, finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    screen = opened(driver, recipe="gavrilov", changes=TINY, out="mine")
    session = session_of(screen)
    assert session.step == 1
    driver.press("Space")
    assert screen.pace.paused
    time.sleep(0.2)
    move = session.snapshot().boards
    driver.frames(20)
    assert session.snapshot().boards is move
    driver.press("Space")
    assert not screen.pace.paused
    driver.click("speed", x=0.02)
    assert screen.pace.speed == SPEEDS[0]
    driver.press("→", "→")  # the slider has the focus, so it is faster and no page is turned
    assert screen.pace.speed == SPEEDS[2]
    assert screen.grid.page == 0
    driver.press("+")
    assert screen.pace.speed == SPEEDS[3]
    driver.press("Tab", "→")
    assert screen.grid.page == 1
    assert list(screen.grid.shown(24)) == [20, 21, 22, 23]
    driver.press("→")
    assert screen.grid.page == 0
    driver.click("page ←")
    assert screen.grid.page == 1
    driver.resize(800, 700)
    assert screen.grid.on_a_page == 9
    driver.click("charts", x=0.8)
    assert screen.panels.chart == 1
    driver.resize(1920, 1080)
    assert screen.grid.on_a_page == 20
    driver.press("G")
    driver.until(lambda: session.step == 2)
    driver.until(lambda: screen.has_agent)
    asked: list[object] = []
    monkeypatch.setattr(evolution, "made", lambda window, name, **options: asked.append((name, options)) or screen)
    monkeypatch.setattr(driver.window, "open", lambda screen: None)
    driver.press("B")
    assert asked == [("watch", {"agent": "mine"})]
    driver.press("S")
    assert "mine-after-1" in driver.window.notice
    driver.press("Esc")
    assert screen.session is session
    assert session.state is State.STOPPED
    assert "Training is stopped, with 1 generation of 4 kept in mine" in driver.window.notice
    for folder in ("mine", "mine-after-1"):
        resume(folder, workers=1)
        assert files_of(Path(folder)) == files_of(finished)


def test_a_run_to_its_end_and_its_generations_again(driver: Driver) -> None:
    screen = opened(driver)
    assert screen.session is None
    screen.start.loaded["gavrilov"] = Recipe.load("gavrilov", TINY)
    driver.press("Enter")
    session = session_of(screen)
    assert session.folder == driver_data() / "runs" / "gavrilov-0"
    driver.press("Tab")
    screen.pace.speed = FASTEST
    driver.until(lambda: session.state is State.FINISHED)
    driver.frames(2)
    assert screen.panels.result is not None
    _, unit, origin = screen.panels.result
    assert unit == "lines a game, in 4 held-out games"
    assert origin.startswith("from generation ")
    driver.press("Enter")  # browse
    again = screen.session
    assert isinstance(again, Attached)
    driver.until(lambda: again.step == 4)
    driver.press("PgUp", "PgUp")
    driver.until(lambda: again.step == 2 and again.state is State.ENDED)
    assert again.stage.boards is not None
    assert again.stage.boards.fitness.tolist() == Run(again.folder).population(1).fitness.tolist()
    driver.press("PgDn")
    driver.until(lambda: again.step == 3)
    driver.press("R")
    driver.frames(2)
    driver.press("Esc")
    assert driver.window.running


def driver_data() -> Path:
    from tetrion.app.folders import data_folder

    return data_folder()


def test_a_run_that_was_stopped_goes_on_from_the_screen(driver: Driver, finished: Path) -> None:
    screen = opened(driver, recipe="gavrilov", changes=TINY, out="mine")
    driver.press("G")
    driver.until(lambda: session_of(screen).step == 2)
    driver.press("Esc")
    screen = opened(driver, run="mine")
    assert isinstance(screen.session, Attached)
    assert "Not finished" in screen.chips()
    for size in ((800, 700), (1000, 720), (1280, 800)):
        driver.resize(*size)
        assert driver.screen is screen
        assert "resume" in driver.window.ui.names
    driver.press("T")
    session = session_of(screen)
    screen.pace.speed = FASTEST
    driver.until(lambda: session.ended)
    assert session.state is State.FINISHED, session.message
    assert files_of(Path("mine")) == files_of(finished)


def test_a_run_of_another_version_is_gone_on_with_if_the_person_wants_it(driver: Driver) -> None:
    folder = begin(Recipe.load("gavrilov", TINY), "runs/older")
    notes = json.loads((folder / META).read_text())
    notes["versions"]["tetrion"] = "0.0.1"
    (folder / META).write_text(json.dumps(notes))
    screen = driver.open("evolution")
    assert [(run.words, run.aside) for run in screen.start.known] == [("older", "0 of 4, not begun")]
    driver.click("run 0")
    driver.until(lambda: screen.session.state is State.ENDED)
    driver.press("T")
    driver.until(lambda: screen.session.state is State.FAILED)
    driver.frames(2)
    driver.click("overlay Go on all the same")
    screen.pace.speed = FASTEST
    driver.until(lambda: screen.session.state is State.FINISHED)


def test_what_cannot_be_opened_is_told_and_the_window_goes_on(driver: Driver, finished: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(finished, damaged)
    (damaged / METRICS).write_text("nonsense")
    screen = opened(driver, run=str(damaged))
    assert screen.session is None
    assert "damaged" in screen.problem
    driver.click("overlay Back")
    assert screen.problem == ""
    assert "start" in driver.window.ui.names
    screen.start.recipe = "gavrilow"
    driver.frames(2)
    assert "start" not in driver.window.ui.names  # nothing to start by a recipe that is not there
    screen = opened(driver, run=str(tmp_path / "nowhere"))
    assert screen.problem
    driver.press("Esc")
    assert screen.problem == ""
    driver.press("Esc")
    assert driver.screen is not screen


def test_closing_the_window_keeps_the_run(driver: Driver) -> None:
    screen = opened(driver, recipe="gavrilov", changes=TINY, out="mine")
    driver.press("G")
    driver.until(lambda: session_of(screen).step == 2)
    driver.lose_focus()  # training goes on behind other windows
    assert not screen.pace.paused
    driver.quit()
    assert not driver.window.running
    assert Run("mine").meta["status"] == "stopped"
    assert Run("mine").generations == 1


def test_the_command_helps_before_the_window_opens(finished: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[dict[str, object]] = []
    monkeypatch.setattr("tetrion.app.start.open_window", lambda screen, **options: opened.append(options))
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


def test_a_damaged_run_and_nobodys_home_keep_nothing_closed(driver: Driver) -> None:
    Path("runs/broken").mkdir(parents=True)
    Path("runs/broken/config.toml").write_text("[", encoding="utf-8")
    screen = opened(driver)
    assert [(run.words, run.aside) for run in screen.start.known] == [("broken", "damaged")]
    screen.start.place = "~nobody-of-that-name/here"
    driver.frames(2)
    assert driver.screen is screen


def test_a_q_learner_has_one_board_and_words(driver: Driver) -> None:
    changes = ("episodes=4", "q-learning.pieces=30", "judge.final=3", "judge.every=0", "judge.pieces=50")
    screen = opened(driver, recipe="tetrais-q", changes=changes, out="q")
    session = session_of(screen)
    screen.pace.speed = FASTEST
    driver.until(lambda: session.ended)
    assert session.state is State.FINISHED, session.message
    for size in ((800, 700), (1280, 800)):
        driver.resize(*size)
    assert "individuals" not in " ".join(screen.chips())
