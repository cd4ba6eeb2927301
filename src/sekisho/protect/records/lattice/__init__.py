"""Global recoding: one level of coarseness for each key, the best of all vectors of levels."""
