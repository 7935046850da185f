"""Tables of the README that summarise the reproduced papers, from their saved results."""

from typing import Any

from benchmarks.markdown_tables import format_left_aligned_table, format_table
from tetrion.lab.papers import load_paper
from tetrion.lab.reproduction.paper_definition import ClaimKind
from tetrion.lab.reproduction.published_values import Verdict
from tetrion.lab.reproduction.reproduction import ClaimRow, count_verdicts


def format_papers(results: Any) -> str:
    """Return the table of reproduced documents: the number of claims with each verdict, and the command."""
    rows = []
    for name, result in results.items():
        counts = count_verdicts(map(ClaimRow.from_json, result["rows"]))
        if any(counts.values()):
            cells = [str(sum(counts.values())), *map(str, counts.values()), f"`{result['command']}`"]
            rows.append([format_paper_link(name), *cells])
    note = (
        "\nCounted is what a document claims and we measured under the default reading of it. Measured with `python -m "
        "benchmarks.papers --device cuda` (the same results on every machine, except for times and CMA-ES).\n"
    )
    return format_table(["document", "claims", *(verdict.value for verdict in Verdict), "command"], rows) + note


def format_headlines(results: Any) -> str:
    """Return the table of the headline results of each document: published, ours and the verdict."""
    rows = [
        [format_paper_link(name), row["headline"], row["ours"], row["verdict"]]
        for name, result in results.items()
        for row in result["rows"]
        if row["headline"]
    ]
    return format_left_aligned_table(["document", "published", "ours", "verdict"], rows)


def format_implementations(results: Any) -> str:
    """Return the table of what is implemented of each document, and in what it differs."""
    documents = [
        name for name, result in results.items() if any(row["kind"] == ClaimKind.DOCUMENT for row in result["rows"])
    ]
    papers = [load_paper(name) for name in documents]
    rows = [[format_paper_link(paper.name), paper.implemented, paper.deviations] for paper in papers]
    return format_left_aligned_table(["document", "implemented", "deviations"], rows)


def format_paper_link(name: str) -> str:
    """Return a link from the README to the page of a paper."""
    return f"[{load_paper(name).label}](docs/papers/{name}.md)"


def format_controllers(results: Any) -> str:
    """Return the table of the controllers of the literature on both boards."""
    text = format_agents(results["literature"], "The controllers", 4)
    command = results["literature"]["command"]
    return text + f"\nMeasured with `{command} --device cuda` (the same results on every machine).\n"


def format_record(results: Any) -> str:
    """Return the table of the agents of the record beside published ones."""
    text = format_agents(results["record"], "The agents", None)
    command = results["record"]["command"]
    return text + (
        f"\nMeasured with `{command}` (the same results on every machine); the commands of the games on a GPU are on "
        f"{format_paper_link('record')}.\n"
    )


def format_agents(result: Any, title: str, column_count: int | None) -> str:
    """Return the first columns (all if None) of a table of a paper that has one row per agent."""
    table = next(part for part in result["tables"] if part["title"] == title)
    heads = [head[0].lower() + head[1:] for head in table["heads"][:column_count]]
    return format_table(heads, [[f"`{row[0]}`", *row[1:column_count]] for row in table["rows"]])
