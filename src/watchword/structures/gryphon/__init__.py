"""Gryphon's matching tree."""
