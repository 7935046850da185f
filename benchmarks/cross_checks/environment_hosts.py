"""Hosts of the other environments; runs in their virtual environments, where only this file of the project is used.

    python -m benchmarks.cross_checks.environment_hosts HOST DISTRIBUTION

prints the version of the distribution. Then, for each request ["method", argument] that it reads as a line of JSON, it
prints the answer of the host's method as a line of JSON.
"""

import json
import sys
from importlib import import_module
from importlib.metadata import version
from typing import Any

Drawing = list[str]  # rows from top to bottom, "#" for a filled cell and "." for an empty one
Reply = dict[str, Any]


def draw(cells: Any) -> Drawing:
    """Return an array of cells as a drawing; 0 is an empty cell."""
    return ["".join(".#"[bool(cell)] for cell in row) for row in cells.tolist()]


class Jumanji:
    """jumanji's Tetris-v0, with its placement actions (rotation, column)."""

    def __init__(self) -> None:
        self.jax = import_module("jax")
        self.environment = import_module("jumanji").make("Tetris-v0")
        self.compiled_reset = self.jax.jit(self.environment.reset)
        self.compiled_step = self.jax.jit(self.environment.step)
        self.rotations = [
            [draw(rotation) for rotation in piece] for piece in self.jax.device_get(self.environment.TETROMINOES_LIST)
        ]
        self.state: Any = None

    def reset(self, seed: int) -> Reply:
        """Start a game."""
        self.state, timestep = self.compiled_reset(self.jax.random.PRNGKey(seed))
        return self.describe(timestep)

    def step(self, action: tuple[int, int]) -> Reply:
        """Place the current piece."""
        self.state, timestep = self.compiled_step(self.state, self.jax.numpy.array(action))
        return self.describe(timestep)

    def describe(self, timestep: Any) -> Reply:
        """Return the observation; rotation r of the piece has its left edge in the column of the action."""
        seen = timestep.observation
        arrays = (seen.grid, seen.tetromino, seen.action_mask, timestep.reward, timestep.last())
        grid, piece, mask, reward, is_over = self.jax.device_get(arrays)
        shapes = next(shapes for shapes in self.rotations if shapes[0] == draw(piece))
        reply = {"grid": draw(grid), "shapes": shapes, "first_column": 0, "mask": mask.tolist()}
        return reply | {"gain": float(reward), "is_over": bool(is_over)}


class TetrisGymnasium:
    """tetris-gymnasium's environment, with its key actions and its default gravity: one row per action."""

    def __init__(self) -> None:
        self.environment = import_module("tetris_gymnasium.envs.tetris").Tetris()
        self.actions = {
            "left": self.environment.actions.move_left,
            "right": self.environment.actions.move_right,
            "rotate": self.environment.actions.rotate_clockwise,
            "back": self.environment.actions.rotate_counterclockwise,
            "down": self.environment.actions.move_down,
            "drop": self.environment.actions.hard_drop,
            "wait": self.environment.actions.no_op,
        }

    def list_pieces(self, _: None) -> list[tuple[list[Drawing], int]]:
        """Return the states of each piece in the order of the key `rotate`, and the column of its box at spawn."""
        pieces = []
        for piece in self.environment.tetrominoes:
            self.environment.active_tetromino = piece
            self.environment.reset_tetromino_position()
            pieces.append((self.draw_rotations(piece), self.environment.x - self.environment.padding))
        return pieces

    def draw_rotations(self, piece: Any) -> list[Drawing]:
        """Return the drawings of the four rotations of a piece."""
        drawings = []
        for _ in range(4):
            drawings.append(draw(piece.matrix))
            piece = self.environment.rotate(piece)
        return drawings

    def reset(self, seed: int) -> Reply:
        """Start a game."""
        self.environment.reset(seed=seed)
        return self.describe(0, False) | {"corners": []}

    def step(self, keys: list[str]) -> Reply:
        """Press keys, each followed by one row of gravity, and return where the falling piece was after each."""
        corners = []
        lines = 0
        is_over = False
        for key in keys:
            _, _, is_over, _, info = self.environment.step(self.actions[key])
            lines += int(info["lines_cleared"])
            corners.append(self.find_corner())
        return self.describe(lines, is_over) | {"corners": corners}

    def find_corner(self) -> tuple[int, int]:
        """Return the leftmost column and the lowest row of the falling piece, both counted from 0."""
        rows, columns = self.environment.active_tetromino.matrix.nonzero()
        left = self.environment.x - self.environment.padding + columns.min()
        return int(left), int(self.environment.height - 1 - self.environment.y - rows.max())

    def describe(self, lines: int, is_over: bool) -> Reply:
        """Return the board without the falling piece, the known pieces, and what the last keys gave."""
        environment = self.environment
        offset = len(environment.base_pixels)
        known = [environment.active_tetromino.id - offset, *map(int, environment.queue.get_queue())]
        grid = draw(environment.crop_padding(environment.board))
        return {"grid": grid, "known": known, "gain": lines, "is_over": bool(is_over)}


class TetrisGymnasiumGrouped(TetrisGymnasium):
    """tetris-gymnasium's environment with the placement actions of its wrapper."""

    def __init__(self) -> None:
        super().__init__()
        module = import_module("tetris_gymnasium.wrappers.grouped")
        self.wrapper = module.GroupedActionsObservations(self.environment)

    def reset(self, seed: int) -> Reply:
        """Start a game."""
        self.wrapper.reset(seed=seed)
        return self.describe(0, False)

    def step(self, action: Any) -> Reply:
        """Place the current piece."""
        rotation, column = action
        _, _, is_over, _, info = self.wrapper.step(self.wrapper.encode_action(column, rotation))
        return self.describe(int(info["lines_cleared"]), is_over)

    def describe(self, lines: int, is_over: bool) -> Reply:
        """Return the observation; a box has its left edge `first_column` columns right of the action's column."""
        piece = self.environment.active_tetromino
        mask = self.wrapper.legal_actions_mask.reshape(self.environment.width, 4).T.astype(bool)
        return super().describe(lines, is_over) | {
            "shapes": self.draw_rotations(piece),
            "first_column": -(piece.matrix.shape[1] // 2),
            "mask": mask.tolist(),
        }


HOSTS = {host.__name__: host for host in (Jumanji, TetrisGymnasium, TetrisGymnasiumGrouped)}


def main() -> None:
    """Answer requests."""
    _, name, distribution = sys.argv
    host = HOSTS[name]()
    print(version(distribution), flush=True)
    for line in sys.stdin:
        method, argument = json.loads(line)
        print(json.dumps(getattr(host, method)(argument)), flush=True)


if __name__ == "__main__":
    main()
