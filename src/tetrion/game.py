"""A game in progress, played by placements or in real time with keys and a clock."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from sys import intern
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from tetrion.board import NO_SPIN_NAME, Board, Placement, get_placement
from tetrion.engine.attack import draw_first_gap
from tetrion.engine.batch_play import EngineSettings, get_bulk_games, make_full_games, select_fastest_play
from tetrion.engine.piece_motion import KEY_DROP, PieceState, apply_key
from tetrion.engine.pieces import PIECES
from tetrion.engine.placements import OrientedPlacement
from tetrion.engine.placing import STATUS_OVER, deal_adversary, place_piece
from tetrion.engine.randomisers import Randomiser, validate_seed
from tetrion.engine.real_time import (
    ACTION_KEY_DOWN,
    ACTION_KEY_UP,
    ACTION_PRESS,
    ACTION_SPAWN_OR_LOCK,
    ACTION_TICK,
    NO_KEY,
    EngineAction,
    FallingRecord,
    perform_action,
    prepare_next_piece,
)
from tetrion.engine.records import GAME_KEYS, SPIN_KINDS, FullGameRecord, FullGameRecords
from tetrion.engine.rules import Rules
from tetrion.errors import PositionError, TetrionError, UnknownNameError, describe_value
from tetrion.notebook_display import draw_svg, format_count, make_short_repr, render_board
from tetrion.position import (
    Position,
    describe_counters,
    encode_bag,
    get_engine_settings,
    make_game_records,
    parse_rules,
    read_position,
    validate_placement,
)
from tetrion.stack import LockedPiece, Stack

if TYPE_CHECKING:
    from tetrion.agents import Agent, Chooser

DEFAULT_PIECES = 100_000  # of `Game.play`: a few seconds and 10 MB
MAX_GAME_NUMBER = 10**9
MAX_FRAMES_PER_CALL = 10**9
MAX_SECONDS_PER_CALL = 1000


def validate_game_number(number: object) -> None:
    """Raise an error if a game number is not a whole number in its range."""
    if type(number) is not int or not 0 <= number <= MAX_GAME_NUMBER:
        raise TetrionError(
            f"The game number must be a whole number from 0 to {MAX_GAME_NUMBER:,}; given {describe_value(number)}."
        )


def locate_falling_piece(
    fall: FallingRecord, piece: int, rotations_by_state: list[list[int]], system: str
) -> Placement | None:
    """Return the falling piece at its current location, written as a placement; None between two pieces.

    `rotations_by_state` is the table `rotation_of_state` of the rules, and `system` their rotation system.
    """
    if not fall.is_active:
        return None
    state, column, row = fall.piece_state.tolist()
    return Placement(PIECES[piece], rotations_by_state[piece][state], column, row, system)


def read_last_placement(record: FullGameRecord, rules: Rules) -> Placement:
    """Return the last placement of a game, given its engine record."""
    location = OrientedPlacement(*record.placement.tolist())
    return get_placement(location, rules.rotation, SPIN_KINDS[record.spin], bool(record.placed_from_hold))


def draw_waiting_gaps(record: FullGameRecord) -> None:
    """Draw the gaps of the garbage that waits in a game, as if it arrived now."""
    with np.errstate(over="ignore"):  # random numbers are computed modulo 2⁶⁴
        for batch in range(record.batch_count):
            draw_first_gap(record, batch)


class GameEvent(NamedTuple):
    """An action in a game: "press", "keydown" or "keyup" with a key, or "place" with a placement as text."""

    frame: int
    action: str
    argument: str


class Game:
    """A game under given rules, whose pieces are determined by a seed and a game number.

    Play it by placements (`place`) or in real time (`press`, `key_down`, `key_up`, `tick`, `advance`). Time is counted
    in frames; one second has `rules.frames_per_second` frames. `placements_made` lists every locked piece, `events`
    every action as (frame, action, argument), and `stack` is the board with the piece that fills each cell;
    cells that were filled when the game started belong to an unknown piece. `garbage_rises` holds the rows of garbage,
    from the floor up, that rose after the piece with a number, counted from 1; those at 0 were there at the start.

    >>> game = Game("nes", seed=7)
    >>> game.place(game.placements()[0]), game.pieces
    (0, 1)
    >>> game.press("left"), game.tick(30), game.falling_piece.column
    (True, None, 3)
    >>> game.play("dellacherie", pieces=50)
    50
    >>> game
    <Game nes, seed 7: 51 pieces, 19 lines, 1,200 points>
    """

    def __init__(self, rules: Rules | str = "standard", seed: int = 0, number: int = 0) -> None:
        validate_game_number(number)
        self.rules = parse_rules(rules)
        self.seed = validate_seed(seed)
        self.number = number
        self.starts_from_position = False
        self._start(make_full_games(1, self.seed, self.number))

    @classmethod
    def from_position(cls, position: Position, seed: int = 0) -> "Game":
        """Start a game from a position; the seed determines the pieces after the known ones.

        The bag continues with `position.bag`. The gaps of the garbage that waits are drawn from the seed, because a
        position does not show them.
        """
        if not isinstance(position, Position) or position.piece is None:
            raise PositionError(
                "A game needs a position with a current piece, such as Position.from_board(board, 'T', next='LJ')."
            )
        game = cls.__new__(cls)
        game.rules = position.rules
        game.seed = validate_seed(seed)
        game.number = 0
        game.starts_from_position = True
        known, games = position.piece + position.next, make_game_records(position)
        games["key"] = make_full_games(1, game.seed)["key"]
        if position.bag:
            games["bag"] = encode_bag(position.bag)
        else:
            games["bag"] = Randomiser(game.rules.randomiser).compute_bag_after(known, games["key"][0])
        draw_waiting_gaps(games[0])
        game._start(games)
        return game

    def copy(self) -> "Game":
        """Return an independent copy of the game."""
        other = copy.copy(self)
        other._games, other._falling_records = self._games.copy(), self._falling_records.copy()
        other.placements_made, other.events = list(self.placements_made), list(self.events)
        other.garbage_rises = dict(self.garbage_rises)
        other._on_lock = None
        return other

    def _start(self, games: FullGameRecords) -> None:
        self._games = games
        self._falling_records = FallingRecord.make_array(1)
        self._settings = get_engine_settings(self.rules)
        self._falling_records[0].pressed_keys[:] = NO_KEY
        self._partial_frames = 0.0  # elapsed time that is less than one frame, in frames
        self._on_lock: Callable[[LockedPiece], None] | None = None
        self._position: Position | None = None
        self._received = 0  # rows of garbage that the stack shows
        self.garbage_rises: dict[int, tuple[str, ...]] = {}
        self._rotations_by_state: list[list[int]] = self._settings.rules[0].rotation_of_state.tolist()
        self.is_real_time = False  # True once a key is pressed or a frame passes
        self.placements_made: list[Placement] = []
        self.events: list[GameEvent] = []
        self.stack = Stack.from_board(self.board, self.rules.height, self.rules.clearing)
        self._prepare_next_piece()
        self._raise_stack()  # by the garbage with which the game starts

    def _prepare_next_piece(self) -> None:
        """Deal the next piece; the game is over if it has no placement."""
        self._deal_adversary()
        prepare_next_piece(self._games, self._falling_records, self._settings.rules)

    def _deal_adversary(self) -> None:
        if self.rules.randomiser == "adversary":
            deal_adversary(self._games, self._settings.rules)

    @property
    def board(self) -> Board:
        """The board without the falling piece."""
        return Board(tuple(map(int, self._games["board"][0])), self.rules.rows)

    @property
    def position(self) -> Position:
        """Everything that a player can see now."""
        if self._position is None:  # kept until the game changes, because it caches its legal placements
            self._position = read_position(self._games[0], self.rules)
        return self._position

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return bool(self._games["status"][0] == STATUS_OVER)

    @property
    def piece(self) -> str:
        """The current piece."""
        return self._known_pieces[0]

    @property
    def next(self) -> str:
        """The preview: the known next pieces."""
        return self._known_pieces[1:]

    @property
    def pieces(self) -> int:
        """The number of pieces placed."""
        return int(self._games["pieces"][0])

    @property
    def lines(self) -> int:
        """The number of lines cleared."""
        return int(self._games["lines"][0])

    @property
    def score(self) -> int:
        """The score."""
        return int(self._games["score"][0])

    @property
    def attack(self) -> int:
        """The rows of garbage that clears have made; 0 under rules without attack."""
        return int(self._games["attack"][0])

    @property
    def frames(self) -> int:
        """The number of frames elapsed."""
        return int(self._games["frames"][0])

    @property
    def level(self) -> int:
        """The current level."""
        return self.position.level

    @property
    def falling_piece(self) -> Placement | None:
        """The falling piece at its current location, written as a placement; None between two pieces."""
        piece = int(self._games["queue"][0, 0])
        return locate_falling_piece(self._falling_records[0], piece, self._rotations_by_state, self.rules.rotation)

    @property
    def ghost(self) -> Placement | None:
        """The placement that a hard drop of the falling piece would give now."""
        if (falling := self.falling_piece) is None:
            return None
        game = self._games[0]
        state = PieceState(*self._falling_records[0].piece_state.tolist())
        dropped = apply_key(game.board, self._settings.rules[0], int(game.queue[0]), state, KEY_DROP)
        return replace(falling, row=dropped.row)

    def placements(self) -> list[Placement]:
        """Return every placement of the current piece; an empty list if the game is over.

        They are ordered by rotation, column, and row from the top.
        """
        return [] if self.is_over else self.position.placements()

    def place(self, placement: Placement) -> int:
        """Place the current piece, or the swapped-in piece, and return the number of lines cleared.

        Under `movement=steered` the piece can miss the placement; `placements_made` shows where it has locked.
        """
        self._check_not_over()
        legal = validate_placement(self.position, placement)
        self._position = None
        lines_before = self.lines
        pieces_before = self.pieces
        self.events.append(GameEvent(self.frames, "place", format_placement(legal)))
        place_piece(self._games, self._settings.rules, legal.code)
        if self.rules.movement != "steered":
            self._record_placement(legal)
        elif self.pieces > pieces_before:  # the piece can miss its target, or lock above the board
            self._record_placement(self._get_last_placement())
        self._prepare_next_piece()
        return self.lines - lines_before

    def play(self, agent: "Agent | Chooser | str | Path", pieces: int = DEFAULT_PIECES) -> int:
        """Let an agent place up to `pieces` pieces, until the game is over, and return how many it placed.

        The default is a limit because the strongest agents never lose, and a game keeps every placement, which takes
        about 100 bytes; `evaluate` plays whole games without keeping them. `agent` is an agent, an object with a method
        `choose(position)`, or anything that `load_agent` accepts. An agent made of weights is played by the compiled
        engine.
        """
        from tetrion.agents.stepped_game import play_pieces  # imported late, because agents import this module

        self._check_not_over()
        if type(pieces) is not int or pieces < 1:
            raise TetrionError(
                f"The number of pieces must be a whole number of at least 1; given {describe_value(pieces)}."
            )
        return play_pieces(agent, self, pieces)

    def press(self, key: str) -> bool:
        """Press and release a key; return whether that had an effect."""
        return self._send_key("press", ACTION_PRESS, key)

    def key_down(self, key: str) -> bool:
        """Press a key and keep it down (left, right and down repeat by the rules); return whether it had an effect."""
        return self._send_key("keydown", ACTION_KEY_DOWN, key)

    def key_up(self, key: str) -> None:
        """Release a key that is down."""
        number = self._validate_key(key)
        self.is_real_time = True
        if not self.is_over:
            self.events.append(GameEvent(self.frames, "keyup", key))
            self._perform_action(ACTION_KEY_UP, number)

    def tick(self, frames: int = 1) -> None:
        """Advance the clock by a number of frames."""
        if type(frames) is not int or not 0 <= frames <= MAX_FRAMES_PER_CALL:
            raise TetrionError(
                f"The number of frames must be a whole number from 0 to {MAX_FRAMES_PER_CALL:,}; given "
                f"{describe_value(frames)}."
            )
        while frames and not self.is_over:
            frames -= tick_until_lock(self, frames)

    def advance(self, seconds: float) -> None:
        """Advance the clock by a time in seconds; a fraction of a frame is carried over to the next call."""
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < MAX_SECONDS_PER_CALL:
            raise TetrionError(
                f"The number of seconds must be at least 0 and below {MAX_SECONDS_PER_CALL}; given "
                f"{describe_value(seconds)}."
            )
        self._partial_frames += seconds * self.rules.frames_per_second
        frames = int(self._partial_frames)
        self._partial_frames -= frames
        self.tick(frames)

    def _send_key(self, name: str, action: int, key: str) -> bool:
        self._check_not_over()
        number = self._validate_key(key)
        self.is_real_time = True
        self.events.append(GameEvent(self.frames, name, key))
        return bool(self._perform_action(action, number))

    def _validate_key(self, key: str) -> int:
        available = self.rules.keys
        if key not in GAME_KEYS:
            raise UnknownNameError("key", key, available)
        if key not in available:
            raise TetrionError(f"The rules {self.rules} have no key '{key}'. Available: {', '.join(available)}.")
        return GAME_KEYS.index(key)

    def _check_not_over(self) -> None:
        if self.is_over:
            pieces = format_count(self.pieces, "piece")
            raise TetrionError(f"The game is over after {pieces}. Start a new one with Game(rules, seed).")

    def _perform_action(self, action: int, number: int = 0) -> int:
        """Perform an action in the engine and record every piece that locks because of it."""
        self._position = None
        effect = 0
        pieces_before = -1
        while pieces_before != self.pieces:
            pieces_before = self.pieces
            effect += perform_action(
                self._games, self._falling_records, self._settings.rules, EngineAction(action, number)
            )
            if self.pieces != pieces_before:
                self._record_placement(self._get_last_placement())
                self._deal_adversary()
            action = ACTION_SPAWN_OR_LOCK
        return effect

    def _get_last_placement(self) -> Placement:
        return read_last_placement(self._games[0], self.rules)

    def _record_placement(self, placement: Placement) -> None:
        self.placements_made.append(placement)
        if self._on_lock is None:
            self.stack = self.stack.after_placement(placement)
        else:
            locked_piece = self.stack.lock_piece(placement)
            self.stack = locked_piece.stack_after_clear
            self._on_lock(locked_piece)
        self._raise_stack()

    def _raise_stack(self) -> None:
        """Push the stack up by the rows of garbage that have risen since it was last updated."""
        risen = int(self._games["received"][0]) - self._received
        self._received += risen
        if risen:
            rows = Stack.from_board(self.board).rows[:risen]
            self.garbage_rises[self.pieces] = rows
            self.stack = self.stack.with_garbage(rows)

    @property
    def _known_pieces(self) -> str:
        return "".join(PIECES[number] for number in self._games["queue"][0, : self._games["known"][0]].tolist())

    def __repr__(self) -> str:
        counts = describe_counters(self.pieces, self.lines, self.score)
        ending = ", over" if self.is_over else ""
        return make_short_repr("Game", f"{self.rules}, seed {self.seed}: {counts}{ending}")

    def _repr_svg_(self) -> str:
        falling = self.falling_piece
        piece, cells = (falling.piece, falling.cells) if falling else ("", ())
        return draw_svg(self.stack.rows, self.rules.rows, piece, cells)

    def _repr_html_(self) -> str:
        number = f", game {self.number:,}" if self.number else ""
        facts = [*self.position._list_facts(), f"seed {self.seed}{number}", "over" if self.is_over else ""]
        return render_board(self._repr_svg_(), facts)


def copy_game_record(game: Game) -> FullGameRecord:
    """Return a copy of the engine's record of a game."""
    return game._games[0].copy()


