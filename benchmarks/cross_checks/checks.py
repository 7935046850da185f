"""What a cross-check compares: every move in an environment, by placements or by keys, with the engine."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from random import Random
from typing import Any, NamedTuple

import numpy as np

from tetrion import Board, Game, Placement, Position, Rules
from tetrion.engine.piece_motion import KEY_DROP
from tetrion.engine.pieces import PIECE_OF_ORIENTATION, PIECES
from tetrion.engine.records import GAME_KEYS
from tetrion.engine.rotation_systems import RotationSystem, find_corner, find_orientation
from tetrion.evaluation.confidence_intervals import compute_mean_interval

MOVES = "moves without a counterpart"
BOARDS = "boards"
GAINS = "rewards or lines"
ENDS = "ends of the game"
EXTRA_ACTIONS = "actions that only the environment allows"
MISSING_ACTIONS = "actions that only Tetrion allows"
LOCATIONS = "locations of the falling piece"


@dataclass
class CheckCounts:
    """The games and comparisons of a check: by kind, how many results were compared and how many of them differ."""

    returns: list[float] = field(default_factory=list)  # sum of the rewards, or of the lines, of each game
    compared: dict[str, int] = field(default_factory=dict)
    different: dict[str, int] = field(default_factory=dict)

    def compare(self, kind: str, theirs: object, ours: object) -> None:
        """Compare two results of a kind."""
        self.add(kind, 1, int(theirs != ours))

    def add(self, kind: str, compared: int, different: int) -> None:
        """Add comparisons of a kind."""
        self.compared[kind] = self.compared.get(kind, 0) + compared
        self.different[kind] = self.different.get(kind, 0) + different

    def to_json(self) -> dict[str, Any]:
        """Return the counts, and the mean return with its 95 % confidence interval, as JSON data."""
        counts = {"games": len(self.returns), "compared": self.compared, "different": self.different}
        return counts | summarise_returns(np.array(self.returns))


def summarise_returns(returns: np.ndarray[Any, Any]) -> dict[str, Any]:
    """Return the mean of one number per game, and its 95 % confidence interval, as JSON data."""
    interval = compute_mean_interval(returns)
    return {"mean": round(float(returns.mean()), 2), "ci95": interval and [round(end, 2) for end in interval]}


# Environments with placement actions: each is a rotation and a column, and the environment drops the piece.

Reply = dict[str, Any]
AskFunction = Callable[[str, Any], Reply]  # sends a method and its argument to the host of an environment
ChooseFunction = Callable[[Position], Placement]


class PlacementAction(NamedTuple):
    """An action of an environment: its numbers, and the piece that it drops, as the engine describes it."""

    rotation: int
    column: int
    orientation: int  # the engine's number
    left: int  # the column of the leftmost cell
    is_legal: bool

    def leads_to(self, placement: Placement) -> bool:
        """Return whether the action drops a piece in the orientation and column of a placement."""
        return (self.orientation, self.left) == (placement.orientation, placement.column)


def read_position(reply: Reply, rules: Rules) -> Position:
    """Return the position that an environment shows."""
    piece = PIECES[PIECE_OF_ORIENTATION[find_orientation(reply["shapes"][0])]]
    return Position.from_board(Board.from_text(reply["grid"], rules.rows), piece, rules=rules)


def list_actions(reply: Reply) -> Iterator[PlacementAction]:
    """Yield all actions of an environment, legal or not."""
    for rotation, (shape, mask) in enumerate(zip(reply["shapes"], reply["mask"], strict=True)):
        orientation = find_orientation(shape)
        first_left = reply["first_column"] + find_corner(shape)[0]
        for column, is_legal in enumerate(mask):
            yield PlacementAction(rotation, column, orientation, first_left + column, is_legal)


def compare_actions(position: Position, actions: list[PlacementAction], counts: CheckCounts) -> None:
    """Compare which actions are legal in the environment and in the engine."""
    drops = {(placement.orientation, placement.column) for placement in position.placements()}
    for action in actions:
        is_legal_here = (action.orientation, action.left) in drops
        counts.compare(EXTRA_ACTIONS, action.is_legal and not is_legal_here, False)
        counts.compare(MISSING_ACTIONS, is_legal_here and not action.is_legal, False)


def is_over(position: Position) -> bool:
    """Return whether the game is over in a position under its rules."""
    return not position.can_spawn or not position.placements()


def check_placement_game(
    ask: AskFunction, seed: int, choose: ChooseFunction, *, rules: Rules, time_limit: int | None, counts: CheckCounts
) -> None:
    """Play a game in an environment, which may end it at a time limit, and compare every move with the engine."""
    reply = ask("reset", seed)
    position = read_position(reply, rules)
    gained = 0.0
    moves = 0
    while not reply["is_over"]:
        actions = list(list_actions(reply))
        compare_actions(position, actions, counts)
        placement = choose(position)
        action = next((action for action in actions if action.is_legal and action.leads_to(placement)), None)
        counts.compare(MOVES, action is None, False)
        if action is None:
            break
        reply = ask("step", (action.rotation, action.column))
        expected = position.after(placement)
        position, previous = read_position(reply, rules), position
        moves += 1
        gained += reply["gain"]
        counts.compare(BOARDS, position.board, expected.board)
        counts.compare(GAINS, reply["gain"], expected.score - previous.score)
        counts.compare(ENDS, reply["is_over"], is_over(position) or moves == time_limit)
    counts.returns.append(gained)


# Environments with key actions: the keys of each piece are also pressed in a real-time game of the engine.

DROP = GAME_KEYS[KEY_DROP]
WAIT = "wait"  # no key, only gravity
KEY_NAMES = (*GAME_KEYS, WAIT)


class PlayedPiece(NamedTuple):
    """A piece that was played by keys: the keys, the piece's corner after each key but the last, and the game."""

    keys: list[str]
    corners: list[list[int]]  # leftmost column and lowest row
    game: Game


