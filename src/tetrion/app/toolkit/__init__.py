"""What screens are made of: controls and their focus, headers and footers, lists that open, pictures that are kept."""
