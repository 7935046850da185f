"""Beam search of agents with attack features: by layers over the known pieces, with hold and spins.

A layer holds the states of the game after the same number of placements: the engine's own games, which carry board,
hold, queue, combo and back-to-back. Each state of a layer is expanded, and the best of all following states form the
next layer: as many as the beam allows, or all. States with the same board, hold, combo and back-to-back are merged, and
the one with the higher value is kept. No garbage rises in a search.

The value of a state is the sum of the additive points of its placements and of the points of its board. A placement
that ends the game is considered only if all do, and a state in which the next piece cannot be placed has no following
states. The best state of the last layer that is not empty decides, so that longer survival comes first, as in
`lookahead`. States of a layer are numbered in the order of their variations (comparing the codes of the first
placements, then of the second ones, and so on); ties go to the state with the lowest number.

The candidates of the next layer are entries of a heap whose first entry is the worst one. Entries with the same
remainder of their key, a hash of the state, form a chain, in which the entry of a state is found; states with equal
keys are compared. Only the candidates that are left at the end are placed. All memory is part of the scratch.

This file has three parts: the layer of candidates, the scores of placements, and the search.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, Never

from tetrion.engine.agent_records import MAX_BEAM_DEPTH, compute_score
from tetrion.engine.attack import compute_attack, is_difficult
from tetrion.engine.bitboard import BoardBefore, compute_heights, place_piece_on_columns, remove_full_rows
from tetrion.engine.columns import TenColumns, or_columns, store_ten_values
from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.features.attack_features import AttackOutcome, score_additive_attack_features, score_attack_features
from tetrion.engine.lookahead import SpinSearchScratch
from tetrion.engine.numba_internals import copy_record
from tetrion.engine.piece_motion import MOVEMENT_ROWS
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.placement_choice import (
    ALL,
    SURVIVORS,
    FoundPlacements,
    LanePlacements,
    examine_board,
    score_placement,
    visit_placements,
)
from tetrion.engine.placements import (
    MAX_PLACEMENT_CODES,
    NO_CHOICE,
    NO_CODE,
    WORST_POINTS,
    Choice,
    Search,
    encode_location,
    encode_placement,
)
from tetrion.engine.placing import NO_PIECE, decode_choice, get_placed_piece, is_stopped_at_spawn, place_untimed
from tetrion.engine.records import (
    MAX_CLEARED_ROWS,
    MAX_ROTATION_STATES,
    FullGameRecord,
    FullGameRecords,
    Int32Array,
    Int64,
    Int64Array,
    Record,
    RulesRecord,
)
from tetrion.engine.scalar_or_simd import gather_at, popcount, store_value, to_int, where
from tetrion.engine.simd_lanes import LANES, broadcast_lanes, reduce_max, reduce_min, store
from tetrion.engine.spins import KINDS_OFFSET, count_spin_kinds, find_spin_placements

# The layer of candidates.

MAX_LAYER_WIDTH = 4096  # a power of two; a position has fewer placements
STATE_SIZE = BOARD_WIDTH + 3  # numbers that form a state: the columns, the held piece, combo and back-to-back
_NO_ENTRY = -1


class LayerScratch(Record[Never]):
    """Working memory of the layer that is being collected."""

    entry_count: Int64
    entry_values: Annotated[Int64Array, MAX_LAYER_WIDTH]
    entry_orders: Annotated[Int64Array, MAX_LAYER_WIDTH]  # ties go to the lowest
    entry_gains: Annotated[Int64Array, MAX_LAYER_WIDTH]
    entry_keys: Annotated[Int64Array, MAX_LAYER_WIDTH]
    entry_states: Annotated[Int32Array, (MAX_LAYER_WIDTH, STATE_SIZE)]
    lane_states: Annotated[Int32Array, STATE_SIZE * LANES]  # of sixteen candidates: by number of the state, and by lane
    heap: Annotated[Int32Array, MAX_LAYER_WIDTH]  # entries
    heap_places: Annotated[Int32Array, MAX_LAYER_WIDTH]  # by entry
    chain_starts: Annotated[Int32Array, MAX_LAYER_WIDTH]  # by remainder of the key: the first entry
    chain_links: Annotated[Int32Array, MAX_LAYER_WIDTH]  # by entry: the next one of its chain


class LayerCandidate(NamedTuple):
    """A state that may become part of a layer."""

    value: int
    order: int
    gain: int  # additive points of the placements that lead to it
    key: int  # hash of the state
    lane: int  # its lane in `LayerScratch.lane_states`


IsAbove = Callable[[Any, int, int], bool]  # of two entries of a heap


@compile_inline
def is_worse(scratch: LayerScratch, entry: int, other: int) -> bool:
    """Return whether an entry has a lower value than another; ties go to the earlier one."""
    values = scratch.entry_values
    return values[entry] < values[other] or (values[entry] == values[other] and is_later(scratch, entry, other))


@compile_inline
def is_later(scratch: LayerScratch, entry: int, other: int) -> bool:
    """Return whether an entry comes after another in order."""
    return bool(scratch.entry_orders[entry] > scratch.entry_orders[other])


@compile_inline
def set_heap_entry(scratch: LayerScratch, place: int, entry: int) -> None:
    """Write an entry to a place of the heap."""
    scratch.heap[place] = entry
    scratch.heap_places[entry] = place


@compile_inline
def sift_down(is_above: IsAbove, scratch: LayerScratch, place: int, size: int) -> None:
    """Move an entry of a heap down until no entry below it belongs above it."""
    entry = int(scratch.heap[place])
    while 2 * place + 1 < size:
        below = 2 * place + 1
        if below + 1 < size and is_above(scratch, int(scratch.heap[below + 1]), int(scratch.heap[below])):
            below += 1
        if not is_above(scratch, int(scratch.heap[below]), entry):
            break
        set_heap_entry(scratch, place, int(scratch.heap[below]))
        place = below
    set_heap_entry(scratch, place, entry)


@compile_inline
def sift_up(scratch: LayerScratch, place: int) -> None:
    """Move an entry of the heap up until the entry above it is a worse one."""
    entry = int(scratch.heap[place])
    while place > 0 and is_worse(scratch, entry, int(scratch.heap[(place - 1) // 2])):
        set_heap_entry(scratch, place, int(scratch.heap[(place - 1) // 2]))
        place = (place - 1) // 2
    set_heap_entry(scratch, place, entry)


@compile_inline
def clear_layer(scratch: LayerScratch) -> None:
    """Remove all candidates."""
    scratch.entry_count = 0
    for start in range(MAX_LAYER_WIDTH):
        scratch.chain_starts[start] = _NO_ENTRY


@compile_inline
def has_state(scratch: LayerScratch, entry: int, candidate: LayerCandidate) -> bool:
    """Return whether an entry has the state of a candidate."""
    if scratch.entry_keys[entry] != candidate.key:
        return False
    for number in range(STATE_SIZE):
        if scratch.entry_states[entry, number] != scratch.lane_states[number * LANES + candidate.lane]:
            return False
    return True


@compile_inline
def find_entry(scratch: LayerScratch, candidate: LayerCandidate) -> int:
    """Return the entry of a candidate's state, or _NO_ENTRY."""
    entry = int(scratch.chain_starts[candidate.key & (MAX_LAYER_WIDTH - 1)])
    while entry != _NO_ENTRY and not has_state(scratch, entry, candidate):
        entry = int(scratch.chain_links[entry])
    return entry


