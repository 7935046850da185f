"""`tetrion/Afterstates-v0`: the observation holds the board after each placement."""

from collections.abc import Callable, Sequence
from typing import Any

from tetrion.engine.rules import Rules
from tetrion.envs.game_batch import GameBatch, Transition
from tetrion.envs.game_env import GameVectorEnv, PlacementGameEnv
from tetrion.envs.observation_kinds import AfterstatesObservation, ObservationKind
from tetrion.envs.options import (
    AFTERSTATE_DEFAULT_FEATURES,
    PLACEMENT_FEATURE_NAMES,
    VECTOR_OPTIONS,
    collect_options,
    make_env_options,
    merge_options,
)


class AfterstatesEnv(PlacementGameEnv):
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

    When the game is over by the rules, all rows contain zeros, and the mask has 1 for action 0 alone. No action has an
    effect then, but the probabilities of a policy with masks stay defined. After a truncation or an illegal action, the
    observation is that of the position that was reached.

    ## Information

    `action_mask` (int8, one number per action), `is_legal` (whether the last action was legal), and the totals of the
    game: `pieces`, `lines`, `score`.

    Under modern rules also the totals `attack` (rows of garbage made), `sent` (those that cancelled no waiting
    garbage), `received` (rows of garbage that have risen) and `perfect_clears`, the current `combo` and `back_to_back`,
    and `spin`, the spin of the piece placed in the last step: 0 none, 1 mini, 2 full.

    ## Arguments

    - `rules="standard"`: a name, a name with options such as `"standard:height=10"`, or `tetrion.Rules`.
    - `observation="features"`: `planes`, `columns`, `features` or `dict`.
    - `features`: the features for `observation="features"` and `"dict"`, names of features of boards, placements and
      changes, under modern rules also attack features such as `t_slots_ready`; default: the eight of the agent `du`.
    - `reward="lines"`: `lines`, `score`, `survival`, `shaped`, `attack`, or a function.
    - `illegal_action="ignore"`: what an illegal action does. `ignore`: nothing, the step counts; `terminate`: the
      episode ends; `error`: an `ActionError` names the closest legal action (Gymnasium's `check_env`, which ignores the
      mask, cannot pass then).
    - `max_placements=128`: number of actions unless `movement=drop`; 256 by default under modern rules.
      A board with very many gaps can have more placements; those beyond the limit have no action. A smaller number
      makes the observation smaller and faster.
    - `max_episode_steps`: see Episode End. `gymnasium.make` and `make_vec` use the registered limit unless it is given;
      for the classes themselves, the default is no limit.
    - `render_mode`: `rgb_array`, `human` or `ansi`.

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
        super().__init__(*_make_parts(1, collect_options(locals())))


class AfterstatesVectorEnv(GameVectorEnv):
    """Many games of `tetrion/Afterstates-v0` in one compiled call; `AfterstatesEnv` describes everything else."""

    def make_parts(self, count: int, options: dict[str, Any]) -> tuple[GameBatch, ObservationKind]:
        """Return the games and their observations."""
        return _make_parts(count, options, VECTOR_OPTIONS)


def _make_parts(count: int, given: dict[str, Any], others: tuple[str, ...] = ()) -> tuple[GameBatch, ObservationKind]:
    options = make_env_options(
        merge_options(AfterstatesEnv, given, others),
        default_features=AFTERSTATE_DEFAULT_FEATURES,
        known_features=PLACEMENT_FEATURE_NAMES,
        with_features=("features", "dict"),
    )
    batch = GameBatch(options, count)
    return batch, AfterstatesObservation(batch)
