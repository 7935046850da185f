"""The environments; the docstrings of `PlacementEnv`, `AfterstatesEnv` and `KeysEnv` are their specifications."""

from collections.abc import Callable, Sequence
from typing import Any

from tetrion.board import Placement
from tetrion.engine.rules import Rules
from tetrion.envs.game_batch import GameBatch, KeyBatch, Transition
from tetrion.envs.game_env import GameEnv, GameVectorEnv, parse_action
from tetrion.envs.observation_kinds import AfterstatesObservation, ObservationKind
from tetrion.envs.options import (
    AFTERSTATE_DEFAULT_FEATURES,
    PLACEMENT_FEATURE_NAMES,
    collect_options,
    make_env_options,
    merge_options,
)
from tetrion.errors import ActionError
from tetrion.position import validate_placement


class PlacementEnv(GameEnv):
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
        super().__init__(collect_options(locals()))

    def get_placement(self, action: int) -> Placement | None:
        """Return the placement of an action; None if it is illegal."""
        self._check_started(may_be_over=True)
        return self._batch.get_placement(0, parse_action(action, self._batch.action_count))

    def find_action(self, placement: Placement) -> int:
        """Return the action of a legal placement, such as one that an agent has chosen."""
        legal = validate_placement(self.position, placement)
        placements = self._batch.list_placements(0)
        if legal in placements:
            return placements.index(legal)
        raise ActionError(
            f"{placement} is legal but has no action, because the position has more than {self._batch.action_count} "
            "placements. Give a larger max_placements."
        )


class PlacementVectorEnv(GameVectorEnv):
    """Many games of `tetrion/Placement-v0` in one compiled call; `PlacementEnv` describes everything else."""

    _env_type = PlacementEnv


class AfterstatesEnv(PlacementEnv):
    """Tetris in which the observation contains the result of each placement, for learners of afterstate values.

    ## Description

    The game of `tetrion/Placement-v0`, with the same actions, rewards and episodes. The observation contains one row
    per action: the afterstate, that is the board after the placement and after full rows are removed, before the next
    piece is known. A learner of a value V chooses the action with the largest reward + γ V(afterstate) without a model
    of the game.

    ## Action Space

    As in `tetrion/Placement-v0`: `Discrete(40)`, rotation × 10 + column, under rules with `movement=drop`;
    `Discrete(max_placements)`, the index of a placement, under rules with another `movement`; hold
    and spins are part of the actions under modern rules. Action a leads to row a of the observation.

    ## Observation Space

    A `Dict`; n is the number of actions and `rows` the number of rows of the board including hidden ones. The option
    `observation` selects the parts that describe the afterstates; rows of illegal actions contain zeros.

    - `boards`, with `observation="planes"` or `"dict"`: `Box(0, 1, (n, rows, 10), uint8)`, the cells, top row first.
    - `columns`, with `"columns"` or `"dict"`: `Box(0, 2^rows − 1, (n, 10), int32)`, the columns as integers whose bit 0
      is the lowest row.
    - `features`, with `"features"` or `"dict"`: `Box(…, (n, number of features), float32)`, the features of the
      placement and of its board.
    - `lines`: `Box(0, 4, (n,), int8)`, the lines that the placement clears.
    - `action_mask`: `Box(0, 1, (n,), int8)`, 1 for each legal action.
    - `board`: `Box(0, 1, (rows, 10), uint8)`, the board before the placement.
    - `piece`: `Discrete(7)`, the current piece, a number in `IOTSZJL`.
    - `preview`, if the rules have a preview: `MultiDiscrete([7] × preview)`, the next pieces.

    Under modern rules also `hold`, `can_hold`, `combo`, `back_to_back`, `garbage` and `garbage_due` before the
    placement, as in `tetrion/Placement-v0`, and for each action:

    - `attacks`: `Box(0, …, (n,), int32)`, the rows of garbage that the placement makes.
    - `spins`: `Box(0, 2, (n,), int8)`, its spin: 0 none, 1 mini, 2 full.
    - `holds`: `Box(0, 1, (n,), int8)`, 1 if it uses hold. The current piece is in the hold box afterwards.
    - `combos`, `back_to_backs`: `Box(0, …, (n,), int32)`, both counters after the placement.

    No garbage rises in an afterstate, because its gaps are not known.

    ## Rewards

    As in `tetrion/Placement-v0`: `lines`, `score`, `survival`, `shaped`, `attack`, or a function.

    ## Starting State

    As in `tetrion/Placement-v0`.

    ## Episode End

    As in `tetrion/Placement-v0`. When the game is over by the rules, all rows contain zeros, and the mask has 1 for
    action 0 alone. After a truncation or an illegal action, the observation is that of the position that was reached.

    ## Information

    As in `tetrion/Placement-v0`.

    ## Arguments

    - `rules="standard"`: a name, a name with options such as `"standard:height=10"`, or `tetrion.Rules`.
    - `observation="features"`: `planes`, `columns`, `features` or `dict`.
    - `features`: the features for `observation="features"` and `"dict"`, names of features of boards, placements and
      changes, under modern rules also attack features such as `t_slots_ready`; default: the eight of the agent `du`.
    - `reward="lines"`, `illegal_action="ignore"` (`ignore`, `terminate` or `error`), `max_episode_steps`, `render_mode`
      (`rgb_array`, `human` or `ansi`): as in `tetrion/Placement-v0`.
    - `max_placements=128`: number of actions unless `movement=drop`; 256 by default under modern rules.
      A smaller number makes the observation smaller and faster.

    ## Vector Environment

    `gymnasium.make_vec("tetrion/Afterstates-v0", num_envs=n)`, as for `tetrion/Placement-v0`.

    ## Version History

    - v0: first version.
    """

    def __init__(
        self,
        *,
        rules: Rules | str = "standard",
        observation: str = "features",
        features: Sequence[str] | None = None,
        reward: str | Callable[[Transition], Any] = "lines",
        illegal_action: str = "ignore",
        max_placements: int | None = None,
        max_episode_steps: int | None = None,
        render_mode: str | None = None,
        **unknown: Any,
    ) -> None:
        super().__init__(**collect_options(locals()))

    @classmethod
    def _make_parts(
        cls, count: int, given: dict[str, Any], others: tuple[str, ...] = ()
    ) -> tuple[GameBatch, ObservationKind]:
        options = make_env_options(
            merge_options(cls, given, others),
            default_features=AFTERSTATE_DEFAULT_FEATURES,
            known_features=PLACEMENT_FEATURE_NAMES,
            with_features=("features", "dict"),
        )
        batch = GameBatch(options, count)
        return batch, AfterstatesObservation(batch)


class AfterstatesVectorEnv(GameVectorEnv):
    """Many games of `tetrion/Afterstates-v0` in one compiled call; `AfterstatesEnv` describes everything else."""

    _env_type = AfterstatesEnv


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

    _batch_type = KeyBatch

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
        super().__init__(collect_options(locals()))

    @property
    def falling_piece(self) -> Placement | None:
        """The falling piece where it is, written as a placement; None between two pieces."""
        return self._batch.get_falling_piece(0)


class KeysVectorEnv(GameVectorEnv):
    """Many games of `tetrion/Keys-v0` in one compiled call; `KeysEnv` describes everything else."""

    _env_type = KeysEnv
