"""Registration of the environments with Gymnasium, so that `gymnasium.make("tetrion/Placement-v0")` creates them.

Gymnasium 1.0 and later call no entry points of packages, so `import tetrion` registers the environments: at once, or
as soon as Gymnasium is imported. Versions below 1.1 lack the autoreset modes of vector environments; there nothing is
registered, also not by the entry point `gymnasium.envs`, which they call while they are being imported.
"""

import sys

TYPE_CHECKING = False  # `typing` is not imported, so that `import tetrion` stays fast
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

# The task of jumanji's `Tetris-v0`.
JUMANJI_OPTIONS = {
    "rules": "standard-10x10:scoring=flat",
    "reward": "score",
    "illegal_action": "terminate",
}
JUMANJI_PIECES = 400
MAX_PLACEMENT_STEPS = 10_000  # strong agents play for millions of pieces
MAX_KEY_STEPS = 100_000

# The id without namespace: module, class, options and the largest number of steps of an episode.
REGISTERED_ENVIRONMENTS: "dict[str, tuple[str, str, dict[str, Any], int]]" = {
    "Placement-v0": ("placement_env", "Placement", {}, MAX_PLACEMENT_STEPS),
    "Keys-v0": ("keys_env", "Keys", {}, MAX_KEY_STEPS),
    "Afterstates-v0": ("afterstates_env", "Afterstates", {}, MAX_PLACEMENT_STEPS),
    "Jumanji-v0": ("placement_env", "Placement", JUMANJI_OPTIONS, JUMANJI_PIECES),
    "JumanjiAfterstates-v0": ("afterstates_env", "Afterstates", JUMANJI_OPTIONS, JUMANJI_PIECES),
}
NAMESPACE = "tetrion"
MIN_GYMNASIUM_VERSION = (1, 1)


def register_environments() -> None:
    """Register all environments with Gymnasium, if its version is sufficient."""
    import gymnasium

    version = getattr(gymnasium, "__version__", "0")
    if not hasattr(gymnasium, "registry") or parse_version(version) < MIN_GYMNASIUM_VERSION:
        return
    for name, (module, prefix, options, max_episode_steps) in REGISTERED_ENVIRONMENTS.items():
        environment_id = f"{NAMESPACE}/{name}"
        if environment_id not in gymnasium.registry:
            gymnasium.register(
                environment_id,
                entry_point=f"tetrion.envs.{module}:{prefix}Env",
                vector_entry_point=f"tetrion.envs.{module}:{prefix}VectorEnv",
                kwargs=options,
                max_episode_steps=max_episode_steps,
            )


def parse_version(text: str) -> tuple[int, int]:
    """Return the first two numbers of a version such as 1.4.0."""
    major, minor, *_ = [*text.split("."), "0"]
    return (int(major), int(minor)) if (major + minor).isdecimal() else (0, 0)


def register_with_gymnasium() -> None:
    """Register all environments now if Gymnasium is imported, else as soon as it is."""
    if sys.modules.get("gymnasium"):
        register_environments()
    else:
        sys.meta_path.insert(0, _GymnasiumFinder())


class _GymnasiumFinder:
    """A finder of Python's import system that registers the environments after the import of Gymnasium."""

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> "ModuleSpec | None":
        """Find Gymnasium with the other finders, and let its loader register the environments."""
        if name != "gymnasium":
            return None
        for finder in sys.meta_path:
            spec = finder.find_spec(name, path, target) if finder is not self else None
            if spec is not None:
                self._add_registration(spec)
                return spec
        return None

    def _add_registration(self, spec: "ModuleSpec") -> None:
        """Let the import of a found module register the environments; programs also search without importing."""
        loader: Any = spec.loader
        execute = loader.exec_module

        def execute_and_register(module: "ModuleType") -> None:
            execute(module)
            if self in sys.meta_path:
                sys.meta_path.remove(self)
                register_environments()

        loader.exec_module = execute_and_register
