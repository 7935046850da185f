"""Benchmarks, and the commands that write their results into the documentation."""
