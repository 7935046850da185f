"""Choice of an agent's placement in the modern game: with or without hold, over the known pieces.

The agent's search is done once for each sequence of pieces that hold allows. Of equal variations the first is chosen:
without hold before with hold, then in the order of placements.
"""

from typing import Any

import numpy as np

from tetrion.engine.batch_play import STATUS_CAPPED, STATUS_OVER, STATUS_PLAYING, EngineSettings
from tetrion.engine.best_placements import NO_PLACEMENT, ChosenPlacement, Search, encode_placement
from tetrion.engine.compiler import compile_entry_with_memory, compile_inline, compile_separate
from tetrion.engine.lookahead import NO_VARIATION_VALUE, find_best_points, search_best_variation
from tetrion.engine.modern_play import NO_PIECE, deal_modern_preview, is_stopped_at_spawn, place_code
from tetrion.engine.modern_records import SPIN_KINDS, ModernGameRecord, ModernGameRecords, ModernRulesRecord
from tetrion.engine.modern_search import NO_CHOICE, ModernSearchScratch, choose_by_modern_features
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.pieces import PIECE_OF_ORIENTATION
from tetrion.engine.placement_choice import is_blocked_out
from tetrion.engine.records import MAX_KNOWN_PIECES, MAX_ROTATION_STATES, Records
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.simd_lanes import LANES
from tetrion.engine.spins import KINDS_OFFSET, encode_modern_placement, find_spin_placements

CHOICE_ONLY = 0  # in place of the number of pieces that `play_modern` places


@compile_inline
def arrange_queue(game: ModernGameRecord, rules: ModernRulesRecord, holds: int, depth: int, queue: Array) -> bool:
    """Write the pieces that are placed into the game's queue, if bit i of `holds` tells whether piece i uses hold.

    `queue` is a copy of the game's queue. Return whether hold and the known pieces allow this.
    """
    held = int(game.hold) - 1
    index = 0
    for number in range(depth):
        if index >= game.known:
            return False
        piece = int(queue[index])
        index += 1
        if (holds >> number) & 1:
            if not rules.hold or (number == 0 and game.used_hold):
                return False
            if held != NO_PIECE:
                held, piece = piece, held
            elif index < game.known:
                held, piece = piece, int(queue[index])
                index += 1
            else:
                return False
        game.queue[number] = piece
    return True


@compile_separate
def find_first_spin(board: Array, rules: ModernRulesRecord, choice: ChosenPlacement, scratch: Any) -> tuple[int, int]:
    """Return the code of a placement (orientation, column, row), and the first kind of spin that leads to it."""
    orientation, x, row = choice
    piece = int(np.int64(PIECE_OF_ORIENTATION[orientation]))  # a second type would be compiled again
    rotation = 0
    while rules.orientations[piece, rotation] != orientation:
        rotation += 1
    find_spin_placements(board, rules, piece, scratch)
    spin = 0
    while spin < len(SPIN_KINDS) - 1:
        cells = int(scratch.spins[KINDS_OFFSET + (spin * MAX_ROTATION_STATES + rotation) * LANES + x])
        if (cells >> (MOVEMENT_ROWS - 1 - row)) & 1:
            break
        spin += 1
    return encode_placement(rotation, x, row), spin


@compile_separate
def choose_modern(game: ModernGameRecord, settings: EngineSettings, agent: int, scratch: ModernSearchScratch) -> int:
    """Return the code of the placement that an agent of the batch chooses, or NO_CHOICE if there is none."""
    rules: Any = settings.rules[0]
    if game.known > 0 and is_stopped_at_spawn(game.board, rules, int(game.queue[0])):
        return NO_CHOICE
    search = Search(rules, 0, settings.agents[agent], settings.agents, settings.tables, scratch)
    if search.agent.modern_mask:
        return choose_by_modern_features(game, search)
    depth = int(search.agent.depth)
    best_value = NO_VARIATION_VALUE
    best_choice = (NO_PLACEMENT, 0, 0)
    best_hold = 0
    for index in range(MAX_KNOWN_PIECES):
        scratch.queue[index] = game.queue[index]
    for number in range(1 << depth):
        hold = number >> (depth - 1)  # sequences that begin without hold come first
        holds = hold | ((number & ((1 << (depth - 1)) - 1)) << 1)
        if arrange_queue(game, rules, holds, depth, scratch.queue) and not is_blocked_out(
            game.board, rules, int(game.queue[0])
        ):
            value, choice = search_best_variation(find_best_points, game, search)
            if value > best_value:
                best_value, best_choice = value, choice
                best_hold = hold
    for index in range(MAX_KNOWN_PIECES):
        game.queue[index] = scratch.queue[index]
    if best_choice[0] == NO_PLACEMENT:
        return NO_CHOICE
    code, spin = find_first_spin(game.board[:], rules, best_choice, scratch)
    return encode_modern_placement(code, spin, best_hold)


@compile_entry_with_memory(ModernSearchScratch.dtype, seconds=25)
def play_modern(
    memory: Records[ModernSearchScratch], games: ModernGameRecords, settings: EngineSettings, budget: int
) -> int:
    """Play a slice of modern games; return the number of placed pieces.

    With CHOICE_ONLY instead of a budget, choose a placement for the first agent in the first game with the pieces that
    are known, and return its code, or NO_CHOICE. Two entry points would take twice as long to compile.
    """
    rules: Any = settings.rules[0]
    if budget == CHOICE_ONLY:
        return choose_modern(games[0], settings, 0, memory[0])
    played = 0
    for g in range(len(games)):
        game = games[g]
        while game.status == STATUS_PLAYING and played < budget:
            if game.pieces >= settings.max_pieces or game.lines >= settings.max_lines:
                game.status = STATUS_CAPPED
                break
            deal_modern_preview(game, rules)
            code = choose_modern(game, settings, int(game.agent), memory[0])
            if code == NO_CHOICE:
                game.status = STATUS_OVER
                break
            place_code(game, rules, code)
            played += 1
    return played


def choose_modern_code(
    games: ModernGameRecords, settings: EngineSettings, memory: Records[ModernSearchScratch] | None = None
) -> int:
    """Return the code of the placement that the first agent chooses with the pieces that are known, or NO_CHOICE.

    The search leaves its variations in `memory`, if it is given.
    """
    if memory is None:
        return play_modern(games, settings, CHOICE_ONLY)
    return play_modern.call_with_memory(memory, games, settings, CHOICE_ONLY)
