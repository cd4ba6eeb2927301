"""The doors to the solvers, and exact solutions of square systems."""
