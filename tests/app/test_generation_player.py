"""Watched training has bit-identical results, at any speed and with pauses."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tests.training.small_recipes import make_small_recipe, read_run_files
from tetrion.agents import load_weighted_agent
from tetrion.app.evolution.generation_player import (
    UNLIMITED_SPEED,
    GenerationPlayer,
    GenerationView,
    PlaybackControl,
    PlaybackStep,
    StackTracker,
)
from tetrion.app.evolution.run_session import (
    LATEST_GENERATION,
    FollowedRun,
    LiveTraining,
    RunSession,
    SessionState,
    load_run_history,
)
from tetrion.board import Board, Placement
from tetrion.engine.batch_play import EngineSettings, make_games
from tetrion.engine.placing import STATUS_PLAYING
from tetrion.engine.rules import Rules
from tetrion.errors import RunError
from tetrion.evaluation.workers import start_threads
from tetrion.stack import Stack
from tetrion.training.fitness import GamesSettings
from tetrion.training.folder_locks import lock_folder
from tetrion.training.run import METRICS_FILE, POPULATION_FOLDER, Run
from tetrion.training.trainer import create_run, train

LEARNERS = ("genetic", "cross-entropy", "cma", "harmony", "q-learning", "td")


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Wait for a condition that another thread makes true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "condition not met"
        time.sleep(0.002)


def wait_for_replay(followed_run: FollowedRun, number: int) -> None:
    wait_until(
        lambda: (
            followed_run.state is SessionState.GAMES_OVER
            and followed_run.generation == number + 1
            and not followed_run.replay_requested
        )
    )


def wait_for_end(session: RunSession) -> RunSession:
    wait_until(lambda: session.is_over)
    session.close()
    return session


@pytest.mark.parametrize("learner", LEARNERS)
def test_watched_run_is_bit_identical(learner: str, tmp_path: Path) -> None:
    train(make_small_recipe(learner), tmp_path / "reference", workers=1)
    slow, fast = PlaybackControl(3000), PlaybackControl(UNLIMITED_SPEED)
    first = LiveTraining(create_run(make_small_recipe(learner), tmp_path / "watched"), slow)
    wait_until(lambda: len(first.history) >= 1 or first.generation >= 3)
    slow.is_paused = True
    time.sleep(0.03)
    slow.is_paused = False
    first.close()
    assert first.state is SessionState.STOPPED
    assert Run(tmp_path / "watched").meta["status"] == "stopped"
    resumed = LiveTraining(tmp_path / "watched", fast)
    fast.is_paused = True
    fast.skip()
    assert wait_for_end(resumed).state is SessionState.FINISHED, resumed.message
    assert read_run_files(tmp_path / "watched") == read_run_files(tmp_path / "reference")
    assert len(resumed.history) == 5
    assert resumed.generation == 5


def test_games_are_the_same_at_any_speed() -> None:
    rules = Rules.parse("gavrilov")
    agents = [load_weighted_agent("gavrilov").to_engine_agent()]
    for caps in ((150, 10**9), (10**9, 40)):
        setting = EngineSettings.from_agents(agents, rules, *caps)
        expected = make_games(30, 5)
        with start_threads(2) as workers:
            workers.play(expected, setting)
        for speed in (20_000, UNLIMITED_SPEED):
            with GenerationPlayer(PlaybackControl(speed)) as player:
                watched = make_games(30, 5)
                assert not player.play(watched, setting)
                assert (watched == expected).all()


def test_tracked_cells_match_the_boards() -> None:
    setting = EngineSettings.from_agents(
        [load_weighted_agent("gavrilov").to_engine_agent()], Rules.parse("gavrilov"), 120
    )
    with GenerationPlayer(PlaybackControl(UNLIMITED_SPEED)) as player:
        games = make_games(20, 3)
        tracker = StackTracker(games, 20)
        while (games["status"] == STATUS_PLAYING).any():
            player.play_one_piece(GenerationView(games, setting, GamesSettings()))
            tracker.update(games)
            for stack, columns in zip(tracker.stacks, games["board"].tolist(), strict=True):
                assert Board.from_text(stack.to_text(24), 24).columns == tuple(columns)
    assert {letter for stack in tracker.stacks for row in stack.rows for letter in row} == set(".IOTSZJL")
    assert not any(stack.full_rows for stack in tracker.stacks)


def test_tracked_cells_become_unknown_if_several_pieces_were_placed() -> None:
    games = make_games(1, 3)
    tracker = StackTracker(games, 20)
    games["pieces"] = 1
    games["placement"] = [Placement("O", 0, 0, 0).orientation, 0, 0]
    games["board"][0, :2] = 3
    tracker.update(games)
    games["pieces"] = 3
    games["board"][0, 9] = 5
    tracker.update(games)
    assert tracker.stacks[0] == Stack(("OO.......#", "OO........", ".........#"))
    games["pieces"] = 5
    games["lines"] = 1
    tracker.update(games)
    assert tracker.stacks[0] == Stack(("##.......#", "##........", ".........#"))


def test_most_pieces_are_known_after_fast_forward() -> None:
    setting = EngineSettings.from_agents(
        [load_weighted_agent("gavrilov").to_engine_agent()], Rules.parse("gavrilov"), 3000
    )
    with GenerationPlayer(PlaybackControl(UNLIMITED_SPEED)) as player:
        player.fast_forward_pieces = 2000
        games = make_games(20, 3)
        assert not player.play(games, setting)
        boards = player.boards
    assert boards is not None
    cells = "".join(row for stack in boards.stacks for row in stack.rows)
    assert cells.count("#") < (len(cells) - cells.count(".")) / 2
    assert boards.pieces_placed == boards.max_pieces == 3000


def test_pause_and_fast_forward(tmp_path: Path) -> None:
    playback_control = PlaybackControl(50)
    training = LiveTraining(create_run(make_small_recipe("genetic"), tmp_path / "run"), playback_control)
    wait_until(lambda: training.boards is not None and training.boards.pieces_placed >= 2)
    playback_control.is_paused = True
    time.sleep(0.2)
    boards = training.boards
    time.sleep(0.1)
    assert training.boards is boards
    assert boards is not None
    assert training.generation == 1
    assert len(boards) == 6
    assert boards.games_per_candidate == 2
    assert boards.max_pieces == 40
    assert 2 <= boards.pieces_placed < 40
    playback_control.skip()  # ends the pause, and is turned off with the next generation
    wait_until(lambda: training.generation == 2)
    assert not playback_control.is_fast_forward
    assert not playback_control.is_paused
    start = time.monotonic()
    training.close()
    assert time.monotonic() - start < 2
    assert training.state is SessionState.STOPPED
    assert Run(tmp_path / "run").generation_count == 1


def test_playback_speed_is_moves_per_second() -> None:
    playback_control = PlaybackControl(200)
    start = time.monotonic()
    for _ in range(41):
        assert playback_control.wait_for_step() is PlaybackStep.ONE_PIECE
    assert 0.1 <= time.monotonic() - start < 1
    playback_control.speed = UNLIMITED_SPEED
    assert playback_control.wait_for_step() is PlaybackStep.FAST_FORWARD
    playback_control.is_paused = True
    stopper = threading.Timer(0.02, lambda: setattr(playback_control, "is_stopped", True))
    stopper.start()
    assert playback_control.wait_for_step() is PlaybackStep.STOP


def test_shown_fitness_equals_saved_fitness(tmp_path: Path) -> None:
    training = LiveTraining(
        create_run(make_small_recipe("genetic", "stop.generations=1"), tmp_path / "run"),
        PlaybackControl(UNLIMITED_SPEED),
    )
    wait_for_end(training)
    boards = training.boards
    assert boards is not None
    assert boards.fitness.tolist() == Run(tmp_path / "run").load_population(0).fitness.tolist()
    assert not boards.is_playing.any()


@pytest.mark.parametrize("learner", ["genetic", "modes", "curves"])
def test_replayed_generation_has_its_saved_fitness(learner: str, tmp_path: Path) -> None:
    changes = {
        "genetic": [],
        "modes": ["agent.design=modes", "agent.base=medico", "agent.features=[]", "rules=medico"],
        "curves": ["agent.design=curves", "agent.features=[]", "rules=becker"],
    }[learner]
    run = train(make_small_recipe("genetic", *changes), tmp_path / "run", workers=1)
    followed_run = FollowedRun(run.folder, PlaybackControl(UNLIMITED_SPEED))
    assert followed_run.is_finished
    for number in (4, 1, 1):
        if number < 4:
            followed_run.select_generation(number)
        wait_for_replay(followed_run, number)
        assert followed_run.boards is not None
        assert followed_run.boards.fitness.tolist() == run.load_population(number).fitness.tolist()
    followed_run.close()


def test_growing_run_is_followed(tmp_path: Path) -> None:
    training = LiveTraining(
        create_run(make_small_recipe("genetic", "stop.generations=200"), tmp_path / "run"),
        PlaybackControl(UNLIMITED_SPEED),
    )
    wait_until(lambda: len(Run(tmp_path / "run").metrics["mean"]) > 1)
    followed_run = FollowedRun(tmp_path / "run", PlaybackControl(UNLIMITED_SPEED))
    initial_length = len(followed_run.history)
    wait_until(lambda: len(followed_run.history) > initial_length)
    wait_until(lambda: followed_run.is_trained_elsewhere)
    assert followed_run.follows_latest
    training.close()
    wait_until(lambda: not followed_run.is_trained_elsewhere)
    followed_run.select_generation(0)
    wait_for_replay(followed_run, 0)
    followed_run.select_generation(LATEST_GENERATION)
    wait_until(lambda: followed_run.generation == len(Run(tmp_path / "run").metrics["mean"]))
    followed_run.close()
    with lock_folder(tmp_path / "run"):  # the lock is released
        pass


def test_q_learner_has_one_board(tmp_path: Path) -> None:
    training = LiveTraining(create_run(make_small_recipe("q-learning"), tmp_path / "run"), PlaybackControl(2000))
    wait_until(lambda: training.boards is not None)
    assert training.is_single_learner
    wait_for_end(training)
    assert training.state is SessionState.FINISHED, training.message
    assert list(training.history.curves) == ["Episode", "Mean of 50"]
    followed_run = FollowedRun(tmp_path / "run", PlaybackControl(UNLIMITED_SPEED))
    wait_until(lambda: followed_run.state is SessionState.GAMES_OVER)
    assert followed_run.boards is not None
    assert len(followed_run.boards) == 1
    assert 1 <= followed_run.boards.pieces_placed <= 40
    followed_run.close()


def test_history_has_mean_weights_and_tolerates_damaged_files(tmp_path: Path) -> None:
    run = train(make_small_recipe("genetic"), tmp_path / "run", workers=1)
    history = load_run_history(run)
    assert history.mean_weights.tolist() == [run.load_population(n).candidates.mean(axis=0).tolist() for n in range(5)]
    assert history.weight_names == run.parameter_names
    (run.folder / POPULATION_FOLDER / "generation_00002.csv").write_text("half")
    assert np.isnan(load_run_history(run).mean_weights[1]).all()
    assert load_run_history(run, history).mean_weights.tolist() == history.mean_weights.tolist()
    followed_run = FollowedRun(run.folder, PlaybackControl(UNLIMITED_SPEED))
    followed_run.select_generation(1)
    wait_until(lambda: followed_run.state is SessionState.FAILED)
    assert "generation_00002.csv is damaged" in followed_run.message
    followed_run.select_generation(2)
    wait_for_replay(followed_run, 2)
    followed_run.close()
    (run.folder / METRICS_FILE).write_text("nonsense")
    with pytest.raises(RunError, match=r"metrics\.csv"):
        FollowedRun(run.folder)


def test_locked_run_is_an_error_message(tmp_path: Path) -> None:
    folder = create_run(make_small_recipe("genetic"), tmp_path / "run")
    with lock_folder(folder):
        training = wait_for_end(LiveTraining(folder, PlaybackControl(UNLIMITED_SPEED)))
    assert training.state is SessionState.FAILED
    assert "is in use by another process" in training.message


def test_history_includes_the_last_generation(tmp_path: Path) -> None:
    playback_control = PlaybackControl(UNLIMITED_SPEED)
    training = LiveTraining(
        create_run(make_small_recipe("genetic", "stop.generations=500"), tmp_path / "run"), playback_control
    )
    wait_until(lambda: training.generation > 3)
    playback_control.is_paused = True
    wait_until(lambda: len(training.history) == training.generation - 1)
    training.close()
