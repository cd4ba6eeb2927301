"""Contests over histories: rules, files, the truth and its referee."""
