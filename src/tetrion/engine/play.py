"""Whole games, compiled: any mixture of agents under one set of rules, in slices, on as many threads as there are."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np

from tetrion.engine.agents import CompiledAgent, compiled_agents
from tetrion.engine.board import placed, without_full_rows
from tetrion.engine.choose import HEIGHTS, NO_PLACEMENT, Choice, choose_on_lanes, choose_one_by_one
from tetrion.engine.compiler import compiled, entry
from tetrion.engine.lanes import LANES
from tetrion.engine.pieces import WIDTH
from tetrion.engine.randomisers import deal, keys
from tetrion.engine.registry import MOST_FEATURES
from tetrion.engine.rules import Rules
from tetrion.engine.ten import write
from tetrion.engine.words import Array, popcount

GAME = np.dtype(
    [
        ("key", np.uint64),  # of its randomness
        ("bag", np.int64),  # the pieces left in the bag
        ("pieces", np.int64),  # placed so far
        ("lines", np.int64),
        ("clears", np.int64, 4),  # how often one, two, three and four lines were cleared at once
        ("board", np.int32, WIDTH),
        ("agent", np.int32),  # who plays
        ("status", np.int32),
        ("placement", np.int32, 3),  # the last one: orientation, column, row
    ],
    align=True,
)
PLAYING, OVER, CAPPED = range(3)

UNLIMITED = 2**62

Games = np.ndarray[Any, Any]


class Setting(NamedTuple):
    """Everything that stays the same while games are played."""

    agents: Array
    tables: Array
    rules: Array
    sequence: Array
    most_pieces: int
    most_lines: int

    @classmethod
    def of(
        cls, agents: Sequence[CompiledAgent], rules: Rules, most_pieces: int = UNLIMITED, most_lines: int = UNLIMITED
    ) -> Self:
        """What is played by: some agents, rules, and caps on the length of a game."""
        return cls(*compiled_agents(agents), *rules.compiled(), most_pieces, most_lines)


def new_games(count: int, seed: int, first: int = 0, agent: int = 0) -> Games:
    """Games number `first`, `first + 1`, … of a seed, not yet begun."""
    games = np.zeros(count, GAME)
    games["key"] = keys(seed, first, count)
    games["agent"] = agent
    return games


@compiled
def commit(game: Any, choice: Choice) -> None:
    """Place the piece for good: remove full rows and count."""
    orientation, x, row = choice
    columns, _, full = placed(game.board, orientation, x, row)
    if full:
        columns = without_full_rows(columns, full)
        lines = popcount(full)
        game.lines += lines
        game.clears[lines - 1] += 1
    write(game.board, columns)
    game.pieces += 1
    game.placement[0], game.placement[1], game.placement[2] = orientation, x, row


@compiled
def play_game(
    choose: Callable[..., Choice], game: Any, setting: Setting, budget: int, heights: Array, values: Array
) -> int:
    """Go on with a game until it is over, capped, or `budget` pieces are placed; tells how many were."""
    agent, rules, begun = setting.agents[game.agent], setting.rules[0], game.pieces
    while game.status == PLAYING and game.pieces - begun < budget:
        if game.pieces >= setting.most_pieces or game.lines >= setting.most_lines:
            game.status = CAPPED
            break
        piece, bag = deal(rules.randomiser, setting.sequence, game.key, game.pieces, game.bag)
        choice = choose(game.board, rules.rows, piece, agent, setting.tables, heights, values)
        if choice[0] == NO_PLACEMENT:
            game.status = OVER
            break
        game.bag = bag
        commit(game, choice)
    return int(game.pieces - begun)


@compiled
def play_games(choose: Callable[..., Choice], width: int, games: Games, setting: Setting, budget: int) -> int:
    """Go on with games one after another until `budget` pieces are placed; tells how many were."""
    heights, values = np.zeros(HEIGHTS, np.int32), np.zeros(MOST_FEATURES * width, np.int32)
    played = 0
    for g in range(len(games)):
        if games[g].status == PLAYING and played < budget:
            played += play_game(choose, games[g], setting, budget - played, heights, values)
    return played


@entry(seconds=20)
def play_on_lanes(games: Games, setting: Setting, budget: int) -> int:
    """Play a slice of many games, a whole orientation at a time."""
    return play_games(choose_on_lanes, LANES, games, setting, budget)


@entry(seconds=15)
def play_one_by_one(games: Games, setting: Setting, budget: int) -> int:
    """Play a slice of many games, one placement after another."""
    return play_games(choose_one_by_one, 1, games, setting, budget)
