"""The game of the practice screen: positions that can be edited, played and undone, and an agent that gives advice.

The engine plays each step as a game in real time, in which nothing falls unless there is gravity.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from tetrion.app.games.adviser import Adviser
from tetrion.app.games.human_game import HumanGame
from tetrion.app.games.human_rules import HumanControls
from tetrion.board import EMPTY_CELL, UNKNOWN_CELL, Board, Cell, Placement
from tetrion.engine.rules import Rules
from tetrion.errors import BoardError, TetrionError
from tetrion.game import Game
from tetrion.game_facts import ActionText
from tetrion.position import Position
from tetrion.stack import EMPTY_ROW, Stack

MAX_GRAVITY = 20  # rows per second
_MAX_STEPS = 1000
_EXPLAINED_PLACEMENTS = 5
_MOVE_SHOWN_SECONDS = 0.25  # before the agent makes it


class PracticeStep(NamedTuple):
    """A position in which a piece appears, and its board with the piece that fills each cell."""

    position: Position
    stack: Stack


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
        self._edited: PracticeStep | None = None  # during a stroke of the mouse
        self._is_filling = True
        self._last_cell: Cell = (0, 0)
        self._steps: list[PracticeStep] = []
        self._number = -1  # of the current step
        self._add_step(position)

    # The current step.

    @property
    def _step(self) -> PracticeStep:
        return self._edited or self._steps[self._number]

    @property
    def position(self) -> Position:
        """The position of the current step, in which its piece has not moved."""
        return self._step.position

    @property
    def stack(self) -> Stack:
        """The board of the current step with the piece that fills each cell."""
        return self._step.stack

    @property
    def piece(self) -> Placement | None:
        """The piece where it is now; None if the game is over."""
        return None if self.human_game.game.is_over else self.human_game.game.falling_piece

    @property
    def action(self) -> ActionText:
        """The name of a special clear, which is shown for a moment."""
        return self.human_game.action

    def _add_step(self, position: Position, stack: Stack | None = None) -> None:
        """Continue with a position and start its piece; without a change, only the piece starts again."""
        rules = free_rules(self._controls.apply_to(position.rules), self.gravity)
        game = Game.from_position(replace(position, rules=rules), seed=position.pieces)
        game.stack = stack or game.stack
        self.human_game = HumanGame(game, self._controls.keys)
        self.problem = ""
        self._record_step(position.rules)

    def _record_step(self, rules: Rules) -> None:
        """Add the position of the game to the steps, if it is another one than that of the current step."""
        game = self.human_game.game
        position = replace(game.position, rules=rules, frames=0)
        if not self._steps or position != self._steps[self._number].position:
            self._steps = [*self._steps[: self._number + 1], PracticeStep(position, game.stack)][-_MAX_STEPS:]
            self._number = len(self._steps) - 1

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
        before = self.position
        after = replace(before, next=letter + before.next[1:]) if as_next else replace(before, piece=letter)
        self._add_step(after, self.stack)
        self._play_sound("choose")

    def choose_rules(self, text: str, *, keeps_board: bool = True) -> None:
        """Continue under other rules, with the board, the pieces and hold as far as they allow, or with a new game."""
        before = self.position
        try:
            rules = Rules.parse(text)
            if keeps_board:
                stack = Stack(self.stack.rows[: rules.rows], rules.height, rules.clearing)
                board, hold = make_board(stack, rules), before.hold if rules.hold else ""
                next_pieces = before.next[: rules.preview]
                self._add_step(Position.from_board(board, before.piece or "", next_pieces, rules, hold=hold), stack)
            elif rules != before.rules:
                self._add_step(Game(rules).position)
        except TetrionError as error:
            self.problem = str(error)

    def has_step(self, offset: int) -> bool:
        """Return whether there is a step before (−1) or after (1) the current one."""
        return 0 <= self._number + offset < len(self._steps)

    def go_to_step(self, offset: int) -> None:
        """Undo a step (−1), or redo the next one (1)."""
        self.end_stroke()
        if self.has_step(offset):
            self.is_agent_playing = False
            self._number += offset
            self.restart_piece()
            self._play_sound("choose")

    # Boards.

    def clear_board(self) -> None:
        """Erase all cells."""
        self._add_step(*self._change_stack(()))

    def load_board(self, text: str) -> None:
        """Replace the board by one given as text: rows of `.`, `#` and letters of pieces, from the top to the floor."""
        try:
            if not text.strip():
                raise BoardError("There is no board. Give rows of ten cells: . for empty, # for filled.")
            Board.from_text(text.split(), self.position.rules.rows)  # raises an error if there are too many rows
            self._add_step(*self._change_stack(Stack.from_text(text).rows))
        except TetrionError as error:
            self.problem = str(error)

    def format_board(self) -> str:
        """Return the board as the text that `load_board` takes."""
        return self.stack.to_text(max(1, *self.position.board.heights))

    def begin_stroke(self, cell: Cell, is_filling: bool) -> None:
        """Begin to fill or to erase cells; the agent stops."""
        self.is_agent_playing = False
        self.problem = ""
        self._edited = self._step
        self._is_filling = is_filling
        self._last_cell = cell
        self._edit_cell(cell)

    def continue_stroke(self, cell: Cell) -> None:
        """Continue the stroke to a cell, through all cells on the way, if there is a stroke."""
        (x, y), (to_x, to_y) = self._last_cell, cell
        count = max(abs(to_x - x), abs(to_y - y)) if self._edited else 0
        for number in range(1, count + 1):
            self._edit_cell((x + round((to_x - x) * number / count), y + round((to_y - y) * number / count)))
        self._last_cell = cell

    def end_stroke(self) -> bool:
        """Continue with the board that the stroke has drawn; return whether there was a stroke."""
        if self._edited is None:
            return False
        step, problem = self._edited, self.problem
        self._edited = None
        self._add_step(*step)
        self.problem = problem  # of the cells that were not drawn
        return True

    def _edit_cell(self, cell: Cell) -> None:
        column, row = cell
        rows = [*self.stack.rows, *[EMPTY_ROW] * (row + 1 - len(self.stack.rows))]
        before = rows[row][column]
        letter = (UNKNOWN_CELL if before == EMPTY_CELL else before) if self._is_filling else EMPTY_CELL
        rows[row] = rows[row][:column] + letter + rows[row][column + 1 :]
        try:
            self._edited = self._change_stack(tuple(rows))
        except TetrionError as error:
            self.problem = str(error)

    def _change_stack(self, rows: tuple[str, ...]) -> PracticeStep:
        """Return the current step with other rows; raise a TetrionError if one of them is full."""
        stack = replace(self.stack, rows=rows)
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
        if self.advice and self.piece:
            self.human_game.game.place(self.advice)

    def change_agent(self, agent: str) -> None:
        """Use an agent from now on."""
        if agent != self.adviser.agent:
            self.is_agent_playing = False
            self.adviser.change_agent(agent)

    def leave(self) -> None:
        """Stop the agent, before the game is kept for later or given up."""
        self.end_stroke()
        self.is_agent_playing = False
        self.adviser.close()

    # Time.

    def update(self, seconds: float) -> None:
        """Advance the game by `seconds`, and make the moves of the agent."""
        if self.is_agent_playing:
            self._let_agent_play(seconds)
        is_waiting = self.is_agent_playing or self._edited is not None
        for sound in self.human_game.update(0.0 if is_waiting else seconds):
            self._play_sound(sound)
        if is_waiting:
            self.human_game.update_animation(seconds)
        after, before = self.human_game.game.position, self._steps[self._number].position
        if (after.pieces, after.piece, after.hold) != (before.pieces, before.piece, before.hold):
            self.problem = ""
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
        "gravity": max(1, round(rules.frames_per_second / gravity)) if gravity else 0,
        "spawn_delay": 0,
        "clear_delay": 0,
    }
    if rules.movement == "steered":  # it needs gravity
        changes["movement"] = "drop"
    return rules.with_(**changes)


def make_board(stack: Stack, rules: Rules) -> Board:
    """Return the filled cells of a stack under the rules."""
    return Board.from_text(stack.to_text(rules.rows), rules.rows)
