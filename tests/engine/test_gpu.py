"""Tests of games on the CUDA simulator, which runs kernels in Python, against games on the CPU."""

from functools import partial

import numpy as np
import pytest

from tests.simulator import run_on_simulator
from tetrion.engine.agent_records import EngineAgent, FeatureTerm
from tetrion.engine.batch_play import EngineSettings
from tetrion.engine.gpu.play import select_kernels, shrink_tables
from tetrion.engine.patterns import PATTERNS
from tetrion.engine.placing import STATUS_CAPPED
from tetrion.engine.rules import Rules
from tetrion.errors import AgentError, RulesError

SLOW = partial(pytest.param, marks=pytest.mark.slow)
PROGRAM = """
import sys
from tetrion.agents import WeightedAgent, AGENTS
from tetrion.agents.weighted_agent import make_engine_agent
from tetrion.engine.feature_registry import FEATURES
from tetrion.engine.agent_records import EngineAgent, FeatureTerm
from tetrion.engine.local_evaluation import LOCAL_FEATURES
from tetrion.engine.batch_play import UNLIMITED, EngineSettings, uses_lookahead, make_games
from tetrion.engine.batch_play import select_fastest_play
from tetrion.engine.rules import Rules

agent_set, max_shared_games, max_pieces = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
numpy_empty = np.empty
random = np.random.default_rng(2)


def make_dirty_array(shape, *kind, **options):
    "Local memory of a GPU has arbitrary content."
    array = numpy_empty(shape, *kind, **options)
    array.view(np.uint8).fill(120)
    return array


def is_without_lookahead(agent):
    return not uses_lookahead(EngineSettings.from_agents([make_engine_agent(agent)], Rules.parse("standard:preview=6")))


all_weights = {name: float(random.normal()) / feature.max_value for name, feature in FEATURES.items()}
table = {"holes": [0.0, -1.0, -3.0], "max_height_change": list(np.linspace(1, -1, 57)), "aggregate_height": -0.01}
agents = [(all_weights, True), (all_weights, False), (table, True)]
if agent_set == "all":
    weighted = [agent for agent in AGENTS.values() if isinstance(agent, WeightedAgent)]
    research = [agent for agent in weighted if agent.family != "modern"]
    agents += [make_engine_agent(agent) for agent in research if is_without_lookahead(agent)]
if agent_set.endswith("local"):
    small = [{name: float(random.integers(-3, 4)) or 1.0 for name in LOCAL_FEATURES} for _ in range(3)]
    agents = [*((weights, number > 0) for number, weights in enumerate(small)), make_engine_agent(AGENTS["du"])]
if agent_set == "patterns":
    agents = [make_engine_agent(AGENTS[name]) for name in ("tetrion-1", "tetrion-1-10x10")]
if agent_set.startswith("two"):
    agents = [EngineAgent(*agent)._replace(depth=2) for agent in agents]
play.MAX_SHARED_GAMES = max_shared_games
for rules in sys.argv[4:]:
    settings = EngineSettings.from_agents(agents, Rules.parse(rules), max_pieces, max_lines=3)
    cpu_games, gpu_games = make_games(len(agents) + 1, 1), make_games(len(agents) + 1, 1)
    cpu_games["agent"] = gpu_games["agent"] = np.arange(len(cpu_games)) % len(agents)
    if "hanging" in rules:  # an upright I in column 4 completes the rows below and above one with a gap
        cpu_games["board"] = gpu_games["board"] = [5, 7, 7, 5, 0, 5, 7, 7, 5, 5]
    select_fastest_play(settings)(cpu_games[:1], settings, UNLIMITED)
    gpu_games[0] = cpu_games[0]  # a game that has already ended
    select_fastest_play(settings)(cpu_games, settings, UNLIMITED)
    np.empty = make_dirty_array
    running, slices, max_running = play.GpuGames(gpu_games, settings), 0, 0
    while running.running_count:
        max_running = max(max_running, running.running_count)
        running.play(7)
        slices += 1
    np.empty = numpy_empty
    running.copy_to_host()
    assert cpu_games.tobytes() == gpu_games.tobytes(), (cpu_games, gpu_games)
    assert "hanging" not in rules or cpu_games["clears"][:, 1].any()  # two rows at once
    kernel = running.select_kernel(len(cpu_games)).name
    print(kernel, len(cpu_games), max_running, slices, *sorted(set(cpu_games["status"])))
"""


