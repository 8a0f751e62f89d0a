"""Conjunctions in clusters of columns: the base of Propagation and of the columnar scan."""
