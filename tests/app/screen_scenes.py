"""Every screen in every state that a user meets, for tests that look at all of them."""

from collections.abc import Callable
from typing import Any

from tests.app.saved_games import play_agent_game, play_random_game, play_random_keys, save_game_file
from tests.app.window_driver import WindowDriver
from tetrion.app.game_storage import get_runs_folder
from tetrion.app.games.played_game import COUNTDOWN_SECONDS
from tetrion.app.run_session import LiveTraining
from tetrion.app.screens.settings_screen import SETTINGS_TABS
from tetrion.training.recipe import Recipe
from tetrion.training.trainer import create_run, train

Scene = Callable[[WindowDriver], None]
SMALL_RUN = (
    "population=12",
    "games.max_pieces=[30]",
    "generations=2",
    "validation.games=1",
    "validation.max_pieces=30",
    "validation.final_games=4",
)


def open_menu(driver: WindowDriver) -> None:
    driver.run_frames(2)


def open_play(driver: WindowDriver) -> None:
    driver.open_screen("play", rules="nes")


def run_play(driver: WindowDriver) -> None:
    driver.open_screen("play", rules="nes", start=True, seed=1)


def pause_play(driver: WindowDriver) -> None:
    run_play(driver)
    driver.press("p")


def end_play(driver: WindowDriver) -> None:
    game = play_random_game(1000)
    assert game.is_over
    driver.open_screen("play", game=game)
    driver.run_frames(60)  # keys that are still intended for the game are ignored


def run_modern_play(driver: WindowDriver) -> None:
    driver.open_screen("play", rules="guideline:garbage_rows=2,garbage_interval=2,garbage_delay=3", start=True, seed=1)
    driver.press("c", "Space", "Space", "Space")


def open_cheese_race_without_garbage(driver: WindowDriver) -> None:
    driver.open_screen("play", rules="nes", mode="cheese")


def pause_sprint(driver: WindowDriver) -> None:
    driver.open_screen("play", rules="guideline", mode="sprint", start=True, seed=1)
    driver.run_frames(1, COUNTDOWN_SECONDS)
    driver.press("c", "Space", "Space", "Esc")


def run_blitz(driver: WindowDriver) -> None:
    driver.open_screen("play", rules="nes", mode="blitz", start=True, seed=1)


def run_cheese_race(driver: WindowDriver) -> None:
    driver.open_screen("play", rules="jstris", mode="cheese", start=True, seed=1)


def end_cheese_race(driver: WindowDriver) -> None:
    run_cheese_race(driver)
    driver.run_frames(1, COUNTDOWN_SECONDS)
    driver.press(*["Space"] * 12)
    driver.run_frames(60)


def end_modern_play(driver: WindowDriver) -> None:
    run_modern_play(driver)
    for _ in range(30):
        driver.press("Space")
    driver.run_frames(60)


def open_modern_watch(driver: WindowDriver) -> None:
    open_watch(driver, "dellacherie", "guideline")


def start_modern_match(driver: WindowDriver) -> None:
    start_match(driver, "you", "lee", rules="tetrio")


def open_watch(driver: WindowDriver, agent: str = "medico", rules: str = "medico") -> Any:
    screen = driver.open_screen("watch", agent=agent, rules=rules)
    screen.autoplay = False
    driver.run_until(lambda: screen.agent_game is None or screen.agent_game.decision)
    driver.run_frames(60)
    return screen


def open_watch_with_long_rules(driver: WindowDriver) -> None:
    screen = open_watch(
        driver, "dellacherie", "standard:height=14,preview=2,randomiser=bag,spawn_height=2,scoring=tetrais"
    )
    assert not screen.problem


def end_watch(driver: WindowDriver) -> None:
    screen = driver.open_screen("watch", agent="random", rules="standard-10x10")
    screen.speed = 8000
    screen.autoplay = True
    driver.run_until(lambda: screen.agent_game.game.is_over)
    driver.run_frames(2)


def open_watch_setup(driver: WindowDriver) -> None:
    screen = open_watch(driver)
    screen.open_setup(driver.window.ui)
    driver.run_frames(2)


