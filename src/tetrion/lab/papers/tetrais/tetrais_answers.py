"""Answers to the open questions of the TetrAIs report."""

from tetrion.evaluation.number_format import format_name
from tetrion.lab.papers.tetrais.tetrais_measurements import FALL_SPEED_GAMES, format_fall_speed_name
from tetrion.lab.papers.tetrais.tetrais_score_findings import COMPARISON_TEXTS, compare_by_ratio, read_mean
from tetrion.lab.reproduction.measured_values import compute_mean, compute_mean_over_seeds, compute_ratio
from tetrion.lab.reproduction.paper_definition import MeasurementResults
from tetrion.lab.reproduction.published_values import MeasuredValue


def format_in_sentence(ours: MeasuredValue) -> str:
    """Format a value for use inside a sentence."""
    return ours.formatted.replace("> ", "more than ")


def describe_soft_drop(results: MeasurementResults) -> str:
    """Describe how much moves after landing help each agent."""
    parts = []
    for label, name, drop in _SOFT_DROP_AGENTS:
        soft, without = (read_mean(results[f"{name}-{kind}"]) for kind in ("soft", "stiff"))
        reported = read_mean(results[drop])
        parts.append(
            f"{label} {format_in_sentence(soft)} lines with it, {format_in_sentence(without)} without "
            f"({_EFFECT_TEXTS[compare_by_ratio(soft, without)]}), {format_in_sentence(reported)} with the report's "
            f"rule ({_EFFECT_TEXTS[compare_by_ratio(soft, reported)]})"
        )
    return (
        f"Moving a piece after it has landed: {'; '.join(parts)}. With and without it, a piece starts at its spawn and "
        "needs a path; with the report's rule it is rotated and moved above the board."
    )


_SOFT_DROP_AGENTS = (
    ("greedy", "greedy", "greedy"),
    ("Q-learning (`tetrais-q`)", "q", "q-drop"),
    ("depth-2", "depth2", "depth2"),
)
_EFFECT_TEXTS = {"more": "it helps", "less": "it harms", "no different": "no difference found"}


def describe_genetic_agent(results: MeasurementResults) -> str:
    """Describe whether a genetic agent clears more lines than the depth-limited one."""
    games, reported = results["genetic-games"], read_mean(results["depth2"])
    first, second, third = (read_mean(games[name]) for name in ("depth-1", "looking-ahead", "learnt-ahead"))
    comparisons = [COMPARISON_TEXTS[compare_by_ratio(ours, reported)] for ours in (first, second, third)]
    return (
        f"At depth one, the same five features with genetic weights, of the seed with the best validation result, "
        f"clear {format_in_sentence(first)} lines per game, "
        f"{comparisons[0]} the {format_in_sentence(reported)} of the depth-limited agent; our own comparisons above "
        f"give how much faster they play. At depth two, these weights clear {format_in_sentence(second)} "
        f"({comparisons[1]} the report's weights), and weights learnt at depth two on ten rows "
        f"{format_in_sentence(third)} ({comparisons[2]} the report's weights)."
    )


def describe_fall_speeds(results: MeasurementResults) -> str:
    """Describe how the scores of the agents change when pieces fall faster."""
    parts = []
    for agent in FALL_SPEED_GAMES:
        slow, fast = (
            compute_mean(results[format_fall_speed_name(agent, milliseconds)], "score", uncorrected=True)
            for milliseconds in (1000, 100)
        )
        is_equal = compare_by_ratio(fast, slow) == "no different"
        change = "no difference found" if is_equal else f"{compute_ratio(fast, slow).formatted} times"
        parts.append(f"{agent} {slow.formatted} → {fast.formatted} ({change})")
    cap = results[format_fall_speed_name("tetrais-depth2", 100)]["cap"]
    fast_keys = compute_mean(results["tetrais-greedy-100ms-at-once"], "score", uncorrected=True)
    return (
        f"Score per game at 1,000 → 100 ms per row, with ten keys per second and games of at most {cap:,} pieces: "
        f"{'; '.join(parts)}. With one key per millisecond, tetrais-greedy scores {fast_keys.formatted} at 100 ms. "
        "tetrais-q-report and tetrais-q are the agents that come with the program, one training run each, and not the "
        "mean over the seeds of the claims."
    )


def describe_features(results: MeasurementResults) -> str:
    """Describe what these results show about features; the ablation study covers more features."""
    greedy = compute_mean(results["greedy"])
    learnt = compute_mean_over_seeds(results["genetic"])
    q = compute_mean_over_seeds(results["q"])
    weights = results["genetic-games"]["weights"]["depth-1"]
    sizes = sorted(weights, key=lambda name: abs(weights[name]))
    verdicts = {
        "more": "so the weights were the limit, not the features",
        "less": "so learning found no better weights",
    }
    verdict = verdicts.get(compare_by_ratio(learnt, greedy), "no difference found")
    return (
        f"The greedy agent's five features clear {greedy.formatted} lines per game with the report's weights and "
        f"{learnt.formatted} with genetic weights, the mean over the seeds ({verdict}); Q-learning's four "
        f"differences, without total height, clear {q.formatted} (recipe `tetrais-q`). "
        f"The largest genetic weight is that of {format_name(sizes[-1])}, "
        f"the smallest that of {format_name(sizes[0])}. `tetrion reproduce ablation` measures the value of each of "
        "many features."
    )
