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
from tetrion.evaluation.words import figure, with_interval
from tetrion.lab.papers import PAPERS
from tetrion.training.recipe import Recipe, names

ROOT = Path(__file__).parents[1]
OF_TRAINING = ("trained", "goal", "crossovers", "crowds")
CROSSED = "flom-robinson, "  # how the trials of crossovers begin
WORK = "99th percentile of the processor's ms"
OF_PAPERS = ("papers", "controllers")
OF_ENGINE = ("rules", "recipes")  # what the package itself tells
OF_OTHERS = ("others", "beside")
IN_SHORT = ("Tetrion, sixteen lanes", "C++ by hand, AVX-512", "tetris-gymnasium, JAX", "jumanji", "gym-simpletetris")
RESULTS = (
    *("bench", "speed", "start", "gpu", "yardstick", "instructions", "reach", "training", "window"),
    *OF_OTHERS,
    *OF_TRAINING,
    *OF_PAPERS,
    *OF_ENGINE,
)


def table(heads: list[str], rows: list[list[str]]) -> str:
    """A Markdown table, every column but the first to the right."""
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def papers(results: Any) -> str:
    """Every reproduced document: how many of its claims agree, how much it left open, and the command."""
    rows = []
    for name, result in results.items():
        agreeing = sum(row["agrees"] for row in result["rows"])
        shown = [f"{agreeing} of {len(result['rows'])}", str(len(result["answers"])), f"`{result['command']}`"]
        rows.append([f"[{result['title']}](docs/papers/{name}.md)", *shown])
    same = "the same on every machine, but for times and what CMA-ES learns"
    told = f"\nWhere a claim differs, its page says why. `python -m benchmarks.papers` ({same})\n"
    return table(["document", "claims that agree", "open questions answered", "command"], rows) + told


def controllers(results: Any) -> str:
    """The controllers of the literature on both boards."""
    result = results["literature"]
    found = next(part for part in result["tables"] if part["title"] == "The controllers")
    shown = table([head.lower() for head in found["heads"][:4]], [[f"`{row[0]}`", *row[1:4]] for row in found["rows"]])
    return shown + f"\n`{result['command']}` (the same on every machine)\n"


def bench(result: Any) -> str:
    """What `tetrion bench` prints."""
    return f"```\n$ {result['command']}\n{result['printed']}```\n\n({result['processor']}, {result['date']})\n"


def speed(result: Any) -> str:
    """Pieces a second of every backend."""
    rates = result["pieces_per_second"]
    plain = next(iter(rates.values()))
    rows = [[name, f"{rate:,}", f"{rate / plain:.2g}"] for name, rate in rates.items()]
    where = f"{result['processor']}, {result['cores']} cores, compiled for {result['compiled_for']}, {result['date']}"
    return table(["backend", "pieces/s", "ratio"], rows) + f"\n`{result['command']}` ({where})\n"


def start(result: Any) -> str:
    """How long a person waits."""
    rows = [[name, f"{seconds:g}"] for name, seconds in result["seconds"].items()]
    return table(["", "seconds"], rows) + f"\n`{result['command']}` ({result['processor']}, {result['date']})\n"


def window(result: Any) -> str:
    """How long frames of the window take."""
    heads = ["", "frames a second", "a frame, median", "99th percentile", "work", "moves a second"]
    rows = [
        [
            scene["scene"],
            f"{scene['frames a second']:.0f}",
            f"{scene['median ms']:.1f} ms",
            f"{scene['99th percentile ms']:.1f} ms",
            f"{scene[WORK]:.1f} ms",
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
    return table(heads, rows) + "\n" + told


def gpu(result: Any) -> str:
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
            f"lines a game of `dellacherie`, {known['deaths']:,} deaths in games of {known['most_pieces']:,} pieces",
            f"{known['mean']:,.0f} ({low:,.0f} to {high:,.0f})",
        ],
        ["seconds for that", f"{known['seconds']:,.0f}"],
    ]
    return table(["GPU", result["device"]], rows) + f"\n`{result['command']}` ({result['date']})\n"


def yardstick(result: Any) -> str:
    """Our speed against a C++ program's."""
    rows = [[r["name"], f"{r['ours']:,.0f}", f"{r['theirs']:,.0f}", f"{r['ratio']:.2f}"] for r in result["pairs"]]
    where = f"{result['processor']}, {result['date']}, median of {result['runs']} alternating runs"
    return table(["", "ours, pieces/s", "C++", "ratio"], rows) + f"\n`{result['command']}` ({where})\n"


