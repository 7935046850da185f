"""Training that is watched is the same training to the bit, whatever a person does meanwhile."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tetrion.agents import load_weighted_agent
from tetrion.app.evolution.cell_tracker import CELL_LETTERS, TRACKED_ROWS, UNKNOWN_CELL_CODE, CellTracker, make_stack
from tetrion.app.evolution.evolution_session import EvolutionSession, SessionState
from tetrion.app.evolution.followed_run import LATEST_GENERATION, FollowedRun
from tetrion.app.evolution.generation_player import TRACKED_PIECES, GenerationPlayer, GenerationView
from tetrion.app.evolution.live_training import LiveTraining
from tetrion.app.evolution.playback_speed import UNLIMITED_SPEED, PlaybackSpeed, PlaybackStep
from tetrion.app.evolution.run_history import load_run_history
from tetrion.engine.batch_play import STATUS_PLAYING, EngineSettings, make_games
from tetrion.engine.rules import Rules
from tetrion.errors import RunError
from tetrion.evaluation.workers import start_threads
from tetrion.training.fitness import GamesSettings
from tetrion.training.run import METRICS_FILE, POPULATION_FOLDER, Run
from tetrion.training.run_writer import lock_folder
from tetrion.training.trainer import create_run, train
from training.small_recipes import files_of, small

LEARNERS = ("genetic", "cross-entropy", "cma", "harmony", "q-learning")


def until(happens: Callable[[], bool], seconds: float = 20) -> None:
    """Wait for something that another thread does."""
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.002)


def until_ended(following: FollowedRun, number: int) -> None:
    until(
        lambda: (
            following.state is SessionState.GAMES_OVER
            and following.generation == number + 1
            and not following.replay_requested
        )
    )


def ended(session: EvolutionSession) -> EvolutionSession:
    until(lambda: session.is_over)
    session.close()
    return session


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_watched_run_is_the_same_to_the_bit(learner: str, tmp_path: Path) -> None:
    train(small(learner), tmp_path / "unseen", workers=1)
    slow, fast = PlaybackSpeed(3000), PlaybackSpeed(UNLIMITED_SPEED)
    first = LiveTraining(create_run(small(learner), tmp_path / "watched"), slow)
    until(lambda: len(first.history) >= 1 or first.generation >= 3)
    slow.is_paused = True
    time.sleep(0.03)
    slow.is_paused = False
    first.close()
    assert first.state is SessionState.STOPPED
    assert Run(tmp_path / "watched").meta["status"] == "stopped"
    again = LiveTraining(tmp_path / "watched", fast)
    fast.is_paused = True
    fast.is_fast_forward = True
    assert ended(again).state is SessionState.FINISHED, again.message
    assert files_of(tmp_path / "watched") == files_of(tmp_path / "unseen")
    assert len(again.history) == 5
    assert again.make_snapshot().generation == 5


def test_games_end_as_they_would_have_in_one_go_at_any_pace() -> None:
    rules = Rules.parse("gavrilov")
    agents = [load_weighted_agent("gavrilov").compile()]
    for caps in ((150, 10**9), (10**9, 40)):
        setting = EngineSettings.from_agents(agents, rules, *caps)
        straight = make_games(30, 5)
        with start_threads(2) as workers:
            workers.play(straight, setting)
        for speed in (20_000, UNLIMITED_SPEED):
            with GenerationPlayer(PlaybackSpeed(speed)) as stage:
                watched = make_games(30, 5)
                assert not stage.play(watched, setting)
                assert (watched == straight).all()


def test_letters_lie_where_the_board_is_filled() -> None:
    setting = EngineSettings.from_agents([load_weighted_agent("gavrilov").compile()], Rules.parse("gavrilov"), 120)
    with GenerationPlayer(PlaybackSpeed(UNLIMITED_SPEED)) as stage:
        games = make_games(20, 3)
        letters = CellTracker(games)
        while (games["status"] == STATUS_PLAYING).any():
            stage.play_one_piece(games, setting, GenerationView(games, setting, GamesSettings(), None, None))
            letters.update(games)
            filled = games["board"][:, None, :] >> np.arange(TRACKED_ROWS)[:, None] & 1
            assert ((letters.cells > 0) == filled).all()
            assert (letters.cells != UNKNOWN_CELL_CODE).all()
    assert {CELL_LETTERS[number] for number in np.unique(letters.cells)} == set(".IOTSZJL")
    stack = make_stack(letters.cells[0], 20)
    assert stack.full_rows == ()
    assert sum(row.count(".") for row in stack.rows) == 10 * len(stack.rows) - int(filled[0].sum())


def test_after_a_leap_most_letters_are_known() -> None:
    setting = EngineSettings.from_agents([load_weighted_agent("gavrilov").compile()], Rules.parse("gavrilov"), 3000)
    with GenerationPlayer(PlaybackSpeed(UNLIMITED_SPEED)) as stage:
        stage.fast_forward_pieces = 2000
        games = make_games(20, 3)
        assert not stage.play(games, setting)
        boards = stage.boards
    assert boards is not None
    filled, unknown = (boards.cells > 0).sum(), (boards.cells == UNKNOWN_CELL_CODE).sum()
    assert unknown < filled / 2
    assert TRACKED_PIECES < 3000 == boards.pieces_placed == boards.max_pieces


def test_a_person_sets_the_pace(tmp_path: Path) -> None:
    pace = PlaybackSpeed(50)
    training = LiveTraining(create_run(small("genetic"), tmp_path / "run"), pace)
    until(
        lambda: training.generation_player.boards is not None and training.generation_player.boards.pieces_placed >= 2
    )
    pace.is_paused = True
    time.sleep(0.2)
    seen = training.make_snapshot()
    time.sleep(0.1)
    now = training.make_snapshot()
    assert seen.is_paused
    assert seen.boards is not None
    assert now.boards is seen.boards  # nothing moves, and nothing was torn
    assert seen.generation == 1
    assert len(seen.boards) == 6
    assert seen.boards.games_per_candidate == 2
    assert seen.boards.max_pieces == 40
    assert 2 <= seen.boards.pieces_placed < 40
    pace.is_fast_forward = True  # skipping goes on, and ends with the generation
    until(lambda: training.generation == 2)
    assert not pace.is_fast_forward
    assert not pace.is_paused
    start = time.monotonic()
    training.close()
    assert time.monotonic() - start < 2
    assert training.state is SessionState.STOPPED
    assert Run(tmp_path / "run").generation_count == 1


def test_the_pace_is_moves_a_second() -> None:
    pace = PlaybackSpeed(200)
    start = time.monotonic()
    for _ in range(41):
        assert pace.wait_for_step() is PlaybackStep.ONE_PIECE
    assert 0.1 <= time.monotonic() - start < 1
    pace.speed = UNLIMITED_SPEED
    assert pace.wait_for_step() is PlaybackStep.FAST_FORWARD
    pace.is_paused = True
    stopper = threading.Timer(0.02, lambda: setattr(pace, "is_stopped", True))
    stopper.start()
    assert pace.wait_for_step() is PlaybackStep.STOP


def test_fitness_so_far_is_what_is_told_in_the_end(tmp_path: Path) -> None:
    training = LiveTraining(
        create_run(small("genetic", "stop.generations=1"), tmp_path / "run"), PlaybackSpeed(UNLIMITED_SPEED)
    )
    ended(training)
    boards = training.generation_player.boards
    assert boards is not None
    assert boards.fitness.tolist() == Run(tmp_path / "run").load_population(0).fitness.tolist()
    assert not boards.is_playing.any()


@pytest.mark.parametrize("learner", ["genetic", "modes", "curves"])
def test_a_generation_is_played_again_as_it_was(learner: str, tmp_path: Path) -> None:
    changes = {
        "genetic": [],
        "modes": ["agent.design=modes", "agent.base=medico", "agent.features=[]", "rules=medico"],
        "curves": ["agent.design=curves", "agent.features=[]", "rules=becker"],
    }[learner]
    run = train(small("genetic", *changes), tmp_path / "run", workers=1)
    following = FollowedRun(run.folder, PlaybackSpeed(UNLIMITED_SPEED))
    assert following.is_finished
    for number in (4, 1, 1):
        if number < 4:
            following.select_generation(number)
        until_ended(following, number)
        assert following.generation_player.boards is not None
        assert following.generation_player.boards.fitness.tolist() == run.load_population(number).fitness.tolist()
    following.close()


def test_a_run_that_grows_is_followed(tmp_path: Path) -> None:
    training = LiveTraining(
        create_run(small("genetic", "stop.generations=200"), tmp_path / "run"), PlaybackSpeed(UNLIMITED_SPEED)
    )
    until(lambda: len(Run(tmp_path / "run").metrics["mean"]) > 1)
    following = FollowedRun(tmp_path / "run", PlaybackSpeed(UNLIMITED_SPEED))
    known = len(following.history)
    until(lambda: len(following.history) > known)
    until(lambda: following.is_trained_elsewhere)
    assert following.follows_latest
    training.close()
    until(lambda: not following.is_trained_elsewhere)
    following.select_generation(0)
    until_ended(following, 0)
    following.select_generation(LATEST_GENERATION)
    until(lambda: following.generation == len(Run(tmp_path / "run").metrics["mean"]))
    following.close()
    with lock_folder(tmp_path / "run"):  # nobody holds it any more
        pass


def test_a_q_learner_is_watched_alone(tmp_path: Path) -> None:
    training = LiveTraining(create_run(small("q-learning"), tmp_path / "run"), PlaybackSpeed(2000))
    until(lambda: training.generation_player.boards is not None)
    assert training.is_single_learner
    ended(training)
    assert training.state is SessionState.FINISHED, training.message
    assert list(training.history.curves) == ["Episode", "Mean of 50"]
    following = FollowedRun(tmp_path / "run", PlaybackSpeed(UNLIMITED_SPEED))
    until(lambda: following.state is SessionState.GAMES_OVER)
    assert following.generation_player.boards is not None
    assert len(following.generation_player.boards) == 1
    assert 1 <= following.generation_player.boards.pieces_placed <= 40
    following.close()


def test_history_tells_the_mean_weights_and_bears_losses(tmp_path: Path) -> None:
    run = train(small("genetic"), tmp_path / "run", workers=1)
    history = load_run_history(run.folder)
    assert history.mean_weights.tolist() == [run.load_population(n).candidates.mean(axis=0).tolist() for n in range(5)]
    assert history.weight_names == run.parameter_names
    (run.folder / POPULATION_FOLDER / "generation_00002.csv").write_text("half")
    assert np.isnan(load_run_history(run.folder).mean_weights[1]).all()
    assert load_run_history(run.folder, history).mean_weights.tolist() == history.mean_weights.tolist()
    following = FollowedRun(run.folder, PlaybackSpeed(UNLIMITED_SPEED))
    following.select_generation(1)
    until(lambda: following.state is SessionState.FAILED)
    assert "generation_00002.csv is damaged" in following.make_snapshot().message
    following.select_generation(2)
    until_ended(following, 2)
    following.close()
    (run.folder / METRICS_FILE).write_text("nonsense")
    with pytest.raises(RunError, match=r"metrics\.csv"):
        FollowedRun(run.folder)


def test_what_goes_wrong_is_told(tmp_path: Path) -> None:
    folder = create_run(small("genetic"), tmp_path / "run")
    with lock_folder(folder):
        training = ended(LiveTraining(folder, PlaybackSpeed(UNLIMITED_SPEED)))
    assert training.state is SessionState.FAILED
    assert "is in use by another process" in training.make_snapshot().message


def test_curves_end_with_the_last_generation(tmp_path: Path) -> None:
    pace = PlaybackSpeed(UNLIMITED_SPEED)
    training = LiveTraining(create_run(small("genetic", "stop.generations=500"), tmp_path / "run"), pace)
    until(lambda: training.generation > 3)
    pace.is_paused = True
    until(lambda: len(training.make_snapshot().history) == training.generation - 1)
    training.close()
