"""Whole games, compiled: any mixture of agents under one set of rules, in slices, on as many threads as there are."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tetrion.engine.agents import MOST_FEATURES
from tetrion.engine.board import placed, without_full_rows, write
from tetrion.engine.choose import HEIGHTS, NO_PLACEMENT, Choice, choose_on_lanes, choose_one_by_one
from tetrion.engine.compiler import compiled, entry
from tetrion.engine.lanes import LANES
from tetrion.engine.pieces import WIDTH
from tetrion.engine.randomisers import deal, keys
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

Games = np.ndarray[Any, Any]


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
    choose: Callable[..., Choice],
    game: Any,
    agent: Any,
    tables: Array,
    rules: Any,
    sequence: Array,
    most_pieces: int,
    most_lines: int,
    budget: int,
    heights: Array,
    values: Array,
) -> int:
    """Go on with a game until it is over, capped, or `budget` pieces are placed; tells how many were."""
    begun = game.pieces
    while game.status == PLAYING and game.pieces - begun < budget:
        if game.pieces >= most_pieces or game.lines >= most_lines:
            game.status = CAPPED
            break
        piece, bag = deal(rules.randomiser, sequence, game.key, game.pieces, game.bag)
        choice = choose(game.board, rules.rows, piece, agent, tables, heights, values)
        if choice[0] == NO_PLACEMENT:
            game.status = OVER
            break
        game.bag = bag
        commit(game, choice)
    return game.pieces - begun


@compiled
def play_games(choose: Callable[..., Choice], width: int, games: Games, agents: Array, tables: Array, rules: Array, sequence: Array, most_pieces: int, most_lines: int, budget: int) -> int:
    """Go on with games one after another until `budget` pieces are placed; tells how many were."""
    heights, values = np.zeros(HEIGHTS, np.int32), np.zeros(MOST_FEATURES * width, np.int32)
    played = 0
    for g in range(len(games)):
        if games[g].status == PLAYING and played < budget:
            agent = agents[games[g].agent]
            played += play_game(choose, games[g], agent, tables, rules[0], sequence, most_pieces, most_lines, budget - played, heights, values)
    return played


@entry(seconds=20)
def play_on_lanes(games: Games, agents: Array, tables: Array, rules: Array, sequence: Array, most_pieces: int, most_lines: int, budget: int) -> int:
    """Play a slice of many games, a whole orientation at a time."""
    return play_games(choose_on_lanes, LANES, games, agents, tables, rules, sequence, most_pieces, most_lines, budget)


@entry(seconds=15)
def play_one_by_one(games: Games, agents: Array, tables: Array, rules: Array, sequence: Array, most_pieces: int, most_lines: int, budget: int) -> int:
    """Play a slice of many games, one placement after another."""
    return play_games(choose_one_by_one, 1, games, agents, tables, rules, sequence, most_pieces, most_lines, budget)
