"""Optimisers, which search for vectors of numbers with large fitness, independently of what it measures."""
