"""Measurements of single decisions of Medico's bot: modes, clears, tucks, holes and search size."""

import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from tetrion.agents import WeightedAgent
from tetrion.board import Board, Placement
from tetrion.game import Game
from tetrion.lab.papers.medico.medico_variants import (
    MEDICO_BOT,
    make_equivalent_without_board_fill,
    remove_parameters,
)
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.position import Position

_MEDICO_RULES = "medico"
_FOLLOWED_GAMES, _QUICK_FOLLOWED_GAMES = 80, 4  # games whose events are counted piece by piece
EXAMINED_DECISIONS, QUICK_EXAMINED_DECISIONS = 600, 60  # decisions whose placements are counted
_PIECES_PER_EXAMINATION = 5  # one decision in this many is examined
_ENTRY_ABOVE_RULES = {  # pieces spawn above the board
    "above": "medico:spawn_height=4",
    "above, drop": "medico:spawn_height=4,movement=drop",
}
_NO_AGENTS: Mapping[str, WeightedAgent] = {}


def is_tuck(board: Board, placement: Placement) -> bool:
    """Return whether a piece rests below filled cells, where a hard drop cannot place it."""
    return any(row < board.heights[column] for column, row in placement.cells)


def is_flat(placement: Placement) -> bool:
    """Return whether a piece occupies fewer rows than columns."""
    columns, rows = (set(numbers) for numbers in zip(*placement.cells, strict=True))
    return len(rows) < len(columns)


def can_clear_line(position: Position) -> bool:
    """Return whether a placement of the current piece completes a row."""
    columns = position.board.columns
    missing = [sum(not column >> row & 1 for column in columns) for row in range(position.board.rows)]
    return any(
        cells == missing[row]
        for placement in position.placements()
        for row, cells in Counter(row for _, row in placement.cells).items()
        if row < len(missing)
    )


def count_game_events(
    agent: WeightedAgent,
    seed: int,
    number: int,
    rules: str = _MEDICO_RULES,
    others: Mapping[str, WeightedAgent] = _NO_AGENTS,
) -> dict[str, int]:
    """Count events in a game: pieces, lines and points by mode, tucks, and holes made and filled.

    Bumpiness and low space are summed over the boards after each placement; low space is the number of cells above the
    columns and below the level of the highest one.
    With `others`, also count decisions in which a line can be cleared, and what these bots would do in the same
    positions: how many decisions differ, and how many of their placements are tucks or flat.
    """
    counts = Counter[str]()
    game = Game(rules, seed, number)
    covered: int | None = None  # holes before the last placement, if that placement made a hole
    mode = ""
    while not game.is_over:
        position = game.position
        chosen = agent.choose(position)
        previous_mode = mode
        mode = agent.get_mode_name(position)
        lines = game.lines
        score = game.score
        holes = position.board.measure_features()["holes"]
        tuck = is_tuck(position.board, chosen)
        for name, other in others.items():
            choice = other.choose(position)
            counts[name] += choice != chosen
            counts[f"{name} tucks"] += is_tuck(position.board, choice)
            counts[f"{name} flat"] += is_flat(choice)
        clearable = bool(others) and can_clear_line(position)
        counts[f"{mode} clearable"] += clearable
        game.place(chosen)
        after = game.board.measure_features()
        counts[f"{mode} cleared"] += clearable and game.lines > lines
        counts["filled"] += covered is not None and tuck and after["holes"] <= covered
        covered = holes if after["holes"] > holes and game.lines == lines else None
        counts["covering"] += covered is not None
        counts["new holes"] += after["holes"] > holes
        counts["bumpiness"] += after["bumpiness"]
        counts["low space"] += len(game.board.columns) * after["max_height"] - after["aggregate_height"]
        counts["troubles"] += (previous_mode, mode) == ("scoring", "recovery")
        counts["recoveries"] += (previous_mode, mode) == ("recovery", "scoring")
        for part, amount in (("pieces", 1), ("lines", game.lines - lines), ("points", game.score - score)):
            counts[f"{mode} {part}"] += amount
        counts["pieces"] += 1
        counts["tucks"] += tuck
        counts["orientable"] += chosen.piece != "O"
        counts["flat"] += is_flat(chosen)
    return dict(counts)


def measure_followed_games(context: MeasurementContext) -> dict[str, Any]:
    """Count events in games with and without the next piece, without single parameters, and with other rules.

    The result has one dictionary of counts per game.
    """
    games = _QUICK_FOLLOWED_GAMES if context.is_quick else _FOLLOWED_GAMES
    others = {
        "one piece": MEDICO_BOT.with_(depth=1),
        "fearless": remove_parameters("danger"),
        "unfilled": remove_parameters("aggregate_height"),
        "equivalent": make_equivalent_without_board_fill(),
    }
    agents = {
        "one": others["one piece"],
        "unholed": remove_parameters("holes"),
        "uneven": remove_parameters("bumpiness"),
    }
    seed, numbers = context.seed, range(games)
    return {
        "both": [count_game_events(MEDICO_BOT, seed, number, others=others) for number in numbers],
        **{name: [count_game_events(agent, seed, number) for number in numbers] for name, agent in agents.items()},
        **{
            name: [count_game_events(MEDICO_BOT, seed, number, rules) for number in numbers]
            for name, rules in _ENTRY_ABOVE_RULES.items()
        },
    }


def measure_decisions(context: MeasurementContext) -> dict[str, Any]:
    """Measure the number of placements and boards per decision, and how many holes the placements differ by.

    `near` has, for each decision, the share of its placements that leave at most two holes more than the best one.
    `values` are the means of the parameters after placements in scoring mode. The times are in seconds per decision.
    """
    decisions = QUICK_EXAMINED_DECISIONS if context.is_quick else EXAMINED_DECISIONS
    values = Counter[str]()
    near = list[float]()
    placement_counts = list[int]()
    leaves = list[int]()
    seconds = list[float]()
    number = 0
    scoring_pieces = 0
    pieces = 0
    game = Game(_MEDICO_RULES, context.seed)
    while len(placement_counts) < decisions:
        if game.is_over:
            number += 1
            game = Game(_MEDICO_RULES, context.seed, number)
        position = game.position
        start = time.perf_counter()
        chosen = MEDICO_BOT.choose(position)
        seconds.append(time.perf_counter() - start)
        pieces += 1
        if not pieces % _PIECES_PER_EXAMINATION:
            afterstates = [position.after(placement) for placement in position.placements()]
            placement_counts.append(len(afterstates))
            leaves.append(sum(len(after.placements()) for after in afterstates if after.can_spawn))
            holes = np.array([after.board.measure_features()["holes"] for after in afterstates])
            near.append(float((holes - holes.min() <= 2).mean()))
        game.place(chosen)
        if MEDICO_BOT.get_mode_name(position) == "scoring":
            scoring_pieces += 1
            values.update(get_parameter_values(game.board))
    return {
        "looked": len(placement_counts),
        "placements": float(np.mean(placement_counts)),
        "leaves": float(np.mean(leaves)),
        "most": max(leaves),
        "near": near,
        "values": {name: total / scoring_pieces for name, total in values.items()},
        "scoring_pieces": scoring_pieces,
        "games": number + 1,
        "time": {"decision": float(np.median(seconds[1:])), "longest": max(seconds[1:])},  # the first one compiles
    }


def get_parameter_values(board: Board) -> dict[str, int]:
    """Return the values of the bot's parameters on a board after a placement."""
    features: Mapping[str, int] = board.measure_features()
    return {name: features[name] for name in ("holes", "bumpiness", "aggregate_height", "last_column_cells")}
