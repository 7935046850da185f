"""Games that are looked at again: the list of them, playing them back, grading their moves."""
