"""Games of Gavrilov's trained agent in real time, with the keys of the report.

Figures 44 and 45 of the report: a piece is left alone until it has fallen three rows (y > 2). Then it gets its rotation
at once, and every pass of the main loop presses one key: left or right until the column is reached, then down. The
target is a straight drop, even if the stack blocks the way to it. The report does not give the passes per second.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tetrion.agents import load_weighted_agent
from tetrion.board import Placement, get_placement
from tetrion.engine.placements import OrientedPlacement
from tetrion.engine.placing import STATUS_CAPPED, STATUS_PLAYING
from tetrion.engine.records import GameRecord, GameRecords
from tetrion.engine.rules import Rules
from tetrion.evaluation import Evaluation
from tetrion.game import Game
from tetrion.lab.papers.gavrilov.gavrilov_games import play_piece_by_piece, summarise_without_time
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.position import Position

# Keys per second. A pass of the report's main loop presses one key and lets the piece fall by at most one row, so that
# there is at least one key per row: about 8 keys per second at the highest falling speed.
REAL_TIME_KEY_RATES = (8, 15, 30, 60)
FAST_KEY_RATES = (120, 200, 400)  # the main loop has no limit: clock.tick() without argument (Figure 19)
TRAINING_GAME_PIECES = 1150  # the longest games of the training
_ROWS_BEFORE_KEYS = 3
_LOWEST_ROW_AT_KEYS = 17  # of the cells of all pieces, after these three rows
_MAX_SIDEWAYS_KEYS = 6
_FULL_SPEED_FRAME = 10**6  # a frame at which the falling speed is at its maximum
_FULL_SPEED_FRAMES_PER_ROW = 120  # 0.12 s per row (section 4.15)
_MAX_FRAMES_PER_PIECE = 100_000


def make_real_time_rules(keys_per_second: int) -> Rules:
    """Return the rules of the report with a key rate; a key that is held down repeats at this rate."""
    frames_per_key = round(1000 / keys_per_second)
    return Rules.parse(f"gavrilov:soft_drop_interval={frames_per_key},frames_per_key={frames_per_key}")


def play_piece_by_keys(game: Game, target: Placement) -> None:
    """Play the current piece with keys, as in the report, until it locks; it may miss its target."""
    pieces = game.pieces
    game.tick_until_lock(_ROWS_BEFORE_KEYS * game.position.frames_per_row)
    for _ in range(3):
        if (falling := game.falling_piece) is not None and falling.rotation != target.rotation:
            game.press("rotate")
    while game.pieces == pieces and not game.is_over:
        falling = game.falling_piece
        if falling is None or falling.column == target.column:
            game.key_down("down")
            game.tick_until_lock(_MAX_FRAMES_PER_PIECE)
            game.key_up("down")
            return
        game.press("right" if falling.column < target.column else "left")
        game.tick_until_lock(game.rules.frames_per_key)


def time_key_game(keys_per_second: int, seed: int, number: int, max_pieces: int) -> list[float]:
    """Play a game with keys; return the time in seconds at which each piece locked."""
    agent = load_weighted_agent("gavrilov")
    game = Game(make_real_time_rules(keys_per_second), seed, number)
    times = []
    while not game.is_over and game.pieces < max_pieces:
        play_piece_by_keys(game, agent.choose(game.position))
        times.append(game.frames / game.rules.frames_per_second)
    return times


def compute_blocking_height(rules: Rules) -> int:
    """Return the lowest height of a stack that can block a piece on its way sideways at full falling speed."""
    return _LOWEST_ROW_AT_KEYS - math.ceil(_MAX_SIDEWAYS_KEYS * rules.frames_per_key / _FULL_SPEED_FRAMES_PER_ROW)


def replay_with_keys(before: GameRecord, after: GameRecord, rules: Rules) -> GameRecord:
    """Play the last piece of a game again, with keys at full falling speed; return the game after it."""
    position = replace(Position.from_record(before, rules), frames=_FULL_SPEED_FRAME)
    game = Game.from_position(position)
    play_piece_by_keys(game, get_placement(OrientedPlacement(*after.placement.tolist()), rules.rotation))
    return game.copy_record()


def play_by_keys(keys_per_second: int, games: int, seed: int, max_pieces: int, blocking_height: int) -> GameRecords:
    """Play games of the trained agent with keys at full falling speed.

    Only boards that are at least `blocking_height` high are played with keys: on lower ones every target is reached.
    """
    rules = make_real_time_rules(keys_per_second)
    records = GameRecord.make_array(games)
    for before, records in play_piece_by_piece("gavrilov", "gavrilov", games, seed, max_pieces):
        is_high = before["board"].max(axis=1) >= 1 << blocking_height - 1
        for number in np.flatnonzero(is_high & (records["pieces"] > before["pieces"])):
            record = replay_with_keys(before[number], records[number], rules)
            for name in ("board", "lines", "status", "placement"):
                records[name][number] = record[name]
    records["status"][records["status"] == STATUS_PLAYING] = STATUS_CAPPED
    return records


def measure_real_time_games(rates: Sequence[int], context: MeasurementContext) -> dict[str, Any]:
    """Measure lines per game and seconds per piece of the trained agent with several key rates."""
    games, max_pieces = (20, 2000) if context.is_quick else (400, 20_000)
    timed_games, timed_pieces = (1, 300) if context.is_quick else (3, 3750)
    found = {}
    for rate in rates:
        height = compute_blocking_height(make_real_time_rules(rate))
        records = play_by_keys(rate, games, context.seed, max_pieces, height)
        result = Evaluation.from_games("gavrilov", make_real_time_rules(rate), context.seed, records, seconds=1.0)
        times = [time_key_game(rate, context.seed, number, timed_pieces) for number in range(timed_games)]
        found[str(rate)] = {
            "lines": summarise_without_time(result) | {"cap": max_pieces},
            "seconds_per_piece": compute_seconds_per_piece(times, timed_pieces),
            "training_seconds_per_piece": compute_seconds_per_piece(times, TRAINING_GAME_PIECES),
        }
    return found


def compute_seconds_per_piece(times: list[list[float]], max_pieces: int) -> float:
    """Return the mean time per piece of the first pieces of games, from the times at which pieces locked."""
    shortened = [game[:max_pieces] for game in times]
    return sum(game[-1] for game in shortened) / sum(map(len, shortened))
