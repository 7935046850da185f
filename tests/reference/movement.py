"""The placements of a piece: by straight drops, by any path, or by paths under gravity in real time."""

from collections.abc import Iterable, Iterator
from itertools import count
from typing import NamedTuple

from tests.reference.board import Board, Placement, find_drops, get_cells, is_free
from tests.reference.pieces import WIDTH, Cell
from tests.reference.rotations import HALF_TURN_KICKS, ROTATIONS, SHAPES, make_shape
from tests.reference.rules import Rules
from tests.reference.spins import SPINS, LastRotation, find_spin

MAX_ROWS = 32  # a moving piece stays below this row
STEPS = ("left", "right", "rotate", "back", "half", "down")  # in order of preference among paths of the same length
TURNS = {"rotate": 1, "back": -1, "half": 2}  # states by which a key turns a piece
OFFSETS = {"left": (-1, 0), "right": (1, 0), "down": (0, 1)}  # columns to the right and rows down


class State(NamedTuple):
    """A moving piece: the index of its rotation state, and the column and row of its box's top left corner.

    `last` is the rotation that was its last successful action, if the rules have spins; None if that was a move or the
    spawn.
    """

    turn: int
    left: int
    top: int
    last: LastRotation | None = None

    @property
    def lowered(self) -> "State":
        """The state one row lower."""
        return State(self.turn, self.left, self.top - 1)


class PieceMotion:
    """The movement of a piece on a board."""

    def __init__(self, board: Board, piece: str, rules: Rules) -> None:
        self.board = board
        self.piece = piece
        self.rules = rules
        self.rotation = ROTATIONS[rules.rotation]
        self.states = self.rotation.states[piece]
        self.shapes = SHAPES[rules.rotation][piece]
        positions = [(column, row) for column in range(WIDTH) for row in range(MAX_ROWS)]
        self.free_cells = {cell for cell in positions if is_free(board, cell)}
        self.fit_cache: dict[State, bool] = {}

    @property
    def spawn_state(self) -> State:
        top = self.rules.height - 1 - self.rotation.spawn_depth[self.piece] + self.rules.spawn_height
        return State(0, self.rotation.spawn_column[self.piece], top)

    @property
    def can_spawn(self) -> bool:
        return self.fits(self.spawn_state)

    @property
    def is_blocked(self) -> bool:
        """Whether the piece ends the game because it does not fit at its spawn position."""
        return self.rules.requires_spawn and not self.can_spawn

    def cells(self, state: State) -> list[Cell]:
        return [(state.left + x, state.top - y) for x, y in self.states[state.turn]]

    def fits(self, state: State) -> bool:
        if state not in self.fit_cache:
            self.fit_cache[state] = self.free_cells.issuperset(self.cells(state))
        return self.fit_cache[state]

    def rests(self, state: State) -> bool:
        """Return whether a piece cannot move down."""
        return not self.fits(state.lowered)

    def move(self, state: State, step: str) -> State | None:
        """Return the state after a step, or None if the step is blocked."""
        if step in TURNS:
            return self.rotate(state, TURNS[step])
        right, down = OFFSETS[step]
        after = State(state.turn, state.left + right, state.top - down)
        return after if self.fits(after) else None

    def rotate(self, state: State, turns: int) -> State | None:
        """Return the state after a rotation by that many states, kicked if necessary, or None if blocked."""
        for test, after in enumerate(self.generate_kick_tests(state, turns)):
            if self.fits(after):
                last = LastRotation(turns, test, after.left - state.left, after.top - state.top)
                return after if self.rules.spins == "none" else after._replace(last=last)
        return None

    def generate_kick_tests(self, state: State, turns: int) -> Iterator[State]:
        """Yield the states that a rotation by that many states tries in turn; the first one is without a kick."""
        turn = (state.turn + turns) % len(self.states)
        yield State(turn, state.left, state.top)
        kicks = HALF_TURN_KICKS[self.rules.half_turn_kicks] if turns == 2 else self.rotation.kicks
        for right, up in kicks.get((self.piece, state.turn, turn), []):
            yield State(turn, state.left + right, state.top + up)

    def drop(self, state: State) -> State:
        """Return the state after a hard drop."""
        while not self.rests(state):
            state = state.lowered
        return state

    def to_placement(self, state: State) -> Placement:
        """Return the cells of a piece in a state as a placement without a spin."""
        cells = self.cells(state)
        orientation = self.shapes.index(make_shape(self.states[state.turn]))
        return Placement(orientation, min(x for x, _ in cells), min(y for _, y in cells))

    def lock(self, state: State) -> Placement:
        """Return the placement of a piece that locks in a state, with its spin."""
        spin = find_spin(self.board, self.piece, self.cells(state), state.last, self.rules)
        return self.to_placement(state)._replace(spin=spin)

    def is_on_board(self, placement: Placement) -> bool:
        """Return whether no cell of a placement is above the board."""
        return all(row < self.rules.rows for _, row in get_cells(self.piece, placement, self.rules.rotation))

    def list_steps(self, state: State) -> list[tuple[str, State]]:
        """Return the steps of a path that have an effect, with the states after them; gravity can replace a key."""
        keys = [step for step in STEPS if step == "down" or self.rules.has_key(step)]
        after = [(key, self.move(state, key)) for key in keys]
        return [(key, result) for key, result in after if result is not None]


