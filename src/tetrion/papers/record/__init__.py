"""The record: the longest one-piece games, and those of the published agents in the same run."""
