"""Recipes that take moments, and a run's files to compare."""

from pathlib import Path
from typing import Any

from tetrion.training.recipe import Recipe, apply_changes
from tetrion.training.run import META_FILE

AGENT = {"features": ["holes", "bumpiness", "lines", "aggregate_height"]}
LEARNERS: dict[str, dict[str, Any]] = {
    "genetic": {"population": 6, "spread": 1, "tournament": 2, "mutation_step": 0.5},
    "cross-entropy": {"population": 8, "elite_share": 0.5, "spread": 1},
    "cma": {"population": 6},
    "harmony": {"memory": 4, "improvisations": 3, "spread": 1},
}


def small(learner: str = "genetic", *changes: str, seed: int = 1) -> Recipe:
    """A recipe of a few generations of short games."""
    content: dict[str, Any] = {"format": 1, "name": "small", "learner": learner, "rules": "standard", "seed": seed}
    if learner == "q-learning":
        content |= {"q-learning": {"episodes": 5, "pieces": 40}, "rules": "tetrais"}
    else:
        content |= {learner: LEARNERS[learner], "agent": AGENT, "stop": {"generations": 5}}
        content |= {"games": {"count": 2, "pieces": [40, 80], "rise": 0.3, "races": 1}}
    content |= {"judge": {"games": 2, "pieces": 60, "final": 4, "finalists": 2}}
    return Recipe.from_mapping(apply_changes(content, changes), "small")


def files_of(folder: Path) -> dict[str, bytes]:
    """Every file of a run but the one that tells of times and places."""
    paths = [path for path in folder.rglob("*") if path.is_file() and path.name != META_FILE]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(paths)}
