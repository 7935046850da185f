"""Games of agents in Python: the very games that the engine plays, however they are spread over processes."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tetrion import Placement, Position, Rules
from tetrion.agents.python_agent.agent_process import AgentProcess
from tetrion.agents.python_agent.python_agent import PythonAgent
from tetrion.engine.batch_play import (
    STATUS_CAPPED,
    STATUS_OVER,
    STATUS_PLAYING,
    UNLIMITED,
    EngineSettings,
    GameRecords,
    make_games,
    select_fastest_play,
)
from tetrion.errors import AgentError
from tetrion.evaluation import Evaluation
from tetrion.evaluation.python_agent_games import play_python_agent

WEIGHTS = {"holes": -4, "aggregate_height": -1, "bumpiness": -1, "lines": 3}
AGENTS = """
import os, random, time
from tetrion import Position

class Copy:
    def choose(self, position):
        return max(position.placements(), key=lambda placement: self.points(position, placement))
    def points(self, position, placement):
        after = position.after(placement)
        board = after.board.features()
        lines = 3 * (after.lines - position.lines)
        return lines - 4 * board["holes"] - board["aggregate_height"] - board["bumpiness"]

class Chance:
    names = {"left", "right", "middle"}
    def __init__(self):
        self.sides = list(self.names)
        self.moves = 0
    def choose(self, position):
        self.moves += 1
        side = self.sides[self.moves % 3]
        places = position.placements()
        return {"left": places[0], "right": places[-1], "middle": random.choice(places)}[side]

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


class Copied:
    """The engine's agent of `WEIGHTS`, written in Python."""

    def choose(self, position: Position) -> Placement:
        return max(position.placements(), key=lambda placement: self.points(position, placement))

    def points(self, position: Position, placement: Placement) -> int:
        after = position.after(placement)
        values = after.board.measure_features() | {"lines": after.lines - position.lines}
        return sum(weight * values[name] for name, weight in WEIGHTS.items())


class First:
    def choose(self, position: Position) -> Placement:
        return position.placements()[0]


