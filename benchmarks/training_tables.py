"""Tables of training: the strengths of trained agents over seeds, and the speed on a GPU."""

from typing import Any

import numpy as np

from benchmarks.markdown_tables import format_left_aligned_table, format_table
from tetrion.evaluation.confidence_intervals import compute_mean_interval
from tetrion.evaluation.number_format import format_count, format_mean_interval, format_number

CROSSOVER_PREFIX = "flom-robinson, "  # of the names of crossover trials
SHOWN_CROWDS = 5  # seeds with a row of their own
LINE_LIMIT_PREFIX = "shahar-west, "  # followed by the limit of lines in training
PIECE_SETTING_LABELS = {"unlimited pieces": "random pieces, no piece limit"}


def format_training(results: Any) -> str:
    """Return the table of training results over seeds."""
    rows = [
        [format_trial_name(trial), *make_trial_row(trial)]
        for name, trial in results.items()
        if not name.startswith(CROSSOVER_PREFIX)
    ]
    headers = [
        "recipe",
        "metric",
        "held-out games",
        "mean over seeds",
        "worst to best seed",
        "seeds",
        "training time",
    ]
    machines = sorted({f"{trial['processor']}, {trial['date']}" for trial in results.values()})
    return (
        format_table(headers, rows)
        + f"\nMeasured with `python -m benchmarks.training` ({'; '.join(machines)}). Means are not corrected for "
        "capped games.\n"
    )


def format_training_short(results: Any) -> str:
    """Return the table of a few training results."""
    names = (
        *("gavrilov", "gavrilov-plus", "hindi-crowds", "hindi-crowds-one-game", "tetrais-q"),
        *("becker-tuned", "medico-tuned", "cma-dt"),
    )
    rows = [[format_trial_name(results[name]), *make_trial_row(results[name])[:-3]] for name in names]
    table = format_table(["recipe", "metric", "held-out games", "mean over seeds"], rows)
    return f"{table}\nMeasured with `python -m benchmarks.training`. Means are not corrected for capped games.\n"


def format_goal(results: Any) -> str:
    """Return the table of how many of ten games reach Gavrilov's published result."""
    names = ("gavrilov", "gavrilov-plus")
    rows = [[f"`{name}`", ", ".join(str(seed["goal"]) for seed in results[name]["seeds"])] for name in names]
    return (
        format_left_aligned_table(["recipe", "games of ten that reach the goal, by seed"], rows)
        + f"\nMeasured with `python -m benchmarks.training {' '.join(names)}`\n"
    )


def format_crossovers(results: Any) -> str:
    """Return the table of Flom and Robinson's four crossovers for three settings of the pieces."""
    trials = {
        tuple(name.split(", ")[1:]): trial for name, trial in results.items() if name.startswith(CROSSOVER_PREFIX)
    }
    piece_settings, crossovers = (list(dict.fromkeys(key[index] for key in trials)) for index in (1, 0))
    rows = [
        [
            crossover,
            *(
                format_mean_interval(trials[crossover, piece_setting]["mean"], trials[crossover, piece_setting]["ci95"])
                for piece_setting in piece_settings
            ),
        ]
        for crossover in crossovers
    ]
    seeds = len(next(iter(trials.values()))["seeds"])
    return (
        format_table(["crossover", *(PIECE_SETTING_LABELS.get(name, name) for name in piece_settings)], rows)
        + f"\nMeasured with `python -m benchmarks.training` (lines per game, mean over {seeds} seeds)\n"
    )


