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

from tetrion.agents import AnyAgent, DataAgent, load
from tetrion.agents.files import written
from tetrion.engine.play import GAME, UNLIMITED, Games
from tetrion.engine.rules import VERSION, Rules
from tetrion.evaluation import Evaluation
from tetrion.evaluation.games import play_games, standing
from tetrion.evaluation.intervals import of_mean
from tetrion.evaluation.workers import Workers
from tetrion.files import write_whole
from tetrion.lab.reproduction.side_by_side import train_seeds
from tetrion.lab.reproduction.watching import Watcher
from tetrion.training.run import Run

SAMPLE = 1000  # games whose single results are kept, to draw how they are distributed
COUNTED = ("lines", "score", "pieces")


@dataclass
class Laboratory:
    """Where measurements are taken: with which seed and budget, by whom, into which folder, and who watches."""

    folder: Path
    seed: int
    quick: bool
    workers: Workers
    watcher: Watcher

    def play(
        self,
        agent: AnyAgent | str,
        rules: str | None = None,
        games: int = 100,
        pieces: int | None = None,
        *,
        batches: int = 1,
        name: str = "",
    ) -> Evaluation:
        """Measure an agent, by the rules that it was made for if none are given.

        Several `batches` are kept one by one under `name`, so that whoever stops a long measurement loses one at most.
        """
        player = load(agent) if isinstance(agent, str) else agent
        chosen = Rules.parse(rules or str(getattr(player, "rules", "") or "standard"))
        caps = {"most_pieces": pieces or UNLIMITED, "most_lines": UNLIMITED}
        play_games(player, chosen, 0, 0, self.seed, caps, self.workers)  # compiled or loaded first
        start = time.perf_counter()
        settings = (name, repr(agent), str(chosen), games, batches, pieces, self.seed, VERSION)
        digest = hashlib.sha256(repr(settings).encode()).hexdigest()[:8]  # other games are never taken for these
        bounds = [games * batch // batches for batch in range(batches + 1)]
        parts: list[Games] = []
        for first, end in pairwise(bounds):
            file = self.folder / f"{name}.{digest}.games-{first}-{end}.npy"
            if batches > 1 and (kept := games_in(file)) is not None and len(kept) == end - first:
                parts.append(kept)
                continue

            def watch(present: Games, before: Sequence[Games] = tuple(parts)) -> None:
                seconds = time.perf_counter() - start
                self.watcher.plays(standing([*before, present], None, seconds)._replace(planned=games))

            played, stopped = play_games(player, chosen, first, end - first, self.seed, caps, self.workers, watch)
            if stopped:
                raise KeyboardInterrupt
            parts.append(played)
            if batches > 1:
                write_whole(file, as_file(played))
        seconds = time.perf_counter() - start
        return Evaluation.of(player.name, chosen, self.seed, np.concatenate(parts), seconds, False)

    def train(self, recipe: str | Path, name: str, seed: int, changes: Sequence[str] = ()) -> Run:
        """Train by a recipe, or go on with a run that was begun, or read one that has finished."""
        return self.train_all(recipe, name, [seed], changes)[0]

    def train_all(self, recipe: str | Path, name: str, seeds: Sequence[int], changes: Sequence[str] = ()) -> list[Run]:
        """The same with several seeds side by side; each comes to what it comes to alone."""
        return train_seeds(recipe, self.folder.parent / "runs" / name, seeds, changes, self.workers, self.watcher)


def games_in(file: Path) -> Games | None:
    """The games that a file of ours holds; None if there is none, or it is damaged."""
    try:
        games: Games = np.load(file, allow_pickle=False).astype(GAME)
    except (OSError, ValueError, EOFError, TypeError):
        return None
    return games


def as_file(games: Games) -> bytes:
    """Games as a file has them."""
    content = io.BytesIO()
    np.save(content, games)
    return content.getvalue()


class Measurement(Protocol):
    """Anything that is measured once and kept under its name; `settings` tell whether what was kept still holds."""

    @property
    def name(self) -> str:
        """Its name, and that of its file."""

    def settings(self, quick: bool) -> dict[str, Any]:
        """Everything that its outcome depends on, but the seed."""

    def take(self, laboratory: Laboratory) -> dict[str, Any]:
        """Measure."""


@dataclass(frozen=True)
class Play:
    """An agent's games: so many, or the fewer of a quick reproduction; `pieces` is the most of a game."""

    name: str
    agent: str | DataAgent
    games: int
    quick: int
    rules: str | None = None  # the agent's own if not given
    pieces: int | None = None
    quick_pieces: int | None = None  # the same if not given
    batches: int = 1

    def caps(self, quick: bool) -> tuple[int, int | None]:
        """How many games, and the most pieces of one."""
        return (self.quick, self.quick_pieces or self.pieces) if quick else (self.games, self.pieces)

    def settings(self, quick: bool) -> dict[str, Any]:
        """Agent, rules, games and the most pieces."""
        games, pieces = self.caps(quick)
        agent = self.agent if isinstance(self.agent, str) else written(self.agent)
        return {"agent": agent, "rules": self.rules, "games": games, "pieces": pieces}

    def take(self, laboratory: Laboratory) -> dict[str, Any]:
        """Play the games."""
        games, pieces = self.caps(laboratory.quick)
        batches = 1 if laboratory.quick else self.batches
        result = laboratory.play(self.agent, self.rules, games, pieces, batches=batches, name=self.name)
        return summed_up(result) | {"cap": pieces}


def summed_up(result: Evaluation) -> dict[str, Any]:
    """What is kept of an agent's games."""
    told = {key: value for key, value in result.to_json().items() if key not in TIMES}
    for name in COUNTED:
        numbers = result.per_game[name]
        told[name] |= {
            "deviation": float(numbers.std()),
            "played": float(numbers.mean()),
            "played_ci95": of_mean(numbers),
        }
    told["sample"] = {name: result.per_game[name][:SAMPLE].tolist() for name in COUNTED}
    told["time"] = {"seconds": result.seconds, "pieces_per_second": result.pieces_per_second}
    return told


TIMES = ("pieces_per_second", "difference_to_first", "rules_version", "seed")


@dataclass(frozen=True)
class Training:
    """A recipe tried with several seeds; what is changed for a quick reproduction comes on top of `changes`."""

    name: str
    recipe: str
    seeds: int
    quick_seeds: int = 1
    changes: Sequence[str] = ()
    quick_changes: Sequence[str] = ()

    def plan(self, quick: bool) -> tuple[int, tuple[str, ...]]:
        """How many seeds, and what is changed."""
        return (self.quick_seeds, (*self.changes, *self.quick_changes)) if quick else (self.seeds, (*self.changes,))

    def settings(self, quick: bool) -> dict[str, Any]:
        """The recipe with its changes, and the seeds."""
        seeds, changes = self.plan(quick)
        return {"recipe": self.recipe, "changes": list(changes), "seeds": seeds}

    def take(self, laboratory: Laboratory) -> dict[str, Any]:
        """Train with all seeds side by side, beginning with the laboratory's."""
        seeds, changes = self.plan(laboratory.quick)
        numbers = range(laboratory.seed, laboratory.seed + seeds)
        runs = laboratory.train_all(self.recipe, self.name, numbers, changes)
        return {"runs": [told_of(run) for run in runs], "time": {"seconds": [run.meta["seconds"] for run in runs]}}


def told_of(run: Run) -> dict[str, Any]:
    """What is kept of a run: every generation in short, the favourites' numbers, and what it came to."""
    return {
        "recipe": run.recipe.name,
        "rules": run.recipe.rules,
        "fitness": "lines" if run.recipe.learner == "q-learning" else run.recipe.games.fitness,
        "seed": run.recipe.seed,
        "names": list(run.names),
        "metrics": {name: column.tolist() for name, column in run.metrics.items()},
        "result": run.result,
    }


@dataclass(frozen=True)
class Calculation:
    """Anything else that is measured; another `version` or budget makes what was kept void.

    What `work` returns can be written as JSON; what depends on the machine stands under the key "time".
    """

    name: str
    work: Callable[[Laboratory], Mapping[str, Any]]
    version: int = 1

    def settings(self, quick: bool) -> dict[str, Any]:
        """Version and budget."""
        return {"version": self.version, "quick": quick}

    def take(self, laboratory: Laboratory) -> dict[str, Any]:
        """Do the work."""
        return dict(self.work(laboratory))