def open_watch_error(driver: WindowDriver) -> None:
    driver.open_screen("watch", agent="no-agent")


def open_versus(driver: WindowDriver) -> None:
    screen = driver.open_screen("versus")
    driver.run_until(lambda: screen.setup.validation.is_done)
    driver.run_frames(2)


def start_match(driver: WindowDriver, *players: str, rules: str = "standard-10x10") -> Any:
    screen = driver.open_screen("versus", players=players or ("lee", "gavrilov"), rules=rules, seed=7)
    driver.run_until(lambda: screen.match is not None and not screen.match.waiting_message)
    driver.run_frames(1, COUNTDOWN_SECONDS)
    driver.run_frames(2)
    return screen


def start_own_match(driver: WindowDriver) -> None:
    start_match(driver, "you", "lee")


def pause_match(driver: WindowDriver) -> None:
    start_match(driver).match.set_paused(True)
    driver.run_frames(2)


def end_match(driver: WindowDriver) -> None:
    screen = start_match(driver, "random", "random")
    screen.match.speed = 30.0
    driver.run_until(lambda: screen.match.is_over, 0.2)
    driver.run_frames(2)


def open_evolution(driver: WindowDriver) -> None:
    for name in ("one", "two", "three"):
        create_run(Recipe.load("gavrilov", SMALL_RUN), get_runs_folder() / name)
    driver.open_screen("evolution")


def run_evolution(driver: WindowDriver) -> None:
    screen = driver.open_screen("evolution", recipe="gavrilov", seed=1)
    driver.run_until(lambda: screen.session.boards is not None)
    driver.press("Space")
    assert isinstance(screen.session, LiveTraining)
    driver.run_frames(20)


def follow_evolution(driver: WindowDriver) -> None:
    folder = get_runs_folder() / "done"
    train(Recipe.load("gavrilov", SMALL_RUN), folder, workers=1)
    screen = driver.open_screen("evolution", run=str(folder))
    driver.run_until(lambda: screen.session.is_resting and screen.view.result)
    driver.run_frames(20)


def run_modern_evolution(driver: WindowDriver) -> None:
    screen = driver.open_screen("evolution", recipe="modern-1", seed=1)
    driver.run_until(lambda: screen.session.boards is not None)
    driver.press("Space")
    driver.run_frames(20)


def follow_modern_evolution(driver: WindowDriver) -> None:
    folder = get_runs_folder() / "modern"
    settings = ("cma.population=8", "games.count=1", *SMALL_RUN[1:])
    train(Recipe.load("modern-1", settings), folder, workers=1)
    screen = driver.open_screen("evolution", run=str(folder))
    driver.run_until(lambda: screen.session.is_resting and screen.view.result)
    driver.run_frames(20)


def open_replays(driver: WindowDriver) -> Any:
    for game, player in (
        (play_agent_game("dellacherie", pieces=60), "dellacherie"),
        (play_random_game(), "random"),
        (play_random_keys(), "you"),
        *((play_random_keys(seed=seed), "you") for seed in range(20)),
    ):
        save_game_file(game, player)
    screen = driver.open_screen("replays")
    driver.run_until(lambda: screen.library.is_done and screen.final_board and screen.final_board.stack)
    driver.run_frames(2)
    return screen


def ask_to_delete(driver: WindowDriver) -> None:
    open_replays(driver)
    driver.press("Del")
    driver.run_frames(2)


def open_no_replays(driver: WindowDriver) -> None:
    screen = driver.open_screen("replays")
    driver.run_until(lambda: screen.library.is_done)
    driver.run_frames(2)


def open_replay(driver: WindowDriver) -> None:
    screen = driver.open_screen("replay", file=str(save_game_file(play_random_keys(), "you")))
    driver.run_until(lambda: screen.playback)
    driver.press("Space", "→", "→")
    driver.run_frames(2)


def open_modern_replay(driver: WindowDriver) -> None:
    game = play_random_keys("guideline:garbage_rows=1", actions=1500)
    screen = driver.open_screen("replay", file=str(save_game_file(game, "you")))
    driver.run_until(lambda: screen.playback)
    driver.press("Space", "→", "→", "→")
    driver.run_frames(60)


