"""Contests over records: rules, files, conditions, the truth and its referee."""
