"""Learners compared on one budget: what is claimed of them, and how it is measured."""
