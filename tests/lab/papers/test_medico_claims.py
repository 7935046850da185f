from typing import Any

import pytest

from tests.lab.papers.medico_results import (
    change_decisions,
    change_events,
    change_games,
    compare,
    make_events,
    make_games,
    make_results,
)
from tetrion.lab.papers.medico import (
    medico_answers,
    medico_figures,
)
from tetrion.lab.papers.medico.medico_claims import MEDICO_CLAIMS
from tetrion.lab.papers.medico.medico_variants import (
    AGENT_ZONE,
    CHANGED_WEIGHTS,
    DANGER_ZONES,
    SPAWN_ZONE,
)
from tetrion.lab.reproduction.measured_values import describe_difference
from tetrion.lab.reproduction.paper_definition import ClaimKind
from tetrion.lab.reproduction.published_values import MeasuredValue, Verdict

RECOVERY = "recovery mode prioritizes clearing lines"
SEARCH = "a search without pruning is fast enough"
LOW_SPACE = "the parameter evenness makes the bot use empty space lower on the board"
DANGER = "the danger zone should be avoided"
SCORING_PENALTIES = "avoiding 1, 2 and 3 lines in scoring mode builds up to four-line clears"
NEXT_PIECE = "placements that look bad at first prepare for the next piece"
NUDGED = "board fill makes the bot nudge pieces under others"
WITHOUT_FEW_LINES = "scoring mode without 1, 2 and 3 lines"


@pytest.mark.parametrize(
    ("statement", "results", "verdict"),
    [
        ("scoring mode sets up four-line clears", change_games("threshold-200", 3000, 200), Verdict.AGREES),
        ("scoring mode sets up four-line clears", change_games("threshold-200", 3000, 40), Verdict.DIFFERS),
        (RECOVERY, make_results(), Verdict.AGREES),
        (RECOVERY, change_events("both", recovery_cleared=1), Verdict.DIFFERS),
        (RECOVERY, change_events("both", recovery_clearable=0), Verdict.UNDECIDED),
        ("scoring mode gets the bot into trouble", make_results(), Verdict.AGREES),
        ("scoring mode gets the bot into trouble", make_results(recovery=5000), Verdict.DIFFERS),
        ("scoring mode gets the bot into trouble", make_results(recovery=6400), Verdict.UNDECIDED),
        (NEXT_PIECE, make_results(), Verdict.AGREES),
        (NEXT_PIECE, change_events("one", filled=8), Verdict.DIFFERS),
        (NEXT_PIECE, change_events("one", filled=4), Verdict.DIFFERS),
        (NEXT_PIECE, change_events("one", covering=0), Verdict.UNDECIDED),
        (SEARCH, make_results(), Verdict.AGREES),
        (SEARCH, change_decisions(time={"decision": 0.1, "longest": 0.6}), Verdict.DIFFERS),
        ("further adjusted weights improve the bot", make_results(), Verdict.AGREES),
        ("further adjusted weights improve the bot", make_results(learnt=5000), Verdict.DIFFERS),
        ("further adjusted weights improve the bot", make_results(learnt=14_000), Verdict.UNDECIDED),
        ("placements differ by few holes", make_results(), Verdict.AGREES),
        ("placements differ by few holes", change_decisions(near=[0.2, 0.3] * 30), Verdict.DIFFERS),
        ("placements differ by few holes", change_decisions(near=[0.1, 0.9] * 30), Verdict.UNDECIDED),
        ("holes need a high weight", change_games("low weight of holes", 9000), Verdict.AGREES),
        ("holes need a high weight", change_games("low weight of holes", 20_000), Verdict.DIFFERS),
        ("holes need a high weight", make_results(), Verdict.UNDECIDED),
        ("the parameter holes prevents new holes", make_results(), Verdict.AGREES),
        ("the parameter holes prevents new holes", change_events("unholed", new_holes=5), Verdict.DIFFERS),
        ("the parameter holes prevents new holes", change_events("unholed", pieces=0), Verdict.UNDECIDED),
        ("the parameter evenness keeps the board even", make_results(), Verdict.AGREES),
        ("the parameter evenness keeps the board even", change_events("uneven", bumpiness=900), Verdict.DIFFERS),
        (LOW_SPACE, make_results(), Verdict.AGREES),
        (LOW_SPACE, change_events("uneven", low_space=3000), Verdict.DIFFERS),
        (LOW_SPACE, change_events("uneven", pieces=0), Verdict.UNDECIDED),
        (NUDGED, change_events("both", tucks=8), Verdict.AGREES),
        (NUDGED, change_events("both", tucks=4), Verdict.DIFFERS),
        (NUDGED, change_events("both", pieces=0), Verdict.UNDECIDED),
        ("board fill makes the bot use flatter orientations", make_results(), Verdict.DIFFERS),
        ("board fill makes the bot use flatter orientations", change_events("both", flat=60), Verdict.AGREES),
        ("lines need high weights", change_games("low weights of lines", 9000), Verdict.AGREES),
        ("lines need high weights", make_results(), Verdict.UNDECIDED),
        (SCORING_PENALTIES, change_games(WITHOUT_FEW_LINES, 14_000, 100), Verdict.AGREES),
        (SCORING_PENALTIES, change_games(WITHOUT_FEW_LINES, 14_000, 120), Verdict.DIFFERS),
        (
            "an empty last column leaves space for four-line clears",
            change_games("without last column", 14_000, 100),
            Verdict.AGREES,
        ),
        (DANGER, change_games("without danger zone", 10_000), Verdict.AGREES),
        (DANGER, make_results(), Verdict.DIFFERS),
        (DANGER, change_games("without danger zone", 12_700), Verdict.UNDECIDED),
        ("parameters with higher values have lower weights", make_results(), Verdict.AGREES),
        (
            "parameters with higher values have lower weights",
            change_decisions(
                values={"aggregate_height": 1, "bumpiness": 13.9, "holes": 40.0, "last_column_cells": 3.6}
            ),
            Verdict.DIFFERS,
        ),
    ],
)
def test_claims_follow_results(statement: str, results: Any, verdict: Verdict) -> None:
    row = compare(statement, results)
    assert row.verdict == verdict
    assert "our criterion" in row.published
    assert row.measured


