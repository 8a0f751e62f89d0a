"""H-Tree (H-Tree, section III): attributes are chosen, their codes divided into cells, the cells chained to a tree.

conjunctions --attributes--> indexed attributes --cells--> cells of each conjunction --tree--> buckets
"""
