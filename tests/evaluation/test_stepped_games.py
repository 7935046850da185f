"""Games of Python agents: identical to those of the engine, with any number of processes."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion import Placement, Position, Rules
from tetrion.agents import as_agent
from tetrion.agents.python_agent.agent_process import AgentProcess, PythonAgent
from tetrion.engine.batch_play import UNLIMITED, EngineSettings, make_full_games, make_games, select_fastest_play
from tetrion.engine.placing import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING
from tetrion.engine.records import FullGameRecord, FullGameRecords, GameRecord, GameRecords
from tetrion.errors import AgentError
from tetrion.evaluation import Evaluation, start_threads
from tetrion.evaluation.agent_games import AgentGames, GameLimits, SteppedGames
from tetrion.evaluation.game_statistics import copy_results
from tetrion.evaluation.workers import GamesObserver

WEIGHTS = {"holes": -4, "aggregate_height": -1, "bumpiness": -1, "lines": 3}
AGENT_SOURCE = """
import os, random, time
from tetrion import Position

class Copy:
    def choose(self, position):
        return max(position.placements(), key=lambda placement: self.score(position, placement))
    def score(self, position, placement):
        after = position.after(placement)
        features = after.board.measure_features()
        lines = 3 * (after.lines - position.lines)
        return lines - 4 * features["holes"] - features["aggregate_height"] - features["bumpiness"]

class Random:
    names = {"left", "right", "middle"}
    def __init__(self):
        self.sides = list(self.names)
        self.moves = 0
    def choose(self, position):
        self.moves += 1
        side = self.sides[self.moves % 3]
        placements = position.placements()
        return {"left": placements[0], "right": placements[-1], "middle": random.choice(placements)}[side]

class Fails:
    def choose(self, position):
        if position.pieces == 7:
            raise RuntimeError("seven")
        return position.placements()[0]

class Slow:
    def choose(self, position):
        if position.pieces == 3:
            time.sleep(600)
        return position.placements()[0]
