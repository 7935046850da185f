"""Write the tables of results into README and docs: python -m benchmarks.pages.

A page shows a result between `<!-- name -->` and `<!-- /name -->`; the table is made from the file of that name in
benchmarks/results, which was written by the command below the table. The tables of rules, recipes, strengths and
limits of steps are made from the package.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import fields
from itertools import repeat
from pathlib import Path
from typing import Any

from benchmarks.attack_tables import format_attack, format_guideline_score
from benchmarks.common import ROOT as ROOT, format_left_aligned_table, format_table, load_result
from benchmarks.cross_checks.__main__ import format_cross_checks
from benchmarks.gpu_training import format_gpu_training
from benchmarks.highlights import format_highlights
from benchmarks.learners import format_learners
from benchmarks.modern import format_modern, format_modern_short
from benchmarks.paper_tables import format_papers, format_papers_short, format_record
from benchmarks.setup import format_setup
from benchmarks.splitting import format_splitting
from benchmarks.strengths import format_strengths
from benchmarks.training import (
    format_crossovers,
    format_crowds,
    format_goal,
    format_line_limits,
    format_training,
    format_training_short,
)
from tetrion.engine.rules import KEY_LIST_FIELDS, PRESET_DEFINITIONS, Rules, get_rule_text
from tetrion.envs import REGISTERED_ENVIRONMENTS
from tetrion.papers import PAPERS
from tetrion.training.recipe import RECIPES

SHORT_TABLE_PROGRAMS = (
    "Tetrion, SIMD",
    "Tetrion, vector environment",
    "Tetrion, one environment",
    "C++, hand-written AVX-512",
    "tetris-gymnasium, JAX",
    "jumanji",
    "gym-simpletetris",
)


def format_bench(result: Any) -> str:
    """Return a `tetrion bench` command, its output, and the machine that printed it."""
    command = f"```sh\n{result['command']}\n```\n"
    output = f"```text\n{result['printed']}```\n"
    return f"{command}\n{output}\n({result['processor']}, {result['date']})\n"


def format_speed(result: Any) -> str:
    """Return the table of pieces per second of each backend."""
    rates = result["pieces_per_second"]
    scalar_rate = next(iter(rates.values()))
    rows = [[name, f"{rate:,}", f"{rate / scalar_rate:.2g}"] for name, rate in rates.items()]
    machine = f"{result['processor']}, {result['cores']} cores, compiled for {result['compiled_for']}, {result['date']}"
    return format_table(["backend", "pieces/s", "ratio"], rows) + f"\nMeasured with `{result['command']}` ({machine})\n"


def format_start(result: Any) -> str:
    """Return the table of start-up times."""
    rows = [[name, f"{seconds:g}"] for name, seconds in result["seconds"].items()]
    return (
        format_table(["operation", "seconds"], rows)
        + f"\nMeasured with `{result['command']}` ({result['processor']}, {result['date']})\n"
    )


def format_window(result: Any) -> str:
    """Return the table of frame times of the window."""
    headers = [
        "scene",
        "frames per second",
        "frame time, median",
        "99th percentile",
        "CPU time, 99th percentile",
        "moves per second",
    ]
    rows = [
        [
            scene["scene"],
            f"{scene['frames_per_second']:.0f}",
            f"{scene['median_ms']:.1f} ms",
            f"{scene['percentile_99_ms']:.1f} ms",
            f"{scene['cpu_percentile_99_ms']:.1f} ms",
            f"{scene['moves_per_second']:,}" if scene["moves_per_second"] else "–",
        ]
        for scene in result["scenes"]
    ]
    size = "×".join(map(str, result["size"]))
    menu_seconds = result["seconds_to_menu"]
    note = (
        f"The menu appears {menu_seconds:.2f} seconds after the command. At 60 frames per second, 16.7 ms are "
        "available per frame. The CPU time is that of the drawing thread alone.\n\n"
        f"Measured with `{result['command']}` ({result['processor']}, one core, {size}, {result['date']})\n"
    )
    return format_table(headers, rows) + "\n" + note


def format_gpu(result: Any) -> str:
    """Return the table that compares GPU and CPU."""
    identical = result["identical"]
    speed = result["speed"]
    depth_two = result["two_pieces"]
    dellacherie = result["dellacherie"]
    low, high = dellacherie["ci95"]
    rows = [
        ["games played on CPU and GPU, results compared byte by byte", f"{identical['games']:,}"],
        ["pieces in these games", f"{identical['pieces']:,}"],
        ["games that differ", f"{identical['different_games']:,}"],
        [f"pieces per second, {speed['games']:,} games of `du` at once", f"{speed['pieces_per_second']:,.0f}"],
        ["pieces per second, `du` with depth 2", f"{depth_two['pieces_per_second']:,.0f}"],
        [
            f"lines per game of `dellacherie` (censored mean; {dellacherie['deaths']:,} deaths in games capped at "
            f"{dellacherie['most_pieces']:,} pieces)",
            f"{dellacherie['mean']:,.0f} ({low:,.0f} to {high:,.0f})",
        ],
        ["seconds for this mean", f"{dellacherie['seconds']:,.0f}"],
    ]
    return format_table(["GPU", result["device"]], rows) + f"\nMeasured with `{result['command']}` ({result['date']})\n"


def format_others(result: Any) -> str:
    """Return the table of all programs, and those that could not be measured."""
    rows = [
        [
            describe_program(row),
            f"{row['pieces_per_second']:,.0f}",
            "–" if "depth 2" in row["name"] else format_ratio(row["ratio_agent"]),
            "–" if row["description"].startswith("`du`") else format_ratio(row["ratio_environment"]),
        ]
        for row in result["rows"]
    ]
    table = format_table(
        [
            "program",
            "pieces/s",
            "Tetrion with `du` is faster by a factor of",
            "Tetrion's vector environment is faster by a factor of",
        ],
        rows,
    )
    failed = "".join(
        f"- {program['name']} could not be measured: `{program['reason']}`\n" for program in result["failed"]
    )
    return table + "\n" + failed + "\n" * bool(failed) + format_provenance(result)


def format_others_short(result: Any) -> str:
    """Return the table of a few programs."""
    rows = [
        [describe_program(row), f"{row['pieces_per_second']:,.0f}", format_ratio(row["ratio_agent"])]
        for row in result["rows"]
        if row["name"] in SHORT_TABLE_PROGRAMS
    ]
    return (
        format_table(["program", "pieces/s", "Tetrion SIMD is faster by a factor of"], rows)
        + "\n"
        + format_provenance(result)
    )


def format_others_environments(result: Any) -> str:
    """Return the table of the environments, those of Tetrion and of others."""
    rows = [
        [describe_program(row), f"{row['pieces_per_second']:,.0f}", format_ratio(row["ratio_environment"])]
        for row in result["rows"]
        if "`du`" not in row["description"]
    ]
    return (
        format_table(["environment", "pieces/s", "Tetrion's vector environment is faster by a factor of"], rows)
        + "\n"
        + format_provenance(result)
    )


def describe_program(row: Any) -> str:
    """Return name, version and description of a program."""
    version = f" ({row['version']})" if "version" in row else ""
    return f"{row['name']}{version}: {row['description']}"


def format_provenance(result: Any) -> str:
    """Return how the comparison with other programs was computed, its command and the machine."""
    machine = f"{result['processor']}, one core, {result['date']}, median of {result['rounds']} alternating rounds"
    return (
        f"A factor is the median of the ratios of the {result['rounds']} rounds, not the ratio of the medians.\n\n"
        f"Measured with `{result['command']}` ({machine})\n"
    )


def format_ratio(ratio: float) -> str:
    """Format a speed ratio with a few digits."""
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def format_instructions(result: Any) -> str:
    """Return the table of instructions per piece."""
    rows = [[name, f"{count:,}"] for name, count in result["instructions_per_piece"].items()]
    machine = f"compiled for {result['compiled_for']}, {result['date']}"
    return (
        format_table(["backend", "instructions per piece"], rows)
        + f"\nMeasured with `{result['command']}` ({machine})\n"
    )


def format_reach(result: Any) -> str:
    """Return the table of the speed of finding reachable placements."""
    rates = result["floods_per_second"]
    slowest = min(rates.values())
    rows = [[name, f"{rate:,}", f"{rate / slowest:.1f}"] for name, rate in rates.items()]
    boards = f"{result['boards']:,} boards, {result['mean_height']:g} rows high on average"
    machine = (
        f"{result['processor']}, one core, {result['date']}, median of {result['runs']} alternating runs; {boards}"
    )
    return format_table(["method", "boards/s", "ratio"], rows) + f"\nMeasured with `{result['command']}` ({machine})\n"


def format_rules() -> str:
    """Return the table of the rule presets, and our decisions."""
    rule_sets = [Rules(name) for name in PRESET_DEFINITIONS if name != "standard-10x10"]
    names = [field.name for field in fields(Rules) if field.name != "name"]
    rows = [[f"`{name}`", *(format_rule(rules, name) for rules in rule_sets)] for name in names]
    parts = [format_table(["rule", *(f"`{rules.name}`" for rules in rule_sets)], rows)]
    for name, preset in PRESET_DEFINITIONS.items():
        parts.append(f"\n**`{name}`**: {preset.source}.\n\n")
        parts += [f"- {decision}\n" for decision in preset.decisions]
    return "".join(parts)


def format_rule(rules: Rules, field: str) -> str:
    """Return the value of a rule; the names of keys are separated by spaces, so that a column can be narrow."""
    text = get_rule_text(rules, field)
    return text.replace("+", " ") if field in KEY_LIST_FIELDS else text


def format_recipes() -> str:
    """Return the table of the training recipes."""
    rows = [
        [f"`{recipe.name}`", recipe.learner, f"`{recipe.rules}`", recipe.summary, recipe.source]
        for recipe in RECIPES.values()
    ]
    return format_left_aligned_table(["recipe", "learner", "rules", "description", "source"], rows)


def format_step_limits() -> str:
    """Return the table of the largest numbers of steps per episode of the registered environments."""
    rows = [[f"`{name}`", f"{limit:,}"] for name, (*_, limit) in REGISTERED_ENVIRONMENTS.items()]
    return format_table(["id", "steps per episode at most"], rows)


def format_all_highlights() -> str:
    """Return the lines of the README, which are made from several result files."""
    return format_highlights(
        {file: load_result(file) for file in ("others", "gpu", "modern")} | {"papers": load_papers()}
    )


def load_papers() -> dict[str, Any]:
    """Return the content of the result files of all papers."""
    return {paper: load_result(f"papers/{paper}") for paper in PAPERS}


RESULT_TABLES: dict[str, tuple[Callable[[Any], str], str]] = {  # the function, and the result file
    "bench": (format_bench, "bench"),
    "cross-checks": (format_cross_checks, "cross-checks"),
    "gpu": (format_gpu, "gpu"),
    "gpu-training": (format_gpu_training, "gpu-training"),
    "instructions": (format_instructions, "instructions"),
    "modern": (format_modern, "modern"),
    "modern-short": (format_modern_short, "modern"),
    "others": (format_others, "others"),
    "others-environments": (format_others_environments, "others"),
    "others-short": (format_others_short, "others"),
    "reach": (format_reach, "reach"),
    "setup": (format_setup, "setup"),
    "speed": (format_speed, "speed"),
    "splitting": (format_splitting, "splitting"),
    "start": (format_start, "start"),
    "training": (format_training, "training"),
    "training-short": (format_training_short, "training"),
    "goal": (format_goal, "training"),
    "crossovers": (format_crossovers, "training"),
    "crowds": (format_crowds, "training"),
    "line-limits": (format_line_limits, "training"),
    "window": (format_window, "window"),
}
PAPER_TABLES = {"papers": format_papers, "papers-short": format_papers_short, "record": format_record}
OTHER_TABLES = {  # made from the package, or from several files
    "attack": format_attack,
    "guideline-score": format_guideline_score,
    "highlights": format_all_highlights,
    "learners": format_learners,
    "recipes": format_recipes,
    "rules": format_rules,
    "step-limits": format_step_limits,
    "strengths": format_strengths,
}
TABLE_NAMES = (*RESULT_TABLES, *PAPER_TABLES, *OTHER_TABLES)


def render_table(name: str) -> str:
    """Return a table by its name, as it appears between the markers."""
    if name in RESULT_TABLES:
        format_result, file = RESULT_TABLES[name]
        table = format_result(load_result(file))
    else:
        table = PAPER_TABLES[name](load_papers()) if name in PAPER_TABLES else OTHER_TABLES[name]()
    return f"\n{table}\n"


def list_pages() -> list[Path]:
    """Return the paths of README, SECURITY and all pages of the docs."""
    return [ROOT / "README.md", ROOT / "SECURITY.md", *sorted((ROOT / "docs").rglob("*.md"))]


def find_marked_sections(name: str, text: str) -> list[str]:
    """Return all sections between the markers of a name."""
    return re.findall(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", text, re.DOTALL)


def replace_marked_sections(name: str, text: str, sections: Iterable[str]) -> str:
    """Replace the sections between the markers of a name, in order."""
    contents = iter(sections)
    pattern = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
    return re.sub(pattern, lambda match: match[1] + next(contents) + match[2], text, flags=re.DOTALL)


def main() -> None:
    """Update all pages."""
    for page in list_pages():
        text = page.read_text(encoding="utf-8")
        for name in TABLE_NAMES:
            if find_marked_sections(name, text):
                text = replace_marked_sections(name, text, repeat(render_table(name)))
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
