"""The modern game, played by placements: hold, spins, combos, back-to-backs, attack and garbage."""

from collections import Counter
from typing import NamedTuple

from tests.reference.attack import Clear, compute_attack, compute_guideline_points, is_back_to_back, is_difficult
from tests.reference.board import empty_board, fill_cells, full_rows, remove_full_rows
from tests.reference.full_game import Deal, ends_game
from tests.reference.garbage import GarbageQueue, push_up
from tests.reference.modern_movement import ModernMotion, SpinPlacement
from tests.reference.modern_rules import ModernRules
from tests.reference.movement import get_rotated_cells
from tests.reference.pieces import Cell
from tests.reference.randomisers import Dealer


class ModernPlacement(NamedTuple):
    """A placement of the current piece, or with hold of the piece for which it is exchanged."""

    with_hold: bool
    placement: SpinPlacement


class ModernGame:
    """A modern game. `deal` returns the next piece; `key` is the random key of the game, for garbage."""

    def __init__(self, rules: ModernRules, deal: Deal, key: int) -> None:
        self.rules = rules
        self.deal = deal
        self.garbage = GarbageQueue(rules, key)
        self.board = empty_board(rules.rows)
        self.is_garbage = [False] * rules.rows  # of each row of the board
        self.frames = 0
        self.known_pieces = ""  # the current piece, then the preview
        self.hold = ""  # the piece in the hold box; empty: none
        self.is_over = False
        self.pieces = 0
        self.lines = 0
        self.score = 0
        self.combo = 0  # consecutive placements with a clear
        self.back_to_back = 0  # consecutive difficult clears
        # Statistics.
        self.clears: Counter[tuple[str, int]] = Counter()  # by spin and rows, except placements with neither
        self.back_to_backs = 0
        self.longest_combo = 0
        self.perfect_clears = 0
        self.attack = 0
        self.sent = 0
        while len(self.known_pieces) < 1 + rules.preview:
            self.deal_piece()
        self.start_piece()

    @classmethod
    def from_seed(cls, rules: ModernRules, seed: int, number: int) -> "ModernGame":
        dealer = Dealer(rules.randomiser, seed, number)
        return cls(rules, dealer.deal, dealer.key)

    @property
    def piece(self) -> str:
        return self.known_pieces[0]

    @property
    def next(self) -> str:
        return self.known_pieces[1:]

    @property
    def piece_from_hold(self) -> str:
        """The piece that is placed with hold: the one in the box, else the next one; empty if there is none."""
        return (self.hold or self.next[:1]) if self.rules.hold else ""

    @property
    def level(self) -> int:
        return self.rules.compute_level(self.lines)

    @property
    def received(self) -> int:
        """The number of rows of garbage that have risen."""
        return self.garbage.risen

    def deal_piece(self) -> None:
        self.known_pieces += self.deal(self.board)

    def start_piece(self) -> None:
        """List the placements of the current piece, and end the game if it is blocked or has none."""
        self.placements = self.list_placements(self.piece, with_hold=False)
        if self.piece_from_hold:
            self.placements += self.list_placements(self.piece_from_hold, with_hold=True)
        if not self.placements or not self.is_in_play(self.piece):
            self.end()

    def is_in_play(self, piece: str) -> bool:
        """Return whether the current piece comes into play, so that it can be placed or exchanged.

        A straight drop needs no spawn position unless `game_over` does; all other placements begin there.
        """
        if self.rules.movement == "drop":
            return self.is_allowed_to_spawn(piece)
        return ModernMotion(self.board, piece, self.rules).can_spawn

    def is_allowed_to_spawn(self, piece: str) -> bool:
        """Return whether a piece fits at its spawn position, where `game_over` requires that."""
        if self.rules.game_over not in ("entry", "lock-out"):
            return True
        return ModernMotion(self.board, piece, self.rules).can_spawn

    def list_placements(self, piece: str, with_hold: bool) -> list[ModernPlacement]:
        if not self.is_allowed_to_spawn(piece):
            return []
        found = ModernMotion(self.board, piece, self.rules).find_placements()
        return [ModernPlacement(with_hold, placement) for placement in found]

    def place(self, placement: ModernPlacement) -> None:
        """Place the current piece or, with hold, the piece for which it is exchanged."""
        assert placement in self.placements
        if placement.with_hold:
            self.exchange()
        self.lock(placement.placement)
        if not self.is_over:
            self.advance_clock(self.rules.placement_frames)
        self.known_pieces = self.next
        self.deal_piece()
        if not self.is_over:
            self.start_piece()

    def exchange(self) -> None:
        """Put the current piece into the hold box and take out the piece there, or the next one if it is empty."""
        taken, self.hold = self.hold, self.piece
        self.known_pieces = taken + self.next
        if not taken:
            self.deal_piece()

    def lock(self, placement: SpinPlacement) -> None:
        """Lock the current piece: remove full rows, count the attack, cancel garbage and let garbage rise."""
        cells = get_rotated_cells(self.rules.rotation, self.piece, placement.position)
        with_piece = fill_cells(self.board, cells)
        self.board = remove_full_rows(with_piece)
        time_before = self.garbage_time
        self.pieces += 1
        rows = len(full_rows(with_piece))
        is_perfect = rows > 0 and not any(any(row) for row in self.board)
        clear = Clear(placement.spin, rows, self.combo, self.back_to_back, is_perfect)
        self.count_clear(clear)
        attack = compute_attack(self.rules.attack, clear, self.rules.compute_multiplier(self.frames))
        attack += self.remove_garbage(clear, full_rows(with_piece))
        self.attack += attack
        is_doubled = self.pieces <= self.rules.opener_pieces and self.garbage.rows >= self.sent
        self.sent += self.garbage.cancel(attack, attack if is_doubled else 0)
        self.finish_lock(cells, rows, time_before)

    def remove_garbage(self, clear: Clear, cleared: list[int]) -> int:
        """Forget the rows that were cleared; return the attack that they add if some of them were garbage."""
        has_garbage = any(self.is_garbage[row] for row in cleared)
        left = [kind for row, kind in enumerate(self.is_garbage) if row not in cleared]
        self.is_garbage = left + [False] * len(cleared)
        return self.rules.garbage_clear_bonus if has_garbage and (clear.rows == 4 or clear.spin != "none") else 0

    @property
    def garbage_time(self) -> int:
        """The time in the unit in which garbage travels."""
        return self.frames if self.rules.garbage_delay_unit == "frames" else self.pieces

    def advance_clock(self, frames: int) -> None:
        """Advance the clock, and queue the batches of a solo source that counts frames."""
        for _ in range(frames):
            self.frames += 1
            if self.rules.garbage_interval_unit == "frames":
                self.add_solo_batch(self.frames)

    def add_solo_batch(self, time: int) -> None:
        """Queue a batch of the solo source if the time is a multiple of its interval."""
        if self.rules.garbage_rows and time % self.rules.garbage_interval == 0:
            self.garbage.add_batch(self.rules.garbage_rows, self.garbage_time + self.rules.garbage_delay)

    def count_clear(self, clear: Clear) -> None:
        """Count a clear for the score, the statistics, the combo and the chain of back-to-backs."""
        level_before = self.level
        self.lines += clear.rows
        if self.rules.scoring == "guideline":
            self.score += compute_guideline_points(self.rules.attack, clear, level_before)
        else:
            self.score += self.rules.compute_points(clear.rows, self.level)
        if clear.rows or clear.spin != "none":
            self.clears[clear.spin, clear.rows] += 1
        if not clear.rows:
            self.combo = 0
            return
        self.longest_combo = max(self.longest_combo, clear.combo)
        self.combo += 1
        self.back_to_backs += is_back_to_back(self.rules.attack, clear)
        self.back_to_back = self.back_to_back + 1 if is_difficult(self.rules.attack, clear) else 0
        self.perfect_clears += clear.is_perfect

    def finish_lock(self, cells: list[Cell], rows: int, time_before: int) -> None:
        """End the game if the lock ends it; else let garbage rise, and queue the batch of the solo source.

        `time_before` is the time of garbage before the lock: a batch waits for the pieces that lock after its arrival,
        without the one with which it rises.
        """
        if ends_game(self.rules, cells, self.board):
            self.end()
        if not self.is_over and (not rows or self.rules.garbage_blocking == "none"):
            self.raise_garbage(time_before)
        if not self.is_over and self.rules.garbage_interval_unit == "pieces":
            self.add_solo_batch(self.pieces)

    def raise_garbage(self, time: int) -> None:
        """Let the due rows rise one by one; the first that would push a cell out of the board ends the game."""
        for batch in self.garbage.list_due_rows(time):
            if any(self.board[-1]):
                self.end()
                return
            self.board = push_up(self.board, self.garbage.take_row(batch))
            self.is_garbage = [True, *self.is_garbage[:-1]]

    def end(self) -> None:
        self.is_over = True
        self.placements = []