def test_danger_zone_is_where_pieces_spawn_and_others_are_readings() -> None:
    results = make_results()
    zones = results["zones"]
    spawn = compare(DANGER, results | {"zones": {**zones, SPAWN_ZONE: make_games(20_000)}})
    assert spawn.verdict == Verdict.AGREES
    assert SPAWN_ZONE in spawn.measured
    assert spawn.readings[0].description == AGENT_ZONE
    assert SPAWN_ZONE not in [reading.description for reading in spawn.readings]
    other = compare(DANGER, results | {"medico": make_games(20_000)})
    assert other.verdict == Verdict.CHOSEN_READING
    assert AGENT_ZONE in other.reason
    table = medico_figures.make_danger_zones_table(results)
    assert len(table) == len(DANGER_ZONES) + 2
    assert len(medico_figures.make_changed_weights_table(results)) == len(CHANGED_WEIGHTS) + 1


def test_difference_that_varies_around_zero_is_undecided() -> None:
    games = make_events()
    for number, game in enumerate(games):
        game["tucks"] += 3 if number % 2 else -3
    results = make_results()
    row = compare(NUDGED, results | {"followed": results["followed"] | {"both": games}})
    assert row.verdict == Verdict.UNDECIDED
    assert "percentage points" in row.reason


def test_lines_that_recovery_mode_leaves_are_named() -> None:
    reason = compare(RECOVERY, make_results()).reason
    assert "Difference 65.0 ± 0.0 percentage points" in reason
    assert "25 % of these decisions clear no line" in reason


def test_share_of_tetrises_is_compared_with_what_is_possible() -> None:
    statement = "share of lines from four-line clears"
    assert compare(statement, {"medico": make_games(14_000) | {"tetris_rate": 0.2}}).verdict == Verdict.AGREES
    assert compare(statement, {"medico": make_games(14_000) | {"tetris_rate": 0.3}}).verdict == Verdict.DIFFERS


def test_other_effects_of_a_change_are_named() -> None:
    holes = change_games("low weight of holes", 9000, 40)
    assert "lines per game: 127 ± 3, and 225 ± 4 with the change" in compare("holes need a high weight", holes).measured
    column = compare(
        "an empty last column leaves space for four-line clears", change_games("without last column", 28_000, 100)
    )
    assert "the score per game is 2.00 ± 0.06 times as high with the change" in column.measured


def test_answer_on_board_fill_follows_results() -> None:
    answer = medico_answers.describe_board_fill(make_results())
    assert "changes 780 of 39,000 decisions" in answer
    assert "differs in 0 of 39,000 decisions" in answer


def test_one_sample_is_counted_once_and_identities_are_not_counted() -> None:
    kinds = {claim.statement: claim.kind for claim in MEDICO_CLAIMS}
    for statement in (
        "the report's table is consistent with itself",
        "points per line and four-line clears rise together",
    ):
        assert kinds[statement] == ClaimKind.TRANSCRIPTION
    for statement in (
        "mean lines of the ten runs",
        "distribution of the ten scores",
        "share of lines from four-line clears",
        SEARCH,
    ):
        assert kinds[statement] == ClaimKind.OWN
    counted = [name for name, kind in kinds.items() if "ten runs" in name and kind == ClaimKind.DOCUMENT]
    assert counted == ["mean score of the ten runs", "points per line of the ten runs together"]


def test_ratios_in_tables_have_three_decimals() -> None:
    assert medico_figures.format_ratio(MeasuredValue(2, (1.9, 2.1)), MeasuredValue(4, (4, 4))) == "0.500 ± 0.025"
    assert medico_figures.format_ratio(MeasuredValue(), MeasuredValue(1)) == "–"


def test_difference_is_named_only_if_measurable() -> None:
    assert describe_difference(MeasuredValue(2, (1.9, 2.1)), MeasuredValue(1, (0.9, 1.1))) == "more"
    assert describe_difference(MeasuredValue(1, (0.9, 1.1)), MeasuredValue(2, (1.9, 2.1))) == "less"
    assert describe_difference(MeasuredValue(1, (0.5, 2)), MeasuredValue(1.2, (1, 1.4))) == "no significant difference"
