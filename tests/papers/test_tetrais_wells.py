"""The search for endless games in narrow wells, against wells that can be checked by hand."""

from typing import Any

import pytest

from tetrion.papers.tetrais import wells
from tetrion.papers.tetrais.wells import SINGLE_PIECES, Well, WellState

BUDGET = 400


def list_columns(well: Well, columns: tuple[int, ...], max_height: int) -> list[tuple[int, ...]]:
    return [state.columns for state in well.list_next_states(WellState(columns), max_height)]


def test_pieces_drop_into_the_well_only() -> None:
    assert list_columns(Well("O", 2), (0, 0), 12) == [(0, 0)]  # both rows are full
    assert set(list_columns(Well("O", 3), (0, 0, 0), 12)) == {(3, 3, 0), (0, 3, 3)}
    assert set(list_columns(Well("I", 2), (0, 0), 12)) == {(15, 0), (0, 15)}
    assert list_columns(Well("I", 2), (0, 0), 3) == []
    top = (1 << 12) - 1
    assert list_columns(Well("I", 2), (top, 0), 16) == [((1 << 16) - 1, 0), (top >> 4, 0)]
    assert [state.turn for state in Well("SZ", 2).list_next_states(WellState((0, 0), 1), 12)] == [0]


@pytest.mark.parametrize(("piece", "width", "height", "pieces"), [("O", 2, 0, 1), ("I", 3, 4, 3), ("L", 3, 2, 6)])
def test_shortest_return_to_the_empty_well(piece: str, width: int, height: int, pieces: int) -> None:
    well = Well(piece, width)
    assert wells.find_shortest_return(well, height, 20, BUDGET) == pieces
    assert wells.find_shortest_return(well, height, pieces - 1, BUDGET) is None


def test_fewest_states_of_a_path_and_a_cycle() -> None:
    empty, first, second = (WellState((number,)) for number in range(3))
    graph = {empty: [first], first: [second], second: [first]}
    assert wells.find_fewest_states(graph, empty, 10) == 3  # the empty well, and a cycle of two states
    assert wells.find_fewest_states(graph, empty, 2) is None
    assert wells.find_fewest_states({first: [first]}, empty, 10) is None


@pytest.mark.parametrize("kind", SINGLE_PIECES)
@pytest.mark.parametrize("width", [2, 3, 4])
def test_search_confirms_small_wells_of_figure_2(kind: str, width: int) -> None:
    well = Well(SINGLE_PIECES[kind], width)
    published = wells.get_published_strategy(kind, width)
    if published is None:
        assert wells.search_heights(well, 50)["endless"] is None
    else:
        found = wells.search_strategy(well, *published, BUDGET)
        assert found["height"] <= published[0]
        assert found["states"] <= published[1]


def test_search_ends_without_a_strategy() -> None:
    assert wells.search_strategy(Well("T", 2), 2, 2, BUDGET) == {}
    assert wells.search_heights(Well("O", 4), BUDGET) == {"searched": 2, "endless": 2}
    assert wells.search_heights(Well("S", 5), 5) == {"searched": 2, "endless": None}
    assert wells.search_heights(Well("SZ", 4), BUDGET)["endless"] == 2


def test_results_are_judged() -> None:
    found: dict[str, Any] = {kind: {"2": {"published": [4, 4], "height": 4, "states": 2}} for kind in SINGLE_PIECES}
    assert wells.winning_strategies(found).holds
    assert wells.winning_strategies(found | {"Tee": {"2": {"published": [2, 3]}}}).holds is None
    odd = {"3": {"published": None, "searched": 5, "endless": None}}
    assert wells.unwinnable_wells({"Square": odd, "Kink": odd}).holds
    assert wells.unwinnable_wells({"Square": odd, "Kink": {"3": odd["3"] | {"endless": 5}}}).holds is False
    alternating: dict[str, Any] = {"2": {"searched": 9, "endless": None}, "4": {"searched": 2, "endless": 2}}
    assert wells.endless_alternation({"alternating": alternating}).holds
    alternating["2"]["endless"] = 9
    assert wells.endless_alternation({"alternating": alternating}).holds is False
