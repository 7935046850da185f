"""How something is measured: by games, by training, or by a calculation of a document's own."""

import hashlib
import io
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from tetrion.agents import AnyAgent, WeightedAgent, load_agent
from tetrion.agents.agent_files import agent_to_json
from tetrion.atomic_files import write_atomically
from tetrion.engine.batch_play import GAME_DTYPE, UNLIMITED, GameRecords
from tetrion.engine.rules import RULES_VERSION, Rules
from tetrion.evaluation import Evaluation
from tetrion.evaluation.agent_evaluation import compute_progress, play_agent_games
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.workers import Workers
from tetrion.lab.reproduction.parallel_training import train_seeds
from tetrion.lab.reproduction.reproduction_observer import ReproductionObserver
from tetrion.training.run import Run

_SAMPLE_SIZE = 1000  # games whose single results are kept, to draw how they are distributed
_GAME_METRICS = ("lines", "score", "pieces")


@dataclass
class MeasurementContext:
    """Where measurements are taken: with which seed and budget, by whom, into which folder, and who watches."""

    folder: Path
    seed: int
    is_quick: bool
    workers: Workers
    observer: ReproductionObserver

    def play(
        self,
        agent: AnyAgent | str,
        rules: str | None = None,
        games: int = 100,
        max_pieces: int | None = None,
        *,
        batch_count: int = 1,
        name: str = "",
    ) -> Evaluation:
        """Measure an agent, by the rules that it was made for if none are given.

        Several `batches` are kept one by one under `name`, so that whoever stops a long measurement loses one at most.
        """
        player = load_agent(agent) if isinstance(agent, str) else agent
        chosen = Rules.parse(rules or str(getattr(player, "rules", "") or "standard"))
        caps = {"max_pieces": max_pieces or UNLIMITED, "max_lines": UNLIMITED}
        play_agent_games(player, chosen, 0, 0, seed=self.seed, caps=caps, workers=self.workers)  # compiles or loads
        start = time.perf_counter()
        settings = (name, repr(agent), str(chosen), games, batch_count, max_pieces, self.seed, RULES_VERSION)
        digest = hashlib.sha256(repr(settings).encode()).hexdigest()[:8]  # other games are never taken for these
        bounds = [games * batch // batch_count for batch in range(batch_count + 1)]
        parts: list[GameRecords] = []
        for first, end in pairwise(bounds):
            file = self.folder / f"{name}.{digest}.games-{first}-{end}.npy"
            if batch_count > 1 and (kept := load_games(file)) is not None and len(kept) == end - first:
                parts.append(kept)
                continue

            def watch(present: GameRecords, before: Sequence[GameRecords] = tuple(parts)) -> None:
                seconds = time.perf_counter() - start
                self.observer.on_games(
                    compute_progress([*before, present], None, seconds)._replace(games_planned=games)
                )

            played, stopped = play_agent_games(
                player, chosen, first, end - first, seed=self.seed, caps=caps, workers=self.workers, on_progress=watch
            )
            if stopped:
                raise KeyboardInterrupt
            parts.append(played)
            if batch_count > 1:
                write_atomically(file, games_to_bytes(played))
        seconds = time.perf_counter() - start
        return Evaluation.from_games(player.name, chosen, self.seed, np.concatenate(parts), seconds=seconds)

    def train(self, recipe: str | Path, name: str, seed: int, changes: Sequence[str] = ()) -> Run:
        """Train by a recipe, or go on with a run that was begun, or read one that has finished."""
        return self.train_seeds(recipe, name, [seed], changes)[0]

    def train_seeds(
        self, recipe: str | Path, name: str, seeds: Sequence[int], changes: Sequence[str] = ()
    ) -> list[Run]:
        """The same with several seeds side by side; each comes to what it comes to alone."""
        return train_seeds(recipe, self.folder.parent / "runs" / name, seeds, changes, self.workers, self.observer)


def load_games(file: Path) -> GameRecords | None:
    """The games that a file of ours holds; None if there is none, or it is damaged."""
    try:
        games: GameRecords = np.load(file, allow_pickle=False).astype(GAME_DTYPE)
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return games


def games_to_bytes(games: GameRecords) -> bytes:
    """Games as a file has them."""
    content = io.BytesIO()
    np.save(content, games)
    return content.getvalue()


class Measurement(Protocol):
    """Anything that is measured once and kept under its name; `settings` tell whether what was kept still holds."""

    @property
    def name(self) -> str:
        """Its name, and that of its file."""

    def settings(self, is_quick: bool) -> dict[str, Any]:
        """Everything that its outcome depends on, but the seed."""

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Measure."""


@dataclass(frozen=True)
class GameMeasurement:
    """An agent's games: so many, or the fewer of a quick reproduction; `pieces` is the most of a game."""

    name: str
    agent: str | WeightedAgent
    games: int
    quick_games: int
    rules: str | None = None  # the agent's own if not given
    max_pieces: int | None = None
    quick_max_pieces: int | None = None  # the same if not given
    batch_count: int = 1

    def get_limits(self, is_quick: bool) -> tuple[int, int | None]:
        """How many games, and the most pieces of one."""
        return (
            (self.quick_games, self.quick_max_pieces or self.max_pieces) if is_quick else (self.games, self.max_pieces)
        )

    def settings(self, is_quick: bool) -> dict[str, Any]:
        """Agent, rules, games and the most pieces."""
        games, pieces = self.get_limits(is_quick)
        agent = self.agent if isinstance(self.agent, str) else agent_to_json(self.agent)
        return {"agent": agent, "rules": self.rules, "games": games, "pieces": pieces}

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Play the games."""
        games, pieces = self.get_limits(context.is_quick)
        batches = 1 if context.is_quick else self.batch_count
        result = context.play(self.agent, self.rules, games, pieces, batch_count=batches, name=self.name)
        return summarise_games(result) | {"cap": pieces}


def summarise_games(result: Evaluation) -> dict[str, Any]:
    """What is kept of an agent's games."""
    told = {key: value for key, value in result.to_json().items() if key not in _EXCLUDED_KEYS}
    for name in _GAME_METRICS:
        numbers = result.per_game[name]
        told[name] |= {
            "deviation": float(numbers.std()),
            "played": float(numbers.mean()),
            "played_ci95": compute_mean_interval(numbers),
        }
    told["sample"] = {name: result.per_game[name][:_SAMPLE_SIZE].tolist() for name in _GAME_METRICS}
    told["time"] = {"seconds": result.seconds, "pieces_per_second": result.pieces_per_second}
    return told


_EXCLUDED_KEYS = ("pieces_per_second", "difference_to_first", "rules_version", "seed")


@dataclass(frozen=True)
class TrainingMeasurement:
    """A recipe tried with several seeds; what is changed for a quick reproduction comes on top of `changes`."""

    name: str
    recipe: str
    seed_count: int
    quick_seed_count: int = 1
    changes: Sequence[str] = ()
    quick_changes: Sequence[str] = ()

    def get_plan(self, is_quick: bool) -> tuple[int, tuple[str, ...]]:
        """How many seeds, and what is changed."""
        return (
            (self.quick_seed_count, (*self.changes, *self.quick_changes))
            if is_quick
            else (self.seed_count, (*self.changes,))
        )

    def settings(self, is_quick: bool) -> dict[str, Any]:
        """The recipe with its changes, and the seeds."""
        seeds, changes = self.get_plan(is_quick)
        return {"recipe": self.recipe, "changes": list(changes), "seeds": seeds}

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Train with all seeds side by side, beginning with the laboratory's."""
        seeds, changes = self.get_plan(context.is_quick)
        numbers = range(context.seed, context.seed + seeds)
        runs = context.train_seeds(self.recipe, self.name, numbers, changes)
        return {
            "runs": [summarise_run(run) for run in runs],
            "time": {"seconds": [run.meta["seconds"] for run in runs]},
        }


def summarise_run(run: Run) -> dict[str, Any]:
    """What is kept of a run: every generation in short, the favourites' numbers, and what it came to."""
    return {
        "recipe": run.recipe.name,
        "rules": run.recipe.rules,
        "fitness": "lines" if run.recipe.learner == "q-learning" else run.recipe.games.fitness,
        "seed": run.recipe.seed,
        "names": list(run.parameter_names),
        "metrics": {name: column.tolist() for name, column in run.metrics.items()},
        "result": run.result,
    }


@dataclass(frozen=True)
class CustomMeasurement:
    """Anything else that is measured; another `version` or budget makes what was kept void.

    What `work` returns can be written as JSON; what depends on the machine stands under the key "time".
    """

    name: str
    function: Callable[[MeasurementContext], Mapping[str, Any]]
    version: int = 1

    def settings(self, is_quick: bool) -> dict[str, Any]:
        """Version and budget."""
        return {"version": self.version, "quick": is_quick}

    def measure(self, context: MeasurementContext) -> dict[str, Any]:
        """Do the work."""
        return dict(self.function(context))
