"""Write the measured figures into README and docs: python -m benchmarks.pages.

A page shows a result between `<!-- name -->` and `<!-- /name -->`; what stands there is made from the file of that name
in benchmarks/results, which the command that is named beneath the table has written. Rule sets come from the engine.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import fields
from itertools import repeat
from pathlib import Path
from typing import Any

from tetrion.engine.presets import PRESETS
from tetrion.engine.rules import Rules
from tetrion.evaluation.number_format import format_mean_interval, format_number
from tetrion.lab.papers import PAPER_NAMES
from tetrion.training.recipe import Recipe, list_recipes

ROOT = Path(__file__).parents[1]
TRAINING_TABLES = ("trained", "goal", "crossovers", "crowds")
CROSSOVER_PREFIX = "flom-robinson, "  # how the trials of crossovers begin
WORK_KEY = "99th percentile of the processor's ms"
PAPER_TABLES = ("papers", "controllers")
ENGINE_TABLES = ("rules", "recipes")  # what the package itself tells
PROGRAM_TABLES = ("others", "beside")
SHORT_TABLE_PROGRAMS = (
    "Tetrion, SIMD",
    "C++ by hand, AVX-512",
    "tetris-gymnasium, JAX",
    "jumanji",
    "gym-simpletetris",
)
TABLE_NAMES = (
    *("bench", "speed", "start", "gpu", "yardstick", "instructions", "reach", "training", "window"),
    *PROGRAM_TABLES,
    *TRAINING_TABLES,
    *PAPER_TABLES,
    *ENGINE_TABLES,
)


def format_table(headers: list[str], rows: list[list[str]]) -> str:
    """A Markdown table, every column but the first to the right."""
    lines = [headers, ["---", *["---:"] * (len(headers) - 1)], *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def format_papers(results: Any) -> str:
    """Every reproduced document: how many of its claims agree, how much it left open, and the command."""
    rows = []
    for name, result in results.items():
        agreeing = sum(row["agrees"] for row in result["rows"])
        shown = [f"{agreeing} of {len(result['rows'])}", str(len(result["answers"])), f"`{result['command']}`"]
        rows.append([f"[{result['title']}](docs/papers/{name}.md)", *shown])
    same = "the same on every machine, but for times and what CMA-ES learns"
    told = f"\nWhere a claim differs, its page says why. `python -m benchmarks.papers` ({same})\n"
    return format_table(["document", "claims that agree", "open questions answered", "command"], rows) + told


def format_controllers(results: Any) -> str:
    """The controllers of the literature on both boards."""
    result = results["literature"]
    found = next(part for part in result["tables"] if part["title"] == "The controllers")
    shown = format_table(
        [head.lower() for head in found["heads"][:4]], [[f"`{row[0]}`", *row[1:4]] for row in found["rows"]]
    )
    return shown + f"\n`{result['command']}` (the same on every machine)\n"


def format_bench(result: Any) -> str:
    """What `tetrion bench` prints."""
    return f"```\n$ {result['command']}\n{result['printed']}```\n\n({result['processor']}, {result['date']})\n"


def format_speed(result: Any) -> str:
    """Pieces a second of every backend."""
    rates = result["pieces_per_second"]
    plain = next(iter(rates.values()))
    rows = [[name, f"{rate:,}", f"{rate / plain:.2g}"] for name, rate in rates.items()]
    where = f"{result['processor']}, {result['cores']} cores, compiled for {result['compiled_for']}, {result['date']}"
    return format_table(["backend", "pieces/s", "ratio"], rows) + f"\n`{result['command']}` ({where})\n"


def format_start(result: Any) -> str:
    """How long a person waits."""
    rows = [[name, f"{seconds:g}"] for name, seconds in result["seconds"].items()]
    return format_table(["", "seconds"], rows) + f"\n`{result['command']}` ({result['processor']}, {result['date']})\n"


def format_window(result: Any) -> str:
    """How long frames of the window take."""
    heads = ["", "frames a second", "a frame, median", "99th percentile", "work", "moves a second"]
    rows = [
        [
            scene["scene"],
            f"{scene['frames a second']:.0f}",
            f"{scene['median ms']:.1f} ms",
            f"{scene['99th percentile ms']:.1f} ms",
            f"{scene[WORK_KEY]:.1f} ms",
            f"{scene['moves a second']:,}" if scene["moves a second"] else "–",
        ]
        for scene in result["scenes"]
    ]
    size = "×".join(map(str, result["size"]))
    seen = result["seconds until the menu is seen"]
    told = (
        f"The menu is seen {seen:.2f} seconds after the command. Sixty frames a second leave 16.7 ms for each; *work* "
        "is the processor's time of the drawing thread alone, at the 99th percentile too.\n\n"
        f"`{result['command']}` ({result['processor']}, one core, {size}, {result['date']})\n"
    )
    return format_table(heads, rows) + "\n" + told


def format_gpu(result: Any) -> str:
    """The GPU against the CPU."""
    same, fast, two, known = (result[part] for part in ("identical", "speed", "two_pieces", "dellacherie"))
    low, high = known["ci95"]
    rows = [
        ["games played on CPU and GPU, their ends compared byte by byte", f"{same['games']:,}"],
        ["pieces in them", f"{same['pieces']:,}"],
        ["games that differ", f"{same['different_games']:,}"],
        [f"pieces a second, {fast['games']:,} games of `du` at once", f"{fast['pieces_per_second']:,.0f}"],
        ["the same, `du` looking at two pieces", f"{two['pieces_per_second']:,.0f}"],
        [
            f"lines a game of `dellacherie`, {known['deaths']:,} deaths in games of {known['max_pieces']:,} pieces",
            f"{known['mean']:,.0f} ({low:,.0f} to {high:,.0f})",
        ],
        ["seconds for that", f"{known['seconds']:,.0f}"],
    ]
    return format_table(["GPU", result["device"]], rows) + f"\n`{result['command']}` ({result['date']})\n"


def format_yardstick(result: Any) -> str:
    """Our speed against a C++ program's."""
    rows = [[r["name"], f"{r['ours']:,.0f}", f"{r['theirs']:,.0f}", f"{r['ratio']:.2f}"] for r in result["pairs"]]
    where = f"{result['processor']}, {result['date']}, median of {result['runs']} alternating runs"
    return format_table(["", "ours, pieces/s", "C++", "ratio"], rows) + f"\n`{result['command']}` ({where})\n"


