"""Agents written as Python classes with `choose(position) -> Placement`, each run in a separate process."""
