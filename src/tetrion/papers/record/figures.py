"""Figures of the literature."""

DRAWINGS = ()