def format_others(result: Any) -> str:
    """Every program that was measured beside ours, and those that could not be."""
    rows = [
        [
            describe_program(row),
            f"{row['pieces_per_second']:,.0f}",
            "–" if "depth 2" in row["name"] else format_ratio(row["decides"]),
            "–" if row["does"].startswith("`du`") else format_ratio(row["by_lot"]),
        ]
        for row in result["rows"]
    ]
    shown = format_table(["program", "pieces/s", "our `du` on lanes ÷ it", "our `random` on lanes ÷ it"], rows)
    failed = "".join(f"- {part['name']} is not measured: `{part['reason']}`\n" for part in result["failed"])
    return shown + "\n" + failed + "\n" * bool(failed) + format_provenance(result)


def format_others_short(result: Any) -> str:
    """A few of them, in short."""
    rows = [
        [describe_program(row), f"{row['pieces_per_second']:,.0f}", format_ratio(row["decides"])]
        for row in result["rows"]
        if row["name"] in SHORT_TABLE_PROGRAMS
    ]
    return format_table(["program", "pieces/s", "the first ÷ it"], rows) + "\n" + format_provenance(result)


def describe_program(row: Any) -> str:
    """A program, its version, and what it does."""
    version = f" ({row['version']})" if "version" in row else ""
    return f"{row['name']}{version}: {row['does']}"


def format_provenance(result: Any) -> str:
    """The command that measured others beside ours, and where."""
    where = f"{result['processor']}, one core, {result['date']}, medians of {result['rounds']} rounds in turns"
    return f"`{result['command']}` ({where})\n"


