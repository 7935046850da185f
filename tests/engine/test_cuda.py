"""The GPU's games, played by CUDA's simulator in plain Python, against those of lanes."""

import pytest

from simulator import simulated
from tetrion.engine.agents import CompiledAgent
from tetrion.engine.cuda import kernels_for
from tetrion.engine.own import OWN
from tetrion.engine.play import CAPPED, Setting
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, RulesError

PROGRAM = """
import sys
from tetrion.agents import DataAgent, zoo
from tetrion.engine.features import FEATURES
from tetrion.engine.play import UNLIMITED, Setting, looks_ahead, new_games, play_on_lanes
from tetrion.engine.rules import Rules

few, most_pieces, rules = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:]
empty, random = np.empty, np.random.default_rng(2)


def as_bad_as_a_gpu(shape, *kind, **more):
    "Local memory holds anything."
    array = empty(shape, *kind, **more)
    array.view(np.uint8).fill(120)
    return array


def at_once(agent):
    return not looks_ahead(Setting.of([agent.compiled()], Rules.parse("standard:preview=6")))


every = {name: float(random.normal()) / feature.largest for name, feature in FEATURES.items()}
table = {"holes": [0.0, -1.0, -3.0], "max_height_change": list(np.linspace(1, -1, 57)), "aggregate_height": -0.01}
agents = [(every, True), (every, False), (table, True)]
if not few:
    agents += [agent.compiled() for agent in zoo().values() if isinstance(agent, DataAgent) and at_once(agent)]
cuda.FEW = few
for each in rules:
    setting = Setting.of(agents, Rules.parse(each), most_pieces, most_lines=3)
    here, there = new_games(len(agents) + 1, 1), new_games(len(agents) + 1, 1)
    here["agent"] = there["agent"] = np.arange(len(here)) % len(agents)
    play_on_lanes(here[:1], setting, UNLIMITED)
    there[0] = here[0]  # one that has ended before
    play_on_lanes(here, setting, UNLIMITED)
    np.empty = as_bad_as_a_gpu
    tables, slices, together = cuda.Table(there, setting), 0, 0
    while tables.going:
        together = max(together, tables.going)
        tables.play(7)
        slices += 1
    np.empty = empty
    tables.fetch()
    assert here.tobytes() == there.tobytes(), (here, there)
    print(len(here), together, slices, *sorted(set(here["status"])))
"""


def test_every_agent_plays_identical_games_a_thread_each() -> None:
    told = simulated(PROGRAM, "0", "8", "standard:height=5", "gavrilov:height=4", "hindi:randomiser=nes").splitlines()
    assert len(told) == 3
    for line in told:
        games, together, slices, *ends = map(int, line.split())
        assert games > 20
        assert together == 3  # the others wait for threads whose games have ended
        assert slices > 7
        assert ends[-1] == CAPPED


def test_teams_play_identical_games() -> None:
    told = simulated(PROGRAM, "9", "9", "standard:height=4,randomiser=bag", "gavrilov:height=4", "becker:height=5")
    assert [line.split()[:2] for line in told.splitlines()] == [["4", "1"]] * 3


@pytest.mark.parametrize(
    ("rules", "given"), [("medico", "movement=reach"), ("standard:randomiser=adversary", "randomiser=adversary")]
)
def test_rules_that_no_gpu_plays(rules: str, given: str) -> None:
    setting = Setting.of([({"holes": -1.0}, True)], Rules.parse(rules))
    with pytest.raises(RulesError, match=rf"movement=drop without the adversary; given {given}\. Use the CPU"):
        kernels_for(setting)


def test_agents_that_no_gpu_plays() -> None:
    one, rules = CompiledAgent({"holes": -1.0}), Rules.parse("standard:preview=2")
    for more in (one._replace(depth=3), one._replace(expect=True), one._replace(depth=2, beam=3)):
        with pytest.raises(AgentError, match=r"one or two known pieces in one mode; .* Use the CPU"):
            kernels_for(Setting.of([more], rules))
    with pytest.raises(AgentError, match=r"all look at one piece, or all at two; given both\. Use the CPU"):
        kernels_for(Setting.of([one, one._replace(depth=2)], rules))
    own = Setting.of([({"holes": -1.0}, True)], Rules.preset("standard"))
    own.agents["mask"] |= OWN
    with pytest.raises(AgentError, match=r"no features of your own; .* Use the CPU"):
        kernels_for(own)
