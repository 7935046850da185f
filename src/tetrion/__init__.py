"""Tetrion."""
