"""Coding of single columns: top, bottom, rounding, intervals, merging of rare categories."""
