"""The action text of modern games: spins, tetrises, back-to-backs, combos and perfect clears, shown for a moment."""

from tetrion.board import NO_SPIN_NAME
from tetrion.position import Position
from tetrion.stack import EMPTY_ROW, LockedPiece

CLEAR_NAMES = ("Single", "Double", "Triple", "Tetris")
_SHOWN_SECONDS = 2.0
_FADE_SECONDS = 0.6  # at the end of this time
_FADE_STEPS = 10  # different strengths, each of which is rendered once


def describe_action(lock: LockedPiece, position: Position) -> tuple[str, ...]:
    """Return the lines of the action text of a locked piece; `position` is the one after it.

    The first line names the spin or the tetris, if there is one. Other single clears are not named.
    """
    if not position.rules.is_modern:
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