@compile_inline
def remove_from_chain(scratch: LayerScratch, entry: int) -> None:
    """Remove an entry from the chain of its key."""
    start = int(scratch.entry_keys[entry] & (MAX_LAYER_WIDTH - 1))
    following = int(scratch.chain_links[entry])
    if scratch.chain_starts[start] == entry:
        scratch.chain_starts[start] = following
        return
    before = int(scratch.chain_starts[start])
    while scratch.chain_links[before] != entry:
        before = int(scratch.chain_links[before])
    scratch.chain_links[before] = following


@compile_inline
def write_entry(scratch: LayerScratch, entry: int, candidate: LayerCandidate) -> None:
    """Write a candidate, except its state, into an entry."""
    scratch.entry_values[entry] = candidate.value
    scratch.entry_orders[entry] = candidate.order
    scratch.entry_gains[entry] = candidate.gain


@compile_inline
def write_new_entry(scratch: LayerScratch, entry: int, candidate: LayerCandidate) -> None:
    """Write a candidate of a new state into an entry."""
    write_entry(scratch, entry, candidate)
    start = candidate.key & (MAX_LAYER_WIDTH - 1)
    scratch.entry_keys[entry] = candidate.key
    for number in range(STATE_SIZE):
        scratch.entry_states[entry, number] = scratch.lane_states[number * LANES + candidate.lane]
    scratch.chain_links[entry] = scratch.chain_starts[start]
    scratch.chain_starts[start] = entry


