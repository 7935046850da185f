"""The record: the strongest one-piece agents, and the published ones in the same run."""
