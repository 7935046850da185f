"""Tables in Markdown."""


def format_table(headers: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table; all columns except the first are right-aligned."""
    lines = [headers, ["---", *["---:"] * (len(headers) - 1)], *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def format_left_aligned_table(headers: list[str], rows: list[list[str]]) -> str:
    """Return a Markdown table of texts."""
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [headers, ["---"] * len(headers), *rows])
