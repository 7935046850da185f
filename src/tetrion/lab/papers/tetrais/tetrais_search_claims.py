"""Claims of the TetrAIs report about strategies with one piece, lookahead, speed and the genetic agent."""

from functools import partial

from tetrion.lab.papers.tetrais.single_piece_strategies import SINGLE_PIECES, WELL_WIDTHS, get_published_strategy
from tetrion.lab.papers.tetrais.tetrais_search_findings import (
    ACTION_COUNT,
    KEPT_SCORE_SHARE,
    LONG_GAME_LINES,
    MUCH_FASTER,
    TIME_LIMIT,
    TIME_MARGIN,
    check_decision_time,
    check_depth_two_too_slow,
    check_genetic_speed,
    check_high_speed,
    check_long_games,
    check_time_growth,
    make_no_strategy_check,
    make_strategy_check,
    measure_report_delta,
    measure_report_points,
)
from tetrion.lab.reproduction.measured_values import make_best_game_reader
from tetrion.lab.reproduction.paper_definition import Claim, ClaimKind
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
            PublishedStatement("“(no winning strategy)”", criterion="a proof for every height, and no strategy found"),
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
        "the depth-limited agent plays for a very long time, but not for ever",
        "abstract; section 7",
        PublishedStatement(
            "“can continue playing the game indefinitely” (abstract), but “eventually dies if it is run for a long "
            "time” (section 7), which contradict each other",
            criterion=f"most games have more than {LONG_GAME_LINES:,} lines, which section 7 calls “almost resembling "
            "an endless game”, and some games end",
        ),
        check_long_games,
        difference_cause="the cause is not known",
    ),
    Claim(
        "the time per decision grows by a factor of at most 40 with each further piece",
        "section 6.4",
        PublishedStatement(
            "“the time complexity for a search with depth N is O(K*40^N)”, a bound by construction",
            criterion=f"factor at most {ACTION_COUNT}; undecided within {100 * TIME_MARGIN:g} %",
        ),
        check_time_growth,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "at 100 ms per row, all agents except the depth-limited one play as well as at 1,000 ms",
        "section 10",
        PublishedStatement(
            "“every agent exhibits the highest degree of competence—with the exception of our Depth-Limited Greedy "
            "Agent”",
            criterion=f"each keeps more than {100 * KEPT_SCORE_SHARE:g} % of its score; undecided if it depends on the "
            "speed of keys",
        ),
        check_high_speed,
        kind=ClaimKind.OWN,
    ),
    Claim(
        "the depth-limited agent needs more than 100 ms per decision",
        "section 10",
        PublishedStatement(
            "“requires a more sophisticated Central Process Unity”, of an unknown processor",
            criterion=f"more than {1000 * TIME_LIMIT:g} ms per decision, the time of one row at the highest speed",
        ),
        check_depth_two_too_slow,
        difference_cause="the report gives neither its processor nor its times, so the cause was not tested",
        kind=ClaimKind.OWN,
    ),
    Claim(
        "a genetic agent needs much less running time than the depth-limited one",
        "section 10",
        PublishedStatement(
            "“outperforms our Depth-Limited Greedy Agent in terms of efficiency”, “significantly reduces the running "
            "time”",
            criterion=f"at least {MUCH_FASTER:g} times the pieces per second; undecided if depth one and depth two "
            "differ",
        ),
        check_genetic_speed,
        kind=ClaimKind.OWN,
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
    Claim(
        "points for one, two, three and four lines at once, and per piece",
        "section 6.3; section 11",
        PublishedStatement(
            "“40 for a single line, 100, 300, 1200 for 2, 3, and 4 lines”; “increased by one point for each tetrimino "
            "that is played”"
        ),
        measure_report_points,
        kind=ClaimKind.TRANSCRIPTION,
    ),
]
