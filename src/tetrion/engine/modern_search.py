"""Search of an agent with modern features: a beam search by layers over the known pieces, with hold and spins.

A layer holds the states of the game after the same number of placements: the engine's own games, which carry board,
hold, queue, combo and back-to-back. Each state of a layer is expanded, and the best of all following states form the
next layer: as many as the beam allows, or all. States with the same board, hold, combo and back-to-back are merged, and
the one with the higher value is kept. No garbage rises in a search.

The value of a state is the sum of the additive points of its placements and of the points of its board. A placement
that ends the game is considered only if all do, and a state in which the next piece cannot be placed has no following
states. The best state of the last layer that is not empty decides, so that longer survival comes first, as in
`lookahead`. States of a layer are numbered in the order of their variations (comparing the codes of the first
placements, then of the second ones, and so on); of states with equal values the one with the lowest number is better.
"""

from typing import Annotated, Any, NamedTuple

from tetrion.engine.agent_records import MAX_MODERN_DEPTH, compute_score
from tetrion.engine.beam_layer import (
    MAX_LAYER_WIDTH,
    BeamScratch,
    LayerCandidate,
    add_candidate,
    clear_layer,
    sort_layer,
)
from tetrion.engine.best_placements import WORST_POINTS, Search
from tetrion.engine.columns import TenColumns, store_ten_values
from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.modern_feature_choice import ModernChoiceScratch, PlacedKind, ScoredLanes, examine_placements
from tetrion.engine.modern_features import ModernOutcome, score_additive_modern_features
from tetrion.engine.modern_play import is_stopped_at_spawn, place_code
from tetrion.engine.modern_records import SPIN_KINDS, ModernGameRecord, ModernGameRecords
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.record_copying import copy_record
from tetrion.engine.records import Int32Array, Int64, Int64Array
from tetrion.engine.rules import END_LOCK_OUT
from tetrion.engine.scalar_or_simd import store_value, where
from tetrion.engine.simd_lanes import LANES, broadcast_lanes, reduce_max, reduce_min, store
from tetrion.engine.spins import MAX_PLACEMENT_CODES, encode_modern_placement

NO_CHOICE = -1
_NO_VALUE = -(2**62)
_NO_CODE = MOVEMENT_ROWS * LANES * LANES  # higher than the code of any placement
MAX_MODERN_CODES = 2 * MAX_PLACEMENT_CODES * len(SPIN_KINDS)
_HASH_MULTIPLIER = 0x2C1B3C6D  # an odd number


class ModernSearchScratch(ModernChoiceScratch, BeamScratch):
    """Working memory of an agent that plays the modern game."""

    width: Int64  # of the layer that is being collected; 0: it is the last one, whose best placement is enough
    # The states of two layers, the one that is expanded and the next one.
    states: Annotated[ModernGameRecords, ModernGameRecord.dtype, 2 * MAX_LAYER_WIDTH]
    state_gains: Annotated[Int64Array, 2 * MAX_LAYER_WIDTH]
    state_roots: Annotated[Int64Array, 2 * MAX_LAYER_WIDTH]  # the states of the first layer from which they follow
    # By layer and number of the state: the state before it, and the placement that leads to it.
    parents: Annotated[Int32Array, (MAX_MODERN_DEPTH + 1, MAX_LAYER_WIDTH)]
    codes: Annotated[Int32Array, (MAX_MODERN_DEPTH + 1, MAX_LAYER_WIDTH)]
    # The best variation of each state of the first layer: its length, its value and its last state before the end.
    root_lengths: Annotated[Int64Array, MAX_LAYER_WIDTH]
    root_values: Annotated[Int64Array, MAX_LAYER_WIDTH]
    root_parents: Annotated[Int64Array, MAX_LAYER_WIDTH]
    root_codes: Annotated[Int64Array, MAX_LAYER_WIDTH]  # its last placement
    root_reach: Annotated[Int64Array, MAX_LAYER_WIDTH]  # the length of the longest variation, also beyond the beam
    root_count: Int64
    # Of sixteen placements.
    lane_points: Annotated[Int32Array, LANES]
    lane_gains: Annotated[Int32Array, LANES]
    lane_codes: Annotated[Int32Array, LANES]
    lane_keys: Annotated[Int32Array, LANES]


class ExpandedState(NamedTuple):
    """A state that is expanded, and the best placement found so far."""

    number: int
    gain: int
    best_points: int
    best_code: int


