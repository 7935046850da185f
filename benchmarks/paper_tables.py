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
