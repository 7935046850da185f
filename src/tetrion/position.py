"""A position: all that a player may see, what can be done in it, and what that leads to."""

from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import Any

import numpy as np

from tetrion.board import Board, Placement, draw_svg
from tetrion.engine.batch_play import GAME_DTYPE, MAX_KNOWN_PIECES, EngineSettings, GameRecords, place_piece
from tetrion.engine.key_paths import MAX_PATH_KEYS, NO_PATH, find_keys
from tetrion.engine.piece_motion import GAME_KEYS, MOVEMENT_ROWS, can_spawn
from tetrion.engine.pieces import BOARD_WIDTH, PIECES
from tetrion.engine.placement_choice import list_placements
from tetrion.engine.rotation_systems import MAX_ROTATION_STATES
from tetrion.engine.rules import Rules
from tetrion.engine.scoring import compute_frames_per_row, compute_level
from tetrion.errors import PlacementError, PositionError, UnknownNameError

MAX_PLACEMENTS = MAX_ROTATION_STATES * BOARD_WIDTH * MOVEMENT_ROWS
MAX_COUNTER = 10**15  # lines or frames of a made-up position


@cache
def get_engine_settings(rules: Rules) -> EngineSettings:
    """Rules as the engine takes them."""
    return EngineSettings.from_agents([], rules)


def parse_rules(rules: Rules | str) -> Rules:
    """Rules, or those that a text names."""
    return rules if isinstance(rules, Rules) else Rules.parse(rules)


def uses_levels(rules: Rules) -> bool:
    """Whether the level changes anything under these rules."""
    return rules.level_system != "fixed" or rules.scoring == "nes" or rules.gravity in ("nes", "tetrais")


