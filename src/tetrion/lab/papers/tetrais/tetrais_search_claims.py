"""Claims of the TetrAIs report about strategies with one piece, lookahead, speed and the genetic agent."""

from functools import partial

from tetrion.lab.papers.tetrais.single_piece_strategies import SINGLE_PIECES, WELL_WIDTHS, get_published_strategy
from tetrion.lab.papers.tetrais.tetrais_search_findings import (
    ACTION_COUNT,
    KEPT_SCORE_SHARE,
    MUCH_FASTER,
    TIME_LIMIT,
    TIME_MARGIN,
    check_decision_time,
    check_depth_two_too_slow,
    check_endless,
    check_games_end,
    check_time_growth,
    make_genetic_speed_check,
    make_high_speed_check,
    make_no_strategy_check,
    make_strategy_check,
    measure_report_delta,
)
from tetrion.lab.reproduction.measured_values import make_best_game_reader
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind, Reading
from tetrion.lab.reproduction.published_values import PublishedLowerBound, PublishedRange, PublishedStatement

_FIGURE_2 = "section 3.2, Figure 2 (after Brzustowski 1992)"


def format_published_strategies(kind: str) -> str:
    """Return the entries of Figure 2 for the wells that we search."""
    entries = {width: get_published_strategy(kind, width) for width in WELL_WIDTHS}
    return "; ".join(
        f"width {width}: height {entry.height}, {entry.state_count} state{'s' if entry.state_count > 1 else ''}"
        for width, entry in entries.items()
        if entry
    )


STRATEGY_CLAIMS = [
    *(
        Claim(
            f"a sequence of {kind.lower()} pieces can be played for ever in these wells",
            _FIGURE_2,
            PublishedStatement(
                format_published_strategies(kind),
                criterion="a strategy with at most this height and this number of states",
            ),
            make_strategy_check(kind),
        )
        for kind in SINGLE_PIECES
    ),
    *(
        Claim(
            f"a sequence of {kind.lower()} pieces cannot be played for ever in wells of odd width",
            _FIGURE_2,
            PublishedStatement("“(no winning strategy)”", criterion="none within the height of an exhaustive search"),
            make_no_strategy_check(kind),
        )
        for kind in ("Square", "Kink")
    ),
]

LOOKAHEAD_CLAIMS = [
    Claim(
        "the depth-limited agent has cleared more than 10,000 lines",
        "sections 7 and 8",
        PublishedLowerBound("“more than ten thousand lines”", bound=10_000),
        make_best_game_reader("depth2"),
    ),
    Claim(
        "the depth-limited agent plays indefinitely",
        "abstract; section 6.4",
        PublishedStatement(
            "“can continue playing the game indefinitely”", criterion="no game ends before our limit of pieces"
        ),
        check_endless,
        difference_cause="section 7 itself says that it “eventually dies”",
    ),
    Claim(
        "games of the depth-limited agent eventually end",
        "section 7",
        PublishedStatement(
            "“eventually dies if it is run for a long time”", criterion="a game ends before our limit of pieces"
        ),
        check_games_end,
    ),
    Claim(
        "the time per decision grows by a factor of at most 40 with each further piece",
        "section 6.4",
        PublishedStatement(
            "O(K × 40ᴺ) for depth N",
            criterion=f"factor at most {ACTION_COUNT}; undecided within {100 * TIME_MARGIN:g} %",
        ),
        check_time_growth,
    ),
    Claim(
        "at 100 ms per row, all agents except the depth-limited one play as well as at 1,000 ms",
        "section 10",
        PublishedStatement(
            "“every agent exhibits the highest degree of competence—with the exception of our Depth-Limited Greedy "
            "Agent”",
            criterion=f"each keeps more than {100 * KEPT_SCORE_SHARE:g} % of its score",
        ),
        make_high_speed_check("", "ten keys per second"),
        readings=[
            Reading(
                "agents press one key per millisecond", make_high_speed_check("-at-once", "one key per millisecond")
            )
        ],
    ),
    Claim(
        "the depth-limited agent needs a faster processor",
        "section 10",
        PublishedStatement(
            "“requires a more sophisticated Central Process Unity”",
            criterion=f"more than {1000 * TIME_LIMIT:g} ms per decision, the time of one row at the highest speed",
        ),
        check_depth_two_too_slow,
        difference_cause="the report gives neither its processor nor its times, so the cause was not tested",
    ),
    Claim(
        "a genetic agent needs much less running time than the depth-limited one",
        "section 10",
        PublishedStatement(
            "“outperforms our Depth-Limited Greedy Agent in terms of efficiency”, “significantly reduces the running "
            "time”",
            criterion=f"at least {MUCH_FASTER:g} times the pieces per second",
        ),
        make_genetic_speed_check("depth-1", "genetic weights at depth one; the report does not give the depth"),
        readings=[
            Reading(
                "the genetic agent also searches two pieces", make_genetic_speed_check("looking-ahead", "at depth two")
            )
        ],
    ),
    Claim(
        "with three pieces a decision takes less than a second, a requirement of the report",
        "section 6.4",
        PublishedStatement("“completing one action in less than a second is essential”"),
        partial(check_decision_time, 3, 1.0),
        kind=ClaimKind.OWN,
    ),
    Claim(
        "delta of the example board",
        "section 6.3",
        PublishedRange("8", low=8, high=8),
        measure_report_delta,
        kind=ClaimKind.TRANSCRIPTION,
    ),
]
