"""Games of Medico's bot followed piece by piece: modes, tucks, holes, and what a decision takes."""

import time
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from tetrion.agents import DataAgent, SecondMode, data_agent
from tetrion.board import Board, Placement
from tetrion.game import Game
from tetrion.lab.reproduction.measuring import Laboratory

RULES = "medico"
GAMES, QUICK_GAMES = 80, 6  # that are followed
LOOKED, QUICK_LOOKED = 600, 60  # decisions that are looked at closely
EVERY = 5  # pieces one of them
ABOVE = {"above": "medico:entry=4", "above, drop": "medico:entry=4,movement=drop"}  # where pieces enter above
NOBODY: Mapping[str, DataAgent] = {}

BOT = data_agent("medico")
MODES = BOT.second or SecondMode({})


def without(*features: str) -> DataAgent:
    """The bot without parameters, in both modes."""
    scoring, recovery = (
        {name: weight for name, weight in weights.items() if name not in features}
        for weights in (BOT.weights, MODES.weights)
    )
    name = f"medico without {', '.join(features)}"
    return replace(BOT, name=name, weights=scoring, second=replace(MODES, weights=recovery))


def changing(selector: str, threshold: int) -> DataAgent:
    """The bot with modes that change by another measure of how full the board is."""
    second = replace(MODES, selector=selector, threshold=threshold)
    return replace(BOT, name=f"medico by {selector} from {threshold}", second=second)


def is_tuck(board: Board, placement: Placement) -> bool:
    """Whether a piece comes to rest below something, where no straight drop leads."""
    return any(row < board.heights[column] for column, row in placement.cells)


def follow(
    agent: DataAgent, seed: int, games: int, rules: str = RULES, others: Mapping[str, DataAgent] = NOBODY
) -> dict[str, int]:
    """Count what happens in games: pieces, lines and points by mode, tucks, holes and what became of them.

    Where one of the `others` would decide otherwise is counted too, and how many pieces are left then.
    """
    counts = Counter[str]()
    for number in range(games):
        game = Game(rules, seed, number)
        differing = Counter[str]()
        covered: int | None = None  # how many holes there were before a placement made one
        mode = ""
        while not game.over:
            position = game.position
            chosen, was, mode = agent.choose(position), mode, agent.mode(position)
            lines, score, holes = game.lines, game.score, position.board.features()["holes"]
            tuck = is_tuck(position.board, chosen)
            for name in [name for name, other in others.items() if other.choose(position) != chosen]:
                counts[name] += 1
                counts[f"{name}, left"] -= game.pieces
                differing[name] += 1
            game.place(chosen)
            after = game.board.features()["holes"]
            counts["filled"] += covered is not None and tuck and after <= covered
            covered = holes if after > holes and game.lines == lines else None
            counts["covering"] += covered is not None
            counts["troubles"] += (was, mode) == ("scoring", "recovery")
            counts["recoveries"] += (was, mode) == ("recovery", "scoring")
            for part, number_of in (("pieces", 1), ("lines", game.lines - lines), ("points", game.score - score)):
                counts[f"{mode} {part}"] += number_of
            counts["pieces"] += 1
            counts["tucks"] += tuck
        counts.update({f"{name}, left": count * game.pieces for name, count in differing.items()})
        counts[f"ends in {mode}"] += 1
    return dict(counts)


def followed(laboratory: Laboratory) -> dict[str, Any]:
    """Games with the next piece and without it, and without the parameter that is to make the bot tuck."""
    games = QUICK_GAMES if laboratory.quick else GAMES
    others = {"one piece": BOT.with_(depth=1), "fearless": without("danger")}
    agents = {"one": others["one piece"], "unfilled": without("aggregate_height"), "unholed": without("holes")}
    return {
        "games": games,
        "both": follow(BOT, laboratory.seed, games, others=others),
        **{name: follow(agent, laboratory.seed, games) for name, agent in agents.items()},
        **{name: follow(BOT, laboratory.seed, games, rules) for name, rules in ABOVE.items()},
    }


def decisions(laboratory: Laboratory) -> dict[str, Any]:
    """What a decision has to choose from, how placements differ in holes, and how long it takes."""
    wanted = QUICK_LOOKED if laboratory.quick else LOOKED
    seconds, holes, values = list[float](), Counter[int](), Counter[str]()
    places, leaves = list[int](), list[int]()
    number, game = 0, Game(RULES, laboratory.seed)
    while len(places) < wanted:
        if game.over:
            number += 1
            game = Game(RULES, laboratory.seed, number)
        position = game.position
        start = time.perf_counter()
        chosen = BOT.choose(position)
        seconds.append(time.perf_counter() - start)
        if not len(seconds) % EVERY:
            nexts = [position.after(placement) for placement in position.placements()]
            places.append(len(nexts))
            leaves.append(sum(len(after.placements()) for after in nexts if after.enters))
            made = [after.board.features()["holes"] for after in nexts]
            holes.update(count - min(made) for count in made)
        lines = game.lines
        game.place(chosen)
        values.update(measured(game.board, game.lines - lines))
    differences = {str(more): count for more, count in sorted(holes.items())}
    return {
        "looked": len(places),
        "placements": float(np.mean(places)),
        "leaves": float(np.mean(leaves)),
        "most": max(leaves),
        "differences": differences,
        "values": {name: total / len(seconds) for name, total in values.items()},
        "time": {"decision": float(np.median(seconds[1:])), "slowest": float(max(seconds[1:]))},
    }


def measured(board: Board, lines: int) -> dict[str, int]:
    """What the parameters come to after a placement."""
    features: Mapping[str, int] = board.features()
    counted = {name: features[name] for name in ("holes", "bumpiness", "aggregate_height", "last_column_cells")}
    return counted | {"lines": lines}
