"""`tetrion/Afterstates-v0`: the observation holds the board after each placement."""

from typing import Any

from tetrion.engine.feature_registry import FEATURES
from tetrion.envs.env_options import AFTERSTATE_DEFAULT_FEATURES, make_env_options, merge_options
from tetrion.envs.game_batch import GameBatch
from tetrion.envs.game_env import GameEnv, PlacementActions
from tetrion.envs.game_vector_env import GameVectorEnv, check_game_count
from tetrion.envs.observation_kinds import AfterstatesObservation, ObservationKind
from tetrion.envs.placement_env import PLACEMENT_DEFAULTS

AFTERSTATES_DEFAULTS = PLACEMENT_DEFAULTS | {"observation": "features"}


class AfterstatesEnv(PlacementActions, GameEnv):
    """Tetris in which the observation contains the result of each placement, for learners of afterstate values.

    ## Description

    The game of `tetrion/Placement-v0`, with the same actions, rewards and episodes. The observation contains one row
    per action: the afterstate, that is the board after the placement and after full rows are removed, before the next
    piece is known. A learner of a value V chooses the action with the largest reward + γ V(afterstate) without a model
    of the game.

    ## Action Space

    As in `tetrion/Placement-v0`: `Discrete(40)`, rotation × 10 + column, under rules with `movement=drop`;
    `Discrete(max_placements)`, the index of a placement, under rules with `movement=reach` or `movement=timed`.
    Action a leads to row a of the observation.

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
    - `next`, if the rules have a preview: `MultiDiscrete([7] × preview)`, the next pieces.

    ## Rewards

    As in `tetrion/Placement-v0`.

    ## Starting State

    As in `tetrion/Placement-v0`.

    ## Episode End

    As in `tetrion/Placement-v0`. After the end no action is legal, and all rows contain zeros.

    ## Information

    As in `tetrion/Placement-v0`.

    ## Arguments

    - `observation="features"`: `planes`, `columns`, `features` or `dict`.
    - `features`: names of features of the registry, of boards, placements and changes; default: the eight of the agent
      `du`.
    - All others as in `tetrion/Placement-v0`.

    ## Vector Environment

    As in `tetrion/Placement-v0`: `gymnasium.make_vec("tetrion/Afterstates-v0", num_envs=n)`.

    ## Version History

    - v0: first version.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(*_make_parts(1, options))


class AfterstatesVectorEnv(GameVectorEnv):
    """Many games of `tetrion/Afterstates-v0` in one compiled call; `AfterstatesEnv` describes everything else."""

    def __init__(self, num_envs: int = 1, *, copy: bool = True, **options: Any) -> None:
        super().__init__(*_make_parts(check_game_count(num_envs), options), copy)


def _make_parts(count: int, given: dict[str, Any]) -> tuple[GameBatch, ObservationKind]:
    options = make_env_options(
        merge_options(AFTERSTATES_DEFAULTS, given),
        default_features=AFTERSTATE_DEFAULT_FEATURES,
        known_features=tuple(FEATURES),
        with_features=("features", "dict"),
    )
    batch = GameBatch(options, count)
    return batch, AfterstatesObservation(batch)
