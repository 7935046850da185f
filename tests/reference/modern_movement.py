"""The placements of a piece in the modern game: its cells and its spin, and the keys that lead there."""

from typing import NamedTuple

from tests.reference.board import Board, Placement
from tests.reference.modern_rules import ModernRules
from tests.reference.movement import TURNS, PieceMotion, State, find_drops
from tests.reference.pieces import Cell
from tests.reference.spins import SPINS, LastRotation, find_spin


class SpinPlacement(NamedTuple):
    """A final position of a piece and its spin; the same cells with another spin are another placement."""

    orientation: int
    column: int
    row: int
    spin: str

    @property
    def position(self) -> Placement:
        return Placement(self.orientation, self.column, self.row)


class Situation(NamedTuple):
    """A moving piece, and the rotation that was its last successful action; None if that was a move or the spawn."""

    state: State
    last: LastRotation | None


class ModernMotion:
    """The movement of a piece on a board, with its last action."""

    def __init__(self, board: Board, piece: str, rules: ModernRules) -> None:
        self.board = board
        self.piece = piece
        self.rules = rules
        self.motion = PieceMotion(board, piece, rules)

    @property
    def can_spawn(self) -> bool:
        return self.motion.fits(self.motion.spawn_state)

    @property
    def spawn(self) -> Situation:
        return Situation(self.motion.spawn_state, None)

    def cells(self, situation: Situation) -> list[Cell]:
        return self.motion.cells(situation.state)

    def press(self, situation: Situation, key: str) -> Situation | None:
        """Return the situation after a key, or None if the key has no effect because the piece is blocked."""
        if key in TURNS:
            return self.rotate(situation.state, TURNS[key])
        moved = self.motion.move(situation.state, key)
        return None if moved is None else Situation(moved, None)

    def rotate(self, state: State, turns: int) -> Situation | None:
        """Return the situation after a rotation, or None if all its kick tests fail; boxes move by the kick."""
        for test, after in enumerate(self.motion.generate_kick_tests(state, turns)):
            if self.motion.fits(after):
                return Situation(after, LastRotation(turns, test, after.left - state.left, after.top - state.top))
        return None

    def lock(self, situation: Situation) -> SpinPlacement:
        """Return the placement of a piece that locks in a situation."""
        spin = find_spin(self.board, self.piece, self.cells(situation), situation.last, self.rules)
        return SpinPlacement(*self.motion.to_placement(situation.state), spin)

    def list_steps(self, situation: Situation) -> list[tuple[str, Situation]]:
        """Return the keys that have an effect, with the situations after them."""
        after = [(key, self.press(situation, key)) for key in self.motion.get_steps()]
        return [(key, result) for key, result in after if result is not None]

    def find_paths(self) -> dict[SpinPlacement, list[str]]:
        """Return every placement that a path reaches, with the first of its shortest paths."""
        paths: dict[SpinPlacement, list[str]] = {}
        path_to: dict[Situation, list[str]] = {self.spawn: []} if self.can_spawn else {}
        queue = list(path_to)
        steps_from: dict[State, list[tuple[str, Situation]]] = {}  # they do not depend on the last rotation
        for situation in queue:  # breadth first: the queue grows during the loop
            path = path_to[situation]
            if self.motion.rests(situation.state):
                paths.setdefault(self.lock(situation), path)
                if self.rules.lock_delay == 0:
                    continue
            if situation.state not in steps_from:
                steps_from[situation.state] = self.list_steps(situation)
            for key, after in steps_from[situation.state]:
                if after not in path_to:
                    path_to[after] = [*path, key]
                    queue.append(after)
        return paths

    def find_placements(self) -> list[SpinPlacement]:
        """Return every placement that is completely on the board, in order; straight drops are no spins."""
        if self.rules.movement == "drop":
            found = {SpinPlacement(*drop, "none") for drop in find_drops(self.motion)}
        else:
            found = set(self.find_paths())
        return sort_spin_placements([placement for placement in found if self.motion.is_on_board(placement.position)])


def sort_spin_placements(placements: list[SpinPlacement]) -> list[SpinPlacement]:
    """Sort placements by orientation, column from the left, row from the top, and spin: none, mini, full."""
    return sorted(placements, key=lambda each: (each.orientation, each.column, -each.row, SPINS.index(each.spin)))
