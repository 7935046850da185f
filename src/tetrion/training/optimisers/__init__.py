"""Every optimiser by the name that a recipe gives it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tetrion.training.optimisers.cma import CmaEvolution, CmaSettings
from tetrion.training.optimisers.cross_entropy import CrossEntropy, CrossEntropySettings
from tetrion.training.optimisers.genetic import GeneticAlgorithm, GeneticSettings
from tetrion.training.optimisers.harmony import HarmonySearch, HarmonySettings
from tetrion.training.optimisers.protocol import Optimiser

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


class Entry(NamedTuple):
    """An optimiser's settings, and how it is made from them, a number of dimensions and a seed."""

    settings: "type[DataclassInstance]"
    optimiser: Callable[[Any, int, int], Optimiser]


OPTIMISERS = {
    "genetic": Entry(GeneticSettings, GeneticAlgorithm),
    "cross-entropy": Entry(CrossEntropySettings, CrossEntropy),
    "cma": Entry(CmaSettings, CmaEvolution),
    "harmony": Entry(HarmonySettings, HarmonySearch),
}
