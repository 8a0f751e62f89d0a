"""BE-Tree: a tree that cuts the space of codes in two phases, by dimension and by interval."""
