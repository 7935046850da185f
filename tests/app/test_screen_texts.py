"""Tests of the texts of Evolution, Versus and Practice at every window size."""

import math
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.app.drawn_texts import WINDOW_SIZES, check_texts
from tests.app.window_driver import WindowDriver
from tetrion.app.evolution.run_session import SessionState
from tetrion.app.screens.evolution_screen import EvolutionScreen
from tetrion.app.screens.practice_screen import PracticeScreen
from tetrion.app.screens.versus_screen import VersusScreen
from tetrion.training.recipe import Recipe
from tetrion.training.trainer import create_run, resume

QUICK_CHANGES = ("games.max_pieces=[850]", "generations=7", "validation.final_games=20")


def resize_to_all_sizes(driver: WindowDriver) -> Iterator[None]:
    """Resize the window to every size, and to the largest scale on a small screen."""
    for size in WINDOW_SIZES:
        driver.resize(*size)
        driver.run_frames(10)
        yield
    driver.window.change_settings(scale="150 %")
    driver.resize(1366, 768)
    driver.run_frames(10)
    yield


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a finished run whose best fitness in training is higher than its result."""
    folder = create_run(Recipe.load("gavrilov", QUICK_CHANGES), tmp_path_factory.mktemp("runs") / "quick")
    resume(folder, workers=1)
    return folder


def test_result_of_a_run_is_explained_at_every_size(driver: WindowDriver) -> None:
    screen: EvolutionScreen = driver.open_screen("evolution", recipe="gavrilov", changes=QUICK_CHANGES, out="mine")
    screen.playback_control.speed = math.inf
    driver.run_until(lambda: screen.session and screen.session.is_over and screen.panels.result)
    result = screen.panels.result
    assert result
    for _ in resize_to_all_sizes(driver):
        text = check_texts(driver)
        assert "Result on 20 held-out games" in text
        assert result.number in text
        assert result.interval in text
        assert f"{result.best_label} {result.best}" in text
        assert "is kept" in text
        assert "partly luck" in text
        assert "Finished. Saved as mine" in text


def test_result_is_explained_while_generations_are_browsed(driver: WindowDriver, run_folder: Path) -> None:
    screen: EvolutionScreen = driver.open_screen("evolution", run=str(run_folder))
    screen.playback_control.speed = math.inf
    driver.run_until(lambda: screen.session and screen.session.state is SessionState.GAMES_OVER)
    for _ in resize_to_all_sizes(driver):
        text = check_texts(driver)
        assert "Result on 20 held-out games" in text
        assert "Best in training" in text
        assert "is kept" in text
        assert "partly luck" in text


@pytest.mark.parametrize("screen_name", ["evolution", "versus"])
def test_setup_starts_with_a_button_at_the_bottom_right(
    driver: WindowDriver, screen_name: str, run_folder: Path
) -> None:
    screen = driver.open_screen(screen_name)
    if isinstance(screen, VersusScreen):
        driver.run_until(lambda: screen.setup.validation.result)
    for _ in resize_to_all_sizes(driver):
        text = check_texts(driver)
        assert "Seed Random Given" in text
        assert "Start Enter" in text
        ui = driver.window.ui
        assert ui.focus == "start"
        start = ui.get_box("start")
        others = [ui.get_box(name) for name in ui.focusable_names if name not in ("start", "back")]
        in_panel = [box for box in others if box.top < start.bottom and box.left < start.right]
        assert all(box.right <= start.right + 1 and box.bottom <= start.top for box in in_panel)


def test_enter_starts_from_every_field(driver: WindowDriver, run_folder: Path) -> None:
    for number, field in enumerate(("recipe", "genetic.population", "genetic.mutation_rate", "seed")):
        screen: EvolutionScreen = driver.open_screen("evolution")
        driver.window.ui.request_focus("seed")
        driver.run_frames(2)
        driver.type(str(number))
        driver.window.ui.request_focus(field)
        driver.run_frames(2)
        driver.press("Enter")
        assert screen.session is not None
        assert screen.session.recipe.seed == number
        screen.session.close()


def test_run_with_a_random_seed_is_saved_under_its_seed(driver: WindowDriver) -> None:
    screen: EvolutionScreen = driver.open_screen("evolution")
    assert screen.setup.seed == 0
    driver.click("seed mode", x=0.2)
    assert not screen.setup.seed_choice.is_given
    assert "seed" not in driver.window.ui.focusable_names
    seed = screen.setup.seed
    assert screen.setup.folder.name == f"gavrilov-{seed}"
    driver.click("start")
    assert screen.session is not None
    assert screen.session.recipe.seed == seed


def test_practice_shows_problems_in_its_panel_at_every_size(driver: WindowDriver) -> None:
    screen: PracticeScreen = driver.open_screen("practice", rules="gavrilov")
    for _ in resize_to_all_sizes(driver):
        screen.practice_game.problem = ""
        assert "Right mouse button:" in check_texts(driver)
        screen.practice_game.problem = "A full row would be cleared. Leave a gap."
        assert "Leave a gap." in check_texts(driver)
        assert not driver.window.notice
