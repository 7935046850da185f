"""Who plays. An agent here is data: a file of numbers, one weight or table a feature."""

from tetrion.agents.files import DataAgent, load, published

__all__ = ["DataAgent", "load", "published"]
