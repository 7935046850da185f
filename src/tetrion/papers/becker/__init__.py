"""Becker's slides: a static evaluation with four sigmoid curves."""
