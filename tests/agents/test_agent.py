"""The Agent protocol: a new kind of agent is one class, and rules are chosen in one place."""

import linecache
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from tetrion import (
    Agent,
    Board,
    Game,
    Placement,
    Player,
    Position,
    Rules,
    SecondMode,
    WeightedAgent,
    check_agent,
    evaluate,
    load_agent,
    save_agent,
)
from tetrion.agents import AGENTS, choose_rules
from tetrion.errors import AgentError, PositionError, RulesError, TetrionError
from tetrion.game import DEFAULT_PIECES

KINDS = ["dellacherie", "random-keys", "examples/python_agent.py:Careful", "clock"]


@dataclass(frozen=True)
class ClockAgent:
    """A search with a clock: it looks at placements in turn until its time is up, and remembers the best."""

    name: str = "clock"
    rules: str = "standard:preview=1"
    seconds: float = 60.0

    def check_rules(self, rules: Rules) -> None:
        if not rules.preview:
            raise AgentError(f"{self.name} needs a preview of one piece; {rules} has none. Use {rules}:preview=1.")

    def start_player(self) -> "ClockPlayer":
        return ClockPlayer(self.seconds)


class ClockPlayer(Player):
    def __init__(self, seconds: float) -> None:
        self.seconds = seconds

    def choose(self, position: Position) -> Placement:
        end = time.monotonic() + self.seconds
        best_score, best = -float("inf"), position.placements()[0]
        for placement in position.placements():
            after = position.after(placement)
            score = -max((sum(follow.cells[0]) for follow in after.placements()), default=99) - 9 * max(
                after.board.heights
            )
            if score > best_score:
                best_score, best = score, placement
            if time.monotonic() > end:
                break
        return best


def load_kind(name: str) -> Agent:
    return ClockAgent() if name == "clock" else load_agent(name)


def get_rules(agent: Agent) -> Rules:
    return choose_rules([agent])


def test_new_kind_of_agent_plays_everywhere() -> None:
    agent: Agent = ClockAgent()
    result = evaluate(agent, games=2, max_pieces=5, workers=2)
    assert (result.agent, str(result.rules), result.pieces.max) == ("clock", "standard:preview=1", 5)
    game = Game(agent.rules)
    assert game.play(agent, 5) == 5
    assert evaluate(agent, games=1, max_pieces=5).per_game["score"].tolist() == [game.score]
    with pytest.raises(AgentError, match="Use standard:preview=1"):
        evaluate(agent, "standard", games=1)
    check_agent(agent)
    check_agent(ClockAgent)


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_fulfils_the_protocol(name: str) -> None:
    agent = load_kind(name)
    assert isinstance(agent, Agent)
    agent.check_rules(get_rules(agent))
    game = Game(get_rules(agent), seed=3)
    assert game.play(agent, 6) == 6
    assert evaluate(agent, game.rules, 1, seed=3, max_pieces=6).score.max == game.score


@pytest.mark.parametrize("name", KINDS)
def test_player_plays_several_games(name: str) -> None:
    agent = load_kind(name)
    boards = []
    with agent.start_player() as player:
        for seed in (1, 2, 1):
            game = Game(get_rules(agent), seed)
            player.begin_game(game)
            while game.pieces < 5:
                list(player.play_piece(game, player.decide(game.position)))
            boards.append(game.board)
    assert boards[0] == boards[2] != boards[1]


@pytest.mark.parametrize(
    ("agents", "given", "rules"),
    [
        (["medico"], None, "medico"),
        (["medico"], "nes", "nes"),
        (["dellacherie", "du"], None, "standard"),
        (["examples/python_agent.py:Careful"], None, "standard"),
        (["medico", "examples/python_agent.py:Careful"], None, "medico"),
        ([], None, "standard"),
    ],
)
def test_rules_are_given_or_those_of_all_agents_or_standard(agents: list[str], given: str | None, rules: str) -> None:
    assert str(choose_rules([load_agent(name) for name in agents], given)) == rules


def test_suggested_rules_are_those_that_all_agents_can_play() -> None:
    agents = [load_agent(name) for name in AGENTS]
    suggested = 0
    for pair in combinations(agents, 2):
        try:
            choose_rules(pair)
        except RulesError as error:
            suggested += 1
            rules = str(error).partition("`rules='")[2].partition("'`")[0]
            for agent in pair:
                agent.check_rules(Rules.parse(rules))
    assert suggested


class First:
    def choose(self, position: Position) -> Placement:
        return position.placements()[0]


def test_game_play_accepts_what_evaluate_accepts() -> None:
    boards = []
    for agent in ("dellacherie", load_agent("dellacherie")):
        game = Game(seed=2)
        assert game.play(agent, 10) == 10
        boards.append(game.board)
    assert boards[0] == boards[1]
    lost = Game("standard:height=4")
    assert lost.play(First()) == lost.pieces
    assert lost.is_over
    assert Game(seed=2).play(First(), 3) == 3
    for wrong, message in ((0, "whole number"), ("x", "whole number")):
        with pytest.raises(ValueError, match=message):
            Game().play("du", wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="Did you mean 'du'"):
        Game().play("dux")
    with pytest.raises(ValueError, match="depth=2 needs 1 next piece"):
        Game().play("du:depth=2")
    with pytest.raises(ValueError, match="game is over"):
        lost.play("du")


