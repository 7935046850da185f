"""The well-known spins of `tests/golden/spins` in the reference: keys, kick test, cells, cleared rows and spin."""

from random import Random
from typing import Any

import pytest

from tests.reference.board import fill_cells, full_rows
from tests.reference.movement import PieceMotion, State, find_paths, find_placements
from tests.reference.pieces import PIECES
from tests.reference.random_boards import board_to_move_in
from tests.reference.rules import Rules, make_rules
from tests.reference.spin_cases import SpinCase, read_spin_cases
from tests.reference.spins import LastRotation, is_promoting

CASES = {case.name: case for case in read_spin_cases()}


def parse_rules(text: str) -> Rules:
    return make_rules(**dict(item.split("=") for item in text.split(",")))


def press_keys(motion: PieceMotion, state: State, keys: list[str]) -> State:
    """Return the state after keys, all of which must have an effect; `floor` drops the piece softly."""
    for key in keys:
        if key == "floor":
            while not motion.rests(state):
                state = press_keys(motion, state, ["down"])
        else:
            after = motion.move(state, key)
            assert after is not None, f"{key} is blocked"
            state = after
    return state


@pytest.mark.parametrize("name", CASES)
def test_spin_cases(name: str) -> None:
    """T-spin triple, fin, Neo, mini cases and others."""
    case = CASES[name]
    for rules, spin in case.spins.items():
        motion = PieceMotion(case.board, case.piece, parse_rules(rules))
        end = press_keys(motion, motion.spawn_state, case.keys)
        assert motion.rests(end)
        assert sorted(motion.cells(end)) == sorted(case.cells)
        assert (None if end.last is None else end.last.test + 1) == case.test
        placement = motion.lock(end)
        assert placement.spin == spin
        assert placement in find_placements(motion, 0)
    assert len(full_rows(fill_cells(case.board, case.cells))) == case.rows


def test_cases_are_complete() -> None:
    assert len(CASES) == len(read_spin_cases()) >= 25
    assert {spin for case in CASES.values() for spin in case.spins.values()} == {"none", "mini", "full"}
    assert all(case.source for case in CASES.values())


def find_spins_of_cells(case: SpinCase, **rules: Any) -> set[str]:
    """Return the spins with which any path reaches the cells of a case."""
    motion = PieceMotion(case.board, case.piece, make_rules(**rules))
    return {
        placement.spin
        for placement in find_placements(motion, 0)
        if placement[:3] == motion.to_placement(press_keys(motion, motion.spawn_state, case.keys))[:3]
    }


def test_same_cells_with_and_without_a_spin() -> None:
    """Both are placements; without spins in the rules only the cells tell placements apart."""
    case = CASES["T dropped into the place of a mini T-spin"]
    assert find_spins_of_cells(case, spins="t") == {"none", "mini"}
    assert find_spins_of_cells(case, spins="none") == {"none"}
    assert find_spins_of_cells(CASES["Neo T-spin double"], spins="t") == {"mini"}


def test_fifth_test_of_a_half_turn_promotes_no_mini() -> None:
    for spin_kick in ("any", "long"):
        rules = make_rules(spins="t", spin_kick=spin_kick)
        assert is_promoting(LastRotation(turns=-1, test=4, right=1, up=-2), rules)
        assert not is_promoting(LastRotation(turns=2, test=4, right=1, up=-2), rules)
        assert not is_promoting(LastRotation(turns=1, test=3, right=0, up=-2), rules)


def test_paths_end_with_the_placement_and_its_spin() -> None:
    """Pressing the keys of a path on random boards leads to the placement that the path was found for."""
    kinds = set()
    for number in range(40):
        random = Random(f"paths with spins, {number}")
        piece = random.choice(PIECES)
        rules = make_rules(
            height=8,
            hidden_rows=2,
            rotation=random.choice(["srs", "srs+"]),
            half_turn_kicks=random.choice(["none", "jstris", "tetrio"]),
            spins=random.choice(["t", "all-mini", "all"]),
            spin_kick=random.choice(["none", "any", "long", "late"]),
        )
        motion = PieceMotion(board_to_move_in(random, rules.rows, piece), piece, rules)
        for placement, keys in find_paths(motion).items():
            assert motion.lock(press_keys(motion, motion.spawn_state, keys)) == placement
            kinds.add(placement.spin)
    assert kinds == {"none", "mini", "full"}
