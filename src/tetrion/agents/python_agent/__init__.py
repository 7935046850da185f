"""A person's own agent: a class with `choose(position) -> Placement`, played in a process of its own."""
