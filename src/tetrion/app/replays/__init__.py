"""Replays: the list of saved games, their playback, and the grading of their moves."""
