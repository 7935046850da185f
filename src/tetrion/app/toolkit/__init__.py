"""Parts of screens: controls and keyboard focus, headers and footers, pickers, cached surfaces."""
