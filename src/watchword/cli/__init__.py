"""The command line: one file per command, and what they share (files, events, writers, progress, tables)."""
