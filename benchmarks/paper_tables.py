"""Tables of the README that summarise the papers, from their saved values."""

from typing import Any

from benchmarks.markdown_tables import format_left_aligned_table, format_table
from tetrion.papers import DOCUMENT_NAMES, load_paper


def format_papers(results: Any) -> str:
    """Return the table of documents: whether each holds, and the verdict in a sentence."""
    rows = [
        [format_paper_link(name), f"**{results[name]['verdict']}**", results[name]["summary"]]
        for name in DOCUMENT_NAMES
    ]
    note = (
        "\nMeasured with `python -m benchmarks.papers --device cuda` (the same results on every machine, except for "
        "CMA-ES).\n"
    )
    return format_left_aligned_table(["document", "verdict", "what we found"], rows) + note


def format_paper_link(name: str) -> str:
    """Return a link from the README to the page of a paper."""
    return f"[{load_paper(name).label}](docs/papers/{name}.md)"


def format_record(results: Any) -> str:
    """Return the agents of the record beside published ones, and the games beside the best open program."""
    result = results["record"]
    return (
        f"{format_paper_table(result, 'The agents')}\n{format_paper_table(result, 'Beside the best open program')}\n"
        f"Measured with `{result['command']}` (the same results on every machine); the commands of the games on an "
        f"H200 are on {format_paper_link('record')}. The second table comes from an independent program of "
        "ours, which is not part of Tetrion.\n"
    )


def format_paper_table(result: Any, title: str) -> str:
    """Return a table of the page of a paper for the README."""
    table = next(part for part in result["tables"] if part["title"] == title)
    heads = [head[0].lower() + head[1:] for head in table["heads"]]
    agent = table["heads"].index("Agent")
    return format_table(heads, [[*row[:agent], f"`{row[agent]}`", *row[agent + 1 :]] for row in table["rows"]])
