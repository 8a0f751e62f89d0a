"""From text, columns or JSON to one expression tree, and the oracle that evaluates it."""
