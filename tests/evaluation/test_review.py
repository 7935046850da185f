"""Reviews: what a move lost is what the agent itself would say, and moves that it does not know are told apart."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from evaluation.games_to_review import by_agent, by_chance, by_keys
from tetrion import DataAgent, Game, Replay, Rules
from tetrion.agents import data_agent
from tetrion.engine.rules import PRESETS
from tetrion.errors import AgentError, ReplayError
from tetrion.evaluation.moves import steps
from tetrion.evaluation.review import ADDED, ENDS, LISTED, UNWEIGHED, graded, review, usual_agent


@pytest.mark.parametrize("rules", PRESETS)
@pytest.mark.parametrize("play", [by_chance, by_keys])
def test_steps_are_the_game_after_each_placement(rules: str, play: Callable[[str], Replay]) -> None:
    replay = play(rules)
    seen = list(steps(replay))
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
    assert told == list(replay.keys or ())[: len(told)]


@pytest.mark.parametrize(
    ("name", "rules"), [("medico", "medico"), ("becker", "becker"), ("lee:expect=1", "standard-10x10")]
)
def test_an_agent_makes_its_own_best_moves(name: str, rules: str) -> None:
    whole = review(by_agent(name, rules), data_agent(name))
    assert (whole.share_best, whole.mean_lost) == (1.0, 0.0)
    assert {move.standing for move in whole.moves} == {LISTED}
    assert all(move.best == move.made and move.rank == 1 for move in whole.moves)
    assert whole.costliest() == []
    assert whole.words == f"plays as {data_agent(name).name} does"


@pytest.mark.parametrize(("name", "rules"), [("dellacherie", "standard"), ("medico", "medico"), ("gavrilov", "nes")])
def test_points_lost_are_those_of_the_explanation(name: str, rules: str) -> None:
    agent = data_agent(name)
    for move in review(by_chance(rules, 15), agent).moves:
        candidates = agent.explain(move.position, best=1000).candidates
        scores = {candidate.placement: candidate.score for candidate in candidates if candidate.survives}
        assert (move.best, move.placements) == (candidates[0].placement, len(move.position.placements()))
        assert move.lost == pytest.approx(candidates[0].score - scores[move.made])
        assert move.rank == 1 + sum(score > scores[move.made] + 1e-9 for score in scores.values())
        assert move.is_best == (move.rank == 1)
        assert move.mode == agent.mode(move.position)


def test_a_tuck_that_the_agent_does_not_list_is_weighed_beside_its_placements() -> None:
    agent = data_agent("gavrilov")
    moves = review(by_keys("gavrilov"), agent).moves
    tucks = [move for move in moves if move.standing == ADDED]
    assert tucks
    for move in tucks:
        assert move.made not in move.position.placements()
        wide = replace(move.position, rules=move.position.rules.with_(movement="reach"))
        score = {c.placement: c.score for c in agent.explain(wide, best=1000).candidates}[move.made]
        best = max(agent.explain(move.position, best=1).candidates[0].score, score)
        assert move.lost == pytest.approx(best - score)
        assert move.placements == len(move.position.placements()) + 1


def test_a_move_that_ends_the_game_needlessly_costs_most() -> None:
    whole = review(by_chance("hindi", 200), data_agent("hindi-3"))
    last = whole.moves[-1]
    assert (last.standing, last.lost, last.rank) == (ENDS, None, None)
    assert whole.costliest()[0] == last
    assert len(whole.costliest(3)) == 3
    lost = [move.lost or 0 for move in whole.costliest(9)[1:]]
    assert lost == sorted(lost, reverse=True)
    assert whole.mean_lost == pytest.approx(sum(m.lost for m in whole.moves if m.lost) / (len(whole.moves) - 1))


def test_moves_that_a_beam_does_not_follow_are_not_weighed() -> None:
    narrow = data_agent("dellacherie:depth=2,beam=2")
    moves = review(by_chance("standard:preview=1", 10), narrow).moves
    assert {move.standing for move in moves} == {LISTED, UNWEIGHED}
    assert all((move.lost is None) == (move.standing == UNWEIGHED) for move in moves)


def test_a_review_can_be_stopped_and_is_of_any_length() -> None:
    replay = by_agent("dellacherie", "standard", 20)
    first = graded(replay, data_agent("du"))
    assert next(first).number == 1
    assert next(first) == review(replay, data_agent("du")).moves[1]
    empty = review(Replay.of(Game()), data_agent("du"))
    assert (empty.moves, empty.share_best, empty.mean_lost, empty.words) == ((), None, None, "no move to grade")


def test_who_grades_if_nothing_is_said() -> None:
    names = {"medico": "medico", "gavrilov": "gavrilov", "nes": "dellacherie", "medico:preview=0": "dellacherie"}
    for rules, name in (names | {"standard": "dellacherie", "hindi": "hindi-look-1"}).items():
        assert usual_agent(Rules.parse(rules)) == name


def test_mistakes_are_told_before_anything_is_graded() -> None:
    replay = by_agent("dellacherie", "standard", 3)
    with pytest.raises(AgentError, match="looks at 2 pieces, and the rules of this game show 1"):
        graded(replay, data_agent("medico"))
    with pytest.raises(AgentError, match="made of numbers"):
        graded(replay, "medico")  # type: ignore[arg-type]
    with pytest.raises(ReplayError, match="A review is of a Replay"):
        graded("game.json", DataAgent("mine", {"holes": -1}))  # type: ignore[arg-type]
