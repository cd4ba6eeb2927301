"""Histories that stay where they lie: an engine counts, compiled kernels search and publish."""
