"""A full registry: importing this module before the engine registers a copy of each feature.

The engine compiles its features when it is imported. The copies have the numbers from 59 on, most of them in the second
mask of an agent.
"""

from collections.abc import Callable, Iterable
from typing import Any

from tetrion.engine import feature_registry
from tetrion.engine.bitboard import Outcome
from tetrion.engine.feature_registry import BUILTIN_FEATURE_NUMBERS, FEATURES, Feature

PREFIX = "copied_"
compile_measure = feature_registry.compile_measure


def copy_feature(name: str, feature: Feature) -> None:
    """Register a feature again under another name."""
    feature_registry.register_feature(
        name,
        feature.measure,
        description=feature.description,
        source=feature.source,
        max_value=feature.max_value,
        kind=feature.kind,
    )


def fill_registry_and_compile(names: Iterable[str], first: int = 0) -> Callable[[int, Outcome, Any], None]:
    """Register the copies when the engine compiles its features for the first time."""
    if len(FEATURES) < len(BUILTIN_FEATURE_NUMBERS):
        for name, feature in list(FEATURES.items()):
            copy_feature(PREFIX + name, feature)
        while len(FEATURES) < len(BUILTIN_FEATURE_NUMBERS):
            copy_feature(f"filler_{len(FEATURES)}", FEATURES["holes"])
    return compile_measure(names, first)


feature_registry.compile_measure = fill_registry_and_compile
