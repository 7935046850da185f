"""How whoever plays many games tells how far they are: what is called with their records, and how often."""

from collections.abc import Callable

from tetrion.engine.batch_play import GameRecords

GamesObserver = Callable[[GameRecords], None]
PROGRESS_INTERVAL_SECONDS = 0.2  # between two calls; Ctrl-C is heard as often