def test_game_of_an_agent_that_does_not_lose_has_a_limit() -> None:
    game = Game("standard", seed=1)
    assert game.play("dellacherie") == DEFAULT_PIECES == game.pieces
    texts = {id(text) for _, _, text in game.events}
    assert len(texts) < 1000, "a game keeps each text once"


class Raises(First):
    def choose(self, position: Position) -> Placement:
        raise KeyError("x")


class ReturnsNone:
    def choose(self, position: Position) -> None:
        return None


class NeedsArguments(First):
    def __init__(self, depth: int) -> None:
        self.depth = depth


class NoChoose:
    pass


class TwoArguments:
    def choose(self, board: object, piece: object) -> None:
        return None


@pytest.mark.parametrize(
    ("agent", "message"),
    [
        (Raises, "choose raised KeyError"),
        (ReturnsNone, "is a return missing"),
        (NeedsArguments, "give each parameter a default"),
        (NoChoose, "has no method choose"),
        (TwoArguments, "one argument"),
        ("examples/python_agent.py:Carefull", "Did you mean 'Careful'"),
        (ClockAgent(rules="standard"), "needs a preview"),
    ],
)
def test_check_agent_explains_mistakes(agent: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_agent(agent)  # type: ignore[arg-type]


class RaisesInItsFile:
    def choose(self, position: Position) -> Placement:
        return position.board.placement  # type: ignore[attr-defined, no-any-return]


def test_error_of_an_object_names_its_line_and_has_a_cause() -> None:
    line = RaisesInItsFile.choose.__code__.co_firstlineno + 1
    message = rf"RaisesInItsFile: choose raised AttributeError: .* \(test_agent\.py, line {line}\)\."
    with pytest.raises(AgentError, match=message) as raised:
        evaluate(RaisesInItsFile(), games=2)
    assert isinstance(raised.value.__cause__, AttributeError)


def test_error_of_an_object_made_in_a_notebook_cell_has_the_line_itself() -> None:
    source = "class Bad:\n    def choose(self, position):\n        return position.colour\n"
    file = "/tmp/ipykernel_1/2.py"  # a file that does not exist
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    namespace = {"__name__": "__main__"}
    exec(compile(source, file, "exec"), namespace)
    with pytest.raises(AgentError, match=r"AttributeError: .* \(line 3: return position\.colour\)\.$"):
        evaluate(namespace["Bad"](), games=1)  # type: ignore[operator]


class Moody:
    def choose(self, position: Position) -> Placement:
        return random.SystemRandom().choice(position.placements())


def test_check_agent_warns_if_games_cannot_be_repeated() -> None:
    with pytest.warns(UserWarning, match="played the same game differently from move"):
        check_agent(Moody)


def test_steered_piece_that_cannot_spawn_has_no_choice() -> None:
    """The engine looks for targets only, which may still be free."""
    board = Board.from_text(["#.........", ".###...#..", "###.##..#.", "#..##...#.", *[".........."] * 20], rows=24)
    position = Position.from_board(board, "S", "S", "gavrilov:movement=steered")
    assert position.placements() == []
    agent = load_agent("dellacherie")
    assert isinstance(agent, WeightedAgent)
    assert agent.explain(position).candidates == ()
    with pytest.raises(PositionError, match="The game is over"):
        agent.choose(position)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: WeightedAgent("x", {"holes": -1}, source=5), "source must be text"),  # type: ignore[arg-type]
        (lambda: WeightedAgent("x", {"holes": -1}).with_options(depth=10**5000), "depth must be a whole number"),
        (lambda: SecondMode({"holes": -1}, names=("a",)), "must be two texts"),  # type: ignore[arg-type]
        (lambda: SecondMode({"holes": -1}, names=5), "must be two texts"),  # type: ignore[arg-type]
        (lambda: SecondMode({"holes": -1}, selector=[]), "Unknown selector feature"),  # type: ignore[arg-type]
    ],
)
def test_values_of_other_types_are_rejected(make: Callable[[], object], message: str) -> None:
    with pytest.raises(TetrionError, match=message):
        make()


def test_weights_of_subclasses_have_the_repr_of_python() -> None:
    number = IntEnum("Number", {"THREE": 3}).THREE  # type: ignore[attr-defined]
    agent = WeightedAgent("x", {"holes": np.float64(-4), "lines": number, "wells": [np.float64(1), 0.5]})
    assert repr(agent) == "WeightedAgent('x', {'holes': -4.0, 'lines': 3, 'wells': [1.0, 0.5]})"


def test_agent_with_large_weights_is_saved_and_loaded(tmp_path: Path) -> None:
    agent = WeightedAgent("x", {"holes": -(10**30), "lines": 2**63})
    save_agent(agent, tmp_path / "x.json")
    assert load_agent(tmp_path / "x.json") == agent