def format_line_limits(results: Any) -> str:
    """Return the table of Shahar and West's three limits of lines: trained with one of them, measured with each."""
    trials = {name.removeprefix(LINE_LIMIT_PREFIX): results[name] for name in results if LINE_LIMIT_PREFIX in name}
    headers = [
        "limit in training",
        "lines, unlimited games",
        "worst to best seed",
        "points per line",
        "share of lines from tetrises",
        *(f"points, {'unlimited games' if limit == 'unlimited' else f'{int(limit):,} lines'}" for limit in trials),
    ]
    rows = []
    for limit, trial in trials.items():
        unlimited = [seed["line_limits"]["unlimited"] for seed in trial["seeds"]]
        lines = [result["lines"] for result in unlimited]
        rows.append(
            [
                limit if limit == "unlimited" else f"{int(limit):,} lines",
                format_mean_over_seeds(lines),
                f"{format_number(min(lines))} to {format_number(max(lines))}",
                format_mean_over_seeds([result["points_per_line"] for result in unlimited]),
                format_number(100 * np.mean([result["tetris_rate"] for result in unlimited])) + " %",
                *(
                    format_mean_over_seeds([seed["line_limits"][measured]["score"] for seed in trial["seeds"]])
                    for measured in trials
                ),
            ]
        )
    seeds = next(iter(trials.values()))["seeds"]
    names = " ".join(f'"{LINE_LIMIT_PREFIX}{limit}"' for limit in trials)
    return (
        format_table(headers, rows)
        + f"\nMeasured with `python -m benchmarks.training {names}` (mean over {len(seeds)} seeds, "
        f"{seeds[0]['line_limits']['unlimited']['games']} games each)\n"
    )


def format_mean_over_seeds(values: list[float]) -> str:
    """Format the mean of the results of all seeds with its confidence interval."""
    numbers = np.array(values)
    return format_mean_interval(float(numbers.mean()), compute_mean_interval(numbers))


def format_crowds(results: Any) -> str:
    """Return the table of crowds compared with their experts: the first seeds, and the mean of all."""
    seeds = results["hindi-crowds"]["seeds"]
    headers = [header for header in seeds[0]["crowd"] if header != "experts"]
    crowds = {str(seed["seed"]): seed["crowd"] for seed in seeds[:SHOWN_CROWDS]}
    crowds[f"mean of {len(seeds)} seeds"] = {
        header: sum(seed["crowd"][header] for seed in seeds) / len(seeds) for header in headers
    }
    rows = [[name, *(format_number(crowd[header], 0) for header in headers)] for name, crowd in crowds.items()]
    return format_table(["seed", *headers], rows) + "\nMeasured with `python -m benchmarks.training hindi-crowds`\n"


def format_trial_name(trial: Any) -> str:
    """Return the recipe and its changes as typed on the command line."""
    return f"`{trial['recipe']}`" + "".join(f" `{change}`" for change in trial["changes"])


def make_trial_row(trial: Any) -> list[str]:
    """Return the table cells of a trial."""
    seeds, means = trial["seeds"], [seed["mean"] for seed in trial["seeds"]]
    cap = f" of at most {trial['cap']:,} pieces" if trial["cap"] else ""
    seconds = sorted(seed["seconds"] for seed in seeds)
    return [
        {"lines": "lines per game", "score": "points per game"}[trial["counted"]],
        f"{seeds[0]['games']:,}{cap}",
        format_mean_interval(trial["mean"], trial["ci95"]),
        f"{format_number(min(means))} to {format_number(max(means))}",
        str(len(seeds)),
        f"{format_number(seconds[len(seconds) // 2])} s on {format_count(trial['threads'], 'thread')}",
    ]


def format_gpu_training(result: Any) -> str:
    """Return the table of the speeds of training and playing on a GPU."""
    rows = [
        [
            f"`{trial['recipe']}`",
            f"{trial['training'] / 1e6:,.0f} M",
            f"{trial['playing'] / 1e6:,.0f} M",
            f"{trial['share']:.0%} ({trial['lowest_share']:.0%} to {trial['highest_share']:.0%})".replace("%", " %"),
        ]
        for trial in result["trials"]
    ]
    return (
        format_table(["recipe", "training, pieces/s", "playing, pieces/s", "share (lowest to highest)"], rows)
        + f"\nMeasured with `{result['command']} --rounds {result['rounds']}` ({result['device']}, {result['date']}); "
        "medians of alternating rounds\n"
    )