class LayerEnd(NamedTuple):
    """The best variation of a layer: its value, its last state before the end, and its last placement."""

    value: int
    parent: int
    code: int


@compile_inline
def find_state(layer: int, number: int) -> int:
    """Return the index of a state of a layer in the scratch."""
    return (layer & 1) * MAX_LAYER_WIDTH + number


@compile_inline
def mix(hashed: int, value: int) -> int:
    """Return a hash that depends on a hash and a value."""
    product = (hashed ^ value) * _HASH_MULTIPLIER
    return product ^ (product >> 15)


@compile_inline
def hash_columns(c: TenColumns, hashed: int) -> int:
    """Return a hash that depends on a hash and ten columns."""
    left = mix(mix(mix(mix(mix(hashed, c[0]), c[1]), c[2]), c[3]), c[4])
    return mix(mix(mix(mix(mix(left, c[5]), c[6]), c[7]), c[8]), c[9])


@compile_inline
def store_states(game: ModernGameRecord, hold: int, outcome: ModernOutcome, scratch: ModernSearchScratch) -> None:
    """Store the states after sixteen placements, and their hashes."""
    held = broadcast_lanes(int(game.queue[0]) + 1 if hold else int(game.hold))
    chain = where(outcome.lines > 0, outcome.back_to_back * int(game.back_to_back + 1), int(game.back_to_back))
    store_ten_values(scratch.lane_states, 0, outcome.columns)
    store_value(scratch.lane_states, BOARD_WIDTH, held)
    store_value(scratch.lane_states, BOARD_WIDTH + 1, outcome.combo)
    store_value(scratch.lane_states, BOARD_WIDTH + 2, chain)
    store(scratch.lane_keys, 0, hash_columns(outcome.columns, mix(mix(held, outcome.combo), chain)))


@compile_separate
def add_stored_lanes(scratch: ModernSearchScratch, kind: PlacedKind, state: ExpandedState) -> None:
    """Add the sixteen placements in the scratch to the next layer."""
    for lane in range(LANES):
        points = int(scratch.lane_points[lane])
        if points != WORST_POINTS:
            code = encode_modern_placement(int(scratch.lane_codes[lane]), kind.spin, kind.hold)
            order = state.number * MAX_MODERN_CODES + code
            gain = state.gain + int(scratch.lane_gains[lane])
            key = int(scratch.lane_keys[lane])
            add_candidate(scratch, int(scratch.width), LayerCandidate(state.gain + points, order, gain, key, lane))


@compile_inline
def consider_lanes(
    game: ModernGameRecord,
    search: Search[ModernSearchScratch],
    kind: PlacedKind,
    lanes: ScoredLanes,
    state: ExpandedState,
) -> ExpandedState:
    """Add placements to the next layer, if there is one, and return the state with the best placement so far."""
    scratch = search.scratch
    points = lanes.points
    highest = int(reduce_max(points))
    if highest == WORST_POINTS:
        return state
    if scratch.width > 0:  # read from memory: the compiler would make a copy of the loop for each case of an argument
        if scratch.entry_count < scratch.width or state.gain + highest >= scratch.entry_values[scratch.heap[0]]:
            agent = search.agent
            gains = compute_score(agent, agent.additive_mask, search.tables, scratch.values, points)
            store(scratch.lane_gains, 0, gains + score_additive_modern_features(agent, lanes.outcome))
            store(scratch.lane_points, 0, points)
            store(scratch.lane_codes, 0, lanes.codes)
            store_states(game, kind.hold, lanes.outcome, scratch)
            add_stored_lanes(scratch, kind, state)
    elif highest < state.best_points:
        return state
    codes = where(points == highest, lanes.codes, _NO_CODE)
    code = encode_modern_placement(int(reduce_min(codes)), kind.spin, kind.hold)
    if highest > state.best_points or (highest == state.best_points and code < state.best_code):
        return ExpandedState(state.number, state.gain, highest, code)
    return state


@compile_separate
def expand_state(search: Search[ModernSearchScratch], layer: int, number: int, must_survive: bool) -> ExpandedState:
    """Examine the placements in a state of a layer, and return it with the best of them."""
    scratch = search.scratch
    rules: Any = search.rules
    index = find_state(layer, number)
    game = scratch.states[index]
    state = ExpandedState(number, int(scratch.state_gains[index]), WORST_POINTS, NO_CHOICE)
    if game.known > 0 and is_stopped_at_spawn(game.board, rules, int(game.queue[0])):
        return state
    return examine_placements(consider_lanes, game, search, must_survive, state)