def others(result: Any) -> str:
    """Every program that was measured beside ours, and those that could not be."""
    rows = [
        [
            shown_program(row),
            f"{row['pieces_per_second']:,.0f}",
            "–" if "two pieces" in row["name"] else times(row["decides"]),
            "–" if row["does"].startswith("`du`") else times(row["by_lot"]),
        ]
        for row in result["rows"]
    ]
    shown = table(["program", "pieces/s", "our `du` on lanes ÷ it", "our `random` on lanes ÷ it"], rows)
    failed = "".join(f"- {part['name']} is not measured: `{part['reason']}`\n" for part in result["failed"])
    return shown + "\n" + failed + "\n" * bool(failed) + measured_beside(result)


def beside(result: Any) -> str:
    """A few of them, in short."""
    rows = [
        [shown_program(row), f"{row['pieces_per_second']:,.0f}", times(row["decides"])]
        for row in result["rows"]
        if row["name"] in IN_SHORT
    ]
    return table(["program", "pieces/s", "the first ÷ it"], rows) + "\n" + measured_beside(result)


def shown_program(row: Any) -> str:
    """A program, its version, and what it does."""
    version = f" ({row['version']})" if "version" in row else ""
    return f"{row['name']}{version}: {row['does']}"


def measured_beside(result: Any) -> str:
    """The command that measured others beside ours, and where."""
    where = f"{result['processor']}, one core, {result['date']}, medians of {result['rounds']} rounds in turns"
    return f"`{result['command']}` ({where})\n"


def times(ratio: float) -> str:
    """How many times as fast, in a few digits."""
    return f"{ratio:,.0f}" if ratio >= 10 else f"{ratio:.2g}"


def instructions(result: Any) -> str:
    """Instructions a piece."""
    rows = [[name, f"{count:,}"] for name, count in result["instructions_per_piece"].items()]
    where = f"compiled for {result['compiled_for']}, {result['date']}"
    return table(["", "instructions a piece"], rows) + f"\n`{result['command']}` ({where})\n"


def reach(result: Any) -> str:
    """Floods a second."""
    rates = result["floods_per_second"]
    slowest = min(rates.values())
    rows = [[name, f"{rate:,}", f"{rate / slowest:.1f}"] for name, rate in rates.items()]
    boards = f"{result['boards']:,} boards, {result['mean_height']:g} rows high on average"
    where = f"{result['processor']}, one core, {result['date']}, median of {result['runs']} alternating runs; {boards}"
    return table(["", "boards/s", "ratio"], rows) + f"\n`{result['command']}` ({where})\n"


def left_table(heads: list[str], rows: list[list[str]]) -> str:
    """A Markdown table of words."""
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [heads, ["---"] * len(heads), *rows])


def rules(presets: Any) -> str:
    """The rule sets side by side, and their choices."""
    sets = [Rules.preset(name) for name in presets if name != "standard-10x10"]
    names = [field.name for field in fields(Rules) if field.name != "name"]
    rows = [[f"`{name}`", *(str(getattr(rule, name)).replace("+", " ") for rule in sets)] for name in names]
    parts = [table(["", *(f"`{rule.name}`" for rule in sets)], rows)]
    for name, preset in presets.items():
        parts.append(f"\n**`{name}`**: {preset.source}.\n\n")
        parts += [f"- {choice}\n" for choice in preset.choices]
    return "".join(parts)


def recipes() -> str:
    """The recipes to train by."""
    rows = [[f"`{r.name}`", r.learner, f"`{r.rules}`", r.summary, r.source] for r in map(Recipe.load, names())]
    return left_table(["recipe", "learner", "rules", "what it does", "source"], rows)


def training(results: Any) -> str:
    """How well the recipes train, over seeds."""
    rows = [[shown_trial(part), *trial_row(part)] for name, part in results.items() if not name.startswith(CROSSED)]
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
        table(heads, rows)
        + f"\n`python -m benchmarks.training` ({'; '.join(machines)}). Capped games count as they were cut.\n"
    )


def trained(results: Any) -> str:
    """A few of them, in short."""
    names = ("gavrilov", "gavrilov-plus", "hindi-crowds", "tetrais-q", "becker-tuned", "medico-tuned", "cma-dt")
    rows = [[shown_trial(results[name]), *trial_row(results[name])[:-3]] for name in names]
    shown = table(["recipe", "counted", "held-out games", "mean over seeds"], rows)
    return f"{shown}\n`python -m benchmarks.training`; capped games count as they were cut.\n"


