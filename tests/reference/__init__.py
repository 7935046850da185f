"""One-piece Tetris, slow and obvious: cell by cell, in plain Python, from the definitions alone.

The compiled engine is tested against it, so nothing here may come from `tetrion`.
"""
