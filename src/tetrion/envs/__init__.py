"""Gymnasium environments, single and vector; they need the extra `rl`. Importing this package registers them."""

from importlib import import_module

from tetrion.errors import TetrionError
from tetrion.extras import make_install_command, require

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tetrion.envs.environments import (
        AfterstatesEnv as AfterstatesEnv,
        AfterstatesVectorEnv as AfterstatesVectorEnv,
        KeysEnv as KeysEnv,
        KeysVectorEnv as KeysVectorEnv,
        PlacementEnv as PlacementEnv,
        PlacementVectorEnv as PlacementVectorEnv,
    )
    from tetrion.envs.game_batch import Transition as Transition
    from tetrion.envs.stable_baselines import StableBaselinesVecEnv as StableBaselinesVecEnv

_MODULES = {
    **{
        f"{name}{kind}": "environments"
        for name in ("Placement", "Afterstates", "Keys")
        for kind in ("Env", "VectorEnv")
    },
    "StableBaselinesVecEnv": "stable_baselines",
    "Transition": "game_batch",
}
__all__ = sorted(_MODULES)

# The task of jumanji's `Tetris-v0`.
JUMANJI_OPTIONS = {
    "rules": "standard-10x10:scoring=flat",
    "reward": "score",
    "illegal_action": "terminate",
}
JUMANJI_PIECES = 400
MAX_PLACEMENT_STEPS = 10_000  # strong agents play for millions of pieces
MAX_KEY_STEPS = 100_000
REGISTERED_ENVIRONMENTS: "dict[str, tuple[str, dict[str, Any], int]]" = {  # class, options and steps of an episode
    "tetrion/Placement-v0": ("Placement", {}, MAX_PLACEMENT_STEPS),
    "tetrion/Keys-v0": ("Keys", {}, MAX_KEY_STEPS),
    "tetrion/Afterstates-v0": ("Afterstates", {}, MAX_PLACEMENT_STEPS),
    "tetrion/Jumanji-v0": ("Placement", JUMANJI_OPTIONS, JUMANJI_PIECES),
    "tetrion/JumanjiAfterstates-v0": ("Afterstates", JUMANJI_OPTIONS, JUMANJI_PIECES),
}


def _register_environments() -> None:
    gymnasium = require("gymnasium", "environments")
    if not hasattr(gymnasium.vector, "AutoresetMode"):
        raise TetrionError(
            f"Environments need Gymnasium 1.1 or later; {gymnasium.__version__} is installed. Upgrade it: "
            f"{make_install_command('rl')}"
        )
    for environment_id, (name, options, max_episode_steps) in REGISTERED_ENVIRONMENTS.items():
        gymnasium.register(
            environment_id,
            entry_point=f"tetrion.envs.environments:{name}Env",
            vector_entry_point=f"tetrion.envs.environments:{name}VectorEnv",
            kwargs=options,
            max_episode_steps=max_episode_steps,
        )


def __getattr__(name: str) -> "Any":
    if name not in _MODULES:
        raise AttributeError(f"module 'tetrion.envs' has no attribute '{name}'")
    if name == "StableBaselinesVecEnv":
        require("stable_baselines3", "StableBaselinesVecEnv")
    return getattr(import_module(f"tetrion.envs.{_MODULES[name]}"), name)


def __dir__() -> list[str]:
    return __all__


_register_environments()
