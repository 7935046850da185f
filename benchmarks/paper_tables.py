"""Tables of the README that summarise the papers, from their saved values."""

from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.markdown_tables import format_left_aligned_table, format_table
from tetrion.papers import DOCUMENT_NAMES, PAPERS
from tetrion.papers.reproduction import Reproduction

RECORD_AGENTS = "agents(tetrion_1, dt20=dt20, dt10=dt10, du=du, dellacherie=dellacherie)"  # as on its page
RECORD_COLUMNS = {
    "agent": "agent",
    "ten": "lines on 10×10",
    "ten_factor": "factor",
    "twenty": "lines on 10×20 (splitting)",
    "twenty_factor": "factor",
    "games": "lines on 10×20 (games on an H200)",
    "games_factor": "factor",
    "deaths": "deaths",
}
RECORD_COMPARISON = "beside_tetr_ai()"
COMPARISON_COLUMNS = {
    "board": "board",
    "agent": "agent",
    "ours": "lines",
    "theirs": "lines of tetr-ai",
    "factor": "factor",
    "deaths": "deaths",
}


def format_papers(results: Any) -> str:
    """Return the table of documents: whether each holds, and the verdict in a sentence."""
    rows = [
        [format_paper_link(name), f"**{results[name]['verdict']}**", results[name]["summary"]]
        for name in DOCUMENT_NAMES
    ]
    note = "\nMeasured with `python -m benchmarks.papers` (the same results on every machine, except for CMA-ES).\n"
    return format_left_aligned_table(["document", "verdict", "what we found"], rows) + note


def format_paper_link(name: str) -> str:
    """Return a link from the README to the page of a paper."""
    return f"[{PAPERS[name].label}](docs/papers/{name}.md)"


def format_record(results: Any) -> str:
    """Return the agents of the record beside published ones, and the games beside the best open program."""
    reproduction = Reproduction.from_json(PAPERS["record"], results["record"])
    agents = format_rows(RECORD_COLUMNS, reproduction.evaluate(RECORD_AGENTS))
    comparison = format_rows(COMPARISON_COLUMNS, reproduction.evaluate(RECORD_COMPARISON))
    return (
        f"{agents}\n{comparison}\n"
        f"Measured with `{reproduction.command}` (the same results on every machine), except for [the games on an H200]"
        "(docs/papers/record-results.md#games-on-an-h200). The second table comes from an independent program of ours, "
        "which is not part of Tetrion.\n"
    )


def format_rows(columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of rows from a page; `columns` are the headings by the keys of a row."""
    code = {"agent": "`{}`"}
    return format_table(
        [*columns.values()], [[code.get(key, "{}").format(row[key]) for key in columns] for row in rows]
    )
