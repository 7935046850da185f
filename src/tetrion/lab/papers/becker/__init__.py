"""Becker's slides: their claims and how each claim is measured."""
