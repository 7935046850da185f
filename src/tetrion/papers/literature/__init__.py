"""Controllers of the research literature: the published results and how each is measured."""
