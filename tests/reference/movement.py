"""Where a piece can come to rest: by a straight drop, by any path, or by a path that is taken in time."""

from collections.abc import Iterable
from itertools import count
from typing import NamedTuple

from reference.board import Board, Placement, is_free
from reference.pieces import WIDTH, Cell
from reference.rotations import ROTATIONS, SHAPES, shape
from reference.rules import Rules

SKY = 32  # rows from the floor in which a piece may be while it moves
STEPS = ("left", "right", "rotate", "back", "down")  # of equally short paths the first in this order is taken


class State(NamedTuple):
    """A piece on its way: the number of its state, and the column and row of its box's top left corner."""

    turn: int
    left: int
    top: int


def cells_at(rotation: str, piece: str, placement: Placement) -> list[Cell]:
    """The cells of a placement whose orientation is counted as the rotation's turns go."""
    turned = SHAPES[rotation][piece][placement.orientation]
    return [(placement.column + x, placement.row + y) for x, y in turned]


class Well:
    """A board and the piece that moves in it."""

    def __init__(self, board: Board, piece: str, rules: Rules) -> None:
        self.board = board
        self.piece = piece
        self.rules = rules
        self.rotation = ROTATIONS[rules.rotation]
        self.states = self.rotation.states[piece]
        self.shapes = SHAPES[rules.rotation][piece]
        self.known: dict[State, bool] = {}  # whether a state fits, where it has been asked before

    @property
    def entrance(self) -> State:
        top = self.rules.height - 1 - self.rotation.down[self.piece] + self.rules.spawn_height
        return State(0, self.rotation.left[self.piece], top)

    def cells(self, state: State) -> list[Cell]:
        return [(state.left + x, state.top - y) for x, y in self.states[state.turn]]

    def fits(self, state: State) -> bool:
        if state not in self.known:
            self.known[state] = all(cell[1] < SKY and is_free(self.board, cell) for cell in self.cells(state))
        return self.known[state]

    def rests(self, state: State) -> bool:
        """Whether a piece cannot go down a row."""
        return not self.fits(state._replace(top=state.top - 1))

    def moved(self, state: State, step: str) -> State | None:
        """Where a step leads, or nothing where it is refused."""
        if step in ("rotate", "back"):
            return self.turned(state, 1 if step == "rotate" else -1)
        right, down = {"left": (-1, 0), "right": (1, 0), "down": (0, 1)}[step]
        after = State(state.turn, state.left + right, state.top - down)
        return after if self.fits(after) else None

    def turned(self, state: State, by: int) -> State | None:
        """The next state or the one before it, kicked where it must be."""
        turn = (state.turn + by) % len(self.states)
        for right, up in [(0, 0), *self.rotation.kicks.get((self.piece, state.turn, turn), [])]:
            after = State(turn, state.left + right, state.top + up)
            if self.fits(after):
                return after
        return None

    def dropped(self, state: State) -> State:
        """Straight down as far as it goes."""
        while not self.rests(state):
            state = state._replace(top=state.top - 1)
        return state

    def placement(self, state: State) -> Placement:
        """A state as what can be seen of it: its orientation, its leftmost column and its lowest row."""
        cells = self.cells(state)
        orientation = self.shapes.index(shape(self.states[state.turn]))
        return Placement(orientation, min(x for x, _ in cells), min(y for _, y in cells))

    def is_on_board(self, placement: Placement) -> bool:
        """Whether no cell lies above all rows."""
        return all(row < self.rules.rows for _, row in cells_at(self.rules.rotation, self.piece, placement))

    def steps(self) -> list[str]:
        """The steps of a path whose time does not matter; gravity brings a piece down where no key does."""
        return [step for step in STEPS if step == "down" or self.rules.has_key(step)]


