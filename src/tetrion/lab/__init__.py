"""Plots, videos and HTML reports of games, evaluations and training runs."""