@compile_inline
def store_root_end(scratch: ModernSearchScratch, root: int, length: int, end: LayerEnd) -> None:
    """Store a variation if it is the best one of its first placement: the longest, and of these the first best."""
    if length > scratch.root_lengths[root] or end.value > scratch.root_values[root]:
        scratch.root_lengths[root] = length
        scratch.root_values[root] = end.value
        scratch.root_parents[root] = end.parent
        scratch.root_codes[root] = end.code


@compile_separate
def make_next_layer(search: Search[ModernSearchScratch], layer: int) -> LayerEnd:
    """Make the placements of the collected candidates; return the best variation of the layer after `layer`."""
    scratch = search.scratch
    rules: Any = search.rules
    best = LayerEnd(_NO_VALUE, 0, NO_CHOICE)
    sort_layer(scratch)
    if layer == 0:
        scratch.root_count = scratch.entry_count
    for number in range(scratch.entry_count):
        entry = int(scratch.heap[number])
        parent = int(scratch.entry_orders[entry]) // MAX_MODERN_CODES
        end = LayerEnd(int(scratch.entry_values[entry]), parent, int(scratch.entry_orders[entry]) % MAX_MODERN_CODES)
        index, before = find_state(layer + 1, number), find_state(layer, parent)
        game = scratch.states[index]
        copy_record(game, scratch.states[before])
        place_code(game, rules, end.code)
        game.batch_count = 0
        root = number if layer == 0 else int(scratch.state_roots[before])
        if layer == 0:
            scratch.root_lengths[root] = 0
        store_root_end(scratch, root, layer + 1, end)
        scratch.root_reach[root] = layer + 1
        scratch.state_gains[index] = scratch.entry_gains[entry]
        scratch.state_roots[index] = root
        scratch.parents[layer + 1, number] = parent
        scratch.codes[layer + 1, number] = end.code
        if end.value > best.value:
            best = end
    return best


@compile_inline
def expand_layer(search: Search[ModernSearchScratch], layer: int, count: int, must_survive: bool) -> LayerEnd:
    """Expand the states of a layer; return the best variation of the next one."""
    scratch = search.scratch
    best = LayerEnd(_NO_VALUE, 0, NO_CHOICE)
    if scratch.width > 0:
        clear_layer(scratch)
    for number in range(count):
        state = expand_state(search, layer, number, must_survive)
        if state.best_points == WORST_POINTS:
            continue
        end = LayerEnd(state.gain + state.best_points, number, state.best_code)
        if layer > 0:
            root = int(scratch.state_roots[find_state(layer, number)])
            scratch.root_reach[root] = layer + 1
            if scratch.width == 0:
                store_root_end(scratch, root, layer + 1, end)
        if end.value > best.value:
            best = end
    return make_next_layer(search, layer) if scratch.width > 0 else best


@compile_inline
def find_first_code(scratch: ModernSearchScratch, length: int, end: LayerEnd) -> int:
    """Return the first placement of a variation."""
    code = end.code
    parent = end.parent
    for layer in range(length - 1, 0, -1):
        code = int(scratch.codes[layer, parent])
        parent = int(scratch.parents[layer, parent])
    return code


@compile_separate
def choose_by_modern_features(game: ModernGameRecord, search: Search[ModernSearchScratch]) -> int:
    """Return the code of the first placement of the best variation, or NO_CHOICE if there is no placement."""
    scratch = search.scratch
    rules: Any = search.rules
    agent = search.agent
    copy_record(scratch.states[0], game)
    scratch.states[0].batch_count = 0
    scratch.state_gains[0] = 0
    scratch.root_count = 0
    depth = min(int(agent.depth), int(game.known) + int(game.hold > 0))
    must_survive = rules.game_over >= END_LOCK_OUT
    best = LayerEnd(_NO_VALUE, 0, NO_CHOICE)
    length = 0
    count = 1
    while length < depth:
        scratch.width = 0 if length + 1 == depth else int(agent.beam) if agent.beam else MAX_LAYER_WIDTH
        end = expand_layer(search, length, count, must_survive)
        if end.code != NO_CHOICE:
            best = end
            length += 1
            count = int(scratch.entry_count)
        elif length == 0 and must_survive:
            must_survive = False
            depth = 1
        else:
            break
    return find_first_code(scratch, length, best)
