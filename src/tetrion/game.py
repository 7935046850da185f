"""A game that goes on: by placements, or in real time with keys and a clock."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from tetrion.board import PIECE_COLOURS, Board, Placement, draw_svg
from tetrion.engine.batch_play import STATUS_OVER, EngineSettings, make_games, place_piece, select_fastest_play
from tetrion.engine.piece_motion import GAME_KEYS
from tetrion.engine.pieces import BOARD_WIDTH, PIECE_OF_ORIENTATION, PIECES
from tetrion.engine.randomisers import Randomiser, validate_seed
from tetrion.engine.realtime import (
    ACTION_KEY_DOWN,
    ACTION_KEY_UP,
    ACTION_PRESS,
    ACTION_SPAWN_OR_LOCK,
    ACTION_TICK,
    FALLING_DTYPE,
    NO_KEY,
    perform_action,
    prepare_next_piece,
)
from tetrion.engine.rules import Rules
from tetrion.errors import PositionError, TetrionError, UnknownNameError
from tetrion.position import Position, get_engine_settings, parse_rules

MAX_GAME_NUMBER = 10**9  # games of a seed
MAX_FRAMES_PER_CALL = 10**9  # at a time
MAX_SECONDS_PER_CALL = 1000


class Game:
    """A game by rules and a seed: by placements (`place`), or in real time (`press`, `hold`, `release`, `tick`).

    A frame is the clock's unit; the rules say how many make a second. Every lock is noted in `placements_made`, and
    everything that was done in `events`: the frame, what was done, and with which key or placement.
    """

    def __init__(self, rules: Rules | str = "standard", seed: int = 0, number: int = 0) -> None:
        if type(number) is not int or not 0 <= number <= MAX_GAME_NUMBER:
            raise TetrionError(f"A game's number is a whole number from 0 to {MAX_GAME_NUMBER:,}; given {number!r}.")
        self.rules = parse_rules(rules)
        self.seed = validate_seed(seed)
        self.number = number
        self.starts_from_position = False
        self._start(make_games(1, self.seed, self.number))

    @classmethod
    def from_position(cls, position: Position, seed: int = 0) -> "Game":
        """A game that starts from a position; the pieces after the known ones come from the seed."""
        if not isinstance(position, Position) or position.piece is None:
            raise PositionError("A game needs a current piece. Give the next pieces to Position.of, as next='LJ'.")
        game = cls.__new__(cls)
        game.rules = position.rules
        game.seed = validate_seed(seed)
        game.number = 0
        game.starts_from_position = True
        known, games = position.piece + position.next, make_games(1, game.seed)
        for name in ("pieces", "lines", "score", "frames"):
            games[name] = getattr(position, name)
        games["board"], games["known"] = position.board.columns, len(known)
        games["queue"][0, : len(known)] = [PIECES.index(letter) for letter in known]
        games["bag"] = Randomiser(game.rules.randomiser).compute_bag_after(known, games["key"][0])
        game._start(games)
        return game

    def copy(self) -> "Game":
        """The same game, which goes on apart from this one."""
        other = copy.copy(self)
        other._games, other._falling_records = self._games.copy(), self._falling_records.copy()
        other.placements_made, other.events = list(self.placements_made), list(self.events)
        other._colours = [list(row) for row in self._colours]
        return other

    def _start(self, games: Any) -> None:
        self._games = games
        self._falling_records = np.zeros(1, FALLING_DTYPE)
        self._settings = get_engine_settings(self.rules)
        self._falling_records["pressed_keys"] = NO_KEY
        self._partial_frames = 0.0  # less than a frame
        self._placement_cache: dict[
            tuple[int, int, int], tuple[Placement, str]
        ] = {}  # the engine's placements as values
        self.is_real_time = False  # until a key is pressed or time passes
        self.placements_made: list[Placement] = []
        self.events: list[tuple[int, str, str]] = []
        self._colours = Board(tuple(map(int, games["board"][0])), self.rules.rows).to_colour_grid()[::-1]
        prepare_next_piece(self._games, self._falling_records, self._settings)

    # What is known of it.

    @property
    def board(self) -> Board:
        """The board, without the piece that is in play."""
        return Board(tuple(map(int, self._games["board"][0])), self.rules.rows)

    @property
    def position(self) -> Position:
        """All that a player may see now."""
        return Position(self.board, self.piece, self.next, self.rules, self.pieces, self.lines, self.score, self.frames)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._games["status"][0] == STATUS_OVER)

    @property
    def piece(self) -> str:
        """The current piece."""
        return self._known_pieces[0]

    @property
    def next(self) -> str:
        """The known next pieces."""
        return self._known_pieces[1:]

    @property
    def pieces(self) -> int:
        """How many pieces have been placed."""
        return int(self._games["pieces"][0])

    @property
    def lines(self) -> int:
        """How many lines have been cleared."""
        return int(self._games["lines"][0])

    @property
    def score(self) -> int:
        """The points so far."""
        return int(self._games["score"][0])

    @property
    def frames(self) -> int:
        """How many frames the game has lasted."""
        return int(self._games["frames"][0])

    @property
    def level(self) -> int:
        """The level."""
        return self.position.level

    @property
    def falling_piece(self) -> Placement | None:
        """Where the piece in play is just now; None while there is none."""
        fall = self._falling_records[0]
        if not fall["is_active"]:
            return None
        state, column, row = fall["piece_state"].tolist()
        return Placement(
            self.piece, int(self._rotations_by_state[PIECES.index(self.piece), state]), column, row, self.rules.rotation
        )

    @property
    def ghost(self) -> Placement | None:
        """Where the piece in play would come to rest if it fell straight down now."""
        if (falling := self.falling_piece) is None:
            return None
        lowest, columns = falling, self.board.columns
        while lowest.row and not any(columns[x] >> (y - 1) & 1 for x, y in lowest.cells):
            lowest = replace(lowest, row=lowest.row - 1)
        return lowest

    @property
    def colours(self) -> list[list[str | None]]:
        """The board's rows from the top, each cell None or its piece's colour."""
        return [list(row) for row in reversed(self._colours)]

    def copy_record(self) -> Any:
        """A copy of what the engine keeps of it."""
        return self._games[0].copy()

    # What can be done.

    def placements(self) -> list[Placement]:
        """Every placement of the current piece, in order; none once the game is over."""
        return [] if self.is_over else self.position.placements()

    def place(self, placement: Placement) -> int:
        """Let the current piece come to rest there; tells how many lines that clears."""
        self._check_not_over()
        own, lines = self.position.validate_placement(placement), self.lines
        self.events.append((self.frames, "place", format_placement(own)))
        place_piece(self._games, self._settings, own.orientation, own.column, own.row)
        self._record_placement(own)
        prepare_next_piece(self._games, self._falling_records, self._settings)
        return self.lines - lines

    def play(self, settings: EngineSettings, pieces: int = 1) -> int:
        """Let an agent place so many pieces, given as `agent.setting(game.rules)`; tells how many it has placed.

        The same as `place` with whatever it chooses, and many times as fast.
        """
        self._check_not_over()
        done = 0
        play = select_fastest_play(settings)
        games = self._games
        frames, status = games["frames"], games["status"]
        while done < pieces and status[0] != STATUS_OVER:
            frame = int(frames[0])
            if not play(games, settings, 1):
                break
            own, words = self._last_placement()
            self.events.append((frame, "place", words))
            self._record_placement(own)
            prepare_next_piece(games, self._falling_records, self._settings)
            done += 1
        return done

    def press(self, key: str) -> bool:
        """Press a key and let it go; tells whether that did anything."""
        return self._send_key("press", ACTION_PRESS, key)

    def key_down(self, key: str) -> bool:
        """Press a key and keep it down: left, right and down repeat as the rules say."""
        return self._send_key("keydown", ACTION_KEY_DOWN, key)

    def key_up(self, key: str) -> None:
        """Let go of a key that is held."""
        number, self.is_real_time = self._validate_key(key), True
        if not self.is_over:
            self.events.append((self.frames, "keyup", key))
            self._perform_action(ACTION_KEY_UP, number)

    def tick(self, frames: int = 1) -> None:
        """Let frames pass."""
        if type(frames) is not int or not 0 <= frames <= MAX_FRAMES_PER_CALL:
            raise TetrionError(
                f"Frames that pass are a whole number from 0 to {MAX_FRAMES_PER_CALL:,}; given {frames!r}."
            )
        while frames and not self.is_over:
            frames -= self.tick_until_lock(frames)

    def tick_until_lock(self, frames: int) -> int:
        """Let frames pass, but no more than until a piece locks; tells how many have passed."""
        self.is_real_time = self.is_real_time or frames > 0
        return self._perform_action(ACTION_TICK, frames) if frames and not self.is_over else 0

    def advance(self, seconds: float) -> None:
        """Let so much time pass; what is less than a frame is kept for the next time."""
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < MAX_SECONDS_PER_CALL:
            raise TetrionError(f"Seconds that pass are a number from 0 to {MAX_SECONDS_PER_CALL}; given {seconds!r}.")
        self._partial_frames += seconds * self.rules.frames_per_second
        frames = int(self._partial_frames)
        self._partial_frames -= frames
        self.tick(frames)

    def _send_key(self, name: str, action: int, key: str) -> bool:
        self._check_not_over()
        number, self.is_real_time = self._validate_key(key), True
        self.events.append((self.frames, name, key))
        return bool(self._perform_action(action, number))

    def _validate_key(self, key: str) -> int:
        there = self.rules.keys.split("+")
        if key not in GAME_KEYS:
            raise UnknownNameError("key", key, there)
        if key not in there:
            raise TetrionError(f"{self.rules} has no key '{key}'; there are {', '.join(there)}.")
        return GAME_KEYS.index(key)

    def _check_not_over(self) -> None:
        if self.is_over:
            raise TetrionError(f"The game is over after {self.pieces} pieces. Start another one: Game(rules, seed).")

    def _perform_action(self, action: int, number: int = 0) -> int:
        """Let the engine do something, note the pieces that lock, and go on until nothing more happens at once."""
        done, before = 0, -1
        while before != self.pieces:
            before = self.pieces
            done += perform_action(self._games, self._falling_records, self._settings, action, number)
            if self.pieces != before:
                self._record_placement(self._last_placement()[0])
            action = ACTION_SPAWN_OR_LOCK
        return done

    def _last_placement(self) -> tuple[Placement, str]:
        """The last placement as a value and as a text, each made once: a fast agent repeats them by thousands."""
        place = tuple(self._games["placement"][0].tolist())
        if place not in self._placement_cache:
            orientation, column, row = place
            piece = int(PIECE_OF_ORIENTATION[orientation])
            turn = self._settings.rules["orientations"][0, piece].tolist().index(orientation)
            placement = Placement(PIECES[piece], turn, column, row, self.rules.rotation)
            self._placement_cache[place] = placement, format_placement(placement)
        return self._placement_cache[place]

    def _record_placement(self, placement: Placement) -> None:
        self.placements_made.append(placement)
        colours, colour = self._colours, PIECE_COLOURS[placement.piece]
        for column, row in placement.cells:
            colours[row][column] = colour
        for row in sorted({row for _, row in placement.cells}, reverse=True):
            if None not in colours[row]:
                del colours[row]
                colours.append([None] * BOARD_WIDTH)

    @property
    def _known_pieces(self) -> str:
        return "".join(PIECES[number] for number in self._games["queue"][0, : self._games["known"][0]].tolist())

    @property
    def _rotations_by_state(self) -> Any:
        return self._settings.rules["rotation_of_state"][0]

    def __repr__(self) -> str:
        told = f"{self.pieces} pieces, {self.lines} lines, {self.score} points{', over' if self.is_over else ''}"
        return f"<Game {self.rules}, seed {self.seed}: {told}>"

    def _repr_svg_(self) -> str:
        falling = self.falling_piece
        cells = [(cell, PIECE_COLOURS[falling.piece]) for cell in falling.cells] if falling else []
        return draw_svg(self.colours, cells)


def format_placement(placement: Placement) -> str:
    """A placement as events have it."""
    return f"{placement.rotation} {placement.column} {placement.row}"
