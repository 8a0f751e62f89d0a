"""A column of SQL texts to an ExpressionTable, at over a million predicates a second.

Arrow column -> pieces -> kernels, row by row -> columns of the table
                             | whatever they are not sure of
                             +-> sql.parse    -> the tree, or the error of that row
"""

from watchword.language.bulk.column import Parsed, parse_many

__all__ = ["Parsed", "parse_many"]
