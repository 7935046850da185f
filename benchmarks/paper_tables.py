"""Tables and sentences of the README and docs/results.md that summarise the papers, from their saved values."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from benchmarks.common import format_left_aligned_table, format_table
from tetrion.papers import DOCUMENT_NAMES, PAPERS
from tetrion.papers.reproduction import Reproduction

PAPERS_NOTE = "\nMeasured with `python -m benchmarks.papers` (the same results on every machine, except for CMA-ES).\n"
_SENTENCE_END = re.compile(r"(?<=\.)\s+(?=[A-Z])")
RECORD_AGENTS = "agents(tetrion_1, dt20=dt20, dt10=dt10, du=du, dellacherie=dellacherie)"  # as on its page
RECORD_COLUMNS = {
    "agent": "agent",
    "ten": "lines on 10×10",
    "ten_factor": "factor",
    "twenty": "lines on 10×20",
    "twenty_factor": "factor",
}
RECORD_COMPARISON = "beside_tetr_ai()"
COMPARISON_COLUMNS = {
    "board": "board",
    "agent": "agent",
    "factor": "times the lines of tetr-ai",
    "deaths": "deaths of both",
}


def format_papers(results: Any) -> str:
    """Return the table of documents: whether each holds, and what we found."""
    rows = [
        [f"[{PAPERS[name].label}](papers/{name}.md)", f"**{results[name]['verdict']}**", results[name]["summary"]]
        for name in DOCUMENT_NAMES
    ]
    return format_left_aligned_table(["document", "verdict", "what we found"], rows) + PAPERS_NOTE


def format_papers_short(results: Any) -> str:
    """Return one line per document for the README: whether it holds, and the first sentence of what we found."""
    lines = [
        f"- [{PAPERS[name].label}](docs/papers/{name}.md) **{results[name]['verdict']}**. "
        f"{_SENTENCE_END.split(results[name]['summary'], maxsplit=1)[0]}\n"
        for name in DOCUMENT_NAMES
    ]
    return "".join(lines) + PAPERS_NOTE


def load_record(results: Any) -> Reproduction:
    """Return the saved measurements of the record."""
    return Reproduction.from_json(PAPERS["record"], results["record"])


def format_record(results: Any) -> str:
    """Return the agents of the record beside published ones, and their factors to the best open program."""
    reproduction = load_record(results)
    agents = format_rows(RECORD_COLUMNS, reproduction.evaluate(RECORD_AGENTS))
    comparison = format_rows(COMPARISON_COLUMNS, reproduction.evaluate(RECORD_COMPARISON))
    return (
        f"{agents}\n{comparison}\n"
        f"Measured with `{reproduction.command}` (the same results on every machine). The second table comes from an "
        "independent program of ours, which is not part of Tetrion.\n"
    )


def format_rows(columns: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of rows from a page; `columns` are the headings by the keys of a row."""
    code = {"agent": "`{}`"}
    return format_table(
        [*columns.values()], [[code.get(key, "{}").format(row[key]) for key in columns] for row in rows]
    )
