"""Keys of the practice screen: on the board they move the piece or the cell cursor, elsewhere they choose pieces."""

import pygame

from tetrion.app.gamepad import PAD_CODES
from tetrion.app.games.practice_board import UP_KEY
from tetrion.app.games.practice_game import PracticeGame
from tetrion.app.toolkit.header_footer import KeyLegend
from tetrion.app.toolkit.ui import ARROW_KEY_DIRECTIONS, ENTER_KEYS, get_key_label
from tetrion.app.window import Window
from tetrion.engine.pieces import PIECES
from tetrion.engine.records import GAME_KEYS

BOARD_CONTROL = "board"
_PIECE_GROUPS = ("piece", "next")
_NUMBER_FIELD = "moves"  # where digits are typed
_FIRST_REPEAT_SECONDS = 0.18
_REPEAT_SECONDS = 0.05
_REPEATED_ACTIONS = ("left", "right", "down", UP_KEY)
_FALLBACK_KEYS = ("x", "c", "v", "b")  # for an action without another key than the up arrow, which moves the piece up
_DRAW_KEYS = ("e", "f", "g", "k", "m", "n", "q", "r")  # the first one that is no key of the game
_AGENT_KEYS = ("a", "p")  # ask, and place what was suggested
_STROKE_KEYS = (pygame.K_SPACE, *ENTER_KEYS)


class PracticeKeys:
    """Handles the keys of a practice game, depending on the control that has the focus."""

    def __init__(self, window: Window, game: PracticeGame) -> None:
        self._window = window
        self._game = game
        self._repeat_countdowns: dict[int, float] = {}  # seconds, by key code

    # Events.

    def press_key(self, event: pygame.event.Event) -> bool:
        """Handle a key that is pressed; return True if the controls must not receive it."""
        if getattr(event, "mod", 0) & (pygame.KMOD_CTRL | pygame.KMOD_META):
            return self._use_undo_key(event)
        is_on_board = self._window.ui.focus in ("", BOARD_CONTROL)
        if is_on_board and self._use_board_key(event.key):
            if self._is_repeated(event.key):
                self._repeat_countdowns[event.key] = _FIRST_REPEAT_SECONDS
            return True
        if event.key == pygame.key.key_code(self._draw_key):
            self._toggle_drawing()
            return True
        return self._choose_piece(event.key)

    def release_key(self, event: pygame.event.Event) -> None:
        """Handle a key that is released: it no longer repeats, and a stroke that it has drawn ends."""
        self._repeat_countdowns.pop(event.key, None)
        if event.key in _STROKE_KEYS and self._game.is_drawing:
            self._game.end_stroke()

    def update(self, seconds: float) -> None:
        """Repeat the keys that are held down."""
        for code in list(self._repeat_countdowns):
            self._repeat_countdowns[code] -= seconds
            while self._repeat_countdowns.get(code, 1.0) <= 0:
                self._repeat_countdowns[code] += _REPEAT_SECONDS
                self._use_board_key(code)

    def release_all(self) -> None:
        """Forget the keys that are held down."""
        self._repeat_countdowns.clear()

    @property
    def is_repeating(self) -> bool:
        """Whether a key that is held down repeats."""
        return bool(self._repeat_countdowns)

    def _use_undo_key(self, event: pygame.event.Event) -> bool:
        if event.key not in (pygame.K_z, pygame.K_y):
            return False
        self._game.undo_or_redo(event.key == pygame.K_z and not event.mod & pygame.KMOD_SHIFT)
        return True

    def _use_board_key(self, code: int) -> bool:
        """Use a key on the board: for the cell cursor or for the piece; return whether the key has a use there."""
        action = self._find_action(code)
        if self._game.is_drawing:
            return self._use_cursor_key(code) or bool(action)
        if action:
            self._game.perform_action(action)
        return bool(action)

    def _use_cursor_key(self, code: int) -> bool:
        if code in ARROW_KEY_DIRECTIONS:
            columns, rows_down = ARROW_KEY_DIRECTIONS[code]
            self._game.move_cursor(columns, -rows_down)
        elif code in _STROKE_KEYS:
            self._game.begin_cursor_stroke()
        elif code == pygame.K_ESCAPE:
            self._game.end_drawing()
        else:
            return False
        return True

    def _is_repeated(self, code: int) -> bool:
        if self._game.is_drawing:
            return code in ARROW_KEY_DIRECTIONS
        return self._find_action(code) in _REPEATED_ACTIONS

    def _toggle_drawing(self) -> None:
        self.release_all()
        if self._game.is_drawing:
            self._game.end_drawing()
        else:
            self._window.ui.focus = BOARD_CONTROL
            self._game.begin_drawing()

    def _choose_piece(self, code: int) -> bool:
        """Choose the piece with this letter or number, in the group that has the focus; return whether there is one."""
        ui = self._window.ui
        name = pygame.key.name(code).upper()
        if name.isdigit() and ui.focus == _NUMBER_FIELD:
            return False
        letter = dict(zip("1234567", PIECES, strict=True)).get(name, name)
        if letter not in list(PIECES):
            return False
        group = ui.focus.partition(" ")[0]
        self._game.choose_piece(letter, as_next=group == "next")
        if group in _PIECE_GROUPS:
            ui.focus = f"{group} {letter}"
        return True

    # Key names.

    def _get_key_codes(self) -> dict[str, int]:
        """Return the key code of each action: its first key, except the up arrow, which moves the piece up.

        Further keys of an action may be letters, which choose pieces here. The keys of the agent are used only if an
        action has no other key.
        """
        keys: dict[str, int] = {}
        for action in GAME_KEYS:
            names = [name for name in self._window.settings.keys[action] if name not in PAD_CODES and name != "up"]
            names.sort(key=_AGENT_KEYS.__contains__)
            codes = [pygame.key.key_code(name) for name in (*names[:1], *_FALLBACK_KEYS)]
            keys[action] = next((code for code in codes if code not in keys.values()), pygame.K_TAB)
        return keys | {UP_KEY: pygame.K_UP}

    def _find_action(self, code: int) -> str:
        return next((action for action, key in self._get_key_codes().items() if key == code), "")

    @property
    def _draw_key(self) -> str:
        """The name of the key that begins and ends drawing."""
        codes = self._get_key_codes().values()
        return next(name for name in _DRAW_KEYS if pygame.key.key_code(name) not in codes)

    @property
    def draw_key_label(self) -> str:
        """The label of the key that begins and ends drawing."""
        return self._draw_key.upper()

    def make_legend(self) -> KeyLegend:
        """Return the keys for the footer: those of the cell cursor, or those of the piece."""
        if self._game.is_drawing:
            return [
                (["←", "→", "↑", "↓"], "Move"),
                (["Space"], "Fill or erase"),
                ([self.draw_key_label], "End drawing"),
                (["Ctrl", "Z"], "Undo"),
            ]
        keys = {action: get_key_label(code) for action, code in self._get_key_codes().items()}
        has_hold = self._game.practice_board.rules.hold
        return [
            ([keys["left"], keys["right"], keys[UP_KEY], keys["down"]], "Move"),
            ([keys["rotate"], keys["back"]], "Rotate"),
            ([keys["drop"]], "Hard drop"),
            *([([keys["hold"]], "Hold")] if has_hold else []),
            ([self.draw_key_label], "Draw"),
            (["1–7"], "Piece"),
            (["Ctrl", "Z"], "Undo"),
        ]