def format_ratio(ratio: float) -> str:
    """How many times as fast, in a few digits."""
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def format_instructions(result: Any) -> str:
    """Instructions a piece."""
    rows = [[name, f"{count:,}"] for name, count in result["instructions_per_piece"].items()]
    where = f"compiled for {result['compiled_for']}, {result['date']}"
    return format_table(["", "instructions a piece"], rows) + f"\n`{result['command']}` ({where})\n"


def format_reach(result: Any) -> str:
    """Floods a second."""
    rates = result["floods_per_second"]
    slowest = min(rates.values())
    rows = [[name, f"{rate:,}", f"{rate / slowest:.1f}"] for name, rate in rates.items()]
    boards = f"{result['boards']:,} boards, {result['mean_height']:g} rows high on average"
    where = f"{result['processor']}, one core, {result['date']}, median of {result['runs']} alternating runs; {boards}"
    return format_table(["", "boards/s", "ratio"], rows) + f"\n`{result['command']}` ({where})\n"


def format_left_aligned_table(headers: list[str], rows: list[list[str]]) -> str:
    """A Markdown table of words."""
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [headers, ["---"] * len(headers), *rows])


def format_rules(presets: Any) -> str:
    """The rule sets side by side, and their choices."""
    sets = [Rules.from_preset(name) for name in presets if name != "standard-10x10"]
    names = [field.name for field in fields(Rules) if field.name != "name"]
    rows = [[f"`{name}`", *(str(getattr(rule, name)).replace("+", " ") for rule in sets)] for name in names]
    parts = [format_table(["", *(f"`{rule.name}`" for rule in sets)], rows)]
    for name, preset in presets.items():
        parts.append(f"\n**`{name}`**: {preset.source}.\n\n")
        parts += [f"- {choice}\n" for choice in preset.choices]
    return "".join(parts)


def format_recipes() -> str:
    """The recipes to train by."""
    rows = [[f"`{r.name}`", r.learner, f"`{r.rules}`", r.summary, r.source] for r in map(Recipe.load, list_recipes())]
    return format_left_aligned_table(["recipe", "learner", "rules", "what it does", "source"], rows)


def format_training(results: Any) -> str:
    """How well the recipes train, over seeds."""
    rows = [
        [format_trial_name(part), *make_trial_row(part)]
        for name, part in results.items()
        if not name.startswith(CROSSOVER_PREFIX)
    ]
    heads = [
        "recipe",
        "counted",
        "held-out games",
        "mean over seeds",
        "worst to best seed",
        "seeds",
        "seconds on threads",
    ]
    machines = sorted({f"{part['processor']}, {part['date']}" for part in results.values()})
    return (
        format_table(heads, rows)
        + f"\n`python -m benchmarks.training` ({'; '.join(machines)}). Capped games count as they were cut.\n"
    )


def format_training_short(results: Any) -> str:
    """A few of them, in short."""
    names = ("gavrilov", "gavrilov-plus", "hindi-crowds", "tetrais-q", "becker-tuned", "medico-tuned", "cma-dt")
    rows = [[format_trial_name(results[name]), *make_trial_row(results[name])[:-3]] for name in names]
    shown = format_table(["recipe", "counted", "held-out games", "mean over seeds"], rows)
    return f"{shown}\n`python -m benchmarks.training`; capped games count as they were cut.\n"


def format_goal(results: Any) -> str:
    """How many of ten games reach what Gavrilov tells of his trained agent."""
    names = ("gavrilov", "gavrilov-plus")
    rows = [[f"`{name}`", ", ".join(str(seed["goal"]) for seed in results[name]["seeds"])] for name in names]
    return (
        format_left_aligned_table(["recipe", "of ten games, by seed"], rows)
        + f"\n`python -m benchmarks.training {' '.join(names)}`\n"
    )


