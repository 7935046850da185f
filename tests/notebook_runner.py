"""Run the code cells of a notebook with IPython, as Jupyter does: python -m tests.notebook_runner FILE [--write].

The outputs are printed as JSON, or written into the notebook. Standard error, which has progress and the notice of a
compilation, is no output.
"""

import base64
import json
import sys
from pathlib import Path
from typing import Any


def run_cells(sources: list[str]) -> list[list[dict[str, Any]]]:
    """Return the outputs of each cell in the format of notebooks; raise the error of a cell that fails."""
    from IPython.core.displayhook import DisplayHook
    from IPython.core.formatters import DisplayFormatter
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.utils.capture import capture_output

    class SilentDisplayHook(DisplayHook):
        """Keeps the result of a cell and prints nothing."""

        def __call__(self, result: object = None) -> None:
            if result is not None:
                self.fill_exec_result(result)  # type: ignore[no-untyped-call]

    shell = InteractiveShell.instance(displayhook_class=SilentDisplayHook)
    formatter = DisplayFormatter(parent=shell)
    outputs = []
    for number, source in enumerate(sources, 1):
        with capture_output() as captured:
            result = shell.run_cell(source, store_history=True)  # type: ignore[no-untyped-call]
        result.raise_error()
        cell_outputs: list[dict[str, Any]] = []
        if captured.stdout:
            cell_outputs.append({"name": "stdout", "output_type": "stream", "text": split_lines(captured.stdout)})
        if result.result is not None:
            data, metadata = formatter.format(result.result)  # type: ignore[no-untyped-call]
            if "image/svg+xml" in data:
                data.pop("text/html", None)  # GitHub shows pictures, but not those inside HTML
            content = {kind: encode_content(part) for kind, part in sorted(data.items())}
            cell_outputs.append(
                {"data": content, "execution_count": number, "metadata": metadata, "output_type": "execute_result"}
            )
        outputs.append(cell_outputs)
    return outputs


def encode_content(content: str | bytes) -> str | list[str]:
    """Return the content of an output as notebooks store it."""
    return base64.b64encode(content).decode() if isinstance(content, bytes) else split_lines(content)


def split_lines(text: str) -> list[str]:
    """Return the lines of a text with their ends."""
    return text.splitlines(keepends=True)


def main() -> None:
    """Run a notebook."""
    path = Path(sys.argv[1])
    notebook = json.loads(path.read_text(encoding="utf-8"))
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    outputs = run_cells(["".join(cell["source"]) for cell in cells])
    if "--write" not in sys.argv:
        print(json.dumps(outputs))
        return
    for number, (cell, cell_outputs) in enumerate(zip(cells, outputs, strict=True), 1):
        cell.update(execution_count=number, outputs=cell_outputs)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
