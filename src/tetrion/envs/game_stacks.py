"""The stacks of games that are rendered: the piece of each cell, which the engine's boards do not contain."""

from tetrion.envs.game_batch import GameBatch
from tetrion.envs.rendering import GameRenderer, GameView
from tetrion.stack import Stack


class GameStacks:
    """The stack of each game of a batch, updated after each step, and their renderer."""

    def __init__(self, batch: GameBatch, render_mode: str) -> None:
        self._batch = batch
        self._renderer = GameRenderer(batch.rules, render_mode, batch.steps_per_second)
        self._stacks = [Stack(height=batch.rules.height)] * batch.count
        self._pieces = [0] * batch.count
        self._received = [0] * batch.count  # rows of garbage
        self._numbers = [-1] * batch.count

    def update(self) -> None:
        """Add the pieces that have locked since the last call."""
        for index in range(self._batch.count):
            self._update_game(index)

    def _update_game(self, index: int) -> None:
        pieces = int(self._batch.games["pieces"][index])
        number = int(self._batch.episodes["number"][index])
        added = pieces - self._pieces[index]
        if number != self._numbers[index] or added < 0 or pieces == 0:
            self._stacks[index] = Stack(height=self._batch.rules.height)
            self._received[index] = 0
            added = pieces
        if added == 1:
            self._stacks[index] = self._stacks[index].after_placement(self._batch.get_last_placement(index))
            self._raise_stack(index)
        elif added > 1:  # several keys in one step: the pieces of the cells are not known
            board = self._batch.get_position(index).board
            self._stacks[index] = Stack.from_board(board, self._batch.rules.height)
        self._pieces[index] = pieces
        self._numbers[index] = number
        self._received[index] = self._batch.get_counter("received", index)

    def _raise_stack(self, index: int) -> None:
        """Push a stack up by the rows of garbage that have risen since the last call."""
        risen = self._batch.get_counter("received", index) - self._received[index]
        if risen:
            rows = Stack.from_board(self._batch.get_position(index).board).rows[:risen]
            self._stacks[index] = self._stacks[index].with_garbage(rows)

    def render(self, index: int) -> object:
        """Return the picture or text of a game; None if it is shown in a window."""
        position = self._batch.get_position(index)
        falling = self._batch.get_falling_piece(index)
        counters = position.pieces, position.lines, position.score
        is_over = bool(self._batch.is_terminated[index])
        view = GameView(self._stacks[index], falling, position.piece or "", position.next, *counters, is_over)
        if self._batch.rules.is_modern:
            view = view._replace(position=position)
        return self._renderer.render(view)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()
