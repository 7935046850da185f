"""Synthesised music and sound effects."""
