"""Text: analyzers, queries in the manner of Lucene, and what both mean together."""
