"""Whoever watches a reproduction; each of these is called when it is time, and does nothing by itself."""

from tetrion.evaluation.games import Standing


class Watcher:
    """Is told how far a reproduction is."""

    def begins(self, paper: str, measurement: str, number: int, of: int) -> None:
        """A measurement begins, the one of that number (from 0)."""

    def plays(self, standing: Standing) -> None:
        """Games go on."""

    def trains(self, seed: int, of: int) -> None:
        """Training begins with the seed of that number (from 0)."""

    def learns(self, generations: int) -> None:
        """A generation or an episode has ended."""

    def ends(self, paper: str) -> None:
        """All is measured."""