def resting_places(well: Well, gravity: int) -> dict[Placement, int]:
    """Every place to rest in order, with the frame, counted from the entrance, in which the piece can lock there."""
    if well.rules.movement == "drop":
        found = dict.fromkeys(dropped_places(well), 0)
    elif well.rules.movement == "reach" or gravity == 0:
        found = dict.fromkeys(paths(well), 0)
    else:
        found = timed_places(well, gravity)
    return {place: found[place] for place in ordered(found) if well.is_on_board(place)}


def ordered(places: Iterable[Placement]) -> list[Placement]:
    """By orientation, then column from the left, then row from the top."""
    return sorted(places, key=lambda place: (place.orientation, place.column, -place.row))


def dropped_places(well: Well) -> list[Placement]:
    """Turned and moved above everything, then straight down."""
    above = [well.rules.rows + max(down for _, down in cells) for cells in well.states]
    states = [State(turn, left, top) for turn, top in enumerate(above) for left in range(-4, WIDTH)]
    return [well.placement(well.dropped(state)) for state in states if well.fits(state)]


def paths(well: Well) -> dict[Placement, list[str]]:
    """The places that any path leads to, each with the first of its shortest paths."""
    found: dict[Placement, list[str]] = {}
    path_to: dict[State, list[str]] = {}
    if well.fits(well.entrance):
        path_to[well.entrance] = []
    waiting = list(path_to)
    for state in waiting:  # grows while it is gone through: those a step away, then those two steps away, ...
        path = path_to[state]
        if well.rests(state):
            found.setdefault(well.placement(state), path)
            if well.rules.lock_delay == 0:
                continue
        for step in well.steps():
            after = well.moved(state, step)
            if after is not None and after not in path_to:
                path_to[after] = [*path, step]
                waiting.append(after)
    return found


def timed_places(well: Well, gravity: int) -> dict[Placement, int]:
    """The places that a path leads to in time, with the frame of their earliest lock."""
    rules, locks = well.rules, dict[Placement, int]()
    seen: set[tuple[State, int]] = set()  # after gravity, with the time left until a key: what follows is the same
    here = {well.entrance} if well.fits(well.entrance) else set()
    here = without_locked(well, here, 0, locks)
    fresh = set(here)  # those that no key has been pressed for since gravity moved them
    for frame in count():
        if frame and frame % gravity == 0:
            here = fallen(well, here, frame, locks)
            until_key = (
                (rules.thinking_frames - frame) % rules.frames_per_key
                if frame >= rules.thinking_frames
                else rules.thinking_frames - frame
            )
            here -= {state for state in here if (state, until_key) in seen}
            seen |= {(state, until_key) for state in here}
            fresh = set(here)
        if frame >= rules.thinking_frames and (frame - rules.thinking_frames) % rules.frames_per_key == 0:
            after = without_locked(well, pressed(well, fresh), frame, locks)
            fresh = after - here
            here |= fresh
        if not here:
            return locks
    raise AssertionError


def without_locked(well: Well, states: set[State], frame: int, locks: dict[Placement, int]) -> set[State]:
    """The states that do not lock at once, as resting ones do under `lock=0`."""
    if well.rules.lock_delay != 0:
        return states
    for state in states:
        if well.rests(state):
            locks.setdefault(well.placement(state), frame)
    return {state for state in states if not well.rests(state)}


def fallen(well: Well, states: set[State], frame: int, locks: dict[Placement, int]) -> set[State]:
    """What gravity does: every state goes down a row, or locks where it cannot."""
    for state in states:
        if well.rests(state):
            locks.setdefault(well.placement(state), frame)
    after = {state._replace(top=state.top - 1) for state in states if not well.rests(state)}
    return without_locked(well, after, frame, locks)


def pressed(well: Well, states: set[State]) -> set[State]:
    """Where one key can lead from any of the states."""
    keys = [step for step in STEPS if well.rules.has_key(step)]
    after = {well.moved(state, key) for state in states for key in keys}
    return {state for state in after if state is not None}
