"""What the README says in a few lines with numbers, from the result files."""

from collections.abc import Mapping
from typing import Any

from benchmarks.paper_tables import RECORD_AGENTS, RECORD_COMPARISON, load_record
from tetrion.papers import DOCUMENT_NAMES

_BEST_AGENT = "tetrion-1"
_MODERN_AGENTS = ("modern-1:depth=6,beam=400", "dellacherie:depth=2")


def format_highlights(results: Mapping[str, Any]) -> str:
    """Return six lines; `results` holds the content of the result files by name, and of all papers as `papers`."""
    reproduction = load_record(results["papers"])
    record = find_row(reproduction.evaluate(RECORD_AGENTS), "agent", _BEST_AGENT)
    factor = find_row(reproduction.evaluate(RECORD_COMPARISON), "agent", _BEST_AGENT)["factor"]
    programs = {row["name"]: row for row in results["others"]["rows"]}
    claims = sum(not row["is_own"] for name in DOCUMENT_NAMES for row in results["papers"][name]["rows"])
    attacks = [find_row(results["modern"]["rows"], "agent", name) for name in _MODERN_AGENTS]
    attack, attack_of_two = (row["modern"]["attack per piece"]["mean"] for row in attacks)
    gpu = results["gpu"]
    same_games = gpu["identical"]["games"] - gpu["identical"]["different_games"]
    gpu_rate = gpu["speed"]["pieces_per_second"] / 1e9
    cpu_rate = round_rate(programs["Tetrion, SIMD"])
    ratio_to_cpp = programs["C++, hand-written AVX-512"]["ratio_agent"]
    lines = (
        f"**The strongest one-piece agent that we know of**: `{_BEST_AGENT}` clears {record['twenty']} lines per game "
        f"on 10×20, {factor.value:.2f} ({factor.format_ends(2)}) times as many as the best open program "
        "([tetr-ai](https://github.com/misakamm/tetr-ai), 2026; [how](docs/papers/record.md)).",
        f"**Speed**: {cpu_rate} pieces per second on one core, every placement evaluated: {ratio_to_cpp:.1f} times "
        f"the rate of hand-written AVX-512 C++; {gpu_rate:.1f} billion on one {gpu['device']} "
        "([all speeds](docs/speed.md)).",
        f"**Environments**: {round_rate(programs['Tetrion, vector environment'])} placements per second on one core, "
        f"{programs['jumanji']['ratio_environment']:.0f} times the rate of jumanji.",
        f"**Same seed, same game** for every agent and on every backend: {same_games:,} of "
        f"{gpu['identical']['games']:,} games played on CPU and GPU are identical byte for byte.",
        f"**Modern rules** checked against published perft counts; `{_MODERN_AGENTS[0]}` sends {attack:.2f} rows of "
        f"attack per piece, `{_MODERN_AGENTS[1]}` {attack_of_two:.2f} ([results](docs/results.md)).",
        f"**Papers**: {claims} claims of five documents and the literature, each measured again by one command and "
        "judged with confidence intervals.",
    )
    return "".join(f"- {line}\n" for line in lines)


def find_row(rows: Any, key: str, value: str) -> Mapping[str, Any]:
    """Return the row with a value in a column."""
    found: Mapping[str, Any] = next(row for row in rows if row[key] == value)
    return found


def round_rate(row: Mapping[str, Any]) -> str:
    """Return the pieces per second of a program in millions."""
    return f"{row['pieces_per_second'] / 1e6:.1f} million"
