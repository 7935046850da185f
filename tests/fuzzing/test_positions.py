"""Positions, boards and placements of hostile values: each one is refused with a `TetrionError`, or can be played.

What is accepted goes through several agents, the keys and a few moves of a game, and all ways to compute the same thing
must agree. A failure names the seed of its case; `python -m tests.fuzzing.test_positions SEED END` repeats it.
"""

import copy
import pickle
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from enum import IntEnum
from fractions import Fraction
from functools import cache, partial, reduce
from operator import and_, or_
from random import Random
from typing import Any

import numpy as np

from tests.fuzzing.child_processes import PROBLEM, list_problems, parametrise_cases, print_outcomes, run_cases
from tetrion import Board, Game, Placement, Position, Rules, WeightedAgent, load_agent
from tetrion.engine.pieces import PIECES
from tetrion.errors import PlacementError, TetrionError, describe_value

PRESETS = (
    *("standard", "standard-10x10", "gavrilov", "becker", "hindi", "tetrais", "medico", "nes"),
    *("guideline", "jstris", "tetrio", "perft:hold=1", "standard:hold=1"),
)
OPTIONS: dict[str, Sequence[object]] = {
    "height": [4, 5, 10, 19, 20],
    "hidden_rows": [0, 1, 4, 8],
    "spawn_height": [0, 1, 4],
    "preview": [0, 1, 2, 6],
    "randomiser": ["uniform", "bag", "sz", "only-T", "script-TIJ", "nes", "nes-8988", "nes-counts"],
    "movement": ["drop", "reach", "timed", "steered"],
    "game_over": ["room", "entry", "lock-out", "top-row", "above"],
    "level_system": ["fixed", "tens", "nes"],
    "hold": [0, 1],
    "spins": ["none", "t", "all-mini", "all"],
    "attack": ["none", "guideline", "libtetris", "tetrio"],
    "garbage_rows": [0, 1, 20],
    "garbage_interval": [1, 3],
    "garbage_delay": [0, 2],
    "garbage_cap": [1, 20],
    "start_garbage": [0, 3],
    "attack_growth": [0, 1000],
    "placement_frames": [0, 500, 1_000_000],
}
RULES_COUNT = 60
AGENTS = ("dellacherie", "dellacherie:depth=2", "modern-1", "modern-1:depth=4,beam=9")
TABLE_RULES = ("standard", "standard:height=6,game_over=top-row", "standard:height=12,preview=1,randomiser=bag")


class HostileNumber(IntEnum):
    """A number that is an int, but not of this type."""

    THREE = 3


class Unprintable:
    """An object without a representation."""

    def __repr__(self) -> str:
        raise RuntimeError("no representation")


WRONG_TYPES: list[Any] = [
    *(None, True, 1.0, 3.5, float("nan"), float("inf"), 1j, b"T", "3", "", "T", Fraction(3), HostileNumber.THREE),
    *([], (), {}, [1], (1,), {"T"}, object(), Unprintable(), int, range(3), 10**5000, "T" * 100_000, "\ud800", "T\x00"),
    *(np.int64(3), np.int32(-5), np.uint64(2**63), np.float64(2), np.bool_(True), np.str_("L"), np.array(3)),
    *(np.array([1, 2]), np.array(["T", "L"]), np.zeros(10, np.int64)),
]
NUMBERS = [
    *(0, 1, 2, 3, 5, 10, 31, 63, 64, 100, 9999, 10**4, 10**4 + 1, 10**6, 10**9, 10**12 - 1, 10**12, 10**12 + 1),
    *(10**15, 10**18, 10**18 + 1, 2**31 - 1, 2**31, 2**32, 2**62, 2**63 - 1, 2**63, 2**64, 10**30),
    *(-1, -2, -(10**9), -(10**12), -(2**63)),
]
TEXTS = ["", "T", "L", "TT", "t", "X", "TLJ", "IIIIIII", "TLJSZIO", "TLJSZIOT", "IOTSZJ", "O" * 9, "None", " T", "T "]


@cache
def make_rules() -> list[Rules]:
    """Return all presets and random other rules, the same ones in each process."""
    random = Random("rules")
    found = [Rules.parse(preset) for preset in PRESETS]
    while len(found) < RULES_COUNT:
        names = random.sample(sorted(OPTIONS), random.randint(1, 5))
        with suppress(TetrionError):
            options: Any = {name: random.choice(OPTIONS[name]) for name in names}
            found.append(Rules.parse(random.choice(PRESETS)).replace(**options))
    return found


@cache
def make_agent(name: str) -> WeightedAgent:
    """Return an agent; its settings are cached for each of the rules."""
    agent = load_agent(name)
    assert isinstance(agent, WeightedAgent)
    return agent


