"""Endless games in narrow wells: Figure 2 and section 3.2 of the TetrAIs report, after Brzustowski and Burgiel.

A sequence of pieces, all of one kind or S and Z in turn, falls into a well. States are the wells after each piece and
the removal of full rows, from the empty well on; the height of a game is that of its highest state. The engine drops
the pieces: the well is the left part of a board whose other columns are filled.
"""

import heapq
import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tetrion.board import Board
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.papers.measured_values import MeasuredValue
from tetrion.papers.measurements import MeasurementContext
from tetrion.position import Position

SINGLE_PIECES = {"Square": "O", "Kink": "S", "Bar": "I", "Elbow": "L", "Tee": "T"}  # Z and J are mirror images
_WIDTHS = (2, 3, 4, 5, 6, 7)
_QUICK_WIDTHS = (2, 3, 4, 5)
_ALTERNATING_WIDTHS = (2, 4, 6, 8, 10)
_MAX_HEIGHT = 12
_WALL_HEIGHT = _MAX_HEIGHT + 4  # a piece on the highest state does not reach above the wall
_BOARD_HEIGHT = 22
_BUDGET = 8000  # states that one search may examine
_QUICK_BUDGET = 100
_ALTERNATING_BUDGET = 20_000
_QUICK_ALTERNATING_BUDGET = 1000

# Height and number of states in Figure 2: of width 2, of width 2n by n, and of width 2n + 3 by n plus a constant.
_WIDTH_2 = {"Square": (0, 1), "Kink": (2, 2), "Bar": (4, 2), "Elbow": (2, 2), "Tee": (2, 3)}
_EVEN_WIDTHS = {"Square": (2, 1), "Kink": (4, 2), "Bar": (4, 2), "Elbow": (5, 2), "Tee": (4, 3)}
_ODD_WIDTHS = {"Bar": (4, 2, 3), "Elbow": (8, 4, 6), "Tee": (7, 5, 5)}


class WellState(NamedTuple):
    """The columns of a well, as in a board (bit 0 at the floor), and the index of the next piece in the sequence."""

    columns: tuple[int, ...]
    turn: int = 0

    @property
    def height(self) -> int:
        """Height of the highest column."""
        return max(self.columns).bit_length()


StateGraph = dict[WellState, list[WellState]]  # the states after each state


@dataclass
class Well:
    """A well with a repeated sequence of pieces; the states after each state are computed once."""

    pieces: str
    width: int
    known_states: StateGraph = field(default_factory=dict)

    @property
    def empty(self) -> WellState:
        """The empty well before the first piece."""
        return WellState((0,) * self.width)

    def list_next_states(self, state: WellState, max_height: int) -> list[WellState]:
        """Return the different states after the next piece that are not higher than `max_height`."""
        if state not in self.known_states:
            walls = ((1 << _WALL_HEIGHT) - 1,) * (BOARD_WIDTH - self.width)
            board = Board((*state.columns, *walls), _BOARD_HEIGHT)
            position = Position.from_board(board, self.pieces[state.turn], rules="tetrais")
            turn = (state.turn + 1) % len(self.pieces)
            self.known_states[state] = list(
                dict.fromkeys(
                    WellState(position.after(placement).board.columns[: self.width], turn)
                    for placement in position.placements()
                    if all(column < self.width for column, _ in placement.cells)
                )
            )
        return [after for after in self.known_states[state] if after.height <= max_height]


