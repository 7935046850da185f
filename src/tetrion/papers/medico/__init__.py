"""Medico's report: a bot with a scoring mode and a recovery mode that sees the next piece."""
