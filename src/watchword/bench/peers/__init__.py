"""Watchword beside what a user would pick instead, on the same workload in one run, counts checked."""
