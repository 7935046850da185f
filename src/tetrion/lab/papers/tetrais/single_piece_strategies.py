"""Search for winning strategies if all pieces are the same, in narrow wells (Figure 2 of TetrAIs, after Brzustowski).

A strategy is a sequence of hard drops that can be repeated for ever. Its states are the different wells after each
piece and the removal of full rows, including the empty well at the start; its height is that of the highest of them.
The engine drops the pieces: the well is the left part of a board whose other columns are filled.
"""

import heapq
import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from tetrion.board import Board
from tetrion.engine.pieces import BOARD_WIDTH
from tetrion.lab.reproduction.measurements import MeasurementContext
from tetrion.position import Position

WellState = tuple[int, ...]  # the columns of a well, as in a board: bit 0 at the floor
StateGraph = Mapping[WellState, Sequence[WellState]]  # the states that can follow each state

SINGLE_PIECES = {"Square": "O", "Kink": "S", "Bar": "I", "Elbow": "L", "Tee": "T"}  # Z and J are mirror images
WELL_WIDTHS = (2, 3, 4, 5, 6, 7)
MAX_WELL_HEIGHT = 12
_WALL_HEIGHT = MAX_WELL_HEIGHT + 4  # a piece on the highest state does not reach above the wall
_RULES = "tetrais"
_BUDGET, _QUICK_BUDGET = 8000, 100  # states that one search may expand


class PublishedStrategy(NamedTuple):
    """Height and number of states of a strategy in Figure 2."""

    height: int
    state_count: int