"""


class EngineCopy:
    """The agent with `WEIGHTS`, written in Python."""

    def choose(self, position: Position) -> Placement:
        return max(position.placements(), key=lambda placement: self.score(position, placement))

    def score(self, position: Position, placement: Placement) -> int:
        after = position.after(placement)
        values = after.board.measure_features() | {"lines": after.lines - position.lines}
        return sum(weight * values[name] for name, weight in WEIGHTS.items())


class First:
    def choose(self, position: Position) -> Placement:
        return position.placements()[0]


@pytest.fixture
def agent_file(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(AGENT_SOURCE, encoding="utf-8")
    return file


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[AgentProcess]:
    """The agent processes that the test starts."""
    started: list[AgentProcess] = []

    def start_player(agent: PythonAgent) -> AgentProcess:
        started.append(AgentProcess(agent.class_path, agent.deadline))
        return started[-1]

    monkeypatch.setattr(PythonAgent, "start_player", start_player)
    return started


def play_engine_games(rules: Rules, count: int, seed: int, **caps: int) -> GameRecords:
    games = make_games(count, seed)
    settings = EngineSettings.from_agents([(WEIGHTS, True)], rules, **caps)
    select_fastest_play(settings)(games, settings, UNLIMITED)
    return games


def read_small_records(games: FullGameRecords) -> GameRecords:
    """Return the part of games that bulk play has, too."""
    small = GameRecord.make_array(len(games))
    copy_results(games, small)
    return small


def play_records(
    games: FullGameRecords,
    agent: Any,
    rules: Rules,
    *,
    seed: int,
    first: int = 0,
    workers: int = 1,
    on_progress: GamesObserver | None = None,
    **caps: int,
) -> bool:
    return SteppedGames(games, rules, seed, first, GameLimits(**caps)).play(as_agent(agent), workers, on_progress)


def play_python_games(agent: Any, rules: str, count: int, seed: int, **options: Any) -> FullGameRecords:
    games = make_full_games(count, seed)
    assert not play_records(games, agent, Rules.parse(rules), seed=seed, **options)
    return games


def assert_all_ended(processes: list[AgentProcess]) -> None:
    assert processes
    for process in processes:
        with pytest.raises(ProcessLookupError):
            os.kill(process.process_id, 0)


@pytest.mark.parametrize(
    ("rules", "caps"),
    [
        ("standard-10x10:height=6", {"max_lines": 4}),
        ("medico:height=8", {"max_pieces": 20}),
        ("nes:height=6", {"max_pieces": 30}),
        ("standard-10x10:height=6,randomiser=adversary", {"max_pieces": 20}),
    ],
)
def test_python_copy_plays_the_games_of_the_engine(rules: str, caps: dict[str, int]) -> None:
    games = play_python_games(EngineCopy(), rules, 4, seed=3, **caps)
    assert read_small_records(games).tobytes() == play_engine_games(Rules.parse(rules), 4, seed=3, **caps).tobytes()
    assert set(games["status"]) <= {STATUS_OVER, STATUS_CAPPED}


def test_cap_is_checked_before_the_next_piece_ends_the_game() -> None:
    for rules in ("standard:height=4,randomiser=only-T", "medico:height=4"):
        whole = play_python_games(First(), rules, 1, seed=0, max_pieces=100)
        assert whole["status"][0] == STATUS_OVER
        capped = play_python_games(First(), rules, 1, seed=0, max_pieces=int(whole["pieces"][0]))
        assert capped["status"][0] == STATUS_CAPPED


def test_agent_processes_play_the_games_of_the_engine(agent_file: Path, processes: list[AgentProcess]) -> None:
    agent = PythonAgent(f"{agent_file}:Copy")
    rules = Rules.parse("standard-10x10")
    games = play_python_games(agent, "standard-10x10", 3, seed=2, workers=2, max_pieces=25)
    assert read_small_records(games).tobytes() == play_engine_games(rules, 3, seed=2, max_pieces=25).tobytes()
    assert len(processes) == 2
    assert_all_ended(processes)
    result = Evaluation.from_games(agent.name, rules, 2, games, seconds=1.0)
    assert (result.agent, result.games, result.capped) == ("Copy", 3, int((games["status"] == STATUS_CAPPED).sum()))


def test_random_numbers_and_state_do_not_depend_on_workers(agent_file: Path) -> None:
    agent = PythonAgent(f"{agent_file}:Random")
    rules = "standard-10x10"
    one_worker = play_python_games(agent, rules, 6, seed=5)
    in_parts = make_full_games(6, 5)
    for first, last, workers in ((0, 4, 2), (4, 6, 1)):
        play_records(in_parts[first:last], agent, Rules.parse(rules), seed=5, first=first, workers=workers)
    assert one_worker.tobytes() == in_parts.tobytes()
    assert len(np.unique(one_worker["board"], axis=0)) == 6


def test_error_of_an_agent_ends_all_processes(agent_file: Path, processes: list[AgentProcess]) -> None:
    with pytest.raises(AgentError, match=r"mine.py:Fails: choose raised RuntimeError: seven \(mine.py, line \d+\)"):
        play_python_games(PythonAgent(f"{agent_file}:Fails"), "standard", 50, seed=1, workers=2)
    assert_all_ended(processes)


def test_ctrl_c_keeps_the_pieces_played_so_far(agent_file: Path, processes: list[AgentProcess]) -> None:
    def interrupt(games: GameRecords) -> None:
        if games["pieces"].sum() >= 6:
            raise KeyboardInterrupt

    games = make_full_games(5, 1)
    agent = PythonAgent(f"{agent_file}:Slow", deadline=600)
    assert play_records(games, agent, Rules(), seed=1, workers=2, on_progress=interrupt)
    assert games["pieces"].tolist() == [3, 3, 0, 0, 0]
    assert (games["status"] == STATUS_PLAYING).all()
    assert_all_ended(processes)


@pytest.mark.parametrize(("rules", "record"), [("standard", GameRecord), ("guideline", FullGameRecord)])
def test_games_have_the_records_of_compiled_games(rules: str, record: type[GameRecord]) -> None:
    with start_threads(1) as workers:
        games = AgentGames(as_agent(First()), Rules(rules), 3, workers, GameLimits(max_pieces=5))
        played, was_stopped = games.play(0, 2)
    assert not was_stopped
    assert played.dtype == record.dtype
    assert played["pieces"].tolist() == [5, 5]
