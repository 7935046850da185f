"""Comparison of learners on the same budget: the claims and how each claim is measured."""
