"""The controllers of the literature: our games, the published means, and the means of another program."""

from typing import NamedTuple

from tetrion.agents import load_weighted_agent
from tetrion.evaluation.confidence_intervals import Interval
from tetrion.evaluation.number_format import format_mean_interval, format_number
from tetrion.lab.reproduction.published_values import PublishedRange, PublishedWithMargin

UNCHECKED_NOTE = "commonly cited; not checked in the original"
THIERY_SCHERRER_ABSTRACT = (
    "Thiery and Scherrer 2009, “Improvements on Learning Tetris with Cross Entropy” (ICGA Journal 32), abstract"
)
GABILLON_SOURCE = (
    "Gabillon, Ghavamzadeh and Scherrer 2013, “Approximate Dynamic Programming Finally Performs Well in the Game of "
    "Tetris” (NIPS 26)"
)
EL_TETRIS_SOURCE = "El-Ashi 2011, “El-Tetris – An Improvement on Pierre Dellacherie's Algorithm”"
MDP_TETRIS = "MdpTetris (github.com/brunoscherrer/mdptetris, commit 5cc0815)"
LITERATURE_BOARD_HEIGHTS = (*range(10, 21, 2),)  # rows of the boards for Dellacherie's controller
_OWN_MARGIN = 0.2  # for a cited mean whose uncertainty is not known to us


class CitedMean(NamedTuple):
    """A published mean of lines per game; `text` has its own margin, if the publication gives one."""

    source: str
    lines: float
    text: str = ""

    def to_published_value(self) -> PublishedWithMargin:
        """Return the value to compare with; a margin that the publication does not give is our criterion."""
        text = self.text or f"{format_number(self.lines)} lines"
        criterion = "" if self.text else f"within {100 * _OWN_MARGIN:g} %"
        return PublishedWithMargin(text, value=self.lines, margin_share=_OWN_MARGIN, criterion=criterion)

    @property
    def interval(self) -> Interval:
        """The ends of the margin."""
        return self.lines * (1 - _OWN_MARGIN), self.lines * (1 + _OWN_MARGIN)


class MdpTetrisMean(NamedTuple):
    """A mean of games that MdpTetris, the program of Thiery and Scherrer, played with seed 1, and its 95 % interval."""

    games: int
    lines: float
    interval: Interval
    weights: str  # what its controller file was

    @property
    def location(self) -> str:
        """The program, the number of games and the weights."""
        return f"{MDP_TETRIS}, {self.games:,} games of its own simulator with {self.weights}"

    def to_published_value(self) -> PublishedRange:
        """Return the interval of the mean as the value to compare with."""
        low, high = self.interval
        return PublishedRange(format_mean_interval(self.lines, self.interval), low=low, high=high)


class LiteratureController(NamedTuple):
    """A controller, our games on twenty rows, and the published mean there."""

    name: str
    games: int
    max_pieces: int
    quick_budget: tuple[int, int]  # games, and pieces per game at most
    cited: CitedMean | None = None

    @property
    def is_long(self) -> bool:
        """Whether its games on twenty rows are so long that a GPU plays them."""
        return self.games == _GPU_GAMES


_QUICK_LONG_GAMES = (75, 200_000)
_GPU_GAMES = 262_144  # games at a time that keep a large GPU busy; their caps are chosen for 400 deaths or more
LITERATURE_CONTROLLERS = (
    LiteratureController("lee", 20_000, 10_000_000, (2000, 10_000_000)),
    LiteratureController("ce-bertsekas", 1000, 10_000_000, (80, 10_000_000)),
    LiteratureController(
        "dellacherie",
        _GPU_GAMES,
        30_000,
        (100, 400_000),
        CitedMean(f"Thiery and Scherrer 2009, {UNCHECKED_NOTE}", 5.2e6),
    ),
    LiteratureController(
        "el-tetris", _GPU_GAMES, 90_000, _QUICK_LONG_GAMES, CitedMean(f"El-Ashi 2011, {UNCHECKED_NOTE}", 16e6)
    ),
    LiteratureController(
        "du",
        _GPU_GAMES,
        150_000,
        _QUICK_LONG_GAMES,
        CitedMean(
            THIERY_SCHERRER_ABSTRACT,
            35e6,
            "“On a simplified version of Tetris considered by most research works, it achieves 35,000,000 ± 20% lines "
            "per game on average”",
        ),
    ),
    LiteratureController(
        "dt10",
        _GPU_GAMES,
        175_000,
        _QUICK_LONG_GAMES,
        CitedMean(f"Gabillon, Ghavamzadeh and Scherrer 2013, {UNCHECKED_NOTE}", 29e6),
    ),
    LiteratureController(
        "bdu",
        _GPU_GAMES,
        175_000,
        _QUICK_LONG_GAMES,
        CitedMean(f"Thiery and Scherrer 2009, {UNCHECKED_NOTE}", 36e6),
    ),
    LiteratureController(
        "dt20",
        _GPU_GAMES,
        260_000,
        _QUICK_LONG_GAMES,
        CitedMean(f"Gabillon, Ghavamzadeh and Scherrer 2013, {UNCHECKED_NOTE}", 51e6),
    ),
)
CONTROLLER_NAMES = [controller.name for controller in LITERATURE_CONTROLLERS]
THIERY_SCHERRER_CONTROLLERS = ("ce-bertsekas", "dellacherie", "du", "bdu")  # those of their publications of 2009

_TRANSFERRED_WEIGHTS = "our weights, written in its file format"
_CE_BERTSEKAS_FILE = "its experiments/cross_entropy_record/features_bertsekas.dat"
MDP_TETRIS_MEANS = {  # controller and rows: games without a limit, ties as its own simulator breaks them
    ("ce-bertsekas", 10): MdpTetrisMean(4000, 817.2, (793.3, 841.8), _CE_BERTSEKAS_FILE),
    ("ce-bertsekas", 20): MdpTetrisMean(200, 166_281, (145_051, 190_619), _CE_BERTSEKAS_FILE),
    ("dellacherie", 10): MdpTetrisMean(4000, 2376.0, (2303.7, 2450.7), "its data/features/dellacherie_initial.dat"),
    ("el-tetris", 10): MdpTetrisMean(4000, 3036.2, (2944.4, 3130.9), _TRANSFERRED_WEIGHTS),
    ("du", 10): MdpTetrisMean(4000, 3865.2, (3746.4, 3987.9), "its data/features/record_du.dat"),
    ("dt10", 10): MdpTetrisMean(4000, 5189.1, (5027.0, 5356.4), _TRANSFERRED_WEIGHTS),
    ("bdu", 10): MdpTetrisMean(4000, 4343.4, (4211.4, 4479.4), "its data/features/record_bdu.dat"),
    ("dt20", 10): MdpTetrisMean(4000, 4420.0, (4281.9, 4562.6), _TRANSFERRED_WEIGHTS),
}

DELLACHERIE_WEIGHTS = dict(load_weighted_agent("dellacherie").weights)
TIE_BREAKS = {  # label: weights that choose among equally good placements of Dellacherie's controller
    "first by orientation and column (default)": {},
    "more quarter turns": {"turns": 0.01},
    "lower highest cell": {"piece_top": 0.01},
    "higher highest cell": {"piece_top": -0.01},
    "nearer to the lowest column": {"lowest_column_distance": -0.01},
    "farther from the lowest column": {"lowest_column_distance": 0.01},
}
TIE_MEASUREMENTS = {label: f"tie-{number}" for number, label in enumerate(TIE_BREAKS)}
