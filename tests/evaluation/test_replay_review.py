"""Reviews: what a move lost is what the agent itself would say, and moves that it does not know are told apart."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from evaluation.sample_replays import by_agent, by_chance, by_keys
from tetrion import Game, Replay, Rules, WeightedAgent
from tetrion.agents import load_weighted_agent
from tetrion.engine.rules import PRESETS
from tetrion.errors import AgentError, ReplayError
from tetrion.evaluation.replay_review import (
    VERDICT_ADDED,
    VERDICT_ENDS_GAME,
    VERDICT_LISTED,
    VERDICT_NOT_SCORED,
    choose_grader,
    grade_moves,
    review_replay,
)
from tetrion.evaluation.replay_steps import iterate_steps


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("play", [by_chance, by_keys])
def test_steps_are_the_game_after_each_placement(rules: str, play: Callable[[str], Replay]) -> None:
    replay = play(rules)
    seen = list(iterate_steps(replay))
    assert [step.placement for step in seen] == list(replay.placements)
    assert [step.number for step in seen] == list(range(1, len(seen) + 1))
    for step in seen[:: max(1, len(seen) // 8)]:
        before, after = replay.play(step.number - 1), replay.play(step.number)
        assert (step.before.board, step.before.piece) == (before.board, step.placement.piece)
        assert (step.before.pieces, step.before.lines) == (before.pieces, before.lines)
        assert step.before.next == before.next
        assert step.after.board == after.board
        assert (step.after.pieces, step.after.lines) == (after.pieces, after.lines)
    assert seen[-1].after.score == replay.play().score
    told = [event for step in seen for event in step.keys]
    assert told == list(replay.key_events or ())[: len(told)]


@pytest.mark.parametrize(
    ("name", "rules"), [("medico", "medico"), ("becker", "becker"), ("lee:expect=1", "standard-10x10")]
)
def test_an_agent_makes_its_own_best_moves(name: str, rules: str) -> None:
    whole = review_replay(by_agent(name, rules), load_weighted_agent(name))
    assert (whole.best_move_share, whole.mean_points_lost) == (1.0, 0.0)
    assert {move.verdict for move in whole.moves} == {VERDICT_LISTED}
    assert all(move.best_placement == move.placement and move.rank == 1 for move in whole.moves)
    assert whole.get_costliest_moves() == []
    assert whole.description == f"plays as {load_weighted_agent(name).name} does"


@pytest.mark.parametrize(("name", "rules"), [("dellacherie", "standard"), ("medico", "medico"), ("gavrilov", "nes")])
def test_points_lost_are_those_of_the_explanation(name: str, rules: str) -> None:
    agent = load_weighted_agent(name)
    for move in review_replay(by_chance(rules, 15), agent).moves:
        candidates = agent.explain(move.position, max_candidates=1000).candidates
        scores = {candidate.placement: candidate.score for candidate in candidates if candidate.survives}
        assert (move.best_placement, move.placement_count) == (candidates[0].placement, len(move.position.placements()))
        assert move.points_lost == pytest.approx(candidates[0].score - scores[move.placement])
        assert move.rank == 1 + sum(score > scores[move.placement] + 1e-9 for score in scores.values())
        assert move.is_best == (move.rank == 1)
        assert move.mode == agent.get_mode_name(move.position)


def test_a_tuck_that_the_agent_does_not_list_is_weighed_beside_its_placements() -> None:
    agent = load_weighted_agent("gavrilov")
    moves = review_replay(by_keys("gavrilov"), agent).moves
    tucks = [move for move in moves if move.verdict == VERDICT_ADDED]
    assert tucks
    for move in tucks:
        assert move.placement not in move.position.placements()
        wide = replace(move.position, rules=move.position.rules.with_(movement="reach"))
        score = {c.placement: c.score for c in agent.explain(wide, max_candidates=1000).candidates}[move.placement]
        best = max(agent.explain(move.position, max_candidates=1).candidates[0].score, score)
        assert move.points_lost == pytest.approx(best - score)
        assert move.placement_count == len(move.position.placements()) + 1


def test_a_move_that_ends_the_game_needlessly_costs_most() -> None:
    whole = review_replay(by_chance("hindi", 200), load_weighted_agent("hindi-3"))
    last = whole.moves[-1]
    assert (last.verdict, last.points_lost, last.rank) == (VERDICT_ENDS_GAME, None, None)
    assert whole.get_costliest_moves()[0] == last
    assert len(whole.get_costliest_moves(3)) == 3
    lost = [move.points_lost or 0 for move in whole.get_costliest_moves(9)[1:]]
    assert lost == sorted(lost, reverse=True)
    assert whole.mean_points_lost == pytest.approx(
        sum(m.points_lost for m in whole.moves if m.points_lost) / (len(whole.moves) - 1)
    )


def test_moves_that_a_beam_does_not_follow_are_not_weighed() -> None:
    narrow = load_weighted_agent("dellacherie:depth=2,beam=2")
    moves = review_replay(by_chance("standard:preview=1", 10), narrow).moves
    assert {move.verdict for move in moves} == {VERDICT_LISTED, VERDICT_NOT_SCORED}
    assert all((move.points_lost is None) == (move.verdict == VERDICT_NOT_SCORED) for move in moves)


def test_a_review_can_be_stopped_and_is_of_any_length() -> None:
    replay = by_agent("dellacherie", "standard", 20)
    first = grade_moves(replay, load_weighted_agent("du"))
    assert next(first).number == 1
    assert next(first) == review_replay(replay, load_weighted_agent("du")).moves[1]
    empty = review_replay(Replay.from_game(Game()), load_weighted_agent("du"))
    assert (empty.moves, empty.best_move_share, empty.mean_points_lost, empty.description) == (
        (),
        None,
        None,
        "no move to grade",
    )


def test_who_grades_if_nothing_is_said() -> None:
    names = {"medico": "medico", "gavrilov": "gavrilov", "nes": "dellacherie", "medico:preview=0": "dellacherie"}
    for rules, name in (names | {"standard": "dellacherie", "hindi": "hindi-look-1"}).items():
        assert choose_grader(Rules.parse(rules)) == name


def test_mistakes_are_told_before_anything_is_graded() -> None:
    replay = by_agent("dellacherie", "standard", 3)
    with pytest.raises(AgentError, match="looks at 2 pieces, and the rules of this game show 1"):
        grade_moves(replay, load_weighted_agent("medico"))
    with pytest.raises(AgentError, match="made of numbers"):
        grade_moves(replay, "medico")  # type: ignore[arg-type]
    with pytest.raises(ReplayError, match="A review is of a Replay"):
        grade_moves("game.json", WeightedAgent("mine", {"holes": -1}))  # type: ignore[arg-type]