def goal(results: Any) -> str:
    """How many of ten games reach what Gavrilov tells of his trained agent."""
    names = ("gavrilov", "gavrilov-plus")
    rows = [[f"`{name}`", ", ".join(str(seed["goal"]) for seed in results[name]["seeds"])] for name in names]
    return (
        left_table(["recipe", "of ten games, by seed"], rows) + f"\n`python -m benchmarks.training {' '.join(names)}`\n"
    )


def crossovers(results: Any) -> str:
    """Flom and Robinson's four crossovers, by which pieces are dealt."""
    parts = {tuple(name.split(", ")[1:]): part for name, part in results.items() if name.startswith(CROSSED)}
    pieces, kinds = (list(dict.fromkeys(key[place] for key in parts)) for place in (1, 0))
    rows = [
        [kind, *(with_interval(parts[kind, deal]["mean"], parts[kind, deal]["ci95"]) for deal in pieces)]
        for kind in kinds
    ]
    seeds = len(next(iter(parts.values()))["seeds"])
    return (
        table(["crossover", *pieces], rows) + f"\n`python -m benchmarks.training` (lines a game over {seeds} seeds)\n"
    )


def crowds(results: Any) -> str:
    """Crowds beside their experts."""
    seeds = results["hindi-crowds"]["seeds"]
    heads = [head for head in seeds[0]["crowd"] if head != "experts"]
    rows = [[f"seed {seed['seed']}", *(figure(seed["crowd"][head], 0) for head in heads)] for seed in seeds]
    return table(["", *heads], rows) + "\n`python -m benchmarks.training hindi-crowds`\n"


def shown_trial(part: Any) -> str:
    """A recipe and its changes, as one types them."""
    return f"`{part['recipe']}`" + "".join(f" `{change}`" for change in part["changes"])


def trial_row(part: Any) -> list[str]:
    """What a recipe came to."""
    seeds, means = part["seeds"], [seed["mean"] for seed in part["seeds"]]
    cap = f" of at most {part['cap']:,} pieces" if part["cap"] else ""
    seconds = sorted(seed["seconds"] for seed in seeds)
    return [
        {"lines": "lines", "score": "points"}[part["counted"]],
        f"{seeds[0]['games']:,}{cap}",
        with_interval(part["mean"], part["ci95"]),
        f"{figure(min(means))} to {figure(max(means))}",
        str(len(seeds)),
        f"{figure(seconds[len(seconds) // 2])} on {part['threads']}",
    ]


def rendered(name: str) -> str:
    """A result as Markdown."""
    if name in OF_ENGINE:
        return "\n" + (rules(PRESETS) if name == "rules" else recipes()) + "\n"
    makers = {
        **{
            "papers": papers,
            "controllers": controllers,
            "bench": bench,
            "speed": speed,
            "start": start,
            "window": window,
        },
        **{"gpu": gpu, "yardstick": yardstick, "reach": reach, "training": training},
        **{"others": others, "beside": beside, "instructions": instructions},
        **{"trained": trained, "goal": goal, "crossovers": crossovers, "crowds": crowds},
    }
    home = "training" if name in OF_TRAINING else "others" if name in OF_OTHERS else name
    content = {paper: kept(f"papers/{paper}") for paper in PAPERS} if name in OF_PAPERS else kept(home)
    return "\n" + makers[name](content) + "\n"


def kept(name: str) -> Any:
    """What a command has written."""
    return json.loads((ROOT / "benchmarks" / "results" / f"{name}.json").read_text(encoding="utf-8"))


def pages() -> list[Path]:
    """README and every page of the docs."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def marked(name: str, text: str) -> list[str]:
    """What stands between the marks of a name, wherever they are."""
    return re.findall(rf"<!-- {name} -->\n(.*?)<!-- /{name} -->", text, re.DOTALL)


def with_shown(name: str, text: str, shown: Iterable[str]) -> str:
    """A page with these between its marks of a name, one after another."""
    parts = iter(shown)
    pattern = rf"(<!-- {name} -->\n).*?(<!-- /{name} -->)"
    return re.sub(pattern, lambda marks: marks[1] + next(parts) + marks[2], text, flags=re.DOTALL)


def main() -> None:
    """Renew every page."""
    for page in pages():
        text = page.read_text(encoding="utf-8")
        for name in RESULTS:
            if marked(name, text):
                text = with_shown(name, text, repeat(rendered(name)))
        page.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