def find_placements(motion: PieceMotion, gravity: int) -> dict[Placement, int]:
    """Return every placement in order, with the earliest frame after the spawn in which the piece can lock there.

    `gravity` is in frames per row. Frames are 0 if movement takes no time.
    """
    if motion.rules.movement == "steered" and not motion.can_spawn:
        return {}
    if motion.rules.movement in ("drop", "steered"):
        frames = dict.fromkeys(find_drops(motion.board, motion.piece, motion.rules.rotation), 0)
    elif motion.rules.movement == "reach" or gravity == 0:
        frames = dict.fromkeys(find_paths(motion), 0)
    else:
        frames = find_timed_placements(motion, gravity)
    return {placement: frames[placement] for placement in sort_placements(frames) if motion.is_on_board(placement)}


def sort_placements(placements: Iterable[Placement]) -> list[Placement]:
    """Sort placements by orientation, column from the left, row from the top, and spin: none, mini, full."""
    return sorted(placements, key=lambda each: (each.orientation, each.column, -each.row, SPINS.index(each.spin)))


def steer(motion: PieceMotion, gravity: int, target: Placement) -> tuple[list[Cell], int]:
    """Return the cells where a piece locks that is steered to a target, and the frame of the lock.

    After three rows the piece gets the rotation of the target at once, without a test of the cells but those outside
    the board. Then each key moves it by one column towards the target, or down. The first key follows from the column
    before the rotation.
    """
    rules = motion.rules
    state = motion.spawn_state
    for frame in count():
        if frame and frame % gravity == 0:
            if motion.rests(state):
                return motion.cells(state), frame
            state = state.lowered
        if rules.lock_delay == 0 and motion.rests(state):
            return motion.cells(state), frame
        waited = frame - 3 * gravity - rules.thinking_frames
        if waited >= 0 and waited % rules.frames_per_key == 0:
            column = min(x for x, _ in motion.cells(state))
            state = turn_at_once(motion, state, target)
            key = "down" if column == target.column else "right" if column < target.column else "left"
            if rules.has_key(key):
                state = motion.move(state, key) or state
            if rules.lock_delay == 0 and motion.rests(state):
                return motion.cells(state), frame
    raise AssertionError


def turn_at_once(motion: PieceMotion, state: State, target: Placement) -> State:
    """Return a piece in the first rotation state that looks like its target, unless that would leave the board."""
    turns = range(len(motion.states))
    turned = [state] + [State((state.turn + step) % len(turns), state.left, state.top) for step in turns[1:]]
    wanted = next(each for each in turned if motion.to_placement(each).orientation == target.orientation)
    is_inside = all(0 <= column < WIDTH and row >= 0 for column, row in motion.cells(wanted))
    return wanted if is_inside else state


def find_paths(motion: PieceMotion) -> dict[Placement, list[str]]:
    """Return every placement that a path reaches, with the first of its shortest paths."""
    paths: dict[Placement, list[str]] = {}
    path_to: dict[State, list[str]] = {motion.spawn_state: []} if motion.can_spawn else {}
    queue = list(path_to)
    steps_from: dict[State, list[tuple[str, State]]] = {}  # they do not depend on the last rotation
    for state in queue:  # breadth first: the queue grows during the loop
        path = path_to[state]
        if motion.rests(state):
            paths.setdefault(motion.lock(state), path)
            if motion.rules.lock_delay == 0:
                continue
        place = state._replace(last=None)
        if place not in steps_from:
            steps_from[place] = motion.list_steps(place)
        for key, after in steps_from[place]:
            if after not in path_to:
                path_to[after] = [*path, key]
                queue.append(after)
    return paths


def find_timed_placements(motion: PieceMotion, gravity: int) -> dict[Placement, int]:
    """Return every placement that a path reaches under gravity, with the frame of its earliest lock."""
    rules = motion.rules
    locks: dict[Placement, int] = {}
    seen: set[tuple[State, int]] = set()  # examined: states after gravity and frames until the next key
    states = {motion.spawn_state} if motion.can_spawn else set()
    states = lock_at_once(motion, states, 0, locks)
    fresh = set(states)  # states from which no key has been pressed since the last gravity step
    for frame in count():
        if frame and frame % gravity == 0:
            states = apply_gravity(motion, states, frame, locks)
            until_key = rules.thinking_frames - frame
            if frame >= rules.thinking_frames:
                until_key %= rules.frames_per_key
            states -= {state for state in states if (state, until_key) in seen}
            seen |= {(state, until_key) for state in states}
            fresh = set(states)
        if frame >= rules.thinking_frames and (frame - rules.thinking_frames) % rules.frames_per_key == 0:
            after = lock_at_once(motion, press_keys(motion, fresh), frame, locks)
            fresh = after - states
            states |= fresh
        if not states:
            return locks
    raise AssertionError


def lock_at_once(motion: PieceMotion, states: set[State], frame: int, locks: dict[Placement, int]) -> set[State]:
    """Return the states that do not lock; with a `lock_delay` of 0, resting pieces lock and are added to `locks`."""
    if motion.rules.lock_delay != 0:
        return states
    for state in states:
        if motion.rests(state):
            locks.setdefault(motion.to_placement(state), frame)
    return {state for state in states if not motion.rests(state)}


def apply_gravity(motion: PieceMotion, states: set[State], frame: int, locks: dict[Placement, int]) -> set[State]:
    """Return the states one row lower; pieces that cannot move down lock and are added to `locks`."""
    for state in states:
        if motion.rests(state):
            locks.setdefault(motion.to_placement(state), frame)
    after = {state.lowered for state in states if not motion.rests(state)}
    return lock_at_once(motion, after, frame, locks)


def press_keys(motion: PieceMotion, states: set[State]) -> set[State]:
    """Return the states that one key press reaches from any of these states."""
    keys = [step for step in STEPS if motion.rules.has_key(step)]
    after = {motion.move(state, key) for state in states for key in keys}
    return {state for state in after if state is not None}