def get_published_strategy(kind: str, width: int) -> PublishedStrategy | None:
    """Return the entry of Figure 2 for a kind of piece and a well; None where it has no winning strategy."""
    if width == 2:
        return _WIDTH_2_STRATEGIES[kind]
    if width % 2 == 0:
        height, states_per_n = _EVEN_STRATEGIES[kind]
        return PublishedStrategy(height, states_per_n * (width // 2))
    if kind not in _ODD_STRATEGIES:
        return None
    height, states_per_n, first_states = _ODD_STRATEGIES[kind]
    return PublishedStrategy(height, states_per_n * ((width - 3) // 2) + first_states)


_WIDTH_2_STRATEGIES = {
    "Square": PublishedStrategy(0, 1),
    "Kink": PublishedStrategy(2, 2),
    "Bar": PublishedStrategy(4, 2),
    "Elbow": PublishedStrategy(2, 2),
    "Tee": PublishedStrategy(2, 3),
}
_EVEN_STRATEGIES = {"Square": (2, 1), "Kink": (4, 2), "Bar": (4, 2), "Elbow": (5, 2), "Tee": (4, 3)}  # height, × n
_ODD_STRATEGIES = {"Bar": (4, 2, 3), "Elbow": (8, 4, 6), "Tee": (7, 5, 5)}  # height, × n, + constant


def compute_height(state: WellState) -> int:
    """Return the height of the highest column."""
    return max(state).bit_length()


@dataclass
class SinglePieceWell:
    """A well into which only one kind of piece falls; the states after each state are computed once."""

    piece: str
    width: int
    known_states: dict[WellState, list[WellState]] = field(default_factory=dict)

    @property
    def empty_state(self) -> WellState:
        """The empty well."""
        return (0,) * self.width

    def list_next_states(self, state: WellState, max_height: int) -> list[WellState]:
        """Return the states after one piece that are not higher than `max_height`."""
        if state not in self.known_states:
            self.known_states[state] = self.drop_piece(state)
        return [after for after in self.known_states[state] if compute_height(after) <= max_height]

    def drop_piece(self, state: WellState) -> list[WellState]:
        """Return the different states after one piece, by the engine's hard drops."""
        walls = ((1 << _WALL_HEIGHT) - 1,) * (BOARD_WIDTH - self.width)
        position = Position.from_board(Board((*state, *walls), 22), self.piece, rules=_RULES)
        placements = [
            placement
            for placement in position.placements()
            if all(column < self.width for column, _ in placement.cells)
        ]
        boards = [position.after(placement).board for placement in placements]
        return list(dict.fromkeys(board.columns[: self.width] for board in boards))


def has_balanced_columns(piece: str) -> bool:
    """Return whether every orientation of a piece has as many cells in even columns as in odd columns.

    If so, a well of odd width cannot be played for ever: a full row has one more cell in the columns 1, 3, 5 … than in
    the columns 2, 4, 6 …, so each cleared row leaves the latter with one more cell, until the well is too high.
    """
    placements = Position.from_board(Board((0,) * BOARD_WIDTH, 22), piece, rules=_RULES).placements()
    return all(sum((-1) ** column for column, _ in placement.cells) == 0 for placement in placements)


def count_pieces_to_empty(state: WellState) -> int:
    """Return a lower bound of the number of pieces after which the well is empty.

    All rows of the state must be completed, and the cells of all completed rows come from the state and the pieces.
    """
    width, cells = len(state), sum(column.bit_count() for column in state)
    if not cells:
        return 0
    fewest = max(1, math.ceil((width * compute_height(state) - cells) / 4))
    fitting = (count for count in range(fewest, fewest + width) if (cells + 4 * count) % width == 0)
    return next(fitting, fewest)


class ReturnSearch(NamedTuple):
    """The number of pieces until the well is empty again (None: not found), and whether the search was complete."""

    state_count: int | None
    is_complete: bool


def find_shortest_return(well: SinglePieceWell, max_height: int, max_states: int, budget: int) -> ReturnSearch:
    """Return the smallest number of pieces, at most `max_states`, after which the empty well is empty again (A*)."""
    empty = well.empty_state
    fewest_pieces: dict[WellState, int] = {}
    open_states: list[tuple[int, int, WellState]] = [(0, 0, empty)]  # estimate, minus the pieces so far, state
    expanded = 0
    while open_states:
        estimate, negative_pieces, state = heapq.heappop(open_states)
        pieces = -negative_pieces
        if pieces and state == empty:
            return ReturnSearch(estimate, True)
        if fewest_pieces.get(state, pieces) < pieces:
            continue
        if expanded == budget:
            return ReturnSearch(None, False)
        expanded += 1
        for after in well.list_next_states(state, max_height):
            total = pieces + 1 + count_pieces_to_empty(after)
            if total <= max_states and pieces + 1 < fewest_pieces.get(after, max_states + 1):
                fewest_pieces[after] = pieces + 1
                heapq.heappush(open_states, (total, -pieces - 1, after))
    return ReturnSearch(None, True)


def explore_states(well: SinglePieceWell, max_height: int, budget: int) -> StateGraph | None:
    """Return all states that can be reached within a height; None if there are more than `budget`."""
    graph: dict[WellState, list[WellState]] = {}
    waiting = [well.empty_state]
    while waiting:
        state = waiting.pop()
        if state in graph:
            continue
        if len(graph) == budget:
            return None
        graph[state] = well.list_next_states(state, max_height)
        waiting += graph[state]
    return graph


def find_endless_states(graph: StateGraph) -> set[WellState]:
    """Return the states from which one can play for ever: those that remain when dead ends are removed repeatedly."""
    previous: dict[WellState, list[WellState]] = {state: [] for state in graph}
    for state, following in graph.items():
        for after in following:
            previous[after].append(state)
    exits = {state: len(following) for state, following in graph.items()}
    dead_ends = [state for state, count in exits.items() if not count]
    endless = set(graph)
    while dead_ends:
        dead_end = dead_ends.pop()
        endless.discard(dead_end)
        for state in previous[dead_end]:
            exits[state] -= 1
            if not exits[state]:
                dead_ends.append(state)
    return endless


def count_steps(graph: StateGraph, start: WellState, max_steps: int) -> tuple[dict[WellState, int], int | None]:
    """Return the distances from a state up to `max_steps`, and the length of the shortest cycle through it."""
    distances = {start: 0}
    waiting = deque([start])
    while waiting:
        state = waiting.popleft()
        if distances[state] == max_steps:
            break
        for after in graph[state]:
            if after == start:
                return distances, distances[state] + 1
            if after not in distances:
                distances[after] = distances[state] + 1
                waiting.append(after)
    return distances, None


def find_fewest_states(graph: StateGraph, empty: WellState, max_states: int) -> int | None:
    """Return the smallest number of states of a strategy: a path from the empty well, and a cycle at its end."""
    endless = find_endless_states(graph)
    live_graph = {state: [after for after in graph[state] if after in endless] for state in endless}
    if empty not in live_graph:
        return None
    distances, _ = count_steps(live_graph, empty, max_states)
    fewest = max_states + 1
    for state, distance in distances.items():
        _, cycle = count_steps(live_graph, state, fewest - 1 - distance) if distance < fewest - 1 else ({}, None)
        if cycle is not None:
            fewest = min(fewest, distance + cycle)
    return fewest if fewest <= max_states else None


def has_strategy(well: SinglePieceWell, max_height: int, max_states: int, budget: int) -> bool | None:
    """Return whether one can play for ever within a height; None if the search does not end within the budget."""
    if find_shortest_return(well, max_height, max_states, budget).state_count is not None:
        return True
    graph = explore_states(well, max_height, budget)
    return None if graph is None else well.empty_state in find_endless_states(graph)


def find_strategy_states(
    well: SinglePieceWell, max_height: int, max_states: int, budget: int
) -> tuple[int | None, bool]:
    """Return the number of states of a strategy with at most `max_states` within a height, and whether none exists."""
    shortest = find_shortest_return(well, max_height, max_states, budget)
    if shortest.state_count is not None:
        return shortest.state_count, False
    graph = explore_states(well, max_height, budget)
    if graph is None:
        return None, False
    fewest = find_fewest_states(graph, well.empty_state, max_states)
    return fewest, fewest is None


def search_strategy(well: SinglePieceWell, published: PublishedStrategy, budget: int) -> dict[str, Any]:
    """Search the smallest height of a strategy, and a strategy within the published height and number of states.

    `smallest_height` and `state_count` (the states of the strategy found at `state_height`) are None if not found;
    `is_within` is None if the search is undecided.
    """
    smallest_height: int | None = None
    for height in range(published.height + 1):
        exists = has_strategy(well, height, published.state_count, budget)
        if exists:
            smallest_height = height
        if exists is not False:
            break
    state_count: int | None = None
    is_excluded = False
    for height in range(smallest_height or 0, published.height + 1):
        state_count, is_excluded = find_strategy_states(well, height, published.state_count, budget)
        if state_count is not None:
            break
    return {
        "published": list(published),
        "smallest_height": smallest_height,
        "state_count": state_count,
        "state_height": None if state_count is None else height,
        "is_within": True if state_count is not None else False if is_excluded else None,
    }


def search_every_height(well: SinglePieceWell, budget: int) -> dict[str, Any]:
    """Search all strategies, height by height, as long as all states can be explored.

    `searched_height` is the largest height that was searched completely; `smallest_height` is that of a strategy.
    """
    searched_height = -1
    smallest_height: int | None = None
    for height in range(MAX_WELL_HEIGHT + 1):
        graph = explore_states(well, height, budget)
        if graph is None:
            break
        searched_height = height
        if well.empty_state in find_endless_states(graph):
            smallest_height = height
            break
    return {"published": None, "searched_height": searched_height, "smallest_height": smallest_height}


def measure_single_piece_strategies(context: MeasurementContext) -> dict[str, Any]:
    """Search the strategies of Figure 2: results by kind of piece and width."""
    budget = _QUICK_BUDGET if context.is_quick else _BUDGET
    results: dict[str, dict[str, Any]] = {}
    for kind, piece in SINGLE_PIECES.items():
        for width in WELL_WIDTHS:
            well, published = SinglePieceWell(piece, width), get_published_strategy(kind, width)
            results.setdefault(kind, {})[str(width)] = (
                search_strategy(well, published, budget) if published else search_every_height(well, budget)
            )
    return results
