"""Measurements of single decisions of Medico's bot: modes, tucks, holes, search size and time."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tetrion.agents import SecondMode, WeightedAgent, load_weighted_agent
from tetrion.board import Board, Placement
from tetrion.game import Game
from tetrion.lab.reproduction.measurements import MeasurementContext

_MEDICO_RULES = "medico"
_FOLLOWED_GAMES, _QUICK_FOLLOWED_GAMES = 80, 6  # games whose events are counted piece by piece
EXAMINED_DECISIONS, QUICK_EXAMINED_DECISIONS = 600, 60  # decisions whose placements are counted
_PIECES_PER_EXAMINATION = 5  # one decision in this many is examined
_ENTRY_ABOVE_RULES = {  # pieces spawn above the board
    "above": "medico:spawn_height=4",
    "above, drop": "medico:spawn_height=4,movement=drop",
}
_NO_AGENTS: Mapping[str, WeightedAgent] = {}

MEDICO_BOT = load_weighted_agent("medico")
MEDICO_SECOND_MODE = MEDICO_BOT.second_mode or SecondMode({})


def remove_parameters(*features: str) -> WeightedAgent:
    """Return the bot without the given features, in both modes."""
    scoring, recovery = (
        {name: weight for name, weight in weights.items() if name not in features}
        for weights in (MEDICO_BOT.weights, MEDICO_SECOND_MODE.weights)
    )
    name = f"medico without {', '.join(features)}"
    return replace(MEDICO_BOT, name=name, weights=scoring, second_mode=replace(MEDICO_SECOND_MODE, weights=recovery))


def change_mode_selector(selector: str, threshold: int) -> WeightedAgent:
    """Return the bot with a mode that depends on another feature and threshold."""
    second = replace(MEDICO_SECOND_MODE, selector=selector, threshold=threshold)
    return replace(MEDICO_BOT, name=f"medico by {selector} from {threshold}", second_mode=second)


def is_tuck(board: Board, placement: Placement) -> bool:
    """Return whether a piece rests below filled cells, where a hard drop cannot place it."""
    return any(row < board.heights[column] for column, row in placement.cells)


def count_game_events(
    agent: WeightedAgent,
    seed: int,
    games: int,
    rules: str = _MEDICO_RULES,
    others: Mapping[str, WeightedAgent] = _NO_AGENTS,
) -> dict[str, int]:
    """Count events in games: pieces, lines and points by mode, tucks, and holes that are made and filled.

    Also count the decisions in which one of the `others` differs, and the pieces left in the game after them.
    """
    counts = Counter[str]()
    for number in range(games):
        game = Game(rules, seed, number)
        differing = Counter[str]()
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
            for name in [name for name, other in others.items() if other.choose(position) != chosen]:
                counts[name] += 1
                counts[f"{name}, left"] -= game.pieces
                differing[name] += 1
            game.place(chosen)
            after = game.board.measure_features()["holes"]
            counts["filled"] += covered is not None and tuck and after <= covered
            covered = holes if after > holes and game.lines == lines else None
            counts["covering"] += covered is not None
            counts["troubles"] += (previous_mode, mode) == ("scoring", "recovery")
            counts["recoveries"] += (previous_mode, mode) == ("recovery", "scoring")
            for part, amount in (("pieces", 1), ("lines", game.lines - lines), ("points", game.score - score)):
                counts[f"{mode} {part}"] += amount
            counts["pieces"] += 1
            counts["tucks"] += tuck
        counts.update({f"{name}, left": count * game.pieces for name, count in differing.items()})
        counts[f"ends in {mode}"] += 1
    return dict(counts)


def measure_followed_games(context: MeasurementContext) -> dict[str, Any]:
    """Count events in games with and without the next piece, without single parameters, and with other rules."""
    games = _QUICK_FOLLOWED_GAMES if context.is_quick else _FOLLOWED_GAMES
    others = {"one piece": MEDICO_BOT.with_(depth=1), "fearless": remove_parameters("danger")}
    agents = {
        "one": others["one piece"],
        "unfilled": remove_parameters("aggregate_height"),
        "unholed": remove_parameters("holes"),
    }
    return {
        "games": games,
        "both": count_game_events(MEDICO_BOT, context.seed, games, others=others),
        **{name: count_game_events(agent, context.seed, games) for name, agent in agents.items()},
        **{
            name: count_game_events(MEDICO_BOT, context.seed, games, rules)
            for name, rules in _ENTRY_ABOVE_RULES.items()
        },
    }


def measure_decisions(context: MeasurementContext) -> dict[str, Any]:
    """Measure the number of placements per decision, their differences in holes, and the time per decision."""
    decisions = QUICK_EXAMINED_DECISIONS if context.is_quick else EXAMINED_DECISIONS
    seconds = list[float]()
    holes = Counter[int]()
    values = Counter[str]()
    placement_counts, leaves = list[int](), list[int]()
    number, game = 0, Game(_MEDICO_RULES, context.seed)
    while len(placement_counts) < decisions:
        if game.is_over:
            number += 1
            game = Game(_MEDICO_RULES, context.seed, number)
        position = game.position
        start = time.perf_counter()
        chosen = MEDICO_BOT.choose(position)
        seconds.append(time.perf_counter() - start)
        if not len(seconds) % _PIECES_PER_EXAMINATION:
            afterstates = [position.after(placement) for placement in position.placements()]
            placement_counts.append(len(afterstates))
            leaves.append(sum(len(after.placements()) for after in afterstates if after.can_spawn))
            hole_counts = [after.board.measure_features()["holes"] for after in afterstates]
            holes.update(count - min(hole_counts) for count in hole_counts)
        lines = game.lines
        game.place(chosen)
        values.update(get_parameter_values(game.board, game.lines - lines))
    differences = {str(more): count for more, count in sorted(holes.items())}
    return {
        "looked": len(placement_counts),
        "placements": float(np.mean(placement_counts)),
        "leaves": float(np.mean(leaves)),
        "most": max(leaves),
        "differences": differences,
        "values": {name: total / len(seconds) for name, total in values.items()},
        "time": {"decision": float(np.median(seconds[1:])), "slowest": float(max(seconds[1:]))},
    }


def get_parameter_values(board: Board, lines: int) -> dict[str, int]:
    """Return the values of the bot's parameters after a placement that cleared the given number of lines."""
    features: Mapping[str, int] = board.measure_features()
    values = {name: features[name] for name in ("holes", "bumpiness", "aggregate_height", "last_column_cells")}
    return values | {"lines": lines}