def get_published_strategy(kind: str, width: int) -> tuple[int, int] | None:
    """Return height and number of states in Figure 2; None where it has no winning strategy."""
    if width == 2:
        return _WIDTH_2[kind]
    if width % 2 == 0:
        height, states = _EVEN_WIDTHS[kind]
        return height, states * (width // 2)
    if kind not in _ODD_WIDTHS:
        return None
    height, states, constant = _ODD_WIDTHS[kind]
    return height, states * ((width - 3) // 2) + constant


def has_balanced_columns(piece: str) -> bool:
    """Return whether every orientation of a piece has as many cells in even columns as in odd columns.

    If so, a well of odd width cannot be played forever: a full row has one more cell in the columns 1, 3, 5 … than in
    the columns 2, 4, 6 …, so each cleared row leaves the latter with one more cell, until the well is too high.
    """
    placements = Position.from_board(Board((0,) * BOARD_WIDTH, _BOARD_HEIGHT), piece, rules="tetrais").placements()
    return all(sum((-1) ** column for column, _ in placement.cells) == 0 for placement in placements)


def count_pieces_to_empty(state: WellState) -> int:
    """Return a lower bound of the number of pieces after which the well is empty.

    All rows of the state must be completed, and the cells of all completed rows come from the state and the pieces.
    """
    width = len(state.columns)
    cells = sum(column.bit_count() for column in state.columns)
    if not cells:
        return 0
    fewest = max(1, math.ceil((width * state.height - cells) / 4))
    fitting = (count for count in range(fewest, fewest + width) if (cells + 4 * count) % width == 0)
    return next(fitting, fewest)


def find_shortest_return(well: Well, max_height: int, max_states: int, budget: int) -> int | None:
    """Return the smallest number of pieces after which the empty well is empty again (A*); None if not found.

    They are a strategy that can be repeated forever, with as many states.
    """
    fewest_pieces: dict[WellState, int] = {}
    open_states = [(0, 0, well.empty)]  # estimate, minus the pieces so far, state
    for _ in range(budget):
        if not open_states:
            return None
        _, negative_pieces, state = heapq.heappop(open_states)
        pieces = -negative_pieces
        if pieces and state == well.empty:
            return pieces
        for after in well.list_next_states(state, max_height):
            estimate = pieces + 1 + count_pieces_to_empty(after)
            if estimate <= max_states and pieces + 1 < fewest_pieces.get(after, max_states + 1):
                fewest_pieces[after] = pieces + 1
                heapq.heappush(open_states, (estimate, -pieces - 1, after))
    return None


def explore_endless_states(well: Well, max_height: int, budget: int) -> StateGraph | None:
    """Return all states within a height from which one can play forever; None if there are more than `budget` states.

    Dead ends are removed from the states that can be reached until none remains.
    """
    graph: StateGraph = {}
    waiting = [well.empty]
    while waiting:
        state = waiting.pop()
        if state not in graph:
            if len(graph) == budget:
                return None
            graph[state] = well.list_next_states(state, max_height)
            waiting += graph[state]
    previous: StateGraph = {state: [] for state in graph}
    for state, following in graph.items():
        for after in following:
            previous[after].append(state)
    exits = {state: len(following) for state, following in graph.items()}
    dead_ends = [state for state, count in exits.items() if not count]
    while dead_ends:
        for state in previous[dead_ends.pop()]:
            exits[state] -= 1
            if not exits[state]:
                dead_ends.append(state)
    return {state: [after for after in following if exits[after]] for state, following in graph.items() if exits[state]}


def count_steps(graph: StateGraph, start: WellState, max_steps: int) -> tuple[dict[WellState, int], int | None]:
    """Return the distances from a state up to `max_steps`, and the length of the shortest cycle through it."""
    distances = {start: 0}
    waiting = deque([start])
    while waiting and distances[waiting[0]] < max_steps:
        state = waiting.popleft()
        for after in graph[state]:
            if after == start:
                return distances, distances[state] + 1
            if after not in distances:
                distances[after] = distances[state] + 1
                waiting.append(after)
    return distances, None


def find_fewest_states(graph: StateGraph, empty: WellState, max_states: int) -> int | None:
    """Return the smallest number of states of a strategy: a path from the empty well, and a cycle at its end."""
    if empty not in graph:
        return None
    fewest = max_states + 1
    for state, distance in count_steps(graph, empty, max_states)[0].items():
        cycle = count_steps(graph, state, fewest - 1 - distance)[1]
        fewest = fewest if cycle is None else distance + cycle
    return fewest if fewest <= max_states else None


def search_strategy(well: Well, max_height: int, max_states: int, budget: int) -> dict[str, Any]:
    """Search the lowest strategy within a height and a number of states; the result is empty if none is found."""
    for height in range(max_height + 1):
        states = find_shortest_return(well, height, max_states, budget)
        if states is None and (graph := explore_endless_states(well, height, budget)):
            states = find_fewest_states(graph, well.empty, max_states)
        if states is not None:
            return {"height": height, "states": states}
    return {}


def search_heights(well: Well, budget: int) -> dict[str, Any]:
    """Search endless games, height by height, as long as all states can be examined.

    `searched` is the largest height that was searched completely; `endless` is the lowest one with an endless game.
    """
    searched = -1
    for height in range(_MAX_HEIGHT + 1):
        graph = explore_endless_states(well, height, budget)
        if graph is None:
            break
        searched = height
        if well.empty in graph:
            return {"searched": searched, "endless": height}
    return {"searched": searched, "endless": None}


def measure_wells(context: MeasurementContext) -> dict[str, Any]:
    """Search the strategies of Figure 2, and endless games of S and Z in turn, by kind of piece and width."""
    budget = _QUICK_BUDGET if context.is_quick else _BUDGET
    results: dict[str, dict[str, Any]] = {}
    for kind, piece in SINGLE_PIECES.items():
        results[kind] = {}
        for width in _QUICK_WIDTHS if context.is_quick else _WIDTHS:
            published = get_published_strategy(kind, width)
            well = Well(piece, width)
            found = search_strategy(well, *published, budget) if published else search_heights(well, budget)
            results[kind][str(width)] = {"published": published, **found}
    budget = _QUICK_ALTERNATING_BUDGET if context.is_quick else _ALTERNATING_BUDGET
    results["alternating"] = {str(width): search_heights(Well("SZ", width), budget) for width in _ALTERNATING_WIDTHS}
    return results


# Functions of expressions


def winning_strategies(wells: Mapping[str, Any]) -> MeasuredValue:
    """Return whether the strategies of Figure 2 exist, within the published heights and numbers of states."""
    entries = [data for kind in SINGLE_PIECES for data in wells[kind].values() if data["published"]]
    found = sum("states" in data for data in entries)
    text = f"found for {found} of {len(entries)} wells"
    return MeasuredValue(holds=True if found == len(entries) else None, text=text, evidence=text)


def unwinnable_wells(wells: Mapping[str, Any]) -> MeasuredValue:
    """Return whether squares and kinks cannot be played forever in wells of odd width."""
    kinds = {kind: [data for data in wells[kind].values() if not data["published"]] for kind in ("Square", "Kink")}
    is_refuted = any(data["endless"] is not None for entries in kinds.values() for data in entries)
    is_proven = all(has_balanced_columns(SINGLE_PIECES[kind]) for kind in kinds)
    parts = [
        f"{kind.lower()}s: none up to the heights {', '.join(str(data['searched']) for data in entries)}"
        for kind, entries in kinds.items()
    ]
    return MeasuredValue(holds=False if is_refuted else True if is_proven else None, text="; ".join(parts))


def endless_alternation(wells: Mapping[str, Any]) -> MeasuredValue:
    """Return whether S and Z in turn can be played forever in wells of width 4n, and in none of width 2(2n + 1)."""
    found = {int(width): data for width, data in wells["alternating"].items()}
    losing = {width: data for width, data in found.items() if width % 4}
    texts = [f"width {width}: none up to height {data['searched']}" for width, data in losing.items()]
    texts += [f"width {width}: from height {found[width]['endless']} on" for width in found.keys() - losing.keys()]
    holds = all((data["endless"] is None) == (width in losing) for width, data in found.items())
    return MeasuredValue(holds=holds, text="; ".join(texts))