def make_rotation_system(pieces: list[Any]) -> RotationSystem:
    """Return the rotation system of an environment from the boxes and the spawn column of each piece."""
    return RotationSystem(
        {letter: boxes for letter, (boxes, _) in zip(PIECES, pieces, strict=True)},
        {letter: (column, 0) for letter, (_, column) in zip(PIECES, pieces, strict=True)},
    )


def read_key_position(reply: Reply, rules: Rules) -> Position:
    """Return the position that an environment shows: its board, the current piece and the preview."""
    known = "".join(PIECES[number] for number in reply["known"])
    return Position.from_board(Board.from_text(reply["grid"], rules.rows), known[0], known[1:], rules)


def list_keys(position: Position, placement: Placement) -> Iterator[str]:
    """Yield the keys of a placement, one per row of gravity, and a hard drop."""
    keys = dict(position.find_timed_keys(placement))
    for frame in range(max(keys, default=-1) + 1):
        yield keys.get(frame, WAIT)
    yield DROP


def play_keys(position: Position, keys: Iterable[str]) -> PlayedPiece:
    """Press keys in a real-time game, each followed by one row of gravity, until the piece locks."""
    game = Game.from_position(position)
    played = PlayedPiece([], [], game)
    for key in keys:
        played.keys.append(key)
        if key != WAIT:
            game.press(key)
        if key != DROP:
            game.tick(1)
        if game.pieces > position.pieces or game.falling_piece is None:
            break
        played.corners.append([game.falling_piece.column, game.falling_piece.row])
    return played


def check_key_game(
    ask: AskFunction, seed: int, choose: ChooseFunction | None, *, rules: Rules, max_pieces: int, counts: CheckCounts
) -> None:
    """Play a game in an environment, by random keys without `choose`, and compare every key with the engine."""
    reply = ask("reset", seed)
    random = Random(seed)
    gained = 0
    for _ in range(max_pieces):
        position = read_key_position(reply, rules)
        if choose:
            placement = choose(position)
            played = play_keys(position, list_keys(position, placement))
            counts.compare(MOVES, played.game.board, position.after(placement).board)
        else:
            played = play_keys(position, iter(lambda: random.choice(KEY_NAMES), None))
        reply = ask("step", played.keys)
        gained += reply["gain"]
        corner_pairs = zip(reply["corners"], played.corners, strict=False)  # the last key locks the piece
        counts.add(LOCATIONS, len(played.corners), sum(theirs != ours for theirs, ours in corner_pairs))
        counts.compare(BOARDS, read_key_position(reply, rules).board, played.game.board)
        counts.compare(GAINS, reply["gain"], played.game.lines)
        counts.compare(ENDS, reply["is_over"], played.game.is_over)
        if reply["is_over"]:
            break
    counts.returns.append(gained)
