"""A recipe's whole way through the gate: the run, its pages in two editions, its files and its certificate."""
