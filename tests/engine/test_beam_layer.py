"""The layer of a beam search against a plain dictionary, with hashes that tell hardly any states apart."""

from random import Random
from typing import Any

import numpy as np
import pytest

from tetrion.engine.beam_search import (
    MAX_LAYER_WIDTH,
    STATE_SIZE,
    LayerCandidate,
    LayerScratch,
    add_candidate,
    clear_layer,
    sort_layer,
)
from tetrion.engine.compiler import compile_entry_with_memory
from tetrion.engine.records import Records
from tetrion.engine.scalar_or_simd import Array
from tetrion.engine.simd_lanes import LANES


@compile_entry_with_memory(LayerScratch.dtype, seconds=3)
def collect_layer(memory: Records[LayerScratch], numbers: Array, states: Array, width: int) -> int:
    """Add candidates (value, gain, key) with their states to an empty layer; return its size."""
    scratch = memory[0]
    clear_layer(scratch)
    for order in range(len(numbers)):
        lane = order % LANES
        for number in range(STATE_SIZE):
            scratch.lane_states[number * LANES + lane] = states[order, number]
        value, gain, key = numbers[order, 0], numbers[order, 1], numbers[order, 2]
        add_candidate(scratch, width, LayerCandidate(value, order, gain, key, lane))
    sort_layer(scratch)
    return int(scratch.entry_count)


State = tuple[int, ...]


def draw_states(random: Random) -> list[State]:
    """Return states of which many differ in one number only."""
    first = [random.randrange(-(2**31), 2**31) for _ in range(STATE_SIZE)]
    states = [tuple(first)]
    for number in range(STATE_SIZE):
        states.append((*first[:number], first[number] ^ 1, *first[number + 1 :]))
    return states


def collect_slowly(candidates: list[tuple[State, int, int]], width: int) -> list[tuple[int, int, int]]:
    """Return order, value and gain of the best candidate of each state, of the best `width` states, in order."""
    best: dict[State, tuple[int, int, int]] = {}
    for order, (state, value, gain) in enumerate(candidates):
        if state not in best or value > best[state][0]:
            best[state] = (value, -order, gain)
        if len(best) > width:
            del best[min(best, key=lambda other: best[other])]
    return sorted((-order, value, gain) for value, order, gain in best.values())


@pytest.mark.parametrize("key_count", [1, 2, 5])
@pytest.mark.parametrize("width", [1, 3, 20, MAX_LAYER_WIDTH])
def test_equal_states_are_merged_and_others_are_not(key_count: int, width: int) -> None:
    random = Random(f"{key_count} {width}")
    memory: Any = LayerScratch.make_array(1)
    for _ in range(50):
        states = draw_states(random) + draw_states(random)
        candidates = [(random.choice(states), random.randrange(9), random.randrange(9)) for _ in range(150)]
        keys = [sum(state) % key_count * MAX_LAYER_WIDTH for state, _, _ in candidates]
        numbers = [(value, gain, key) for (_, value, gain), key in zip(candidates, keys, strict=True)]
        count = collect_layer.call_with_memory(
            memory, np.array(numbers), np.array([state for state, _, _ in candidates]), width
        )
        record = memory[0]
        entries = record.heap[:count]
        found = [
            (int(record.entry_orders[entry]), int(record.entry_values[entry]), int(record.entry_gains[entry]))
            for entry in entries
        ]
        assert found == collect_slowly(candidates, width)
