"""Reviews: the points lost match the agent's explanation, and moves that it does not score are marked."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.evaluation.sample_replays import record_agent_game, record_key_game, record_random_game
from tetrion import Replay, Rules, WeightedAgent
from tetrion.agents import load_weighted_agent
from tetrion.errors import AgentError, ReplayError
from tetrion.evaluation.replay_review import (
    GRADES,
    VERDICT_ADDED,
    VERDICT_ENDS_GAME,
    VERDICT_LISTED,
    VERDICT_NOT_SCORED,
    choose_grader,
    grade_moves,
    iterate_steps,
    review_replay,
)


@pytest.mark.parametrize("rules", ["gavrilov", "medico", "nes", "guideline"])
@pytest.mark.parametrize("record_game", [record_random_game, record_key_game])
def test_steps_match_the_replayed_game(rules: str, record_game: Callable[[str], Replay]) -> None:
    replay = record_game(rules)
    steps = list(iterate_steps(replay))
    assert [step.placement for step in steps] == list(replay.placements)
    assert [step.number for step in steps] == list(range(1, len(steps) + 1))
    for step in steps[:: max(1, len(steps) // 8)]:
        before, after = replay.play(step.number - 1), replay.play(step.number)
        piece = step.after.hold if step.placement.hold else step.placement.piece
        assert (step.before.board, step.before.piece) == (before.board, piece)
        if before.position.can_hold:  # else the key for hold, kept down, has already exchanged the new piece
            assert step.before.hold == before.position.hold
            assert step.before.next == before.next
        assert (step.before.pieces, step.before.lines) == (before.pieces, before.lines)
        assert step.after.board == after.board
        assert (step.after.pieces, step.after.lines) == (after.pieces, after.lines)
    assert steps[-1].after.score == replay.play().score
    events = [event for step in steps for event in step.keys]
    assert events == list(replay.key_events or ())[: len(events)]


@pytest.mark.parametrize(("name", "rules"), [("medico", "medico"), ("lee:expect=1", "standard-10x10")])
def test_agent_reviewed_by_itself_makes_only_best_moves(name: str, rules: str) -> None:
    review = review_replay(record_agent_game(name, rules), load_weighted_agent(name))
    assert (review.best_move_share, review.mean_points_lost) == (1.0, 0.0)
    assert {move.verdict for move in review.moves} == {VERDICT_LISTED}
    assert all(move.best_placement == move.placement and move.rank == 1 for move in review.moves)
    assert review.get_costliest_moves() == []
    assert review.description == f"plays exactly like {load_weighted_agent(name).name}"


@pytest.mark.parametrize(("name", "rules"), [("dellacherie", "standard"), ("medico", "medico")])
def test_points_lost_match_the_explanation(name: str, rules: str) -> None:
    agent = load_weighted_agent(name)
    for move in review_replay(record_random_game(rules, 15), agent).moves:
        candidates = agent.explain(move.position, max_candidates=1000).candidates
        scores = {candidate.placement: candidate.score for candidate in candidates if candidate.survives}
        assert (move.best_placement, move.placement_count) == (candidates[0].placement, len(move.position.placements()))
        assert move.points_lost == pytest.approx(candidates[0].score - scores[move.placement])
        losses = [candidates[0].score - score for score in scores.values()]
        assert move.mean_loss == pytest.approx(sum(losses) / len(losses))
        assert move.rank == 1 + sum(score > scores[move.placement] + 1e-9 for score in scores.values())
        assert move.is_best == (move.rank == 1)
        assert move.mode == agent.get_mode_name(move.position)


def test_grades_do_not_depend_on_the_scale_of_the_weights() -> None:
    replay, weights = record_random_game("standard", 15), {"holes": -4.0, "bumpiness": -1.0, "landing_height": -2.0}
    agents = [
        WeightedAgent("mine", {name: scale * weight for name, weight in weights.items()}) for scale in (1, 1e-6, 1000)
    ]
    grades = [[move.grade for move in review_replay(replay, agent).moves] for agent in agents]
    assert grades[0] == grades[1] == grades[2]
    assert {"mistake", "blunder"} <= set(grades[0]) <= set(GRADES)
    for move in review_replay(replay, agents[0]).moves:
        assert GRADES[min(4, int(move.grade_level))] == move.grade


def test_tuck_outside_the_agents_placements_is_scored() -> None:
    agent = load_weighted_agent("gavrilov")
    moves = review_replay(record_key_game("gavrilov"), agent).moves
    tucks = [move for move in moves if move.verdict == VERDICT_ADDED]
    assert tucks
    for move in tucks:
        assert move.placement not in move.position.placements()
        reach_position = replace(move.position, rules=move.position.rules.replace(movement="reach"))
        candidates = agent.explain(reach_position, max_candidates=1000).candidates
        score = next(candidate.score for candidate in candidates if candidate.placement == move.placement)
        best = max(agent.explain(move.position, max_candidates=1).candidates[0].score, score)
        assert move.points_lost == pytest.approx(best - score)
        assert move.placement_count == len(move.position.placements()) + 1


def test_avoidable_end_of_the_game_is_the_costliest_move() -> None:
    review = review_replay(record_random_game("hindi", 200), load_weighted_agent("hindi-3"))
    last = review.moves[-1]
    assert (last.verdict, last.points_lost, last.rank) == (VERDICT_ENDS_GAME, None, None)
    assert (last.grade, last.relative_loss) == ("blunder", None)
    assert review.get_costliest_moves()[0] == last
    assert len(review.get_costliest_moves(3)) == 3
    costliest = review.get_costliest_moves(9)[1:]
    order = [(GRADES.index(move.grade), move.points_lost or 0) for move in costliest]
    assert order == sorted(order, reverse=True)
    total = sum(move.points_lost for move in review.moves if move.points_lost)
    assert review.mean_points_lost == pytest.approx(total / (len(review.moves) - 1))


def test_moves_outside_the_beam_are_not_scored() -> None:
    agent = load_weighted_agent("dellacherie:depth=2,beam=2")
    moves = review_replay(record_random_game("standard:preview=1", 10), agent).moves
    assert {move.verdict for move in moves} == {VERDICT_LISTED, VERDICT_NOT_SCORED}
    assert all((move.points_lost is None) == (move.verdict == VERDICT_NOT_SCORED) for move in moves)
    assert all((move.grade == "") == (move.verdict == VERDICT_NOT_SCORED) for move in moves)


def test_default_grader() -> None:
    names = {"medico": "medico", "gavrilov": "gavrilov", "nes": "dellacherie", "medico:preview=0": "dellacherie"}
    names |= {"guideline": "modern-1", "tetrio": "modern-1", "guideline:spins=none,hold=0": "modern-1"}
    for rules, name in (names | {"standard": "dellacherie", "hindi": "hindi-look-1"}).items():
        assert choose_grader(Rules.parse(rules)) == name


def test_invalid_arguments_are_rejected_before_grading() -> None:
    replay = record_agent_game("dellacherie", "standard", 3)
    with pytest.raises(AgentError, match="looks at 2 pieces, but the rules of this game show only 1"):
        grade_moves(replay, load_weighted_agent("medico"))
    with pytest.raises(AgentError, match="Only a WeightedAgent can grade moves"):
        grade_moves(replay, "medico")  # type: ignore[arg-type]
    with pytest.raises(ReplayError, match="Expected a Replay"):
        grade_moves("game.json", WeightedAgent("mine", {"holes": -1}))  # type: ignore[arg-type]
