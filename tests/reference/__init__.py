"""Slow reference implementation of Tetris: cell by cell, in plain Python, written from the definitions alone.

The compiled engine is tested against it. It must not import anything from `tetrion`.
"""