@dataclass(frozen=True)
class Position:
    """All that a player may see: the board, the current piece (None if it is not known), the known next ones, counters.

    `Position.of` makes one up and checks it.
    """

    board: Board
    piece: str | None
    next: str
    rules: Rules
    pieces: int = 0
    lines: int = 0
    score: int = 0
    frames: int = 0

    @classmethod
    def from_board(
        cls,
        board: Board,
        piece: str,
        next: str = "",  # noqa: A002 -- named as the field
        rules: Rules | str = "standard",
        *,
        lines: int = 0,
        frames: int = 0,
    ) -> "Position":
        """A position that is made up; a board lower than the rules' gets empty rows on top."""
        rules = parse_rules(rules)
        if not isinstance(board, Board):
            raise PositionError(f"A position has a Board, as from Board.from_text; given {board!r}.")
        if board.rows > rules.rows:
            raise PositionError(f"A board of {rules} has {rules.rows} rows; this one has {board.rows}.")
        if board.full_rows:
            raise PositionError(f"Row {board.full_rows[0]} is full: it would have been cleared. Leave a gap in it.")
        if not isinstance(next, str):
            raise PositionError(f"The next pieces are a text, as in next='LJ'; given {next!r}.")
        for letter in (piece, *next):
            if letter not in list(PIECES):
                raise UnknownNameError("piece", letter, PIECES)
        if len(next) >= MAX_KNOWN_PIECES:
            raise PositionError(f"At most {MAX_KNOWN_PIECES - 1} next pieces can be known; given {next}.")
        for name, number in (("lines", lines), ("frames", frames)):
            if type(number) is not int or not 0 <= number <= MAX_COUNTER:
                raise PositionError(f"{name} is a whole number from 0 to {MAX_COUNTER:,}; given {number!r}.")
        return cls(Board(board.columns, rules.rows), piece, next, rules, lines=lines, frames=frames)

    @property
    def level(self) -> int:
        """The level that the lines have led to."""
        return int(compute_level(self._rules_record, self.lines))

    @property
    def frames_per_row(self) -> int:
        """How many frames the piece takes for a row; 0 if nothing falls by itself."""
        return int(compute_frames_per_row(self._rules_record, self.level, self.frames))

    def placements(self) -> list[Placement]:
        """Every placement of the current piece, in order: rotation, column from the left, row from the top."""
        return list(self._legal_placements)

    def after(self, placement: Placement) -> "Position":
        """The position that a placement leads to; its piece is the first of the known next ones."""
        games, own = self.to_game_records(), self.validate_placement(placement)
        place_piece(games, get_engine_settings(self.rules), own.orientation, own.column, own.row)
        return replace(
            self,
            board=Board(tuple(map(int, games["board"][0])), self.board.rows),
            piece=self.next[:1] or None,
            next=self.next[1:],
            pieces=int(games["pieces"][0]),
            lines=int(games["lines"][0]),
            score=int(games["score"][0]),
            frames=int(games["frames"][0]),
        )

    def to_game_records(self) -> GameRecords:
        """A game of the engine's that stands here."""
        games, known = np.zeros(1, GAME_DTYPE), (self.piece or "") + self.next
        games["board"], games["pieces"], games["lines"] = self.board.columns, self.pieces, self.lines
        games["score"], games["frames"], games["known"] = self.score, self.frames, len(known)
        games["queue"][0, : len(known)] = [PIECES.index(letter) for letter in known]
        return games

    def make_placement(self, rotation: int, column: int, row: int) -> Placement:
        """A placement of the current piece, whether it is possible or not."""
        return Placement(self._known_piece, rotation, column, row, self.rules.rotation)

    def make_placement_from_orientation(self, orientation: int, column: int, row: int) -> Placement:
        """The same, of one of the engine's orientations."""
        turned = self._rules_record["orientations"][PIECES.index(self._known_piece)].tolist()
        return self.make_placement(turned.index(orientation), column, row)

    @property
    def can_spawn(self) -> bool:
        """Whether the current piece can enter, where the rules end the game if it cannot."""
        board, piece = np.array(self.board.columns, np.int32), PIECES.index(self._known_piece)
        return self.rules.game_over != "entry" or bool(can_spawn(board, self._rules_record, piece))

    def find_keys(self, placement: Placement) -> tuple[str, ...]:
        """The keys that bring the piece there with the fewest presses; of equals the first in the order of `KEYS`.

        Steps down are among them, by whatever they are made: the key, or gravity.
        """
        return tuple(key for _, key in self._find_key_path(placement, 0))

    def find_timed_keys(self, placement: Placement) -> tuple[tuple[int, str], ...]:
        """The same under `timed` movement: each key with its frame, counted from when the piece enters."""
        if self.rules.movement != "timed":
            raise PositionError(
                f"Keys have times under movement=timed; these rules have movement={self.rules.movement}."
            )
        if not self.frames_per_row:
            raise PositionError("Keys have times where pieces fall; with gravity=0 ask for keys().")
        return self._find_key_path(placement, self.frames_per_row)

    def validate_placement(self, placement: Placement) -> Placement:
        """The one of these placements that equals the given one, or the error that says that none does."""
        if not isinstance(placement, Placement):
            raise PlacementError(f"A placement is one of position.placements(); given {placement!r}.")
        if placement.piece != self.piece:
            raise PlacementError(f"The current piece is {self.piece}; given {placement}.")
        if placement not in self._legal_placements:
            many = f"position.placements() lists all {len(self._legal_placements)} places."
            raise PlacementError(f"{placement} is no place where the piece can come to rest. {many}")
        return self._legal_placements[placement]

    def _repr_svg_(self) -> str:
        return draw_svg(self.board.to_colour_grid())

    @property
    def _known_piece(self) -> str:
        if self.piece is None:
            raise PositionError("The current piece is not known. Give the next pieces to Position.of, as next='LJ'.")
        return self.piece

    @property
    def _rules_record(self) -> Any:
        return get_engine_settings(self.rules).rules.view(np.recarray)[0]

    @cached_property
    def _legal_placements(self) -> dict[Placement, Placement]:
        places, board = np.zeros((MAX_PLACEMENTS, 3), np.int32), np.array(self.board.columns, np.int32)
        piece = PIECES.index(self._known_piece)
        count = list_placements(board, get_engine_settings(self.rules).rules, piece, self.frames_per_row, places)
        found = [self.make_placement(turn, column, row) for turn, column, row in places[:count].tolist()]
        return {placement: placement for placement in found}

    def _find_key_path(self, placement: Placement, interval: int) -> tuple[tuple[int, str], ...]:
        own = self.validate_placement(placement)
        keys, frames = np.zeros(MAX_PATH_KEYS, np.int64), np.zeros(MAX_PATH_KEYS, np.int64)
        board, rules = np.array(self.board.columns, np.int32), get_engine_settings(self.rules).rules
        piece = PIECES.index(own.piece)
        count = find_keys(board, rules, piece, interval, own.rotation, own.column, own.row, keys, frames)
        if count == NO_PATH:
            raise PlacementError(f"No keys bring the piece from where it enters to {placement}.")
        return tuple(
            (frame, GAME_KEYS[key]) for frame, key in zip(frames[:count].tolist(), keys[:count].tolist(), strict=True)
        )
