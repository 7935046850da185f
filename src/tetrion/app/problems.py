"""Mistakes of the program itself, kept so that they can be told to whoever mends them."""

import traceback
from datetime import datetime
from pathlib import Path

from tetrion.app.folders import data_folder

FILE = "problems.txt"
LARGEST = 1_000_000  # bytes, after which the file begins anew


def keep_problem(problem: BaseException) -> Path:
    """Write down what happened; gives back where."""
    path = data_folder() / FILE
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        begins_anew = path.exists() and path.stat().st_size > LARGEST
        with path.open("w" if begins_anew else "a", encoding="utf-8") as file:
            file.write(f"{datetime.now():%Y-%m-%d %H:%M:%S}\n")
            file.writelines(traceback.format_exception(problem))
            file.write("\n")
    except OSError:
        pass  # the person is told anyway
    return path
