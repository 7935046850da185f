"""Optimisers by their names in recipes."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tetrion.training.optimisers.cma_es import CmaEs, CmaSettings
from tetrion.training.optimisers.cross_entropy import CrossEntropy, CrossEntropySettings
from tetrion.training.optimisers.genetic_algorithm import GeneticAlgorithm, GeneticSettings
from tetrion.training.optimisers.harmony_search import HarmonySearch, HarmonySettings
from tetrion.training.optimisers.optimiser import Optimiser

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class OptimiserEntry(NamedTuple):
    """Type of an optimiser's settings, and a function that makes it from settings, a dimension and a seed."""

    settings_type: "type[DataclassInstance]"
    make_optimiser: Callable[[Any, int, int], Optimiser]


OPTIMISERS = {
    "genetic": OptimiserEntry(GeneticSettings, GeneticAlgorithm),
    "cross-entropy": OptimiserEntry(CrossEntropySettings, CrossEntropy),
    "cma": OptimiserEntry(CmaSettings, CmaEs),
    "harmony": OptimiserEntry(HarmonySettings, HarmonySearch),
}
