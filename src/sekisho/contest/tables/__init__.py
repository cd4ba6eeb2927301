"""Contests whose releases are only tables, and models: parts, measures, answers, totals."""
