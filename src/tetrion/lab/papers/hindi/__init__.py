"""Hindi et al.: what they claim, and how each claim is measured."""
