"""What displays show of a game next to its board: the pieces, the action text, figures, and why it is over.

Nothing is drawn here, so that the text view and the pages use it, too.
"""

from functools import cache
from typing import NamedTuple

from tetrion.board import NO_SPIN_NAME, Placement
from tetrion.engine.pieces import PIECE_DRAWINGS
from tetrion.engine.records import MINI_SPIN, NO_SPIN
from tetrion.engine.rotation_systems import ROTATION_SYSTEMS
from tetrion.engine.rules import Rules
from tetrion.game import Game, copy_game_record
from tetrion.position import Position
from tetrion.stack import EMPTY_ROW, LockedPiece

CLEAR_NAMES = ("Single", "Double", "Triple", "Tetris")
_SHOWN_SECONDS = 2.0
_FADE_SECONDS = 0.6  # at the end of this time
_FADE_STEPS = 10  # different strengths, each of which is rendered once
BLOCK_OUT = "Block out: no room to spawn."
LOCK_OUT = "Lock out: locked above the board."
TOP_OUT = "Top out: pushed out by garbage."


def has_attack_layout(rules: Rules) -> bool:
    """Return whether displays show the hold box, the queue in a column, the action text, and attack, spins and combos.

    Other games are shown with their clears by size, the points per line, and the numbers of pieces.
    """
    return rules.is_modern


class VisiblePieces(NamedTuple):
    """The held piece (empty text: none), whether it can be taken now, and the next pieces.

    `has_hold` says whether the rules have hold.
    """

    has_hold: bool = False
    hold: str = ""
    can_hold: bool = False
    next: str = ""

    @classmethod
    def from_position(cls, position: Position, active: Placement | None = None) -> "VisiblePieces":
        """Return the pieces of a position.

        `active` is the piece that is drawn. If it comes from hold, or differs from that of the position, hold was used.
        """
        next_pieces = position.next[: position.rules.preview]
        if active is None or (active.piece == position.piece and not active.hold):
            return cls(bool(position.rules.hold), position.hold, position.can_hold, next_pieces)
        return cls(True, position.piece or "", False, next_pieces if position.hold else next_pieces[1:])


NO_VISIBLE_PIECES = VisiblePieces()


def describe_action(lock: LockedPiece, position: Position) -> tuple[str, ...]:
    """Return the lines of the action text of a locked piece; `position` is the one after it.

    The first line names the spin or the tetris, if there is one. Other single clears are not named.
    """
    if not has_attack_layout(position.rules):
        return ()
    names = [name_clear(lock)]
    if lock.lines:
        names += [
            "Back-to-back" if position.back_to_back > 1 else "",
            f"{position.combo - 1} combo" if position.combo > 1 else "",
            "Perfect clear" if set(lock.stack_after_clear.rows) <= {EMPTY_ROW} else "",
        ]
    return tuple(name for name in names if name)


def name_clear(lock: LockedPiece) -> str:
    """Return the name of a spin, with the lines that it clears, or of a tetris; empty for anything else."""
    clear = CLEAR_NAMES[lock.lines - 1] if lock.lines else ""
    placement = lock.placement
    if placement.spin == NO_SPIN_NAME:
        return clear if lock.lines == len(CLEAR_NAMES) else ""
    spin = f"{placement.piece}-spin"
    return " ".join([f"Mini {spin}" if placement.spin == "mini" else spin, *([clear.lower()] if clear else [])])


class ActionText:
    """The action text of a game, which stays for a moment and fades unless another one replaces it."""

    def __init__(self) -> None:
        self.lines: tuple[str, ...] = ()
        self._age = 0.0

    def add_lock(self, lock: LockedPiece, position: Position) -> None:
        """Report a piece that has locked, and the position after it."""
        if lines := describe_action(lock, position):
            self.show(lines)

    def show(self, lines: tuple[str, ...]) -> None:
        """Show a text from now on."""
        self.lines = lines
        self._age = 0.0

    def update(self, seconds: float) -> None:
        """Advance by `seconds`."""
        self._age += seconds
        if self._age >= _SHOWN_SECONDS:
            self.lines = ()

    def get_strength(self, has_animation: bool) -> float:
        """Return how strong the text is drawn, from 0 to 1; without animation it does not fade."""
        remaining = (_SHOWN_SECONDS - self._age) / _FADE_SECONDS
        return max(0.0, min(1.0, round(_FADE_STEPS * remaining) / _FADE_STEPS)) if has_animation else 1.0


def list_attack_figures(game: Game) -> list[tuple[str, str]]:
    """Return the labels and figures of the clears of a game: its attack, tetrises, spins and combos."""
    record = copy_game_record(game)
    clears = record.clears_by_spin
    spins = int(clears[MINI_SPIN:].sum())
    rules = game.rules
    figures = [("Attack", f"{int(record.attack):,}")] if rules.attack != "none" else []
    figures.append(("Tetrises", f"{int(clears[NO_SPIN, 4]):,}"))
    if rules.spins != "none":
        mini_count = int(clears[MINI_SPIN].sum())
        minis = f" ({mini_count:,} mini)" if mini_count else ""
        figures.append(("T-spins" if rules.spins == "t" else "Spins", f"{spins:,}{minis}"))
    figures += [
        ("Back-to-backs", f"{int(record.back_to_backs):,}"),
        ("Longest combo", f"{max(0, int(record.longest_combo)):,}"),
        ("Perfect clears", f"{int(record.perfect_clears):,}"),
    ]
    if rules.garbage_rows:
        figures.append(("Garbage received", f"{int(record.received):,}"))
    return figures


def describe_end(game: Game) -> str:
    """Return why a game is over in the terms of the guideline; empty under other rules and for other reasons."""
    if not has_attack_layout(game.rules) or not game.is_over:
        return ""
    last = game.placements_made[-1] if game.placements_made else None
    is_above = last is not None and min(row for _, row in last.cells) >= game.rules.height
    if is_above and game.rules.game_over == "lock-out":
        return LOCK_OUT
    position = game.position
    is_due = any(pieces == 0 for _, pieces in position.garbage)
    if is_due and max(position.board.heights) == game.rules.rows:  # the board could not be pushed up any further
        return TOP_OUT
    return "" if position.can_spawn else BLOCK_OUT


@cache
def get_flat_drawing(letter: str, rotation: str = "") -> list[str]:
    """Return the rows of a piece, from top to bottom, as it spawns in a rotation system, if it lies flat there.

    Otherwise, and without a rotation system, T, J and L point up.

    >>> get_flat_drawing("T"), get_flat_drawing("T", "nes")
    (['.#.', '###'], ['###', '.#.'])
    """
    if rotation:
        columns = [column for column in zip(*ROTATION_SYSTEMS[rotation].boxes[letter][0], strict=True) if "#" in column]
        rows = [row for row in map("".join, zip(*columns, strict=True)) if "#" in row]
        if len(rows) <= 2:
            return rows
    return PIECE_DRAWINGS[letter]
