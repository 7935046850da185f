"""A game that goes on: by placements, or in real time with keys and a clock."""

import copy
from dataclasses import replace
from typing import Any

import numpy as np

from tetrion.board import COLOURS, Board, Placement, picture
from tetrion.engine.motion import KEYS
from tetrion.engine.pieces import PIECE_OF, PIECES, WIDTH
from tetrion.engine.play import OVER, Setting, fastest, new_games, place_piece
from tetrion.engine.randomisers import Randomiser, checked_seed
from tetrion.engine.realtime import FALLING, HOLD, NOTHING, PRESS, RELEASE, SETTLE, TICK, act, prepare_next
from tetrion.engine.rules import Rules
from tetrion.errors import PositionError, TetrionError, UnknownNameError
from tetrion.position import Position, checked_rules, setting_of

MOST_NUMBERS = 10**9  # games of a seed
MOST_FRAMES = 10**9  # at a time
MOST_SECONDS = 1000


class Game:
    """A game by rules and a seed: by placements (`place`), or in real time (`press`, `hold`, `release`, `tick`).

    A frame is the clock's unit; the rules say how many make a second. Every lock is noted in `placements_made`, and
    everything that was done in `events`: the frame, what was done, and with which key or placement.
    """

    def __init__(self, rules: Rules | str = "standard", seed: int = 0, number: int = 0) -> None:
        if type(number) is not int or not 0 <= number <= MOST_NUMBERS:
            raise TetrionError(f"A game's number is a whole number from 0 to {MOST_NUMBERS:,}; given {number!r}.")
        self.rules, self.seed, self.number = checked_rules(rules), checked_seed(seed), number
        self.starts_made_up = False
        self._begin(new_games(1, self.seed, self.number))

    @classmethod
    def from_position(cls, position: Position, seed: int = 0) -> "Game":
        """A game that starts from a position; the pieces after the known ones come from the seed."""
        if not isinstance(position, Position) or position.piece is None:
            raise PositionError("A game needs a current piece. Give the next pieces to Position.of, as next='LJ'.")
        game = cls.__new__(cls)
        game.rules, game.seed, game.number, game.starts_made_up = position.rules, checked_seed(seed), 0, True
        known, games = position.piece + position.next, new_games(1, game.seed)
        for name in ("pieces", "lines", "score", "frames"):
            games[name] = getattr(position, name)
        games["board"], games["known"] = position.board.columns, len(known)
        games["queue"][0, : len(known)] = [PIECES.index(letter) for letter in known]
        games["bag"] = Randomiser(game.rules.randomiser).bag_after(known, games["key"][0])
        game._begin(games)
        return game

    def copy(self) -> "Game":
        """The same game, which goes on apart from this one."""
        other = copy.copy(self)
        other._games, other._falls = self._games.copy(), self._falls.copy()
        other.placements_made, other.events = list(self.placements_made), list(self.events)
        other._colours = [list(row) for row in self._colours]
        return other

    def _begin(self, games: Any) -> None:
        self._games, self._falls, self._setting = games, np.zeros(1, FALLING), setting_of(self.rules)
        self._falls["held"] = NOTHING
        self._time = 0.0  # less than a frame
        self._seen: dict[tuple[int, int, int], tuple[Placement, str]] = {}  # the engine's placements as values
        self.in_real_time = False  # until a key is pressed or time passes
        self.placements_made: list[Placement] = []
        self.events: list[tuple[int, str, str]] = []
        self._colours = Board(tuple(map(int, games["board"][0])), self.rules.rows).grid()[::-1]
        prepare_next(self._games, self._falls, self._setting)

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
    def over(self) -> bool:
        """Whether the game has ended."""
        return bool(self._games["status"][0] == OVER)

    @property
    def piece(self) -> str:
        """The current piece."""
        return self._known[0]

    @property
    def next(self) -> str:
        """The known next pieces."""
        return self._known[1:]

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
    def falling(self) -> Placement | None:
        """Where the piece in play is just now; None while there is none."""
        fall = self._falls[0]
        if not fall["there"]:
            return None
        state, column, row = fall["place"].tolist()
        return Placement(
            self.piece, int(self._turns[PIECES.index(self.piece), state]), column, row, self.rules.rotation
        )

    @property
    def ghost(self) -> Placement | None:
        """Where the piece in play would come to rest if it fell straight down now."""
        if (falling := self.falling) is None:
            return None
        lowest, columns = falling, self.board.columns
        while lowest.row and not any(columns[x] >> (y - 1) & 1 for x, y in lowest.cells):
            lowest = replace(lowest, row=lowest.row - 1)
        return lowest

    @property
    def colours(self) -> list[list[str | None]]:
        """The board's rows from the top, each cell None or its piece's colour."""
        return [list(row) for row in reversed(self._colours)]

    def record(self) -> Any:
        """A copy of what the engine keeps of it."""
        return self._games[0].copy()

    # What can be done.

    def placements(self) -> list[Placement]:
        """Every placement of the current piece, in order; none once the game is over."""
        return [] if self.over else self.position.placements()

    def place(self, placement: Placement) -> int:
        """Let the current piece come to rest there; tells how many lines that clears."""
        self._check_playing()
        own, lines = self.position.checked(placement), self.lines
        self.events.append((self.frames, "place", words_of(own)))
        place_piece(self._games, self._setting, own.orientation, own.column, own.row)
        self._note(own)
        prepare_next(self._games, self._falls, self._setting)
        return self.lines - lines

    def play(self, setting: Setting, pieces: int = 1) -> int:
        """Let an agent place so many pieces, given as `agent.setting(game.rules)`; tells how many it has placed.

        The same as `place` with whatever it chooses, and many times as fast.
        """
        self._check_playing()
        done, play, games = 0, fastest(setting), self._games
        frames, status = games["frames"], games["status"]
        while done < pieces and status[0] != OVER:
            frame = int(frames[0])
            if not play(games, setting, 1):
                break
            own, words = self._last_placement()
            self.events.append((frame, "place", words))
            self._note(own)
            prepare_next(games, self._falls, self._setting)
            done += 1
        return done

    def press(self, key: str) -> bool:
        """Press a key and let it go; tells whether that did anything."""
        return self._press("press", PRESS, key)

    def hold(self, key: str) -> bool:
        """Press a key and keep it down: left, right and down repeat as the rules say."""
        return self._press("hold", HOLD, key)

    def release(self, key: str) -> None:
        """Let go of a key that is held."""
        number, self.in_real_time = self._checked_key(key), True
        if not self.over:
            self.events.append((self.frames, "release", key))
            self._do(RELEASE, number)

    def tick(self, frames: int = 1) -> None:
        """Let frames pass."""
        if type(frames) is not int or not 0 <= frames <= MOST_FRAMES:
            raise TetrionError(f"Frames that pass are a whole number from 0 to {MOST_FRAMES:,}; given {frames!r}.")
        while frames and not self.over:
            frames -= self.tick_until_lock(frames)

    def tick_until_lock(self, frames: int) -> int:
        """Let frames pass, but no more than until a piece locks; tells how many have passed."""
        self.in_real_time = self.in_real_time or frames > 0
        return self._do(TICK, frames) if frames and not self.over else 0

    def advance(self, seconds: float) -> None:
        """Let so much time pass; what is less than a frame is kept for the next time."""
        if isinstance(seconds, bool) or not isinstance(seconds, int | float) or not 0 <= seconds < MOST_SECONDS:
            raise TetrionError(f"Seconds that pass are a number from 0 to {MOST_SECONDS}; given {seconds!r}.")
        self._time += seconds * self.rules.frames
        frames = int(self._time)
        self._time -= frames
        self.tick(frames)

    def _press(self, name: str, action: int, key: str) -> bool:
        self._check_playing()
        number, self.in_real_time = self._checked_key(key), True
        self.events.append((self.frames, name, key))
        return bool(self._do(action, number))

    def _checked_key(self, key: str) -> int:
        there = self.rules.keys.split("+")
        if key not in KEYS:
            raise UnknownNameError("key", key, there)
        if key not in there:
            raise TetrionError(f"{self.rules} has no key '{key}'; there are {', '.join(there)}.")
        return KEYS.index(key)

    def _check_playing(self) -> None:
        if self.over:
            raise TetrionError(f"The game is over after {self.pieces} pieces. Start another one: Game(rules, seed).")

    def _do(self, action: int, number: int = 0) -> int:
        """Let the engine do something, note the pieces that lock, and go on until nothing more happens at once."""
        done, before = 0, -1
        while before != self.pieces:
            before = self.pieces
            done += act(self._games, self._falls, self._setting, action, number)
            if self.pieces != before:
                self._note(self._last_placement()[0])
            action = SETTLE
        return done

    def _last_placement(self) -> tuple[Placement, str]:
        """The last placement as a value and as a text, each made once: a fast agent repeats them by thousands."""
        place = tuple(self._games["placement"][0].tolist())
        if place not in self._seen:
            orientation, column, row = place
            piece = int(PIECE_OF[orientation])
            turn = self._setting.rules["turned"][0, piece].tolist().index(orientation)
            placement = Placement(PIECES[piece], turn, column, row, self.rules.rotation)
            self._seen[place] = placement, words_of(placement)
        return self._seen[place]

    def _note(self, placement: Placement) -> None:
        self.placements_made.append(placement)
        colours, colour = self._colours, COLOURS[placement.piece]
        for column, row in placement.cells:
            colours[row][column] = colour
        for row in sorted({row for _, row in placement.cells}, reverse=True):
            if None not in colours[row]:
                del colours[row]
                colours.append([None] * WIDTH)

    @property
    def _known(self) -> str:
        return "".join(PIECES[number] for number in self._games["queue"][0, : self._games["known"][0]].tolist())

    @property
    def _turns(self) -> Any:
        return self._setting.rules["turn"][0]

    def __repr__(self) -> str:
        told = f"{self.pieces} pieces, {self.lines} lines, {self.score} points{', over' if self.over else ''}"
        return f"<Game {self.rules}, seed {self.seed}: {told}>"

    def _repr_svg_(self) -> str:
        falling = self.falling
        cells = [(cell, COLOURS[falling.piece]) for cell in falling.cells] if falling else []
        return picture(self.colours, cells)


def words_of(placement: Placement) -> str:
    """A placement as events have it."""
    return f"{placement.rotation} {placement.column} {placement.row}"
