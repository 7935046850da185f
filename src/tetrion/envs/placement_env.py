"""`tetrion/Placement-v0`: each action places the current piece, or the swapped-in piece."""

from collections.abc import Callable, Sequence
from typing import Any

from tetrion.engine.rules import Rules
from tetrion.envs.game_batch import GameBatch, Transition
from tetrion.envs.game_env import GameVectorEnv, PlacementGameEnv
from tetrion.envs.observation_kinds import ObservationKind, make_observation
from tetrion.envs.options import VECTOR_OPTIONS, collect_options, make_env_options, merge_options


class PlacementEnv(PlacementGameEnv):
    """Tetris in which each action places the current piece.

    ## Description

    A game under any rules of Tetrion, modern ones included, one placement per step. Game 0 of `reset(seed=s)` has the
    pieces of `tetrion.Game(rules, seed=s)`, the next `reset()` starts game 1 of the same seed, and so on, so that an
    episode can be repeated in every other part of Tetrion.

    ## Action Space

    `Discrete(40)` under rules with `movement=drop`, such as `standard`: action = rotation × 10 + column. Rotation 0 is
    the orientation in which the piece spawns, further rotations follow clockwise; the column is that of the piece's
    leftmost cell. The piece is dropped straight down.

    `Discrete(max_placements)` under rules with another `movement`: the index of a placement in the
    order of `Game.placements()`, which is by rotation, column, and row from the top.

    Under modern rules hold and spins are part of a placement. An index counts all placements of the current piece and
    then those of the swapped-in piece; the same cells with and without a spin are different placements. Straight
    drops have `Discrete(80)` if the rules have hold: hold × 40 + rotation × 10 + column.

    `get_action_meanings()` lists the actions in words. `find_action(placement)` and `get_placement(action)` translate
    between actions and placements, and `position` is what an agent needs to choose one.

    Not every action is legal: O has one rotation, and no piece may extend beyond a wall or above the board.
    `info["action_mask"]` (int8) and `action_masks()` (bool) say which ones are.

    ## Observation Space

    The option `observation` selects one of these; `rows` is the number of rows of the board including hidden ones, and
    `preview` the number of known next pieces.

    - `planes`: `Box(0, 1, (2 + preview, rows, 10), uint8)`. Plane 0 is the board, top row first; plane 1 the current
      piece in its spawn orientation and columns, at the top; the others are the preview, drawn likewise.
    - `columns`: `Box(0, 2^rows − 1, (11 + preview,), int32)`. The ten columns as integers whose bit 0 is the lowest
      row, then the numbers of the current piece and the preview in `IOTSZJL`.
    - `features`: `Box(0, …, (features + 7 × (1 + preview),), float32)`. The features of the board, then seven numbers
      per known piece: 1 for the piece, 0 for the others.
    - `dict`: `board` `(rows, 10)` uint8, `piece` `Discrete(7)`, `action_mask` int8 and, if the rules have a preview,
      `preview` `MultiDiscrete`.

    Under modern rules (hold, spins, attack, garbage, `scoring=guideline` or `placement_frames`) an observation ends
    with what a player sees beside the board, in this order: `hold`, the held piece, and `can_hold`, whether the current
    piece can still be exchanged (if the rules have hold); `combo` and `back_to_back`, the consecutive clears and
    difficult clears, at most 31 and 63; `garbage`, the waiting rows, and `garbage_due`, those that rise with the next
    piece if it clears no line (if the rules have garbage; at most `rows`).

    - `planes`: one more plane each. The held piece is drawn as the preview, the plane of `can_hold` is full or empty,
      and of the others as many of the lowest rows are filled as they count.
    - `columns`: one more number each. The held piece is its number in `IOTSZJL` + 1, or 0 if the hold box is empty.
    - `features`: one more number each; the held piece is seven numbers, as the known pieces, all 0 if there is none.
    - `dict`: parts of these names. `hold` is `Discrete(8)`, 0 if the hold box is empty, `can_hold` `Discrete(2)`, and
      the others are `Box` of shape `(1,)`, int32.

    ## Rewards

    - `lines`: lines cleared.
    - `score`: points by the scoring of the rules.
    - `survival`: 1 for a placed piece; 0 if the game is over.
    - `shaped`: lines cleared, plus the change of −0.671 × aggregate height − 0.469 × holes − 0.243 × bumpiness. These
      are the weights of the agent `lee` in units of a line.
    - `attack`: rows of garbage made, under rules with attack such as `guideline`. Rows that cancel garbage count, too.
    - a function: the number that it returns for a `tetrion.envs.Transition`; in vector environments, an array.

    An illegal action has reward 0 (the function decides for itself: `Transition.is_legal`).

    ## Starting State

    An empty board and the first piece of the game. `reset(options={"number": n})` starts game n of the seed.

    ## Episode End

    Terminated: the game is over by the rules (in `standard`: no placement of the next piece lies completely on the
    board), or an illegal action with `illegal_action="terminate"`. Truncated: after `max_episode_steps` steps, 10,000
    if registered; `max_episode_steps=-1` removes the limit.

    When the game is over by the rules, the mask has 1 for action 0 alone. No action has an effect then, but the
    probabilities of a policy with masks stay defined.

    ## Information

    `action_mask` (int8, one number per action), `is_legal` (whether the last action was legal), and the totals of the
    game: `pieces`, `lines`, `score`.

    Under modern rules also the totals `attack` (rows of garbage made), `sent` (those that cancelled no waiting
    garbage), `received` (rows of garbage that have risen) and `perfect_clears`, the current `combo` and `back_to_back`,
    and `spin`, the spin of the piece placed in the last step: 0 none, 1 mini, 2 full.

    ## Arguments

    - `rules="standard"`: a name, a name with options such as `"standard:height=10"`, or `tetrion.Rules`.
    - `observation="planes"`: `planes`, `columns`, `features` or `dict`.
    - `features`: the features for `observation="features"`, names of board features; default: the ten heights and six
      features of the agent `du`.
    - `reward="lines"`: `lines`, `score`, `survival`, `shaped`, `attack`, or a function.
    - `illegal_action="ignore"`: what an illegal action does. `ignore`: nothing, the step counts; `terminate`: the
      episode ends; `error`: an `ActionError` names the closest legal action (Gymnasium's `check_env`, which ignores the
      mask, cannot pass then).
    - `max_placements=128`: number of actions unless `movement=drop`; 256 by default under modern rules.
      A board with very many gaps can have more placements; those beyond the limit have no action.
    - `max_episode_steps`: see Episode End. `gymnasium.make` and `make_vec` use the registered limit unless it is given;
      for the classes themselves, the default is no limit.
    - `render_mode`: `rgb_array`, `human` or `ansi`.

    ## Vector Environment

    `gymnasium.make_vec("tetrion/Placement-v0", num_envs=n)` plays n games in one compiled call, identical game for game
    to single environments with the seeds s, s + 1, …; `sample_actions()` draws legal actions for all games, and
    `action_masks()` has one row per game. With `copy=False` the observations are the environment's own arrays, which
    the next step overwrites.

    `autoreset_mode` says when a game whose episode has ended starts the next one, with the results of Gymnasium's
    `SyncVectorEnv`; it is also an attribute, and in `metadata`.

    - `AutoresetMode.NEXT_STEP` (default): in the next step, which ignores its action and has reward 0.
    - `AutoresetMode.SAME_STEP`: in the step that ends the episode. `infos["final_obs"]` and `infos["final_info"]` have
      its last observation and information.
    - `AutoresetMode.DISABLED`: only by `reset(options={"reset_mask": terminated | truncated})`, which must precede the
      next step. It returns the observations and information of all games, also of those that continue.

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
        max_placements: int | None = None,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **unknown: Any,
    ) -> None:
        super().__init__(*_make_parts(1, collect_options(locals())))


class PlacementVectorEnv(GameVectorEnv):
    """Many games of `tetrion/Placement-v0` in one compiled call; `PlacementEnv` describes everything else."""

    def make_parts(self, count: int, options: dict[str, Any]) -> tuple[GameBatch, ObservationKind]:
        """Return the games and their observations."""
        return _make_parts(count, options, VECTOR_OPTIONS)


def _make_parts(count: int, given: dict[str, Any], others: tuple[str, ...] = ()) -> tuple[GameBatch, ObservationKind]:
    options = make_env_options(merge_options(PlacementEnv, given, others))
    batch = GameBatch(options, count)
    return batch, make_observation(batch)
