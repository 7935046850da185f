"""The research literature: what it reports, and how each figure is measured."""