def make_columns(random: Random, rows: int) -> tuple[int, ...]:
    """Return the columns of a board: empty, noise, a high stack, or with full rows."""
    highest = random.choice([0, 1, 4, rows // 2, rows - 1, rows])
    density = random.choice([0.2, 0.6, 0.95, 1.0])
    columns = [sum((random.random() < density) << row for row in range(highest)) for _ in range(10)]
    if random.random() < 0.95 and highest:  # without full rows
        for row in range(highest):
            columns[random.randrange(10)] &= ~(1 << row)
    return tuple(columns)


def make_garbage(random: Random) -> Any:
    """Return garbage that waits, possibly with wrong numbers or of a wrong type."""
    if random.random() < 0.7:
        waits = sorted(random.choice([0, 0, 1, 2, 50, 10**12]) for _ in range(random.choice([0, 1, 2, 8, 8, 9])))
        return tuple((random.choice([1, 2, 8, 40, 10**12]), wait) for wait in waits)
    numbers = [*NUMBERS, *WRONG_TYPES]
    batches = [tuple(random.choice(numbers) for _ in range(random.choice([2, 2, 2, 1, 3]))) for _ in range(2)]
    return random.choice([tuple(batches), batches, [list(batch) for batch in batches]])


def make_value(random: Random, field: str, rules: Rules) -> Any:
    """Return a value of a field, which may be of any type."""
    if random.random() < 0.07:
        return random.choice(WRONG_TYPES)
    if field == "board":
        rows = rules.rows if random.random() < 0.9 else random.randint(4, 28)
        return Board(make_columns(random, rows), rows)
    if field == "garbage":
        return make_garbage(random)
    if field == "rules":
        return random.choice([*make_rules(), "guideline", Rules])
    if field == "can_hold":
        return random.choice([True, False])
    if field in ("piece", "next", "hold", "bag"):
        bag = "".join(random.sample(PIECES, random.randint(1, 7)))
        return random.choice([*TEXTS, None] if random.random() < 0.3 else [*PIECES, bag])
    return random.choice(NUMBERS if random.random() < 0.3 else NUMBERS[: NUMBERS.index(10**4 + 1)])


def play_some_pieces(random: Random, rules: Rules) -> Position:
    """Return a position of a game."""
    game = Game(rules, seed=random.randrange(1000))
    for _ in range(random.choice([0, 1, 5, 12])):
        if game.is_over:
            break
        game.place(random.choice(game.placements()))
    return game.position


def make_position(random: Random, rules: Rules) -> Position:
    """Return a position made of hostile values, or raise the error of a refused one."""
    base = play_some_pieces(random, rules)
    names = [field.name for field in fields(Position)]
    changed = random.sample(names, random.choice([1, 1, 2, 3]))
    if random.random() < 0.3 and "board" not in changed:
        changed.append("board")
    values = {name: make_value(random, name, rules) for name in changed}
    if random.random() < 0.5:
        return replace(base, **values)
    return Position(**({name: getattr(base, name) for name in names} | values))


def require(condition: object, problem: str) -> None:
    """Raise an error that states a problem."""
    if not condition:
        raise AssertionError(problem)


def call(function: Callable[[], Any]) -> Any:
    """Return the result of a function, or the `TetrionError` that it raised."""
    try:
        return function()
    except TetrionError as error:
        require(str(error), "an error without a message")
        return error


def check_agent(name: str, position: Position, placements: list[Placement]) -> None:
    """Check that an agent's choice is legal, equals that of its explanation, and does not depend on the backend."""
    agent = make_agent(name)
    choice = call(lambda: agent.choose(position))
    explanation = call(lambda: agent.explain(position, 2))
    if isinstance(explanation, TetrionError):
        require(isinstance(choice, TetrionError), f"{name} chooses {choice!r}, but explain fails: {explanation}")
    elif isinstance(choice, TetrionError):
        require(not placements, f"{name} does not choose: {choice}")
        require(not explanation.candidates, f"{name} explains, but does not choose: {choice}")
    else:
        require(choice in placements, f"{name} chooses {choice!r}, which is not listed")
        best = explanation.candidates[0].placement if explanation.candidates else None
        require(best == choice, f"{name} chooses {choice!r}, but explains {best!r}")


def check_after(position: Position, placement: Placement) -> None:
    """Check the position after a placement, and the keys that lead to it."""
    after = position.after(placement)
    require(0 <= after.lines - position.lines <= 4, f"{after.lines - position.lines} lines by {placement!r}")
    for name in ("score", "attack", "sent", "frames"):
        require(getattr(after, name) >= getattr(position, name), f"{name} becomes {getattr(after, name)}")
    require(after.attack - position.attack < 10**8, f"an attack of {after.attack - position.attack}")
    require(reduce(and_, after.board.columns) == 0, "full rows remain")
    keys = call(lambda: position.find_keys(placement))
    if isinstance(keys, TetrionError):
        require(isinstance(keys, PlacementError) and position.rules.movement in ("drop", "steered"), f"no keys: {keys}")


def check_game(random: Random, position: Position, placements: list[Placement]) -> None:
    """Continue a game from a position for a few pieces."""
    game = Game.from_position(position, seed=random.randrange(1000))
    require(game.is_over == (not placements), f"the game is over: {game.is_over}, placements: {len(placements)}")
    known = (position.piece or "") + position.next
    if position.bag and len(known) <= position.rules.preview:
        dealt = (game.piece + game.next)[len(known) :]
        require(set(dealt[: len(position.bag)]) <= set(position.bag), f"{dealt} dealt from the bag {position.bag}")
    for _ in range(6):
        if game.is_over:
            break
        before = game.position
        listed = game.placements()
        require(listed == before.placements(), "the game and its position list different placements")
        game.place(random.choice(listed))
        require(game.score >= before.score and game.attack >= before.attack, f"counters overflow: {game!r}")
        drawn = Board.from_text(game.stack.to_text(game.rules.rows).replace("#", "X"), game.rules.rows)
        require(drawn == game.board, "the stack differs from the board")


def check_position(random: Random, position: Position) -> None:
    """Check that an accepted position can be used in every way."""
    require(Position(**{field.name: getattr(position, field.name) for field in fields(Position)}) == position, "fields")
    require(pickle.loads(pickle.dumps(position)) == position == copy.deepcopy(position), "pickle and copy")
    require(repr(position) and isinstance(hash(position), int), "repr and hash")
    require(reduce(or_, position.board.columns) >> position.rules.rows == 0, "cells above the board")
    require(position.level >= 0 and position.frames_per_row >= 0 and position.due_garbage >= 0, "derived numbers")
    placements = call(position.placements)
    for name in random.sample(AGENTS, 2):
        check_agent(name, position, [] if isinstance(placements, TetrionError) else placements)
    if str(position.rules) in TABLE_RULES:
        check_agent("tetrion-1", position, [] if isinstance(placements, TetrionError) else placements)
    if isinstance(placements, TetrionError):
        require(position.piece is None, f"no placements: {placements}")
        return
    for placement in random.sample(placements, min(4, len(placements))):
        check_after(position, placement)
    if position.piece is not None:
        check_game(random, position, placements)


def run_position_case(random: Random) -> str:
    """Make a position of hostile values; return whether it was refused or played."""
    rules = Rules.parse(random.choice(TABLE_RULES)) if random.random() < 0.1 else random.choice(make_rules())
    position = call(lambda: make_position(random, rules))
    if isinstance(position, TetrionError):
        return "refused positions"
    check_position(random, position)
    return "played positions"


def run_value_case(random: Random) -> str:
    """Make a board and a placement of hostile values and use them in a position."""
    numbers = [*NUMBERS, *range(10), *WRONG_TYPES]
    columns = tuple(random.choice([0, 1, 3, random.choice(numbers)]) for _ in range(random.choice([10, 10, 9])))
    board = call(lambda: Board(columns, random.choice([20, random.choice(numbers)])))
    if isinstance(board, Board):
        require(Board(board.columns, board.rows) == board and repr(board), "a board's repr")
    position = play_some_pieces(random, random.choice(make_rules()))
    listed = position.placements()
    values = {"piece": [*PIECES, *TEXTS], "system": ["srs", "srs+", "nes", "x"], "spin": ["none", "mini", "full", "x"]}
    names = random.sample([field.name for field in fields(Placement)], random.choice([0, 1, 1, 2]))
    changes = {name: random.choice([*values.get(name, numbers), random.choice(WRONG_TYPES)]) for name in names}
    placement = random.choice(listed) if listed else Placement("T", 0, 0, 0)
    changed = call(lambda: replace(placement, **changes))
    given = random.choice(WRONG_TYPES) if isinstance(changed, TetrionError) else changed
    is_legal = isinstance(given, Placement) and given in listed
    for use in (position.after, Game.from_position(position).place):
        used = call(partial(use, given))
        require(isinstance(used, TetrionError) != is_legal, f"{use} of {describe_value(given)}: {used!r}")
    call(lambda: position.find_keys(given))
    call(lambda: position.board.draw_svg(given))
    return "used placements" if is_legal else "refused placements"


def run_case(seed: int) -> str:
    """Run a case; return what happened, or a problem."""
    random = Random(seed)
    try:
        return run_value_case(random) if random.random() < 0.15 else run_position_case(random)
    except Exception as error:
        return f"{PROBLEM} case {seed}: {type(error).__name__}: {error}"[:1000]


@parametrise_cases(60, 6000)
def test_hostile_positions(cases: range) -> None:
    outcomes = Counter(run_cases("tests.fuzzing.test_positions", cases))
    assert list_problems(list(outcomes)) == []
    assert min(outcomes["refused positions"], outcomes["played positions"]) > len(cases) // 5


if __name__ == "__main__":
    print_outcomes(run_case)
