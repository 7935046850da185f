"""Reproduction of published results: claims as data, saved measurements, verdicts and reports."""
