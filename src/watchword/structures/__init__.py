"""Index data structures over coded expressions."""

from watchword.structures.registry import structures

__all__ = ["structures"]
