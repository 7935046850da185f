"""Training that is watched is the same training to the bit, whatever a person does meanwhile."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tetrion.agents import data_agent
from tetrion.app.evolution.attached import LATEST, Attached
from tetrion.app.evolution.evolving import Evolving
from tetrion.app.evolution.history import read_history
from tetrion.app.evolution.letters import NOT_KNOWN, ROWS, SIGNS, Letters, stack_of
from tetrion.app.evolution.pace import FASTEST, Pace, Turn
from tetrion.app.evolution.session import Session, State
from tetrion.app.evolution.stage import COLOURED, Stage, View
from tetrion.engine.play import PLAYING, Setting, new_games
from tetrion.engine.rules import Rules
from tetrion.errors import RunError
from tetrion.evaluation.workers import threads
from tetrion.training.fitness import GamesSettings
from tetrion.training.keeping import locked
from tetrion.training.run import METRICS, POPULATION, Run
from tetrion.training.trainer import begin, train
from training.small import files_of, small

LEARNERS = ("genetic", "cross-entropy", "cma", "harmony", "q-learning")


def until(happens: Callable[[], bool], seconds: float = 20) -> None:
    """Wait for something that another thread does."""
    end = time.monotonic() + seconds
    while not happens():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.002)


def until_ended(following: Attached, number: int) -> None:
    until(lambda: following.state is State.ENDED and following.step == number + 1 and not following.again)


def ended(session: Session) -> Session:
    until(lambda: session.ended)
    session.close()
    return session


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_watched_run_is_the_same_to_the_bit(learner: str, tmp_path: Path) -> None:
    train(small(learner), tmp_path / "unseen", workers=1)
    slow, fast = Pace(3000), Pace(FASTEST)
    first = Evolving(begin(small(learner), tmp_path / "watched"), slow)
    until(lambda: len(first.history) >= 1 or first.step >= 3)
    slow.paused = True
    time.sleep(0.03)
    slow.paused = False
    first.close()
    assert first.state is State.STOPPED
    assert Run(tmp_path / "watched").meta["status"] == "stopped"
    again = Evolving(tmp_path / "watched", fast)
    fast.paused = True
    fast.hasty = True
    assert ended(again).state is State.FINISHED, again.message
    assert files_of(tmp_path / "watched") == files_of(tmp_path / "unseen")
    assert len(again.history) == 5
    assert again.snapshot().step == 5


def test_games_end_as_they_would_have_in_one_go_at_any_pace() -> None:
    rules = Rules.parse("gavrilov")
    agents = [data_agent("gavrilov").compiled()]
    for caps in ((150, 10**9), (10**9, 40)):
        setting = Setting.of(agents, rules, *caps)
        straight = new_games(30, 5)
        with threads(2) as workers:
            workers.play(straight, setting)
        for speed in (20_000, FASTEST):
            with Stage(Pace(speed)) as stage:
                watched = new_games(30, 5)
                assert not stage.play(watched, setting)
                assert (watched == straight).all()


def test_letters_lie_where_the_board_is_filled() -> None:
    setting = Setting.of([data_agent("gavrilov").compiled()], Rules.parse("gavrilov"), 120)
    with Stage(Pace(FASTEST)) as stage:
        games = new_games(20, 3)
        letters = Letters(games)
        while (games["status"] == PLAYING).any():
            stage.step(games, setting, View(games, setting, GamesSettings(), None, None))
            letters.follow(games)
            filled = games["board"][:, None, :] >> np.arange(ROWS)[:, None] & 1
            assert ((letters.cells > 0) == filled).all()
            assert (letters.cells != NOT_KNOWN).all()
    assert {SIGNS[number] for number in np.unique(letters.cells)} == set(".IOTSZJL")
    stack = stack_of(letters.cells[0], 20)
    assert stack.full_rows == ()
    assert sum(row.count(".") for row in stack.rows) == 10 * len(stack.rows) - int(filled[0].sum())


def test_after_a_leap_most_letters_are_known() -> None:
    setting = Setting.of([data_agent("gavrilov").compiled()], Rules.parse("gavrilov"), 3000)
    with Stage(Pace(FASTEST)) as stage:
        stage.leap = 2000
        games = new_games(20, 3)
        assert not stage.play(games, setting)
        boards = stage.boards
    assert boards is not None
    filled, unknown = (boards.cells > 0).sum(), (boards.cells == NOT_KNOWN).sum()
    assert unknown < filled / 2
    assert COLOURED < 3000 == boards.move == boards.most_moves


def test_a_person_sets_the_pace(tmp_path: Path) -> None:
    pace = Pace(50)
    training = Evolving(begin(small("genetic"), tmp_path / "run"), pace)
    until(lambda: training.stage.boards is not None and training.stage.boards.move >= 2)
    pace.paused = True
    time.sleep(0.2)
    seen = training.snapshot()
    time.sleep(0.1)
    now = training.snapshot()
    assert seen.paused
    assert seen.boards is not None
    assert now.boards is seen.boards  # nothing moves, and nothing was torn
    assert seen.step == 1
    assert len(seen.boards) == 6
    assert seen.boards.games == 2
    assert seen.boards.most_moves == 40
    assert 2 <= seen.boards.move < 40
    pace.hasty = True  # skipping goes on, and ends with the generation
    until(lambda: training.step == 2)
    assert not pace.hasty
    assert not pace.paused
    start = time.monotonic()
    training.close()
    assert time.monotonic() - start < 2
    assert training.state is State.STOPPED
    assert Run(tmp_path / "run").generations == 1


def test_the_pace_is_moves_a_second() -> None:
    pace = Pace(200)
    start = time.monotonic()
    for _ in range(41):
        assert pace.turn() is Turn.STEP
    assert 0.1 <= time.monotonic() - start < 1
    pace.speed = FASTEST
    assert pace.turn() is Turn.LEAP
    pace.paused = True
    stopper = threading.Timer(0.02, lambda: setattr(pace, "stopped", True))
    stopper.start()
    assert pace.turn() is Turn.STOP


def test_fitness_so_far_is_what_is_told_in_the_end(tmp_path: Path) -> None:
    training = Evolving(begin(small("genetic", "stop.generations=1"), tmp_path / "run"), Pace(FASTEST))
    ended(training)
    boards = training.stage.boards
    assert boards is not None
    assert boards.fitness.tolist() == Run(tmp_path / "run").population(0).fitness.tolist()
    assert not boards.playing.any()


@pytest.mark.parametrize("learner", ["genetic", "modes", "curves"])
def test_a_generation_is_played_again_as_it_was(learner: str, tmp_path: Path) -> None:
    changes = {
        "genetic": [],
        "modes": ["agent.design=modes", "agent.base=medico", "agent.features=[]", "rules=medico"],
        "curves": ["agent.design=curves", "agent.features=[]", "rules=becker"],
    }[learner]
    run = train(small("genetic", *changes), tmp_path / "run", workers=1)
    following = Attached(run.folder, Pace(FASTEST))
    assert following.finished
    for number in (4, 1, 1):
        if number < 4:
            following.choose(number)
        until_ended(following, number)
        assert following.stage.boards is not None
        assert following.stage.boards.fitness.tolist() == run.population(number).fitness.tolist()
    following.close()


def test_a_run_that_grows_is_followed(tmp_path: Path) -> None:
    training = Evolving(begin(small("genetic", "stop.generations=200"), tmp_path / "run"), Pace(FASTEST))
    until(lambda: len(Run(tmp_path / "run").metrics["mean"]) > 1)
    following = Attached(tmp_path / "run", Pace(FASTEST))
    known = len(following.history)
    until(lambda: len(following.history) > known)
    until(lambda: following.trained_elsewhere)
    assert following.follows
    training.close()
    until(lambda: not following.trained_elsewhere)
    following.choose(0)
    until_ended(following, 0)
    following.choose(LATEST)
    until(lambda: following.step == len(Run(tmp_path / "run").metrics["mean"]))
    following.close()
    with locked(tmp_path / "run"):  # nobody holds it any more
        pass


def test_a_q_learner_is_watched_alone(tmp_path: Path) -> None:
    training = Evolving(begin(small("q-learning"), tmp_path / "run"), Pace(2000))
    until(lambda: training.stage.boards is not None)
    assert training.learns_alone
    ended(training)
    assert training.state is State.FINISHED, training.message
    assert list(training.history.curves) == ["Episode", "Mean of 50"]
    following = Attached(tmp_path / "run", Pace(FASTEST))
    until(lambda: following.state is State.ENDED)
    assert following.stage.boards is not None
    assert len(following.stage.boards) == 1
    assert 1 <= following.stage.boards.move <= 40
    following.close()


def test_history_tells_the_mean_weights_and_bears_losses(tmp_path: Path) -> None:
    run = train(small("genetic"), tmp_path / "run", workers=1)
    history = read_history(run.folder)
    assert history.weights.tolist() == [run.population(n).candidates.mean(axis=0).tolist() for n in range(5)]
    assert history.names == run.names
    (run.folder / POPULATION / "generation_00002.csv").write_text("half")
    assert np.isnan(read_history(run.folder).weights[1]).all()
    assert read_history(run.folder, history).weights.tolist() == history.weights.tolist()
    following = Attached(run.folder, Pace(FASTEST))
    following.choose(1)
    until(lambda: following.state is State.FAILED)
    assert "generation_00002.csv is damaged" in following.snapshot().message
    following.choose(2)
    until_ended(following, 2)
    following.close()
    (run.folder / METRICS).write_text("nonsense")
    with pytest.raises(RunError, match=r"metrics\.csv"):
        Attached(run.folder)


def test_what_goes_wrong_is_told(tmp_path: Path) -> None:
    folder = begin(small("genetic"), tmp_path / "run")
    with locked(folder):
        training = ended(Evolving(folder, Pace(FASTEST)))
    assert training.state is State.FAILED
    assert "is in use by another process" in training.snapshot().message


def test_curves_end_with_the_last_generation(tmp_path: Path) -> None:
    pace = Pace(FASTEST)
    training = Evolving(begin(small("genetic", "stop.generations=500"), tmp_path / "run"), pace)
    until(lambda: training.step > 3)
    pace.paused = True
    until(lambda: len(training.snapshot().history) == training.step - 1)
    training.close()
