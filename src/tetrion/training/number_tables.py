"""Tables of numbers in CSV files, which may come from anyone."""

import csv
import io

import numpy as np

from tetrion.text_cleaning import clean_name
from tetrion.training.optimisers.optimiser import NumpyArray
from tetrion.training.run_schema import MAX_MEASURED_NUMBER

MAX_TABLE_BYTES = 256_000_000
_MAX_COLUMNS = 1000


def parse_number_table(content: bytes, max_rows: int) -> tuple[list[str], NumpyArray]:
    """Return the names of the columns and the numbers of a CSV file, one row per line; empty cells are NaN.

    A last line without a line end is ignored, because a process may be writing it. ValueError says what is wrong.
    """
    text = content[: content.rfind(b"\n") + 1].decode()
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        header = next(reader, [])
        if not 0 < len(header) <= _MAX_COLUMNS:
            raise ValueError(f"expected 1 to {_MAX_COLUMNS:,} columns; given {len(header):,}")
        rows: list[list[float]] = []
        for row in reader:
            if len(rows) == max_rows:
                raise ValueError(f"expected at most {max_rows:,} rows")
            rows.append(parse_row(row, header, reader.line_num))
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num}: {error}") from None
    table = np.array(rows, np.float64).reshape(len(rows), len(header))
    too_large = np.abs(table) > MAX_MEASURED_NUMBER
    if too_large.any():
        row, column = np.argwhere(too_large)[0]
        raise ValueError(
            f"line {row + 2}: expected a finite number up to {MAX_MEASURED_NUMBER:g} in the column "
            f"{clean_name(header[column])}; given {table[row, column]}"
        )
    return header, table


def parse_row(row: list[str], header: list[str], line: int) -> list[float]:
    """Return the numbers of a row; raise ValueError if one is missing or invalid."""
    if len(row) != len(header):
        raise ValueError(f"line {line}: expected {len(header):,} cells; given {len(row):,}")
    try:
        return [float(cell) if cell else np.nan for cell in row]
    except ValueError:
        raise ValueError(f"line {line}: expected numbers; given '{clean_name(','.join(row))}'") from None
