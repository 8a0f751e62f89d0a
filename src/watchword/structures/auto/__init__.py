"""`auto`: access keys by cost, candidates verified in bulk (DESIGN section 4).

coded expressions --entries--> keys, conditions, programs --build_layout--> lists and blocks --match--> expressions
"""