@pytest.fixture
def place(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_text(AGENTS, encoding="utf-8")
    return file


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[AgentProcess]:
    """The processes that are started meanwhile."""
    children: list[AgentProcess] = []

    def start(agent: PythonAgent) -> AgentProcess:
        children.append(AgentProcess(agent.class_path, agent.deadline))
        return children[-1]

    monkeypatch.setattr(PythonAgent, "start_process", start)
    return children


def engine_games(rules: Rules, count: int, seed: int, **caps: int) -> GameRecords:
    games, setting = make_games(count, seed), EngineSettings.from_agents([(WEIGHTS, True)], rules, **caps)
    select_fastest_play(setting)(games, setting, UNLIMITED)
    return games


def own_games(agent: Any, rules: str, count: int, seed: int, **options: Any) -> GameRecords:
    games = make_games(count, seed)
    assert not play_python_agent(games, agent, Rules.parse(rules), seed=seed, **options)
    return games


def assert_all_ended(children: list[AgentProcess]) -> None:
    assert children
    for child in children:
        with pytest.raises(ProcessLookupError):
            os.kill(child.process_id, 0)


@pytest.mark.parametrize(
    ("rules", "caps"),
    [
        ("standard-10x10", {"max_pieces": 60}),
        ("standard-10x10:height=6", {"max_lines": 4}),
        ("medico:height=8", {"max_pieces": 40}),
        ("nes:height=6", {"max_pieces": 30}),
        ("standard-10x10:height=6,randomiser=adversary", {"max_pieces": 30}),
    ],
)
def test_a_copy_plays_the_games_of_the_engine(rules: str, caps: dict[str, int]) -> None:
    played = own_games(Copied(), rules, 4, seed=3, **caps)
    assert played.tobytes() == engine_games(Rules.parse(rules), 4, seed=3, **caps).tobytes()
    assert set(played["status"]) <= {STATUS_OVER, STATUS_CAPPED}


def test_both_ends_occur() -> None:
    played = own_games(Copied(), "standard-10x10:height=5", 8, seed=3, most_lines=8)
    assert set(played["status"]) == {STATUS_OVER, STATUS_CAPPED}


def test_a_cap_comes_before_the_end_that_the_next_piece_would_bring() -> None:
    for rules in ("standard:height=4,randomiser=only-T", "medico:height=4"):
        whole = own_games(First(), rules, 1, seed=0, most_pieces=100)
        assert whole["status"][0] == STATUS_OVER
        capped = own_games(First(), rules, 1, seed=0, most_pieces=int(whole["pieces"][0]))
        assert capped["status"][0] == STATUS_CAPPED


def test_a_class_in_a_process_plays_the_same_games_whatever_the_workers(
    place: Path, started: list[AgentProcess]
) -> None:
    agent, caps = PythonAgent(f"{place}:Copy"), {"max_pieces": 25}
    played = own_games(agent, "standard-10x10", 3, seed=2, workers=2, **caps)
    assert played.tobytes() == engine_games(Rules.parse("standard-10x10"), 3, seed=2, **caps).tobytes()
    assert len(started) == 2
    assert_all_ended(started)
    result = Evaluation.from_games(agent.name, Rules.parse("standard-10x10"), 2, played, 1.0, stopped=False)
    assert (result.agent, result.games, result.capped) == ("Copy", 3, int((played["status"] == STATUS_CAPPED).sum()))


def test_chance_and_memory_do_not_depend_on_workers(place: Path) -> None:
    agent, rules = PythonAgent(f"{place}:Chance"), "standard-10x10"
    alone, together = own_games(agent, rules, 6, seed=5), make_games(6, 5)
    for first, last, workers in ((0, 4, 2), (4, 6, 1)):
        play_python_agent(together[first:last], agent, Rules.parse(rules), seed=5, first=first, workers=workers)
    assert alone.tobytes() == together.tobytes()
    assert len(np.unique(alone["board"], axis=0)) == 6


def test_a_mistake_ends_all_games_and_processes(place: Path, started: list[AgentProcess]) -> None:
    with pytest.raises(AgentError, match=r"mine.py:Fails: choose raised RuntimeError: seven \(mine.py, line \d+\)"):
        own_games(PythonAgent(f"{place}:Fails"), "standard", 50, seed=1, workers=2)
    assert_all_ended(started)


def test_an_agent_that_hangs_does_not_hang_the_games(place: Path, started: list[AgentProcess]) -> None:
    with pytest.raises(AgentError, match=r"mine.py:Slow: choosing took more than 0\.3 seconds"):
        own_games(PythonAgent(f"{place}:Slow", deadline=0.3), "standard", 5, seed=1, workers=1)
    assert_all_ended(started)


def test_ctrl_c_keeps_what_was_played(place: Path, started: list[AgentProcess]) -> None:
    def interrupt(games: GameRecords) -> None:
        if games["pieces"].sum() >= 6:
            raise KeyboardInterrupt

    games = make_games(5, 1)
    agent = PythonAgent(f"{place}:Slow", deadline=600)
    assert play_python_agent(games, agent, Rules(), seed=1, workers=2, on_progress=interrupt)
    assert games["pieces"].tolist() == [3, 3, 0, 0, 0]
    assert (games["status"] == STATUS_PLAYING).all()
    assert_all_ended(started)


def test_ctrl_c_while_an_agent_plays_here() -> None:
    class Interrupted(First):
        def choose(self, position: Position) -> Placement:
            if position.pieces == 3:
                raise KeyboardInterrupt
            return super().choose(position)

    games = make_games(5, 1)
    assert play_python_agent(games, Interrupted(), Rules(), seed=1)
    assert games["pieces"].tolist() == [3, 0, 0, 0, 0]


def test_progress_is_shown_to_the_end(place: Path) -> None:
    seen: list[GameRecords] = []

    def note(games: GameRecords) -> None:
        seen.append(games.copy())

    for agent in (First(), PythonAgent(f"{place}:Chance")):
        games = own_games(agent, "standard-10x10", 2, seed=5, progress=note)
        assert seen[-1].tobytes() == games.tobytes()
    assert (games["status"] == STATUS_OVER).all()


def test_games_that_have_ended_are_left_alone(place: Path) -> None:
    games = make_games(2, 1)
    games["status"] = STATUS_OVER
    for agent in (First(), PythonAgent(f"{place}:Copy")):
        assert not play_python_agent(games, agent, Rules(), seed=1)
    assert not games["pieces"].any()


def test_mistakes_of_an_agent_that_plays_here() -> None:
    class Forgetful:
        def choose(self, position: Position) -> Placement:
            return None  # type: ignore[return-value]

    class Broken:
        def choose(self, position: Position) -> Placement:
            raise KeyError("x")

    class Stubborn:
        def choose(self, position: Position) -> Placement:
            return Placement("O", 0, 0, 0)

    for agent, said in (
        (Forgetful(), "Forgetful: .*it gave None"),
        (Broken(), r"Broken: choose raised KeyError: 'x' \(test_own_games.py, line \d+\)"),
        (Stubborn(), "Stubborn: choose gave a placement that is not possible"),
    ):
        with pytest.raises(AgentError, match=said):
            own_games(agent, "standard:randomiser=script-OI", 1, 1)
