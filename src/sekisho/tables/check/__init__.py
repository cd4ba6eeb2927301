"""The checker of certificates: exact arithmetic, no solver, and nothing shared with the optimiser."""
