"""Watched training has bit-identical results, at any speed and with pauses; runs are followed and replayed."""

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.training.small_recipes import make_small_recipe, read_run_files
from tetrion.agents import load_weighted_agent
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.app.run_session import (
    UNLIMITED_SPEED,
    FollowedRun,
    GenerationPlayer,
    GenerationView,
    LiveTraining,
    PlaybackControl,
    SessionState,
)
from tetrion.board import Board
from tetrion.engine.batch_play import EngineSettings, make_games
from tetrion.engine.rules import Rules
from tetrion.training.fitness import GamesSettings
from tetrion.training.folder_locks import lock_folder
from tetrion.training.run import POPULATION_FOLDER, Run
from tetrion.training.trainer import create_run, train


def wait_until(condition: Callable[[], bool], seconds: float = 20) -> None:
    """Wait for a condition that another thread makes true."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "condition not met"
        time.sleep(0.002)


def wait_for_replay(run: FollowedRun, number: int) -> None:
    wait_until(lambda: run.generation == number + 1 and not run.replay_requested)
    wait_until(lambda: run.state is SessionState.GAMES_OVER)


def start_training(folder: Path, learner: str, *changes: str, speed: float = UNLIMITED_SPEED) -> LiveTraining:
    return LiveTraining(create_run(make_small_recipe(learner, *changes), folder), PlaybackControl(speed))


def make_settings(*limits: int) -> EngineSettings:
    agents = [make_engine_agent(load_weighted_agent("gavrilov"))]
    return EngineSettings.from_agents(agents, Rules.parse("gavrilov"), *limits)


@pytest.mark.parametrize(
    "learner",
    [
        "genetic",
        "cma",
        "q-learning",
        "td",
        *(pytest.param(name, marks=pytest.mark.slow) for name in ("cross-entropy", "harmony")),
    ],
)
def test_watched_run_is_bit_identical(learner: str, tmp_path: Path) -> None:
    train(make_small_recipe(learner), tmp_path / "reference", workers=1)
    folder = tmp_path / "watched"
    first = start_training(folder, learner, speed=3000)
    wait_until(lambda: first.generation_count >= 1 or first.generation >= 3)
    first.playback_control.is_paused = True
    time.sleep(0.2)
    boards, pieces = first.boards, first.step_pieces
    time.sleep(0.1)
    assert (first.boards, first.step_pieces) == (boards, pieces)
    start = time.monotonic()
    first.close()
    assert time.monotonic() - start < 2
    assert first.state is SessionState.STOPPED
    assert Run(folder).meta["status"] == "stopped"
    resumed = LiveTraining(folder, PlaybackControl(UNLIMITED_SPEED))
    resumed.playback_control.is_paused = True
    resumed.playback_control.skip()
    wait_until(lambda: resumed.is_over)
    resumed.close()
    assert resumed.state is SessionState.FINISHED, resumed.message
    assert read_run_files(folder) == read_run_files(tmp_path / "reference")
    assert resumed.generation_count == resumed.generation == 5
    if resumed.boards and resumed.run.has_population:
        assert resumed.boards.fitness.tolist() == Run(folder).load_population(4).fitness.tolist()


@pytest.mark.parametrize("step", [1, 7])
def test_tracked_cells_match_the_boards(step: int) -> None:
    games = make_games(20, 3)
    view = GenerationView(games, make_settings(120), GamesSettings())
    with GenerationPlayer(PlaybackControl(UNLIMITED_SPEED)) as player:
        while not view.is_over:
            player.place_pieces(view, step)
            stacks = view.stack_tracker.stacks
            for stack, columns in zip(stacks, games["board"].tolist(), strict=True):
                assert Board.from_text(stack.to_text(24), 24).columns == tuple(columns)
    letters = {letter for stack in stacks for row in stack.rows for letter in row}
    assert letters == set(".IOTSZJL") if step == 1 else "#" in letters, "cells of several pieces are unknown"
    assert not any(stack.full_rows for stack in stacks)


@pytest.mark.parametrize(
    "changes",
    [
        (),
        ("agent.design=modes", "agent.base=medico", "agent.features=[]", "rules=medico"),
    ],
)
def test_replayed_generation_has_its_saved_fitness(changes: tuple[str, ...], tmp_path: Path) -> None:
    run = train(make_small_recipe("genetic", *changes), tmp_path / "run", workers=1)
    followed_run = FollowedRun(run.folder, PlaybackControl(UNLIMITED_SPEED))
    assert followed_run.is_finished
    for steps, number in ((0, 4), (-3, 1), (0, 1)):
        followed_run.select_relative(steps)
        wait_for_replay(followed_run, number)
        assert followed_run.boards is not None
        assert followed_run.boards.fitness.tolist() == run.load_population(number).fitness.tolist()
    followed_run.close()


def test_growing_run_is_followed(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    training = start_training(folder, "genetic", "stop.generations=200")
    wait_until(lambda: Run(folder).generation_count > 1)
    followed_run = FollowedRun(folder, PlaybackControl(UNLIMITED_SPEED))
    initial_length = followed_run.generation_count
    wait_until(lambda: followed_run.generation_count > initial_length and followed_run.is_trained_elsewhere)
    assert followed_run.selected_generation is None, "the latest one"
    training.close()
    wait_until(lambda: not followed_run.is_trained_elsewhere)
    followed_run.select_relative(-(10**6))
    wait_for_replay(followed_run, 0)
    followed_run.select_relative(10**6)
    wait_until(lambda: followed_run.generation == Run(folder).generation_count)
    followed_run.close()
    with lock_folder(folder):  # the lock is released
        pass


def test_damaged_files_are_error_messages(tmp_path: Path) -> None:
    run = train(make_small_recipe("genetic"), tmp_path / "run", workers=1)
    (run.folder / POPULATION_FOLDER / "generation_00002.csv").write_text("half")
    followed_run = FollowedRun(run.folder, PlaybackControl(UNLIMITED_SPEED))
    followed_run.select_relative(-3)
    wait_until(lambda: followed_run.state is SessionState.FAILED)
    assert "generation_00002.csv is damaged" in followed_run.message
    followed_run.select_relative(1)
    wait_for_replay(followed_run, 2)
    followed_run.close()
