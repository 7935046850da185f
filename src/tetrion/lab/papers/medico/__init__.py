"""Medico's report: its claims and how each claim is measured."""
