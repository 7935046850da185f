"""Gymnasium environments, single and vector. They need the extra `rl`; `import tetrion` registers them."""

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tetrion.envs.afterstates_env import (
        AfterstatesEnv as AfterstatesEnv,
        AfterstatesVectorEnv as AfterstatesVectorEnv,
    )
    from tetrion.envs.game_batch import Transition as Transition
    from tetrion.envs.keys_env import KeysEnv as KeysEnv, KeysVectorEnv as KeysVectorEnv
    from tetrion.envs.placement_env import PlacementEnv as PlacementEnv, PlacementVectorEnv as PlacementVectorEnv
    from tetrion.envs.stable_baselines import StableBaselinesVecEnv as StableBaselinesVecEnv

_MODULES = {
    "AfterstatesEnv": "afterstates_env",
    "AfterstatesVectorEnv": "afterstates_env",
    "KeysEnv": "keys_env",
    "KeysVectorEnv": "keys_env",
    "PlacementEnv": "placement_env",
    "PlacementVectorEnv": "placement_env",
    "StableBaselinesVecEnv": "stable_baselines",
    "Transition": "game_batch",
}
_MISSING_LIBRARIES = {  # and the extra that installs them
    "gymnasium": ("The environments need Gymnasium.", "rl"),
    "stable_baselines3": ("This environment needs Stable-Baselines3.", "learning"),
}
__all__ = sorted(_MODULES)


def __getattr__(name: str) -> "Any":
    if name not in _MODULES:
        raise AttributeError(f"module 'tetrion.envs' has no attribute '{name}'")
    try:
        return getattr(import_module(f"tetrion.envs.{_MODULES[name]}"), name)
    except ModuleNotFoundError as error:
        library = str(error.name).partition(".")[0]
        if library not in _MISSING_LIBRARIES:
            raise
        need, extra = _MISSING_LIBRARIES[library]
        message = f'{need} Install it in the folder of the repository: pip install -e ".[{extra}]"'
        raise ModuleNotFoundError(message, name=library) from None


def __dir__() -> list[str]:
    return __all__
