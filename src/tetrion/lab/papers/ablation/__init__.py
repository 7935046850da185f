"""Features taken away and added: what is claimed of them, and how it is measured."""
