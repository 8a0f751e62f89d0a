"""The harness: a workload and a structure with its parameters, measured in a process of its own, kept as Parquet."""
