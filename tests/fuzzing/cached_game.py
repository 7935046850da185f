"""A small game whose functions are compiled quickly, to be played with a damaged cache of compiled code."""

from typing import Any

import numpy as np

from tetrion.engine.bitboard import remove_row
from tetrion.engine.compiler import CompiledFunction
from tetrion.engine.episodes import sample_actions

COLUMNS = 10
PIECES = 60
MEMORY = np.dtype([("columns", np.int64, COLUMNS), ("lines", np.int64)])


def drop_cell(memory: Any, column: int) -> int:
    """Drop one cell into a column, remove the lowest row if it is full, and return the number of removed rows."""
    game = memory[0]
    game.columns[column] = game.columns[column] * 2 + 1
    is_full = True
    for index in range(COLUMNS):
        is_full &= game.columns[index] & 1 == 1
    if is_full:
        game.lines += 1
        for index in range(COLUMNS):
            game.columns[index] = remove_row(game.columns[index], 0)
    return int(game.lines)


def compute_score(columns: Any, weight: float) -> float:
    """Return a weighted sum of the filled cells."""
    cells = 0
    for column in columns:
        while column:
            cells += column & 1
            column >>= 1
    return cells * weight


def play_game() -> str:
    """Play the game with newly loaded functions; return its result, and which functions were loaded from the cache."""
    drop: Any = CompiledFunction(drop_cell, seconds=1, memory=MEMORY)
    score: Any = CompiledFunction(compute_score, seconds=1)
    sample: Any = CompiledFunction(sample_actions.dispatcher.py_func, seconds=1)
    memory = np.zeros(1, MEMORY)
    lines = [drop.call_with_memory(memory, number * number % 19 % COLUMNS) for number in range(PIECES)]
    points = score(memory[0]["columns"], 0.5)
    actions = np.zeros(4, np.int64)
    sample(np.ones((4, 9), np.int8), np.uint64(3), 5, actions)
    loaded = [sum(function.dispatcher.stats.cache_hits.values()) for function in (drop, score, sample)]
    return f"{memory.tobytes().hex()} {lines} {points} {actions.tolist()} loaded {loaded}"
