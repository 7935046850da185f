"""`tetrion/Keys-v0`: each action presses a key while the piece falls."""

from collections.abc import Callable, Sequence
from typing import Any

from tetrion.board import Placement
from tetrion.engine.rules import Rules
from tetrion.envs.game_batch import KeyBatch, Transition
from tetrion.envs.game_env import GameEnv, GameVectorEnv
from tetrion.envs.observation_kinds import ObservationKind, make_observation
from tetrion.envs.options import VECTOR_OPTIONS, collect_options, make_env_options, merge_options


class KeysEnv(GameEnv):
    """Tetris in real time: each action presses a key, then the clock advances.

    ## Description

    The game that people play in Tetrion's window, with gravity, lock delay and spawn delay of the rules. A step presses
    and releases one key, or none, and then advances the clock by `frames_per_step` frames. It equals `Game.press(key)`
    and `Game.tick(frames_per_step)` in a `tetrion.Game` with the same rules and seed. Keys do not repeat (no DAS):
    press again to move by another column. The lock delay restarts as the rules say.

    ## Action Space

    `Discrete(1 + keys)`: action 0 presses no key, the others the keys of the rules in the order left, right, rotate,
    back (rotate backwards), half (half turn), down (one row), drop (hard drop), hold. `get_action_meanings()` lists
    those of the rules.

    Every key may be pressed at any time. `info["action_mask"]` (int8) and `action_masks()` (bool) say which actions
    have an effect: waiting, and the keys that move, rotate, exchange or lock the piece now. The others count as
    illegal.

    ## Observation Space

    The option `observation` selects one of these; `rows` is the number of rows of the board including hidden ones, and
    `preview` the number of known next pieces. Planes have four more rows (at most 32 in all) above the board, in which
    pieces spawn.

    - `planes`: `Box(0, 1, (2 + preview, rows + 4, 10), uint8)`. Plane 0 is the board, top row first; plane 1 the
      falling piece where it is, empty between two pieces; the others are the preview, at the top.
    - `columns`: `Box(0, …, (15 + preview,), int32)`. The ten columns as integers whose bit 0 is the lowest row, the
      numbers of the current piece and the preview in `IOTSZJL`, then whether a piece is falling, its rotation state,
      leftmost column and lowest row.
    - `features`: `Box(0, …, (features + 7 × (1 + preview) + 4,), float32)`. The features of the board, seven numbers
      per known piece (1 for the piece, 0 for the others), and the falling piece as in `columns`.
    - `dict`: `board` and `falling` `(rows + 4, 10)` uint8, `piece` `Discrete(7)`, `action_mask` int8 and, if the rules
      have a preview, `preview` `MultiDiscrete`.

    Under modern rules an observation ends with hold, combo, back-to-back and garbage, as in `tetrion/Placement-v0`.

    ## Rewards

    - `lines`: lines cleared.
    - `score`: points by the scoring of the rules, including those of soft drops and hard drops.
    - `survival`: number of pieces that have locked; 0 if the game is over.
    - `shaped`, `attack`: as in `tetrion/Placement-v0`.
    - a function: the number that it returns for a `tetrion.envs.Transition`; in vector environments, an array.

    ## Starting State

    An empty board; the first piece has spawned. `reset(options={"number": n})` starts game n of the seed.

    ## Episode End

    Terminated: the game is over by the rules, or a key had no effect with `illegal_action="terminate"`. Truncated:
    after `max_episode_steps` steps, 100,000 if registered; `max_episode_steps=-1` removes the limit.

    When the game is over by the rules, the mask has 1 for action 0 alone. No action has an effect then, but the
    probabilities of a policy with masks stay defined.

    ## Information

    `action_mask` (int8, one number per action), `is_legal` (whether the last key had an effect), and the totals of the
    game: `pieces`, `lines`, `score`.

    Under modern rules also the totals `attack` (rows of garbage made), `sent` (those that cancelled no waiting
    garbage), `received` (rows of garbage that have risen) and `perfect_clears`, the current `combo` and `back_to_back`,
    and `spin`, the spin of the piece that has locked in the last step: 0 none, 1 mini, 2 full.

    ## Arguments

    - `rules="standard"`: a name, a name with options such as `"nes:start_level=5"`, or `tetrion.Rules`.
    - `observation="planes"`: `planes`, `columns`, `features` or `dict`.
    - `features`: the features for `observation="features"`, names of board features; default: the ten heights and six
      features of the agent `du`.
    - `reward="lines"`: `lines`, `score`, `survival`, `shaped`, `attack`, or a function.
    - `illegal_action="ignore"`: what a key without effect does. `ignore`: nothing, the clock advances; `terminate`: the
      episode ends; `error`: an `ActionError` names the closest action with an effect.
    - `frames_per_step`: frames that pass after each key; default: `frames_per_key` of the rules, which is the pace of
      Tetrion's agents (`standard`: 100 of 1,000 frames per second, `nes`: 2 of 60). With 1 the game advances frame by
      frame.
    - `max_episode_steps`: see Episode End.
    - `render_mode`: `rgb_array`, `human` or `ansi`.

    ## Vector Environment

    As in `tetrion/Placement-v0`: `gymnasium.make_vec("tetrion/Keys-v0", num_envs=n)`.

    ## Version History

    - v0: first version.
    """

    def __init__(
        self,
        *,
        rules: Rules | str = "standard",
        observation: str = "planes",
        features: Sequence[str] | None = None,
        reward: str | Callable[[Transition], Any] = "lines",
        illegal_action: str = "ignore",
        frames_per_step: int | None = None,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **unknown: Any,
    ) -> None:
        super().__init__(*_make_parts(1, collect_options(locals())))

    @property
    def falling_piece(self) -> Placement | None:
        """The falling piece where it is, written as a placement; None between two pieces."""
        return self._batch.get_falling_piece(0)


class KeysVectorEnv(GameVectorEnv):
    """Many games of `tetrion/Keys-v0` in one compiled call; `KeysEnv` describes everything else."""

    def make_parts(self, count: int, options: dict[str, Any]) -> tuple[KeyBatch, ObservationKind]:
        """Return the games and their observations."""
        return _make_parts(count, options, VECTOR_OPTIONS)


def _make_parts(count: int, given: dict[str, Any], others: tuple[str, ...] = ()) -> tuple[KeyBatch, ObservationKind]:
    options = make_env_options(merge_options(KeysEnv, given, others))
    batch = KeyBatch(options, count)
    return batch, make_observation(batch)
