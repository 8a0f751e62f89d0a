"""Benchmarks: the yardstick's workloads and kernel, and what the library needs for the same work."""
