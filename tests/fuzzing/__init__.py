"""Fuzzing: mutated files of every format, each of which must load or raise a `TetrionError` that names the file."""
