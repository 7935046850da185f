"""The results of games, which are kept instead of their records."""

from tetrion.engine.batch_play import make_full_games, make_games
from tetrion.engine.placing import STATUS_CAPPED
from tetrion.engine.records import GameColumn
from tetrion.engine.rules import Rules
from tetrion.evaluation.game_statistics import GameResult, as_results, has_attack


def test_results_are_columns_of_the_records() -> None:
    games = make_games(3, seed=1)
    numbers: list[GameColumn] = ["pieces", "lines", "score", "frames"]
    for number, name in enumerate(numbers, 1):
        games[name] = [number, 10 * number, 2**40 * number]
    games["clears"] = [[1, 2, 3, 4], [5, 6, 7, 8], [0, 0, 0, 2**40]]
    games["status"] = STATUS_CAPPED
    results = as_results(games, Rules())
    columns: list[GameColumn] = [*numbers, "clears", "status"]
    assert GameResult.dtype.names == tuple(columns)
    assert all((results[name] == games[name]).all() for name in columns)
    assert as_results(results, Rules()) is results
    assert not has_attack(results)


def test_results_of_full_games_have_attack_if_the_rules_need_full_games() -> None:
    games = make_full_games(2, seed=1)
    games["attack"] = [3, 4]
    assert not has_attack(as_results(games, Rules()))
    results = as_results(games, Rules("guideline"))
    assert has_attack(results)
    assert results["attack"].tolist() == [3, 4]