@pytest.mark.slow
def test_warps_play_identical_games_with_all_agents() -> None:
    rules = "standard:height=5", "gavrilov:height=4", "hindi:randomiser=nes"
    lines = run_on_simulator(PROGRAM, "all", "0", "8", *rules).splitlines()  # among them agents with patterns
    assert len(lines) == 3
    for line in lines:
        kernel, *numbers = line.split()
        games, max_running, slices, *statuses = map(int, numbers)
        assert kernel == "play_patterns_by_warp"
        assert games > 20
        assert max_running == 3  # the other games wait for threads whose games have ended
        assert slices > 7
        assert statuses[-1] == STATUS_CAPPED


@pytest.mark.parametrize(
    ("agent_set", "max_shared_games", "max_pieces", "rules", "kernels"),
    [
        ("some", "0", "6", ["standard:height=4,randomiser=bag"], ["play_by_warp"]),
        ("local", "0", "8", ["standard:height=6"], ["play_local_by_thread"]),
        SLOW("patterns", "0", "9", ["standard:height=5"], ["play_patterns_by_warp"]),  # tables in 16 bits
        SLOW("two-local", "0", "4", ["standard:height=4,preview=1"], ["play_local_depth_two_by_thread"]),
        SLOW("local", "9", "9", ["standard:height=4"], ["play_by_warp"]),  # few games
        SLOW("local", "0", "14", ["standard:height=6", "standard:randomiser=bag"], ["play_local_by_thread"] * 2),
        SLOW("local", "0", "5", ["standard:randomiser=only-I,clearing=hanging"], ["play_local_by_thread"]),
        SLOW("some", "0", "5", ["standard:randomiser=only-I,clearing=hanging"], ["play_by_warp"]),
        SLOW("some", "0", "9", ["becker:height=5"], ["play_by_warp"]),
        SLOW("two", "0", "2", ["gavrilov:height=4,preview=1"], ["play_depth_two_by_thread"]),
    ],
)
def test_other_kernels_play_identical_games(
    agent_set: str, max_shared_games: str, max_pieces: str, rules: list[str], kernels: list[str]
) -> None:
    lines = run_on_simulator(PROGRAM, agent_set, max_shared_games, max_pieces, *rules).splitlines()
    assert [line.split()[0] for line in lines] == kernels
    # Five games need two rounds of three threads, four games two rounds of two if the threads share placements.
    assert {line.split()[2] for line in lines} == {"2" if agent_set == "some" else "3"}


def make_pattern_settings(entry: float, features: dict[str, float]) -> EngineSettings:
    table = [entry, -64.0] + [0.0] * (PATTERNS["hole_rows_and_free_rows"].size - 2)
    terms: dict[str, FeatureTerm] = {"hole_rows_and_free_rows": table, **features}
    return EngineSettings.from_agents([(terms, True)], Rules("standard"))


@pytest.mark.parametrize("entry", [64.0, 64.0 * 32767])
def test_tables_are_shrunk_by_a_common_factor(entry: float) -> None:
    settings = make_pattern_settings(entry, {})
    shrunk = shrink_tables(settings)
    assert shrunk.dtype == np.int16
    assert sorted({*shrunk.tolist()}) == [-1, 0, int(entry) // 64]
    factor = settings.tables.max() // shrunk.max()
    assert (shrunk.astype(np.int32) * factor == settings.tables).all()


@pytest.mark.parametrize(
    ("rules", "given"),
    [
        ("medico", "movement=reach"),
        ("gavrilov:movement=steered", "movement=steered"),
        ("standard:randomiser=adversary", "randomiser=adversary"),
    ],
)
def test_rules_that_the_gpu_does_not_support_are_rejected(rules: str, given: str) -> None:
    setting = EngineSettings.from_agents([({"holes": -1.0}, True)], Rules.parse(rules))
    with pytest.raises(RulesError, match=rf"movement=drop without .*; given {given}\. Use the CPU"):
        select_kernels(setting)


def test_agents_that_the_gpu_does_not_support_are_rejected() -> None:
    for agent in (EngineAgent({"holes": -1.0}, depth=3), EngineAgent({"holes": -1.0}, expect=True)):
        with pytest.raises(AgentError, match=r"one or two known pieces in one mode; .* Use the CPU"):
            select_kernels(EngineSettings.from_agents([agent], Rules.parse("standard:preview=2")))
    mixed = EngineSettings.from_agents(
        [EngineAgent({"holes": -1.0}, depth=depth) for depth in (1, 2)], Rules.parse("nes:movement=drop")
    )
    with pytest.raises(AgentError, match=r"all search one piece, or all search two; given both"):
        select_kernels(mixed)
    custom = EngineSettings.from_agents([({"holes": -1.0}, True)], Rules("standard"))
    custom.agents["custom_addresses"] = 1
    with pytest.raises(AgentError, match=r"does not support custom features; .* Use the CPU"):
        select_kernels(custom)
