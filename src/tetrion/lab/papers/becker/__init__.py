"""Becker's slides: what they claim, and how each claim is measured."""
