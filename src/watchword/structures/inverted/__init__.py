"""Inverted lists of conjunctions by (attribute, value): the base of SIFT and the k-index."""
