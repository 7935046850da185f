"""Claims of the literature about its controllers, and cross-checks with MdpTetris."""

from collections.abc import Sequence

from tetrion.lab.papers.literature.cross_entropy_runs import CROSS_ENTROPY_CLAIMS
from tetrion.lab.papers.literature.literature_answers import BURGIEL_MAX_PIECES, LiteratureAnswers
from tetrion.lab.papers.literature.literature_controllers import (
    CONTROLLER_NAMES,
    EL_TETRIS_SOURCE,
    GABILLON_SOURCE,
    LITERATURE_CONTROLLERS,
    MDP_TETRIS_MEANS,
    THIERY_SCHERRER_ABSTRACT,
    THIERY_SCHERRER_CONTROLLERS,
    TIE_MEASUREMENTS,
    UNCHECKED_NOTE,
    CitedMean,
)
from tetrion.lab.papers.literature.literature_figures import make_board_lines_reader, make_lines_reader
from tetrion.lab.reproduction.measured_values import make_ratio_reader
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind
from tetrion.lab.reproduction.published_values import PublishedOrdering, PublishedStatement

LITERATURE_ANSWERS = LiteratureAnswers(CONTROLLER_NAMES, TIE_MEASUREMENTS, THIERY_SCHERRER_CONTROLLERS)
_UNKNOWN_CAUSE = "the cause is not known"
_BEST_RESULTS_QUOTATION = "“the best results reported in the literature for Tetris in both small 10 × 10 and large "
_FAHEY_MEAN = CitedMean(f"Fahey 2003, “Tetris AI”, {UNCHECKED_NOTE}", 0.6e6)


def make_ranking_claim(names: tuple[str, str], rows: int, source: str, published: PublishedOrdering) -> Claim:
    """Return the claim that the first controller clears more lines than the second on a board."""
    first, second = names
    return Claim(
        f"{first} clears more than {second} on 10×{rows}",
        source,
        published,
        make_ratio_reader(make_board_lines_reader(rows, first), make_board_lines_reader(rows, second)),
        difference_cause=_UNKNOWN_CAUSE,
    )


def make_cited_claims() -> list[Claim]:
    """Return the published means on 10×20."""
    return [
        Claim(
            f"{controller.name}, lines per game on 10×20",
            controller.cited.source,
            controller.cited.to_published_value(),
            make_board_lines_reader(20, controller.name),
            difference_cause=_UNKNOWN_CAUSE,
        )
        for controller in LITERATURE_CONTROLLERS
        if controller.cited
    ]


def make_cross_checks() -> list[Claim]:
    """Return the comparisons with games of MdpTetris."""
    return [
        Claim(
            f"{name}, lines per game on 10×{rows}",
            mean.location,
            mean.to_published_value(),
            make_board_lines_reader(rows, name),
            difference_cause=_UNKNOWN_CAUSE,
            kind=ClaimKind.OWN,
        )
        for (name, rows), mean in MDP_TETRIS_MEANS.items()
    ]


LITERATURE_CLAIMS: Sequence[Claim] = [
    *make_cited_claims(),
    make_ranking_claim(
        ("du", "dellacherie"),
        20,
        THIERY_SCHERRER_ABSTRACT,
        PublishedOrdering("“a controller that outperforms the previous known results”"),
    ),
    make_ranking_claim(
        ("el-tetris", "dellacherie"),
        20,
        f"{EL_TETRIS_SOURCE}, title",
        PublishedOrdering("“An Improvement on Pierre Dellacherie's Algorithm”"),
    ),
    make_ranking_claim(
        ("dt20", "du"),
        20,
        f"{GABILLON_SOURCE}, abstract",
        PublishedOrdering(
            f"{_BEST_RESULTS_QUOTATION}10 × 20 boards”, though “similar to those of the CE method in the large board”",
            criterion="more lines than du, the controller of the cross-entropy (CE) method",
        ),
    ),
    make_ranking_claim(
        ("dt10", "bdu"),
        10,
        f"{GABILLON_SOURCE}, abstract",
        PublishedOrdering(
            f"{_BEST_RESULTS_QUOTATION}10 × 20 boards”",
            criterion="more lines than bdu, the best earlier controller here on ten rows",
        ),
    ),
    make_ranking_claim(
        ("dt20", "dt10"),
        20,
        f"Gabillon, Ghavamzadeh and Scherrer 2013, {UNCHECKED_NOTE}",
        PublishedOrdering("51 M to 29 M lines"),
    ),
    *CROSS_ENTROPY_CLAIMS,
    Claim(
        "the length of games is close to exponential, 10×10",
        f"Thiery and Scherrer 2009, {UNCHECKED_NOTE}",
        PublishedStatement(
            "close to exponential: the standard deviation is about the mean",
            criterion="the standard deviation is within 10 % of the mean for each of their controllers",
        ),
        LITERATURE_ANSWERS.check_exponential_spread,
        difference_cause=_UNKNOWN_CAUSE,
    ),
    Claim(
        "alternating S and Z pieces end every game, 10×20",
        "Burgiel 1997, “How to Lose at Tetris” (The Mathematical Gazette 81), as stated in the Hard Drop wiki, “A "
        "deadly piece sequence”",
        PublishedStatement(f"“will always end before {BURGIEL_MAX_PIECES:,} Tetrominoes have been played”"),
        LITERATURE_ANSWERS.check_burgiel_bound,
        difference_cause=_UNKNOWN_CAUSE,
    ),
    *make_cross_checks(),
    Claim(
        "dellacherie, lines per game on 10×20, if a new piece must fit into the top rows",
        _FAHEY_MEAN.source,
        _FAHEY_MEAN.to_published_value(),
        make_lines_reader("dellacherie-entry"),
        difference_cause="under Fahey's rules a piece must also move sideways below the top, while ours moves above "
        "the board; the effect of this was not tested",
        published_rules="Fahey's standard; ours is the closest that our rules can express",
        kind=ClaimKind.OWN,
    ),
]