@contextmanager
def watch_locks(game: Game, on_lock: Callable[[LockedPiece], None]) -> Iterator[None]:
    """Call a function for each piece that locks in a game while this context lasts, instead of that of an outer one."""
    outer, game._on_lock = game._on_lock, on_lock
    try:
        yield
    finally:
        game._on_lock = outer


def play_compiled(game: Game, settings: EngineSettings, pieces: int) -> int:
    """Let the compiled engine place up to `pieces` pieces of a game and return how many it placed.

    `settings` are those of an agent for the rules of the game. The result equals calling `place` with its choices.
    """
    game._check_not_over()
    game._position = None
    placed = 0
    play = select_fastest_play(settings)
    games = get_bulk_games(game._games, settings)
    frames, status = games["frames"], games["status"]
    while placed < pieces and status.item() != STATUS_OVER:
        frame = frames.item()
        if not play(games, settings, 1):
            break
        placement = game._get_last_placement()
        game.events.append(GameEvent(frame, "place", format_placement(placement)))
        game._record_placement(placement)
        placed += 1
    if placed:
        game._prepare_next_piece()
    return placed


def tick_until_lock(game: Game, frames: int) -> int:
    """Advance the clock of a game by at most `frames` frames, stop when a piece locks; return the frames elapsed."""
    game.is_real_time = game.is_real_time or frames > 0
    return game._perform_action(ACTION_TICK, frames) if frames and not game.is_over else 0


def format_placement(placement: Placement) -> str:
    """Return a placement as the text used in `Game.events`: rotation, column and row, then its spin and hold if any."""
    spin = "" if placement.spin == NO_SPIN_NAME else f" {placement.spin}"
    hold = " hold" if placement.hold else ""
    return intern(f"{placement.rotation} {placement.column} {placement.row}{spin}{hold}")  # long games repeat them