def format_crossovers(results: Any) -> str:
    """Flom and Robinson's four crossovers, by which pieces are dealt."""
    parts = {tuple(name.split(", ")[1:]): part for name, part in results.items() if name.startswith(CROSSOVER_PREFIX)}
    pieces, kinds = (list(dict.fromkeys(key[place] for key in parts)) for place in (1, 0))
    rows = [
        [kind, *(format_mean_interval(parts[kind, deal]["mean"], parts[kind, deal]["ci95"]) for deal in pieces)]
        for kind in kinds
    ]
    seeds = len(next(iter(parts.values()))["seeds"])
    return (
        format_table(["crossover", *pieces], rows)
        + f"\n`python -m benchmarks.training` (lines a game over {seeds} seeds)\n"
    )


def format_crowds(results: Any) -> str:
    """Crowds beside their experts."""
    seeds = results["hindi-crowds"]["seeds"]
    heads = [head for head in seeds[0]["crowd"] if head != "experts"]
    rows = [[f"seed {seed['seed']}", *(format_number(seed["crowd"][head], 0) for head in heads)] for seed in seeds]
    return format_table(["", *heads], rows) + "\n`python -m benchmarks.training hindi-crowds`\n"


def format_trial_name(part: Any) -> str:
    """A recipe and its changes, as one types them."""
    return f"`{part['recipe']}`" + "".join(f" `{change}`" for change in part["changes"])


def make_trial_row(part: Any) -> list[str]:
    """What a recipe came to."""
    seeds, means = part["seeds"], [seed["mean"] for seed in part["seeds"]]
    cap = f" of at most {part['cap']:,} pieces" if part["cap"] else ""
    seconds = sorted(seed["seconds"] for seed in seeds)
    return [
        {"lines": "lines", "score": "points"}[part["counted"]],
        f"{seeds[0]['games']:,}{cap}",
        format_mean_interval(part["mean"], part["ci95"]),
        f"{format_number(min(means))} to {format_number(max(means))}",
        str(len(seeds)),
        f"{format_number(seconds[len(seconds) // 2])} on {part['threads']}",
    ]


def render_table(name: str) -> str:
    """A result as Markdown."""
    if name in ENGINE_TABLES:
        return "\n" + (format_rules(PRESETS) if name == "rules" else format_recipes()) + "\n"
    makers = {
        **{
            "papers": format_papers,
            "controllers": format_controllers,
            "bench": format_bench,
            "speed": format_speed,
            "start": format_start,
            "window": format_window,
        },
        **{"gpu": format_gpu, "yardstick": format_yardstick, "reach": format_reach, "training": format_training},
        **{"others": format_others, "beside": format_others_short, "instructions": format_instructions},
        **{
            "trained": format_training_short,
            "goal": format_goal,
            "crossovers": format_crossovers,
            "crowds": format_crowds,
        },
    }
    home = "training" if name in TRAINING_TABLES else "others" if name in PROGRAM_TABLES else name
    content = (
        {paper: load_result(f"papers/{paper}") for paper in PAPER_NAMES} if name in PAPER_TABLES else load_result(home)
    )
    return "\n" + makers[name](content) + "\n"


def load_result(name: str) -> Any:
    """What a command has written."""
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))


def list_pages() -> list[Path]:
    """README and every page of the docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def find_marked_sections(name: str, text: str) -> list[str]:
    """What stands between the marks of a name, wherever they are."""
    return re.findall(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", text, re.DOTALL)


def replace_marked_sections(name: str, text: str, sections: Iterable[str]) -> str:
    """A page with these between its marks of a name, one after another."""
    parts = iter(sections)
    pattern = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
    return re.sub(pattern, lambda marks: marks[1] + next(parts) + marks[2], text, flags=re.DOTALL)


def main() -> None:
    """Renew every page."""
    for page in list_pages():
        text = page.read_text(encoding="utf-8")
        for name in TABLE_NAMES:
            if find_marked_sections(name, text):
                text = replace_marked_sections(name, text, repeat(render_table(name)))
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
