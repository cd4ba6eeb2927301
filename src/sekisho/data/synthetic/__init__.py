"""Data of nobody, for demonstrations, tests and benchmarks."""
