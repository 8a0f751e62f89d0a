"""OpIndex: lists of predicates by pivot attribute and operator, and counters (Zhang, Chan, Tan, VLDB 2014)."""
