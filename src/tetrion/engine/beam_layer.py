"""A layer of a beam search: the best candidates so far, without two that lead to the same state.

The candidates are entries of a heap whose first entry is the worst one. Entries with the same remainder of their key,
a hash of the state, form a chain, in which the entry of a state is found; states with equal keys are compared. All
memory is part of the scratch.
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple, Never

from tetrion.engine.compiler import compile_inline, compile_separate
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.engine.records import Int32Array, Int64, Int64Array, Record
from tetrion.engine.simd_lanes import LANES

MAX_LAYER_WIDTH = 4096  # a power of two; a position has fewer placements
STATE_SIZE = BOARD_WIDTH + 3  # numbers that form a state: the columns, the held piece, combo and back-to-back
_NO_ENTRY = -1


class BeamScratch(Record[Never]):
    """Working memory of the layer that is being collected."""

    entry_count: Int64
    entry_values: Annotated[Int64Array, MAX_LAYER_WIDTH]
    entry_orders: Annotated[Int64Array, MAX_LAYER_WIDTH]  # of entries with equal values the lowest is the best
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
    lane: int  # its lane in `BeamScratch.lane_states`


IsAbove = Callable[[Any, int, int], bool]  # of two entries of a heap


@compile_inline
def is_worse(scratch: BeamScratch, entry: int, other: int) -> bool:
    """Return whether an entry has a lower value than another; of equal ones the later is the worse."""
    values = scratch.entry_values
    return values[entry] < values[other] or (values[entry] == values[other] and is_later(scratch, entry, other))


@compile_inline
def is_later(scratch: BeamScratch, entry: int, other: int) -> bool:
    """Return whether an entry comes after another in order."""
    return bool(scratch.entry_orders[entry] > scratch.entry_orders[other])


@compile_inline
def set_heap_entry(scratch: BeamScratch, place: int, entry: int) -> None:
    """Write an entry to a place of the heap."""
    scratch.heap[place] = entry
    scratch.heap_places[entry] = place


@compile_inline
def sift_down(is_above: IsAbove, scratch: BeamScratch, place: int, size: int) -> None:
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
def sift_up(scratch: BeamScratch, place: int) -> None:
    """Move an entry of the heap up until the entry above it is a worse one."""
    entry = int(scratch.heap[place])
    while place > 0 and is_worse(scratch, entry, int(scratch.heap[(place - 1) // 2])):
        set_heap_entry(scratch, place, int(scratch.heap[(place - 1) // 2]))
        place = (place - 1) // 2
    set_heap_entry(scratch, place, entry)


@compile_inline
def clear_layer(scratch: BeamScratch) -> None:
    """Remove all candidates."""
    scratch.entry_count = 0
    for start in range(MAX_LAYER_WIDTH):
        scratch.chain_starts[start] = _NO_ENTRY


@compile_inline
def has_state(scratch: BeamScratch, entry: int, candidate: LayerCandidate) -> bool:
    """Return whether an entry has the state of a candidate."""
    if scratch.entry_keys[entry] != candidate.key:
        return False
    for number in range(STATE_SIZE):
        if scratch.entry_states[entry, number] != scratch.lane_states[number * LANES + candidate.lane]:
            return False
    return True


@compile_inline
def find_entry(scratch: BeamScratch, candidate: LayerCandidate) -> int:
    """Return the entry of a candidate's state, or _NO_ENTRY."""
    entry = int(scratch.chain_starts[candidate.key & (MAX_LAYER_WIDTH - 1)])
    while entry != _NO_ENTRY and not has_state(scratch, entry, candidate):
        entry = int(scratch.chain_links[entry])
    return entry


@compile_inline
def remove_from_chain(scratch: BeamScratch, entry: int) -> None:
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
def write_entry(scratch: BeamScratch, entry: int, candidate: LayerCandidate) -> None:
    """Write a candidate, except its state, into an entry."""
    scratch.entry_values[entry] = candidate.value
    scratch.entry_orders[entry] = candidate.order
    scratch.entry_gains[entry] = candidate.gain


@compile_inline
def write_new_entry(scratch: BeamScratch, entry: int, candidate: LayerCandidate) -> None:
    """Write a candidate of a new state into an entry."""
    write_entry(scratch, entry, candidate)
    start = candidate.key & (MAX_LAYER_WIDTH - 1)
    scratch.entry_keys[entry] = candidate.key
    for number in range(STATE_SIZE):
        scratch.entry_states[entry, number] = scratch.lane_states[number * LANES + candidate.lane]
    scratch.chain_links[entry] = scratch.chain_starts[start]
    scratch.chain_starts[start] = entry


@compile_inline
def improves(candidate: LayerCandidate, scratch: BeamScratch, entry: int) -> bool:
    """Return whether a candidate is better than an entry."""
    value = int(scratch.entry_values[entry])
    return candidate.value > value or (candidate.value == value and candidate.order < int(scratch.entry_orders[entry]))


@compile_separate
def add_candidate(scratch: BeamScratch, width: int, candidate: LayerCandidate) -> None:
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
def sort_layer(scratch: BeamScratch) -> None:
    """Sort the entries in the heap by their order."""
    count = int(scratch.entry_count)
    for place in range(count // 2 - 1, -1, -1):
        sift_down(is_later, scratch, place, count)
    for last in range(count - 1, 0, -1):
        entry = int(scratch.heap[last])
        scratch.heap[last] = scratch.heap[0]
        scratch.heap[0] = entry
        sift_down(is_later, scratch, 0, last)
