"""The game of the practice screen: positions that can be edited, played and undone, and an agent that gives advice.

The engine plays each step as a game in real time, in which nothing falls unless there is gravity.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from tetrion.app.games.adviser import Adviser
from tetrion.app.games.human_game import HumanGame
from tetrion.app.games.human_rules import HumanControls, to_frames
from tetrion.board import EMPTY_CELL, UNKNOWN_CELL, Board, Cell, Placement
from tetrion.drawing.game_facts import describe_end
from tetrion.engine.rules import Rules
from tetrion.errors import BoardError, TetrionError
from tetrion.game import Game
from tetrion.position import Position
from tetrion.stack import EMPTY_ROW, Stack

MAX_GRAVITY = 20  # rows per second
_MAX_STEPS = 1000
_EXPLAINED_PLACEMENTS = 5
_MOVE_SHOWN_SECONDS = 0.25  # before the agent makes it
_KEY_REPEAT = {"das": 170, "arr": 50}  # milliseconds, under rules in which held keys do not repeat
_OVER_MESSAGE = "{reason} Undo the last step, erase cells, or choose another piece."


class PracticeStep(NamedTuple):
    """A position in which a piece appears, and its board with the piece that fills each cell."""

    position: Position
    stack: Stack


class Stroke(NamedTuple):
    """A line of cells that is being drawn or erased: the board so far, and the last cell."""

    step: PracticeStep
    is_filling: bool
    cell: Cell


class PracticeGame:
    """Practice with a list of steps that can be undone; `problem` is why the last action failed, or ""."""

    def __init__(
        self, position: Position, agent: str, controls: HumanControls, play_sound: Callable[[str], None]
    ) -> None:
        self.adviser = Adviser(agent)
        self.problem = ""
        self.gravity = 0  # rows per second
        self.is_agent_playing = False
        self._seconds_shown = 0.0  # since the agent has answered
        self._controls = controls
        self._play_sound = play_sound
        self._stroke: Stroke | None = None
        self._steps: list[PracticeStep] = []
        self._number = -1  # of the current step
        self._add_step(position)

    # The current step.

    @property
    def position(self) -> Position:
        """The position of the current step, in which its piece has not moved; during a stroke the edited one."""
        return self._stroke.step.position if self._stroke else self._steps[self._number].position

    @property
    def stack(self) -> Stack:
        """The board of the current step with the piece that fills each cell."""
        return self._stroke.step.stack if self._stroke else self.human_game.game.stack

    @property
    def piece(self) -> Placement | None:
        """The piece where it is now; None if the game is over."""
        return None if self.human_game.game.is_over else self.human_game.game.falling_piece

    @property
    def warning(self) -> str:
        """The reason why no piece is on the board, or ""."""
        game = self.human_game.game
        return _OVER_MESSAGE.format(reason=describe_end(game) or "Game over.") if game.is_over else ""

    @property
    def is_moving(self) -> bool:
        """Whether a piece falls or repeats a move, the agent decides or plays, or an action text is shown."""
        is_repeating = any(self.human_game.key_input.is_held(key) for key in ("left", "right", "down"))
        is_agent_busy = self.is_agent_playing or self.adviser.is_thinking
        return bool(self.gravity or is_repeating or is_agent_busy or self.human_game.action.lines)

    def _add_step(self, position: Position, stack: Stack | None = None) -> None:
        """Continue with a position and start its piece; without a change, only the piece starts again."""
        game = self._make_game(position, stack)
        self.human_game = HumanGame(game, self._list_keys())
        self.problem = ""
        self._record_step(position.rules)

    def _record_step(self, rules: Rules) -> None:
        """Add the position of the game to the steps, if it is another one than that of the current step."""
        game = self.human_game.game
        position = replace(game.position, rules=rules, frames=0)
        if self._steps and position == self._steps[self._number].position:
            return
        self._steps = [*self._steps[: self._number + 1], PracticeStep(position, game.stack)][-_MAX_STEPS:]
        self._number = len(self._steps) - 1

    def _make_game(self, position: Position, stack: Stack | None) -> Game:
        rules = free_rules(self._controls.apply_to(position.rules), self.gravity)
        game = Game.from_position(replace(position, rules=rules), seed=position.pieces)
        game.stack = stack or game.stack
        return game

    def _list_keys(self) -> dict[str, tuple[str, ...]]:
        """Return the keys of the person without Ctrl, which is part of Ctrl+Z here."""
        return {action: tuple(n for n in names if "ctrl" not in n) for action, names in self._controls.keys.items()}

    # Changes.

    def restart_piece(self, controls: HumanControls | None = None) -> None:
        """Let the piece of the current step appear again, with other controls if they are given."""
        self._controls = controls or self._controls
        self._add_step(*self._steps[self._number])

    def set_gravity(self, rows_per_second: int) -> None:
        """Change gravity; the piece appears again."""
        if rows_per_second != self.gravity:
            self.gravity = rows_per_second
            self.restart_piece()

    def choose_piece(self, letter: str, as_next: bool = False) -> None:
        """Choose the current piece or the next one."""
        position = self.position
        changes: dict[str, Any] = {"next": letter + position.next[1:]} if as_next else {"piece": letter}
        self._add_step(replace(position, **changes), self.stack)
        self._play_sound("choose")

    def choose_rules(self, text: str, *, with_board: bool = True) -> None:
        """Continue under other rules, with the board, the pieces and hold as far as they allow, or with a new game."""
        try:
            rules = Rules.parse(text)
            if not with_board:
                if rules != self.position.rules:
                    self._add_step(make_first_position(rules))
                return
            before = self.position
            stack = replace(self.stack, rows=self.stack.rows[: rules.rows], height=rules.height, clearing=rules.clearing)
            board, hold = make_board(stack, rules), before.hold if rules.hold else ""
            next_pieces = before.next[: rules.preview]
            self._add_step(Position.from_board(board, before.piece or "", next_pieces, rules, hold=hold), stack)
        except TetrionError as error:
            self.problem = str(error)

    def undo_or_redo(self, undo: bool) -> None:
        """Undo the last step, or redo the last undone one."""
        self.end_stroke()
        if not (self.can_undo if undo else self.can_redo):
            return
        self.is_agent_playing = False
        self._number += -1 if undo else 1
        self.restart_piece()
        self._play_sound("choose")

    @property
    def can_undo(self) -> bool:
        """Whether there is a step to undo."""
        return self._number > 0

    @property
    def can_redo(self) -> bool:
        """Whether there is a step to redo."""
        return self._number + 1 < len(self._steps)

    # Boards.

    def clear_board(self) -> None:
        """Erase all cells."""
        self._add_step(*self._change_stack(replace(self.stack, rows=())))

    def load_board(self, text: str) -> None:
        """Replace the board by one given as text: rows of `.`, `#` and letters of pieces, from the top to the floor."""
        try:
            if not text.strip():
                raise BoardError("There is no board. Give rows of ten cells: . for empty, # or a piece for filled ones.")
            stack = replace(self.stack, rows=Stack.from_text(text).rows)
            Board.from_text(text.split(), self.position.rules.rows)  # raises an error if there are too many rows
            self._add_step(*self._change_stack(stack))
        except TetrionError as error:
            self.problem = str(error)

    def format_board(self) -> str:
        """Return the board as the text that `load_board` takes."""
        return self.stack.to_text(max(1, *self.position.board.heights))

    def begin_stroke(self, cell: Cell, is_filling: bool) -> None:
        """Begin to draw or to erase cells; the agent stops."""
        self.is_agent_playing = False
        self.problem = ""
        self._stroke = Stroke(PracticeStep(self.position, self.stack), is_filling, cell)
        self._edit_cell(cell)

    def continue_stroke(self, cell: Cell) -> None:
        """Continue the stroke to a cell, through all cells on the way, if there is a stroke."""
        if not self._stroke or cell == self._stroke.cell:
            return
        (x, y), (to_x, to_y) = self._stroke.cell, cell
        steps = max(abs(to_x - x), abs(to_y - y))
        for step in range(1, steps + 1):
            self._edit_cell((x + round((to_x - x) * step / steps), y + round((to_y - y) * step / steps)))

    def end_stroke(self) -> None:
        """Continue with the board that the stroke has drawn, if there is a stroke."""
        if self._stroke:
            step, problem = self._stroke.step, self.problem
            self._stroke = None
            self._add_step(*step)
            self.problem = problem

    @property
    def is_drawing(self) -> bool:
        """Whether a stroke is being drawn."""
        return self._stroke is not None

    def _edit_cell(self, cell: Cell) -> None:
        if not self._stroke:
            return
        (column, row), stack = cell, self._stroke.step.stack
        rows = [*stack.rows, *[EMPTY_ROW] * (row + 1 - len(stack.rows))]
        before = rows[row][column]
        letter = (UNKNOWN_CELL if before == EMPTY_CELL else before) if self._stroke.is_filling else EMPTY_CELL
        rows[row] = rows[row][:column] + letter + rows[row][column + 1 :]
        self._stroke = self._stroke._replace(cell=cell)
        try:
            self._stroke = self._stroke._replace(step=self._change_stack(replace(stack, rows=tuple(rows))))
        except TetrionError as error:
            self.problem = str(error)

    def _change_stack(self, stack: Stack) -> PracticeStep:
        """Return the current position with another board; raise a TetrionError if a row is full."""
        return PracticeStep(replace(self.position, board=make_board(stack, self.position.rules)), stack)

    # The agent.

    @property
    def advice(self) -> Placement | None:
        """What the agent would play in the current position; None if it was not asked or has not answered."""
        decision = self.adviser.get_decision(self.position)
        return decision.placement if decision else None

    def ask(self) -> None:
        """Ask the agent about the current position."""
        self._seconds_shown = 0.0
        if self.adviser.problem:
            self.adviser.close()
        self.adviser.ask(self.position, _EXPLAINED_PLACEMENTS)

    def place_advice(self) -> None:
        """Make the move of the agent."""
        if self.advice:
            try:
                self.human_game.game.place(self.advice)
            except TetrionError as error:
                self.problem = str(error)
                self.is_agent_playing = False

    def change_agent(self, agent: str) -> None:
        """Use another agent from now on."""
        self.is_agent_playing = False
        self.adviser.change_agent(agent)

    def leave(self) -> None:
        """Stop the agent and release all keys, before the game is kept for later or given up."""
        self.end_stroke()
        self.human_game.key_input.release_all()
        self.is_agent_playing = False
        self.adviser.close()

    # Time.

    def update(self, seconds: float) -> None:
        """Advance the game by `seconds`, and make the moves of the agent."""
        if self.is_agent_playing:
            self._let_agent_play(seconds)
        is_waiting = self.is_agent_playing or self.is_drawing
        for sound in self.human_game.update(0.0 if is_waiting else seconds):
            self._play_sound(sound)
        if is_waiting:
            self.human_game.update_animation(seconds)
        after, before = self.human_game.game.position, self._steps[self._number].position
        if (after.pieces, after.piece, after.hold) != (before.pieces, before.piece, before.hold):
            self._record_step(before.rules)

    def _let_agent_play(self, seconds: float) -> None:
        if self.human_game.game.is_over or self.adviser.problem:
            self.is_agent_playing = False
        elif self.advice:
            self._seconds_shown += seconds
            if self._seconds_shown >= _MOVE_SHOWN_SECONDS:
                self.place_advice()
        elif not self.adviser.is_thinking:
            self.ask()


def free_rules(rules: Rules, gravity: int) -> Rules:
    """Return the rules with `gravity` rows per second instead of their own speed and delays.

    Pieces can be lowered and dropped under all rules, and only a hard drop or gravity locks them.
    """
    changes: dict[str, Any] = {
        "keys": [*rules.keys.split("+"), *(key for key in ("down", "drop") if key not in rules.keys.split("+"))],
        "lock_keys": "drop",
        "lock_delay": "gravity",
        "lock_resets": 0,
        "gravity": round(rules.frames_per_second / gravity) if gravity else 0,
        "spawn_delay": 0,
        "clear_delay": 0,
    }
    if rules.movement == "steered":  # it needs gravity
        changes["movement"] = "drop"
    if not rules.arr:
        changes |= {name: to_frames(rules, milliseconds) for name, milliseconds in _KEY_REPEAT.items()}
    if not rules.soft_drop_interval:
        changes["soft_drop_interval"] = to_frames(rules, _KEY_REPEAT["arr"])
    return rules.with_(**changes)


def make_first_position(rules: Rules) -> Position:
    """Return the first position of a game under the rules."""
    return Game(rules).position


def make_board(stack: Stack, rules: Rules) -> Board:
    """Return the filled cells of a stack under the rules."""
    return Board.from_text(stack.to_text(rules.rows), rules.rows)