@compile_inline
def improves(candidate: LayerCandidate, scratch: LayerScratch, entry: int) -> bool:
    """Return whether a candidate is better than an entry."""
    value = int(scratch.entry_values[entry])
    return candidate.value > value or (candidate.value == value and candidate.order < int(scratch.entry_orders[entry]))


@compile_separate
def add_candidate(scratch: LayerScratch, width: int, candidate: LayerCandidate) -> None:
    """Add a candidate to a layer of at most `width` states, if it is among the best; equal states are merged."""
    entry = find_entry(scratch, candidate)
    if entry != _NO_ENTRY:
        if improves(candidate, scratch, entry):
            write_entry(scratch, entry, candidate)
            sift_down(is_worse, scratch, int(scratch.heap_places[entry]), int(scratch.entry_count))
    elif scratch.entry_count < width:
        entry = int(scratch.entry_count)
        scratch.entry_count += 1
        write_new_entry(scratch, entry, candidate)
        set_heap_entry(scratch, entry, entry)
        sift_up(scratch, entry)
    elif improves(candidate, scratch, int(scratch.heap[0])):
        entry = int(scratch.heap[0])
        remove_from_chain(scratch, entry)
        write_new_entry(scratch, entry, candidate)
        sift_down(is_worse, scratch, 0, int(scratch.entry_count))


