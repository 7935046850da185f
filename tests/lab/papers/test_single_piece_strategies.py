"""Tests of the search for strategies with a single kind of piece, against wells that can be checked by hand."""

import pytest

from tetrion.lab.papers.tetrais.single_piece_strategies import (
    SINGLE_PIECES,
    PublishedStrategy,
    SinglePieceWell,
    WellState,
    count_pieces_to_empty,
    explore_states,
    find_endless_states,
    find_fewest_states,
    find_shortest_return,
    get_published_strategy,
    has_balanced_columns,
    has_strategy,
    search_every_height,
    search_strategy,
)

BUDGET = 400


@pytest.mark.parametrize(
    ("kind", "width", "expected"),
    [
        ("Square", 2, (0, 1)),
        ("Square", 6, (2, 3)),
        ("Square", 5, None),
        ("Kink", 7, None),
        ("Bar", 7, (4, 7)),
        ("Elbow", 4, (5, 4)),
        ("Elbow", 7, (8, 14)),
        ("Tee", 6, (4, 9)),
        ("Tee", 3, (7, 5)),
    ],
)
def test_entries_of_figure_2(kind: str, width: int, expected: tuple[int, int] | None) -> None:
    assert get_published_strategy(kind, width) == expected


def test_pieces_drop_into_the_well_only() -> None:
    assert SinglePieceWell("O", 2).list_next_states((0, 0), 12) == [(0, 0)]  # both rows are full
    assert set(SinglePieceWell("O", 3).list_next_states((0, 0, 0), 12)) == {(3, 3, 0), (0, 3, 3)}
    assert set(SinglePieceWell("I", 2).list_next_states((0, 0), 12)) == {(15, 0), (0, 15)}
    assert SinglePieceWell("I", 2).list_next_states((0, 0), 3) == []
    assert SinglePieceWell("L", 2).list_next_states((0, 0), 2) == [(3, 0), (0, 3)]  # one row is full and removed


def test_piece_lands_on_the_highest_state() -> None:
    top = (1 << 12) - 1
    assert SinglePieceWell("I", 2).list_next_states((top, 0), 16) == [((1 << 16) - 1, 0), (top >> 4, 0)]


@pytest.mark.parametrize(
    ("state", "pieces"),
    [((0, 0), 0), ((15, 0), 1), ((15, 15, 15, 1), 1), ((3, 3, 0), 2), ((1, 0, 0), 2)],
)
def test_lower_bound_of_pieces_to_an_empty_well(state: tuple[int, ...], pieces: int) -> None:
    assert count_pieces_to_empty(state) == pieces


@pytest.mark.parametrize(("piece", "width", "height", "pieces"), [("O", 2, 0, 1), ("I", 3, 4, 3), ("L", 3, 2, 6)])
def test_shortest_return_to_the_empty_well(piece: str, width: int, height: int, pieces: int) -> None:
    well = SinglePieceWell(piece, width)
    assert find_shortest_return(well, height, 20, BUDGET) == (pieces, True)
    assert find_shortest_return(well, height, pieces - 1, BUDGET) == (None, True)
    assert find_shortest_return(well, height, 20, 0) == (None, False)


def test_states_with_dead_ends_are_not_endless() -> None:
    empty: WellState = (0,)
    dead: WellState = (1,)
    first: WellState = (2,)
    second: WellState = (3,)
    graph = {empty: [dead, first], dead: [], first: [second], second: [first]}
    assert find_endless_states(graph) == {empty, first, second}
    assert find_fewest_states(graph, empty, 10) == 3  # the empty well, and a cycle of two states
    assert find_fewest_states(graph, empty, 2) is None
    assert find_fewest_states({empty: [dead], dead: []}, empty, 10) is None


def test_strategy_exists_does_not_exist_or_is_undecided() -> None:
    assert has_strategy(SinglePieceWell("S", 4), 4, 4, BUDGET) is True  # it never returns to the empty well
    assert has_strategy(SinglePieceWell("S", 4), 3, 4, BUDGET) is False
    assert has_strategy(SinglePieceWell("S", 4), 4, 4, 3) is None
    assert explore_states(SinglePieceWell("S", 4), 4, 3) is None


def test_mirrored_pieces_have_the_same_strategies() -> None:
    for piece, mirrored in (("L", "J"), ("S", "Z")):
        graphs = [explore_states(SinglePieceWell(name, 4), 3, 1000) for name in (piece, mirrored)]
        assert graphs[0] is not None
        assert graphs[1] is not None
        assert {state[::-1] for state in graphs[0]} == set(graphs[1])


@pytest.mark.parametrize("kind", SINGLE_PIECES)
@pytest.mark.parametrize("width", [2, 3, 4])
def test_search_confirms_small_wells_of_figure_2(kind: str, width: int) -> None:
    well, published = SinglePieceWell(SINGLE_PIECES[kind], width), get_published_strategy(kind, width)
    if published is None:
        assert search_every_height(well, 50)["smallest_height"] is None
    else:
        assert search_strategy(well, published, BUDGET)["is_within"] is True


def test_search_refutes_and_leaves_undecided() -> None:
    refuted = search_strategy(SinglePieceWell("T", 2), PublishedStrategy(2, 2), BUDGET)
    assert refuted == {
        "published": [2, 2],
        "smallest_height": 2,
        "state_count": None,
        "state_height": None,
        "is_within": False,
    }
    assert search_strategy(SinglePieceWell("L", 5), PublishedStrategy(8, 10), 5)["is_within"] is None
    found = search_every_height(SinglePieceWell("O", 4), BUDGET)
    assert found["smallest_height"] == 2
    assert search_every_height(SinglePieceWell("S", 5), 5)["searched_height"] == 2


@pytest.mark.parametrize(("piece", "is_balanced"), [("O", True), ("S", True), ("Z", True), ("T", False), ("I", False)])
def test_pieces_with_as_many_cells_in_even_as_in_odd_columns(piece: str, is_balanced: bool) -> None:
    assert has_balanced_columns(piece) is is_balanced
