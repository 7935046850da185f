"""Published numbers of lines per game that figures and tables show beside ours."""

from typing import NamedTuple

_CHANCE = 0.2  # of a mean of about 100 games, or of a number of games that is not known


class PublishedMean(NamedTuple):
    """A published mean of lines per game and its margin relative to it."""

    lines: float
    margin: float

    @property
    def range(self) -> tuple[float, float]:
        """The mean with its margin."""
        return self.lines * (1 - self.margin), self.lines * (1 + self.margin)


class OlderResult(NamedTuple):
    """A result of an agent whose weights are not available, as cited by Thiery and Scherrer 2009."""

    authors: str
    method: str
    lines: float
    rules: str = "simplified"


TABLE_MARGIN = 0.035  # Scherrer et al. 2015: 2 % for chance in 10,000 games, 1.5 % for rounding to two digits
PUBLISHED_MEANS = {  # on 10×20
    "dellacherie": PublishedMean(5.2e6, _CHANCE),
    "el-tetris": PublishedMean(16e6, _CHANCE),
    "du": PublishedMean(31e6, TABLE_MARGIN),
    "bdu": PublishedMean(36e6, TABLE_MARGIN),
    "dt10": PublishedMean(29e6, TABLE_MARGIN),
    "dt20": PublishedMean(51e6, TABLE_MARGIN),
}
PUBLISHED_MEANS_ON_TEN_ROWS = {
    "du": PublishedMean(3800, TABLE_MARGIN),
    "bdu": PublishedMean(4200, TABLE_MARGIN),
    "dt10": PublishedMean(5000, TABLE_MARGIN),
    "dt20": PublishedMean(4300, TABLE_MARGIN),
}
OLDER_RESULTS = (
    OlderResult("Tsitsiklis and Van Roy 1996", "value iteration, two features", 30),
    OlderResult("Ramon and Driessens 2004", "relational reinforcement learning", 50),
    OlderResult("Lagoudakis et al. 2002", "least-squares policy iteration, up to", 3000),
    OlderResult("Bertsekas and Tsitsiklis 1996", "λ-policy iteration, 10×19", 3200),
    OlderResult("Farias and Van Roy 2006", "linear programming", 4700),
    OlderResult("Kakade 2001", "natural policy gradient", 6800),
    OlderResult("Llima 2005", "genetic algorithm", 50_000, "close to the original game"),
    OlderResult("Szita and Lőrincz 2006", "noisy cross-entropy", 350_000),
    OlderResult("Dellacherie in Fahey 2003", "hand-chosen weights", 660_000, "original game"),
)
MDP_TETRIS_MEANS = {  # of 4,000 games of the simulator of MdpTetris with seed 1 on 10×10, and their 95 % intervals
    "ce-bertsekas": (817.2, (793.3, 841.8)),
    "dellacherie": (2376.0, (2303.7, 2450.7)),
    "el-tetris": (3036.2, (2944.4, 3130.9)),
    "du": (3865.2, (3746.4, 3987.9)),
    "dt10": (5189.1, (5027.0, 5356.4)),
    "bdu": (4343.4, (4211.4, 4479.4)),
    "dt20": (4420.0, (4281.9, 4562.6)),
}
