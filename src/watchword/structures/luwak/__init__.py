"""Luwak and the thesis's additions to it: documents in batches, queries by their representative term (Qiu, 2019)."""
