"""The papers' experiments run again: what each figure claims, what is measured here, and whether the claim holds."""
