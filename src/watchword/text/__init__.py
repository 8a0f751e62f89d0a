"""Text in events: analyzers, the queries of MATCHES, and the oracle that evaluates them."""
