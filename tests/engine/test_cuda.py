"""The GPU's games, played by CUDA's simulator in plain Python, against those of lanes."""

import pytest

from simulator import simulated
from tetrion.engine.agent_records import CompiledAgent
from tetrion.engine.batch_play import STATUS_CAPPED, EngineSettings
from tetrion.engine.cuda import select_kernels
from tetrion.engine.custom_features import CUSTOM_FEATURES_MASK
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, RulesError

PROGRAM = """
import sys
from tetrion.agents import WeightedAgent, named_agents
from tetrion.engine.features import FEATURES
from tetrion.engine.agent_records import CompiledAgent
from tetrion.engine.local_evaluation import LOCAL_FEATURES
from tetrion.engine.batch_play import UNLIMITED, EngineSettings, select_fastest_play, uses_lookahead, make_games
from tetrion.engine.rules import Rules

sort, few, max_pieces, rules = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
empty, random = np.empty, np.random.default_rng(2)


def as_bad_as_a_gpu(shape, *kind, **more):
    "Local memory holds anything."
    array = empty(shape, *kind, **more)
    array.view(np.uint8).fill(120)
    return array


def at_once(agent):
    return not uses_lookahead(EngineSettings.from_agents([agent.compile()], Rules.parse("standard:preview=6")))


every = {name: float(random.normal()) / feature.largest for name, feature in FEATURES.items()}
table = {"holes": [0.0, -1.0, -3.0], "max_height_change": list(np.linspace(1, -1, 57)), "aggregate_height": -0.01}
agents = [(every, True), (every, False), (table, True)]
if sort == "every":
    agents += [agent.compile() for agent in named_agents().values() if isinstance(agent, WeightedAgent) and at_once(agent)]
if sort.endswith("near"):
    small = [{name: float(random.integers(-3, 4)) or 1.0 for name in LOCAL_FEATURES} for _ in range(3)]
    agents = [*((weights, number > 0) for number, weights in enumerate(small)), named_agents()["du"].compile()]
if sort.startswith("two"):
    agents = [CompiledAgent(*agent)._replace(depth=2) for agent in agents]
cuda.MAX_GAMES_PER_TEAM = few
for each in rules:
    setting = EngineSettings.from_agents(agents, Rules.parse(each), max_pieces, max_lines=3)
    here, there = make_games(len(agents) + 1, 1), make_games(len(agents) + 1, 1)
    here["agent"] = there["agent"] = np.arange(len(here)) % len(agents)
    select_fastest_play(setting)(here[:1], setting, UNLIMITED)
    there[0] = here[0]  # one that has ended before
    select_fastest_play(setting)(here, setting, UNLIMITED)
    np.empty = as_bad_as_a_gpu
    tables, slices, together = cuda.GpuGames(there, setting), 0, 0
    while tables.going:
        together = max(together, tables.going)
        tables.play(7)
        slices += 1
    np.empty = empty
    tables.fetch()
    assert here.tobytes() == there.tobytes(), (here, there)
    print(tables.many.name, len(here), together, slices, *sorted(set(here["status"])))
"""


def test_every_agent_plays_identical_games_a_thread_each() -> None:
    rules = "standard:height=5", "gavrilov:height=4", "hindi:randomiser=nes"
    told = simulated(PROGRAM, "every", "0", "8", *rules).splitlines()
    assert len(told) == 3
    for line in told:
        kernel, *numbers = line.split()
        games, together, slices, *ends = map(int, numbers)
        assert kernel == "play_alone"
        assert games > 20
        assert together == 3  # the others wait for threads whose games have ended
        assert slices > 7
        assert ends[-1] == STATUS_CAPPED


def test_teams_play_identical_games() -> None:
    rules = "standard:height=4,randomiser=bag", "gavrilov:height=4", "becker:height=5"
    told = simulated(PROGRAM, "some", "9", "9", *rules)
    assert [line.split()[1:3] for line in told.splitlines()] == [["4", "1"]] * 3


@pytest.mark.parametrize(
    ("sort", "most_pieces", "rules", "kernels"),
    [
        ("near", "14", ["standard:height=6", "standard:randomiser=bag"], ["play_nearby"] * 2),
        ("two-near", "4", ["standard:height=4,preview=1"], ["play_two_nearby"]),
        ("two", "2", ["gavrilov:height=4,preview=1"], ["play_two"]),
    ],
)
def test_other_kernels_play_identical_games(sort: str, max_pieces: str, rules: list[str], kernels: list[str]) -> None:
    told = simulated(PROGRAM, sort, "0", max_pieces, *rules)
    assert [line.split()[0] for line in told.splitlines()] == kernels


@pytest.mark.parametrize(
    ("rules", "given"), [("medico", "movement=reach"), ("standard:randomiser=adversary", "randomiser=adversary")]
)
def test_rules_that_no_gpu_plays(rules: str, given: str) -> None:
    setting = EngineSettings.from_agents([({"holes": -1.0}, True)], Rules.parse(rules))
    with pytest.raises(RulesError, match=rf"movement=drop without the adversary; given {given}\. Use the CPU"):
        select_kernels(setting)


def test_agents_that_no_gpu_plays() -> None:
    for agent in (CompiledAgent({"holes": -1.0}, depth=3), CompiledAgent({"holes": -1.0}, expect=True)):
        with pytest.raises(AgentError, match=r"one or two known pieces in one mode; .* Use the CPU"):
            select_kernels(EngineSettings.from_agents([agent], Rules.parse("standard:preview=2")))
    mixed = EngineSettings.from_agents(
        [CompiledAgent({"holes": -1.0}, depth=depth) for depth in (1, 2)], Rules.parse("nes:movement=drop")
    )
    with pytest.raises(AgentError, match=r"all look at one piece, or all at two; given both"):
        select_kernels(mixed)
    own = EngineSettings.from_agents([({"holes": -1.0}, True)], Rules.from_preset("standard"))
    own.agents["mask"] |= CUSTOM_FEATURES_MASK
    with pytest.raises(AgentError, match=r"no features of your own; .* Use the CPU"):
        select_kernels(own)