def open_review(driver: WindowDriver) -> None:
    screen = driver.open_screen("review", file=str(save_game_file(play_random_game(), "you")))
    driver.run_until(lambda: screen.grader and screen.grader.is_done)
    driver.run_frames(2)


def open_modern_review(driver: WindowDriver) -> None:
    game = play_agent_game("dellacherie", "guideline:garbage_rows=1,garbage_interval=3,garbage_delay=4", 40)
    screen = driver.open_screen("review", file=str(save_game_file(game, "dellacherie")), agent="lee")
    driver.run_until(lambda: screen.grader and screen.grader.is_done)
    driver.run_frames(2)


def open_practice(driver: WindowDriver) -> None:
    screen = driver.open_screen("practice", rules="nes", agent="dellacherie")
    driver.press("H")
    driver.run_until(lambda: screen.practice_game.advice)
    driver.run_frames(2)


def open_practice_with_a_problem(driver: WindowDriver) -> None:
    driver.open_screen("practice", rules="nonsense", agent="dellacherie")


def open_modern_practice(driver: WindowDriver) -> None:
    screen = driver.open_screen("practice", rules="guideline", agent="dellacherie")
    driver.press("C", "H")
    driver.run_until(lambda: screen.practice_game.advice)
    driver.run_frames(2)


def make_settings_scene(tab: str) -> Scene:
    def open_settings(driver: WindowDriver) -> None:
        driver.open_screen("settings", tab=tab)
        driver.run_frames(2)

    return open_settings


def make_picker_scene(scene: Scene, picker: str) -> Scene:
    """Return a scene in which a picker is open."""

    def open_picker(driver: WindowDriver) -> None:
        scene(driver)
        driver.click(picker)
        driver.run_frames(2)
        assert f"{picker} outside" in driver.window.ui.usable_controls

    return open_picker


SCENES: dict[str, Scene] = {
    "menu": open_menu,
    "play setup": open_play,
    "play running": run_play,
    "play paused": pause_play,
    "play over": end_play,
    "play setup with a problem": open_cheese_race_without_garbage,
    "play sprint paused": pause_sprint,
    "play blitz": run_blitz,
    "play cheese race": run_cheese_race,
    "play cheese race over": end_cheese_race,
    "modern play": run_modern_play,
    "modern play over": end_modern_play,
    "modern watch": open_modern_watch,
    "modern match": start_modern_match,
    "modern replay": open_modern_replay,
    "modern evolution": run_modern_evolution,
    "modern evolution finished": follow_modern_evolution,
    "modern review": open_modern_review,
    "modern practice": open_modern_practice,
    "watch": open_watch,
    "watch with long rules": open_watch_with_long_rules,
    "watch over": end_watch,
    "watch setup": open_watch_setup,
    "watch error": open_watch_error,
    "versus setup": open_versus,
    "versus match": start_match,
    "versus with a person": start_own_match,
    "versus paused": pause_match,
    "versus over": end_match,
    "evolution setup": open_evolution,
    "evolution run": run_evolution,
    "evolution finished": follow_evolution,
    "replays": open_replays,
    "replays to delete": ask_to_delete,
    "replays empty": open_no_replays,
    "replay": open_replay,
    "review": open_review,
    "practice": open_practice,
    "practice with a problem": open_practice_with_a_problem,
    **{f"settings {tab}": make_settings_scene(tab) for tab in SETTINGS_TABS},
}
PICKER_SCENES: dict[str, Scene] = {
    f"{scene}, picker {picker}": make_picker_scene(SCENES[scene], picker)
    for scene, pickers in {
        "play setup": ("rules", "hint agent"),
        "watch setup": ("agent", "rules"),
        "versus setup": ("player 1", "player 2", "rules"),
        "evolution setup": ("recipe", "genetic.mutation_rate"),
        "replays": ("rules",),
        "review": ("agent",),
        "practice": ("rules", "agent"),
        "settings Play": ("set play_rules", "set hint_agent", "set watch_agent"),
    }.items()
    for picker in pickers
}
ALL_SCENES = SCENES | PICKER_SCENES
