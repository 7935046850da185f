"""Watching training: the visible games of a generation, and runs that are followed through their files."""