@compile_separate
def sort_layer(scratch: LayerScratch) -> None:
    """Sort the entries in the heap by their order."""
    count = int(scratch.entry_count)
    for place in range(count // 2 - 1, -1, -1):
        sift_down(is_later, scratch, place, count)
    for last in range(count - 1, 0, -1):
        entry = int(scratch.heap[last])
        scratch.heap[last] = scratch.heap[0]
        scratch.heap[0] = entry
        sift_down(is_later, scratch, 0, last)


# The scores of placements.

_NO_VALUE = -(2**62)
_NO_LOCATION = MOVEMENT_ROWS * LANES * LANES  # higher than any location code
_HASH_MULTIPLIER = 0x2C1B3C6D  # odd, so that no bit is lost; equal hashes only cost time, as states are compared
_CLEAR_KINDS = MAX_CLEARED_ROWS + 1  # no rows to four; further entries are for perfect clears


class ClearScratch(Record[Never]):
    """The attack of clears, and whether back-to-back continues after them: by cleared rows, then for perfect clears."""

    attacks: Annotated[Int32Array, 2 * _CLEAR_KINDS]
    chains: Annotated[Int32Array, 2 * _CLEAR_KINDS]


class BeamSearchScratch(SpinSearchScratch, LayerScratch, ClearScratch):
    """Working memory of a beam search."""

    width: Int64  # of the layer that is being collected; 0: it is the last one, whose best placement is enough
    # The states of two layers, the one that is expanded and the next one.
    states: Annotated[FullGameRecords, FullGameRecord.dtype, 2 * MAX_LAYER_WIDTH]
    state_gains: Annotated[Int64Array, 2 * MAX_LAYER_WIDTH]
    state_roots: Annotated[Int64Array, 2 * MAX_LAYER_WIDTH]  # the states of the first layer from which they follow
    # By layer and number of the state: the state before it, and the placement that leads to it.
    parents: Annotated[Int32Array, (MAX_BEAM_DEPTH + 1, MAX_LAYER_WIDTH)]
    codes: Annotated[Int32Array, (MAX_BEAM_DEPTH + 1, MAX_LAYER_WIDTH)]
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


class PlacedKind(NamedTuple):
    """The placements of a piece with a kind of spin, with or without hold; all, or those that the game survives."""

    piece: int
    hold: int
    spin: int
    which: int  # of them: ALL or SURVIVORS


class ScoredLanes(NamedTuple):
    """Sixteen placements with their scores, one per lane."""

    points: int  # WORST_POINTS where there is no placement
    codes: int  # location codes
    outcome: AttackOutcome


@compile_inline
def tabulate_clears(game: FullGameRecord, rules: RulesRecord, spin: int, scratch: ClearScratch) -> None:
    """Write the attack of each possible clear with a kind of spin, and whether back-to-back continues after it."""
    for is_perfect in range(2):
        for lines in range(_CLEAR_KINDS):
            entry = is_perfect * _CLEAR_KINDS + lines
            scratch.attacks[entry] = 0
            scratch.chains[entry] = game.back_to_back > 0
            if lines > 0:
                scratch.attacks[entry] = compute_attack(game, rules, lines, spin, is_perfect != 0)
                scratch.chains[entry] = is_difficult(rules, lines, spin, is_perfect != 0)


@compile_inline
def make_attack_outcome(
    game: FullGameRecord,
    height: int,
    kind: PlacedKind,
    placed: tuple[TenColumns, TenColumns, int],
    scratch: ClearScratch,
) -> AttackOutcome:
    """Return the outcome of sixteen placements; `placed` are the columns and heights after them, and the cleared lines.

    `tabulate_clears` has written the attack of a clear with the kind of spin.
    """
    columns, heights, lines = placed
    entry = lines + to_int(or_columns(columns) == 0) * _CLEAR_KINDS
    return AttackOutcome(
        columns,
        heights,
        height,
        kind.piece,
        kind.spin,
        lines,
        gather_at(scratch.attacks, 0, entry),
        to_int(lines > 0) * int(game.combo + 1),
        gather_at(scratch.chains, 0, entry),
    )


@compile_inline
def count_back_to_backs(game: FullGameRecord, outcome: AttackOutcome) -> int:
    """Return the consecutive difficult clears after sixteen placements."""
    before = int(game.back_to_back)
    return where(outcome.lines > 0, outcome.back_to_back * (before + 1), before)


# The search.


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
def store_states(game: FullGameRecord, hold: int, outcome: AttackOutcome, scratch: BeamSearchScratch) -> None:
    """Store the states after sixteen placements, and their hashes."""
    held = broadcast_lanes(int(game.queue[0]) + 1 if hold else int(game.hold))
    chain = count_back_to_backs(game, outcome)
    store_ten_values(scratch.lane_states, 0, outcome.columns)
    store_value(scratch.lane_states, BOARD_WIDTH, held)
    store_value(scratch.lane_states, BOARD_WIDTH + 1, outcome.combo)
    store_value(scratch.lane_states, BOARD_WIDTH + 2, chain)
    store(scratch.lane_keys, 0, hash_columns(outcome.columns, mix(mix(held, outcome.combo), chain)))


@compile_separate
def add_stored_lanes(scratch: BeamSearchScratch, kind: PlacedKind, state: ExpandedState) -> None:
    """Add the sixteen placements in the scratch to the next layer."""
    for lane in range(LANES):
        points = int(scratch.lane_points[lane])
        if points != WORST_POINTS:
            code = encode_placement(int(scratch.lane_codes[lane]), kind.spin, kind.hold)
            order = state.number * MAX_PLACEMENT_CODES + code
            gain = state.gain + int(scratch.lane_gains[lane])
            key = int(scratch.lane_keys[lane])
            add_candidate(scratch, int(scratch.width), LayerCandidate(state.gain + points, order, gain, key, lane))


@compile_inline
def consider_lanes(
    game: FullGameRecord, search: Search[BeamSearchScratch], kind: PlacedKind, lanes: ScoredLanes, state: ExpandedState
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
            store(scratch.lane_gains, 0, gains + score_additive_attack_features(agent, lanes.outcome))
            store(scratch.lane_points, 0, points)
            store(scratch.lane_codes, 0, lanes.codes)
            store_states(game, kind.hold, lanes.outcome, scratch)
            add_stored_lanes(scratch, kind, state)
    elif highest < state.best_points:
        return state
    codes = where(points == highest, lanes.codes, _NO_LOCATION)
    code = encode_placement(int(reduce_min(codes)), kind.spin, kind.hold)
    if highest > state.best_points or (highest == state.best_points and code < state.best_code):
        return ExpandedState(state.number, state.gain, highest, code)
    return state


class KindContext(NamedTuple):
    """What the scores of the placements of a kind depend on."""

    game: FullGameRecord
    before: BoardBefore
    search: Search[BeamSearchScratch]
    kind: PlacedKind


@compile_inline
def score_lanes_of_kind(context: KindContext, lanes: LanePlacements, state: ExpandedState) -> ExpandedState:
    """Score sixteen placements by all features, and consider them."""
    game, before, search, kind = context
    possible, rotation, placement = lanes
    points = score_placement(before, search, possible, placement)
    columns, _, full = place_piece_on_columns(before.board, placement.orientation, placement.column, placement.row)
    columns = remove_full_rows(columns, full)
    placed = columns, compute_heights(columns), popcount(full)
    outcome = make_attack_outcome(game, int(search.rules.height), kind, placed, search.scratch)
    points = where(possible, points + score_attack_features(search.agent, outcome), WORST_POINTS)
    codes = encode_location(rotation, placement.column, placement.row)
    return consider_lanes(game, search, kind, ScoredLanes(points, codes, outcome), state)


@compile_separate
def expand_kind(
    game: FullGameRecord, search: Search[BeamSearchScratch], kind: PlacedKind, state: ExpandedState
) -> ExpandedState:
    """Examine the placements of a kind, and return the state with the best placement so far."""
    rules = search.rules
    scratch = search.scratch
    board = game.board[:]  # of the same type for Numba as other boards, so that functions are not compiled once more
    before = examine_board(board, rules.rows, search.agent.mask, scratch.heights)
    offset = KINDS_OFFSET + kind.spin * MAX_ROTATION_STATES * LANES
    placements = FoundPlacements(board, rules, kind.piece, scratch.spins, offset)
    context = KindContext(game, before, search, kind)
    return visit_placements(score_lanes_of_kind, context, placements, kind.which, state)[0]


@compile_separate
def expand_state(search: Search[BeamSearchScratch], layer: int, number: int, which: int) -> ExpandedState:
    """Examine the placements in a state of a layer, and return it with the best of them.

    If the current piece is unknown, only the one in the hold box is placed.
    """
    scratch = search.scratch
    rules = search.rules
    index = find_state(layer, number)
    game = scratch.states[index]
    board = game.board[:]
    state = ExpandedState(number, int(scratch.state_gains[index]), WORST_POINTS, NO_CODE)
    if game.known > 0 and is_stopped_at_spawn(board, rules, int(game.queue[0])):
        return state
    for hold in range(1 + int(rules.hold)):  # a constant number would make the compiler repeat the code
        piece = get_placed_piece(game, rules, hold)
        if piece != NO_PIECE:
            find_spin_placements(board, rules, piece, 0, scratch)
            for spin in range(count_spin_kinds(rules, piece)):
                tabulate_clears(game, rules, spin, scratch)
                state = expand_kind(game, search, PlacedKind(piece, hold, spin, which), state)
    return state


@compile_inline
def store_root_end(scratch: BeamSearchScratch, root: int, length: int, end: LayerEnd) -> None:
    """Store a variation if it is the best one of its first placement: the longest, and of these the first best."""
    if length > scratch.root_lengths[root] or end.value > scratch.root_values[root]:
        scratch.root_lengths[root] = length
        scratch.root_values[root] = end.value
        scratch.root_parents[root] = end.parent
        scratch.root_codes[root] = end.code


@compile_separate
def make_next_layer(search: Search[BeamSearchScratch], layer: int) -> LayerEnd:
    """Make the placements of the collected candidates; return the best variation of the layer after `layer`."""
    scratch = search.scratch
    rules = search.rules
    best = LayerEnd(_NO_VALUE, 0, NO_CODE)
    sort_layer(scratch)
    if layer == 0:
        scratch.root_count = scratch.entry_count
    for number in range(scratch.entry_count):
        entry = int(scratch.heap[number])
        parent = int(scratch.entry_orders[entry]) // MAX_PLACEMENT_CODES
        end = LayerEnd(int(scratch.entry_values[entry]), parent, int(scratch.entry_orders[entry]) % MAX_PLACEMENT_CODES)
        index, before = find_state(layer + 1, number), find_state(layer, parent)
        game = scratch.states[index]
        copy_record(game, scratch.states[before])
        place_untimed(game, rules, decode_choice(game, rules, end.code), scratch)
        game.batch_count = 0  # no garbage rises in a search: its gaps are not known
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
def expand_layer(search: Search[BeamSearchScratch], layer: int, count: int, which: int) -> LayerEnd:
    """Expand the states of a layer; return the best variation of the next one."""
    scratch = search.scratch
    best = LayerEnd(_NO_VALUE, 0, NO_CODE)
    if scratch.width > 0:
        clear_layer(scratch)
    for number in range(count):
        state = expand_state(search, layer, number, which)
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
def find_first_code(scratch: BeamSearchScratch, length: int, end: LayerEnd) -> int:
    """Return the first placement of a variation."""
    code = end.code
    parent = end.parent
    for layer in range(length - 1, 0, -1):
        code = int(scratch.codes[layer, parent])
        parent = int(scratch.parents[layer, parent])
    return code


@compile_separate
def choose_by_beam_search(game: FullGameRecord, search: Search[BeamSearchScratch]) -> Choice:
    """Choose the first placement of the best variation."""
    scratch = search.scratch
    rules = search.rules
    agent = search.agent
    copy_record(scratch.states[0], game)
    scratch.states[0].batch_count = 0
    scratch.state_gains[0] = 0
    scratch.root_count = 0
    depth = min(int(agent.depth), int(game.known) + int(game.hold > 0))
    which = SURVIVORS
    best = LayerEnd(_NO_VALUE, 0, NO_CODE)
    length = 0
    count = 1
    while length < depth:
        scratch.width = 0 if length + 1 == depth else int(agent.beam) if agent.beam else MAX_LAYER_WIDTH
        end = expand_layer(search, length, count, which)
        if end.code != NO_CODE:
            best = end
            length += 1
            count = int(scratch.entry_count)
        elif length == 0 and which == SURVIVORS:
            which = ALL
            depth = 1
        else:
            break
    code = find_first_code(scratch, length, best)
    return NO_CHOICE if code == NO_CODE else decode_choice(game, rules, code)
